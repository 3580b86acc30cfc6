package native

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/emitters"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// stencil makes a random kernel that loads and stores elements by sums of ids and scalars, as stencils do,
// and a launch of it: in most cases all is in bounds, in some the buffers end a little earlier, overlap, or
// lanes are not in rows.
type stencil struct {
	*source
	*program
	sums    []isa.Reg // vectors of 32 bits
	known   []isa.Reg // scalars that are the same in all launches
	given   []isa.Reg // parameters
	values  []isa.Reg // vectors that have been loaded or computed
	bools   []isa.Reg // vectors of booleans
	long    bool      // indices and comparisons have 64 bits in part
	longs   []isa.Reg // vectors of 64 bits
	far     []isa.Reg // scalars of 64 bits
	element isa.Type
	memory  isa.Type // of what is loaded and stored: the element's, or of 8 or 16 bits
	width   isa.Reg
	back    isa.Reg // minus width
	last    isa.Reg // the number of the last row
	lastAt  isa.Reg
}

// newStencil makes one out of decisions.
func newStencil(s *source) (*generated, *engine.Launch) {
	n := &stencil{source: s, program: newProgram(), element: isa.F32}
	if kind := s.n(5); kind < 2 {
		n.element = isa.I32
	} else if kind == 2 {
		n.element = isa.F64
	}
	if n.memory = n.element; n.element == isa.I32 && s.n(2) == 0 {
		n.memory = []isa.Type{isa.I8, isa.I16}[s.n(2)]
	}
	shapes := [][3]uint32{{64, 1, 1}, {256, 1, 1}, {128, 1, 1}, {16, 4, 1}, {16, 16, 1}, {32, 4, 2}, {64, 2, 1}, {16, 2, 2}, {48, 4, 1}, {8, 8, 1}, {17, 4, 1}, {65, 1, 1}, {32, 1, 3}, {64, 1, 2}}
	g := &generated{kernel: n.k, items: shapes[s.n(len(shapes))]}
	launch := &engine.Launch{Groups: [3]uint64{uint64(1 + s.n(6)), uint64(1 + s.n(3)), uint64(1 + s.n(2))}}
	if s.n(3) == 0 {
		launch.Offset = [3]uint64{uint64(s.n(30)), uint64(s.n(3)), 0}
	}
	if s.once(20) {
		launch.Offset[s.n(2)] = specials[s.n(len(specials))]
	}
	wide := uint64(g.items[0])*launch.Groups[0] + launch.Offset[0]
	high := uint64(g.items[1])*launch.Groups[1] + launch.Offset[1]
	g.values = map[int]uint64{}
	give := func(v uint64) isa.Reg {
		r := n.parameter(uint64(uint32(v)))
		n.given = append(n.given, r)
		return r
	}
	n.width, n.back = give(wide), give(-wide)
	for _, v := range []uint64{uint64(s.n(5)), uint64(s.n(40)), -uint64(s.n(5))} {
		give(v)
	}
	for _, v := range []uint64{0, 1, uint64(s.n(4)), -uint64(1 + s.n(4)), wide} {
		n.known = append(n.known, n.constant(uint64(uint32(v))))
	}
	n.last = n.constant(uint64(uint32(high - 1)))
	if n.long = s.n(2) == 0; n.long {
		n.far = []isa.Reg{n.constant(1), n.constant(1<<64 - 1), n.constant(wide), n.parameter(wide), n.parameter(-wide), n.parameter(-uint64(s.n(3))), n.constant(1 << 32), n.parameter(1 << 31)}
	}
	n.body()
	elements := int(min(wide*high%(1<<32), 20000)) + s.n(100) - s.n(90)
	elements = max(elements, 1)
	if s.n(3) == 0 {
		elements = max(elements-int(wide%5000), 1)
	}
	for i := range g.global {
		g.global[i] = make([]byte, n.element.Bytes()*(elements+s.n(3)))
		for j := range g.global[i] {
			g.global[i][j] = byte(s.n(256))
		}
	}
	return g, launch
}

