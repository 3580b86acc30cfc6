package lower

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// randomGraph makes a kernel of n blocks with random branches, some of them back. Each branch depends on an id, on a
// value that is the same for all lanes, or on a phi that chooses between constants. Blocks have such a phi where
// several edges lead.
func randomGraph(r *rand.Rand, n int) *fn {
	f := newFn(&isa.Kernel{})
	for range n {
		f.newBlock("")
	}
	blocks := slices.Clone(f.blocks)
	backs := r.Float64() * 0.3
	for i, b := range blocks {
		b.term = termRet
		ways := []int{1, 2, 2, 2, 3}[r.IntN(5)]
		for range ways {
			switch {
			case i > 0 && r.Float64() < backs:
				link(b, blocks[1+r.IntN(i)])
			case i+1 < n:
				link(b, blocks[i+1+r.IntN(min(n-i-1, 1+r.IntN(8)))])
			}
		}
		switch len(b.succs) {
		case 0:
		case 1:
			b.term = termBr
		case 2:
			b.term = termCond
		default:
			b.term, b.table = termSwitch, &switchTable{}
			for k := range b.succs[1:] {
				b.table.cases, b.table.to = append(b.table.cases, uint64(k)), append(b.table.to, k+1)
			}
		}
	}
	f.dropUnreachable()
	f.need(AnalysisOrder)
	for _, b := range f.blocks {
		same := f.newValue(isa.OpBuiltin, isa.I32, isa.I32)
		same.imm, same.blk = uint64(isa.BuiltinNumGroups), b
		own := f.newValue(isa.OpBuiltin, isa.I32, isa.I32)
		own.imm, own.blk = uint64(isa.BuiltinGlobalID), b
		b.insts = append(b.insts, same, own)
		var choice *value
		if len(b.preds) > 1 {
			choice = f.newValue(irPhi, isa.I32, isa.I32)
			choice.blk = b
			for i := range b.preds {
				choice.args = append(choice.args, f.constant(isa.I32, uint64(i)))
			}
			b.phis = append(b.phis, choice)
		}
		if len(b.succs) > 1 {
			switch k := r.IntN(4); {
			case k == 0:
				b.cond = own
			case k < 3 && choice != nil:
				b.cond = choice
			default:
				b.cond = same
			}
		}
	}
	return f
}

// plainJoins is the definition of where lanes meet that went different ways, without anything that makes it fast: from
// each branch that lanes take differently, and from all exits of each loop that they leave in different trips, labels
// go forward, and where two of them meet the phis differ.
type plainJoins struct {
	f   *fn
	bad []bool
	div map[*block]bool // its phis differ
	out map[*loop]bool  // lanes leave it in different trips
}

// around returns the loops that contain all of the first blocks and not the last.
func (p *plainJoins) around(in []*block, not *block) []*loop {
	return slices.DeleteFunc(slices.Clone(p.f.nest), func(l *loop) bool {
		return l.contains(not) || slices.ContainsFunc(in, func(b *block) bool { return !l.contains(b) })
	})
}

func (p *plainJoins) walk(out []edge) (changed bool) {
	if len(out) < 2 {
		return false
	}
	leave := func(list []*loop) {
		for _, l := range list {
			changed = changed || !p.out[l]
			p.out[l] = true
		}
	}
	label := map[*block]string{}
	var waiting []*block
	reach := func(b *block, l string) {
		switch old, ok := label[b]; {
		case !ok:
			label[b] = l
			waiting = append(waiting, b)
		case old != l:
			label[b] = fmt.Sprint("block ", b.order)
			changed = changed || !p.div[b]
			p.div[b] = true
		}
	}
	for i, e := range out {
		if e.to.order > e.from.order {
			reach(e.to, fmt.Sprint("edge ", i))
		}
	}
	for len(waiting) > 1 { // one block alone: all lanes have met there
		slices.SortFunc(waiting, func(a, b *block) int { return a.order - b.order })
		b := waiting[0]
		waiting = waiting[1:]
		for _, s := range b.succs {
			leave(p.around([]*block{b, out[0].from}, s))
			if s.order > b.order {
				reach(s, label[b])
			}
		}
	}
	return changed
}

// differs says whether a value differs by lane.
func (p *plainJoins) differs(v *value) bool {
	switch {
	case v.op == isa.OpBuiltin:
		return isa.Builtin(v.imm).PerLane()
	case v.op == irPhi:
		// One operand may be the phi of the loop's latch.
		return p.div[v.blk] || slices.ContainsFunc(v.args, func(a *value) bool { return a != v && p.differs(a) })
	}
	return false
}

func (p *plainJoins) run() {
	var out []edge
	for _, b := range p.f.blocks {
		if !p.bad[b.order] {
			continue
		}
		p.div[b] = true
		for _, l := range p.f.nest {
			if l.contains(b) {
				p.out[l] = true
			}
		}
		for _, s := range b.succs {
			if !p.bad[s.order] {
				out = append(out, edge{b, s})
			}
		}
	}
	p.walk(out)
	for changed := true; changed; {
		changed = false
		for _, b := range p.f.blocks {
			if b.cond == nil || !p.bad[b.order] && !p.differs(b.cond) {
				continue
			}
			var ways []edge
			for _, s := range b.succs {
				ways = append(ways, edge{b, s})
			}
			changed = p.walk(ways) || changed
			for _, s := range b.succs {
				for _, l := range p.around([]*block{b}, s) {
					changed = changed || !p.out[l]
					p.out[l] = true
				}
			}
		}
		for _, l := range p.f.nest {
			var exits []edge
			for _, b := range p.f.blocks {
				for _, s := range b.succs {
					if l.contains(b) && !l.contains(s) {
						exits = append(exits, edge{b, s})
					}
				}
			}
			if p.out[l] && !p.bad[l.head.order] {
				changed = p.walk(exits) || changed
			}
		}
	}
}

// TestJoins compares where lanes meet with the plain definition, on random graphs.
func TestJoins(t *testing.T) {
	graphs := 20000
	if testing.Short() {
		graphs = 3000
	}
	r := rand.New(rand.NewPCG(7, 11))
	phis, differ, loops, left, shortcuts := 0, 0, 0, 0, 0
	for i := range graphs {
		f := randomGraph(r, 2+r.IntN(30))
		f.canonicalLoops()
		f.order()
		bad := f.irreducibleByOrder()
		p := &plainJoins{f: f, bad: bad, div: map[*block]bool{}, out: map[*loop]bool{}}
		p.run()
		d := f.findDivergence(slices.Clone(bad))
		for _, b := range f.blocks {
			if d.meet.alone[b.order] && len(b.succs) > 1 {
				shortcuts++
			}
			if len(b.phis) == 0 {
				continue
			}
			phis++
			want := p.differs(b.phis[0])
			if want {
				differ++
			}
			if v := b.phis[0]; v.div != want {
				t.Fatalf("graph %d, block %d: its phi differs by lane: %v; by definition %v", i, b.order, v.div, want)
			}
		}
		for _, l := range f.nest {
			loops++
			if p.out[l] {
				left++
			}
			if l.divExit != p.out[l] {
				t.Fatalf("graph %d: lanes leave the loop of block %d in different trips: %v; by definition %v", i, l.head.order, l.divExit, p.out[l])
			}
		}
	}
	t.Logf("%d of %d blocks with phis differ, %d of %d loops are left in different trips, %d branches are passed over", differ, phis, left, loops, shortcuts)
	if differ < phis/10 || differ > phis*9/10 || left < loops/10 || left == loops || shortcuts < graphs {
		t.Error("the graphs are too much alike")
	}
}
