package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/memory"
)

// TestAtomics runs each atomic operation on LDS and on global memory, with and without a result, on indices
// of every kind: many lanes at one element, elements of their own, and some beyond the end.
func TestAtomics(t *testing.T) { each(t, testAtomics) }

func testAtomics(t *testing.T, e Engine) {
	for _, element := range []isa.Type{isa.I32, isa.I64, isa.F32, isa.F64} {
		for op := range isa.NumAtomicOps {
			if !atomicOn(op, element) {
				continue
			}
			for _, index := range indexTypes() {
				for shape := range 8 {
					t.Run(fmt.Sprint(element, op, index, shape), func(t *testing.T) {
						space, shape := isa.SpaceLocal, shape
						if shape >= 4 {
							space, shape = isa.SpaceGlobal, shape-4
						}
						scale := uint32(element.Bytes())
						p := newProgram()
						at := p.constant(uint64(memory.MakePointer(memory.SpaceLocal, 1, 0)))
						if space == isa.SpaceGlobal {
							at = isa.S(0)
						}
						x, v, old := p.load(1, index.Type()), p.load(2, element), p.load(3, element)
						runs := p.load(bufMask, isa.B1)
						p.emit(isa.Inst{Op: isa.OpStore, Type: element, Space: space, A: at, B: isa.V(lane), Idx: isa.Idx64, Scale: scale, C: old})
						p.branch(runs, 1, 2)
						in := isa.Inst{Op: isa.OpAtomic, Type: element, Imm2: uint8(op), Space: space, A: at, B: x, Idx: index, Scale: scale, Disp: int32(scale) * int32(shape/2-1)}
						if op != isa.AtomicLoad {
							in.C = v
							if shape&1 != 0 {
								in.C = p.constant(3)
							}
						}
						if op == isa.AtomicCmpXchg {
							in.D = old
						}
						if op != isa.AtomicStore && shape < 3 {
							in.Dst = p.load(bufOut, element)
							old = in.Dst
						}
						if !plan.Atomic(&in) || !e.takes(&in) {
							t.Error("no machine code")
						}
						p.emit(in)
						p.jump(2)
						got := p.vector(element)
						p.emit(isa.Inst{Op: isa.OpLoad, Type: element, Space: space, Dst: got, A: at, B: isa.V(lane), Idx: isa.Idx64, Scale: scale})
						p.emit(isa.Inst{Op: isa.OpMul, Type: isa.IntOf(element.Bits()), Dst: got, A: got, B: p.constant(5)})
						p.emit(isa.Inst{Op: isa.OpXor, Type: isa.IntOf(element.Bits()), Dst: got, A: got, B: old})
						p.store(got, element)
						p.emit(isa.Inst{Op: isa.OpRet})
						patterns(t, e, p.k, element, scale, in.Disp, int32(scale))
					})
				}
			}
		}
	}
}

// atomicOn says whether an operation is to be tested on a type: those that move bits are the same for floats
// as for integers.
func atomicOn(op isa.AtomicOp, t isa.Type) bool {
	switch op {
	case isa.AtomicXchg:
		return true
	case isa.AtomicFAdd, isa.AtomicFMin, isa.AtomicFMax:
		return t.IsFloat()
	}
	return t.IsInt()
}

// TestAtomicsAtOne runs atomic operations of all lanes on one element, some of them beyond the end or not
// aligned.
func TestAtomicsAtOne(t *testing.T) { each(t, testAtomicsAtOne) }

func testAtomicsAtOne(t *testing.T, e Engine) {
	for _, element := range []isa.Type{isa.I32, isa.I64, isa.F32, isa.F64} {
		for op := range isa.NumAtomicOps {
			if !atomicOn(op, element) {
				continue
			}
			for _, index := range []isa.IdxType{isa.IdxNone, isa.IdxS32, isa.IdxU32, isa.Idx64} {
				for shape := range 8 {
					t.Run(fmt.Sprint(element, op, index, shape), func(t *testing.T) { atomicAtOne(t, e, element, op, index, shape) })
				}
			}
		}
	}
}

func atomicAtOne(t *testing.T, e Engine, element isa.Type, op isa.AtomicOp, index isa.IdxType, shape int) {
	r := rand.New(rand.NewPCG(13, uint64(shape)))
	p := newProgram()
	space, at := isa.SpaceGlobal, isa.S(0)
	if shape&4 != 0 {
		space, at = isa.SpaceLocal, p.constant(uint64(memory.MakePointer(memory.SpaceLocal, 1, 0)))
	}
	x, v, old, scalar := p.parameter(0), p.load(2, element), p.load(3, element), p.parameter(0)
	runs := p.load(bufMask, isa.B1)
	p.branch(runs, 1, 2)
	in := isa.Inst{Op: isa.OpAtomic, Type: element, Imm2: uint8(op), Space: space, A: at, Disp: 8}
	if index != isa.IdxNone {
		in.B, in.Idx, in.Scale = x, index, uint32(element.Bytes())
	}
	if op != isa.AtomicLoad {
		if in.C = v; shape&1 != 0 {
			in.C = scalar
		}
	}
	if op == isa.AtomicCmpXchg {
		in.D = old
	}
	if op != isa.AtomicStore && shape&2 != 0 {
		in.Dst = p.load(bufOut, element)
		if in.C == v {
			in.Dst = v
		}
	}
	if !plan.Atomic(&in) || !e.takes(&in) {
		t.Error("no machine code")
	}
	for _, disp := range []int32{8, 8, 0, 2} { // the last is not aligned
		if in.Disp = disp; disp == 2 && shape&1 == 0 {
			break
		}
		p.emit(in)
	}
	p.jump(2)
	if in.Dst == isa.None {
		in.Dst = v
	}
	p.store(in.Dst, element)
	got := p.vector(element)
	p.emit(isa.Inst{Op: isa.OpLoad, Type: element, Space: space, Dst: got, A: at, B: isa.V(lane), Idx: isa.Idx64, Scale: uint32(element.Bytes())})
	p.emit(isa.Inst{Op: isa.OpXor, Type: isa.IntOf(element.Bits()), Dst: got, A: got, B: in.Dst})
	p.store(got, element)
	p.emit(isa.Inst{Op: isa.OpRet})
	last := uint64(8*lanes/element.Bytes() - 1 - 8/element.Bytes())
	for i, n := range []uint64{0, 3, last, last + 1, 1<<32 - 1} {
		if sampled(t, i) {
			check(t, e, p.k, r, map[int]uint64{x.Index(): n, scalar.Index(): r.Uint64() >> (64 - element.Bits())}, fmt.Sprint("index ", n), func(*[buffers][]uint64) {})
		}
	}
}
