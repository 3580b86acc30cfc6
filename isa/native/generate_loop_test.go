package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
)

// walk is an index that goes from trip to trip of a loop: a vector register of 32 or 64 bits, or a scalar.
type walk struct {
	reg  isa.Reg
	typ  isa.Type
	step isa.Reg // what is added to it at the end of a trip, or isa.None
	most int     // what it does not exceed
}

// pointerWalk is a pointer of each lane that goes from trip to trip of a loop.
type pointerWalk struct {
	reg  isa.Reg
	area area
	room int // bytes that it may be read at, in the last trip too
	step isa.Inst
	fast bool // some lanes go twice as far
}

// mostTrips is how many trips a loop makes at most: as many as a lane has fuel for.
const mostTrips = 21

// reading emits a loop that loads.
func (g *generator) reading() {
	if g.n(3) == 0 {
		g.rows()
		return
	}
	g.reads = true
	g.loop(0)
	g.reads = false
}

// longest is how many instructions a piece of a loop has at most.
func (g *generator) longest() int {
	if g.reads {
		return 8
	}
	return 20
}

// walk begins the indices that a loop is going to use; count is its counter, or none.
func (g *generator) walk(count isa.Reg) {
	if count.IsScalar() {
		g.walks = append(g.walks, walk{reg: count, typ: isa.I32, most: 9})
	}
	for range 1 + g.n(2) {
		w := walk{typ: isa.I32, most: g.lanes() - 1}
		if g.once(5) {
			w.typ = isa.I64
		}
		if g.once(5) {
			w.reg, w.most = g.variable(0), g.n(5)
			g.emit(isa.Inst{Op: isa.OpMov, Type: w.typ, Dst: w.reg, A: g.constant(uint64(w.most))})
		} else {
			b := w.typ.Bank()
			w.reg = isa.V(g.kernel.NumVector[b])
			g.kernel.NumVector[b]++
			in := isa.Inst{Op: isa.OpMov, Type: w.typ, Dst: w.reg, A: isa.V(genLane)}
			switch g.n(5) {
			case 0:
				w.most = []int{1, 3, 7, 8, 31}[g.n(5)]
				in.Op, in.B = isa.OpAnd, g.constant(uint64(w.most))
			case 1:
				w.most = g.n(8)
				in.A = g.constant(uint64(w.most))
			case 2:
				in.Op, in.B = isa.OpMul, g.constant(2)
				w.most *= 2
			case 3:
				n := g.n(9)
				in.Op, in.B = isa.OpAdd, g.constant(uint64(n))
				w.most += n
			}
			g.emit(in)
		}
		step := g.n(4)
		w.step = g.constant(uint64(step))
		switch {
		case w.reg.IsVector() && g.once(5): // not the same for all
			w.step = isa.V(genLane)
			step = g.lanes() - 1
		case g.once(8): // soon beyond all memory
			w.step, step = g.constant(uint64(1+g.n(90))), 0
		}
		w.most += step * mostTrips
		g.walks = append(g.walks, w)
	}
	if g.n(2) == 0 {
		g.walkPointer()
	}
}

// walkPointer begins a pointer that a loop is going to use, unless no memory has room for its way.
func (g *generator) walkPointer() {
	a := g.anywhere(isa.I8, []isa.Space{isa.SpaceGlobal, isa.SpaceGlobal, isa.SpaceLocal}[g.n(3)])
	scale, step := 1<<g.n(4), 1<<g.n(4)
	first := isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, A: a.pointer, B: isa.V(genLane), Idx: isa.IdxU32, Space: a.space, Scale: uint32(scale)}
	most := (g.lanes() - 1) * scale
	if g.once(3) {
		first.Op, first.B, first.Idx, first.Scale = isa.OpMov, isa.None, isa.IdxNone, 0
		most = 0
	}
	w := pointerWalk{reg: isa.V(g.kernel.NumVector[isa.Bank64]), area: a}
	w.step = isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: w.reg, A: w.reg, Space: a.space, Disp: int32(step)}
	if w.fast = g.once(4); w.fast {
		w.step.Idx, w.step.Scale = isa.IdxU32, uint32(step)
		step *= 2
	}
	if w.room = a.size - most - step*mostTrips; w.room < 1 {
		return
	}
	g.kernel.NumVector[isa.Bank64]++
	first.Dst = w.reg
	g.emit(first)
	g.pointerWalks = append(g.pointerWalks, w)
}

