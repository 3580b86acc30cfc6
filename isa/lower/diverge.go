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
	d := &divergent{f: f, bad: bad}
	for _, blk := range f.blocks {
		for _, v := range blk.phis {
			v.div = bad[blk.order]
		}
		for _, v := range blk.insts {
			v.div = bad[blk.order] || f.lanesDiffer(v)
		}
	}
	d.regions()
	for changed := true; changed; {
		changed = false
		for _, blk := range f.blocks {
			for _, v := range blk.phis {
				changed = d.flow(v) || changed
			}
			for _, v := range blk.insts {
				changed = d.flow(v) || changed
			}
			if blk.cond != nil && !d.done[blk.order] && (d.at(blk.cond, blk) || bad[blk.order]) {
				d.done[blk.order] = true
				d.branch(blk)
				changed = true
			}
		}
	}
	d.copies()
	f.valid = AnalysisLayout | AnalysisDivergence
}

// lanesDiffer says whether an instruction gives each lane a value of its own
// even for equal operands.
func (f *fn) lanesDiffer(v *value) bool {
	switch v.op {
	case isa.OpBuiltin:
		return isa.Builtin(v.imm).PerLane()
	case isa.OpAtomic, isa.OpPrintf:
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
	f      *fn
	bad    []bool // irreducible or overtaken, by order
	done   []bool // branches dealt with, by order
	labels []int  // scratch, by order
	stamp  []int
	round  int
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
	for _, b := range blocks {
		if !r[b.rpo] {
			continue
		}
		out[b.order] = true
		if b.loop != nil {
			for _, x := range b.loop.blocks {
				out[x.order] = true
			}
		}
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
	for l := v.blk.loop; l != nil && !l.contains(use); l = l.parent {
		if l.divExit {
			return true
		}
	}
	return false
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

// regions prepares the scratch space; irreducible regions count as loops that
// lanes leave at any time, so the places where their exits meet diverge.
func (d *divergent) regions() {
	n := len(d.f.blocks)
	d.done, d.labels, d.stamp = make([]bool, n), make([]int, n), make([]int, n)
	var exits []edge
	for _, b := range d.f.blocks {
		if !d.bad[b.order] {
			continue
		}
		for _, s := range b.succs {
			if !d.bad[s.order] {
				exits = append(exits, edge{b, s})
			}
		}
		for l := b.loop; l != nil; l = l.parent {
			l.divExit = true
		}
	}
	d.joins(exits)
}

type edge struct{ from, to *block }

// branch deals with a branch whose lanes go different ways.
func (d *divergent) branch(b *block) {
	var out []edge
	for _, s := range b.succs {
		out = append(out, edge{b, s})
	}
	d.joins(out)
	for l := b.loop; l != nil; l = l.parent {
		for _, s := range b.succs {
			if !l.contains(s) {
				d.leave(l)
				break
			}
		}
	}
}

// leave notes that lanes leave l in different trips: the places where its
// exits meet diverge.
func (d *divergent) leave(l *loop) {
	if l.divExit {
		return
	}
	l.divExit = true
	var exits []edge
	for _, x := range l.blocks {
		for _, s := range x.succs {
			if !l.contains(s) {
				exits = append(exits, edge{x, s})
			}
		}
	}
	d.joins(exits)
}

// joins follows lanes that took the given edges, forward, and makes the phis
// divergent where lanes of different edges meet first. A loop that some of
// them leave on the way, while others are still on theirs, is one that lanes
// leave in different trips, even if the branch that leads out goes one way for
// all who get there.
func (d *divergent) joins(out []edge) {
	if len(out) < 2 {
		return
	}
	d.round++
	n := len(d.f.blocks)
	pending := 0
	first := n
	origin := out[0].from
	var left []*loop
	next := 1
	reach := func(to *block, label int) {
		o := to.order
		if d.stamp[o] != d.round {
			d.stamp[o] = d.round
			d.labels[o] = label
			pending++
			first = min(first, o)
			return
		}
		if d.labels[o] != label {
			d.labels[o] = n + o // a place of its own from here on
			for _, phi := range to.phis {
				phi.div = true
			}
		}
	}
	for _, e := range out {
		if e.to.order > e.from.order {
			reach(e.to, next)
		}
		next++
	}
	for o := first; o < n && pending > 0; o++ {
		if d.stamp[o] != d.round {
			continue
		}
		pending--
		if pending == 0 {
			break // everything has met here
		}
		b := d.f.blocks[o]
		for _, s := range b.succs {
			for l := b.loop; l != nil && !l.contains(s); l = l.parent {
				if l.contains(origin) {
					left = append(left, l)
				}
			}
			if s.order > o {
				reach(s, d.labels[o])
			}
		}
	}
	for _, l := range left {
		d.leave(l)
	}
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
