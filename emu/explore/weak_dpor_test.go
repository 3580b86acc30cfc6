package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/weak"
)

// weakThreads is an abstract program over weak memory: each thread is a work-group.
type weakThreads [][]weakStep

// weakStep is a load 'r', a store 'w', an exchange 'x' or a fence 'f'. A load that is late may be performed at the end.
type weakStep struct {
	kind  byte
	cell  int
	order isa.MemoryOrder
	late  bool
}

// weakChoices are those of an enumeration.
type weakChoices struct{ *interleavings }

func (c weakChoices) Pick(what weak.What, n int) int { return c.pick(what, n) }
func (c weakChoices) Stamp() int                     { return c.depth }
func (c weakChoices) Ordered(steps []int) bool       { return c.ordered(steps) }

// run runs one execution and returns what is left; "" when it did not come to its end.
func (p weakThreads) run(x *interleavings) (outcome string, why ending) {
	x.begin()
	mem := make([]byte, 24)
	cell := func(n int) []byte { return mem[8*n : 8*n+8] }
	model := weak.New(weakChoices{x}, false)
	groups := make([]*weak.Group, len(p))
	pc, settled := make([]int, len(p)), make([]int, len(p))
	read := make([][]uint64, len(p))
	for i := range p {
		groups[i] = model.Worker(1)
		groups[i].Begin(uint64(i), 1)
		read[i] = make([]uint64, len(p[i]))
	}
	access := func(s weakStep) *weak.Access { return &weak.Access{Atomic: s.order != 0, Order: s.order} }
	asked := make([]int, len(p)) // the loads before it have been asked for whether they are late
	ask := func(i int) bool { asked[i] = pc[i] + 1; return true }
	due := func(i int) (int, bool) { // a late load that must be made before the next step
		if s := p[i][pc[i]]; s.kind != 'f' {
			n, _, ok := groups[i].Due(0, cell(s.cell))
			return n, ok
		}
		return 0, false
	}
	for {
		// What is no step: fences, but for those in sequentially consistent order, and putting off loads.
		var enabled set
		next := make([]place, len(p))
		for i, t := range p {
			for pc[i] < len(t) {
				s := t[pc[i]]
				if s.kind == 'f' && s.order&isa.OrderSeqCst == 0 {
					groups[i].Fence(0, s.order)
				} else if s.late && s.kind == 'r' && asked[i] <= pc[i] && ask(i) && groups[i].Defer(0, pc[i], access(s), memory.Pointer(s.cell), cell(s.cell)) {
				} else {
					break
				}
				pc[i]++
			}
			at := place{object: 1, size: 8}
			if pc[i] < len(t) {
				s := t[pc[i]]
				at.from, at.write, at.seqCst = int64(8*s.cell), s.kind == 'w' || s.kind == 'x', s.order&isa.OrderSeqCst != 0
				if s.kind == 'f' {
					at.size = 0
				}
				if _, ok := due(i); ok {
					at.write, at.seqCst = false, false
				}
			} else {
				for settled[i] < len(t) && !pending(groups[i], settled[i]) {
					if v, ok := groups[i].Settle(0, settled[i]); ok {
						read[i][settled[i]] = v
					}
					settled[i]++
				}
				if settled[i] == len(t) {
					continue
				}
				at.from = int64(8 * t[settled[i]].cell)
			}
			enabled |= 1 << i
			next[i] = at
		}
		if enabled == 0 {
			return fmt.Sprint(read, mem[0], mem[8], mem[16]), endedWhole
		}
		i, why := x.choose(enabled, next)
		if i < 0 {
			return "", why
		}
		g := groups[i]
		if pc[i] == len(p[i]) {
			read[i][settled[i]], _ = g.Settle(0, settled[i])
			settled[i]++
			continue
		}
		s := p[i][pc[i]]
		if n, ok := due(i); ok {
			g.Perform(0, n)
			continue
		}
		fresh := uint64(1 + 10*i + pc[i])
		switch s.kind {
		case 'r':
			read[i][pc[i]] = g.Load([]int{0}, access(s), cell(s.cell))
		case 'w':
			g.Store(0, access(s), cell(s.cell), fresh)
		case 'x':
			read[i][pc[i]] = g.Update(0, access(s), cell(s.cell), func(uint64) (uint64, bool) { return fresh, true })
		case 'f':
			g.Fence(0, s.order)
		}
		pc[i]++
	}
}

func pending(g *weak.Group, pc int) bool {
	_, _, ok := g.Pending(0, pc)
	return ok
}

// all returns the outcomes of all executions, and how many were run to their end; nil when they are more than most.
func (p weakThreads) all(brute bool, most int) (outcomes map[string]bool, whole, redundant int) {
	x := &interleavings{threads: len(p), brute: brute, most: 1000}
	for i := range p {
		x.group = append(x.group, i)
	}
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

// drawnWeak returns a random program.
func drawnWeak(r *rand.Rand) weakThreads {
	const known = isa.OrderKnown | isa.MemoryOrder(isa.ScopeDevice) | isa.OrderGlobal
	orders := []isa.MemoryOrder{known, known, known | isa.OrderAcquire, known | isa.OrderRelease, known | isa.OrderAcquire | isa.OrderRelease | isa.OrderSeqCst}
	threads, cells := 2+r.IntN(2), 1+r.IntN(2)
	p := make(weakThreads, threads)
	for range 4 + r.IntN(3) {
		i := r.IntN(threads)
		s := weakStep{kind: "rrrrwwwwxf"[r.IntN(10)], cell: r.IntN(cells), order: orders[r.IntN(len(orders))]}
		s.late = s.kind == 'r' && s.order == known && r.IntN(2) == 0
		if r.IntN(6) == 0 && s.kind != 'f' && s.kind != 'x' {
			s.order = 0
		}
		p[i] = append(p[i], s)
	}
	// What late loads must not be later than, lockstep's decoder makes a place where they are performed.
	for _, t := range p {
		for i := range t {
			t[i].late = t[i].late && !slices.ContainsFunc(t[i:], func(s weakStep) bool {
				return s.order&isa.OrderSeqCst != 0 || s.kind == 'f' && s.order&isa.OrderAcquire != 0
			})
		}
	}
	return p
}

// TestWeakInterleavings compares, for random programs over weak memory, the outcomes of the executions that are not
// equivalent with those of all executions, one by one.
func TestWeakInterleavings(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	compared, all, few := 0, 0, 0
	for range 100 {
		p := drawnWeak(r)
		want, brute, _ := p.all(true, 2000)
		if want == nil {
			continue
		}
		got, whole, redundant := p.all(false, 1<<30)
		if !maps.Equal(got, want) {
			t.Fatalf("%+v: %d outcomes, want %d\n%v\n%v", p, len(got), len(want), slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		compared++
		all += brute
		few += whole + redundant
	}
	t.Logf("%d programs, %d executions of %d", compared, few, all)
	if compared < 80 || few*2 > all {
		t.Errorf("%d programs compared, with %d executions of %d", compared, few, all)
	}
}
