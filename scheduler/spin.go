package scheduler

import "github.com/lockstep-gpu/lockstep/isa"

// MaySpin says whether a sub-group could wait in a loop of the kernel for
// something that another one does: whether a loop contains an atomic operation
// whose result is used, a volatile access, a fence, or a pipe operation that may
// fail; one that blocks does not, since it lets others of the wave go on, and those of a
// work-group are between barriers, at which all sub-groups meet. A loop around plain loads
// cannot be such a wait: it would be a data race, and compilers move the load
// out of it.
func MaySpin(k *isa.Kernel) bool { return len(spinLoops(k)) > 0 }

// SpinsAt says whether the instruction at pc is in such a loop.
func SpinsAt(k *isa.Kernel, pc int) bool {
	for _, l := range spinLoops(k) {
		if k.Blocks[l.first].Start <= pc && pc < k.Blocks[l.last].End {
			return true
		}
	}
	return false
}

// blockRange is the blocks from first to last, both included: a loop.
type blockRange struct{ first, last int }

// spinLoops returns the loops of a kernel in which a sub-group may wait for another one. The blocks of a loop are
// contiguous, and a branch back to the first one closes it.
func spinLoops(k *isa.Kernel) []blockRange {
	// spins[b] is the number of blocks before b that have what such a wait needs.
	spins := make([]int, len(k.Blocks)+1)
	for b := range k.Blocks {
		spins[b+1] = spins[b]
		if blockSpins(k, &k.Blocks[b]) {
			spins[b+1]++
		}
	}
	var list []blockRange
	for b := range k.Blocks {
		k.Successors(b, func(to int) {
			if to >= 0 && to <= b && spins[b+1] > spins[to] {
				list = append(list, blockRange{to, b})
			}
		})
	}
	return list
}

// blockSpins says whether a block has an instruction that a wait in a loop needs.
func blockSpins(k *isa.Kernel, b *isa.Block) bool {
	for pc := b.Start; pc < b.End; pc++ {
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
