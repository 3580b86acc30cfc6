package native

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// selects emits a load of an element of buffer 3 that the one at an index of buffer 0 selects.
func (p *program) selects(t isa.Type, at isa.Reg) isa.Reg {
	x, y := p.vector(isa.I32), p.vector(t)
	p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(0), B: at, Idx: isa.IdxU32, Scale: 4})
	p.emit(isa.Inst{Op: isa.OpLoad, Type: t, Space: isa.SpaceGlobal, Dst: y, A: isa.S(3), B: x, Idx: isa.IdxU32, Scale: 4})
	return y
}

// addSelected adds what the element at an index selects to sum.
func (p *program) addSelected(at, sum isa.Reg) {
	p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: sum, B: p.constant(3), C: p.selects(isa.I32, at)})
}

// flatBodies are loops through rows, with how many instructions are done for elements, and how many of them trips take
// the results of.
var flatBodies = []struct {
	name           string
	body           func(p *program, at, sum isa.Reg)
	insts, results int
}{
	{"what the elements select", func(p *program, at, sum isa.Reg) {
		p.addSelected(at, sum)
		p.advance(at, p.constant(1))
	}, 2, 1},
	{"a product, added", func(p *program, at, sum isa.Reg) {
		y, v := p.selects(isa.F32, at), p.vector(isa.F32)
		p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.F32, Space: isa.SpaceGlobal, Dst: v, A: isa.S(5), B: at, Idx: isa.IdxU32, Scale: 4})
		p.emit(isa.Inst{Op: isa.OpFMulAdd, Type: isa.F32, Dst: sum, A: v, B: y, C: sum})
		p.advance(at, p.constant(1))
	}, 4, 1},
	{"a product with a parameter, to a register of its own", func(p *program, at, sum isa.Reg) {
		y, x := p.selects(isa.F32, at), p.vector(isa.F32)
		p.emit(isa.Inst{Op: isa.OpFMulAdd, Type: isa.F32, Dst: x, A: p.parameter(0), B: y, C: sum})
		p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: sum, A: x, B: p.constant(7)})
		p.advance(at, p.constant(1))
	}, 3, 1},
	{"what both sides of a product are, and one as well", func(p *program, at, sum isa.Reg) {
		y, v := p.selects(isa.F32, at), p.vector(isa.F32)
		p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.F32, Space: isa.SpaceGlobal, Dst: v, A: isa.S(5), B: at, Idx: isa.IdxU32, Scale: 4})
		p.emit(isa.Inst{Op: isa.OpFMul, Type: isa.F32, Dst: y, A: y, B: v})
		p.emit(isa.Inst{Op: isa.OpFSub, Type: isa.F32, Dst: sum, A: y, B: sum})
		p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: sum, A: sum, B: v})
		p.advance(at, p.constant(1))
	}, 4, 2},
	{"from the element before", func(p *program, at, sum isa.Reg) {
		x := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: x, A: at, B: p.constant(2)})
		p.addSelected(x, sum)
		p.advance(at, p.constant(1))
	}, 2, 1},
	{"after the step", func(p *program, at, sum isa.Reg) {
		p.advance(at, p.constant(1))
		p.addSelected(at, sum)
	}, 2, 1},
	{"what the elements select, and the index", func(p *program, at, sum isa.Reg) {
		p.addSelected(at, sum)
		p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: sum, A: sum, B: at})
		p.advance(at, p.constant(1))
	}, 0, 0},
	{"the element of the trip before", func(p *program, at, sum isa.Reg) {
		x := p.vector(isa.I32)
		p.addSelected(at, sum)
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: sum, A: sum, B: x})
		p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(5), B: at, Idx: isa.IdxU32, Scale: 4})
		p.advance(at, p.constant(1))
	}, 0, 0},
	{"nothing but elements", func(p *program, at, sum isa.Reg) {
		p.addElement(0, at, sum, 0)
		p.advance(at, p.constant(1))
	}, 0, 0},
	{"what depends on the lane", func(p *program, at, sum isa.Reg) {
		x, y := p.vector(isa.I32), p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(0), B: at, Idx: isa.IdxU32, Scale: 4})
		p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: x, A: x, B: sum})
		p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: x, B: p.constant(127)})
		p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: y, A: isa.S(3), B: x, Idx: isa.IdxU32, Scale: 4})
		p.advance(sum, y)
		p.advance(at, p.constant(1))
	}, 0, 0},
}

