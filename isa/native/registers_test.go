package native

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// TestRegistersOut has loops keep so many values from trip to trip that not all of those and what shuffles of
// 64 bits need for the lanes of a chunk have registers.
func TestRegistersOut(t *testing.T) { each(t, testRegistersOut) }

func testRegistersOut(t *testing.T, e Engine) {
	for values := 1; values <= 4; values++ {
		for _, kind := range []isa.Type{isa.I32, isa.I64} {
			p := newProgram()
			from, n, again := p.load(0, isa.I32), p.load(1, isa.I32), p.vector(isa.B1)
			p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: n, A: n, B: p.constant(7)})
			var list []isa.Reg
			for i := range values {
				list = append(list, p.load(2+i%2, kind))
			}
			p.jump(1)
			for i, x := range list {
				a, b, y := p.vector(kind), p.vector(kind), p.vector(kind)
				p.emit(isa.Inst{Op: isa.OpAdd, Type: kind, Dst: a, A: x, B: list[(i+1)%values]})
				p.emit(isa.Inst{Op: isa.OpXor, Type: kind, Dst: b, A: x, B: a})
				p.emit(isa.Inst{Op: isa.OpShuffle2, Type: kind, Dst: y, A: a, B: b, C: from})
				p.emit(isa.Inst{Op: isa.OpAdd, Type: kind, Dst: y, A: y, B: a})
				p.emit(isa.Inst{Op: isa.OpXor, Type: kind, Dst: y, A: y, B: b})
				p.emit(isa.Inst{Op: isa.OpAdd, Type: kind, Dst: list[(i+1)%values], A: list[(i+1)%values], B: y})
			}
			p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: n, A: n, B: p.constant(1)})
			p.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: again, A: p.constant(0), B: n})
			p.branch(again, 1, 2)
			for _, x := range list[1:] {
				p.emit(isa.Inst{Op: isa.OpXor, Type: kind, Dst: list[0], A: list[0], B: x})
			}
			p.store(list[0], kind)
			p.emit(isa.Inst{Op: isa.OpRet})
			portable, code := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
			data := contents(rand.New(rand.NewPCG(3, uint64(values))))
			for i := range data[0] {
				data[0][i] = uint64(i * 7 % 40)
			}
			for _, subgroup := range []int{8, 32, 64} {
				if diff := runQuanta(t, portable, p.k, data, nil, subgroup, 1, 0).diff(runQuanta(t, code, p.k, data, nil, subgroup, 1, 0)); diff != "" {
					t.Errorf("%d values of %v, sub-groups of %d (-interp +native):\n%s", values, kind, subgroup, diff)
				}
			}
		}
	}
}

// TestRegistersOutOften has a kernel with many such loops.
func TestRegistersOutOften(t *testing.T) { each(t, testRegistersOutOften) }

func testRegistersOutOften(t *testing.T, e Engine) {
	const loops, values = 24, 3
	p := newProgram()
	from, n, again := p.load(0, isa.I32), p.load(1, isa.I32), p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: n, A: n, B: p.constant(7)})
	var list []isa.Reg
	for i := range values {
		list = append(list, p.load(2+i%2, isa.I32))
	}
	p.jump(1)
	for loop := range loops {
		for i, x := range list {
			a, b, y := p.vector(isa.I32), p.vector(isa.I32), p.vector(isa.I32)
			p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: a, A: x, B: list[(i+1)%values]})
			p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: b, A: x, B: a})
			p.emit(isa.Inst{Op: isa.OpShuffle2, Type: isa.I32, Dst: y, A: a, B: b, C: from})
			p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: y, A: y, B: a})
			p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: y, A: y, B: b})
			p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: list[(i+1)%values], A: list[(i+1)%values], B: y})
		}
		p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: n, A: n, B: p.constant(1)})
		p.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: again, A: p.constant(0), B: n})
		p.branch(again, 1+loop, 2+loop)
	}
	for _, x := range list[1:] {
		p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: list[0], A: list[0], B: x})
	}
	p.store(list[0], isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})

	data := contents(rand.New(rand.NewPCG(5, 1)))
	if diff := runQuanta(t, compile(t, interp.Engine{}, p.k), p.k, data, nil, 32, 1, 0).diff(runQuanta(t, compile(t, e, p.k), p.k, data, nil, 32, 1, 0)); diff != "" {
		t.Errorf("-interp +native:\n%s", diff)
	}
}
