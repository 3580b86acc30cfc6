package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/emit"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// divergence lays the blocks out for emission, and finds the values that differ by lane.
func divergence(b *build.Builder) {
	b.Func.CanonicalLoops()
	checkOnce(b)
	b.Func.Diverge()
}

// checkOnce refuses a kernel in which a value of the region behind a barrier
// with the schedule once is used outside: work-items for which the region does
// not run do not have it. The region are the blocks that are reached from the
// barrier without another barrier of the work-group in between.
func checkOnce(b *build.Builder) {
	f := b.Func
	if !f.Once {
		return
	}
	f.Need(ssa.AnalysisOrder)
	size := 0
	for _, x := range f.Blocks {
		size += 1 + len(x.Phis) + len(x.Insts)
	}
	steps := 0
	for _, from := range f.Blocks {
		if from.Term == ssa.TermBarrier && from.Schedule == isa.ScheduleOnce {
			if steps += size; steps > emit.MaxLiveSteps {
				panic(&Error{Reason: emit.ErrTooLarge.Error()})
			}
			checkRegion(b, from, &steps)
		}
	}
}

// groupBarrierEnd says whether a block ends in a barrier of the work-group.
func groupBarrierEnd(b *ssa.Block) bool {
	return b.Term == ssa.TermBarrier && b.Scope == isa.ScopeWorkgroup
}

func checkRegion(b *build.Builder, from *ssa.Block, steps *int) {
	f := b.Func
	n := len(f.Blocks)
	inside := make([]bool, n) // by rpo
	work := []*ssa.Block{from.Succs[0]}
	inside[work[0].RPO] = true
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if groupBarrierEnd(x) {
			continue
		}
		for _, s := range x.Succs {
			if !inside[s.RPO] {
				inside[s.RPO] = true
				work = append(work, s)
			}
		}
	}
	uses := map[*ssa.Value][]*ssa.Block{} // of values of the region: the blocks at whose end, or in which, they are used
	note := func(v *ssa.Value, at *ssa.Block) {
		if !v.Leaf() && inside[v.Block.RPO] {
			uses[v] = append(uses[v], at)
		}
	}
	for _, x := range f.Blocks {
		for _, v := range x.Phis {
			for i, a := range v.Args {
				note(a, x.Preds[i])
			}
		}
		for _, v := range x.Insts {
			for _, a := range v.Args {
				note(a, x)
			}
		}
		if x.Cond != nil {
			note(x.Cond, x)
		}
	}
	stamp := make([]int, n)
	round := 0
	// Block by block, so that the first value that is refused is always the same.
	for _, x := range f.Blocks {
		if !inside[x.RPO] {
			continue
		}
		for _, list := range [2][]*ssa.Value{x.Phis, x.Insts} {
			for _, v := range list {
				round++
				if leaves(b, v, uses[v], inside, stamp, round, steps) {
					panic(&Error{Op: "OpControlBarrier", Word: word(b, from.TermLoc),
						Reason: "what follows the barrier runs for one work-item only (mux-barrier-schedule=once), but a value of it, " + v.LongString() + ", is used outside"})
				}
			}
		}
	}
}

// word returns the word of the module that a place stands for.
func word(b *build.Builder, loc uint32) int { return int(b.Kernel.Locs[loc].Word) }

// leaves says whether v lives across a barrier that ends its region.
func leaves(b *build.Builder, v *ssa.Value, uses []*ssa.Block, inside []bool, stamp []int, round int, steps *int) bool {
	var work []*ssa.Block
	reach := func(x *ssa.Block) {
		if x != v.Block && stamp[x.RPO] != round {
			stamp[x.RPO] = round
			work = append(work, x)
		}
	}
	for _, x := range uses {
		if !inside[x.RPO] {
			return true
		}
		reach(x)
	}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if *steps += len(x.Preds); *steps > emit.MaxLiveSteps {
			panic(&Error{Reason: emit.ErrTooLarge.Error()})
		}
		for _, p := range x.Preds {
			if groupBarrierEnd(p) && inside[p.RPO] {
				return true
			}
			reach(p)
		}
	}
	return false
}