// compares are comparisons that end a loop.
var compares = []struct {
	name  string
	while func(p *program, again, at, end isa.Reg) bool
	flat  bool
}{
	{"less", func(p *program, again, at, end isa.Reg) bool {
		p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: again, A: at, B: end})
		return true
	}, true},
	{"less, signed", func(p *program, again, at, end isa.Reg) bool {
		p.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: again, A: at, B: end})
		return true
	}, true},
	{"not equal", func(p *program, again, at, end isa.Reg) bool {
		p.emit(isa.Inst{Op: isa.OpNe, Type: isa.I32, Dst: again, A: at, B: end})
		return true
	}, true},
	{"until equal", func(p *program, again, at, end isa.Reg) bool {
		p.emit(isa.Inst{Op: isa.OpEq, Type: isa.I32, Dst: again, A: end, B: at})
		return false
	}, true},
	{"until the end is not greater", func(p *program, again, at, end isa.Reg) bool {
		p.emit(isa.Inst{Op: isa.OpLeU, Type: isa.I32, Dst: again, A: end, B: at})
		return false
	}, true},
	{"until the end is not greater, signed", func(p *program, again, at, end isa.Reg) bool {
		p.emit(isa.Inst{Op: isa.OpLeS, Type: isa.I32, Dst: again, A: end, B: at})
		return false
	}, true},
	{"the one behind is less", func(p *program, again, at, end isa.Reg) bool {
		x := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: x, A: at, B: p.constant(1)})
		p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: again, A: x, B: end})
		return true
	}, true},
	{"not greater", func(p *program, again, at, end isa.Reg) bool {
		p.emit(isa.Inst{Op: isa.OpLeU, Type: isa.I32, Dst: again, A: at, B: end})
		return true
	}, false},
}

// TestFlat holds what is done for the elements of rows that are side by side.
func TestFlat(t *testing.T) { each(t, testFlat) }

func testFlat(t *testing.T, e Engine) {
	if e.features&amd64.AVX512 == 0 {
		t.Skip("the instruction set has no such loads")
	}
	for _, b := range flatBodies {
		for _, c := range compares {
			t.Run(b.name+", while "+c.name, func(t *testing.T) {
				q, insts, results := regionOf(t, e, rowLoopWhile(b.body, c.while, false)).quads, 0, 0
				if q == nil {
					t.Fatal("no loads for four trips")
				}
				if q.flat != nil {
					insts, results = len(q.flat.insts), len(q.flat.results)
				}
				wantInsts, wantResults := b.insts, b.results
				if !c.flat {
					wantInsts, wantResults = 0, 0
				}
				if insts != wantInsts || results != wantResults {
					t.Errorf("%d instructions with %d results, want %d with %d", insts, results, wantInsts, wantResults)
				}
			})
		}
	}
}

// flatRows are where rows are: of lane i, where it begins and how many elements it has, of 2·lanes − 4.
var flatRows = []struct {
	name string
	row  func(r *rand.Rand, i int) (begin, n int)
}{
	{"side by side", func(_ *rand.Rand, i int) (int, int) { return 2 + 15*(i%16) + i/16, 15 }},
	{"one element each", func(_ *rand.Rand, i int) (int, int) { return 5 + i, 1 }},
	{"to the end", func(_ *rand.Rand, i int) (int, int) { return 2*lanes - 16*9 + 9*(i%16), 9 }},
	{"gaps", func(_ *rand.Rand, i int) (int, int) { return 2 + 8*(i%16), 8 - i%5 }},
	{"a large gap", func(_ *rand.Rand, i int) (int, int) { return 2 + 8*(i%16), 8 - i%6 }},
	{"lengths at random", func(r *rand.Rand, i int) (int, int) { return 2 + 12*(i%16), 8 + r.IntN(5) }},
	{"each from a distance", func(_ *rand.Rand, i int) (int, int) { return 2 + i%37, 1 + i%3 }},
	{"the other way around", func(_ *rand.Rand, i int) (int, int) { return 2 + 12*(15-i%16), 12 }},
	{"into the next one's", func(_ *rand.Rand, i int) (int, int) { return 2 + 10*(i%16), 10 + i%2 }},
	{"beyond the last one", func(_ *rand.Rand, i int) (int, int) {
		if i%16 == 9 {
			return 2 + 4*9, 100
		}
		return 2 + 4*(i%16), 4
	}},
	{"a long one", func(_ *rand.Rand, i int) (int, int) {
		switch i := i % 16; {
		case i < 7:
			return 2 + i, 1
		case i == 7:
			return 9, 200
		default:
			return 202 + i, 1
		}
	}},
	{"of all lanes, side by side", func(_ *rand.Rand, i int) (int, int) { return 2 + 4*(i%64), 4 }},
	{"of all lanes, lengths at random", func(r *rand.Rand, i int) (int, int) { return 7 + 4*(i%64), 1 + r.IntN(4) }},
	{"of all lanes, groups in another order", func(_ *rand.Rand, i int) (int, int) { return 2 + 4*((i+i/16%3*16)%64), 4 }},
	{"of all lanes, one with many", func(_ *rand.Rand, i int) (int, int) {
		n := []int{5, 8, 9, 12, 13, 16, 17, 90}[i/64*3%8]
		switch i := i % 64; {
		case i < 30:
			return 3 + 2*i, 2
		case i == 30:
			return 63, n
		default:
			return 63 + n + 3*(i-31), 3
		}
	}},
	{"of all lanes, one beyond the last", func(_ *rand.Rand, i int) (int, int) {
		if i%64 == 41 {
			return 2 + 4*41, 120
		}
		return 2 + 4*(i%64), 4
	}},
	{"of all lanes, some before the first", func(_ *rand.Rand, i int) (int, int) {
		if i%64 == 0 {
			return 98, 4
		}
		return 2 + 4*(i%64), 4
	}},
}

