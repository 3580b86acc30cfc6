package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// An abstract program: threads of steps on a few cells, with registers. A value that is written is a number
// of its own plus what the thread has read, so that each order of dependent steps leaves something else.
type threadsOf struct {
	groups  []int // of the threads
	threads [][]operation
}

type operation struct {
	kind byte // 'r', 'w', 'a' for an addition in one piece, 'b' for a barrier, 'i' for a write if the last value read is odd
	cell int
}

// run runs one interleaving and returns what is left: cells and all that was read. It is "" when it did not
// come to its end.
func (p *threadsOf) run(x *interleavings) (outcome string, why ending) {
	cells := make([]int, 4)
	pc, sum, last := make([]int, len(p.threads)), make([]int, len(p.threads)), make([]int, len(p.threads))
	x.begin()
	for {
		for again := true; again; {
			again = false
			// Steps that are not taken, and barriers that open.
			for t := range p.threads {
				for pc[t] < len(p.threads[t]) && p.threads[t][pc[t]].kind == 'i' && last[t]%2 == 0 {
					pc[t]++
				}
			}
			for _, g := range slices.Compact(slices.Sorted(slices.Values(p.groups))) {
				waits, all := 0, true
				for t := range p.threads {
					if p.groups[t] != g || pc[t] == len(p.threads[t]) {
						continue
					}
					if p.threads[t][pc[t]].kind == 'b' {
						waits++
					} else {
						all = false
					}
				}
				if all && waits > 0 {
					for t := range p.threads {
						if p.groups[t] == g && pc[t] < len(p.threads[t]) {
							pc[t]++
						}
					}
					x.opened(g)
					again = true
				}
			}
		}
		var enabled set
		next := make([]place, len(p.threads))
		for t := range p.threads {
			if pc[t] < len(p.threads[t]) && p.threads[t][pc[t]].kind != 'b' {
				op := p.threads[t][pc[t]]
				enabled |= 1 << t
				next[t] = place{object: 1, from: int64(op.cell), size: 1, write: op.kind != 'r'}
			}
		}
		if enabled == 0 {
			return fmt.Sprint(cells, sum), endedWhole
		}
		t, why := x.choose(enabled, next)
		if t < 0 {
			return "", why
		}
		op, fresh := p.threads[t][pc[t]], 1+100*t+10*pc[t]
		switch op.kind {
		case 'r':
			last[t] = cells[op.cell]
			sum[t] = 3*sum[t] + last[t]
		case 'w', 'i':
			cells[op.cell] = fresh + sum[t]
		case 'a':
			last[t] = cells[op.cell]
			sum[t] = 3*sum[t] + last[t]
			cells[op.cell] += fresh
		}
		pc[t]++
	}
}

// all returns the outcomes of all interleavings, and how many were run to their end and cut.
func (p *threadsOf) all(brute bool, most int) (outcomes map[string]bool, whole, redundant int) {
	x := &interleavings{threads: len(p.threads), group: p.groups, brute: brute, most: 1000}
	outcomes = map[string]bool{}
	for more := true; more; more = x.again() {
		outcome, why := p.run(x)
		switch why {
		case endedWhole:
			outcomes[outcome] = true
			whole++
		case endedRedundant:
			redundant++
		}
		if whole > most {
			return nil, whole, redundant
		}
	}
	return outcomes, whole, redundant
}

// TestInterleavings compares the outcomes of random programs with those of all interleavings, one by one.
func TestInterleavings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	compared, fewer := 0, 0
	for n := 0; n < 500; n++ {
		p := &threadsOf{}
		threads, cells := 2+r.IntN(3), 1+r.IntN(3)
		for i := range threads {
			p.groups = append(p.groups, r.IntN(2))
			var ops []operation
			for range 1 + r.IntN(4-i/2) {
				ops = append(ops, operation{"rrwwaib"[r.IntN(7)], r.IntN(cells)})
			}
			p.threads = append(p.threads, ops)
		}
		want, brute, _ := p.all(true, 1500)
		if want == nil {
			continue
		}
		got, whole, redundant := p.all(false, 1<<30)
		if !maps.Equal(got, want) {
			t.Fatalf("%+v: %d outcomes, want %d\n%v\n%v", p, len(got), len(want), slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		if whole+redundant > brute {
			t.Errorf("%+v: %d interleavings and %d redundant ones, and there are %d in all", p, whole, redundant, brute)
		}
		compared++
		if whole < brute {
			fewer++
		}
	}
	if compared < 300 || fewer < compared/2 {
		t.Errorf("%d programs compared, %d with fewer interleavings", compared, fewer)
	}
}

// TestIndependent counts: threads that do not share have one interleaving, writers of one cell have all.
func TestIndependent(t *testing.T) {
	p := &threadsOf{groups: make([]int, 5)}
	for i := range 4 {
		p.threads = append(p.threads, []operation{{'w', i}, {'r', i}, {'a', i}})
	}
	p.threads = append(p.threads, []operation{})
	if got, whole, redundant := p.all(false, 100); len(got) != 1 || whole != 1 || redundant != 0 {
		t.Errorf("four threads of their own: %d outcomes of %d interleavings and %d redundant ones", len(got), whole, redundant)
	}
	p = &threadsOf{groups: make([]int, 4), threads: [][]operation{{{'w', 0}}, {{'w', 0}}, {{'w', 0}}, {{'w', 0}}}}
	if got, whole, _ := p.all(false, 100); len(got) != 4 || whole != 24 {
		t.Errorf("four writers: %d outcomes of %d interleavings, want 4 of 24", len(got), whole)
	}
	p = &threadsOf{groups: make([]int, 2), threads: [][]operation{{{'w', 0}, {'b', 0}, {'r', 1}}, {{'w', 1}, {'b', 0}, {'r', 0}}}}
	if got, whole, _ := p.all(false, 100); len(got) != 1 || whole != 1 {
		t.Errorf("a barrier in between: %d outcomes of %d interleavings", len(got), whole)
	}
}