// of returns one of a list.
func (n *stencil) of(list []isa.Reg) isa.Reg { return list[n.n(len(list))] }

// scalarOf returns a scalar.
func (n *stencil) scalarOf() isa.Reg {
	if n.source.n(2) == 0 {
		return n.of(n.given)
	}
	return n.of(n.known)
}

// body emits the kernel.
func (n *stencil) body() {
	global := n.source.n(4) > 0
	for dim := range 2 + n.source.n(2) {
		b := isa.BuiltinLocalID
		if global || dim == 0 {
			b = isa.BuiltinGlobalID
		}
		r := n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: r, Imm: uint32(b) + uint32(dim)})
		n.sums = append(n.sums, r)
	}
	x := n.sums[0]
	var other isa.Reg
	if n.source.n(3) == 0 {
		other = n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: other, Imm: uint32([]isa.Builtin{isa.BuiltinLocalLinearID, isa.BuiltinGlobalLinearID, isa.BuiltinSubgroupID,
			isa.BuiltinSubgroupLocalID, isa.BuiltinSubgroupSize, isa.BuiltinLocalID + 1}[n.source.n(6)])})
	}
	if n.source.n(2) == 0 {
		// A tile's place, perhaps, which differs between work-groups or not.
		s := n.constant(0)
		n.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: s, Imm: uint32([]isa.Builtin{isa.BuiltinGroupID, isa.BuiltinGlobalSize, isa.BuiltinLocalSize}[n.source.n(3)])})
		n.emit(isa.Inst{Op: isa.OpMul, Type: isa.I32, Dst: s, A: s, B: n.constant(uint64(n.source.n(50)))})
		n.given = append(n.given, s, s)
		tile := n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: tile, A: n.sums[0], B: s})
		if n.sums = append(n.sums, tile); n.source.n(2) == 0 {
			x = tile
		}
	}
	at := n.vector(isa.I32)
	n.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: at, A: n.sums[1], B: n.width, C: x})
	n.sums, n.lastAt = append(n.sums, at, at, at), at
	n.values = append(n.values, n.load(at))
	if other != isa.None && n.element != isa.F64 {
		n.values = append(n.values, other)
	}
	for range n.source.n(4) {
		n.sum()
	}
	n.some(1 + n.source.n(4))
	if n.source.n(3) == 0 {
		n.loop()
	}
	if n.source.n(2) == 0 {
		parts, next := n.condition(n.source.n(5)), len(n.k.Blocks)
		entered := n.constant(0)
		n.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: entered, A: n.of(n.known)})
		if n.source.n(2) == 0 {
			n.branch(parts, next, next+1)
		} else {
			n.branch(parts, next+1, next)
		}
		if n.source.n(3) == 0 {
			// Of those behind it, each lane sees whether any lane has been here.
			n.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: entered, A: entered, B: n.constant(1)})
		}
		n.some(n.source.n(4))
		n.jump(next + 1)
		d := n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: d, A: n.of(n.sums), B: entered})
		if n.sums = append(n.sums, d); n.element != isa.F64 {
			n.values = append(n.values, d)
		}
		n.some(n.source.n(3))
		if n.source.n(2) == 0 && n.element != isa.F64 {
			n.storeBy(n.access(isa.OpStore, n.lastAt), d)
		}
	}
	if n.source.n(4) > 0 {
		n.store(n.lastAt)
	}
	n.emit(isa.Inst{Op: isa.OpRet})
}

// loop emits one, behind which the ids have to be found out again. All lanes do as many trips of it, or some
// do more.
func (n *stencil) loop() {
	left, again := n.vector(isa.I32), n.vector(isa.B1)
	n.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: left, A: n.constant(uint64(1 + n.source.n(3)))})
	if n.source.n(3) == 0 {
		n.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: left, A: n.of(n.sums), B: n.constant(3)})
	}
	head := len(n.k.Blocks)
	n.jump(head)
	n.some(n.source.n(4))
	n.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: left, A: left, B: n.constant(1)})
	n.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: again, A: n.constant(0), B: left})
	n.branch(again, head, head+1)
}

