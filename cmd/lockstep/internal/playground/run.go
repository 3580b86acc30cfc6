package playground

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dispatch"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/internal/words"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Limits of what a response shows of a launch.
const (
	timelineGroups  = 4
	timelineColumns = 2000 // ticks, or steps of several, of a timeline
	maxSites        = 200  // accesses
)

// run runs a launch as `lockstep run` does, and shows what it did.
func run(ctx context.Context, req *Request) (*RunResult, error) {
	r := &RunResult{Lines: []LineCount{}, Accesses: []Access{}, Timelines: []Timeline{}}
	args, files := []string(nil), req.Files
	var err error
	if l := req.Launch; l != nil {
		args, err = l.words("run")
		files, r.Line = l.files(), l.line()
	} else if args, err = req.arguments(); err == nil {
		if len(args) == 0 || args[0] != "run" {
			return nil, errNoLaunch
		}
		r.Line = words.Join(append([]string{"lockstep"}, args...))
	}
	if err != nil {
		return nil, err
	}
	w, err := newWorld(files, req.Stdin)
	if err != nil {
		return nil, err
	}
	w.env.Inspect = &cmdline.Inspector{Ran: r.take}
	r.CommandResult = w.result(dispatch.Main(ctx, commands(), args, w.env))
	return r, nil
}

// take takes what the launch left behind.
func (r *RunResult) take(ran *cmdline.Ran) {
	r.Ran, r.Findings, r.Diagnostics, r.Pictures = true, ran.Findings.Findings, ran.Diagnostics, ran.Pictures
	if json.Valid(ran.Document) {
		r.Document = ran.Document
	}
	r.Complete = len(ran.Traces) > 0
	lines := lineSums{index: map[linePlace]int{}}
	conflicts := map[uint64]uint64{}
	names := ran.Launches
	for i, rec := range ran.Traces {
		counts, complete := rec.Lines()
		r.Complete = r.Complete && complete
		for k := range counts {
			lines.add(&counts[k])
		}
		r.accesses(rec, names)
		stage := 0
		if len(ran.Traces) > 1 {
			stage = i + 1
		}
		r.timelines(rec, stage)
		r.lanes(rec)
		if b := rec.Branches(); b != nil {
			r.Divergence = append(r.Divergence, Divergence{names[0], branch(b, bits.OnesCount64(b.Active[0])+bits.OnesCount64(b.Active[1]))})
		}
		banks := rec.Banks()
		if banks.Words != [trace.Banks]uint64{} && r.Banks == nil {
			r.Banks = make([]uint64, trace.Banks)
		}
		for k := range r.Banks {
			r.Banks[k] += banks.Words[k]
		}
		for extra, n := range banks.Conflicts {
			conflicts[extra] += n
		}
		for _, m := range rec.AccessMaps() {
			r.AccessMaps = append(r.AccessMaps, accessMap(&m))
		}
		names = names[min(rec.Launches(), len(names)):]
	}
	r.Lines = lines.list()
	for _, extra := range slices.Sorted(maps.Keys(conflicts)) {
		r.Conflicts = append(r.Conflicts, Conflict{extra, conflicts[extra]})
	}
}

// linePlace is a line of a source.
type linePlace struct {
	file string
	line uint32
}

// lineSums adds up the counts of lines of several stages.
type lineSums struct {
	index map[linePlace]int
	rows  []LineCount
}

// add adds counts. What has no line is a row of its own.
func (l *lineSums) add(c *trace.LineCounts) {
	one, at := lineCount(c), linePlace{c.File, c.Line}
	i, known := l.index[at]
	if !known || c.Line == 0 {
		l.index[at] = len(l.rows)
		l.rows = append(l.rows, one)
		return
	}
	l.rows[i].add(&one)
}

