package native

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// planOf returns the plan of a kernel of which machine code has been made.
func planOf(t *testing.T, e Engine, k *isa.Kernel) *plan.Plan {
	t.Helper()
	base, err := interp.Prepare(&isa.Program{Kernels: []*isa.Kernel{k}}, k)
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.compile(base, k, false)
	if err != nil {
		t.Fatal(err)
	}
	return c.plan
}

// hyperblocks returns those of a kernel that the engine makes, by their first blocks.
func hyperblocks(t *testing.T, e Engine, k *isa.Kernel) map[int]*plan.Hyper {
	t.Helper()
	list := map[int]*plan.Hyper{}
	for i, b := range planOf(t, e, k).Blocks {
		if h := b.Hyper; h != nil && canHyper(h) {
			list[i] = h
		}
	}
	return list
}

// parting returns a kernel whose lanes part and store, together or each part on its own, where buffer 1 says,
// in a buffer that they have loaded from.
func parting(t *testing.T, e Engine, element isa.Type, index isa.IdxType, together bool) *isa.Kernel {
	p := newProgram()
	scale, bits := uint32(element.Bytes()), isa.IntOf(element.Bits())
	access := func(op isa.Op, buffer int, x, v isa.Reg) {
		in := isa.Inst{Op: op, Type: element, Space: isa.SpaceGlobal, A: isa.S(buffer), B: x, Idx: index, Scale: scale}
		if op == isa.OpLoad {
			in.Dst = v
		} else {
			in.C = v
		}
		taken(t, e, &in)
		p.emit(in)
	}
	x, v := p.load(1, index.Type()), p.load(2, element)
	runs := p.load(bufMask, isa.B1)
	got, further := p.vector(element), p.vector(index.Type())
	p.branch(runs, 1, 2)

	access(isa.OpLoad, 0, x, got)
	p.emit(isa.Inst{Op: isa.OpAdd, Type: index.Type(), Dst: further, A: x, B: p.parameter(3)})
	access(isa.OpLoad, 3, further, v)
	p.emit(isa.Inst{Op: isa.OpXor, Type: bits, Dst: v, A: got, B: v})
	if !together {
		access(isa.OpStore, 0, x, v)
		access(isa.OpStore, 0, further, got)
	}
	p.jump(3)

	p.emit(isa.Inst{Op: isa.OpNot, Type: bits, Dst: v, A: v})
	if !together {
		access(isa.OpStore, 0, x, v)
	}
	p.jump(3)

	if together {
		access(isa.OpStore, 0, x, v)
	}
	p.store(v, element)
	p.emit(isa.Inst{Op: isa.OpRet})
	return p.k
}

// TestHyper runs blocks that part and meet again, with indices of every pattern: in range or not, in lanes
// that take part or others, the same in several lanes, so that it shows which store is the last and that
// loads come before it.
func TestHyper(t *testing.T) { each(t, testHyper) }

func testHyper(t *testing.T, e Engine) {
	for _, element := range []isa.Type{isa.I32, isa.F32, isa.I64} {
		for _, index := range indexTypes() {
			for _, together := range []bool{true, false} {
				t.Run(fmt.Sprint(element, index.Type(), index, together), func(t *testing.T) {
					k := parting(t, e, element, index, together)
					h := hyperblocks(t, e, k)[0]
					if parts := x86.SetOf(e.features).File(isa.BankMask) == x86.FileMask; parts && (h == nil || h.Last != 3) {
						t.Errorf("hyperblock %+v, want one of all blocks", h)
					}
					patterns(t, e, k, element, uint32(element.Bytes()), 0, int32(element.Bytes()))
				})
			}
		}
	}
}

// TestHyperHalves runs hyperblocks that compute with 64 bits: ids, which are small, and numbers from before,
// which need not be.
func TestHyperHalves(t *testing.T) { each(t, testHyperHalves) }

