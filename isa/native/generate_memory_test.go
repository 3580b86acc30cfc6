package native

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
)

func ptr(b []byte, i int) unsafe.Pointer { return unsafe.Pointer(&b[i]) }

// area is a piece of memory.
type area struct {
	space   isa.Space
	pointer isa.Reg // scalar
	size    int
	from    int // where it begins, behind the pointer
}

// anywhere returns some memory with room for an element of the type.
func (g *generator) anywhere(t isa.Type, space isa.Space) area {
	for {
		var a area
		switch space {
		case isa.SpaceGlobal:
			i := g.n(genBuffers)
			a = area{space: space, pointer: isa.S(i), size: len(g.global[i])}
		case isa.SpaceLocal:
			i := g.n(len(g.local))
			a = area{space: space, pointer: g.constant(isa.PointerBits(space, i)), size: int(g.local[i])}
		default:
			i := g.n(len(g.kernel.Private))
			a = area{space: space, pointer: g.constant(isa.PointerBits(space, i)), size: int(g.kernel.Private[i].Size)}
		}
		if a.size >= t.Bytes() {
			return a
		}
		space = isa.SpaceGlobal // which has always room
	}
}

func (g *generator) space() isa.Space {
	s := [...]isa.Space{isa.SpaceGlobal, isa.SpaceGlobal, isa.SpaceGlobal, isa.SpaceLocal, isa.SpacePrivate}[g.n(5)]
	if s == isa.SpacePrivate && g.steady {
		return isa.SpaceLocal
	}
	return s
}

// One access in so many is allowed to miss its memory.
const missing = 150

// place chooses the address of an access to an area. aligned asks for the type's alignment.
func (g *generator) place(in *isa.Inst, a area, aligned bool) {
	defer func() { in.Disp += int32(a.from) }()
	n := in.Type.Bytes()
	in.A, in.Space = a.pointer, a.space
	if g.once(6) {
		in.Space = isa.SpaceGeneric
	}
	scale := []int{n, n, n, n, n * 2, 1, 2, 4, 8, 16, 12, 64, n * 3, 3, 6, 5}[g.n(16)]
	if aligned {
		scale = max(scale, n) / n * n
	}
	in.Scale = uint32(scale)
	// The highest index, such that the last element ends where the area does, or before.
	room := a.size - n
	disp := 0
	switch g.n(3) {
	case 0:
		disp = room % scale
	case 1:
		disp = g.n(room + 1)
	}
	if aligned || !g.once(10) {
		disp -= disp % n
	}
	miss := g.once(missing)
	if miss && !aligned && g.n(2) == 0 {
		disp = (room + 1) % scale // by one byte
	}
	in.Disp = int32(disp)
	highest := (room - disp) / scale
	if miss {
		highest++
	}
	kind := g.n(10)
	if kind == 0 {
		in.Idx, in.Scale = isa.IdxNone, 0
		if miss {
			in.Disp = int32(room + 1)
		}
		return
	}
	if kind == 1 {
		in.Idx, in.B = isa.IdxU32, g.constant(uint64(g.n(highest+1)))
		if miss {
			in.B = g.constant(uint64(highest))
		}
		return
	}
	in.Idx = [...]isa.IdxType{isa.IdxU32, isa.IdxU32, isa.IdxS32, isa.Idx64}[g.n(4)]
	t := in.Idx.Type()
	lane := isa.V(genLane)
	index := isa.Inst{Type: t, Flags: isa.FlagDense}
	switch last := g.lanes() - 1; {
	case kind < 5 && last <= highest:
		if shift := highest - last; shift > 0 && g.n(3) == 0 {
			index.Op, index.A, index.B = isa.OpAdd, lane, g.constant(uint64(1+g.n(shift)))
			break
		}
		if g.n(3) == 0 {
			index.Op, index.A, index.B = isa.OpSub, g.constant(uint64(highest)), lane
			break
		}
		in.B = lane
		return
	case kind < 6 && last*2 <= highest:
		index.Op, index.A, index.B = isa.OpMul, lane, g.constant(2)
	case kind < 8:
		index.Op, index.A, index.B = isa.OpMinU, g.vector(t), g.constant(uint64(highest))
		if g.n(2) == 0 {
			index.A = lane
		}
	default:
		mask := uint64(1)<<(bits.Len(uint(highest+1))-1) - 1
		index.Op, index.A, index.B = isa.OpAnd, g.vector(t), g.constant(mask)
		if miss && g.n(4) == 0 {
			index.B = index.A
		}
	}
	index.Dst = g.fresh(t)
	g.emit(index)
	in.B = index.Dst
	if g.once(8) && in.Idx != isa.IdxU32 {
		// Relative to the end or to somewhere in the middle: some indices are negative. Or to
		// what makes them too low.
		from := 1 + g.n(highest+1)
		if g.n(2) == 0 {
			from = highest + 1
		}
		neg := isa.Inst{Op: isa.OpSub, Type: t, Dst: g.fresh(t), A: in.B, B: g.constant(uint64(from)), Flags: isa.FlagDense}
		g.emit(neg)
		in.B = neg.Dst
		if !miss {
			in.Disp += int32(from * scale)
		}
	}
}