// list returns the rows in the order of the source.
func (l *lineSums) list() []LineCount {
	slices.SortStableFunc(l.rows, func(a, b LineCount) int { return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return append([]LineCount{}, l.rows...)
}

// add adds what another stage did for the line.
func (c *LineCount) add(d *LineCount) {
	for _, n := range []struct {
		to   *uint64
		more uint64
	}{
		{&c.Executions, d.Executions}, {&c.Instructions, d.Instructions}, {&c.Lanes, d.Lanes}, {&c.Room, d.Room}, {&c.Barriers, d.Barriers},
		{&c.BarrierTicks, d.BarrierTicks}, {&c.BytesAsked, d.BytesAsked}, {&c.BytesMoved, d.BytesMoved}, {&c.CacheLines, d.CacheLines},
		{&c.CacheLinesAtBest, d.CacheLinesAtBest}, {&c.Passes, d.Passes}, {&c.PassesAtBest, d.PassesAtBest}, {&c.Conflicts, d.Conflicts},
		{&c.Atomics, d.Atomics}, {&c.AtomicLanes, d.AtomicLanes}, {&c.Meeting, d.Meeting}, {&c.Copies, d.Copies}, {&c.CopyBytes, d.CopyBytes},
		{&c.Flight, d.Flight}, {&c.Overlap, d.Overlap}, {&c.Waits, d.Waits}, {&c.WaitTicks, d.WaitTicks},
	} {
		*n.to += n.more
	}
}

// accesses shows the instructions that access memory, of launches with these names.
func (r *RunResult) accesses(rec *trace.Recorder, names []string) {
	for _, s := range rec.AccessSites() {
		if len(r.Accesses) == maxSites {
			r.Complete = false
			return
		}
		kernel := ""
		if s.Launch < len(names) {
			kernel = names[s.Launch]
		}
		r.Accesses = append(r.Accesses, accessOf(&s, kernel))
	}
}

// lanes shows how many lanes were active over time.
func (r *RunResult) lanes(rec *trace.Recorder) {
	for _, s := range rec.LaneStrips() {
		strip := LaneStrip{Launch: s.Launch, Subgroup: s.Subgroup, Group: s.Group, Size: s.Size, End: s.End, Columns: []LaneColumn{}}
		for _, c := range s.Columns {
			strip.Columns = append(strip.Columns, LaneColumn(c))
		}
		r.Lanes = append(r.Lanes, strip)
	}
}

// lineCount is the counts of a line.
func lineCount(c *trace.LineCounts) LineCount {
	return LineCount{
		File: c.File, Line: int(c.Line), Source: c.Source, Executions: c.Executions, Instructions: c.Instructions, Lanes: c.Lanes, Room: c.Room,
		Barriers: c.Arrivals, BarrierTicks: c.BarrierTicks, BytesAsked: c.Asked, BytesMoved: c.Moved(), CacheLines: c.CacheLines,
		CacheLinesAtBest: c.CacheLinesAtBest, Passes: c.Passes, PassesAtBest: c.PassesAtBest, Conflicts: c.Conflicts(), Atomics: c.Atomics,
		AtomicLanes: c.AtomicLanes, Meeting: c.Meeting, Copies: c.Copies, CopyBytes: c.CopyBytes, Flight: c.Flight, Overlap: c.Overlap,
		Waits: c.Waits, WaitTicks: c.WaitTicks,
	}
}

// accessKinds are the names of kinds of accesses.
var accessKinds = map[memory.Access]string{memory.AccessRead: "read", memory.AccessWrite: "write", memory.AccessAtomic: "atomic"}

// spaceName is the name of an address space.
func spaceName(s memory.Space) string {
	if s == memory.SpaceLocal {
		return "local"
	}
	return "global"
}

// accessOf shows an access with its example.
func accessOf(s *trace.AccessSite, kernel string) Access {
	a := Access{File: s.Place.File, Line: int(s.Place.Line), Column: int(s.Place.Column), Kernel: kernel, Kind: accessKinds[s.Access],
		Space: spaceName(s.Space), Bytes: s.Bytes, Memory: s.Memory, Count: s.Subgroups,
		Subgroup: s.Example.Subgroup, Group: s.Example.Group, Size: s.Example.Size}
	a.segments(s.Space, s.Bytes, s.Example.Lanes, s.Example.Addresses, func(memory.Pointer) string { return s.Memory })
	return a
}

// segments shows what lanes access together.
func (a *Access) segments(space memory.Space, size uint64, lanes []int, addresses []memory.Pointer, name func(memory.Pointer) string) {
	segments, units, least := trace.Segments(space, size, addresses)
	a.Segments, a.AtBest, a.SegmentBytes = units, least, trace.LineBytes
	if space == memory.SpaceLocal {
		a.SegmentBytes = trace.BankBytes
	}
	a.Lanes, a.Parts = []AccessLane{}, []SegmentPart{}
	first := make([]int, len(addresses))
	for i := range first {
		first[i] = -1
	}
	for i, s := range segments {
		part := SegmentPart{Number: s.Number, Lanes: len(s.Lanes), Words: s.Words}
		if space != memory.SpaceLocal {
			part.Offset = s.Number * trace.LineBytes
		}
		if s.Alloc != 0 {
			part.Memory = name(s.Alloc)
		}
		a.Parts = append(a.Parts, part)
		for _, lane := range s.Lanes {
			if first[lane] < 0 {
				first[lane] = i
			}
		}
	}
	for i, p := range addresses {
		a.Lanes = append(a.Lanes, AccessLane{Lane: lanes[i], Offset: p.Offset(), Memory: name(p), Segment: first[i]})
	}
}

// activityNames are the names of activities in the protocol.
var activityNames = [trace.NumActivities]string{
	trace.ActivityRuns: "run", trace.ActivityIssue: "issue", trace.ActivityMark: "mark", trace.ActivityCopyWait: "copy-wait",
	trace.ActivityBarrierWait: "barrier-wait", trace.ActivityPipeWait: "pipe-wait", trace.ActivityIdle: "idle", trace.ActivityBarrier: "barrier",
	trace.ActivityCopy: "copy", trace.ActivityCopies: "copies", trace.ActivityWaitsPackets: "waits-packets", trace.ActivityWaitsRoom: "waits-room",
	trace.ActivityGaveWay: "gave-way", trace.ActivityPipeLevel: "level",
}

// noteNames are the names of kinds of notes in the protocol.
var noteNames = map[trace.NoteKind]string{
	trace.NoteWrites: "write", trace.NoteReads: "read", trace.NoteWaitsRoom: "waits-room", trace.NoteWaitsPacket: "waits-packets",
	trace.NoteLevel: "level", trace.NoteCopy: "copy", trace.NoteBarrier: "barrier",
}

// timelines shows the timelines of the first work-groups of a stage.
func (r *RunResult) timelines(rec *trace.Recorder, stage int) {
	list, left := rec.Timelines(timelineGroups, timelineColumns)
	r.GroupsLeft += left
	for i := range list {
		t := &list[i]
		one := Timeline{Name: t.Name, Stage: stage, Start: t.Start, End: t.End, Rows: []TimelineRow{}, More: t.More}
		for k := range t.Rows {
			one.Rows = append(one.Rows, timelineRow(&t.Rows[k]))
		}
		r.Timelines = append(r.Timelines, one)
	}
}

// timelineRow shows a row. A wait at a pipe is one for room or for packets where all notes about it agree.
func timelineRow(row *trace.TimelineRow) TimelineRow {
	to := TimelineRow{Name: row.Name, Spans: []TimelineSpan{}, NotesLeft: row.NotesLeft}
	for _, n := range row.Notes {
		to.Notes = append(to.Notes, TimelineNote{n.From, n.To, noteNames[n.Kind], n.Text})
	}
	for _, s := range row.Spans {
		one := TimelineSpan{From: s.From, To: s.To, Activity: activityNames[s.Activity], Text: s.Activity.String(), Tenths: s.Tenths}
		if s.Activity == trace.ActivityPipeWait {
			if kind := waitOf(row.Notes, s.From, s.To); kind == trace.NoteWaitsRoom {
				one.Activity, one.Text = activityNames[trace.ActivityWaitsRoom], trace.ActivityWaitsRoom.String()
			} else if kind == trace.NoteWaitsPacket {
				one.Activity, one.Text = activityNames[trace.ActivityWaitsPackets], trace.ActivityWaitsPackets.String()
			}
		}
		to.Spans = append(to.Spans, one)
	}
	return to
}

// waitOf returns the kind of the waits within some ticks, and another kind of notes where they are of both kinds or none.
func waitOf(notes []trace.TimelineNote, from, to uint64) trace.NoteKind {
	room, packets := false, false
	for _, n := range notes {
		if n.From < to && n.To > from {
			room, packets = room || n.Kind == trace.NoteWaitsRoom, packets || n.Kind == trace.NoteWaitsPacket
		}
	}
	switch {
	case room && !packets:
		return trace.NoteWaitsRoom
	case packets && !room:
		return trace.NoteWaitsPacket
	}
	return trace.NoteBarrier
}

// branch shows a branch of so many lanes of the root.
func branch(b *trace.Branch, size int) *Branch {
	to := &Branch{File: b.File, Line: int(b.First), Last: int(b.Last), Times: b.Times, Instructions: b.Instructions, Cut: b.Cut}
	var mask strings.Builder
	for i := range size {
		c := byte('.')
		if b.Active[i/64]>>(i%64)&1 != 0 {
			c = '#'
			to.Lanes++
		}
		mask.WriteByte(c)
	}
	to.Mask = mask.String()
	for _, c := range b.Children {
		to.Children = append(to.Children, branch(c, size))
	}
	return to
}

// accessMap shows which work-item accessed which part of a memory.
func accessMap(m *trace.AccessMap) AccessMap {
	to := AccessMap{Launch: m.Launch, Memory: m.Memory, Local: m.Local, First: m.First, Unit: m.Unit, Cut: m.Cut, Items: m.Items, Rows: []AccessMapRow{}}
	for _, row := range m.Rows {
		var cells strings.Builder
		for _, c := range row.Cells {
			cells.WriteByte(".rwba"[c])
		}
		to.Rows = append(to.Rows, AccessMapRow{row.Item, cells.String()})
	}
	return to
}
