package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// watchAccess emits what stands before an access to memory where package dma
// has to know of it. Nobody but the lane itself reaches its private memory.
func (d *decoder) watchAccess(in inst) {
	switch s := in.src; {
	case s.Op == isa.OpMemCopy:
		in.fn = watchMemCopy
	case (s.Op == isa.OpBlockLoad || s.Op == isa.OpBlockStore) && s.Space != isa.SpacePrivate:
		in.fn = watchBlock
	case s.Op != isa.OpLoad && s.Op != isa.OpStore && s.Op != isa.OpAtomic, s.Space == isa.SpacePrivate:
		return
	default:
		in.fn = watchAccess
	}
	d.emit(in)
}

// advanceCopies lets bytes move up to the instruction. It says whether the accesses
// themselves are of interest.
func (w *wave) advanceCopies(pc int) (now uint64, check bool) {
	u := w.group.DMA
	if u == nil || !u.Active() {
		return 0, false
	}
	now = w.now(pc)
	u.Advance(now)
	return now, w.group.Launch.Check
}

// announce tells package dma of an access of lane i of chunk k.
func (w *wave) announce(now uint64, pc int, a memory.Access, k, i int, p memory.Pointer, n uint64) {
	if s := p.Space(); s == memory.SpaceGlobal || s == memory.SpaceLocal {
		w.group.DMA.Access(now, pc, a, w.first+k*64+i, p, n)
	}
}

// watchAccess announces a load, store or atomic operation.
func watchAccess(w *wave, in *inst) {
	now, check := w.advanceCopies(in.pc)
	if !check {
		return
	}
	s := in.src
	n, a := uint64(s.Type.Bytes()), access(s)
	if s.Op == isa.OpAtomic {
		if isa.AtomicOp(s.Imm2) == isa.AtomicLoad {
			a = memory.AccessRead
		}
		for k, m := range w.exec {
			for ; m != 0; m &= m - 1 {
				w.group.DMA.Sync(now, in.pc, w.first+k*64+bits.TrailingZeros64(m))
			}
		}
	}
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			_, p := w.address(s, k, i)
			w.announce(now, in.pc, a, k, i, p, n)
		}
	}
}

// watchMemCopy announces both sides of a copy.
func watchMemCopy(w *wave, in *inst) {
	now, check := w.advanceCopies(in.pc)
	if !check {
		return
	}
	s := in.src
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if n := w.reg(s.C, isa.I64, k, i); n != 0 {
				w.announce(now, in.pc, memory.AccessRead, k, i, memory.Pointer(w.reg(s.B, isa.I64, k, i)), n)
				w.announce(now, in.pc, memory.AccessWrite, k, i, memory.Pointer(w.reg(s.A, isa.I64, k, i)), n)
			}
		}
	}
}

// watchBlock announces the elements of a block access: those behind the address
// of the lowest lane of each sub-group.
func watchBlock(w *wave, in *inst) {
	now, check := w.advanceCopies(in.pc)
	if !check {
		return
	}
	a := memory.AccessRead
	if in.src.Op == isa.OpBlockStore {
		a = memory.AccessWrite
	}
	w.eachBlockElement(in.src, func(k, i int, p memory.Pointer, n uint64) { w.announce(now, in.pc, a, k, i, p, n) })
}

// eachBlockElement calls f for each element of a block access: the chunk and the lane that it belongs to, its
// address, and its size.
func (w *wave) eachBlockElement(s *isa.Inst, f func(k, i int, p memory.Pointer, n uint64)) {
	n, size := uint64(s.Type.Bytes()), w.subgroup()
	var base memory.Pointer
	of := -1 // the sub-group that base is of
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			lane := k*64 + i
			if lane/size != of {
				of = lane / size
				_, base = w.address(s, k, i)
			}
			element := int64(s.Imm)*int64(size) + int64(lane%size)
			f(k, i, base.Add(element*int64(n)), n)
		}
	}
}
