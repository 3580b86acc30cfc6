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
	r.Accesses(1, 0, memory.AccessRead, 4, addresses(global(0), 32, 64))
	r.Accesses(2, 0, memory.AccessWrite, 4, addresses(local(0), 32, 8))
	r.Accesses(3, 0, memory.AccessAtomic, 4, addresses(global(0), 32, 0))
	got, complete := r.Lines()
	want := []LineCounts{
		{Instructions: 1, Lanes: 32, Room: 32},
		{File: "k.cl", Line: 2, Source: "two", Instructions: 3, Lanes: 72, Room: 96, Atomics: 1, Meeting: 32},
		{File: "k.cl", Line: 7, Source: "seven", Instructions: 6, Lanes: 120, Room: 192, CacheLines: 32, CacheLinesAtBest: 2, Passes: 2, PassesAtBest: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" || !complete {
		t.Errorf("complete: %v, lines (-want +got):\n%s", complete, diff)
	}
	if rows, _ := New(Options{}).Lines(); rows != nil {
		t.Errorf("a recorder that does not count has %v", rows)
	}
}
