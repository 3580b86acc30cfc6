package interp

import (
	"hash/fnv"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// This file has the instructions that tell engine.Group.Accesses of accesses to memory.

// tellAccess emits what announces an instruction's accesses, in front of the instruction.
func (d *decoder) tellAccess(in inst) {
	switch s := in.src; {
	case s.Space == isa.SpacePrivate:
		return
	case s.Op == isa.OpMemCopy:
		in.fn = tellMemCopy
	case s.Op == isa.OpBlockLoad || s.Op == isa.OpBlockStore:
		in.fn = tellBlock
	case s.Op == isa.OpLoad, s.Op == isa.OpStore, s.Op == isa.OpAtomic:
		in.fn = tellPlain
	default:
		return
	}
	d.emit(in)
}

// tellReturned emits what tells of the results of atomic operations, behind the instruction.
func (d *decoder) tellReturned(in inst) {
	if s := in.src; s.Op == isa.OpAtomic && s.Dst != isa.None && s.Space != isa.SpacePrivate {
		in.fn = tellReturned
		d.emit(in)
	}
}

// tell announces an access of lane i of chunk k.
func (w *wave) tell(pc, k, i int, kind memory.Access, p memory.Pointer, n, value uint64) {
	switch p.Space() {
	case memory.SpaceGlobal:
	case memory.SpaceLocal:
		if a, locals := int(p.Alloc()), w.code.kernel.Local; a > 0 && a <= len(locals) && locals[a-1].PerItem {
			return // the machine's own, for operations of the work-group
		}
	default:
		return
	}
	if f := w.group.Accesses; f != nil {
		f(engine.Access{PC: pc, Item: w.first + k*64 + i, Kind: kind, Pointer: p, Bytes: n, Value: value})
	}
}

// contents returns what n bytes of memory hold: the bytes themselves where they are 8 at most, or else a digest; 0 where
// there is no such memory.
func (w *wave) contents(p memory.Pointer, n uint64) (value uint64) {
	r, from := w.region(p), p.Offset()
	if r == nil || from < 0 || uint64(from) > uint64(len(r.Data)) || n > uint64(len(r.Data))-uint64(from) {
		return 0
	}
	data := r.Data[from:][:n]
	if n > 8 {
		h := fnv.New64a()
		h.Write(data) //nolint:errcheck // it has none
		return h.Sum64()
	}
	for i, b := range data {
		value |= uint64(b) << (8 * i)
	}
	return value
}

// kindOf is what an instruction does to memory; an atomic load only reads.
func kindOf(s *isa.Inst) memory.Access {
	if s.Op == isa.OpAtomic && isa.AtomicOp(s.Imm2) == isa.AtomicLoad {
		return memory.AccessRead
	}
	return access(s)
}

// tellPlain announces a load, a store or an atomic operation.
func tellPlain(w *wave, in *inst) {
	s := in.src
	kind, n := kindOf(s), uint64(s.Type.Bytes())
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			_, p := w.address(s, k, i)
			w.tell(in.pc, k, i, kind, p, n, w.valueOf(s, kind, k, i, p, n))
		}
	}
}

// valueOf is what a lane stores, or finds in memory.
func (w *wave) valueOf(s *isa.Inst, kind memory.Access, k, i int, p memory.Pointer, n uint64) uint64 {
	if kind == memory.AccessRead {
		return w.contents(p, n)
	}
	if s.C == isa.None {
		return 0
	}
	v := w.reg(s.C, s.Type, k, i)
	if n < 8 {
		v &= 1<<(8*n) - 1
	}
	return v
}

// tellReturned tells what atomic operations have found in memory.
func tellReturned(w *wave, in *inst) {
	f, s := w.group.Accesses, in.src
	if f == nil || kindOf(s) == memory.AccessRead {
		return
	}
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			f(engine.Access{PC: in.pc, Item: w.first + k*64 + i, Kind: memory.AccessAtomic, Returned: true, Bytes: uint64(s.Type.Bytes()), Value: w.reg(s.Dst, s.Type, k, i)})
		}
	}
}

// tellMemCopy announces both sides of a copy.
func tellMemCopy(w *wave, in *inst) {
	s := in.src
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			from, n := memory.Pointer(w.reg(s.B, isa.I64, k, i)), w.reg(s.C, isa.I64, k, i)
			value := w.contents(from, n)
			w.tell(in.pc, k, i, memory.AccessRead, from, n, value)
			w.tell(in.pc, k, i, memory.AccessWrite, memory.Pointer(w.reg(s.A, isa.I64, k, i)), n, value)
		}
	}
}

// tellBlock announces the elements of a block access.
func tellBlock(w *wave, in *inst) {
	s, kind := in.src, memory.AccessRead
	if s.Op == isa.OpBlockStore {
		kind = memory.AccessWrite
	}
	w.eachBlockElement(s, func(k, i int, p memory.Pointer, n uint64) {
		w.tell(in.pc, k, i, kind, p, n, w.valueOf(s, kind, k, i, p, n))
	})
}
