package native

import (
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
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
	for _, element := range elements() {
		for _, index := range indexTypes() {
			for _, scale := range scales(element) {
				for _, disp := range displacements() {
					t.Run(fmt.Sprint(element, index.Type(), index, scale, disp), func(t *testing.T) {
						size := int32(element.Bytes())
						p := newProgram()
						x := p.load(1, index.Type())
						old := p.load(2, element)
						runs := p.load(bufMask, isa.B1)
						one := p.constant(1)
						p.branch(runs, 1, 2)
						x2, got, sum := p.vector(index.Type()), p.vector(element), p.vector(element)
						p.emit(isa.Inst{Op: isa.OpAdd, Type: index.Type(), Dst: x2, A: x, B: one, Flags: isa.FlagDense})
						p.emit(isa.Inst{Op: isa.OpMov, Type: isa.IntOf(element.Bits()), Dst: sum, A: old, Flags: isa.FlagDense})
						// The accesses through x share a slot, and so do those through x2.
						for i, from := range []isa.Reg{x, x2, x, x, x2, x2} {
							in := isa.Inst{Op: isa.OpLoad, Type: element, Space: isa.SpaceGlobal, Dst: got, A: isa.S(0), B: from, Idx: index, Scale: scale, Disp: disp + size*int32(i/2), Flags: isa.FlagDense}
							taken(t, e, &in)
							p.emit(in)
							p.emit(isa.Inst{Op: isa.OpXor, Type: isa.IntOf(element.Bits()), Dst: sum, A: got, B: sum, Flags: isa.FlagDense})
							p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.IntOf(element.Bits()), Dst: sum, A: sum, B: sum, Flags: isa.FlagDense})
						}
						p.emit(isa.Inst{Op: isa.OpMov, Type: isa.IntOf(element.Bits()), Dst: old, A: sum})
						p.jump(2)
						p.store(old, element)
						p.emit(isa.Inst{Op: isa.OpRet})
						patterns(t, e, p.k, element, scale, disp, 3*size)
					})
				}
			}
		}
	}
}

// TestLoadsOfIndex runs loads that leave the element where the index was.
func TestLoadsOfIndex(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		for _, index := range indexTypes() {
			element := index.Type()
			for _, scale := range scales(element) {
				t.Run(fmt.Sprint(element, index, scale), func(t *testing.T) {
					p := newProgram()
					x := p.load(1, element)
					runs := p.load(bufMask, isa.B1)
					p.branch(runs, 1, 2)
					in := isa.Inst{Op: isa.OpLoad, Type: element, Space: isa.SpaceGlobal, Dst: x, A: isa.S(0), B: x, Idx: index, Scale: scale}
					taken(t, e, &in)
					p.emit(in)
					p.emit(isa.Inst{Op: isa.OpAdd, Type: element, Dst: x, A: x, B: x})
					p.jump(2)
					p.store(x, element)
					p.emit(isa.Inst{Op: isa.OpRet})
					patterns(t, e, p.k, element, scale, 0, int32(element.Bytes()))
				})
			}
		}
	})
}

// patterns runs a kernel whose indices are in buffer 1 with each way to choose them. It accesses so many
// bytes from disp on.
func patterns(t *testing.T, e Engine, k *isa.Kernel, element isa.Type, scale uint32, disp, span int32) {
	r := rand.New(rand.NewPCG(3, uint64(scale)))
	last := (8*lanes - int(disp) - int(span)) / int(scale) // the highest index
	all := map[string]func(r *rand.Rand, i int) uint64{
		"end":      func(_ *rand.Rand, i int) uint64 { return uint64(max(0, last-i)) },
		"up to it": func(_ *rand.Rand, i int) uint64 { return uint64(max(0, last-lanes+1) + i) },
		"last":     func(*rand.Rand, int) uint64 { return uint64(last) },
		"behind": func(_ *rand.Rand, i int) uint64 {
			if i == 130 {
				return uint64(last + 1)
			}
			return uint64(max(0, last-i%3))
		},
		"apart": func(_ *rand.Rand, i int) uint64 { return uint64(2 + i*last/lanes) },
	}
	maps.Copy(all, indices)
	portable, native := compile(t, interp.Engine{}, k), compile(t, e, k)
	for i, kind := range slices.Sorted(maps.Keys(all)) {
		if !sampled(t, i) {
			continue
		}
		checkCode(t, portable, native, k, r, nil, "indices "+kind, func(data *[buffers][]uint64) {
			for i := range lanes {
				data[1][i] = all[kind](r, i)
			}
		})
	}
}

// everything has the tests of memory run all combinations, which takes minutes.
var everything = flag.Bool("everything", false, "run all combinations of element, index, scale, displacement, pattern and mask")

// sampled says whether a test runs variant i: each variant in some of the tests, which are so many that all
// meet.
func sampled(t *testing.T, i int) bool {
	every := amount(24, 24, 18)
	h := fnv.New32a()
	h.Write([]byte(t.Name()))
	return *everything || (i+int(h.Sum32()>>8))%every == 0
}

// TestUniformLoads runs loads of one element for all lanes.
func TestUniformLoads(t *testing.T) { each(t, testUniformLoads) }

