package interp

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

var _ engine.Stater = (*wave)(nil)

// State calls f with all that decides what the wave does next, but for memory that others share. It returns false where
// something else decides, too: packets, copies, machine code, lanes that are held back.
func (w *wave) State(f func(words []uint64)) bool {
	if w.pipes != nil || w.async != nil || w.native != nil || w.back.active || w.back.n > 0 {
		return false
	}
	flags := uint64(0)
	if w.running {
		flags |= 1
	}
	if w.Choosy {
		flags |= 2
	}
	f([]uint64{flags, uint64(w.Cur), uint64(w.MinWait), uint64(w.gathered), uint64(w.allParked), uint64(w.subParked), uint64(w.Alive)})
	for _, list := range [...][]uint64{w.live, w.exec, w.wait, w.parked, w.s} {
		f(list)
	}
	f(unsafe.Slice((*uint64)(w.base), len(w.exec)*int(w.stride/8)))
	if w.code.privStride != 0 {
		f(w.privArena)
	}
	return true
}
