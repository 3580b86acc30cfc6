package playground

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/debug"
)

// Limits of the timeline of a debug session.
const (
	defaultColumns = 400
	maxColumns     = 2000
	trackWaves     = 16 // waves of a work-group that have rows
)

var errNoEnd = errors.New("the launch has no end that is known, and so no timeline")

// timeline shows what waves do on the clock of the debug session: it goes to as many ticks as there are columns, looks,
// and comes back to where the session was. A range of no more ticks than columns is shown exactly.
func (s *Server) timeline(ctx context.Context, req *Request) (*Timeline, error) {
	d := s.session
	if d == nil || req.Session != d.number {
		return nil, errNoSession
	}
	r := TickRange{}
	if req.Range != nil {
		r = *req.Range
	}
	if r.To == 0 || r.To > d.end {
		r.To = d.end
	}
	switch {
	case d.end == 0:
		return nil, errNoEnd
	case r.From >= r.To:
		return nil, fmt.Errorf("from tick %d to tick %d there is nothing", r.From, r.To)
	}
	if r.Columns <= 0 {
		r.Columns = defaultColumns
	}
	columns := uint64(min(r.Columns, maxColumns))
	return d.track(ctx, r.From, r.To, (r.To-r.From+columns-1)/columns)
}

// track looks at every so many ticks.
func (d *session) track(ctx context.Context, from, to, step uint64) (t *Timeline, err error) {
	x := d.Session
	here := where{tick: x.Tick(), frame: x.Frame(), item: -1, launch: x.CurrentLaunch()}
	if it, ok := x.Current(); ok {
		here.item, here.group = it.Number, it.Group
	}
	defer func() {
		if back := d.comeBack(here); err == nil {
			err = back
		}
	}()
	b := &tracker{d: d, step: step, end: to, index: map[trackRow]*TimelineRow{}}
	for at := from; at < to; at += step {
		if err := d.reach(ctx, at); err != nil {
			return nil, err
		}
		if x.Tick() != at { // a fault ended the launch, or the time is over
			break
		}
		b.look(at)
	}
	t = &Timeline{Name: "the launch in the debugger", Start: from, End: to, Step: step, Rows: []TimelineRow{}}
	for _, row := range b.rows() {
		t.Rows = append(t.Rows, *row)
	}
	t.More = len(b.more)
	return t, ctx.Err()
}

// reach goes to a tick, past findings on the way.
func (d *session) reach(ctx context.Context, tick uint64) error {
	for first := true; first || d.Session.Tick() < tick && !d.Session.Ended(); first = false {
		before := d.Session.Tick()
		stop, err := d.Session.GoTo(ctx, tick)
		if err != nil {
			return err
		}
		if stop.Reason == debug.ReasonPaused || stop.Reason == debug.ReasonFinding && !first && d.Session.Tick() == before {
			break
		}
	}
	return nil
}

// where is where a session was, and what was chosen there.
type where struct {
	tick        uint64
	launch      int
	group       [3]uint64
	item, frame int // item is -1 for none
}

// comeBack goes to where the session was.
func (d *session) comeBack(to where) error {
	if err := d.reach(context.Background(), to.tick); err != nil {
		return err
	}
	if to.item < 0 {
		return nil
	}
	if err := d.Session.SelectGroup(to.launch, &to.group); err != nil {
		return err
	}
	if err := d.Session.Select(to.item); err != nil {
		return err
	}
	d.Session.SelectFrame(to.frame)
	return nil
}

// trackRow is what a row is about: a wave of one of the work-groups of a launch that are in progress, the work-groups of a
// launch, a pipe, or copies.
type trackRow struct {
	kind        trackKind
	launch      int
	group, wave int // the group counts from 0 among those in progress
	pipe        string
}

// trackKind is a kind of rows.
type trackKind uint8

// The kinds.
const (
	trackGroup trackKind = iota
	trackWave
	trackCopies
	trackPipe
)

// tracker makes the rows of a timeline.
type tracker struct {
	d         *session
	step, end uint64
	index     map[trackRow]*TimelineRow
	order     []trackRow
	waves     int               // rows of waves
	more      map[trackRow]bool // waves without a row
}

// row returns a row, nil where there is no room for it.
func (b *tracker) row(at trackRow, name string) *TimelineRow {
	if r := b.index[at]; r != nil {
		return r
	}
	if at.kind == trackWave {
		if b.waves == trackWaves {
			if b.more == nil {
				b.more = map[trackRow]bool{}
			}
			b.more[at] = true
			return nil
		}
		b.waves++
	}
	r := &TimelineRow{Name: name, Spans: []TimelineSpan{}}
	b.index[at] = r
	b.order = append(b.order, at)
	return r
}

// look takes what there is at a tick.
func (b *tracker) look(tick uint64) {
	x := b.d.Session
	pipes := x.Pipes()
	for _, l := range x.Launches() {
		for i, g := range l.Groups {
			if x.SelectGroup(l.Number, &g.ID) == nil {
				b.group(tick, &l, i, &g, pipes)
			}
		}
	}
	for i := range pipes {
		p := &pipes[i]
		span := TimelineSpan{Activity: "level", Text: fmt.Sprintf("%d of %d packets", p.Len, p.Capacity)}
		if span.Tenths = int(10 * p.Len / max(p.Capacity, 1)); p.Len > 0 {
			span.Tenths = max(span.Tenths, 1)
		}
		name := p.Name
		if name == "" {
			name = fmt.Sprint(i)
		}
		b.add(b.row(trackRow{kind: trackPipe, pipe: name}, "pipe "+name), tick, span)
	}
}

