package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// TestLines adds up what sub-groups did for two lines, and for instructions without one.
func TestLines(t *testing.T) {
	r := New(Options{Subgroups: true})
	i := info()
	i.SubgroupSize = 32
	i.Place = func(pc int) finding.Place {
		switch {
		case pc < 3:
			return finding.Place{File: "k.cl", Line: 7, Column: uint32(pc + 1), Source: "seven"}
		case pc < 5:
			return finding.Place{File: "k.cl", Line: 2, Source: "two"}
		}
		return finding.Place{Word: uint32(pc)}
	}
	r.Begin(i)
	r.Group(scheduler.Group{}, 32, 0)
	r.Block(0, 4, 0, 32)
	r.Block(0, 4, 0, 8)
	r.Block(4, 6, 0, 32)
	accesses(r, 1, 0, memory.AccessRead, 4, addresses(global(0), 32, 64))
	accesses(r, 2, 0, memory.AccessWrite, 4, addresses(local(0), 32, 8))
	accesses(r, 3, 0, memory.AccessAtomic, 4, addresses(global(0), 32, 0))
	got, complete := r.Lines()
	want := []LineCounts{
		{Executions: 1, Instructions: 1, Lanes: 32, Room: 32},
		{File: "k.cl", Line: 2, Source: "two", Executions: 1, Instructions: 3, Lanes: 72, Room: 96, Atomics: 1, AtomicLanes: 32, Meeting: 32},
		{File: "k.cl", Line: 7, Source: "seven", Executions: 2, Instructions: 6, Lanes: 120, Room: 192, Asked: 128, CacheLines: 32, CacheLinesAtBest: 2, Passes: 2, PassesAtBest: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" || !complete {
		t.Errorf("complete: %v, lines (-want +got):\n%s", complete, diff)
	}
	if rows, _ := New(Options{}).Lines(); rows != nil {
		t.Errorf("a recorder that does not count has %v", rows)
	}
}

// TestExecutions counts how often a line is executed: also where it stands several times in the bytecode, has several
// instructions, or consists of a branch alone.
func TestExecutions(t *testing.T) {
	place := map[int]finding.Place{
		0: {File: "k.cl", Line: 1, Word: 10}, 1: {File: "k.cl", Line: 1, Word: 10}, 2: {File: "k.cl", Line: 1, Word: 11}, 3: {File: "k.cl", Line: 1, Word: 12}, // a loop's test, and the branch
		4: {File: "k.cl", Line: 2, Word: 20}, 5: {File: "k.cl", Line: 1, Word: 12},
		6: {File: "k.cl", Line: 1, Word: 10}, 7: {File: "k.cl", Line: 3, Word: 30},
	}
	r := New(Options{Subgroups: true})
	i := info()
	i.Place = func(pc int) finding.Place { return place[pc] }
	r.Begin(i)
	r.Group(scheduler.Group{}, 32, 0)
	r.Block(0, 4, 0, 32)
	for range 5 {
		r.Block(4, 6, 0, 32)
	}
	r.Block(6, 8, 0, 32)
	got, _ := r.Lines()
	want := map[uint32]uint64{1: 2, 2: 5, 3: 1}
	for _, row := range got {
		if row.Executions != want[row.Line] {
			t.Errorf("line %d: %d executions, want %d", row.Line, row.Executions, want[row.Line])
		}
	}
}

// TestBarrierWaits has sub-groups come to barriers at different times.
func TestBarrierWaits(t *testing.T) {
	r := New(Options{Subgroups: true})
	i := info()
	i.Barrier = func(pc int) bool { return pc == 4 }
	r.Begin(i)
	play := func(id uint64) {
		r.Group(scheduler.Group{ID: [3]uint64{id}}, 96, 0)
		r.Block(0, 5, 0, 32)
		r.Block(1, 4, 32, 32)
		r.Block(0, 5, 32, 32)
		r.Block(2, 3, 64, 32) // which ends without the barrier
		r.Barrier(4, 100)
		r.Block(0, 5, 0, 32) // both have the same tick now
		r.Block(0, 5, 32, 32)
		r.Barrier(4, 200)
		r.GroupEnd(300)
	}
	play(0)
	play(1)
	rows, _ := r.Lines()
	for _, row := range rows {
		want := [2]uint64{}
		if row.Line == 4 {
			want = [2]uint64{8, 6}
		}
		if got := [2]uint64{row.Arrivals, row.BarrierTicks}; got != want {
			t.Errorf("line %d: %d arrivals and ticks, want %d", row.Line, got, want)
		}
	}
}

// TestCopyCounts adds up copies and waits, with events that are kept and that are not.
func TestCopyCounts(t *testing.T) {
	for _, most := range []int{0, 1, -1} {
		r := New(Options{Subgroups: true, MaxGroups: most})
		r.Begin(info())
		stencil(r)
		rows, complete := r.Lines()
		var got []LineCounts
		for _, row := range rows {
			got = append(got, LineCounts{Line: row.Line, Copies: row.Copies, CopyBytes: row.CopyBytes, Flight: row.Flight, Overlap: row.Overlap, Waits: row.Waits, WaitTicks: row.WaitTicks})
		}
		want := []LineCounts{
			{Line: 2, Copies: 5, CopyBytes: 1280, Flight: 14 + 18, Overlap: 14 + 9},
			{Line: 3, Waits: 4, WaitTicks: 6 + 9},
			{Line: 5, Copies: 1, CopyBytes: 128, Flight: 8, Overlap: 2},
		}
		if diff := cmp.Diff(want, got); diff != "" || !complete {
			t.Errorf("%d groups are kept: complete: %v, lines (-want +got):\n%s", most, complete, diff)
		}
		if kept := len(r.groups); kept != []int{0: 2, 1: 1}[max(most, 0)] && most >= 0 || most < 0 && (kept != 0 || r.events != 0) {
			t.Errorf("%d groups are to be kept: %d are, with %d events", most, kept, r.events)
		}
	}
}

// TestAccessMap looks at which work-items accessed which elements.
func TestAccessMap(t *testing.T) {
	r := New(Options{Subgroups: true})
	i := info()
	i.Local, i.Groups, i.Global = [3]uint32{2, 1, 1}, [3]uint64{3, 1, 1}, [3]uint64{6, 1, 1}
	r.Begin(i)
	for id := range uint64(3) {
		r.Group(scheduler.Group{ID: [3]uint64{id}}, 2, 0)
		accesses(r, 1, 0, memory.AccessRead, 4, []memory.Pointer{global(8), global(12)})
		accesses(r, 2, 0, memory.AccessWrite, 4, []memory.Pointer{global(int64(8 + 4*id))})
		if id == 2 {
			accesses(r, 3, 0, memory.AccessAtomic, 8, []memory.Pointer{global(8)})
		}
		accesses(r, 3, 0, memory.AccessRead, 4, []memory.Pointer{local(0)})
		r.GroupEnd(1)
	}
	const no, read, wrote, both, atomic = AccessedNot, AccessedRead, AccessedWritten, AccessedBoth, AccessedAtomic
	want := []AccessMap{
		{Launch: "stencil", Memory: "in", First: 8, Unit: 4, Items: 6, Rows: []AccessMapRow{
			{0, []Accessed{both, no, no}}, {1, []Accessed{no, read, no}}, {2, []Accessed{read, wrote, no}}, {3, []Accessed{no, read, no}}, {4, []Accessed{atomic, atomic, wrote}}, {5, []Accessed{no, read, no}},
		}},
		{Launch: "stencil", Memory: "tile", Local: true, Unit: 4, Items: 6, Rows: []AccessMapRow{{0, []Accessed{read}}, {2, []Accessed{read}}, {4, []Accessed{read}}}},
	}
	if diff := cmp.Diff(want, r.AccessMaps()); diff != "" {
		t.Errorf("maps (-want +got):\n%s", diff)
	}
}

// TestAccessMapLimits has accesses that are far apart, large, many, and of later work-items.
func TestAccessMapLimits(t *testing.T) {
	r := New(Options{Subgroups: true})
	i := info()
	i.Local, i.Groups = [3]uint32{64, 1, 1}, [3]uint64{2, 1, 1}
	r.Begin(i)
	for id := range uint64(2) {
		r.Group(scheduler.Group{ID: [3]uint64{id}}, 64, 0)
		accesses(r, 1, 0, memory.AccessRead, 1<<38, []memory.Pointer{global(-1 << 39)})
		accesses(r, 1, 0, memory.AccessRead, 1, []memory.Pointer{global(1<<39 - 1)})
		for k := range int64(maxMapCells + 1) {
			accesses(r, 2, 0, memory.AccessRead, 4, []memory.Pointer{local(4 * k)})
		}
	}
	maps := r.AccessMaps()
	if len(maps) != 2 {
		t.Fatalf("%d maps", len(maps))
	}
	far, many := &maps[0], &maps[1]
	if len(far.Rows) != 1 || len(far.Rows[0].Cells) > mapColumns || far.Rows[0].Cells[0] != AccessedRead || far.Rows[0].Cells[len(far.Rows[0].Cells)-1] != AccessedRead || far.Cut {
		t.Errorf("accesses that are far apart have the map %+v", far)
	}
	if len(many.Rows) != 1 || !many.Cut {
		t.Errorf("many accesses have the map %+v", many)
	}
}