func testUniformLoads(t *testing.T, e Engine) {
	for _, element := range elements() {
		for _, index := range []isa.IdxType{isa.IdxNone, isa.IdxS32, isa.IdxU32, isa.Idx64} {
			t.Run(fmt.Sprint(element, index), func(t *testing.T) {
				r := rand.New(rand.NewPCG(5, 0))
				for _, disp := range []int32{0, 8, -8} {
					p := newProgram()
					x := p.parameter(0)
					old := p.load(2, element)
					runs := p.load(bufMask, isa.B1)
					p.branch(runs, 1, 2)
					for _, d := range []int32{0, 16} {
						in := isa.Inst{Op: isa.OpLoad, Type: element, Space: isa.SpaceGlobal, Dst: old, A: isa.S(0), Disp: disp + d}
						if index != isa.IdxNone {
							in.B, in.Idx, in.Scale = x, index, 4
						}
						taken(t, e, &in)
						p.emit(in)
						p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.IntOf(element.Bits()), Dst: old, A: old, B: old})
					}
					p.jump(2)
					p.store(old, element)
					p.emit(isa.Inst{Op: isa.OpRet})
					for i, at := range []uint64{0, 2, 7, 290, 291, 292, 294, 295, 296, 297, 298, 299, 300, 1 << 31, 1<<32 - 2} {
						if !sampled(t, i+int(disp)/8) {
							continue
						}
						check(t, e, p.k, r, map[int]uint64{x.Index(): at}, fmt.Sprint("displacement ", disp), func(*[buffers][]uint64) {})
					}
				}
			})
		}
	}
}

// TestUniformStores runs stores of vectors and of scalars to one address.
func TestUniformStores(t *testing.T) { each(t, testUniformStores) }

func testUniformStores(t *testing.T, e Engine) {
	for _, element := range elements() {
		for _, index := range []isa.IdxType{isa.IdxNone, isa.IdxS32, isa.IdxU32, isa.Idx64} {
			for _, scalar := range []bool{false, true} {
				t.Run(fmt.Sprint(element, index, scalar), func(t *testing.T) {
					r := rand.New(rand.NewPCG(9, 0))
					for _, disp := range []int32{0, 12, -8} {
						p := newProgram()
						x, v := p.parameter(0), p.load(2, element)
						if scalar {
							v = p.parameter(0)
						}
						runs := p.load(bufMask, isa.B1)
						p.branch(runs, 1, 2)
						in := isa.Inst{Op: isa.OpStore, Type: element, Space: isa.SpaceGlobal, A: isa.S(bufOut), C: v, Disp: disp}
						if index != isa.IdxNone {
							in.B, in.Idx, in.Scale = x, index, 4
						}
						if !plan.UniformStore(&in) || !e.takes(&in) {
							t.Error("no machine code")
						}
						p.emit(in)
						p.jump(2)
						p.emit(isa.Inst{Op: isa.OpRet})
						for i, at := range []uint64{0, 2, 7, 291, 292, 294, 295, 296, 297, 298, 299, 300, 302, 1 << 31, 1<<32 - 2} {
							if !sampled(t, i+int(disp)/4) {
								continue
							}
							values := map[int]uint64{x.Index(): at}
							if scalar {
								values[v.Index()] = r.Uint64() >> (64 - element.Bits())
							}
							check(t, e, p.k, r, values, fmt.Sprint("displacement ", disp), func(*[buffers][]uint64) {})
						}
					}
				})
			}
		}
	}
}

// TestStores runs stores likewise: of vectors and of scalars.
func TestStores(t *testing.T) { each(t, testStores) }

func testStores(t *testing.T, e Engine) {
	for _, element := range elements() {
		for _, index := range indexTypes() {
			for _, scale := range scales(element) {
				for _, disp := range displacements() {
					for _, scalar := range []bool{false, true} {
						t.Run(fmt.Sprint(element, index.Type(), index, scale, disp, scalar), func(t *testing.T) {
							p := newProgram()
							x, v := p.load(1, index.Type()), p.load(2, element)
							if scalar {
								v = p.constant(12345 & (1<<min(element.Bits(), 32) - 1))
							}
							runs := p.load(bufMask, isa.B1)
							p.branch(runs, 1, 2)
							in := isa.Inst{Op: isa.OpStore, Type: element, Space: isa.SpaceGlobal, A: isa.S(bufOut), B: x, C: v, Idx: index, Scale: scale, Disp: disp}
							taken(t, e, &in)
							p.emit(in)
							p.jump(2)
							p.emit(isa.Inst{Op: isa.OpRet})
							patterns(t, e, p.k, element, scale, disp, int32(element.Bytes()))
						})
					}
				}
			}
		}
	}
}

// taken makes the test fail if there is no machine code for an access.
func taken(t *testing.T, e Engine, in *isa.Inst) {
	t.Helper()
	if !plan.Indexed(in) || !e.takes(in) {
		t.Error("no machine code")
	}
}

// elements are the types that memory holds.
func elements() []isa.Type {
	if testing.Short() {
		return []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64}
	}
	return []isa.Type{isa.I8, isa.I16, isa.F16, isa.I32, isa.F32, isa.I64, isa.F64}
}

// displacements are what is added to addresses.
func displacements() []int32 {
	if testing.Short() {
		return []int32{0, -8}
	}
	return []int32{0, 12, -8, -3}
}

// indexTypes are the types of indices.
func indexTypes() []isa.IdxType {
	if testing.Short() {
		return []isa.IdxType{isa.IdxS32, isa.Idx64}
	}
	return []isa.IdxType{isa.IdxS32, isa.IdxU32, isa.Idx64}
}

// scales are the sizes of what an index counts.
func scales(element isa.Type) []uint32 {
	if testing.Short() {
		if element == isa.I32 {
			return []uint32{4, 12, 64}
		}
		return []uint32{uint32(element.Bytes())}
	}
	return []uint32{1, 2, 4, 8, 12, 16, 24, 56, 64}
}
