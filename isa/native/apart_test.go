package native

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// TestApart runs stores to and loads from private memory at places that differ between lanes.
func TestApart(t *testing.T) { each(t, testApart) }

func testApart(t *testing.T, e Engine) {
	for _, element := range elements() {
		for _, index := range indexTypes() {
			for _, scale := range []uint32{1, 2, 4, 8, 12, 6} {
				t.Run(fmt.Sprint(element, index, scale), func(t *testing.T) {
					for i, disp := range []int32{0, 4, -8, 1, 62, -math.MaxInt32} {
						if index == isa.IdxS32 && scale == 1 && i == 5 || sampled(t, i*2) || sampled(t, i*2+1) {
							apartAccesses(t, e, element, index, scale, disp)
						}
					}
				})
			}
		}
	}
}

func apartAccesses(t *testing.T, e Engine, element isa.Type, index isa.IdxType, scale uint32, disp int32) {
	const size = 64
	p := newProgram()
	p.k.Private = append(p.k.Private, isa.Alloc{Name: "o", Size: 6, Align: 4}, isa.Alloc{Name: "p", Size: size, Align: 4})
	memory := p.constant(isa.PointerBits(isa.SpacePrivate, 1))
	x, old := p.load(1, index.Type()), p.load(2, element)
	runs := p.load(bufMask, isa.B1)
	p.branch(runs, 1, 2)
	got := p.vector(element)
	bits := isa.IntOf(element.Bits())
	access := func(op isa.Op, in isa.Inst) {
		in.Op, in.Type, in.Space, in.A = op, element, isa.SpacePrivate, memory
		if op == isa.OpLoad {
			in.Dst = got
		} else {
			in.C = old
		}
		if !e.takes(&in) {
			t.Error("no machine code")
		}
		p.emit(in)
		p.emit(isa.Inst{Op: isa.OpXor, Type: bits, Dst: old, A: old, B: got})
		p.emit(isa.Inst{Op: isa.OpAdd, Type: bits, Dst: old, A: old, B: old})
	}
	own := isa.Inst{B: x, Idx: index, Scale: scale, Disp: disp}
	if !plan.Apart(&isa.Inst{Op: isa.OpLoad, Type: element, Space: isa.SpacePrivate, A: memory, B: x, Idx: index, Scale: scale}) {
		t.Error("not apart")
	}
	row := isa.Inst{Disp: 8}
	access(isa.OpStore, row)
	access(isa.OpStore, own)
	access(isa.OpLoad, own)
	access(isa.OpLoad, row)
	access(isa.OpStore, row)
	access(isa.OpLoad, own)
	access(isa.OpStore, own)
	access(isa.OpLoad, row)
	p.jump(2)
	p.store(old, element)
	p.emit(isa.Inst{Op: isa.OpRet})

	last := (size - element.Bytes() - int(disp)) / int(scale)
	first := 0
	if disp < 0 {
		first = (int(-disp) + int(scale) - 1) / int(scale)
	}
	kinds := map[string]func(r *rand.Rand, i int) uint64{
		"any":     func(r *rand.Rand, _ int) uint64 { return uint64(first + r.IntN(max(last-first, 0)+1)) },
		"last":    func(_ *rand.Rand, i int) uint64 { return uint64(max(last-i%2, first)) },
		"behind":  func(_ *rand.Rand, i int) uint64 { return uint64(max(last+i/149, first)) },
		"before":  func(_ *rand.Rand, i int) uint64 { return uint64(int64(first - i/149)) },
		"huge":    func(r *rand.Rand, _ int) uint64 { return r.Uint64() },
		"aligned": func(r *rand.Rand, _ int) uint64 { return uint64((first + r.IntN(max(last-first, 0)+1)) &^ 3) },
	}
	r := rand.New(rand.NewPCG(12, uint64(scale)))
	portable, native := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		checkCode(t, portable, native, p.k, r, nil, fmt.Sprint("displacement ", disp, ", places ", kind), func(data *[buffers][]uint64) {
			for i := range lanes {
				data[1][i] = kinds[kind](r, i)
			}
		})
	}
}

// TestApartAmongLoads stores to private memory between loads that know from each other how their indices are.
func TestApartAmongLoads(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		for _, element := range []isa.Type{isa.I32, isa.I64} {
			p := newProgram()
			p.k.Private = append(p.k.Private, isa.Alloc{Name: "p", Size: 64, Align: 4})
			private := p.constant(isa.PointerBits(isa.SpacePrivate, 0))
			x, v, place := p.load(1, isa.I32), p.load(2, element), p.vector(isa.I32)
			p.branch(p.load(bufMask, isa.B1), 1, 2)
			p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: place, A: x, B: p.constant(7)})
			for i := range int32(3) {
				got, sum := p.vector(element), p.vector(element) // a run does not change what it reads
				p.emit(isa.Inst{Op: isa.OpLoad, Type: element, Space: isa.SpaceGlobal, Dst: got, A: isa.S(0), B: x, Idx: isa.IdxU32, Scale: uint32(element.Bytes()), Disp: i * int32(element.Bytes())})
				p.emit(isa.Inst{Op: isa.OpMad, Type: element, Dst: sum, A: v, B: p.constant(3), C: got})
				v = sum
				p.emit(isa.Inst{Op: isa.OpStore, Type: element, Space: isa.SpacePrivate, A: private, B: place, Idx: isa.IdxU32, Scale: uint32(element.Bytes()), C: v})
			}
			v = p.vector(element)
			p.emit(isa.Inst{Op: isa.OpLoad, Type: element, Space: isa.SpacePrivate, Dst: v, A: private, B: place, Idx: isa.IdxU32, Scale: uint32(element.Bytes())})
			p.jump(2)
			p.store(v, element)
			p.emit(isa.Inst{Op: isa.OpRet})
			runFirstLane(t, e, p.k)
		}
	})
}

// TestApartOfIndex runs loads from private memory that leave the element where the index was, with more behind them in the
// run. In some lanes the index is outside.
func TestApartOfIndex(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		for _, beyond := range []uint64{0, 1} {
			p := newProgram()
			p.k.Private = append(p.k.Private, isa.Alloc{Name: "p", Size: 64, Align: 4})
			private := p.constant(isa.PointerBits(isa.SpacePrivate, 0))
			x, v := p.load(1, isa.I32), p.load(2, isa.I32)
			p.branch(p.load(bufMask, isa.B1), 1, 2)
			p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: x, B: p.constant(15)})
			p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: x, A: x, B: p.constant(beyond)})
			p.jump(2)
			at := isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpacePrivate, A: private, B: x, Idx: isa.IdxU32, Scale: 4, C: v}
			p.emit(at)
			at.Op, at.Dst, at.C = isa.OpLoad, x, isa.None
			p.emit(at)
			p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: v, A: v, B: x})
			p.jump(3)
			p.store(v, isa.I32)
			p.emit(isa.Inst{Op: isa.OpRet})
			runFirstLane(t, e, p.k)
		}
	})
}
