package native

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// rowLoop is a kernel whose lanes go through rows: buffer 1 has where they begin, and buffer 2 where they end. body emits what a trip does with
// the index and the sum, but for what ends it.
func rowLoop(body func(p *program, at, sum isa.Reg)) *isa.Kernel {
	return rowLoopWhile(body, func(p *program, again, at, end isa.Reg) bool {
		p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: again, A: at, B: end})
		return true
	}, false)
}

// rowLoopWhile is rowLoop with another comparison of the index with the end. while says whether lanes stay if it holds; otherwise they leave.
// With last the index is of use behind the loop.
func rowLoopWhile(body func(p *program, at, sum isa.Reg), while func(p *program, again, at, end isa.Reg) bool, last bool) *isa.Kernel {
	p := newProgram()
	at, end, sum, again := p.load(1, isa.I32), p.load(2, isa.I32), p.vector(isa.I32), p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: sum, A: at})
	p.branch(p.load(bufMask, isa.B1), 1, 2)
	body(p, at, sum)
	if while(p, again, at, end) {
		p.branch(again, 1, 2)
	} else {
		p.branch(again, 2, 1)
	}
	if last {
		p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: sum, A: sum, B: at})
	}
	p.store(sum, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	return p.k
}

// addElement emits a load of the element of a buffer that an index selects, and adds it to sum.
func (p *program) addElement(buffer int, at, sum isa.Reg, disp int) {
	x := p.vector(isa.I32)
	p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(buffer), B: at, Idx: isa.IdxU32, Scale: 4, Disp: int32(disp)})
	p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: sum, B: p.constant(3), C: x})
}

// advance emits what adds a number to the index.
func (p *program) advance(at, by isa.Reg) {
	p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: at, A: at, B: by})
}

// regionOf returns the region that begins at block 1 of a kernel.
func regionOf(t *testing.T, e Engine, k *isa.Kernel) *region {
	t.Helper()
	r := &recorder{accelerator: &accelerator{features: e.features, constants: interp.Constants(k)}}
	if _, err := interp.Compile(&isa.Program{Kernels: []*isa.Kernel{k}}, k, r); err != nil {
		t.Fatal(err)
	}
	region := (&builder{Assembler: amd64.New(e.features), features: e.features, constants: interp.Constants(k), plan: r.plan}).regionAt(1)
	if region == nil {
		t.Fatal("no region")
	}
	return region
}

// TestQuads holds which loads are done for four trips at a time, and that they give the same then.
func TestQuads(t *testing.T) { each(t, testQuads) }

func testQuads(t *testing.T, e Engine) {
	for _, c := range []struct {
		name             string
		body             func(p *program, at, sum isa.Reg)
		streams, cursors int
	}{
		{"a row", func(p *program, at, sum isa.Reg) {
			p.addElement(0, at, sum, 0)
			p.advance(at, p.constant(1))
		}, 1, 1},
		{"two rows", func(p *program, at, sum isa.Reg) {
			p.addElement(0, at, sum, 0)
			p.addElement(3, at, sum, 0)
			p.advance(at, p.constant(1))
		}, 2, 1},
		{"five rows", func(p *program, at, sum isa.Reg) {
			for i := range 5 {
				p.addElement(i%4, at, sum, 4*i)
			}
			p.advance(at, p.constant(1))
		}, maxStreams, 1},
		{"behind the step", func(p *program, at, sum isa.Reg) {
			p.addElement(0, at, sum, 0)
			p.advance(at, p.constant(1))
			p.addElement(0, at, sum, 0)
		}, 2, 2},
		{"before the row", func(p *program, at, sum isa.Reg) {
			p.addElement(0, at, sum, -8)
			p.advance(at, p.constant(1))
		}, 1, 1},
		{"a step of two, half of it back", func(p *program, at, sum isa.Reg) {
			p.addElement(0, at, sum, 0)
			p.advance(at, p.constant(2))
			p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: at, A: at, B: p.constant(1)})
		}, 1, 1},
		{"by way of another register", func(p *program, at, sum isa.Reg) {
			x := p.vector(isa.I32)
			p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: x, A: p.constant(5), B: at})
			p.addElement(0, x, sum, -20)
			p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: at, A: x, B: p.constant(4)})
		}, 1, 1},
		{"what the elements select", func(p *program, at, sum isa.Reg) {
			x := p.vector(isa.I32)
			p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(0), B: at, Idx: isa.IdxU32, Scale: 4})
			p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: x, B: p.constant(127)})
			p.addElement(3, x, sum, 0)
			p.advance(at, p.constant(1))
		}, 1, 1},
		{"a step of two", func(p *program, at, sum isa.Reg) {
			p.addElement(0, at, sum, 0)
			p.advance(at, p.constant(2))
		}, 0, 0},
		{"a step that is a parameter", func(p *program, at, sum isa.Reg) {
			p.addElement(0, at, sum, 0)
			p.advance(at, p.parameter(1))
		}, 0, 0},
		{"every other element", func(p *program, at, sum isa.Reg) {
			x := p.vector(isa.I32)
			p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(0), B: at, Idx: isa.IdxU32, Scale: 8})
			p.advance(sum, x)
			p.advance(at, p.constant(1))
		}, 0, 0},
		{"elements of 64 bits", func(p *program, at, sum isa.Reg) {
			x := p.vector(isa.I64)
			p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I64, Space: isa.SpaceGlobal, Dst: x, A: isa.S(0), B: at, Idx: isa.IdxU32, Scale: 8})
			p.emit(isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, Dst: sum, A: x})
			p.advance(at, p.constant(1))
		}, 0, 0},
		{"a number of trips", func(p *program, at, sum isa.Reg) {
			p.addElement(0, at, sum, 0)
			p.advance(at, p.constant(1))
			n := p.parameter(0)
			p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: n, A: n, B: p.constant(1)})
		}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := rowLoop(c.body)
			if e.features&amd64.AVX512 != 0 {
				region := regionOf(t, e, k)
				var q quads
				if region.quads != nil {
					q = *region.quads
				}
				if len(q.streams) != c.streams || len(q.cursors) != c.cursors {
					t.Errorf("%d loads by %d indices, want %d by %d", len(q.streams), len(q.cursors), c.streams, c.cursors)
				}
			}
			portable, code, r := compile(t, interp.Engine{}, k), compile(t, e, k), rand.New(rand.NewPCG(7, 3))
			for _, most := range []int{1, 12, 40} {
				for _, lanesOf := range masks {
					data := contents(r)
					for i := range lanes {
						data[1][i] = uint64(2 + (i*i+7*i)%(lanes/2))
						data[2][i] = data[1][i] + uint64(i*i%13*7%most)
						data[bufMask][i] = 0
						if lanesOf.running(r, i) {
							data[bufMask][i] = 1
						}
					}
					for _, quantum := range []int{0, 9} {
						want, got := runQuanta(t, portable, k, data, nil, 32, 1, quantum), runQuanta(t, code, k, data, nil, 32, 1, quantum)
						if diff := want.diff(got); diff != "" {
							t.Fatalf("%d trips, lanes %s, quantum %d (-interp +native):\n%s", most, lanesOf.name, quantum, diff)
						}
					}
				}
			}
		})
	}
}