// readPointer emits loads behind a pointer that walks.
func (g *generator) readPointer() {
	w := g.pointerWalks[g.n(len(g.pointerWalks))]
	t := g.of(isa.SetMem)
	for range 1 + g.n(2) {
		if room := w.room - t.Bytes(); room >= 0 || g.once(missing) {
			in := isa.Inst{Op: isa.OpLoad, Type: t, A: w.reg, Space: w.area.space, Disp: int32(g.n(max(room, 0) + 1))}
			if g.n(4) > 0 {
				in.Disp -= in.Disp % int32(t.Bytes())
			}
			g.result(&in, t)
			g.emit(in)
		}
	}
}

// stride ends a trip of the loop for which there are indices.
func (g *generator) stride() {
	for _, w := range g.pointerWalks {
		if w.fast {
			w.step.B = g.masked(isa.I32, 1)
		}
		g.emit(w.step)
	}
	g.pointerWalks = nil
	for _, w := range g.walks {
		if w.step != isa.None {
			g.emit(isa.Inst{Op: isa.OpAdd, Type: w.typ, Dst: w.reg, A: w.reg, B: w.step})
		}
		if b := w.typ.Bank(); w.reg.IsVector() && g.n(2) == 0 {
			g.lasting[b] = append(g.lasting[b], w.reg)
		}
	}
	g.walks = nil
}

// read emits loads in a loop, mostly at one of its indices.
func (g *generator) read() {
	t := g.of(isa.SetMem)
	w := g.walks[g.n(len(g.walks))]
	a := g.anywhere(t, g.space())
	n := t.Bytes()
	in := isa.Inst{Op: isa.OpLoad, Type: t, A: a.pointer, Space: a.space}
	if g.once(8) { // one pointer or another
		b := g.anywhere(t, a.space)
		p := isa.Inst{Op: isa.OpSelect, Type: isa.I64, Dst: g.variable(0), A: g.scalar(1), B: a.pointer, C: b.pointer}
		if x := g.walks[0]; x.reg.IsScalar() { // from trip to trip
			odd := isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: g.variable(0), A: x.reg, B: g.constant(uint64(1 + g.n(3)))}
			g.emit(odd)
			p.A = g.variable(0)
			g.emit(isa.Inst{Op: isa.OpEq, Type: isa.I32, Dst: p.A, A: odd.Dst, B: g.constant(uint64(g.n(2)))})
		}
		g.emit(p)
		in.A, a.size = p.Dst, min(a.size, b.size)
	}
	a.pointer = in.A
	scale := n
	if g.once(4) {
		scale = []int{1, 2, 4, 8, 16, 32, 3, 12}[g.n(8)]
	}
	switch fits := w.most*scale + n; {
	case a.space != isa.SpacePrivate && g.once(6): // at an index that is made anew in each trip
		g.place(&in, a, false)
	case a.space == isa.SpacePrivate && w.reg.IsVector():
		in.Disp = int32(g.n(a.size - n + 1))
		if g.n(3) > 0 {
			in.Disp = in.Disp / int32(n) * int32(n)
		}
	case fits > a.size && !g.once(12):
		g.place(&in, a, false)
		if a.space == isa.SpacePrivate && in.B.IsVector() {
			in.B, in.Idx, in.Scale, in.Disp = isa.None, isa.IdxNone, 0, 0
		}
	default:
		in.B, in.Scale, in.Idx = w.reg, uint32(scale), []isa.IdxType{isa.IdxU32, isa.IdxU32, isa.IdxS32}[g.n(3)]
		if w.typ == isa.I64 {
			in.Idx = isa.Idx64
		}
		switch x := (isa.Inst{Type: w.typ, A: w.reg, Flags: isa.FlagDense}); {
		case !w.reg.IsVector() || g.n(2) == 0:
		case g.n(2) == 0:
			x.Op, x.B = isa.OpSub, g.constant(uint64(g.n(3)))
			in.Disp = int32(2 * scale)
			x.Dst = g.fresh(w.typ)
			g.emit(x)
			in.B = x.Dst
		default:
			x.Op, x.B = isa.OpXor, g.constant(uint64(g.n(2)))
			x.Dst = g.fresh(w.typ)
			g.emit(x)
			in.B = x.Dst
		}
		if room := a.size - fits; room > 0 && g.n(2) == 0 {
			in.Disp += int32(g.n(room/n+1) * n)
		}
	}
	for range 1 + g.n(3) {
		if !in.B.IsVector() && a.space != isa.SpacePrivate && g.n(2) == 0 {
			g.resultScalar(&in, t)
		} else {
			in.Flags &^= isa.FlagDense
			g.result(&in, t)
		}
		g.emit(in)
		in.Disp += int32(n)
		if int(in.Disp)+n > a.size && !g.once(20) || in.Dst == in.B {
			return
		}
	}
}
