package native

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// TestTogether runs short loops with the same number of trips for all lanes, which several chunks go through
// together, on both engines: with lanes of all chunks, of some, and with more booleans than there are
// registers for.
func TestTogether(t *testing.T) { each(t, testTogether) }

func testTogether(t *testing.T, e Engine) {
	r := rand.New(rand.NewPCG(5, 1))
	kernels := amount(30, 60, 120)
	for n := range kernels {
		lanes := 40 + r.IntN(420)
		first, last := uint64(r.IntN(lanes)), uint64(r.IntN(lanes))
		if n%3 == 0 {
			first, last = 0, uint64(lanes)
		}
		k := uniformLoop(r, min(first, last), max(first, last), uint64(1+r.IntN(9)), r.IntN(10), n%2 == 0)
		portable, code := compile(t, interp.Engine{}, k), compile(t, e, k)
		data := new([buffers][]uint64)
		for i := range data {
			for range lanes {
				data[i] = append(data[i], random(r))
			}
		}
		subgroup := 4 << r.IntN(6)
		for _, quantum := range []int{0, 1, 3} {
			want, left := stepsOf(t, portable, k, data, quantum, subgroup)
			got, leaves := stepsOf(t, code, k, data, quantum, subgroup)
			if diff := diffMoments(want, got); diff != "" {
				t.Fatalf("kernel %d, %d lanes, sub-groups of %d, quantum %d (-interp +native):\n%s", n, lanes, subgroup, quantum, diff)
			}
			if diff := left.diff(leaves); diff != "" {
				t.Fatalf("kernel %d, %d lanes, sub-groups of %d, quantum %d (-interp +native):\n%s", n, lanes, subgroup, quantum, diff)
			}
		}
	}
}

// uniformLoop returns a kernel whose lanes [first, last) hash what they have, trips times, with so many
// comparisons each time and, perhaps, instructions across lanes.
func uniformLoop(r *rand.Rand, first, last, trips uint64, comparisons int, across bool) *isa.Kernel {
	p := newProgram()
	x, y, z := p.load(0, isa.I32), p.load(1, isa.I32), p.load(2, isa.F32)
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
	if across {
		p.acrossLanes(r, x, z)
	}
	for _, m := range held {
		u := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpShrU, Type: isa.I32, Dst: u, A: x, B: p.constant(uint64(1 + r.IntN(31)))})
		p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: u, A: u, B: x})
		p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: u, A: u, B: p.constant(uint64(r.Uint32() | 1)), C: left})
		p.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I32, Dst: x, A: m, B: u, C: x})
	}
	if r.IntN(2) == 0 {
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: y, A: y, B: x})
	}
	p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: left, A: left, B: one})
	p.emit(isa.Inst{Op: isa.OpNe, Type: isa.I32, Dst: more, A: left, B: p.constant(0)})
	p.branch(more, 1, 2)

	p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: x, A: x, B: y})
	p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: x, A: x, B: z})
	p.store(x, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	return p.k
}

// acrossLanes emits some instructions across lanes, the results of which become x and z.
func (p *program) acrossLanes(r *rand.Rand, x, z isa.Reg) {
	scans := r.IntN(2) == 0 // nothing else
	for range 1 + r.IntN(5) {
		t, a := isa.I32, x
		op := []isa.ScanOp{isa.ScanAdd, isa.ScanMaxU, isa.ScanXor}[r.IntN(3)]
		if r.IntN(2) == 0 {
			t, a, op = isa.F32, z, []isa.ScanOp{isa.ScanFAdd, isa.ScanFMin}[r.IntN(2)]
		}
		if r.IntN(2) == 0 {
			// What one makes the next one takes, in registers of their own.
			d := p.vector(t)
			p.emit(isa.Inst{Op: isa.OpScan, Type: t, Dst: d, A: a, Imm: isa.ScanImm(isa.ScanReduce, op)})
			p.emit(isa.Inst{Op: isa.OpScan, Type: t, Dst: a, A: d, Imm: isa.ScanImm(isa.ScanReduce, op)})
			continue
		}
		switch r.IntN(6) {
		case 0: // the bits of comparisons, which several chunks may want at once
			m := p.vector(isa.B1)
			p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: m, A: x, B: p.constant(uint64(r.Uint32()))})
			p.emit(isa.Inst{Op: isa.OpBallot, Type: isa.B1, Dst: x, A: m, Imm: uint32(r.IntN(3))})
			continue
		case 1: // a sum that stays in a register as float arithmetic leaves it
			p.emit(isa.Inst{Op: isa.OpFMul, Type: isa.F32, Dst: z, A: z, B: p.constant(uint64(0x3f000000))})
			p.emit(isa.Inst{Op: isa.OpScan, Type: isa.F32, Dst: z, A: z, Imm: isa.ScanImm(isa.ScanReduce, isa.ScanFAdd)})
			continue
		}
		switch n := r.IntN(6); {
		case scans || n < 3:
			kind := isa.ScanReduce
			if t == isa.I32 {
				kind = []isa.ScanKind{isa.ScanReduce, isa.ScanInclusive, isa.ScanExclusive}[r.IntN(3)]
			}
			p.emit(isa.Inst{Op: isa.OpScan, Type: t, Dst: a, A: a, Imm: isa.ScanImm(kind, op), Scale: []uint32{0, 0, 2, 8}[r.IntN(4)]})
		case n == 3:
			p.emit(isa.Inst{Op: isa.OpShuffle, Type: t, Dst: a, A: a, B: p.inside(x, p.constant(uint64(r.IntN(64))))})
		case n == 4:
			m := p.vector(isa.B1)
			p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: m, A: x, B: p.constant(uint64(r.Uint32()))})
			p.emit(isa.Inst{Op: isa.OpVote, Type: isa.B1, Dst: m, A: m, Imm: uint32(isa.VoteAny)})
			p.emit(isa.Inst{Op: isa.OpSelect, Type: t, Dst: a, A: m, B: a, C: p.constant(uint64(r.Uint32()))})
		default:
			p.emit(isa.Inst{Op: isa.OpBroadcastFirst, Type: t, Dst: a, A: a})
		}
	}
}
