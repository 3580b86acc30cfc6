package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Limits of unrolling: trips of a loop, instructions that a loop becomes, and
// loops of a kernel.
const (
	maxTrips       = 64
	maxUnrolled    = 1024
	maxUnrollLoops = 64

	// maxPlain is the instructions that a loop of an ordinary kernel may become. Compilers that unroll use numbers of
	// this size: LLVM unrolls up to 300 with -O3, of which what folds does not count.
	maxPlain = 320
)

// unroll puts the trips of loops one after the other where the number of trips is known. In specialized kernels,
// where arguments tell how many trips there are, and speed counts more than short code, it takes all loops up to
// maxUnrolled instructions. In other kernels it takes those that stay below maxPlain, and those that open private
// variables to promotion (unrollprivate.go).
func unroll(f *fn) {
	f.singleLatches()
	f.splitLastingEdges()
	f.need(AnalysisLoops)
	var open []*opened
	if f.known == nil {
		open = indexedVariables(f)
	}
	enough := func(u *unroller) bool { return u != nil && (f.known != nil || u.trips*u.size <= maxPlain) }
	if len(f.openable(open, func(l *loop) *unroller { return f.almostUnrollable(l) })) == 0 &&
		!slices.ContainsFunc(f.nest, func(l *loop) bool { return enough(f.almostUnrollable(l)) }) {
		return // loops get a way in only where it may be of use: it takes blocks all over the kernel
	}
	f.canonicalLoops() // each has one way in, and one back
	heads := f.openable(open, func(l *loop) *unroller { return f.unrollable(l) })
	done := map[*block]bool{} // heads of loops that stay
	for range maxUnrollLoops {
		f.need(AnalysisLoops)
		again := false
		for _, l := range f.nest {
			if done[l.head] {
				continue
			}
			done[l.head] = true
			u := f.unrollable(l)
			if u != nil && heads[l.head] || enough(u) {
				u.run()
				again = true
				break
			}
		}
		if !again {
			return
		}
	}
}

// unroller is a loop that can be unrolled.
type unroller struct {
	f      *fn
	l      *loop
	blocks []*block // in reverse post-order: the head first
	pre    *block   // the way in
	latch  *block
	from   *block // the only block that leaves
	to     *block // where it goes
	stay   *block // where it goes else
	trips  int    // times that from is reached
	size   int    // instructions of a trip
}

// unrollable returns the loop made ready; nil for one that stays as it is.
func (f *fn) unrollable(l *loop) *unroller {
	if len(l.inner) > 0 {
		return nil
	}
	return f.unroller(l, f.preheader(l))
}

// almostUnrollable is unrollable before critical edges are split: it takes a loop that has one way in, which may lead
// elsewhere as well. It finds as many trips and no more instructions, so that what it refuses need not be tried again.
func (f *fn) almostUnrollable(l *loop) *unroller {
	if len(l.inner) > 0 {
		return nil
	}
	var pre *block
	for _, p := range l.head.preds {
		switch {
		case l.contains(p):
		case pre != nil:
			return nil
		default:
			pre = p
		}
	}
	return f.unroller(l, pre)
}

// unroller is unrollable for a loop without inner ones, with the way in.
func (f *fn) unroller(l *loop, pre *block) *unroller {
	u := &unroller{f: f, l: l, pre: pre}
	if u.pre == nil {
		return nil
	}
	for _, p := range l.head.preds {
		if l.contains(p) {
			if u.latch != nil {
				return nil
			}
			u.latch = p
		}
	}
	u.blocks = slices.Clone(l.own)
	for _, b := range u.blocks {
		u.size += len(b.phis) + len(b.insts) + 1
		for _, v := range b.insts {
			if !repeatable(v) {
				return nil
			}
		}
		if b.term == termBarrier {
			return nil
		}
		for _, s := range b.succs {
			switch {
			case !l.contains(s) && u.from != nil:
				return nil
			case !l.contains(s):
				u.from, u.to = b, s
			case s.rpo <= b.rpo && s != l.head:
				return nil // irreducible
			}
		}
	}
	if u.from == nil || u.from.term != termCond || !u.from.dominates(u.latch) {
		return nil
	}
	if u.latch != u.from && u.latch.term != termBr {
		return nil
	}
	u.stay = u.from.succs[0]
	if u.stay == u.to {
		u.stay = u.from.succs[1]
	}
	if !u.count(maxUnrolled / u.size) {
		return nil
	}
	return u
}

// repeatable says whether there may be several of an instruction: one that has
// an entry in a table of the kernel, or whose place matters, must stay alone.
func repeatable(v *value) bool {
	switch v.op.Info().Shape {
	case isa.ShapePrintf, isa.ShapeImage, isa.ShapePipe, isa.ShapeGroupCopy, isa.ShapeGroupWait, isa.ShapeLaneCopy, isa.ShapeAsync:
		return false
	}
	return !convergent(v)
}

// count goes through the trips as far as they depend on constants. It says
// whether the loop ends by itself after at most so many.
func (u *unroller) count(most int) bool {
	env := u.first()
	for u.trips = 1; u.trips <= min(most, maxTrips); u.trips++ {
		e := evaluator{l: u.l, env: env, seen: map[*value]bool{}}
		c, ok := e.value(u.from.cond, 0)
		if !ok {
			return false
		}
		if u.from.succs[1-c&1] == u.to {
			return true
		}
		env = u.next(&e)
	}
	return false
}

