package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// TestLoopLoads runs loops with loads in which lanes leave in different trips: at indices that go on in step,
// or soon lie beyond memory; behind a pointer that changes on the way, so that a loop that has got some way
// has to be undone.
func TestLoopLoads(t *testing.T) { each(t, testLoopLoads) }

func testLoopLoads(t *testing.T, e Engine) {
	p := newProgram()
	emit := func(op isa.Op, t isa.Type, dst, a, b, c isa.Reg) {
		p.emit(isa.Inst{Op: op, Type: t, Dst: dst, A: a, B: b, C: c})
	}
	step, turn, low := p.parameter(0), p.parameter(0), p.parameter(0)
	one, seven := p.constant(1), p.constant(7)
	left, at, number := p.load(1, isa.I32), p.vector(isa.I32), p.vector(isa.I32)
	p.emit(isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, Dst: number, A: isa.V(lane)})
	emit(isa.OpAnd, isa.I32, left, left, seven, isa.None)
	emit(isa.OpAnd, isa.I32, at, number, low, isa.None)
	sum, x, y := p.vector(isa.I32), p.vector(isa.I32), p.vector(isa.I32)
	odd, now, again := p.vector(isa.B1), p.vector(isa.B1), p.vector(isa.B1)
	emit(isa.OpMov, isa.I32, sum, number, isa.None, isa.None)
	emit(isa.OpEq, isa.I32, odd, number, seven, isa.None)
	trip, turns, pointer := p.constant(0), p.constant(0), p.constant(0)
	emit(isa.OpMov, isa.I32, trip, seven, isa.None, isa.None)
	p.branch(p.load(bufMask, isa.B1), 1, 2)
	// The loop.
	emit(isa.OpEq, isa.I32, turns, trip, turn, isa.None)
	emit(isa.OpSelect, isa.I64, pointer, turns, isa.S(2), isa.S(3))
	load := isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(1), B: at, Idx: isa.IdxU32, Scale: 4}
	p.emit(load)
	load.Dst, load.A, load.Disp = y, pointer, 4
	p.emit(load)
	emit(isa.OpMad, isa.I32, sum, sum, seven, x)
	emit(isa.OpXor, isa.I32, sum, sum, y, isa.None)
	emit(isa.OpLtU, isa.I32, now, x, y, isa.None)
	emit(isa.OpXor, isa.B1, odd, odd, now, isa.None)
	emit(isa.OpAdd, isa.I32, at, at, step, isa.None)
	emit(isa.OpAdd, isa.I32, trip, trip, one, isa.None)
	emit(isa.OpSub, isa.I32, left, left, one, isa.None)
	emit(isa.OpLtS, isa.I32, again, one, left, isa.None)
	p.branch(again, 1, 2)
	z := p.vector(isa.I32)
	emit(isa.OpMad, isa.I32, sum, sum, seven, at)
	emit(isa.OpSelect, isa.I32, z, odd, one, seven)
	emit(isa.OpMad, isa.I32, sum, sum, z, left)
	p.store(sum, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	portable, native := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
	r := rand.New(rand.NewPCG(11, 0))
	for _, step1 := range []uint64{0, 1, 2, 50, 1 << 31, 1<<32 - 1} {
		for _, turn1 := range []uint64{0, 7, 8, 10} {
			for _, low1 := range []uint64{0, 1, 15, 1<<32 - 1} {
				for _, lanesOf := range masks {
					data := contents(r)
					for i := range data[bufMask] {
						data[bufMask][i] = 0
						if lanesOf.running(r, i) {
							data[bufMask][i] = 1
						}
					}
					values := map[int]uint64{step.Index(): step1, turn.Index(): turn1, low.Index(): low1}
					for _, quantum := range []int{0, 2} {
						want, got := runQuanta(t, portable, p.k, data, values, 32, 2, quantum), runQuanta(t, native, p.k, data, values, 32, 2, quantum)
						if diff := want.diff(got); diff != "" {
							t.Fatalf("%s (-interp +native):\n%s", fmt.Sprintf("step %d, turn %d, mask %d, lanes %s, quantum %d", step1, turn1, low1, lanesOf.name, quantum), diff)
						}
					}
				}
			}
		}
	}
}
