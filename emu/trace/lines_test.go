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
	r.Block(0, 4, 0, 32, [2]uint64{})
	r.Block(0, 4, 0, 8, [2]uint64{})
	r.Block(4, 6, 0, 32, [2]uint64{})
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
	r.Block(0, 4, 0, 32, [2]uint64{})
	for range 5 {
		r.Block(4, 6, 0, 32, [2]uint64{})
	}
	r.Block(6, 8, 0, 32, [2]uint64{})
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
		r.Block(0, 5, 0, 32, [2]uint64{})
		r.Block(1, 4, 32, 32, [2]uint64{})
		r.Block(0, 5, 32, 32, [2]uint64{})
		r.Block(2, 3, 64, 32, [2]uint64{}) // which ends without the barrier
		r.Barrier(4, 100)
		r.Block(0, 5, 0, 32, [2]uint64{}) // both have the same tick now
		r.Block(0, 5, 32, 32, [2]uint64{})
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
