package native

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
)

// keep returns a new lasting vector register of 32 bits.
func (g *generator) keep() isa.Reg {
	r := isa.V(g.kernel.NumVector[isa.Bank32])
	g.kernel.NumVector[isa.Bank32]++
	return r
}

// word emits an instruction for elements of 32 bits whose result is a lasting register, a new one if that is
// isa.None.
func (g *generator) word(op isa.Op, t isa.Type, dst, a, b isa.Reg) isa.Reg {
	if dst == isa.None {
		dst = g.keep()
	}
	g.emit(isa.Inst{Op: op, Type: t, Dst: dst, A: a, B: b})
	return dst
}

// rows emits a loop in which each lane goes through elements in a row, as many as it likes and from where it
// likes on, and adds up what they are and what they select.
func (g *generator) rows() {
	a := g.anywhere(isa.I32, []isa.Space{isa.SpaceGlobal, isa.SpaceLocal}[g.n(2)])
	most := min(uint(15), uint(1)<<(bits.Len(uint(a.size/4))-1)/2) // elements of a row
	if most&(most+1) != 0 {
		most--
	}
	room := uint(a.size/4) - most // for where it begins
	at, end, less := isa.None, isa.None, isa.OpLtU
	switch lane := isa.V(genLane); g.n(6) {
	case 0:
		at = g.word(isa.OpAnd, isa.I32, isa.None, g.vector(isa.I32), g.constant(1<<(bits.Len(room)-1)-1))
	case 1:
		at = g.word(isa.OpMul, isa.I32, isa.None, lane, g.constant(uint64(g.n(9))))
		g.word(isa.OpMinU, isa.I32, at, at, g.constant(uint64(room-1)))
	case 2: // to the end of the memory
		at = g.word(isa.OpAnd, isa.I32, isa.None, lane, g.constant(3))
		g.word(isa.OpMinU, isa.I32, at, at, g.constant(uint64(room-1)))
		g.word(isa.OpSub, isa.I32, at, g.constant(uint64(room-1)), at)
	case 3:
		at = g.word(isa.OpMinU, isa.I32, isa.None, lane, g.constant(uint64(room-1)))
	default: // side by side, with gaps of a few elements, and now and then with a larger one
		n := uint64(1 + g.n(int(min(most, 8))))
		at = g.word(isa.OpMul, isa.I32, isa.None, lane, g.constant(n))
		g.word(isa.OpMinU, isa.I32, at, at, g.constant(uint64(room-1)))
		gap := uint64(1)<<g.n(4) - 1
		for gap >= n {
			gap /= 2
		}
		end = g.word(isa.OpSub, isa.I32, isa.None, g.constant(n), g.word(isa.OpAnd, isa.I32, isa.None, g.vector(isa.I32), g.constant(gap)))
		less = []isa.Op{isa.OpLtU, isa.OpLtS, isa.OpNe}[g.n(3)]
	}
	if less == isa.OpLtU && (end == isa.None || g.once(4)) {
		end = g.word(isa.OpAnd, isa.I32, isa.None, []isa.Reg{isa.V(genLane), g.vector(isa.I32), g.scalar(32)}[g.n(3)], g.constant(uint64(most)))
		if g.once(6) { // beyond it
			end = g.constant(uint64(g.n(16)))
		}
	}
	end = g.word(isa.OpAdd, isa.I32, isa.None, at, end)
	sum, other := g.word(isa.OpMov, isa.I32, isa.None, g.operand(isa.I32), isa.None), g.keep()
	g.word(isa.OpMov, isa.I32, other, isa.V(genLane), isa.None)
	step := g.constant(1)
	if less == isa.OpLtU && g.once(8) {
		if step = g.constant(2); g.n(2) == 0 {
			step = g.word(isa.OpOr, isa.I32, isa.None, isa.V(genLane), step) // not 0
		}
	}
	body, next, behind := g.block(), g.block(), g.block()
	g.jump(body)
	g.depth++
	g.begin(body)
	leave := func() {
		again, goes := g.fresh(isa.B1), g.fresh(isa.B1)
		cond := isa.Inst{Op: less, Type: isa.I32, Dst: again, A: at, B: end, Flags: isa.FlagDense}
		turned := g.n(3) == 0
		if less == isa.OpNe && g.n(2) == 0 {
			cond.A, cond.B = end, at
		}
		switch {
		case !turned:
		case less == isa.OpNe:
			cond.Op = isa.OpEq
		case less == isa.OpLtS:
			cond.Op, cond.A, cond.B = isa.OpLeS, end, at
		default:
			cond.Op, cond.A, cond.B = isa.OpLeU, end, at
		}
		g.emit(cond)
		if g.n(4) == 0 { // sooner
			x := g.word(isa.OpAnd, isa.I32, isa.None, sum, g.constant(7))
			g.emit(isa.Inst{Op: isa.OpNe, Type: isa.I32, Dst: goes, A: x, B: g.constant(3), Flags: isa.FlagDense})
			if turned {
				g.emit(isa.Inst{Op: isa.OpEq, Type: isa.I32, Dst: goes, A: x, B: g.constant(3), Flags: isa.FlagDense})
				g.emit(isa.Inst{Op: isa.OpOr, Type: isa.B1, Dst: again, A: again, B: goes, Flags: isa.FlagDense})
			} else {
				g.emit(isa.Inst{Op: isa.OpAnd, Type: isa.B1, Dst: again, A: again, B: goes, Flags: isa.FlagDense})
			}
		}
		if turned {
			g.fork(again, behind, next)
		} else {
			g.fork(again, next, behind)
		}
	}
	g.elements(a, at, sum, other)
	if g.n(3) == 0 {
		g.word(isa.OpAdd, isa.I32, at, at, step)
		leave()
		g.begin(next)
		g.elements(a, at, sum, other)
		g.jump(body)
	} else {
		if g.n(2) == 0 {
			g.elements(a, at, sum, other)
		}
		g.word(isa.OpAdd, isa.I32, at, at, step)
		leave()
		g.begin(next)
		g.jump(body)
	}
	g.depth--
	g.begin(behind)
	for _, r := range []isa.Reg{at, sum, other} {
		if g.n(3) > 0 {
			g.lasting[isa.Bank32] = append(g.lasting[isa.Bank32], r)
		}
	}
}