// condition returns a vector of booleans that is made of comparisons, of up to 2 to the power of depth.
func (n *stencil) condition(depth int) isa.Reg {
	d := n.vector(isa.B1)
	in := isa.Inst{Type: isa.B1, Dst: d}
	switch kind := n.source.n(6); {
	case depth == 0 || kind == 0:
		in = isa.Inst{Op: []isa.Op{isa.OpEq, isa.OpNe, isa.OpLtU, isa.OpLtS, isa.OpLeU}[n.source.n(5)], Type: isa.I32, Dst: d, A: n.of(n.sums), B: n.scalarOf()}
		if n.long && n.source.n(2) == 0 {
			in.Type, in.A, in.B = isa.I64, n.extended(in.A), n.of(n.far)
		}
		switch n.source.n(3) {
		case 0:
			in.A, in.B = in.B, in.A
		case 1:
			in = isa.Inst{Op: []isa.Op{isa.OpFOLt, isa.OpFULt, isa.OpFOEq, isa.OpFUNe, isa.OpFOrd}[n.source.n(5)], Type: n.number(), Dst: d, A: n.of(n.values), B: n.of(n.values)}
		}
	case kind == 1:
		in.Op, in.A = isa.OpNot, n.condition(depth-1)
	case kind == 2:
		in.Op, in.A, in.B = isa.OpAnd, n.condition(depth-1), n.condition(depth-1)
	case kind == 3:
		in.Op, in.A, in.B = isa.OpOr, n.condition(depth-1), n.condition(depth-1)
	case kind == 4:
		in.Op, in.A, in.B, in.C = isa.OpSelect, n.condition(depth-1), n.constant(uint64(n.source.n(2))), n.condition(depth-1)
	default:
		in.Op, in.A, in.B, in.C = isa.OpSelect, n.condition(depth-1), n.condition(depth-1), n.constant(uint64(n.source.n(2)))
	}
	switch n.source.n(12) {
	case 0:
		n.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: n.of(n.sums), A: n.of(n.sums), B: n.scalarOf()}) // others compare it
	case 1:
		if len(n.bools) > 0 {
			n.emit(isa.Inst{Op: isa.OpNot, Type: isa.B1, Dst: n.of(n.bools), A: n.of(n.bools)})
		}
	}
	n.emit(in)
	if n.bools = append(n.bools, d); n.source.once(10) {
		n.values = append(n.values, n.chosen(d))
	}
	return d
}

// number returns the type of floating-point numbers that elements are seen as.
func (n *stencil) number() isa.Type {
	if n.element == isa.F64 {
		return isa.F64
	}
	return isa.F32
}

// chosen returns one of two values in each lane.
func (n *stencil) chosen(b isa.Reg) isa.Reg {
	d := n.vector(n.element)
	n.emit(isa.Inst{Op: isa.OpSelect, Type: n.element, Dst: d, A: b, B: n.of(n.values), C: n.of(n.values)})
	return d
}

