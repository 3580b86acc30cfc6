package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// divergence finds the values that may differ between the lanes of a wave.
// All others are computed once, in scalar registers.
//
// A value differs when an operand does, when its instruction gives each lane
// its own (ids, atomics, private memory), when it is a phi at a place where
// lanes meet that went different ways, or when it was made in a loop that
// lanes leave in different trips and is used outside: inside it is the same
// for all lanes of a trip. For the last case the value gets a copy in a vector
// register where it is made. It relies on the order of blocks: what order()
// numbers lower runs first, so all lanes of a trip meet at the loop's latch.
func divergence(b *builder) {
	f := b.f
	f.canonicalLoops()
	b.checkOnce()
	f.order()
	bad := f.irreducibleByOrder()
	f.overtaken(bad)
	d := f.findDivergence(bad)
	f.steps += d.steps
	d.findLeft()
	d.copies()
	f.valid = AnalysisLayout | AnalysisDivergence
	f.spans = nil // nobody asks for them any more
}

// findDivergence finds the values that differ, where all in the blocks of bad, by order, do.
func (f *fn) findDivergence(bad []bool) *divergent {
	d := &divergent{f: f, bad: bad, limit: divergeSteps(f)}
	for _, blk := range f.blocks {
		for _, v := range blk.phis {
			v.div = bad[blk.order]
		}
		for _, v := range blk.insts {
			v.div = bad[blk.order] || f.lanesDiffer(v)
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
func divergeSteps(f *fn) int { return 1<<20 + 16*(len(f.blocks)+f.nvals) }

// sweep looks at all values once, and says whether it found any that differ, or loops that lanes leave in different
// trips.
func (d *divergent) sweep() bool {
	changed := d.findLeft()
	for _, blk := range d.f.blocks {
		d.steps += 1 + len(blk.phis) + len(blk.insts)
		for _, v := range blk.phis {
			changed = d.flow(v) || changed
		}
		for _, v := range blk.insts {
			changed = d.flow(v) || changed
		}
		if blk.cond != nil && !d.done[blk.order] && (d.at(blk.cond, blk) || d.bad[blk.order]) {
			d.done[blk.order] = true
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
	for _, b := range d.f.blocks {
		d.bad[b.order] = true
		for _, v := range b.phis {
			v.div = true
		}
		for _, v := range b.insts {
			v.div = true
		}
	}
	for _, l := range d.f.nest {
		l.divExit = true
	}
}

// lanesDiffer says whether an instruction gives each lane a value of its own
// even for equal operands.
func (f *fn) lanesDiffer(v *value) bool {
	switch v.op {
	case isa.OpBuiltin:
		return isa.Builtin(v.imm).PerLane()
	case isa.OpAtomic, isa.OpPrintf, isa.OpClock: // the clock, because parts of a wave may come here at different times
		return true
	case isa.OpPipe:
		return isa.PipeOp(v.imm2) != isa.PipeMaxPackets
	case isa.OpLoad:
		// Lanes that go on one after the other see what the ones before have stored.
		return v.space == isa.SpacePrivate || v.space == isa.SpaceGeneric || f.ordered
	case isa.OpImageRead:
		if f.ordered {
			return true
		}
	}
	return convergent(v) // a wave may hold several sub-groups
}

type divergent struct {
	f     *fn
	bad   []bool // irreducible or overtaken, by order
	done  []bool // branches dealt with, by order
	meet  *meeting
	exits map[*loop][]edge // the edges that leave a loop
	left  []*loop          // loops that lanes leave in different trips, whose exits have not been followed
	found int              // loops that have been known to be such when findLeft found the nearest ones

	// For joins.
	labels []int // by order
	stamp  []int
	round  int
	work   heapOf[int]

	steps, limit int // work so far, and at most
}

// irreducibleByOrder is irreducible, indexed by the order of emission. A loop
// around such a region is part of it: its latch need not be the last of its
// blocks any more, so lanes of different trips mix.
func (f *fn) irreducibleByOrder() []bool {
	blocks := f.blocks
	byRPO := append([]*block(nil), blocks...)
	for _, b := range blocks {
		byRPO[b.rpo] = b
	}
	f.blocks = byRPO
	r := f.irreducible()
	f.blocks = blocks
	out := make([]bool, len(blocks))
	if !slices.Contains(r, true) {
		return out
	}
	around := make(map[*loop]bool)
	for _, b := range blocks {
		if r[b.rpo] && b.loop != nil {
			around[b.loop] = true
		}
	}
	for _, l := range slices.Backward(f.nest) { // outer loops first
		around[l] = around[l] || l.parent != nil && around[l.parent]
	}
	for _, b := range blocks {
		out[b.order] = r[b.rpo] || b.loop != nil && around[b.loop]
	}
	return out
}

// overtaken marks, by order, the blocks that lanes may run while others wait at a
// pipe further up: engines let them overtake when nothing else goes on
// (engine.Wave.Overtake). From the first wait on, lanes need not come together
// any more, and what one of them computes must not change the registers of
// those that are behind.
func (f *fn) overtaken(bad []bool) {
	first := slices.IndexFunc(f.blocks, func(b *block) bool { return b.wait != nil })
	if first < 0 {
		return
	}
	seen := make([]bool, len(f.blocks))
	work := slices.Clone(f.blocks[first:])
	for _, b := range work {
		seen[b.order] = true
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		bad[b.order] = true
		for _, s := range b.succs {
			if !seen[s.order] {
				seen[s.order] = true
				work = append(work, s)
			}
		}
	}
}

// at says whether v differs between lanes where block use sees it.
func (d *divergent) at(v *value, use *block) bool {
	if v.leaf() {
		return false
	}
	return v.div || temporal(v, use)
}

// temporal says whether lanes that use v in block use may have left the loop
// that makes v in different trips.
func temporal(v *value, use *block) bool {
	if v.leaf() {
		return false
	}
	l := v.blk.loop
	return l != nil && l.left != nil && !l.left.contains(use)
}

// findLeft finds for each loop the nearest one around it that lanes are known to leave in different trips. It says
// whether there are more of those than the last time.
func (d *divergent) findLeft() bool {
	n := 0
	for _, l := range slices.Backward(d.f.nest) { // outer loops first
		switch {
		case l.divExit:
			l.left = l
			n++
		case l.parent != nil:
			l.left = l.parent.left
		}
	}
	more := n > d.found
	d.found = n
	return more
}

// flow makes v divergent when an operand is.
func (d *divergent) flow(v *value) bool {
	if v.div {
		return false
	}
	for i, a := range v.args {
		if d.at(a, blockOf(v, i)) {
			v.div = true
			return true
		}
	}
	return false
}

// copies puts what leaves a loop with divergent exits into vector registers.
func (d *divergent) copies() {
	vec := map[*value]*value{}
	grow := map[*block]bool{}
	use := func(a *value, at *block) *value {
		if a.leaf() || a.div || !temporal(a, at) {
			return a
		}
		c := vec[a]
		if c == nil {
			c = d.f.newValue(isa.OpMov, a.typ, a.typ, a)
			c.div, c.loc = true, a.loc
			c.blk = a.blk
			vec[a] = c
			grow[a.blk] = true
		}
		return c
	}
	for _, b := range d.f.blocks {
		for _, v := range b.phis {
			for i, a := range v.args {
				v.args[i] = use(a, b.preds[i])
			}
		}
		for _, v := range b.insts {
			for i, a := range v.args {
				v.args[i] = use(a, b)
			}
		}
		if b.cond != nil {
			b.cond = use(b.cond, b)
		}
	}
	// Each copy stands right behind what it copies.
	for _, b := range d.f.blocks {
		if !grow[b] {
			continue
		}
		var insts []*value
		for _, v := range b.phis {
			if c := vec[v]; c != nil {
				insts = append(insts, c)
			}
		}
		for _, v := range b.insts {
			insts = append(insts, v)
			if c := vec[v]; c != nil {
				insts = append(insts, c)
			}
		}
		b.insts = insts
	}
}
