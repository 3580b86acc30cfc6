package native

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// TestLoopPointers runs loops in which scalar pointers walk, and lanes leave in different trips: one that the
// loop loads behind, which soon leads out of its memory or not, and one that may go further than offsets
// reach, of which the result has what it has become.
func TestLoopPointers(t *testing.T) { each(t, testLoopPointers) }

func testLoopPointers(t *testing.T, e Engine) {
	p := newProgram()
	emit := func(op isa.Op, t isa.Type, dst, a, b, c isa.Reg) {
		p.emit(isa.Inst{Op: op, Type: t, Dst: dst, A: a, B: b, C: c})
	}
	step, wide := p.parameter(0), p.parameter(0)
	one, seven := p.constant(1), p.constant(7)
	left, number := p.load(1, isa.I32), p.vector(isa.I32)
	p.emit(isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, Dst: number, A: isa.V(lane)})
	emit(isa.OpAnd, isa.I32, left, left, seven, isa.None)
	sum, x, again := p.vector(isa.I32), p.vector(isa.I32), p.vector(isa.B1)
	emit(isa.OpMov, isa.I32, sum, number, isa.None, isa.None)
	near, far := p.constant(0), p.constant(0)
	emit(isa.OpMov, isa.I64, near, isa.S(1), isa.None, isa.None)
	emit(isa.OpMov, isa.I64, far, isa.S(2), isa.None, isa.None)
	p.branch(p.load(bufMask, isa.B1), 1, 2)
	// The loop.
	p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: near, B: number, Idx: isa.IdxS32, Scale: 4})
	emit(isa.OpMad, isa.I32, sum, sum, seven, x)
	p.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Space: isa.SpaceGlobal, Dst: near, A: near, B: step, Idx: isa.IdxS32, Scale: 4})
	p.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Space: isa.SpaceGlobal, Dst: far, A: far, B: wide, Idx: isa.Idx64, Scale: 3, Disp: 5})
	emit(isa.OpSub, isa.I32, left, left, one, isa.None)
	emit(isa.OpLtS, isa.I32, again, one, left, isa.None)
	p.branch(again, 1, 2)
	for _, shift := range []uint64{0, 16, 32} {
		low, part := p.constant(0), p.constant(0)
		emit(isa.OpShrU, isa.I64, part, far, p.constant(shift), isa.None)
		p.emit(isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, Dst: low, A: part})
		emit(isa.OpMad, isa.I32, sum, sum, seven, low)
	}
	emit(isa.OpMad, isa.I32, sum, sum, seven, left)
	p.store(sum, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	portable, native := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
	r := rand.New(rand.NewPCG(12, 0))
	for _, step1 := range []uint64{0, 1, 3, 40, 1<<32 - 1, 1 << 31} {
		for _, wide1 := range []uint64{0, 9, 1 << 36, 1 << 37, 1 << 62, 1<<64 - 3, 1<<64 - 1<<36} {
			for _, lanesOf := range masks {
				data := contents(r)
				for i := range data[bufMask] {
					data[bufMask][i] = 0
					if lanesOf.running(r, i) {
						data[bufMask][i] = 1
					}
				}
				values := map[int]uint64{step.Index(): step1, wide.Index(): wide1}
				for _, quantum := range []int{0, 2} {
					want, got := runQuanta(t, portable, p.k, data, values, 32, 2, quantum), runQuanta(t, native, p.k, data, values, 32, 2, quantum)
					if diff := want.diff(got); diff != "" {
						t.Fatalf("step %d, wide %#x, lanes %s, quantum %d (-interp +native):\n%s", step1, wide1, lanesOf.name, quantum, diff)
					}
				}
			}
		}
	}
}
