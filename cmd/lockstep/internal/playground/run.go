package playground

import (
	"context"
	"encoding/json"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cli"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Limits of what a response shows of a launch.
const (
	timelineGroups  = 4
	timelineColumns = 2000 // ticks, or steps of several, of a timeline
	maxSites        = 200  // accesses
)

// run runs a launch as `lockstep run` does, and shows what it did.
func run(ctx context.Context, l *Launch) (*RunResult, error) {
	if l == nil {
		return nil, errNoLaunch
	}
	args, err := l.words("run")
	if err != nil {
		return nil, err
	}
	w, err := newWorld(l.files(), "")
	if err != nil {
		return nil, err
	}
	r := &RunResult{Line: l.line(), Lines: []LineCount{}, Accesses: []Access{}, Timelines: []Timeline{}}
	w.env.Inspect = &cli.Inspector{Ran: r.take}
	r.CommandResult = w.result(cli.Dispatch(ctx, cli.Commands(), args, w.env))
	return r, nil
}

// take takes what the launch left behind.
func (r *RunResult) take(ran *cli.Ran) {
	r.Ran, r.Findings, r.Diagnostics, r.Pictures = true, ran.Findings.Findings, ran.Diagnostics, ran.Pictures
	if json.Valid(ran.Document) {
		r.Document = ran.Document
	}
	rec := ran.Trace
	if rec == nil {
		return
	}
	counts, complete := rec.Lines()
	r.Complete = complete
	for i := range counts {
		r.Lines = append(r.Lines, lineCount(&counts[i]))
	}
	for _, s := range rec.AccessSites() {
		if len(r.Accesses) == maxSites {
			r.Complete = false
			break
		}
		kernel := ""
		if s.Launch < len(ran.Launches) {
			kernel = ran.Launches[s.Launch]
		}
		r.Accesses = append(r.Accesses, accessOf(&s, kernel))
	}
	r.timelines(rec)
	for _, s := range rec.LaneStrips() {
		strip := LaneStrip{Launch: s.Launch, Subgroup: s.Subgroup, Group: s.Group, Size: s.Size, End: s.End, Columns: []LaneColumn{}}
		for _, c := range s.Columns {
			strip.Columns = append(strip.Columns, LaneColumn(c))
		}
		r.Lanes = append(r.Lanes, strip)
	}
	if b := rec.Branches(); b != nil {
		r.Divergence = branch(b, bits.OnesCount64(b.Active[0])+bits.OnesCount64(b.Active[1]))
	}
	banks := rec.Banks()
	if banks.Words != [trace.Banks]uint64{} {
		r.Banks = banks.Words[:]
	}
	for _, extra := range slices.Sorted(maps.Keys(banks.Conflicts)) {
		r.Conflicts = append(r.Conflicts, Conflict{extra, banks.Conflicts[extra]})
	}
	for _, m := range rec.AccessMaps() {
		r.AccessMaps = append(r.AccessMaps, accessMap(&m))
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

// timelines shows the timelines of the first work-groups.
func (r *RunResult) timelines(rec *trace.Recorder) {
	list, left := rec.Timelines(timelineGroups, timelineColumns)
	r.GroupsLeft = left
	for i := range list {
		t := &list[i]
		one := Timeline{Name: t.Name, Start: t.Start, End: t.End, Rows: []TimelineRow{}, More: t.More}
		for _, row := range t.Rows {
			to := TimelineRow{Name: row.Name, Spans: []TimelineSpan{}}
			for _, s := range row.Spans {
				to.Spans = append(to.Spans, TimelineSpan{s.From, s.To, activityNames[s.Activity], s.Activity.String(), s.Tenths})
			}
			one.Rows = append(one.Rows, to)
		}
		r.Timelines = append(r.Timelines, one)
	}
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