func testHyperHalves(t *testing.T, e Engine) {
	p := newProgram()
	step := p.parameter(0)
	at := p.vector(isa.I64)
	p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I64, Dst: at, A: isa.V(lane), B: step})
	v := p.vector(isa.I32)
	p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: v, A: isa.S(0), B: at, Idx: isa.Idx64, Scale: 4})
	p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(1), B: at, Idx: isa.Idx64, Scale: 4, C: v})
	p.jump(1)
	// Behind a back edge, at comes from before.
	once := p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: v, A: isa.S(2), B: at, Idx: isa.Idx64, Scale: 4})
	p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(3), B: at, Idx: isa.Idx64, Scale: 4, C: v})
	p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: once, A: v, B: p.constant(1 << 31)})
	p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(2), B: at, Idx: isa.Idx64, Scale: 4, C: p.constant(1 << 31)})
	p.branch(once, 1, 2)
	p.store(at, isa.I64)
	p.emit(isa.Inst{Op: isa.OpRet})
	if h := hyperblocks(t, e, p.k); x86.SetOf(e.features).Broadcasts() && (h[0] == nil || len(h[0].Widen) == 0 || h[1] == nil || len(h[1].Narrow) == 0) {
		t.Errorf("hyperblocks %v, want some that compute in 32 bits", h)
	}
	r := rand.New(rand.NewPCG(8, 0))
	for _, from := range []uint64{0, 1, 100, 150, 151, 200, 1 << 31, 1<<31 - 100, 1 << 32, 1<<32 - 100, 1<<64 - 1, 1<<64 - 40} {
		check(t, e, p.k, r, map[int]uint64{step.Index(): from}, fmt.Sprint("from ", from), func(*[buffers][]uint64) {})
	}
}

// TestHyperIDs runs stores behind a loop to where ids say, which the first block finds out: found out again,
// they need no look, unless somebody changes the register.
func TestHyperIDs(t *testing.T) { each(t, testHyperIDs) }

func testHyperIDs(t *testing.T, e Engine) {
	for _, changed := range []bool{false, true} {
		t.Run(fmt.Sprint("changed ", changed), func(t *testing.T) {
			p := newProgram()
			x, n, once := p.load(1, isa.I32), p.vector(isa.I32), p.vector(isa.B1)
			p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: n, A: x, B: p.constant(3)})
			p.jump(1)
			p.emit(isa.Inst{Op: isa.OpMul, Type: isa.I32, Dst: x, A: x, B: n})
			p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: n, A: n, B: p.constant(1)})
			p.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: once, A: p.constant(0), B: n})
			if changed {
				p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I64, Dst: isa.V(lane), A: isa.V(lane), B: p.constant(1)})
			}
			p.branch(once, 1, 2)
			p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(0), B: isa.V(lane), Idx: isa.Idx64, Scale: 4, C: x})
			p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I64, Space: isa.SpaceGlobal, A: isa.S(3), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: isa.V(lane)})
			p.emit(isa.Inst{Op: isa.OpRet})
			if h := hyperblocks(t, e, p.k)[2]; x86.SetOf(e.features).Broadcasts() {
				if h == nil {
					t.Fatal("no hyperblock of the last block")
				}
				if b := planOf(t, e, p.k).Blocks[2]; (b.IDs == nil) != changed {
					t.Errorf("the last block begins with ids: %v", b.IDs != nil)
				}
				if first := hyperblocks(t, e, p.k)[0]; first == nil || (len(first.Widen) == 0) == changed {
					t.Errorf("hyperblock %+v, want one that leaves the id to others: %v", first, !changed)
				}
				found := slices.ContainsFunc(h.Run.Code, func(in isa.Inst) bool { return in.Op == isa.OpBuiltin })
				if found == changed {
					t.Errorf("ids are found out again: %v", found)
				}
			}
			check(t, e, p.k, rand.New(rand.NewPCG(5, 0)), nil, "", func(*[buffers][]uint64) {})
		})
	}
}

