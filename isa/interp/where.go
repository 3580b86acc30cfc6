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
	b := w.MinWait
	if w.Choosy {
		b = lowest(w.waiting, 0, len(w.blocks))
	}
	if w.running {
		b = w.Cur
	}
	if b >= len(w.blocks) {
		return -1
	}
	return w.code.kernel.Blocks[b].Start
}