// tell says whether the values are known in each of the trips that count has found.
func (u *unroller) tell(values []*value) bool {
	env := u.first()
	for range u.trips {
		e := evaluator{l: u.l, env: env, seen: map[*value]bool{}}
		for _, v := range values {
			if _, ok := e.value(v, 0); !ok {
				return false
			}
		}
		env = u.next(&e)
	}
	return true
}

// first returns what is known of the head's phis in the first trip.
func (u *unroller) first() map[*value]uint64 {
	in := u.l.head.predIndex(u.pre)
	env := map[*value]uint64{}
	for _, p := range u.l.head.phis {
		if a := p.args[in]; a.isConst() {
			env[p] = a.imm
		}
	}
	return env
}

// next returns what is known of them in the trip after the one of e.
func (u *unroller) next(e *evaluator) map[*value]uint64 {
	back := u.l.head.predIndex(u.latch)
	env := map[*value]uint64{}
	for _, p := range u.l.head.phis {
		if x, ok := e.value(p.args[back], 0); ok {
			env[p] = x
		}
	}
	return env
}

// evaluator computes values of one trip that depend on constants only.
type evaluator struct {
	l    *loop
	env  map[*value]uint64 // known so far, those of the head's phis from the start
	seen map[*value]bool   // looked at: not known unless in env
}

func (e *evaluator) value(v *value, depth int) (uint64, bool) {
	const deepest = 64
	if v.isConst() {
		return v.imm, true
	}
	if x, ok := e.env[v]; ok {
		return x, true
	}
	if v.leaf() || v.op == irPhi || e.seen[v] || depth > deepest || len(v.args) == 0 || len(v.args) > 3 || v.idx != isa.IdxNone ||
		!pure(v) || v.op == isa.OpPtrAdd {
		return 0, false
	}
	e.seen[v] = true
	var a [3]uint64
	for i, x := range v.args {
		c, ok := e.value(x, depth+1)
		if !ok {
			return 0, false
		}
		a[i] = c
	}
	x, ok := fold(v.op, v.typ, v.elem, v.flags, a[:len(v.args)])
	if ok {
		e.env[v] = x
	}
	return x, ok
}

// run puts the trips in the place of the loop.
func (u *unroller) run() {
	f, head := u.f, u.l.head
	f.cfgChanged()
	f.simple = false
	in, back := head.predIndex(u.pre), head.predIndex(u.latch)
	end := u.pre // what leads to the next trip
	values := map[*value]*value{}
	get := func(m map[*value]*value, v *value) *value {
		if n := m[v]; n != nil {
			return n
		}
		return v
	}
	var last *block
	for trip := range u.trips {
		final := trip == u.trips-1
		now := map[*value]*value{}
		for _, p := range head.phis {
			if trip == 0 {
				now[p] = p.args[in]
			} else {
				now[p] = get(values, p.args[back])
			}
		}
		blocks := map[*block]*block{}
		for _, b := range u.blocks {
			if final && b != u.from && u.from.dominates(b) {
				continue // behind the way out
			}
			c := f.newBlock(b.name)
			c.term, c.table, c.trap, c.termLoc = b.term, b.table, b.trap, b.termLoc
			blocks[b] = c
		}
		for _, b := range u.blocks {
			c := blocks[b]
			if c == nil {
				continue
			}
			if b == head {
				c.preds = []*block{end}
			} else {
				for _, p := range b.preds {
					c.preds = append(c.preds, blocks[p])
				}
				for _, v := range b.phis {
					c.phis = append(c.phis, u.clone(v, c, now))
				}
			}
			for _, v := range b.insts {
				c.insts = append(c.insts, u.clone(v, c, now))
			}
			switch {
			case b == u.from && final:
				setBr(c, u.to)
				last = c
			case b == u.from:
				// The way from the latch is led on when the next trip is there.
				setBr(c, blocks[u.stay])
			default:
				if b.cond != nil {
					c.cond = get(now, b.cond)
				}
				for _, s := range b.succs {
					c.succs = append(c.succs, blocks[s])
				}
			}
		}
		first := blocks[head]
		if trip == 0 {
			for i, s := range u.pre.succs {
				if s == head {
					u.pre.succs[i] = first
				}
			}
		} else {
			end.succs = []*block{first}
		}
		end = blocks[u.latch]
		values = now
	}
	u.to.preds[u.to.predIndex(u.from)] = last
	// What is used behind the loop is what the last trip has made. Blocks that the head does not dominate use it in phis
	// only, and those of the trips do not use it at all.
	gone := make([]bool, f.nblks)
	for _, b := range u.blocks {
		gone[b.id] = true
		for _, list := range [2][]*value{b.phis, b.insts} {
			for _, v := range list {
				v.repl = values[v]
			}
		}
	}
	f.blocks = slices.DeleteFunc(f.blocks, func(b *block) bool { return gone[b.id] })
	for _, b := range f.blocks {
		if !head.dominates(b) {
			continue
		}
		for _, v := range b.insts {
			for i, a := range v.args {
				if a.repl != nil {
					v.args[i] = a.root()
				}
			}
		}
		if b.cond != nil {
			b.cond = b.cond.root()
		}
	}
	f.replacePhis()
}

// clone makes a copy of a value in block c, with the operands of its trip.
func (u *unroller) clone(v *value, c *block, now map[*value]*value) *value {
	n := u.f.copyOf(v)
	for i, a := range n.args {
		if x := now[a]; x != nil {
			n.args[i] = x
		}
	}
	n.blk = c
	now[v] = n
	return n
}
