package opt

import (
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Sink moves the step of a loop's variable, i + 1, behind the last use of i in its
// block, so that both may have one register: otherwise each trip ends with a move.
// Compilers like to test the old value behind the step.
//
// What else the step is made of must be there anyway, so that nothing lives longer
// by it.
func Sink(f *ssa.Func) {
	steps := map[*ssa.Value]*sunk{} // by the variable, and by its step
	for _, h := range f.Blocks {
		for i, p := range h.Preds {
			if !h.Dominates(p) {
				continue
			}
			for _, phi := range h.Phis {
				if x := phi.Args[i]; isStep(phi, x) && steps[phi] == nil && steps[x] == nil {
					s := &sunk{phi: phi, step: x, at: -1}
					steps[phi], steps[x] = s, s
				}
			}
		}
	}
	if len(steps) == 0 {
		return
	}
	for _, blk := range f.Blocks {
		sinkIn(blk, steps)
	}
}

// sunk is a step that may sink.
type sunk struct {
	phi, step *ssa.Value
	at        int  // place of the last use of phi in the step's block, behind the step
	used      bool // the step itself is used there
	stays     bool // and phi again there, or behind that
}

// isStep says whether x is made of phi and of what was there before the loop.
func isStep(phi, x *ssa.Value) bool {
	if x.Leaf() || x.Op == ssa.OpPhi || !x.Movable() {
		return false
	}
	found := false
	for _, a := range x.Args {
		switch {
		case a == phi:
			found = true
		case a.Leaf(), a.Block != phi.Block && a.Block.Dominates(phi.Block):
		default:
			return false
		}
	}
	return found
}

func sinkIn(b *ssa.Block, steps map[*ssa.Value]*sunk) {
	after := map[int][]*ssa.Value{} // what goes behind a place
	var found []*sunk
	for i, v := range b.Insts {
		for _, a := range v.Args {
			s := steps[a]
			switch {
			case s == nil || s.step.Block != b || s.step == v:
			case a == s.step:
				s.used = true
				s.stays = s.stays || s.at == i
			case s.used:
				s.stays = true
			default:
				s.at = i
			}
		}
		if s := steps[v]; s != nil && s.step == v {
			s.at = -1 // what stood ahead of it does not count
			found = append(found, s)
		}
	}
	for _, s := range found {
		if s.at >= 0 && !s.stays {
			after[s.at] = append(after[s.at], s.step)
		}
	}
	if len(after) == 0 {
		return
	}
	insts := make([]*ssa.Value, 0, len(b.Insts))
	for i, v := range b.Insts {
		if s := steps[v]; s == nil || s.step != v || s.at < 0 || s.stays {
			insts = append(insts, v)
		}
		insts = append(insts, after[i]...)
	}
	b.Insts = insts
}
