package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// tellStore emits what announces an instruction's stores to engine.Group.Stores, in front of the instruction.
func (d *decoder) tellStore(in inst) {
	switch s := in.src; {
	case s.Space == isa.SpacePrivate || s.Space == isa.SpaceLocal:
		return
	case s.Op == isa.OpMemCopy:
		in.fn = tellMemCopy
	case s.Op == isa.OpBlockStore:
		in.fn = tellBlock
	case s.Op == isa.OpStore, s.Op == isa.OpAtomic && isa.AtomicOp(s.Imm2) != isa.AtomicLoad:
		in.fn = tellStore
	default:
		return
	}
	d.emit(in)
}

// tell announces a store of lane i of chunk k.
func (w *wave) tell(pc, k, i int, p memory.Pointer, n uint64) {
	if w.group.Stores != nil && p.Space() == memory.SpaceGlobal {
		w.group.Stores(pc, w.first+k*64+i, p, n)
	}
}

// tellStore announces a store or an atomic operation.
func tellStore(w *wave, in *inst) {
	s := in.src
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			_, p := w.address(s, k, i)
			w.tell(in.pc, k, i, p, uint64(s.Type.Bytes()))
		}
	}
}

// tellMemCopy announces the destination of a copy.
func tellMemCopy(w *wave, in *inst) {
	s := in.src
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			w.tell(in.pc, k, i, memory.Pointer(w.reg(s.A, isa.I64, k, i)), w.reg(s.C, isa.I64, k, i))
		}
	}
}

// tellBlock announces the elements of a block store.
func tellBlock(w *wave, in *inst) {
	w.eachBlockElement(in.src, func(k, i int, p memory.Pointer, n uint64) { w.tell(in.pc, k, i, p, n) })
}
