package native

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// TestPairs runs short loops with the same number of trips for all lanes, which two chunks go through together, on both engines:
// with lanes of all chunks, of some, and with more booleans than there are registers for.
func TestPairs(t *testing.T) { each(t, testPairs) }

func testPairs(t *testing.T, e Engine) {
	r := rand.New(rand.NewPCG(5, 1))
	for n := range 60 {
		first, last := uint64(r.IntN(lanes)), uint64(r.IntN(lanes))
		if n%3 == 0 {
			first, last = 0, lanes
		}
		k := uniformLoop(r, min(first, last), max(first, last), uint64(1+r.IntN(9)), 1+r.IntN(10))
		portable, code := compile(t, interp.Engine{}, k), compile(t, e, k)
		data := contents(r)
		for _, quantum := range []int{0, 1, 3} {
			want, left := steps(t, portable, k, data, quantum)
			got, leaves := steps(t, code, k, data, quantum)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("kernel %d, quantum %d (-interp +native):\n%s", n, quantum, diff)
			}
			if diff := cmp.Diff(left, leaves); diff != "" {
				t.Fatalf("kernel %d, quantum %d (-interp +native):\n%s", n, quantum, diff)
			}
		}
	}
}

// uniformLoop returns a kernel whose lanes [first, last) hash what they have, trips times, with so many comparisons each time.
func uniformLoop(r *rand.Rand, first, last, trips uint64, comparisons int) *isa.Kernel {
	p := newProgram()
	x := p.load(0, isa.I32)
	y := p.load(1, isa.I32)
	id, in := p.vector(isa.I64), p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I64, Dst: id, A: isa.V(lane), B: p.constant(first)})
	p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I64, Dst: in, A: id, B: p.constant(last - first)})
	left, more, one := p.constant(0), p.constant(0), p.constant(1)
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: left, A: p.parameter(trips)})
	p.branch(in, 1, 2)

	// Block 1 is the loop. Its booleans are all made before the first of them is used.
	var held []isa.Reg
	for range comparisons {
		held = append(held, p.vector(isa.B1))
		p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: held[len(held)-1], A: x, B: p.constant(uint64(r.Uint32()))})
	}
	for _, m := range held {
		z := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpShrU, Type: isa.I32, Dst: z, A: x, B: p.constant(uint64(1 + r.IntN(31)))})
		p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: z, A: z, B: x})
		p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: z, A: z, B: p.constant(uint64(r.Uint32() | 1)), C: left})
		p.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I32, Dst: x, A: m, B: z, C: x})
	}
	if r.IntN(2) == 0 {
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: y, A: y, B: x})
	}
	p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: left, A: left, B: one})
	p.emit(isa.Inst{Op: isa.OpNe, Type: isa.I32, Dst: more, A: left, B: p.constant(0)})
	p.branch(more, 1, 2)

	p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: x, A: x, B: y})
	p.store(x, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	return p.k
}
