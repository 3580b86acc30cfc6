package ssa

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Diverge puts the blocks into the order of emission, and finds the values that may differ between the lanes of a wave.
// It follows CanonicalLoops.
// All others are computed once, in scalar registers.
//
// A value differs when an operand does, when its instruction gives each lane
// its own (ids, atomics, private memory), when it is a phi at a place where
// lanes meet that went different ways, or when it was made in a loop that
// lanes leave in different trips and is used outside: inside it is the same
// for all lanes of a trip. For the last case the value gets a copy in a vector
// register where it is made. It relies on the order of blocks: what order()
// numbers lower runs first, so all lanes of a trip meet at the loop's latch.
func (f *Func) Diverge() {
	f.order()
	bad := f.irreducibleByOrder()
	f.overtaken(bad)
	d := f.findDivergence(bad)
	f.Steps += d.steps
	d.findLeft()
	d.copies()
	f.Valid = AnalysisLayout | AnalysisDivergence
	f.spans = nil // nobody asks for them any more
}

// findDivergence finds the values that differ, where all in the blocks of bad, by order, do.
func (f *Func) findDivergence(bad []bool) *divergent {
	d := &divergent{f: f, bad: bad, limit: divergeSteps(f)}
	for _, blk := range f.Blocks {
		for _, v := range blk.Phis {
			v.Varying = bad[blk.Order]
		}
		for _, v := range blk.Insts {
			v.Varying = bad[blk.Order] || f.LanesDiffer(v)
		}
	}
	d.prepare()
	for changed := true; changed; {
		changed = d.sweep()
		if d.steps > d.limit {
			d.giveUp()
			break
		}
	}
	return d
}

// divergeSteps bounds the work that finding divergence may be: so much that only graphs that no compiler makes need
// more. What takes more counts as divergent.
func divergeSteps(f *Func) int { return 1<<20 + 16*(len(f.Blocks)+f.NumValues) }

// sweep looks at all values once, and says whether it found any that differ, or loops that lanes leave in different
// trips.
func (d *divergent) sweep() bool {
	changed := d.findLeft()
	for _, blk := range d.f.Blocks {
		d.steps += 1 + len(blk.Phis) + len(blk.Insts)
		for _, v := range blk.Phis {
			changed = d.flow(v) || changed
		}
		for _, v := range blk.Insts {
			changed = d.flow(v) || changed
		}
		if blk.Cond != nil && !d.done[blk.Order] && (d.at(blk.Cond, blk) || d.bad[blk.Order]) {
			d.done[blk.Order] = true
			d.branch(blk)
			changed = true
		}
		if d.steps > d.limit {
			break
		}
	}
	return changed
}

// giveUp takes all values for divergent.
func (d *divergent) giveUp() {
	for _, b := range d.f.Blocks {
		d.bad[b.Order] = true
		for _, v := range b.Phis {
			v.Varying = true
		}
		for _, v := range b.Insts {
			v.Varying = true
		}
	}
	for _, l := range d.f.Loops {
		l.divExit = true
	}
}

// LanesDiffer says whether an instruction gives each lane a value of its own
// even for equal operands.
func (f *Func) LanesDiffer(v *Value) bool {
	switch v.Op {
	case isa.OpBuiltin:
		return isa.Builtin(v.Imm).PerLane()
	case isa.OpAtomic, isa.OpPrintf:
		return true
	case isa.OpPipe:
		return isa.PipeOp(v.Imm2) != isa.PipeMaxPackets
	case isa.OpLoad:
		// Lanes that go on one after the other see what the ones before have stored.
		return v.Space == isa.SpacePrivate || v.Space == isa.SpaceGeneric || f.Ordered
	case isa.OpImageRead:
		if f.Ordered {
			return true
		}
	}
	return Convergent(v) // a wave may hold several sub-groups
}

type divergent struct {
	f     *Func
	bad   []bool // irreducible or overtaken, by order
	done  []bool // branches dealt with, by order
	meet  *meeting
	exits map[*Loop][]edge // the edges that leave a loop
	left  []*Loop          // loops that lanes leave in different trips, whose exits have not been followed
	found int              // loops that have been known to be such when findLeft found the nearest ones

	// For joins.
	labels []int // by order
	stamp  []int
	round  int
	work   Heap[int]

	steps, limit int // work so far, and at most
}

// irreducibleByOrder is irreducible, indexed by the order of emission. A loop
// around such a region is part of it: its latch need not be the last of its
// blocks any more, so lanes of different trips mix.
func (f *Func) irreducibleByOrder() []bool {
	blocks := f.Blocks
	byRPO := append([]*Block(nil), blocks...)
	for _, b := range blocks {
		byRPO[b.RPO] = b
	}
	f.Blocks = byRPO
	r := f.irreducible()
	f.Blocks = blocks
	out := make([]bool, len(blocks))
	if !slices.Contains(r, true) {
		return out
	}
	around := make(map[*Loop]bool)
	for _, b := range blocks {
		if r[b.RPO] && b.Loop != nil {
			around[b.Loop] = true
		}
	}
	for _, l := range slices.Backward(f.Loops) { // outer loops first
		around[l] = around[l] || l.Parent != nil && around[l.Parent]
	}
	for _, b := range blocks {
		out[b.Order] = r[b.RPO] || b.Loop != nil && around[b.Loop]
	}
	return out
}

