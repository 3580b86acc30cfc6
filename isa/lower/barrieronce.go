package lower

import "github.com/lockstep-gpu/lockstep/isa"

// divergence lays the blocks out for emission, and finds the values that differ by lane.
func divergence(b *builder) {
	b.f.canonicalLoops()
	b.checkOnce()
	b.f.diverge()
}

// checkOnce refuses a kernel in which a value of the region behind a barrier
// with the schedule once is used outside: work-items for which the region does
// not run do not have it. The region are the blocks that are reached from the
// barrier without another barrier of the work-group in between.
func (b *builder) checkOnce() {
	f := b.f
	if !f.once {
		return
	}
	f.need(AnalysisOrder)
	size := 0
	for _, x := range f.blocks {
		size += 1 + len(x.phis) + len(x.insts)
	}
	steps := 0
	for _, from := range f.blocks {
		if from.term == termBarrier && from.sched == isa.ScheduleOnce {
			if steps += size; steps > maxLiveSteps {
				panic(&Error{Reason: errTooLarge.Error()})
			}
			b.checkRegion(from, &steps)
		}
	}
}

// groupBarrierEnd says whether a block ends in a barrier of the work-group.
func groupBarrierEnd(b *block) bool {
	return b.term == termBarrier && b.scope == isa.ScopeWorkgroup
}

func (b *builder) checkRegion(from *block, steps *int) {
	f := b.f
	n := len(f.blocks)
	inside := make([]bool, n) // by rpo
	work := []*block{from.succs[0]}
	inside[work[0].rpo] = true
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if groupBarrierEnd(x) {
			continue
		}
		for _, s := range x.succs {
			if !inside[s.rpo] {
				inside[s.rpo] = true
				work = append(work, s)
			}
		}
	}
	uses := map[*value][]*block{} // of values of the region: the blocks at whose end, or in which, they are used
	note := func(v *value, at *block) {
		if !v.leaf() && inside[v.blk.rpo] {
			uses[v] = append(uses[v], at)
		}
	}
	for _, x := range f.blocks {
		for _, v := range x.phis {
			for i, a := range v.args {
				note(a, x.preds[i])
			}
		}
		for _, v := range x.insts {
			for _, a := range v.args {
				note(a, x)
			}
		}
		if x.cond != nil {
			note(x.cond, x)
		}
	}
	stamp := make([]int, n)
	round := 0
	// Block by block, so that the first value that is refused is always the same.
	for _, x := range f.blocks {
		if !inside[x.rpo] {
			continue
		}
		for _, list := range [2][]*value{x.phis, x.insts} {
			for _, v := range list {
				round++
				if b.leaves(v, uses[v], inside, stamp, round, steps) {
					panic(&Error{Op: "OpControlBarrier", Word: b.word(from.termLoc),
						Reason: "what follows the barrier runs for one work-item only (mux-barrier-schedule=once), but a value of it, " + v.text() + ", is used outside"})
				}
			}
		}
	}
}

// word returns the word of the module that a place stands for.
func (b *builder) word(loc uint32) int { return int(b.k.Locs[loc].Word) }

// leaves says whether v lives across a barrier that ends its region.
func (b *builder) leaves(v *value, uses []*block, inside []bool, stamp []int, round int, steps *int) bool {
	var work []*block
	reach := func(x *block) {
		if x != v.blk && stamp[x.rpo] != round {
			stamp[x.rpo] = round
			work = append(work, x)
		}
	}
	for _, x := range uses {
		if !inside[x.rpo] {
			return true
		}
		reach(x)
	}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if *steps += len(x.preds); *steps > maxLiveSteps {
			panic(&Error{Reason: errTooLarge.Error()})
		}
		for _, p := range x.preds {
			if groupBarrierEnd(p) && inside[p.rpo] {
				return true
			}
			reach(p)
		}
	}
	return false
}
