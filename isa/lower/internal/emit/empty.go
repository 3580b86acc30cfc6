package emit

import (
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// skipEmpty leads branches around blocks that do nothing but go on: those on
// edges that were to have a place for the moves into phis, and need none. The
// lanes that would run such a block wait for others in the block behind it, where
// they wait in any case, since the lowest block runs first.
//
// The latch of a loop stays, as its one way back, and so does what follows a
// barrier or a wait for a pipe, or leads to one: engines rely on these.
func (e *emitter) skipEmpty() {
	blocks := e.f.Blocks
	e.to, e.at = make([]*ssa.Block, len(blocks)), make([]int, len(blocks))
	// Backwards, so that what follows is known to stay or not.
	for i := len(blocks) - 1; i >= 0; i-- {
		b := blocks[i]
		e.to[i] = b
		if i > 0 && e.empty(b) {
			e.to[i] = e.to[b.Succs[0].Order]
		}
	}
	// A branch must have two ways to go.
	for _, b := range blocks {
		if b.Term != ssa.TermCond {
			continue
		}
		s, t := b.Succs[0].Order, b.Succs[1].Order
		switch {
		case e.to[s] != e.to[t]:
		case e.to[s] != blocks[s]:
			e.to[s] = blocks[s]
		default:
			e.to[t] = blocks[t]
		}
	}
	n := 0
	for i, b := range blocks {
		e.at[i] = n
		if e.to[i] == b {
			n++
		}
	}
}

// empty says whether b only goes on to a block further down.
func (e *emitter) empty(b *ssa.Block) bool {
	if b.Term != ssa.TermBr || len(b.Insts) > 0 || b.Succs[0].Order <= b.Order || b.Succs[0].Wait != nil || len(e.moves(b)) > 0 {
		return false
	}
	for _, p := range b.Preds {
		if p.Term == ssa.TermBarrier || p.Wait != nil {
			return false
		}
	}
	return true
}