// behindPointers makes an address in an area, or as far behind another one, out of the pointers of lanes.
func (g *generator) behindPointers(in *isa.Inst, a area) {
	if b := g.anywhere(in.Type, a.space); g.once(3) && in.A == a.pointer && b.size >= a.from+a.size {
		chosen := isa.Inst{Op: isa.OpSelect, Type: isa.I64, A: g.condition(), B: in.A, C: b.pointer, Flags: isa.FlagDense}
		chosen.Dst = g.fresh(isa.I64)
		g.emit(chosen)
		in.A = chosen.Dst
	}
	add := isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, A: in.A, B: in.B, Idx: in.Idx, Space: in.Space, Scale: in.Scale, Flags: isa.FlagDense}
	in.B, in.Idx, in.Scale = isa.None, isa.IdxNone, 0
	if g.n(2) == 0 {
		add.Disp, in.Disp = in.Disp, 0
	}
	if g.n(3) == 0 {
		add.Disp -= 4
		in.B, in.Idx, in.Scale = g.constant(1), isa.IdxS32, 4
	}
	add.Dst = g.fresh(isa.I64)
	g.emit(add)
	in.A = add.Dst
}

// moved returns the same area or a part of it behind a pointer that instructions make, or one of two areas.
func (g *generator) moved(t isa.Type, a area, aligned bool) area {
	p := isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: g.variable(0), A: a.pointer, Space: a.space}
	skip := g.n(min(a.size-t.Bytes(), 16) + 1)
	if aligned {
		skip &^= 7
	}
	switch b := g.anywhere(t, a.space); g.n(4) {
	case 0:
		p.Disp = int32(skip)
		a.size -= skip
	case 3: // a pointer to somewhere in front of the memory
		p.Disp = -int32(skip)
		a.from = skip
	case 1:
		p.Idx, p.B, p.Scale = isa.IdxS32, g.constant(uint64(skip/4)), 4
		a.size -= skip / 4 * 4
	default:
		p = isa.Inst{Op: isa.OpSelect, Type: isa.I64, Dst: p.Dst, A: g.scalar(1), B: a.pointer, C: b.pointer}
		a.size = min(a.size, b.size)
	}
	g.emit(p)
	a.pointer = p.Dst
	if g.once(12) {
		a.size += t.Bytes() // an access to the last element misses
	}
	return a
}

// access emits a load or a store.
func (g *generator) access() {
	t := g.of(isa.SetMem)
	a := g.anywhere(t, g.space())
	if g.once(5) {
		a = g.moved(t, a, false)
	}
	in := isa.Inst{Op: isa.OpLoad, Type: t}
	g.place(&in, a, false)
	if g.once(5) {
		g.behindPointers(&in, a)
	}
	if g.once(20) {
		in.Imm2 = isa.AlignCode(1)
	}
	if g.once(20) {
		in.Flags |= isa.FlagVolatile
	}
	if g.n(3) == 0 {
		in.Op, in.C = isa.OpStore, g.operand(t)
		g.emit(in)
		return
	}
	if in.A.IsScalar() && !in.B.IsVector() && a.space != isa.SpacePrivate && in.Space != isa.SpaceGeneric && g.n(2) == 0 {
		g.resultScalar(&in, t)
	} else {
		g.result(&in, t)
	}
	g.emit(in)
}

