package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// wideLoop is a loop that computes indices in 64 bits.
type wideLoop struct {
	*program
	start, low, first, step, pace isa.Reg // scalar parameters
}

// newWideLoop makes a kernel. In a trip, lanes load at the sum of a number of their own and a scalar, both of
// 64 bits, and at some bits of another number, which goes on by so much a trip, is compared and is stored
// behind the loop.
func newWideLoop() *wideLoop {
	p := &wideLoop{program: newProgram()}
	emit := func(op isa.Op, t isa.Type, dst, a, b, c isa.Reg) {
		p.emit(isa.Inst{Op: op, Type: t, Dst: dst, A: a, B: b, C: c})
	}
	p.start, p.low, p.first, p.step, p.pace = p.parameter(0), p.parameter(0), p.parameter(0), p.parameter(0), p.parameter(0)
	one, seven := p.constant(1), p.constant(7)
	left, sum, x, y := p.load(1, isa.I32), p.vector(isa.I32), p.vector(isa.I32), p.vector(isa.I32)
	stays, walks, index, low := p.vector(isa.I64), p.vector(isa.I64), p.vector(isa.I64), p.vector(isa.I64)
	odd, now, again := p.vector(isa.B1), p.vector(isa.B1), p.vector(isa.B1)
	emit(isa.OpAnd, isa.I32, left, left, seven, isa.None)
	emit(isa.OpMov, isa.I32, sum, left, isa.None, isa.None)
	emit(isa.OpEq, isa.I32, odd, left, seven, isa.None)
	emit(isa.OpAnd, isa.I64, stays, isa.V(lane), p.low, isa.None)
	emit(isa.OpAdd, isa.I64, walks, stays, p.pace, isa.None)
	emit(isa.OpAdd, isa.I64, stays, stays, p.start, isa.None)
	at := p.constant(0)
	emit(isa.OpMov, isa.I64, at, p.first, isa.None, isa.None)
	p.branch(p.load(bufMask, isa.B1), 1, 2)
	// The loop.
	emit(isa.OpAdd, isa.I64, index, stays, at, isa.None)
	load := isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(0), B: index, Idx: isa.Idx64, Scale: 4}
	p.emit(load)
	emit(isa.OpAnd, isa.I64, low, walks, p.constant(63), isa.None)
	load.Dst, load.A, load.B, load.Disp = y, isa.S(2), low, 8
	p.emit(load)
	emit(isa.OpMad, isa.I32, sum, sum, seven, x)
	emit(isa.OpXor, isa.I32, sum, sum, y, isa.None)
	emit(isa.OpLtS, isa.I64, now, walks, index, isa.None)
	emit(isa.OpXor, isa.B1, odd, odd, now, isa.None)
	emit(isa.OpAdd, isa.I64, at, at, p.step, isa.None)
	emit(isa.OpAdd, isa.I64, walks, walks, p.pace, isa.None)
	emit(isa.OpSub, isa.I32, left, left, one, isa.None)
	emit(isa.OpLtS, isa.I32, again, one, left, isa.None)
	p.branch(again, 1, 2)
	z := p.vector(isa.I32)
	emit(isa.OpSelect, isa.I32, z, odd, one, seven)
	emit(isa.OpMad, isa.I32, sum, sum, z, left)
	p.store(sum, isa.I32)
	p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I64, Space: isa.SpaceGlobal, A: isa.S(3), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: walks})
	p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I64, Space: isa.SpaceGlobal, A: isa.S(1), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: index})
	p.emit(isa.Inst{Op: isa.OpRet})
	return p
}

// TestLoopNarrowing runs loops that compute indices in 64 bits, whose lower halves lie inside of memory while
// the whole may not: in the beginning, or after some trips.
func TestLoopNarrowing(t *testing.T) { each(t, testLoopNarrowing) }

func testLoopNarrowing(t *testing.T, e Engine) {
	p := newWideLoop()
	b := newBuilder(e.features, nil, planOf(t, e, p.k))
	if r := b.regionAt(1); r == nil || r.narrowed == nil || r.Lanes != x86.SetOf(e.features).Bits()/32 {
		t.Error("the loop does not compute in 32 bits")
	}
	portable, native := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
	r := rand.New(rand.NewPCG(12, 0))
	const half, whole = 1 << 31, 1 << 32
	starts := []uint64{0, half - 1, half + 16, whole, ^uint64(0)}
	steps := []uint64{0, 1, half - 1, half, whole, ^uint64(0)}
	for _, low := range []uint64{0, 15, ^uint64(0), whole | 3} {
		for _, start := range starts {
			for _, first := range starts {
				for _, step := range steps {
					for _, pace := range steps {
						m := masks[r.IntN(len(masks))]
						data := contents(r)
						for i := range data[bufMask] {
							data[bufMask][i] = 0
							if m.running(r, i) {
								data[bufMask][i] = 1
							}
						}
						values := map[int]uint64{p.low.Index(): low, p.start.Index(): start, p.first.Index(): first,
							p.step.Index(): step, p.pace.Index(): pace}
						quantum := 2 * r.IntN(2)
						want, got := runQuanta(t, portable, p.k, data, values, 32, 2, quantum), runQuanta(t, native, p.k, data, values, 32, 2, quantum)
						if diff := want.diff(got); diff != "" {
							t.Fatalf("%s (-interp +native):\n%s", fmt.Sprintf("start %#x, low %#x, first %#x, step %#x, pace %#x, lanes %s, quantum %d",
								start, low, first, step, pace, m.name, quantum), diff)
						}
					}
				}
			}
		}
	}
}
