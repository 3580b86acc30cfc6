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
	n := 300
	r := rand.New(rand.NewPCG(3, 4))
	weak := 0
	for range n {
		p := drawn(r)
		got, want := p.machine(), p.axioms()
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
