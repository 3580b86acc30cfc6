package scheduler

import "github.com/lockstep-gpu/lockstep/isa"

// MaySpin says whether a sub-group could wait in a loop of the kernel for
// something that another one does: whether a loop contains an atomic operation
// whose result is used, a volatile access, a fence, or a pipe operation that may
// fail; one that blocks does not, since it lets others of the wave go on, and those of a
// work-group are between barriers, at which all sub-groups meet. A loop around plain loads
// cannot be such a wait: it would be a data race, and compilers move the load
// out of it.
func MaySpin(k *isa.Kernel) bool {
	inLoop := make([]bool, len(k.Blocks))
	mark := func(from, to int) {
		for b := to; b >= 0 && b <= from && b < len(inLoop); b++ {
			inLoop[b] = true
		}
	}
	for b := range k.Blocks {
		k.Successors(b, func(to int) { mark(b, to) })
	}
	for b := range k.Blocks {
		if !inLoop[b] {
			continue
		}
		for pc := k.Blocks[b].Start; pc < k.Blocks[b].End; pc++ {
			in := &k.Code[pc]
			switch {
			case in.Op == isa.OpAtomic && in.Dst != isa.None, in.Op == isa.OpFence:
				return true
			case in.Op == isa.OpLoad && in.Flags&isa.FlagVolatile != 0:
				return true
			case in.Op == isa.OpPipe && pipeSpins(&k.PipeAccesses[in.Imm]):
				return true
			}
		}
	}
	return false
}

// pipeSpins says whether an operation in a loop may be a wait.
func pipeSpins(a *isa.PipeAccess) bool {
	switch a.Op {
	case isa.PipeRead, isa.PipeWrite, isa.PipeReserveRead, isa.PipeReserveWrite, isa.PipeNumPackets:
		return !a.Blocking && a.Scope != isa.ScopeWorkgroup
	}
	return false
}
