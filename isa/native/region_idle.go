package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Without mask registers, an execution mask takes six instructions to make of its bits, and there is a register
// for one group only. A region therefore has those of its groups in memory, and changes them when lanes leave.

// idles returns where they are; nil if there are mask registers.
func (r *region) idles() map[int]amd64.Mem {
	if r.set.file(isa.BankMask) == fileMask {
		return nil
	}
	at := map[int]amd64.Mem{}
	for i, g := range r.groups {
		at[g] = field(wave.LoopIdle + 32*uintptr(i))
	}
	return at
}

// noteIdle puts them there for the lanes that are in the loop.
func (r *region) noteIdle() { r.noteIdleOf(r.groups) }

// noteIdleOf is noteIdle in the code of groups that were done together before.
func (r *region) noteIdleOf(groups []int) {
	if r.set.file(isa.BankMask) == fileMask {
		return
	}
	was, idleAt := r.across, r.idleAt
	for i, g := range groups {
		r.idleAt, r.across.group = nil, g
		r.set.enterFrom(r.compiler)
		r.V(amd64.VMOVDQU32, r.width(isa.I32), field(wave.LoopIdle+32*uintptr(i)), vecIdle)
	}
	r.across, r.idleAt = was, idleAt
}
