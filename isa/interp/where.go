package interp

import "github.com/lockstep-gpu/lockstep/isa/engine"

var _ engine.Locator = (*wave)(nil)

// BarrierPC returns the barrier at which all parked lanes wait, or -1.
func (w *wave) BarrierPC() int {
	if w.gathered != 0 {
		return w.blocks[w.code.barriers[w.gathered-1]].end.pc
	}
	pc := -1
	for n, b := range w.code.barriers {
		if w.nparked[n] == 0 {
			continue
		}
		if pc >= 0 {
			return -1
		}
		pc = w.blocks[b].end.pc
	}
	return pc
}

// PC returns where the lanes are that run next, or -1.
func (w *wave) PC() int {
	if b := w.nextBlock(); b < len(w.blocks) {
		return w.code.kernel.Blocks[b].Start
	}
	return -1
}

// Apart says whether lanes wait at other blocks than the one that the wave runs next.
func (w *wave) Apart() bool {
	next := w.nextBlock()
	for b := lowest(w.waiting, 0, len(w.blocks)); b < len(w.blocks); b = lowest(w.waiting, b+1, len(w.blocks)) {
		if b != next {
			return true
		}
	}
	return false
}

// nextBlock is the block that the wave runs next, or the number of blocks.
func (w *wave) nextBlock() int {
	b := w.MinWait
	if w.Choosy {
		b = lowest(w.waiting, 0, len(w.blocks))
	}
	if w.running {
		b = w.Cur
	}
	return b
}