// atomic emits an atomic operation.
func (g *generator) atomic() {
	op := isa.AtomicOp(g.n(int(isa.NumAtomicOps)))
	t := [...]isa.Type{isa.I32, isa.I32, isa.I32, isa.I64}[g.n(4)]
	if op >= isa.AtomicFAdd {
		t = [...]isa.Type{isa.F32, isa.F64}[g.n(2)]
	}
	in := isa.Inst{Op: isa.OpAtomic, Type: t, Imm2: uint8(op)}
	a := g.anywhere(t, g.space())
	if g.once(5) {
		a = g.moved(t, a, true)
	}
	g.place(&in, a, true)
	if g.once(5) {
		g.behindPointers(&in, a)
	}
	if op != isa.AtomicLoad {
		in.C = g.operand(t)
	}
	if op == isa.AtomicCmpXchg {
		in.D = g.operand(t)
	}
	if op != isa.AtomicStore && g.n(2) == 0 {
		g.result(&in, t)
	}
	g.emit(in)
}

// pointers emits arithmetic on pointers.
func (g *generator) pointers() {
	a, b := g.anywhere(isa.I32, isa.SpaceGlobal), g.anywhere(isa.I32, g.space())
	x := isa.Inst{Type: isa.I32}
	g.place(&x, a, false)
	g.behindPointers(&x, a)
	in := isa.Inst{Op: isa.OpPtrDiff, Type: isa.I64, A: x.A, B: a.pointer}
	if g.n(3) == 0 {
		in.A, in.B = b.pointer, x.A
	}
	if g.once(4) {
		in = isa.Inst{Op: isa.OpPtrPack32, Type: isa.I32, Type2: isa.I64, A: x.A}
	}
	g.result(&in, in.Type)
	g.emit(in)
}

// copyBytes emits a copy from one place to another.
func (g *generator) copyBytes() {
	from, to := g.anywhere(isa.I32, g.space()), g.anywhere(isa.I32, g.space())
	n := 1 + g.n(min(from.size, to.size, 24))
	if n >= 4 && g.n(2) == 0 {
		n &^= 3
	}
	in := isa.Inst{Op: isa.OpMemCopy, A: to.pointer, B: from.pointer, C: g.constant(uint64(n))}
	for _, p := range []*isa.Reg{&in.A, &in.B} {
		size := from.size
		if p == &in.A {
			size = to.size
		}
		if g.n(2) == 0 {
			add := isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, A: *p, B: g.masked(isa.I32, uint64(1)<<(bits.Len(uint(size-n+1))-1)-1), Idx: isa.IdxU32, Scale: 1, Flags: isa.FlagDense}
			add.Dst = g.fresh(isa.I64)
			g.emit(add)
			*p = add.Dst
		}
	}
	g.emit(in)
}

// block16 emits a block load or store, as far as the memory has room for the lanes.
func (g *generator) block16() {
	t := g.of(isa.SetMem)
	a := g.anywhere(t, []isa.Space{isa.SpaceGlobal, isa.SpaceLocal}[g.n(2)])
	// Every sub-group starts at the same place, or each where its first lane is.
	in := isa.Inst{Op: isa.OpBlockLoad, Type: t, A: a.pointer, Space: a.space}
	if a.size < 128*t.Bytes() && !g.once(20) {
		return
	}
	if g.n(2) == 0 && a.size >= (g.lanes()+128)*t.Bytes() {
		in.B, in.Idx, in.Scale = isa.V(genLane), isa.IdxU32, uint32(t.Bytes())
	}
	if g.n(2) == 0 {
		in.Op, in.C = isa.OpBlockStore, g.operand(t)
	} else {
		g.result(&in, t)
	}
	g.emit(in)
}