// extended returns 64 bits of a sum of 32, or a sum or product of these.
func (n *stencil) extended(x isa.Reg) isa.Reg {
	extend := func(x isa.Reg) isa.Reg {
		d := n.vector(isa.I64)
		n.emit(isa.Inst{Op: []isa.Op{isa.OpSExt, isa.OpSExt, isa.OpZExt}[n.source.n(3)], Type: isa.I64, Type2: isa.I32, Dst: d, A: x})
		return d
	}
	d := extend(x)
	for range n.source.n(3) {
		in := isa.Inst{Op: isa.OpAdd, Type: isa.I64, A: d, B: n.of(n.far)}
		switch n.source.n(8) {
		case 0:
			in.B = extend(n.of(n.sums))
		case 1:
			in.Op, in.B, in.C = isa.OpMad, n.of(n.far), extend(n.of(n.sums))
		case 2:
			in.Op = isa.OpMul
		case 3:
			in.Op, in.B = isa.OpShl, n.known[1]
		case 4:
			in.Op, in.A, in.B = isa.OpSub, in.B, in.A
		case 5:
			in.Op = isa.OpSub
		}
		d = n.vector(isa.I64)
		in.Dst = d
		n.emit(in)
	}
	n.longs = append(n.longs, d)
	return d
}

// sum emits a linear instruction, in most cases.
func (n *stencil) sum() {
	d := n.vector(isa.I32)
	in := isa.Inst{Type: isa.I32, Dst: d, A: n.of(n.sums), B: n.scalarOf()}
	switch n.source.n(9) {
	case 0:
		in.Op, in.B = isa.OpMov, isa.None
	case 1:
		in.Op, in.B = isa.OpShl, n.known[1+n.source.n(2)]
	case 2:
		in.Op = isa.OpMul
	case 3:
		in.Op, in.C = isa.OpMad, n.of(n.sums)
	case 4, 5:
		in.Op = isa.OpSub
	default:
		in.Op = isa.OpAdd
	}
	n.emit(in)
	n.sums = append(n.sums, d)
}

// index returns an index: often that of the item.
func (n *stencil) index() isa.Reg {
	if n.source.n(3) == 0 {
		return n.lastAt
	}
	return n.of(n.sums)
}

// access returns a load or store.
func (n *stencil) access(op isa.Op, x isa.Reg) isa.Inst {
	bytes := n.memory.Bytes()
	scale := bytes
	if op == isa.OpLoad && n.once(5) { // a member of a structure
		scale *= 2 + n.source.n(3)
	}
	in := isa.Inst{Op: op, Type: n.memory, Space: isa.SpaceGlobal, A: isa.S(n.source.n(genBuffers)), B: x,
		Idx:   []isa.IdxType{isa.IdxU32, isa.IdxS32}[n.source.n(2)],
		Scale: uint32(scale), Disp: int32(bytes * []int{0, 0, 0, 1, -1, 2}[n.source.n(6)])}
	if n.long && n.source.n(3) > 0 {
		in.Idx = isa.Idx64
		if in.B = n.extended(x); n.source.n(4) == 0 {
			in.B = n.of(n.longs)
		}
	}
	return in
}

func (n *stencil) load(x isa.Reg) isa.Reg {
	in := n.access(isa.OpLoad, x)
	if in.Scale > uint32(n.memory.Bytes()) && n.source.n(3) > 0 { // the next member, too
		other := in
		other.Disp += int32(n.memory.Bytes())
		n.values = append(n.values, n.loadBy(other))
	}
	return n.loadBy(in)
}

// loadBy emits a load, and returns the elements.
func (n *stencil) loadBy(in isa.Inst) isa.Reg {
	in.Dst = n.vector(n.memory)
	if n.emit(in); n.memory == n.element {
		return in.Dst
	}
	d := n.vector(n.element)
	n.emit(isa.Inst{Op: isa.OpZExt, Type: n.element, Type2: n.memory, Dst: d, A: in.Dst})
	return d
}

func (n *stencil) store(x isa.Reg) { n.storeBy(n.access(isa.OpStore, x), n.of(n.values)) }

// storeBy emits a store of v.
func (n *stencil) storeBy(in isa.Inst, v isa.Reg) {
	if in.C = v; n.memory != n.element {
		in.C = n.vector(n.memory)
		n.emit(isa.Inst{Op: isa.OpTruncate, Type: n.memory, Type2: n.element, Dst: in.C, A: v})
	}
	n.emit(in)
}

