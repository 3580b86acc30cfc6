package ssa

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
func randomGraph(r *rand.Rand, n int) *Func {
	f := NewFunc(&isa.Kernel{})
	for range n {
		f.NewBlock("")
	}
	blocks := slices.Clone(f.Blocks)
	backs := r.Float64() * 0.3
	for i, b := range blocks {
		b.Term = TermRet
		ways := []int{1, 2, 2, 2, 3}[r.IntN(5)]
		for range ways {
			switch {
			case i > 0 && r.Float64() < backs:
				Link(b, blocks[1+r.IntN(i)])
			case i+1 < n:
				Link(b, blocks[i+1+r.IntN(min(n-i-1, 1+r.IntN(8)))])
			}
		}
		switch len(b.Succs) {
		case 0:
		case 1:
			b.Term = TermBr
		case 2:
			b.Term = TermCond
		default:
			b.Term, b.Table = TermSwitch, &SwitchTable{}
			for k := range b.Succs[1:] {
				b.Table.Cases, b.Table.To = append(b.Table.Cases, uint64(k)), append(b.Table.To, k+1)
			}
		}
	}
	f.DropUnreachable()
	f.Need(AnalysisOrder)
	for _, b := range f.Blocks {
		same := f.NewValue(isa.OpBuiltin, isa.I32, isa.I32)
		same.Imm, same.Block = uint64(isa.BuiltinNumGroups), b
		own := f.NewValue(isa.OpBuiltin, isa.I32, isa.I32)
		own.Imm, own.Block = uint64(isa.BuiltinGlobalID), b
		b.Insts = append(b.Insts, same, own)
		var choice *Value
		if len(b.Preds) > 1 {
			choice = f.NewValue(OpPhi, isa.I32, isa.I32)
			choice.Block = b
			for i := range b.Preds {
				choice.Args = append(choice.Args, f.Constant(isa.I32, uint64(i)))
			}
			b.Phis = append(b.Phis, choice)
		}
		if len(b.Succs) > 1 {
			switch k := r.IntN(4); {
			case k == 0:
				b.Cond = own
			case k < 3 && choice != nil:
				b.Cond = choice
			default:
				b.Cond = same
			}
		}
	}
	return f
}

// plainJoins is the definition of where lanes meet that went different ways, without anything that makes it fast: from
// each branch that lanes take differently, and from all exits of each loop that they leave in different trips, labels
// go forward, and where two of them meet the phis differ.
type plainJoins struct {
	f   *Func
	bad []bool
	div map[*Block]bool // its phis differ
	out map[*Loop]bool  // lanes leave it in different trips
}

// around returns the loops that contain all of the first blocks and not the last.
func (p *plainJoins) around(in []*Block, not *Block) []*Loop {
	return slices.DeleteFunc(slices.Clone(p.f.Loops), func(l *Loop) bool {
		return l.Contains(not) || slices.ContainsFunc(in, func(b *Block) bool { return !l.Contains(b) })
	})
}

func (p *plainJoins) walk(out []edge) (changed bool) {
	if len(out) < 2 {
		return false
	}
	leave := func(list []*Loop) {
		for _, l := range list {
			changed = changed || !p.out[l]
			p.out[l] = true
		}
	}
	label := map[*Block]string{}
	var waiting []*Block
	reach := func(b *Block, l string) {
		switch old, ok := label[b]; {
		case !ok:
			label[b] = l
			waiting = append(waiting, b)
		case old != l:
			label[b] = fmt.Sprint("block ", b.Order)
			changed = changed || !p.div[b]
			p.div[b] = true
		}
	}
	for i, e := range out {
		if e.to.Order > e.from.Order {
			reach(e.to, fmt.Sprint("edge ", i))
		}
	}
	for len(waiting) > 1 { // one block alone: all lanes have met there
		slices.SortFunc(waiting, func(a, b *Block) int { return a.Order - b.Order })
		b := waiting[0]
		waiting = waiting[1:]
		for _, s := range b.Succs {
			leave(p.around([]*Block{b, out[0].from}, s))
			if s.Order > b.Order {
				reach(s, label[b])
			}
		}
	}
	return changed
}

// differs says whether a value differs by lane.
func (p *plainJoins) differs(v *Value) bool {
	switch {
	case v.Op == isa.OpBuiltin:
		return isa.Builtin(v.Imm).PerLane()
	case v.Op == OpPhi:
		// One operand may be the phi of the loop's latch.
		return p.div[v.Block] || slices.ContainsFunc(v.Args, func(a *Value) bool { return a != v && p.differs(a) })
	}
	return false
}

func (p *plainJoins) run() {
	var out []edge
	for _, b := range p.f.Blocks {
		if !p.bad[b.Order] {
			continue
		}
		p.div[b] = true
		for _, l := range p.f.Loops {
			if l.Contains(b) {
				p.out[l] = true
			}
		}
		for _, s := range b.Succs {
			if !p.bad[s.Order] {
				out = append(out, edge{b, s})
			}
		}
	}
	p.walk(out)
	for changed := true; changed; {
		changed = false
		for _, b := range p.f.Blocks {
			if b.Cond == nil || !p.bad[b.Order] && !p.differs(b.Cond) {
				continue
			}
			var ways []edge
			for _, s := range b.Succs {
				ways = append(ways, edge{b, s})
			}
			changed = p.walk(ways) || changed
			for _, s := range b.Succs {
				for _, l := range p.around([]*Block{b}, s) {
					changed = changed || !p.out[l]
					p.out[l] = true
				}
			}
		}
		for _, l := range p.f.Loops {
			var exits []edge
			for _, b := range p.f.Blocks {
				for _, s := range b.Succs {
					if l.Contains(b) && !l.Contains(s) {
						exits = append(exits, edge{b, s})
					}
				}
			}
			if p.out[l] && !p.bad[l.Head.Order] {
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
		f.CanonicalLoops()
		f.order()
		bad := f.irreducibleByOrder()
		p := &plainJoins{f: f, bad: bad, div: map[*Block]bool{}, out: map[*Loop]bool{}}
		p.run()
		d := f.findDivergence(slices.Clone(bad))
		for _, b := range f.Blocks {
			if d.meet.alone[b.Order] && len(b.Succs) > 1 {
				shortcuts++
			}
			if len(b.Phis) == 0 {
				continue
			}
			phis++
			want := p.differs(b.Phis[0])
			if want {
				differ++
			}
			if v := b.Phis[0]; v.Varying != want {
				t.Fatalf("graph %d, block %d: its phi differs by lane: %v; by definition %v", i, b.Order, v.Varying, want)
			}
		}
		for _, l := range f.Loops {
			loops++
			if p.out[l] {
				left++
			}
			if l.divExit != p.out[l] {
				t.Fatalf("graph %d: lanes leave the loop of block %d in different trips: %v; by definition %v", i, l.Head.Order, l.divExit, p.out[l])
			}
		}
	}
	t.Logf("%d of %d blocks with phis differ, %d of %d loops are left in different trips, %d branches are passed over", differ, phis, left, loops, shortcuts)
	if differ < phis/10 || differ > phis*9/10 || left < loops/10 || left == loops || shortcuts < graphs {
		t.Error("the graphs are too much alike")
	}
}
