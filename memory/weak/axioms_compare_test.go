package weak

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// drawn returns a random program of so many operations at most.
func drawn(r *rand.Rand) program {
	threads := 2 + r.IntN(2)
	p := make(program, threads)
	value := uint64(0)
	plain := r.IntN(4) == 0
	one := func(orders ...isa.MemoryOrder) isa.MemoryOrder {
		if plain && r.IntN(2) == 0 {
			return 0
		}
		return orders[r.IntN(len(orders))]
	}
	shared := 1 + r.IntN(2)
	for left := 4 + r.IntN(3); left > 0; left-- {
		t := r.IntN(threads)
		o := op{cell: r.IntN(shared)}
		value++
		switch k := r.IntN(12); {
		case k < 5:
			o.kind, o.order = 'R', one(rlx, rlx, acq, sc)
		case k < 9:
			o.kind, o.value, o.order = 'W', value, one(rlx, rlx, rel, sc)
		case k < 10:
			o.kind, o.value, o.order = 'U', value, []isa.MemoryOrder{rlx, acq, rel, ar, sc}[r.IntN(5)]
		default:
			o.kind, o.order = 'F', []isa.MemoryOrder{acq, rel, ar, sc}[r.IntN(4)]|isa.OrderGlobal
		}
		p[t] = append(p[t], o)
	}
	return p
}

// TestAxioms compares the outcomes of the machine with those that the axioms allow, for random programs.
func TestAxioms(t *testing.T) {
	n := 200
	r := rand.New(rand.NewPCG(3, 4))
	weak := 0
	for range n {
		p := drawn(r)
		got, want := p.machine(), p.axioms(false)
		if maps.Equal(got, want) {
			if len(got) > 4 {
				weak++
			}
			continue
		}
		for _, o := range slices.Sorted(maps.Keys(got)) {
			if !want[o] {
				t.Errorf("%s\n  the machine has %s, which the axioms forbid", p, o)
			}
		}
		for _, o := range slices.Sorted(maps.Keys(want)) {
			if !got[o] {
				t.Errorf("%s\n  the machine lacks %s", p, o)
			}
		}
	}
	t.Logf("%d programs, %d with more than 4 outcomes", n, weak)
}

// TestDifferences holds where the machine has fewer outcomes than C11 with the repaired order of sequentially consistent
// operations: one outcome for each kind of execution that the package's documentation says it leaves out.
func TestDifferences(t *testing.T) {
	read := func(cell int, o isa.MemoryOrder) op { return op{'R', cell, 0, o} }
	write := func(cell int, value uint64, o isa.MemoryOrder) op { return op{'W', cell, value, o} }
	for _, c := range []struct {
		name, outcome string
		p             program
	}{
		{"late acquire loads", "2 1 | 2 1 0", program{{read(0, acq), write(1, 1, rlx)}, {read(1, acq), write(0, 2, rlx)}}},
		{"late read-modify-writes", "2 1 | 3 4 0", program{{op{'U', 0, 3, rlx}, write(1, 1, rlx)}, {op{'U', 1, 4, rlx}, write(0, 2, rlx)}}},
		{"loads later than an acquire fence", "2 1 | 2 1 0",
			program{{read(0, rlx), op{'F', 0, 0, acq | isa.OrderGlobal}, write(1, 1, rlx)}, {read(1, rlx), op{'F', 0, 0, acq | isa.OrderGlobal}, write(0, 2, rlx)}}},
		{"a load later than an access to its place", "2 1 1 | 1 1 0",
			program{{read(0, rlx), write(0, 1, rlx)}, {read(0, acq), write(1, 1, rlx)}, {read(1, acq), write(0, 2, rlx)}}},
		{"sequentially consistent operations against a relaxed read", "1 0 | 1 1 0", program{{write(0, 1, sc), write(1, 1, rlx)}, {read(1, rlx), read(0, sc)}}},
	} {
		if c11, got := c.p.axioms(true), c.p.machine(); !c11[c.outcome] || got[c.outcome] {
			t.Errorf("%s: %s\n  %s: allowed by C11 %t, by the machine %t", c.name, c.p, c.outcome, c11[c.outcome], got[c.outcome])
		}
	}
	// Of all that the machine has, C11 allows everything.
	r := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		p := drawn(r)
		c11 := p.axioms(true)
		for o := range p.machine() {
			if !c11[o] {
				t.Errorf("%s: C11 does not allow %s", p, o)
			}
		}
	}
}
