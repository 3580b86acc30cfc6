package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// indices are the ways in which lanes choose elements, of about 1000.
var indices = map[string]func(r *rand.Rand, i int) uint64{
	"next":     func(_ *rand.Rand, i int) uint64 { return uint64(i) },
	"further":  func(_ *rand.Rand, i int) uint64 { return uint64(i) + 7 },
	"same":     func(*rand.Rand, int) uint64 { return 5 },
	"rows":     func(_ *rand.Rand, i int) uint64 { return uint64(i / 16) },
	"columns":  func(_ *rand.Rand, i int) uint64 { return uint64(i % 16) },
	"backward": func(_ *rand.Rand, i int) uint64 { return uint64(149 - i) },
	"any":      func(r *rand.Rand, i int) uint64 { return r.Uint64N(150) },
	"strays": func(r *rand.Rand, i int) uint64 {
		if i == 70 {
			return 1 << 20
		}
		return uint64(i)
	},
	"negative": func(_ *rand.Rand, i int) uint64 { return uint64(int64(i - 3)) },
	"huge":     func(r *rand.Rand, i int) uint64 { return r.Uint64() },
}

// TestLoads runs loads with every kind of index, element, scale and displacement, followed by
// arithmetic on what they load, under several execution masks.
func TestLoads(t *testing.T) { each(t, testLoads) }

func testLoads(t *testing.T, e Engine) {
	loaded := 0
	for _, element := range []isa.Type{isa.I32, isa.F32, isa.I64, isa.F64} {
		for _, index := range []isa.IdxType{isa.IdxS32, isa.IdxU32, isa.Idx64} {
			for _, scale := range scales() {
				for _, disp := range []int32{0, 12, -8} {
					t.Run(fmt.Sprint(element, index.Type(), index, scale, disp), func(t *testing.T) {
						p := newProgram()
						x := p.load(1, index.Type())
						old := p.load(2, element)
						runs := p.load(bufMask, isa.B1)
						one := p.constant(1)
						p.branch(runs, 1, 2)
						x2, got, sum := p.vector(index.Type()), p.vector(element), p.vector(element)
						p.emit(isa.Inst{Op: isa.OpAdd, Type: index.Type(), Dst: x2, A: x, B: one, Flags: isa.FlagDense})
						for _, from := range []isa.Reg{x, x2} {
							in := isa.Inst{Op: isa.OpLoad, Type: element, Space: isa.SpaceGlobal, Dst: got, A: isa.S(0), B: from, Idx: index, Scale: scale, Disp: disp, Flags: isa.FlagDense}
							if interp.Indexed(&in) && (&accelerator{features: e.features}).Takes(&in) {
								loaded++
							}
							p.emit(in)
							p.emit(isa.Inst{Op: isa.OpXor, Type: isa.IntOf(element.Bits()), Dst: sum, A: got, B: old, Flags: isa.FlagDense})
							p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.IntOf(element.Bits()), Dst: old, A: sum, B: sum})
						}
						p.jump(2)
						p.store(old, element)
						p.emit(isa.Inst{Op: isa.OpRet})
						r := rand.New(rand.NewPCG(3, uint64(scale)))
						for kind, choose := range indices {
							check(t, e, p.k, r, nil, "indices "+kind, func(data *[buffers][]uint64) {
								for i := range lanes {
									data[1][i] = choose(r, i)
								}
							})
						}
					})
				}
			}
		}
	}
	if loaded == 0 {
		t.Error("no load has machine code")
	}
}

// TestStores runs stores likewise: of vectors and of scalars.
func TestStores(t *testing.T) { each(t, testStores) }

func testStores(t *testing.T, e Engine) {
	stored := 0
	for _, element := range []isa.Type{isa.I32, isa.F32, isa.I64, isa.F64} {
		for _, index := range []isa.IdxType{isa.IdxS32, isa.IdxU32, isa.Idx64} {
			for _, scale := range scales() {
				for _, scalar := range []bool{false, true} {
					t.Run(fmt.Sprint(element, index.Type(), index, scale, scalar), func(t *testing.T) {
						p := newProgram()
						x, v := p.load(1, index.Type()), p.load(2, element)
						if scalar {
							v = p.constant(12345)
						}
						runs := p.load(bufMask, isa.B1)
						p.branch(runs, 1, 2)
						in := isa.Inst{Op: isa.OpStore, Type: element, Space: isa.SpaceGlobal, A: isa.S(bufOut), B: x, C: v, Idx: index, Scale: scale, Disp: 4}
						if interp.Indexed(&in) && (&accelerator{features: e.features}).Takes(&in) {
							stored++
						}
						p.emit(in)
						p.jump(2)
						p.emit(isa.Inst{Op: isa.OpRet})
						r := rand.New(rand.NewPCG(4, uint64(scale)))
						for kind, choose := range indices {
							check(t, e, p.k, r, nil, "indices "+kind, func(data *[buffers][]uint64) {
								for i := range lanes {
									data[1][i] = choose(r, i)
								}
							})
						}
					})
				}
			}
		}
	}
	if stored == 0 {
		t.Error("no store has machine code")
	}
}

// scales are the sizes of what an index counts.
func scales() []uint32 {
	if testing.Short() {
		return []uint32{4, 64}
	}
	return []uint32{1, 4, 8, 16, 64}
}
