package native

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestRegionEntry runs a loop that some lanes enter in its middle: they wait there while the others come from
// its head, and what the trips count tells whether they have been taken along.
func TestRegionEntry(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		p := newProgram()
		x, left, runs := p.load(1, isa.I32), p.load(2, isa.I32), p.load(bufMask, isa.B1)
		again, trips := p.vector(isa.B1), p.constant(0)
		p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: left, A: left, B: p.constant(7)})
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: trips, A: p.constant(3)})
		p.branch(runs, 1, 2)
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: trips, A: trips, B: p.constant(1)})
		p.emit(isa.Inst{Op: isa.OpMul, Type: isa.I32, Dst: x, A: x, B: trips})
		p.jump(2)
		p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: x, A: x, B: trips})
		p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: left, A: left, B: p.constant(1)})
		p.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: again, A: p.constant(0), B: left})
		p.branch(again, 1, 3)
		p.store(x, isa.I32)
		p.emit(isa.Inst{Op: isa.OpRet})
		check(t, e, p.k, rand.New(rand.NewPCG(1, 2)), nil, "entry", func(*[buffers][]uint64) {})
	})
}
