package native

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/emitters"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// conditionTest is a kernel with a condition.
type conditionTest struct {
	*program
	x, y     isa.Reg // numbers
	a, b, or isa.Reg // x < y, x < 100, a || b
}

// tell stores a boolean.
func (m conditionTest) tell(b isa.Reg) {
	v := m.vector(isa.I32)
	m.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I32, Dst: v, A: b, B: m.constant(7), C: m.constant(8)})
	m.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(0), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: v})
}

// TestConditions holds which comparisons become part of a condition, and that the results are right.
func TestConditions(t *testing.T) { each(t, testConditions) }

func testConditions(t *testing.T, e Engine) {
	less := func(p *program, d, x, y isa.Reg) { p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: d, A: x, B: y}) }
	for _, c := range []struct {
		name  string
		parts int                   // comparisons and conditions that the complement of a || b has
		early func(m conditionTest) // between the comparisons and a || b
		late  func(m conditionTest) // between that and its complement
	}{
		{name: "alone", parts: 3},
		{"a number changes", 2, func(m conditionTest) {
			m.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: m.y, A: m.y, B: m.constant(3)})
		}, nil},
		{"both numbers change", 1, func(m conditionTest) {
			m.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: m.x, A: m.x, B: m.constant(3)})
		}, nil},
		{"a boolean is used again", 2, nil, func(m conditionTest) {
			m.tell(m.b)
		}},
		{"a boolean is used again and changes", 0, nil, func(m conditionTest) {
			m.emit(isa.Inst{Op: isa.OpNot, Type: isa.B1, Dst: m.b, A: m.b})
			m.tell(m.b)
		}},
		{"the result is used again", 0, nil, func(m conditionTest) {
			m.tell(m.or)
		}},
	} {
		p := newProgram()
		m := conditionTest{p, p.load(1, isa.I32), p.load(2, isa.I32), p.vector(isa.B1), p.vector(isa.B1), p.vector(isa.B1)}
		less(p, m.a, m.x, m.y)
		less(p, m.b, m.x, p.constant(100))
		if c.early != nil {
			c.early(m)
		}
		p.emit(isa.Inst{Op: isa.OpOr, Type: isa.B1, Dst: m.or, A: m.a, B: m.b})
		if c.late != nil {
			c.late(m)
		}
		n, v := p.vector(isa.B1), p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpNot, Type: isa.B1, Dst: n, A: m.or})
		p.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I32, Dst: v, A: n, B: p.constant(1), C: p.constant(2)})
		p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(3), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: v})
		sum := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: m.x, B: p.constant(1000), C: m.y})
		p.store(sum, isa.I32)
		p.emit(isa.Inst{Op: isa.OpRet})

		h := hyperblocks(t, e, p.k)[0]
		if h == nil {
			t.Errorf("%s: no hyperblock", c.name)
			continue
		}
		k := &builder{Context: x86.NewContext(e.features, plan.Constants(p.k), nil, 0, emitters.Find)}
		hyper := &hyper{kernel: k, h: h, Compiler: x86.NewCompiler(&k.Context, h.Run, k.NewLabel())}
		hyper.prepareConditions()
		parts := 0
		for i := range h.Run.Code {
			if hyper.maker(i) != i {
				parts++
			}
		}
		if want := c.parts; e.features&amd64.AVX512 != 0 && parts != want || e.features&amd64.AVX512 == 0 && parts != 0 {
			t.Errorf("%s: %d parts, want %d", c.name, parts, want)
		}
		r := rand.New(rand.NewPCG(5, 0))
		for range 5 {
			check(t, e, p.k, r, nil, c.name, func(data *[buffers][]uint64) {
				for i := range lanes {
					data[1][i], data[2][i] = uint64(r.IntN(200)), uint64(r.IntN(200))
				}
			})
		}
	}
}