// elements emits loads of one or more elements that an index selects, and of one that they select, and adds
// them up.
func (g *generator) elements(a area, at, sum, other isa.Reg) {
	for range 1 + g.n(2) {
		t := []isa.Type{isa.I32, isa.F32}[g.n(2)]
		in := isa.Inst{Op: isa.OpLoad, Type: t, Space: a.space, A: a.pointer, B: at, Idx: []isa.IdxType{isa.IdxU32, isa.IdxS32}[g.n(2)], Scale: 4, Dst: g.fresh(t), Flags: isa.FlagDense}
		if g.once(6) {
			in.Space = isa.SpaceGeneric
		}
		if n := g.n(4); g.n(3) == 0 { // relative to another index
			op, disp := isa.OpAdd, -4*n
			if g.n(2) == 0 {
				op, disp = isa.OpSub, 4*n
			}
			in.B, in.Disp = g.fresh(isa.I32), int32(disp)
			g.emit(isa.Inst{Op: op, Type: isa.I32, Dst: in.B, A: at, B: g.constant(uint64(n)), Flags: isa.FlagDense})
		}
		if g.once(8) {
			in.Disp += 4
		}
		if g.once(8) { // what is of use in the next trip, or behind the loop
			in.Dst, in.Flags = []isa.Reg{sum, other}[g.n(2)], 0
		}
		g.emit(in)
		switch g.n(4) {
		case 0:
			g.emit(isa.Inst{Op: isa.OpFAdd, Type: isa.F32, Dst: other, A: other, B: in.Dst})
		case 1:
			x := g.fresh(isa.I32)
			b := g.anywhere(isa.I32, isa.SpaceGlobal)
			mask := uint64(1)<<(bits.Len(uint(b.size/4))-1) - 1
			if g.once(12) {
				mask = 2*mask + 1
			}
			g.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: in.Dst, B: g.constant(mask), Flags: isa.FlagDense})
			if g.n(2) == 0 {
				y := g.fresh(isa.F32)
				g.emit(isa.Inst{Op: isa.OpLoad, Type: isa.F32, Space: b.space, A: b.pointer, B: x, Idx: isa.IdxU32, Scale: 4, Dst: y, Flags: isa.FlagDense})
				if g.n(4) == 0 {
					g.emit(isa.Inst{Op: isa.OpFMul, Type: isa.F32, Dst: y, A: y, B: in.Dst, Flags: isa.FlagDense})
				}
				g.emit(isa.Inst{Op: isa.OpFMulAdd, Type: isa.F32, Dst: other, A: in.Dst, B: y, C: other})
				break
			}
			g.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: b.space, A: b.pointer, B: x, Idx: isa.IdxU32, Scale: 4, Dst: x, Flags: isa.FlagDense})
			g.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: sum, A: sum, B: x})
		case 2:
			g.emit(isa.Inst{Op: isa.OpMul, Type: isa.I32, Dst: sum, A: sum, B: g.constant(5)})
			fallthrough
		default:
			g.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: sum, A: sum, B: in.Dst})
		}
	}
}
