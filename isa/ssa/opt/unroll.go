package opt

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
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

// Unroll puts the trips of loops one after the other where the number of trips is known. In specialized kernels,
// where arguments tell how many trips there are, and speed counts more than short code, it takes all loops up to
// maxUnrolled instructions. In other kernels it takes those that stay below maxPlain, and those that open private
// variables to promotion (unrollprivate.go).
func Unroll(f *ssa.Func) {
	f.SingleLatches()
	f.SplitLastingEdges()
	f.Need(ssa.AnalysisLoops)
	var open []*opened
	if f.Known == nil {
		open = indexedVariables(f)
	}
	enough := func(u *unroller) bool { return u != nil && (f.Known != nil || u.trips*u.size <= maxPlain) }
	if len(openable(f, open, func(l *ssa.Loop) *unroller { return almostUnrollable(f, l) })) == 0 &&
		!slices.ContainsFunc(f.Loops, func(l *ssa.Loop) bool { return enough(almostUnrollable(f, l)) }) {
		return // loops get a way in only where it may be of use: it takes blocks all over the kernel
	}
	f.CanonicalLoops() // each has one way in, and one back
	heads := openable(f, open, func(l *ssa.Loop) *unroller { return unrollable(f, l) })
	done := map[*ssa.Block]bool{} // heads of loops that stay
	for range maxUnrollLoops {
		f.Need(ssa.AnalysisLoops)
		again := false
		for _, l := range f.Loops {
			if done[l.Head] {
				continue
			}
			done[l.Head] = true
			u := unrollable(f, l)
			if u != nil && heads[l.Head] || enough(u) {
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
	f      *ssa.Func
	l      *ssa.Loop
	blocks []*ssa.Block // in reverse post-order: the head first
	pre    *ssa.Block   // the way in
	latch  *ssa.Block
	from   *ssa.Block // the only block that leaves
	to     *ssa.Block // where it goes
	stay   *ssa.Block // where it goes else
	trips  int        // times that from is reached
	size   int        // instructions of a trip
}

// unrollable returns the loop made ready; nil for one that stays as it is.
func unrollable(f *ssa.Func, l *ssa.Loop) *unroller {
	if len(l.Inner) > 0 {
		return nil
	}
	return newUnroller(f, l, f.Preheader(l))
}

// almostUnrollable is unrollable before critical edges are split: it takes a loop that has one way in, which may lead
// elsewhere as well. It finds as many trips and no more instructions, so that what it refuses need not be tried again.
func almostUnrollable(f *ssa.Func, l *ssa.Loop) *unroller {
	if len(l.Inner) > 0 {
		return nil
	}
	var pre *ssa.Block
	for _, p := range l.Head.Preds {
		switch {
		case l.Contains(p):
		case pre != nil:
			return nil
		default:
			pre = p
		}
	}
	return newUnroller(f, l, pre)
}

// newUnroller is unrollable for a loop without inner ones, with the way in.
func newUnroller(f *ssa.Func, l *ssa.Loop, pre *ssa.Block) *unroller {
	u := &unroller{f: f, l: l, pre: pre}
	if u.pre == nil {
		return nil
	}
	for _, p := range l.Head.Preds {
		if l.Contains(p) {
			if u.latch != nil {
				return nil
			}
			u.latch = p
		}
	}
	u.blocks = slices.Clone(l.Own)
	for _, b := range u.blocks {
		u.size += len(b.Phis) + len(b.Insts) + 1
		for _, v := range b.Insts {
			if !repeatable(v) {
				return nil
			}
		}
		if b.Term == ssa.TermBarrier {
			return nil
		}
		for _, s := range b.Succs {
			switch {
			case !l.Contains(s) && u.from != nil:
				return nil
			case !l.Contains(s):
				u.from, u.to = b, s
			case s.RPO <= b.RPO && s != l.Head:
				return nil // irreducible
			}
		}
	}
	if u.from == nil || u.from.Term != ssa.TermCond || !u.from.Dominates(u.latch) {
		return nil
	}
	if u.latch != u.from && u.latch.Term != ssa.TermBr {
		return nil
	}
	u.stay = u.from.Succs[0]
	if u.stay == u.to {
		u.stay = u.from.Succs[1]
	}
	if !u.count(maxUnrolled / u.size) {
		return nil
	}
	return u
}

// repeatable says whether there may be several of an instruction: one that has
// an entry in a table of the kernel, or whose place matters, must stay alone.
func repeatable(v *ssa.Value) bool {
	switch v.Op.Info().Shape {
	case isa.ShapePrintf, isa.ShapeImage, isa.ShapePipe, isa.ShapeGroupCopy, isa.ShapeGroupWait, isa.ShapeLaneCopy, isa.ShapeAsync:
		return false
	}
	return !ssa.Convergent(v)
}

// count goes through the trips as far as they depend on constants. It says
// whether the loop ends by itself after at most so many.
func (u *unroller) count(most int) bool {
	env := u.first()
	for u.trips = 1; u.trips <= min(most, maxTrips); u.trips++ {
		e := evaluator{l: u.l, env: env, seen: map[*ssa.Value]bool{}}
		c, ok := e.value(u.from.Cond, 0)
		if !ok {
			return false
		}
		if u.from.Succs[1-c&1] == u.to {
			return true
		}
		env = u.next(&e)
	}
	return false
}

// tell says whether the values are known in each of the trips that count has found.
func (u *unroller) tell(values []*ssa.Value) bool {
	env := u.first()
	for range u.trips {
		e := evaluator{l: u.l, env: env, seen: map[*ssa.Value]bool{}}
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
func (u *unroller) first() map[*ssa.Value]uint64 {
	in := u.l.Head.PredIndex(u.pre)
	env := map[*ssa.Value]uint64{}
	for _, p := range u.l.Head.Phis {
		if a := p.Args[in]; a.IsConst() {
			env[p] = a.Imm
		}
	}
	return env
}

// next returns what is known of them in the trip after the one of e.
func (u *unroller) next(e *evaluator) map[*ssa.Value]uint64 {
	back := u.l.Head.PredIndex(u.latch)
	env := map[*ssa.Value]uint64{}
	for _, p := range u.l.Head.Phis {
		if x, ok := e.value(p.Args[back], 0); ok {
			env[p] = x
		}
	}
	return env
}

// evaluator computes values of one trip that depend on constants only.
type evaluator struct {
	l    *ssa.Loop
	env  map[*ssa.Value]uint64 // known so far, those of the head's phis from the start
	seen map[*ssa.Value]bool   // looked at: not known unless in env
}

func (e *evaluator) value(v *ssa.Value, depth int) (uint64, bool) {
	const deepest = 64
	if v.IsConst() {
		return v.Imm, true
	}
	if x, ok := e.env[v]; ok {
		return x, true
	}
	if v.Leaf() || v.Op == ssa.OpPhi || e.seen[v] || depth > deepest || len(v.Args) == 0 || len(v.Args) > 3 || v.Idx != isa.IdxNone ||
		!ssa.Pure(v) || v.Op == isa.OpPtrAdd {
		return 0, false
	}
	e.seen[v] = true
	var a [3]uint64
	for i, x := range v.Args {
		c, ok := e.value(x, depth+1)
		if !ok {
			return 0, false
		}
		a[i] = c
	}
	x, ok := fold(v.Op, v.Type, v.Elem, v.Flags, a[:len(v.Args)])
	if ok {
		e.env[v] = x
	}
	return x, ok
}

// run puts the trips in the place of the loop.
func (u *unroller) run() {
	f, head := u.f, u.l.Head
	f.CFGChanged()
	f.Simplified = false
	in, back := head.PredIndex(u.pre), head.PredIndex(u.latch)
	end := u.pre // what leads to the next trip
	values := map[*ssa.Value]*ssa.Value{}
	get := func(m map[*ssa.Value]*ssa.Value, v *ssa.Value) *ssa.Value {
		if n := m[v]; n != nil {
			return n
		}
		return v
	}
	var last *ssa.Block
	for trip := range u.trips {
		final := trip == u.trips-1
		now := map[*ssa.Value]*ssa.Value{}
		for _, p := range head.Phis {
			if trip == 0 {
				now[p] = p.Args[in]
			} else {
				now[p] = get(values, p.Args[back])
			}
		}
		blocks := map[*ssa.Block]*ssa.Block{}
		for _, b := range u.blocks {
			if final && b != u.from && u.from.Dominates(b) {
				continue // behind the way out
			}
			c := f.NewBlock(b.Name)
			c.Term, c.Table, c.Trap, c.TermLoc = b.Term, b.Table, b.Trap, b.TermLoc
			blocks[b] = c
		}
		for _, b := range u.blocks {
			c := blocks[b]
			if c == nil {
				continue
			}
			if b == head {
				c.Preds = []*ssa.Block{end}
			} else {
				for _, p := range b.Preds {
					c.Preds = append(c.Preds, blocks[p])
				}
				for _, v := range b.Phis {
					c.Phis = append(c.Phis, u.clone(v, c, now))
				}
			}
			for _, v := range b.Insts {
				c.Insts = append(c.Insts, u.clone(v, c, now))
			}
			switch {
			case b == u.from && final:
				ssa.SetBranch(c, u.to)
				last = c
			case b == u.from:
				// The way from the latch is led on when the next trip is there.
				ssa.SetBranch(c, blocks[u.stay])
			default:
				if b.Cond != nil {
					c.Cond = get(now, b.Cond)
				}
				for _, s := range b.Succs {
					c.Succs = append(c.Succs, blocks[s])
				}
			}
		}
		first := blocks[head]
		if trip == 0 {
			for i, s := range u.pre.Succs {
				if s == head {
					u.pre.Succs[i] = first
				}
			}
		} else {
			end.Succs = []*ssa.Block{first}
		}
		end = blocks[u.latch]
		values = now
	}
	u.to.Preds[u.to.PredIndex(u.from)] = last
	// What is used behind the loop is what the last trip has made. Blocks that the head does not dominate use it in phis
	// only, and those of the trips do not use it at all.
	gone := make([]bool, f.NumBlocks)
	for _, b := range u.blocks {
		gone[b.ID] = true
		for _, list := range [2][]*ssa.Value{b.Phis, b.Insts} {
			for _, v := range list {
				v.Repl = values[v]
			}
		}
	}
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ssa.Block) bool { return gone[b.ID] })
	for _, b := range f.Blocks {
		if !head.Dominates(b) {
			continue
		}
		for _, v := range b.Insts {
			for i, a := range v.Args {
				if a.Repl != nil {
					v.Args[i] = a.Root()
				}
			}
		}
		if b.Cond != nil {
			b.Cond = b.Cond.Root()
		}
	}
	f.ReplacePhis()
}

// clone makes a copy of a value in block c, with the operands of its trip.
func (u *unroller) clone(v *ssa.Value, c *ssa.Block, now map[*ssa.Value]*ssa.Value) *ssa.Value {
	n := u.f.CopyOf(v)
	for i, a := range n.Args {
		if x := now[a]; x != nil {
			n.Args[i] = x
		}
	}
	n.Block = c
	now[v] = n
	return n
}
