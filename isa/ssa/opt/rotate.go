package opt

import (
	"sort"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Rotate makes loops that test at their end of those that test at their beginning (loop inversion: Muchnick, Advanced
// Compiler Design and Implementation, chapter 18). A copy of the test stands ahead of the loop, so that the loop runs
// at least once when it is entered: what does not change in it may leave it, loads as well.
//
//	pre ─▶ head ─▶ body ─▶ head        pre, test ─▶ body ─▶ head ─▶ body
//	        └─▶ exit                        └─▶ exit         └─▶ exit
//
// The head stays where it is, behind the body now. Lanes meet where they have met: those that leave wait at the exit.
func Rotate(f *ssa.Func) {
	if f.Ordered || f.Once || len(f.Loops) == 0 || len(f.Loops) > maxInverted {
		return
	}
	f.LoopEntries(true)
	r := &rotator{f: f, at: make([]*rotation, f.NumBlocks), phis: map[mergedAt]*ssa.Value{}}
	any := false
	for _, l := range f.Loops {
		if t := invertible(f, l); t != nil {
			r.at[t.head.ID], any = t, true
		}
	}
	if !any {
		return
	}
	for _, l := range f.Loops {
		if t := r.at[l.Head.ID]; t != nil {
			t.turn(f)
			f.CFGChanged()
			f.Simplified = false
		}
	}
	r.uses()
	for n := 0; n < len(r.made); n++ {
		p := r.made[n]
		for i, q := range p.Block.Preds {
			p.Args[i] = r.value(p.Args[i], q)
		}
	}
	for _, p := range r.made {
		p.Block.Phis = append(p.Block.Phis, p)
	}
	CleanCFG(f)
}

// maxInverted bounds the loops of a kernel whose loops are inverted: tests ahead of loops that are nested leave one loop
// after the other, and may be as many as these are deep.
const maxInverted = 256

// maxHead bounds the instructions of a loop's head that are there twice when the loop is inverted.
const maxHead = 12

// rotation is a loop to be inverted.
type rotation struct {
	pre, head *ssa.Block
	copies    map[*ssa.Value]*ssa.Value // of the head's values, as they are ahead of the loop
}

// rotator has the loops that are being inverted, by the id of their head. A head's values reach the blocks behind it
// from two places then, so that these get phis.
type rotator struct {
	f    *ssa.Func
	at   []*rotation
	phis map[mergedAt]*ssa.Value
	made []*ssa.Value // the phis in the order in which they were made
}

// mergedAt is a value of a head where a block begins.
type mergedAt struct {
	v  *ssa.Value
	at *ssa.Block
}

// invertible returns the loop as a rotation, nil when it tests at its end or its head is not to be copied.
func invertible(f *ssa.Func, l *ssa.Loop) *rotation {
	h := l.Head
	t := &rotation{pre: f.Preheader(l), head: h}
	if t.pre == nil || h.Term != ssa.TermCond || h.Wait != nil || len(h.Insts) > maxHead || testsAtEnd(l) {
		return nil
	}
	if l.Contains(h.Succs[0]) == l.Contains(h.Succs[1]) {
		return nil // lanes do not leave here
	}
	for _, v := range h.Insts {
		if !ssa.Pure(v) && v.Op != isa.OpLoad || ssa.Convergent(v) {
			return nil
		}
	}
	return t
}

// testsAtEnd says whether lanes may leave the loop from the block ahead of the one that jumps back.
func testsAtEnd(l *ssa.Loop) bool {
	for _, p := range l.Head.Preds {
		if !l.Contains(p) {
			continue
		}
		if len(p.Insts) > 0 || len(p.Phis) > 0 || len(p.Preds) != 1 {
			return false
		}
		for _, s := range p.Preds[0].Succs {
			if !l.Contains(s) {
				return true
			}
		}
	}
	return false
}

// uses replaces the operands that are made by heads.
func (r *rotator) uses() {
	for _, b := range r.f.Blocks {
		for _, v := range b.Phis {
			for i, a := range v.Args {
				v.Args[i] = r.value(a, b.Preds[i])
			}
		}
		for _, v := range b.Insts {
			for i, a := range v.Args {
				v.Args[i] = r.value(a, b)
			}
		}
		if b.Cond != nil {
			b.Cond = r.value(b.Cond, b)
		}
	}
}

// turn copies the head to the end of the block ahead of the loop, and leads the ways of the copy and of the head to the
// body and to the exit.
func (t *rotation) turn(f *ssa.Func) {
	in := t.head.PredIndex(t.pre)
	t.copies = map[*ssa.Value]*ssa.Value{}
	for _, p := range t.head.Phis {
		t.copies[p] = p.Args[in]
	}
	for _, v := range t.head.Insts {
		n := f.CopyOf(v)
		for i, a := range n.Args {
			n.Args[i] = t.ahead(a)
		}
		n.Block = t.pre
		t.pre.Insts = append(t.pre.Insts, n)
		t.copies[v] = n
	}
	t.pre.Term, t.pre.Cond, t.pre.TermLoc = ssa.TermCond, t.ahead(t.head.Cond), t.head.TermLoc
	t.pre.Succs = append([]*ssa.Block(nil), t.head.Succs...)
	t.head.KeepPreds(func(p *ssa.Block) bool { return p != t.pre })
	for _, s := range t.head.Succs {
		at := s.PredIndex(t.head)
		s.Preds = append(s.Preds[:len(s.Preds):len(s.Preds)], t.pre)
		for _, phi := range s.Phis {
			phi.Args = append(phi.Args[:len(phi.Args):len(phi.Args)], t.ahead(phi.Args[at]))
		}
	}
}

// ahead returns what v is ahead of the loop.
func (t *rotation) ahead(v *ssa.Value) *ssa.Value {
	if n := t.copies[v]; n != nil {
		return n
	}
	return v
}

// value returns what stands for v at the end of block at: a phi, when v is made by a head, at the beginning of the block
// below the head in the dominator tree that is above at.
func (r *rotator) value(v *ssa.Value, at *ssa.Block) *ssa.Value {
	if v.Leaf() || v.Block == at || v.Block.ID >= len(r.at) || r.at[v.Block.ID] == nil {
		return v
	}
	t := r.at[v.Block.ID]
	below := t.head.Children
	i := sort.Search(len(below), func(i int) bool { return below[i].DomIn > at.DomIn })
	to := below[i-1]
	if p := r.phis[mergedAt{v, to}]; p != nil {
		return p
	}
	p := r.f.NewValue(ssa.OpPhi, v.Type, v.Elem)
	p.Block, p.Loc = to, v.Loc
	for _, q := range to.Preds {
		a := v
		if q == t.pre {
			a = t.copies[v]
		}
		p.Args = append(p.Args, a)
	}
	r.phis[mergedAt{v, to}] = p
	r.made = append(r.made, p)
	return p
}