// some emits so many instructions.
func (n *stencil) some(count int) {
	for range count {
		switch n.source.n(10) {
		case 7: // in its place, which several lanes may have
			x := n.of([]isa.Reg{n.index(), n.sums[0], n.sums[1]})
			in := n.access(isa.OpLoad, x)
			n.values = append(n.values, n.loadBy(in))
			n.values = append(n.values, n.chosen(n.condition(0)))
			in.Op = isa.OpStore
			n.storeBy(in, n.of(n.values))
		case 8: // from the end, by the product of two negative numbers
			d := n.vector(isa.I32)
			if n.source.n(2) == 0 {
				n.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: d, A: n.of(n.sums), B: n.width})
				n.emit(isa.Inst{Op: isa.OpMul, Type: isa.I32, Dst: d, A: d, B: n.constant(1<<32 - 1)})
			} else { // in the row that is as far from the last one as the item's is from the first
				n.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: d, A: n.sums[1], B: n.last})
				n.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: d, A: d, B: n.back, C: n.sums[0]})
			}
			n.sums = append(n.sums, d)
			n.values = append(n.values, n.load(d))
		case 0, 1:
			n.values = append(n.values, n.load(n.index()))
		case 2:
			n.store(n.index())
		case 3:
			n.sum()
		case 4:
			n.values = append(n.values, n.chosen(n.condition(n.source.n(4))))
		default:
			op := isa.OpXor
			if n.element != isa.I32 {
				op = []isa.Op{isa.OpFAdd, isa.OpFMul}[n.source.n(2)]
			}
			d := n.vector(n.element)
			n.emit(isa.Inst{Op: op, Type: n.element, Dst: d, A: n.of(n.values), B: n.of(n.values)})
			n.values = append(n.values, d)
		}
	}
}

// TestStraight runs random kernels with neighbouring elements for one work-group after the other, and holds
// that hyperblocks are done straight where it is expected.
func TestStraight(t *testing.T) {
	count := amount(400, 400, 900)
	if *programCount > 0 {
		count = *programCount
	}
	each(t, func(t *testing.T, e Engine) {
		made := 0
		for seed := *programFirst; seed < *programFirst+count; seed++ {
			s := sourceOf(seed)
			p, launch := newStencil(s)
			c := setting{Subgroup: 32, Width: (p.lanes() + 31) / 32 * 32, Check: s.once(100)}
			shared := s.n(4)
			begin := func(code engine.Code) (*session, error) {
				r, err := p.rows(code, c, [3]uint64{0, launch.Groups[1] - 1, 0})
				if err != nil {
					return nil, err
				}
				l := r.group.Launch
				l.Groups, l.Offset = launch.Groups, launch.Offset
				for d := range l.Global {
					l.Global[d] = uint64(l.Local[d]) * l.Groups[d]
				}
				if shared == 0 {
					l.Scalars[1] = l.Scalars[0]
				}
				r.waves = []engine.Wave{code.NewWave(c.Width)}
				r.waves[0].Start(r.group, 0, p.lanes())
				return r, nil
			}
			reference, code := compile(t, interp.Engine{}, p.kernel), compile(t, e, p.kernel)
			for _, h := range hyperblocks(t, e, p.kernel) {
				if (&builder{Context: x86.NewContext(e.features, plan.Constants(p.kernel), nil, 0, emitters.Find)}).straighten(h) != nil {
					made++
				}
			}
			if d := p.compareSweeps(reference, code, launch.Groups[0]*launch.Groups[1], begin); d != "" {
				t.Fatalf("program %d, %+v, work-group %v, launch %+v, shared %v:\n%s\n%s", seed, c, p.items, launch, shared, d, p.kernel.Text(&isa.Program{Kernels: []*isa.Kernel{p.kernel}}))
			}
		}
		if made < count/3 {
			t.Errorf("%d hyperblocks of %d kernels can be done straight, want at least a third", made, count)
		}
	})
}