// TestFlatRows compares rows of all kinds, with lanes of all kinds, of which some select what is not there.
func TestFlatRows(t *testing.T) { each(t, testFlatRows) }

func testFlatRows(t *testing.T, e Engine) {
	for n, b := range flatBodies {
		for m, c := range compares {
			if m > 2 && m != n%len(compares) {
				continue
			}
			t.Run(b.name+", while "+c.name, func(t *testing.T) {
				k := rowLoopWhile(b.body, c.while, (n+m)%2 > 0)
				portable, code, r := compile(t, interp.Engine{}, k), compile(t, e, k), rand.New(rand.NewPCG(11, uint64(8*n+m)))
				for _, rows := range flatRows {
					for _, lanesOf := range masks {
						for _, wrong := range []int{0, 1, 3} {
							data := contents(r)
							for i := range lanes {
								begin, n := rows.row(r, i)
								n = min(n, 2*lanes-2-begin)
								data[1][i], data[2][i], data[bufMask][i] = uint64(begin), uint64(begin+n), 0
								if lanesOf.running(r, i) {
									data[bufMask][i] = 1
								}
								data[0][i] = uint64(r.IntN(2*lanes))<<32 | uint64(r.IntN(2*lanes))
							}
							for range wrong { // an element that selects what is not there, whether or not somebody comes to it
								data[0][r.IntN(lanes)] |= uint64(2*lanes+r.IntN(9)) << (32 * r.IntN(2))
							}
							for _, quantum := range []int{0, 11} {
								want, got := runQuanta(t, portable, k, data, nil, 32, 1, quantum), runQuanta(t, code, k, data, nil, 32, 1, quantum)
								if diff := want.diff(got); diff != "" {
									t.Fatalf("rows %s, lanes %s, %d wrong, quantum %d (-interp +native):\n%s", rows.name, lanesOf.name, wrong, quantum, diff)
								}
							}
						}
					}
				}
			})
		}
	}
}

// TestFlatRegisters holds that there are registers for loops through rows, however many values live from trip to trip.
func TestFlatRegisters(t *testing.T) { each(t, testFlatRegisters) }

func testFlatRegisters(t *testing.T, e Engine) {
	if e.features&amd64.AVX512 == 0 {
		t.Skip("the instruction set has no such loads")
	}
	for n := range 19 {
		for _, product := range []bool{false, true} {
			p := newProgram()
			at, end, again := p.load(1, isa.I32), p.load(2, isa.I32), p.vector(isa.B1)
			var sums []isa.Reg
			for range n + 1 {
				sums = append(sums, p.load(3, isa.I32))
			}
			p.branch(p.load(bufMask, isa.B1), 1, 2)
			y := p.selects(isa.F32, at)
			for i, x := range sums {
				switch {
				case product && i == 0:
					p.emit(isa.Inst{Op: isa.OpFMulAdd, Type: isa.F32, Dst: x, A: y, B: y, C: x})
				case product:
					p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: x, A: x, B: sums[0]})
				default:
					p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: x, A: x, B: p.constant(3), C: y})
				}
			}
			p.advance(at, p.constant(1))
			p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: again, A: at, B: end})
			p.branch(again, 1, 2)
			for _, x := range sums {
				p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: sums[0], A: sums[0], B: x})
			}
			p.store(sums[0], isa.I32)
			p.emit(isa.Inst{Op: isa.OpRet})
			if q := regionOf(t, e, p.k).quads; q == nil || q.flat == nil {
				t.Errorf("%d sums, product %v: nothing is done for elements", n+1, product)
			}
			if _, _, err := emitKernel(e.features, interp.Constants(p.k), planOf(t, e, p.k), map[int]bool{}); err != nil {
				t.Errorf("%d sums, product %v: %v", n+1, product, err)
			}
		}
	}
}
