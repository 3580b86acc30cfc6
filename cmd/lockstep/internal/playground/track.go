package playground

import (
	"context"
	"errors"
	"fmt"
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
	tick, frame, item := x.Tick(), x.Frame(), -1
	if it, ok := x.Current(); ok {
		item = it.Number
	}
	defer func() {
		if back := d.comeBack(tick, item, frame); err == nil {
			err = back
		}
	}()
	b := &tracker{d: d, step: step, end: to}
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
	t.More = b.more
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

// comeBack goes to where the session was: at a tick, with a work-item and its frame chosen.
func (d *session) comeBack(tick uint64, item, frame int) error {
	if err := d.reach(context.Background(), tick); err != nil {
		return err
	}
	if item < 0 {
		return nil
	}
	if err := d.Session.Select(item); err != nil {
		return err
	}
	d.Session.SelectFrame(frame)
	return nil
}

// tracker makes the rows of a timeline.
type tracker struct {
	d         *session
	step, end uint64
	groups    TimelineRow
	waves     []*TimelineRow
	copies    TimelineRow
	more      int // waves without a row
}

// look takes what there is at a tick.
func (b *tracker) look(tick uint64) {
	x := b.d.Session
	if it, ok := x.Current(); ok {
		b.add(&b.groups, tick, TimelineSpan{Activity: "group", Text: fmt.Sprintf("work-group (%d,%d,%d)", it.Group[0], it.Group[1], it.Group[2])})
	}
	for i, w := range x.Waves() {
		if i == trackWaves {
			b.more = max(b.more, len(x.Waves())-i)
			break
		}
		if i == len(b.waves) {
			b.waves = append(b.waves, &TimelineRow{Name: fmt.Sprintf("wave %d", w.Number), Spans: []TimelineSpan{}})
		}
		if span, ok := b.wave(&w); ok {
			b.add(b.waves[i], tick, span)
		}
	}
	switch copies, _ := x.Copies(); {
	case len(copies) == 1:
		c := &copies[0]
		b.add(&b.copies, tick, TimelineSpan{Activity: "copy", Text: fmt.Sprintf("copy %d is in flight", c.ID)})
	case len(copies) > 1:
		b.add(&b.copies, tick, TimelineSpan{Activity: "copies", Text: fmt.Sprintf("%d copies are in flight", len(copies))})
	}
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

// rows returns the rows that have something in them.
func (b *tracker) rows() []*TimelineRow {
	b.groups.Name, b.copies.Name = "work-group", "copies"
	list := []*TimelineRow{&b.groups}
	list = append(list, b.waves...)
	if len(b.copies.Spans) > 0 {
		list = append(list, &b.copies)
	}
	return list
}
