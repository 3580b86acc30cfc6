package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// TestRows runs stores to and loads from private memory at places that all lanes share, in their
// allocation, in two words, at its end and outside.
func TestRows(t *testing.T) { each(t, testRows) }

func testRows(t *testing.T, e Engine) {
	for _, element := range elements() {
		for _, index := range []isa.IdxType{isa.IdxNone, isa.IdxS32, isa.IdxU32, isa.Idx64} {
			t.Run(fmt.Sprint(element, index), func(t *testing.T) {
				r := rand.New(rand.NewPCG(6, 0))
				for n, disp := range []int32{0, 1, 2, -4, 56, 60, 61, 62, 63, 64} {
					p := newProgram()
					p.k.Private = append(p.k.Private, isa.Alloc{Name: "o", Size: 6, Align: 4}, isa.Alloc{Name: "p", Size: 64, Align: 4})
					memory := p.constant(isa.PointerBits(isa.SpacePrivate, 1))
					if n%3 == 1 { // a pointer that the engine does not know
						moved := p.constant(0)
						p.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: moved, A: memory, Space: isa.SpacePrivate, Disp: 4})
						memory, disp = moved, disp-4
					}
					x := p.parameter(0)
					old := p.load(2, element)
					runs := p.load(bufMask, isa.B1)
					p.branch(runs, 1, 2)
					got := p.vector(element)
					access := func(op isa.Op, disp int32) {
						in := isa.Inst{Op: op, Type: element, Space: isa.SpacePrivate, A: memory, Disp: disp}
						if index != isa.IdxNone {
							in.B, in.Idx, in.Scale = x, index, 3
						}
						if op == isa.OpLoad {
							in.Dst = got
						} else {
							in.C = old
						}
						if !plan.Row(&in) || !e.takes(&in) {
							t.Error("no machine code")
						}
						p.emit(in)
					}
					// A part of the element, which may be at places where all of it may not.
					part := isa.Inst{Op: isa.OpStore, Type: isa.I8, Space: isa.SpacePrivate, A: memory, Disp: disp, C: p.constant(7)}
					if index != isa.IdxNone {
						part.B, part.Idx, part.Scale = x, index, 3
					}
					p.emit(part)
					part.Op, part.C, part.Dst = isa.OpLoad, isa.None, p.vector(isa.I8)
					p.emit(part)
					// What has been stored last shows around where it went, and is zero elsewhere.
					access(isa.OpStore, disp)
					for _, d := range []int32{disp, disp &^ 3, 12} {
						access(isa.OpLoad, d)
						p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.IntOf(element.Bits()), Dst: old, A: old, B: old})
						p.emit(isa.Inst{Op: isa.OpXor, Type: isa.IntOf(element.Bits()), Dst: old, A: old, B: got})
						access(isa.OpStore, d)
					}
					// Elements of another size see parts of it.
					if index == isa.IdxNone {
						for _, other := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
							x, wide := p.vector(other), p.vector(isa.I64)
							in := isa.Inst{Op: isa.OpLoad, Type: other, Space: isa.SpacePrivate, A: memory, Disp: disp &^ 7, Dst: x}
							p.emit(in)
							p.emit(isa.Inst{Op: isa.OpNot, Type: other, Dst: x, A: x})
							in.Op, in.Dst, in.C = isa.OpStore, isa.None, x
							in.Disp += int32(other.Bytes()) & 7
							p.emit(in)
							if other != isa.I8 && n < 8 {
								continue
							}
							// An access that may come too late to leave everything as it was.
							p.emit(isa.Inst{Op: isa.OpZExt, Type: isa.I64, Type2: other, Dst: wide, A: x})
							p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I64, Space: isa.SpaceGlobal, A: isa.S(3), B: wide, Idx: isa.Idx64, Scale: 1, Dst: wide})
						}
					}
					access(isa.OpLoad, 8)
					p.emit(isa.Inst{Op: isa.OpXor, Type: isa.IntOf(element.Bits()), Dst: old, A: old, B: got})
					p.jump(2)
					p.store(old, element)
					p.emit(isa.Inst{Op: isa.OpRet})
					for i, at := range []uint64{0, 1, 20, 21, 1<<32 - 1} {
						if !sampled(t, i+int(disp)) {
							continue
						}
						check(t, e, p.k, r, map[int]uint64{x.Index(): at}, fmt.Sprint("displacement ", disp), func(*[buffers][]uint64) {})
					}
				}
			})
		}
	}
}

// TestRowsFresh runs two work-groups that read private memory before they write it: it is zero for the
// second, too.
func TestRowsFresh(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		p := newProgram()
		p.k.Private = append(p.k.Private, isa.Alloc{Name: "p", Size: 8, Align: 4})
		row := isa.Inst{Type: isa.I32, Space: isa.SpacePrivate, A: p.constant(isa.PointerBits(isa.SpacePrivate, 0)), Disp: 4}
		old, got := p.load(2, isa.I32), p.vector(isa.I32)
		load, store := row, row
		load.Op, load.Dst = isa.OpLoad, got
		store.Op, store.C = isa.OpStore, old
		p.emit(load)
		p.emit(store)
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: got, A: got, B: got})
		p.store(got, isa.I32)
		p.emit(isa.Inst{Op: isa.OpRet})
		data := contents(rand.New(rand.NewPCG(8, 0)))
		want, have := runTimes(t, compile(t, interp.Engine{}, p.k), p.k, data, nil, 32, 2), runTimes(t, compile(t, e, p.k), p.k, data, nil, 32, 2)
		if diff := want.diff(have); diff != "" {
			t.Fatalf("(-interp +native):\n%s", diff)
		}
	})
}
