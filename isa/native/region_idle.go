package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Without mask registers, an execution mask takes six instructions to make of its bits, and there is a register
// for one group only. A region therefore has those of its groups in memory, and changes them when lanes leave.

// idles returns where they are; nil if there are mask registers.
func (r *region) idles() map[int]amd64.Mem {
	if r.ISA.File(isa.BankMask) == x86.FileMask {
		return nil
	}
	at := map[int]amd64.Mem{}
	for i, g := range r.groups {
		at[g] = x86.Field(wave.LoopIdle + 32*uintptr(i))
	}
	return at
}

// noteIdle puts them there for the lanes that are in the loop.
func (r *region) noteIdle() { r.noteIdleOf(r.groups) }

// noteIdleOf is noteIdle in the code of groups that were done together before.
func (r *region) noteIdleOf(groups []int) {
	if r.ISA.File(isa.BankMask) == x86.FileMask {
		return
	}
	was, idleAt := r.Across, r.IdleAt
	for i, g := range groups {
		r.IdleAt, r.Across.Group = nil, g
		r.ISA.EnterFrom(r.Compiler)
		r.V(amd64.VMOVDQU32, r.Width(isa.I32), x86.Field(wave.LoopIdle+32*uintptr(i)), x86.VecIdle)
	}
	r.Across, r.IdleAt = was, idleAt
}