// TestStraightOverflow runs a kernel in which the bounds of an index, computed in 64 bits, would wrap around to
// numbers within the buffer: in row 0 the index is that of x, in row 3 2 more than 2⁶⁴, and in between it is far
// outside.
func TestStraightOverflow(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		n := newProgram()
		op := func(op isa.Op, a, b, c isa.Reg) isa.Reg {
			d := n.vector(isa.I32)
			n.emit(isa.Inst{Op: op, Type: isa.I32, Dst: d, A: a, B: b, C: c})
			return d
		}
		id := func(b isa.Builtin) isa.Reg {
			d := n.vector(isa.I32)
			n.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: d, Imm: uint32(b)})
			return d
		}
		const third = 0x5555555555555556 // of 2⁶⁴, and a little more
		x, y := id(isa.BuiltinLocalID), id(isa.BuiltinLocalID+1)
		quarter := op(isa.OpMul, op(isa.OpMul, y, n.constant(third>>32), isa.None), n.constant(1<<30), isa.None)
		half := op(isa.OpAdd, quarter, quarter, isa.None)
		at := op(isa.OpMad, y, n.constant(third&(1<<32-1)), op(isa.OpAdd, half, half, isa.None))
		at = op(isa.OpAdd, at, x, isa.None)
		v := n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: v, A: isa.S(0), B: at, Idx: isa.IdxU32, Scale: 4})
		n.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(1), B: op(isa.OpMad, y, n.constant(16), x), Idx: isa.IdxU32, Scale: 4, C: v})
		n.emit(isa.Inst{Op: isa.OpRet})
		p := &generated{kernel: n.k, items: [3]uint32{16, 4, 1}}
		for i := range p.global {
			p.global[i] = make([]byte, 4*p.lanes())
		}
		b := &builder{Context: x86.NewContext(e.features, plan.Constants(n.k), nil, 0, emitters.Find)}
		if h := hyperblocks(t, e, n.k)[0]; h == nil || b.straighten(h) == nil {
			t.Errorf("hyperblock %+v, want one that can be done straight", h)
		}
		begin := func(code engine.Code) (*session, error) {
			return p.rows(code, setting{Subgroup: 32, Width: 64}, [3]uint64{})
		}
		if d := p.compareSweeps(compile(t, interp.Engine{}, n.k), compile(t, e, n.k), 1, begin); d != "" {
			t.Fatal(d)
		}
	})
}

// TestStraightInPlace adds to elements that lanes of several rows have in common, side by side or not: all lanes
// load before any of them stores.
func TestStraightInPlace(t *testing.T) { each(t, testStraightInPlace) }

func testStraightInPlace(t *testing.T, e Engine) {
	for _, scale := range []uint32{4, 8} {
		n := newProgram()
		x, v := n.vector(isa.I32), n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: x, Imm: uint32(isa.BuiltinLocalID)})
		n.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: v, A: isa.S(0), B: x, Idx: isa.IdxU32, Scale: scale})
		n.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: v, A: v, B: n.constant(1)})
		n.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(0), B: x, Idx: isa.IdxU32, Scale: scale, C: v})
		n.emit(isa.Inst{Op: isa.OpRet})
		for _, items := range [][3]uint32{{64, 1, 1}, {64, 2, 1}, {64, 1, 2}, {16, 1, 5}} {
			p := &generated{kernel: n.k, items: items}
			for i := range p.global {
				p.global[i] = make([]byte, 8*64)
			}
			c := setting{Subgroup: 32, Width: (p.lanes() + 31) / 32 * 32}
			begin := func(code engine.Code) (*session, error) { return p.rows(code, c, [3]uint64{}) }
			if d := p.compareSweeps(compile(t, interp.Engine{}, n.k), compile(t, e, n.k), 1, begin); d != "" {
				t.Errorf("work-group %v, every %d bytes: %s", items, scale, d)
			}
		}
	}
}