// TestHyperIDsRead reads a register before the first block finds out an id there: it holds 0 then, or, in the
// trips of a loop behind the first, the id.
func TestHyperIDsRead(t *testing.T) { each(t, testHyperIDsRead) }

func testHyperIDsRead(t *testing.T, e Engine) {
	p := newProgram()
	id, before, sum, trips, again := p.vector(isa.I32), p.vector(isa.I32), p.vector(isa.I32), p.vector(isa.I32), p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: before, A: id, B: p.constant(3)})
	p.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: id, Imm: uint32(isa.BuiltinLocalID)})
	p.store(before, isa.I32)
	p.jump(1)
	p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: sum, B: p.constant(5), C: before})
	p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: trips, A: trips, B: p.constant(1)})
	p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: again, A: trips, B: p.constant(3)})
	p.branch(again, 0, 2)
	p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(1), B: id, Idx: isa.IdxU32, Scale: 4, C: sum})
	p.emit(isa.Inst{Op: isa.OpRet})
	check(t, e, p.k, rand.New(rand.NewPCG(6, 0)), nil, "", func(*[buffers][]uint64) {})
}

// TestHyperIDsSelected has a block behind a loop choose between an id and something else, by an instruction
// that hyperblocks do not find the id out again for.
func TestHyperIDsSelected(t *testing.T) { each(t, testHyperIDsSelected) }

func testHyperIDsSelected(t *testing.T, e Engine) {
	p := newProgram()
	id, left, again := p.vector(isa.I32), p.vector(isa.I32), p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: id, Imm: uint32(isa.BuiltinLocalID)})
	x := p.load(1, isa.I32)
	p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: left, A: x, B: p.constant(3)})
	p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(2), B: id, Idx: isa.IdxU32, Scale: 4, C: left})
	p.jump(1)
	p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: left, A: left, B: p.constant(1)})
	p.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: again, A: p.constant(0), B: left})
	p.branch(again, 1, 2)
	m, y := p.vector(isa.B1), p.vector(isa.I32)
	p.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: m, A: p.constant(0), B: x})
	p.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I32, Dst: y, A: m, B: id, C: x})
	p.store(y, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	check(t, e, p.k, rand.New(rand.NewPCG(7, 0)), nil, "", func(*[buffers][]uint64) {})
}

// TestHyperScalars runs lanes that wait at a block for others, which write a scalar on their way that the block
// reads. All lanes share the scalar; the others end, or come to the block as well, or there are none.
func TestHyperScalars(t *testing.T) { each(t, testHyperScalars) }

func testHyperScalars(t *testing.T, e Engine) {
	for _, ends := range []bool{false, true} {
		p := newProgram()
		s := p.constant(0)
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: s, A: p.parameter(5)})
		p.branch(p.load(bufMask, isa.B1), 2, 1)
		// Stores, a load and others: enough for a hyperblock.
		x := p.load(1, isa.I32)
		p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(2), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: x})
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: s, A: p.parameter(7)})
		y := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: y, A: x, B: s})
		p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(3), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: y})
		if ends {
			p.emit(isa.Inst{Op: isa.OpRet})
		} else {
			p.jump(2)
		}
		z := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: z, A: s})
		p.store(z, isa.I32)
		p.emit(isa.Inst{Op: isa.OpRet})
		if h := hyperblocks(t, e, p.k)[1]; x86.SetOf(e.features).Broadcasts() && (h == nil || len(h.Scalars) == 0) {
			t.Errorf("hyperblock %+v, want one that writes the scalar", h)
		}
		values := map[int]uint64{}
		for i, v := range map[int]uint64{0: 5, 1: 7} {
			values[p.k.ParamRegs[buffers+i].Scalar] = v
		}
		check(t, e, p.k, rand.New(rand.NewPCG(9, 0)), values, fmt.Sprint("ends ", ends), func(*[buffers][]uint64) {})
	}
}