// group takes what a work-group in progress does; it is the one that is looked at.
func (b *tracker) group(tick uint64, l *debug.LaunchState, number int, g *debug.GroupState, pipes []debug.Pipe) {
	x := b.d.Session
	before, groups := "", "work-group"
	if x.Several() {
		before, groups = l.Label+" ", l.Label
	}
	if number == 0 {
		text := fmt.Sprintf("work-group (%d,%d,%d)", g.ID[0], g.ID[1], g.ID[2])
		if x.Several() {
			text = l.Label + ", " + text
		}
		if n := len(l.Groups); n > 1 {
			text += fmt.Sprintf(" and %d more", n-1)
		}
		b.add(b.row(trackRow{kind: trackGroup, launch: l.Number}, groups), tick, TimelineSpan{Activity: "group", Text: text})
	} else {
		before += fmt.Sprintf("group %d ", number)
	}
	for i, w := range x.Waves() {
		span, ok := b.wave(&w)
		if !ok {
			continue
		}
		span.Text = pipeWaitText(pipes, l.Number, g.ID, &w, &span)
		w.Turn = w.Turn && g.Turn
		if !w.Turn && span.Activity == "run" {
			span.Activity, span.Text = "idle", "not its turn"
		}
		b.add(b.row(trackRow{trackWave, l.Number, number, i, ""}, before+fmt.Sprintf("wave %d", w.Number)), tick, span)
	}
	copies, _ := x.Copies()
	at, name := trackRow{kind: trackCopies, launch: l.Number, group: number}, before+"copies"
	switch len(copies) {
	case 0:
	case 1:
		b.add(b.row(at, name), tick, TimelineSpan{Activity: "copy", Text: fmt.Sprintf("copy %d is in flight", copies[0].ID)})
	default:
		b.add(b.row(at, name), tick, TimelineSpan{Activity: "copies", Text: fmt.Sprintf("%d copies are in flight", len(copies))})
	}
}

// pipeWaitText says what a wave that waits at a pipe waits for, and gives its span that activity; it returns the text of
// the span otherwise.
func pipeWaitText(pipes []debug.Pipe, launch int, group [3]uint64, w *debug.WaveState, span *TimelineSpan) string {
	if span.Activity != "pipe-wait" {
		return span.Text
	}
	for i := range pipes {
		for _, wait := range pipes[i].Waits {
			if wait.Launch != launch || wait.Group != group || !slices.ContainsFunc(wait.Items, func(n int) bool { return n >= w.First && n < w.First+w.Lanes }) {
				continue
			}
			if wait.Write {
				span.Activity = "waits-room"
				return "waits for room in " + pipes[i].Name
			}
			span.Activity = "waits-packets"
			return "waits for packets of " + pipes[i].Name
		}
	}
	return span.Text
}

// wave says what a wave is about to do, and that it has not ended.
func (b *tracker) wave(w *debug.WaveState) (TimelineSpan, bool) {
	var mask strings.Builder
	for _, state := range w.State {
		mask.WriteByte(letters[state])
	}
	lanes := mask.String()
	span := TimelineSpan{Size: len(lanes), Lanes: strings.Count(lanes, "#")}
	at := ""
	if w.Next >= 0 {
		if p := b.d.Session.PlaceOf(w.Next); p.Line > 0 {
			at = fmt.Sprintf(" line %d", p.Line)
		}
	}
	switch {
	case w.Turn:
		span.Activity, span.Text = "run", "runs"+at
		if span.Lanes < span.Size {
			span.Text += fmt.Sprintf(", %d of %d lanes", span.Lanes, span.Size)
		}
	case span.Lanes > 0:
		span.Activity, span.Text = "idle", "not its turn"
	case strings.Contains(lanes, "p"):
		span.Activity, span.Text = "pipe-wait", "waits at a pipe"
	case strings.ContainsAny(lanes, "bh"):
		span.Activity, span.Text = "barrier-wait", "waits at a barrier"
	case strings.Contains(lanes, "w"):
		span.Activity, span.Text = "waits", "waits for other lanes"
	default:
		return span, false
	}
	return span, true
}

// add adds a tick to a row; what is as it was before it is one span.
func (b *tracker) add(row *TimelineRow, tick uint64, span TimelineSpan) {
	if row == nil {
		return
	}
	span.From, span.To = tick, min(tick+b.step, b.end)
	if n := len(row.Spans); n > 0 {
		last := row.Spans[n-1]
		last.From, last.To = span.From, span.To
		if row.Spans[n-1].To == tick && last == span {
			row.Spans[n-1].To = span.To
			return
		}
	}
	row.Spans = append(row.Spans, span)
}

// rows returns the rows: for each launch its work-groups, waves and copies, and then the pipes.
func (b *tracker) rows() []*TimelineRow {
	slices.SortFunc(b.order, func(p, q trackRow) int {
		if (p.kind == trackPipe) != (q.kind == trackPipe) {
			return cmp.Compare(p.kind, q.kind)
		}
		return cmp.Or(cmp.Compare(p.launch, q.launch), cmp.Compare(p.kind, q.kind), cmp.Compare(p.group, q.group), cmp.Compare(p.wave, q.wave), strings.Compare(p.pipe, q.pipe))
	})
	var list []*TimelineRow
	for _, at := range b.order {
		list = append(list, b.index[at])
	}
	return list
}