// overtaken marks, by order, the blocks that lanes may run while others wait at a
// pipe further up: engines let them overtake when nothing else goes on
// (engine.Wave.Overtake). From the first wait on, lanes need not come together
// any more, and what one of them computes must not change the registers of
// those that are behind.
func (f *Func) overtaken(bad []bool) {
	first := slices.IndexFunc(f.Blocks, func(b *Block) bool { return b.Wait != nil })
	if first < 0 {
		return
	}
	seen := make([]bool, len(f.Blocks))
	work := slices.Clone(f.Blocks[first:])
	for _, b := range work {
		seen[b.Order] = true
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		bad[b.Order] = true
		for _, s := range b.Succs {
			if !seen[s.Order] {
				seen[s.Order] = true
				work = append(work, s)
			}
		}
	}
}

// at says whether v differs between lanes where block use sees it.
func (d *divergent) at(v *Value, use *Block) bool {
	if v.Leaf() {
		return false
	}
	return v.Varying || temporal(v, use)
}

// temporal says whether lanes that use v in block use may have left the loop
// that makes v in different trips.
func temporal(v *Value, use *Block) bool {
	if v.Leaf() {
		return false
	}
	l := v.Block.Loop
	return l != nil && l.left != nil && !l.left.Contains(use)
}

// findLeft finds for each loop the nearest one around it that lanes are known to leave in different trips. It says
// whether there are more of those than the last time.
func (d *divergent) findLeft() bool {
	n := 0
	for _, l := range slices.Backward(d.f.Loops) { // outer loops first
		switch {
		case l.divExit:
			l.left = l
			n++
		case l.Parent != nil:
			l.left = l.Parent.left
		}
	}
	more := n > d.found
	d.found = n
	return more
}

// flow makes v divergent when an operand is.
func (d *divergent) flow(v *Value) bool {
	if v.Varying || v.Op == isa.OpReadFirst {
		return false
	}
	for i, a := range v.Args {
		if d.at(a, blockOf(v, i)) {
			v.Varying = true
			return true
		}
	}
	return false
}

// copies puts what leaves a loop with divergent exits into vector registers.
func (d *divergent) copies() {
	vec := map[*Value]*Value{}
	grow := map[*Block]bool{}
	use := func(a *Value, at *Block) *Value {
		if a.Leaf() || a.Varying || !temporal(a, at) {
			return a
		}
		c := vec[a]
		if c == nil {
			c = d.f.NewValue(isa.OpMov, a.Type, a.Type, a)
			c.Varying, c.Loc = true, a.Loc
			c.Block = a.Block
			vec[a] = c
			grow[a.Block] = true
		}
		return c
	}
	for _, b := range d.f.Blocks {
		for _, v := range b.Phis {
			for i, a := range v.Args {
				v.Args[i] = use(a, b.Preds[i])
			}
		}
		for _, v := range b.Insts {
			for i, a := range v.Args {
				v.Args[i] = use(a, b)
			}
		}
		if b.Cond != nil {
			b.Cond = use(b.Cond, b)
		}
	}
	// Each copy stands right behind what it copies.
	for _, b := range d.f.Blocks {
		if !grow[b] {
			continue
		}
		var insts []*Value
		for _, v := range b.Phis {
			if c := vec[v]; c != nil {
				insts = append(insts, c)
			}
		}
		for _, v := range b.Insts {
			insts = append(insts, v)
			if c := vec[v]; c != nil {
				insts = append(insts, c)
			}
		}
		b.Insts = insts
	}
}

// GuessDivergence marks what surely differs by lane, as far as operands tell.
// It decides between forms that are both right, so control flow may be ignored, and
// what has not been found after some rounds. Blocks are in reverse post-order: a walk leaves nothing to
// find but what phis choose on the way back of a loop.
func (f *Func) GuessDivergence() {
	for _, b := range f.Blocks {
		for _, v := range b.Phis {
			v.Varying = false
		}
	}
	// differs says whether an operand of a phi in b does, before the walk has reached it as well.
	differs := func(a *Value, b *Block) bool {
		if a.Block == nil || a.Op == OpPhi || a.Block.RPO < b.RPO {
			return a.Varying
		}
		return f.LanesDiffer(a)
	}
	for _, b := range f.Blocks {
		for _, v := range b.Phis {
			v.Varying = slices.ContainsFunc(v.Args, func(a *Value) bool { return differs(a, b) })
		}
		for _, v := range b.Insts {
			v.Varying = f.LanesDiffer(v) || anyDiffers(v.Args)
		}
	}
	open := func(b *Block) bool {
		return slices.ContainsFunc(b.Phis, func(v *Value) bool { return !v.Varying && anyDiffers(v.Args) })
	}
	const rounds = 16
	for round := 1; round < rounds && slices.ContainsFunc(f.Blocks, open); round++ {
		for _, b := range f.Blocks {
			for _, list := range [2][]*Value{b.Phis, b.Insts} {
				for _, v := range list {
					v.Varying = v.Varying || anyDiffers(v.Args)
				}
			}
		}
	}
}

// anyDiffers says whether one of the values differs by lane.
func anyDiffers(list []*Value) bool {
	for _, a := range list {
		if a.Varying {
			return true
		}
	}
	return false
}
