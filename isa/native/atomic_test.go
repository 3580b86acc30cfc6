package native

import (
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/memory"
)

// TestAtomics runs each atomic operation on LDS, with and without a result, on indices of every kind: many lanes
// at one element, elements of their own, and some beyond the end.
func TestAtomics(t *testing.T) { each(t, testAtomics) }

func testAtomics(t *testing.T, e Engine) {
	for _, element := range []isa.Type{isa.I32, isa.I64} {
		for op := isa.AtomicLoad; op <= isa.AtomicXor; op++ {
			for _, index := range indexTypes() {
				for shape := range 4 {
					t.Run(fmt.Sprint(element, op, index, shape), func(t *testing.T) {
						scale := uint32(element.Bytes())
						p := newProgram()
						local := p.constant(uint64(memory.MakePointer(memory.SpaceLocal, 1, 0)))
						x, v, old := p.load(1, index.Type()), p.load(2, element), p.load(3, element)
						runs := p.load(bufMask, isa.B1)
						p.emit(isa.Inst{Op: isa.OpStore, Type: element, Space: isa.SpaceLocal, A: local, B: isa.V(lane), Idx: isa.Idx64, Scale: scale, C: old})
						p.branch(runs, 1, 2)
						in := isa.Inst{Op: isa.OpAtomic, Type: element, Imm2: uint8(op), Space: isa.SpaceLocal, A: local, B: x, Idx: index, Scale: scale, Disp: int32(scale) * int32(shape/2-1)}
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
						if e.features&amd64.AVX512 != 0 && (!interp.LocalAtomic(&in) || !(&accelerator{features: e.features}).Takes(&in)) {
							t.Error("no machine code")
						}
						p.emit(in)
						p.jump(2)
						got := p.vector(element)
						p.emit(isa.Inst{Op: isa.OpLoad, Type: element, Space: isa.SpaceLocal, Dst: got, A: local, B: isa.V(lane), Idx: isa.Idx64, Scale: scale})
						p.emit(isa.Inst{Op: isa.OpMul, Type: element, Dst: got, A: got, B: p.constant(5)})
						p.emit(isa.Inst{Op: isa.OpXor, Type: element, Dst: got, A: got, B: old})
						p.store(got, element)
						p.emit(isa.Inst{Op: isa.OpRet})
						patterns(t, e, p.k, element, scale, in.Disp, int32(scale))
					})
				}
			}
		}
	}
}
