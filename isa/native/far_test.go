package native

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
)

// farAddress is an address that would be inside of the memory, at byte 0, 1 or 24, if a pointer came back
// from where no offset leads, or a product or a sum kept 64 bits only.
type farAddress struct {
	offset int64 // of the pointer
	idx    isa.IdxType
	index  uint64
	scale  uint32
}

var farAddresses = []farAddress{
	{memory.FarOffset, isa.Idx64, 1<<39 + 24, 1},
	{memory.FarOffset, isa.Idx64, 1<<37 + 6, 4},
	{memory.FarOffset, isa.Idx64, 1<<36 + 3, 8},
	{memory.FarOffset, isa.Idx64, 1 << 20, 1 << 19},
	{memory.FarOffset, isa.IdxS32, 1 << 30, 1 << 9},
	{memory.FarOffset, isa.IdxU32, 1 << 31, 1 << 8},
	{memory.FarOffset, isa.IdxU32, 1<<31 + 1<<30, 1 << 30}, // 3<<60
	{0, isa.Idx64, 1<<62 + 6, 4},
	{0, isa.Idx64, 1<<63 + 6, 4},
	{0, isa.Idx64, 3<<62 + 6, 4},
	{0, isa.Idx64, 1<<61 + 3, 8},
	{0, isa.Idx64, 1<<62 + 2, 12},
	{0, isa.Idx64, 1 << 49, 1 << 15},
	{0, isa.Idx64, 1 << 33, 1 << 31},
	{24, isa.Idx64, 1 << 63, 1 << 31},
	{0, isa.Idx64, 1<<63 + 3, 1 << 3},
	{1 << 33, isa.IdxU32, 1<<32 - 1, 1<<32 - 1},
	{0, isa.Idx64, 1 << 40, 1},
	{0, isa.Idx64, 1 << 63, 1},
}

// farAccesses are the ways to access memory. index is a vector or a scalar.
var farAccesses = []struct {
	name                   string
	op                     isa.Op
	pointer, index, result byte // 's'calar or 'v'ector
	space                  isa.Space
}{
	{"load of a scalar", isa.OpLoad, 's', 's', 's', isa.SpaceGlobal},
	{"load of one element", isa.OpLoad, 's', 's', 'v', isa.SpaceGlobal},
	{"load", isa.OpLoad, 's', 'v', 'v', isa.SpaceGlobal},
	{"load behind a generic pointer", isa.OpLoad, 's', 'v', 'v', isa.SpaceGeneric},
	{"load behind pointers", isa.OpLoad, 'v', 'v', 'v', isa.SpaceGlobal},
	{"load behind pointers, one index", isa.OpLoad, 'v', 's', 'v', isa.SpaceGlobal},
	{"store of one element", isa.OpStore, 's', 's', 0, isa.SpaceGlobal},
	{"store", isa.OpStore, 's', 'v', 0, isa.SpaceGlobal},
	{"store behind pointers", isa.OpStore, 'v', 'v', 0, isa.SpaceGlobal},
	{"atomic", isa.OpAtomic, 's', 'v', 0, isa.SpaceGlobal},
	{"atomic in LDS", isa.OpAtomic, 's', 'v', 0, isa.SpaceLocal},
	{"atomic on one element", isa.OpAtomic, 's', 's', 'v', isa.SpaceGlobal},
	{"atomic behind pointers", isa.OpAtomic, 'v', 'v', 0, isa.SpaceGlobal},
	{"block load", isa.OpBlockLoad, 's', 'v', 'v', isa.SpaceGlobal},
	{"block load, one index", isa.OpBlockLoad, 's', 's', 'v', isa.SpaceGlobal},
	{"block load behind pointers", isa.OpBlockLoad, 'v', 's', 'v', isa.SpaceGlobal},
	{"block store", isa.OpBlockStore, 's', 'v', 0, isa.SpaceGlobal},
	{"load from LDS", isa.OpLoad, 's', 'v', 'v', isa.SpaceLocal},
	{"store to LDS", isa.OpStore, 's', 'v', 0, isa.SpaceLocal},
	{"private load", isa.OpLoad, 's', 's', 'v', isa.SpacePrivate},
	{"private store", isa.OpStore, 's', 's', 0, isa.SpacePrivate},
	{"private load by lane", isa.OpLoad, 's', 'v', 'v', isa.SpacePrivate},
	{"private store by lane", isa.OpStore, 's', 'v', 0, isa.SpacePrivate},
	{"private load behind pointers", isa.OpLoad, 'v', 'v', 'v', isa.SpacePrivate},
	{"pointer", isa.OpPtrAdd, 's', 's', 's', isa.SpaceGlobal},
	{"pointers", isa.OpPtrAdd, 's', 'v', 'v', isa.SpaceGlobal},
	{"pointers moved", isa.OpPtrAdd, 'v', 'v', 'v', isa.SpaceGlobal},
}

// TestFar accesses memory at addresses that are far from it, on both engines: each access is out of bounds
// and changes nothing.
func TestFar(t *testing.T) { each(t, testFar) }

