package lower

import (
	"sort"

	"github.com/lockstep-gpu/lockstep/isa"
)

// rotate makes loops that test at their end of those that test at their beginning (loop inversion: Muchnick, Advanced
// Compiler Design and Implementation, chapter 18). A copy of the test stands ahead of the loop, so that the loop runs
// at least once when it is entered: what does not change in it may leave it, loads as well.
//
//	pre ─▶ head ─▶ body ─▶ head        pre, test ─▶ body ─▶ head ─▶ body
//	        └─▶ exit                        └─▶ exit         └─▶ exit
//
// The head stays where it is, behind the body now. Lanes meet where they have met: those that leave wait at the exit.
func rotate(f *fn) {
	if f.ordered || f.once || len(f.nest) == 0 || len(f.nest) > maxInverted {
		return
	}
	f.loopEntries(true)
	r := &rotator{f: f, at: make([]*rotation, f.nblks), phis: map[mergedAt]*value{}}
	any := false
	for _, l := range f.nest {
		if t := f.invertible(l); t != nil {
			r.at[t.head.id], any = t, true
		}
	}
	if !any {
		return
	}
	for _, l := range f.nest {
		if t := r.at[l.head.id]; t != nil {
			t.turn(f)
			f.cfgChanged()
			f.simple = false
		}
	}
	r.uses()
	for n := 0; n < len(r.made); n++ {
		p := r.made[n]
		for i, q := range p.blk.preds {
			p.args[i] = r.value(p.args[i], q)
		}
	}
	for _, p := range r.made {
		p.blk.phis = append(p.blk.phis, p)
	}
	f.cleanCFG()
}

// maxInverted bounds the loops of a kernel whose loops are inverted: tests ahead of loops that are nested leave one loop
// after the other, and may be as many as these are deep.
const maxInverted = 256

// maxHead bounds the instructions of a loop's head that are there twice when the loop is inverted.
const maxHead = 12

// rotation is a loop to be inverted.
type rotation struct {
	pre, head *block
	copies    map[*value]*value // of the head's values, as they are ahead of the loop
}

// rotator has the loops that are being inverted, by the id of their head. A head's values reach the blocks behind it
// from two places then, so that these get phis.
type rotator struct {
	f    *fn
	at   []*rotation
	phis map[mergedAt]*value
	made []*value // the phis in the order in which they were made
}

// mergedAt is a value of a head where a block begins.
type mergedAt struct {
	v  *value
	at *block
}

// invertible returns the loop as a rotation, nil when it tests at its end or its head is not to be copied.
func (f *fn) invertible(l *loop) *rotation {
	h := l.head
	t := &rotation{pre: f.preheader(l), head: h}
	if t.pre == nil || h.term != termCond || h.wait != nil || len(h.insts) > maxHead || l.testsAtEnd() {
		return nil
	}
	if l.contains(h.succs[0]) == l.contains(h.succs[1]) {
		return nil // lanes do not leave here
	}
	for _, v := range h.insts {
		if !pure(v) && v.op != isa.OpLoad || convergent(v) {
			return nil
		}
	}
	return t
}

// testsAtEnd says whether lanes may leave the loop from the block ahead of the one that jumps back.
func (l *loop) testsAtEnd() bool {
	for _, p := range l.head.preds {
		if !l.contains(p) {
			continue
		}
		if len(p.insts) > 0 || len(p.phis) > 0 || len(p.preds) != 1 {
			return false
		}
		for _, s := range p.preds[0].succs {
			if !l.contains(s) {
				return true
			}
		}
	}
	return false
}

// uses replaces the operands that are made by heads.
func (r *rotator) uses() {
	for _, b := range r.f.blocks {
		for _, v := range b.phis {
			for i, a := range v.args {
				v.args[i] = r.value(a, b.preds[i])
			}
		}
		for _, v := range b.insts {
			for i, a := range v.args {
				v.args[i] = r.value(a, b)
			}
		}
		if b.cond != nil {
			b.cond = r.value(b.cond, b)
		}
	}
}

// turn copies the head to the end of the block ahead of the loop, and leads the ways of the copy and of the head to the
// body and to the exit.
func (t *rotation) turn(f *fn) {
	in := t.head.predIndex(t.pre)
	t.copies = map[*value]*value{}
	for _, p := range t.head.phis {
		t.copies[p] = p.args[in]
	}
	for _, v := range t.head.insts {
		n := f.copyOf(v)
		for i, a := range n.args {
			n.args[i] = t.ahead(a)
		}
		// What the loop begins with is often a constant, and so is the first test then.
		if s := f.simplify(n); s != nil {
			t.copies[v] = s
			continue
		}
		n.blk = t.pre
		t.pre.insts = append(t.pre.insts, n)
		t.copies[v] = n
	}
	t.pre.term, t.pre.cond, t.pre.termLoc = termCond, t.ahead(t.head.cond), t.head.termLoc
	t.pre.succs = append([]*block(nil), t.head.succs...)
	t.head.keepPreds(func(p *block) bool { return p != t.pre })
	for _, s := range t.head.succs {
		at := s.predIndex(t.head)
		s.preds = append(s.preds[:len(s.preds):len(s.preds)], t.pre)
		for _, phi := range s.phis {
			phi.args = append(phi.args[:len(phi.args):len(phi.args)], t.ahead(phi.args[at]))
		}
	}
}

// ahead returns what v is ahead of the loop.
func (t *rotation) ahead(v *value) *value {
	if n := t.copies[v]; n != nil {
		return n
	}
	return v
}

// value returns what stands for v at the end of block at: a phi, when v is made by a head, at the beginning of the block
// below the head in the dominator tree that is above at.
func (r *rotator) value(v *value, at *block) *value {
	if v.leaf() || v.blk == at || v.blk.id >= len(r.at) || r.at[v.blk.id] == nil {
		return v
	}
	t := r.at[v.blk.id]
	below := t.head.dom
	i := sort.Search(len(below), func(i int) bool { return below[i].domIn > at.domIn })
	to := below[i-1]
	if p := r.phis[mergedAt{v, to}]; p != nil {
		return p
	}
	p := r.f.newValue(irPhi, v.typ, v.elem)
	p.blk, p.loc = to, v.loc
	for _, q := range to.preds {
		a := v
		if q == t.pre {
			a = t.copies[v]
		}
		p.args = append(p.args, a)
	}
	r.phis[mergedAt{v, to}] = p
	r.made = append(r.made, p)
	return p
}
