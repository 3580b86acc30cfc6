package race

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// TestMissed: a detector that has no room for something says so, and one that has says nothing.
func TestMissed(t *testing.T) {
	type step struct {
		item, pc int
		write    bool
	}
	atOnce := func(n int, write bool) (list []step) {
		for i := range n {
			list = append(list, step{i, i, write})
		}
		return list
	}
	for name, c := range map[string]struct {
		steps               []step
		barriers            bool // behind each step
		maxEvents, maxRaces int
		want                Missed
		races               int
	}{
		"all events":            {steps: atOnce(8, true), maxEvents: 8, maxRaces: 99, races: 28},
		"too many events":       {steps: atOnce(9, true), maxEvents: 8, maxRaces: 99, want: Missed{Events: true}, races: 28},
		"events that are over":  {steps: atOnce(30, true), barriers: true, maxEvents: 2, maxRaces: 99},
		"all pairs":             {steps: atOnce(4, true), maxEvents: 1 << 12, maxRaces: 6, races: 6},
		"too many pairs":        {steps: atOnce(4, true), maxEvents: 1 << 12, maxRaces: 5, want: Missed{Pairs: true}, races: 5},
		"all accesses":          {steps: atOnce(maxFrontier, false), maxEvents: 1 << 12, maxRaces: 99},
		"too many accesses":     {steps: atOnce(maxFrontier+1, false), maxEvents: 1 << 12, maxRaces: 99, want: Missed{Accesses: true}},
		"many ordered accesses": {steps: atOnce(maxFrontier+1, false), barriers: true, maxEvents: 1 << 12, maxRaces: 99},
	} {
		mem := memory.NewGlobal(1 << 20)
		p, err := mem.Alloc("x", 4, false)
		if err != nil {
			t.Fatal(err)
		}
		d := New(mem)
		d.mostEvents, d.maxEvents, d.maxRaces = 1, c.maxEvents, c.maxRaces
		l, err := d.Launch(1, 1<<11)
		if err != nil {
			t.Fatal(err)
		}
		d.Alone()
		g := d.Worker(l, 32, 1<<11, nil, nil)
		g.Begin(0, 1<<11)
		for _, s := range c.steps {
			a := Access{PC: s.pc, Kind: memory.AccessRead, Size: 4}
			if s.write {
				a.Kind = memory.AccessWrite
			}
			g.One(&a, p, s.item)
			if c.barriers {
				g.Barrier(isa.OrderAll)
			}
		}
		list, missed := d.Races()
		if missed != c.want || len(list) != c.races {
			t.Errorf("%s: %d races, missed %+v; want %d, %+v", name, len(list), missed, c.races, c.want)
		}
	}
}