func testFar(t *testing.T, e Engine) {
	for i := range farAccesses {
		for n, at := range farAddresses {
			for shape := range 12 {
				// 1: the engine does not know that the pointer stays; 2: all run, or some; 4, 8: as the
				// element
				fixed, some, element := shape&1 == 0, shape&2 != 0, []isa.Type{isa.I8, isa.I32, isa.I64}[shape/4]
				if (i+n+shape)%amount(3, 3, 1) != 0 {
					continue
				}
				farAccess(t, e, i, at, fixed, some, element)
			}
		}
	}
}

func farAccess(t *testing.T, e Engine, number int, at farAddress, fixed, some bool, element isa.Type) {
	a := &farAccesses[number]
	if a.op == isa.OpAtomic && element == isa.I8 {
		return
	}
	what := fmt.Sprintf("%s of %s, pointer at %d, index %d of %#x times %d, fixed %t, some %t",
		a.name, element, at.offset, at.idx, at.index, at.scale, fixed, some)
	space := a.space
	if space == isa.SpaceGeneric {
		space = isa.SpaceGlobal
	}
	p := newProgram()
	p.k.Private = append(p.k.Private, isa.Alloc{Name: "p", Size: 64, Align: 8})
	p.k.Local = append(p.k.Local, isa.Alloc{Name: "l", Size: 8 * lanes, Align: 8})
	base := p.constant(uint64(memory.MakePointer(memory.Space(space), 1, at.offset)))
	if !fixed || a.op == isa.OpPtrAdd {
		base = p.parameter(0)
	}
	if !fixed {
		moved := p.constant(0)
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: moved, A: base})
		base = moved
	}
	x, it := p.parameter(0), at.idx.Type()
	index := x
	if a.index == 'v' {
		index = p.load(1, it)
	}
	pointer := base
	if a.pointer == 'v' {
		pointer = p.vector(isa.I64)
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: pointer, A: base})
		if !fixed { // the first lane's is near
			p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: pointer, A: p.load(3, isa.I64)})
		}
	}
	mixed := a.pointer == 'v' && !fixed
	value := p.load(2, element)
	p.branch(p.load(bufMask, isa.B1), 1, 2)
	in := isa.Inst{Op: a.op, Type: element, Space: a.space, A: pointer, B: index, Idx: at.idx, Scale: at.scale}
	t2 := element
	if a.op == isa.OpPtrAdd {
		in.Type, t2 = isa.I64, isa.I64
	}
	switch a.result {
	case 's':
		in.Dst = p.constant(0)
	case 'v':
		in.Dst = p.vector(t2)
	}
	switch a.op {
	case isa.OpStore, isa.OpBlockStore:
		in.C = value
	case isa.OpAtomic:
		in.C, in.Imm2 = value, uint8(isa.AtomicAdd)
	}
	p.emit(in)
	if a.op == isa.OpPtrAdd {
		p.emit(isa.Inst{Op: isa.OpStore, Type: element, Space: a.space, A: in.Dst, C: value})
	}
	p.jump(2)
	p.emit(isa.Inst{Op: isa.OpRet})
	values := map[int]uint64{x.Index(): at.index}
	for i, r := range p.k.ParamRegs {
		if i >= buffers && r.Scalar != x.Index() {
			values[r.Scalar] = uint64(memory.MakePointer(memory.Space(space), 1, at.offset))
		}
	}
	portable, native := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
	for _, consecutive := range []bool{false, true} {
		data := contents(rand.New(rand.NewPCG(41, 0)))
		for i := range lanes {
			data[1][i], data[bufMask][i] = at.index, 1
			data[3][i] = uint64(memory.MakePointer(memory.Space(space), 1, at.offset))
			if consecutive {
				data[1][i] += uint64(i)
			}
			blocks := a.op == isa.OpBlockLoad || a.op == isa.OpBlockStore // of whole sub-groups
			if some && (i%3 == 0 && !blocks || i >= 128) {
				data[bufMask][i] = 0
			}
			if mixed && i < 2 && a.index == 'v' {
				data[1][i], data[3][i] = 0, uint64(memory.MakePointer(memory.Space(space), 1, 0))
			}
		}
		before := slices.Concat(data[:]...)
		want, got := run(t, portable, p.k, data, values), run(t, native, p.k, data, values)
		if want.Fault == nil || want.Fault.Code != finding.OutOfBounds || !mixed && want.Fault.Lane > 1 {
			t.Errorf("%s: interp: %+v", what, want.Fault)
		}
		if got.Fault == nil || got.Fault.Code != finding.OutOfBounds {
			t.Errorf("%s: native: %+v", what, got.Fault)
		}
		if mixed {
			before = want.Out // the first lanes' have taken place
		}
		if !slices.Equal(want.Out, before) || !slices.Equal(got.Out, before) {
			t.Errorf("%s: memory has changed", what)
		}
		if !sameFault(want.Fault, got.Fault) {
			t.Errorf("%s: %+v and %+v", what, want.Fault, got.Fault)
		}
	}
}
