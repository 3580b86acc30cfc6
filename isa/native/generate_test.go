package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// source turns bytes into decisions; behind their end it goes on with numbers that
// follow from those that were there.
type source struct {
	data  []byte
	state uint64
	wide  bool // work-groups are large, and a wave each
}

// n returns a number below n.
func (s *source) n(n int) int {
	if len(s.data) > 0 && n <= 256 {
		v := s.data[0]
		s.state = (s.state + uint64(v) + 1) * 0x9e3779b97f4a7c15
		s.data = s.data[1:]
		return int(v) % n
	}
	return int(s.below(uint64(n)))
}

// below is n of numbers that need not fit into an int, and takes no bytes.
func (s *source) below(n uint64) uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return (z ^ z>>31) >> 1 % n
}

// once says yes one time in n.
func (s *source) once(n int) bool { return s.n(n) == n-1 }

// bits returns a number of 64 bits that is often special.
func (s *source) bits() uint64 {
	switch s.n(4) {
	case 0:
		return specials[s.n(len(specials))]
	case 1:
		return uint64(s.n(40))
	case 2:
		return uint64(0x3f00_0000+s.n(1<<25)) * (1<<32 + 1) // as a float, near 1
	}
	return s.below(1<<31)<<33 ^ s.below(1<<31)<<5 ^ uint64(s.n(32))
}

// What generated kernels have in fixed places.
const (
	genBuffers = 3 // in global memory, apart from the one of the results; their pointers are in the first scalar registers
	genResult  = genBuffers
	genPitch   = 512 // bytes of results for each work-item

	// Vector registers of 32 and of 64 bits.
	genLane = 0 // the local linear id
	genFuel = 1 // blocks that the lane may still enter by a jump backwards; 32 bits only
)

// generated is a random kernel with what a launch of it needs.
type generated struct {
	kernel  *isa.Kernel
	global  [genBuffers][]byte
	local   []uint64          // sizes
	values  map[int]uint64    // of scalar registers that are parameters
	items   [3]uint32         // work-group
	passing [isa.NumBanks]int // from this vector register on they have no value at the start of a block
}

func (p *generated) lanes() int { return int(p.items[0] * p.items[1] * p.items[2]) }

// generator makes random kernels. Its scalar registers have a width, and hold values that fit.
type generator struct {
	*source
	*generated
	blocks []genBlock
	now    int   // the block under construction
	order  []int // blocks as they stand in the kernel

	constants    map[uint64]isa.Reg
	fixed        map[int][]isa.Reg // scalar registers that keep their values, by width
	changing     map[int][]isa.Reg // the others
	fuel         isa.Reg           // scalar: blocks that the wave may still enter by jumps backwards on scalars
	lasting      [isa.NumBanks][]isa.Reg
	locals       [isa.NumBanks][]isa.Reg // those of passing that have a value by now
	used         [isa.NumBanks]int       // registers of passing that were handed out in the block
	most         [isa.NumBanks]int       // the same, over all blocks
	recent       [isa.NumBanks][]isa.Reg // written last
	depth        int                     // of loops
	steady       bool                    // all registers are written before they are read, and there is no private memory
	pure         bool                    // nothing but what computes, for the time being
	reads        bool                    // loops have loads
	pointerWalks []pointerWalk           // pointers that its loads may be behind
	walks        []walk                  // what loads of the loop under construction may select elements by; such a loop computes and loads
	size         int                     // instructions so far
}

type genBlock struct {
	code []isa.Inst
	// targets of the terminator, as numbers of blocks under construction
	t0, t1 int
	loop   int
}

// passingBase is added to the numbers of passing registers until it is known how many lasting there are.
const passingBase = 1 << 12

// generate makes a kernel out of decisions.
func generate(s *source) *generated {
	g := &generator{source: s, generated: &generated{values: map[int]uint64{}}, constants: map[uint64]isa.Reg{}, fixed: map[int][]isa.Reg{}, changing: map[int][]isa.Reg{}}
	k := &isa.Kernel{Name: "random", Locs: []isa.Loc{{}}, Params: []isa.Param{{Kind: isa.ParamValue, Size: 8}}}
	g.kernel = k
	g.steady = s.once(3)
	switch s.n(4) {
	case 0:
		g.items = [3]uint32{uint32(1 + s.n(16)), uint32(1 + s.n(8)), uint32(1 + s.n(2))}
	case 1:
		g.items = [3]uint32{64 << s.n(2), 1, 1}
	default:
		g.items = [3]uint32{uint32(1 + s.n(200)), 1, 1}
	}
	if s.wide {
		g.items = [][3]uint32{{1024, 1, 1}, {32, 32, 1}, {700, 1, 1}, {33, 3, 9}}[s.n(4)]
	}
	if s.once(8) {
		k.Meta.Order = isa.WorkItemOrder(s.n(int(isa.NumWorkItemOrders)))
	}
	g.allocations()
	g.registers()
	switch s.n(6) {
	case 0, 1:
		g.tangle()
	case 2:
		for range 2 + s.n(3) {
			g.reading()
		}
	default:
		g.sequence(2+s.n(6), 0)
	}
	g.results()
	g.finish()
	return g.generated
}

// allocations decides about memory.
func (g *generator) allocations() {
	k := g.kernel
	for range genBuffers + 1 {
		k.ParamRegs = append(k.ParamRegs, isa.ParamReg{Scalar: len(k.ScalarInit), Size: 8})
		k.ScalarInit = append(k.ScalarInit, 0)
	}
	size := func() uint64 {
		switch g.n(4) {
		case 0:
			return max(uint64(g.lanes())*4, 16) // there is always room for an element
		case 1:
			return max(uint64(g.lanes())*8, 16)
		case 2:
			return uint64(16 + g.n(600))
		}
		return 64 << g.n(6)
	}
	for i := range g.global {
		g.global[i] = make([]byte, size())
		for j := 0; j+8 <= len(g.global[i]); j += 8 {
			memory.Store64(ptr(g.global[i], j), g.bits())
		}
	}
	for range 1 + g.n(2) {
		n := size()
		k.Local = append(k.Local, isa.Alloc{Name: "l", Size: n})
		g.local = append(g.local, n)
	}
	for range 1 + g.n(2) {
		if g.steady {
			break
		}
		k.Private = append(k.Private, isa.Alloc{Name: "p", Size: uint64(4 + g.n(30)*(1+g.n(4)))})
	}
}

// registers decides about registers and begins the kernel: with what they hold.
func (g *generator) registers() {
	k := g.kernel
	g.open()
	for _, w := range []int{1, 8, 16, 32, 64} {
		for i := range 4 {
			v := g.bits() & (1<<w - 1)
			if i%2 == 0 {
				g.fixed[w] = append(g.fixed[w], g.constant(v))
				continue
			}
			r := isa.S(len(k.ScalarInit))
			k.ParamRegs = append(k.ParamRegs, isa.ParamReg{Scalar: r.Index(), Size: 8})
			k.ScalarInit = append(k.ScalarInit, 0)
			g.values[r.Index()] = v
			g.fixed[w] = append(g.fixed[w], r)
		}
	}
	g.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Dst: isa.V(genLane), Imm: uint32(isa.BuiltinLocalLinearID)})
	g.emit(isa.Inst{Op: isa.OpBuiltin, Type: isa.I64, Dst: isa.V(genLane), Imm: uint32(isa.BuiltinLocalLinearID)})
	k.NumVector[isa.Bank32], k.NumVector[isa.Bank64] = 2, 1
	g.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: isa.V(genFuel), A: g.constant(uint64(1 + g.n(20)))})
	wide := isa.Bank(g.n(int(isa.NumBanks) + 2)) // the bank with many registers, if it is one
	for _, t := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64, isa.B1} {
		b, n := t.Bank(), 2+g.n(5)
		if b == wide {
			n = 20 + g.n(30)
		}
		for range n {
			r := isa.V(k.NumVector[b])
			k.NumVector[b]++
			g.lasting[b] = append(g.lasting[b], r)
			switch {
			case !g.steady && g.once(4): // starts as zero
			case b == isa.BankMask:
				x := g.fresh(isa.I32)
				g.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: isa.V(genLane), B: g.constant(1 << g.n(8)), Flags: isa.FlagDense})
				g.emit(isa.Inst{Op: isa.OpNe, Type: isa.I32, Dst: r, A: x, B: g.constant(0)})
			default:
				a := g.anywhere(t, isa.SpaceGlobal)
				in := isa.Inst{Op: isa.OpLoad, Type: t, Dst: r}
				g.place(&in, a, false)
				g.emit(in)
			}
		}
	}
}

// constant returns a scalar register that holds v in each launch.
func (g *generator) constant(v uint64) isa.Reg {
	r, ok := g.constants[v]
	if !ok {
		r = isa.S(len(g.kernel.ScalarInit))
		g.kernel.ScalarInit = append(g.kernel.ScalarInit, v)
		g.constants[v] = r
	}
	return r
}

// unused is added to the numbers of scalar registers that are not initialised until it is known how
// many are.
const unused = 1 << 12

// variable returns a new scalar register that instructions write.
func (g *generator) variable(width int) isa.Reg {
	r := isa.S(unused + g.kernel.NumScalar)
	g.kernel.NumScalar++
	if width > 0 {
		g.changing[width] = append(g.changing[width], r)
	}
	return r
}

// block makes a block, which [generator.begin] fills.
func (g *generator) block() int {
	g.blocks = append(g.blocks, genBlock{})
	return len(g.blocks) - 1
}

// begin goes on with block b, which stands behind those begun before.
func (g *generator) begin(b int) {
	g.now = b
	g.order = append(g.order, b)
	g.blocks[b].loop = g.depth
	g.locals, g.recent, g.used = [isa.NumBanks][]isa.Reg{}, [isa.NumBanks][]isa.Reg{}, [isa.NumBanks]int{}
}

// open begins a new block.
func (g *generator) open() int {
	b := g.block()
	g.begin(b)
	return b
}

func (g *generator) emit(in isa.Inst) {
	b := &g.blocks[g.now]
	b.code = append(b.code, in)
	g.size++
}

// end ends the block with a terminator that goes to up to two blocks.
func (g *generator) end(in isa.Inst, t0, t1 int) {
	g.emit(in)
	b := &g.blocks[g.now]
	b.t0, b.t1 = t0, t1
}

func (g *generator) jump(b int) { g.end(isa.Inst{Op: isa.OpBr}, b, 0) }

func (g *generator) fork(cond isa.Reg, t0, t1 int) {
	g.end(isa.Inst{Op: isa.OpBrCond, A: cond}, t0, t1)
}

// turn ends the block with a switch to one of targets.
func (g *generator) turn(targets []int) {
	t := [...]isa.Type{isa.I8, isa.I16, isa.I32, isa.I64}[g.n(4)]
	x := g.operand(t)
	if x.IsVector() {
		y := g.fresh(t)
		g.emit(isa.Inst{Op: isa.OpAnd, Type: t, Dst: y, A: x, B: g.constant(uint64(1 + 2*g.n(8))), Flags: isa.FlagDense})
		x = y
	}
	table := isa.SwitchTable{Default: targets[g.n(len(targets))]}
	v := uint64(g.n(3))
	for range g.n(7) {
		table.Values = append(table.Values, v)
		table.Targets = append(table.Targets, targets[g.n(len(targets))])
		v += uint64(1 + g.n(3))
		if g.once(30) && t != isa.I8 {
			v += 2000 // not a table any more
		}
	}
	g.kernel.Switches = append(g.kernel.Switches, table)
	g.end(isa.Inst{Op: isa.OpSwitch, Type: t, A: x, Imm: uint32(len(g.kernel.Switches) - 1)}, 0, 0)
}

// condition returns a boolean to branch on.
func (g *generator) condition() isa.Reg {
	switch g.n(5) {
	case 0:
		return g.scalar(1)
	case 1, 2:
		if (!g.pure || g.walks != nil) && len(g.lasting[isa.BankMask]) > 0 {
			return g.lasting[isa.BankMask][g.n(len(g.lasting[isa.BankMask]))]
		}
	}
	c := g.fresh(isa.B1)
	in := isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: c, A: isa.V(genLane), B: g.constant(uint64(g.n(g.lanes() + 1))), Flags: isa.FlagDense}
	switch g.n(4) {
	case 0:
		in.A = g.operand(isa.I32)
	case 1:
		in.Op, in.B = isa.OpEq, g.constant(uint64(g.n(g.lanes())))
	case 2:
		x := g.fresh(isa.I32)
		g.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: isa.V(genLane), B: g.constant(1 << g.n(8)), Flags: isa.FlagDense})
		in.Op, in.A, in.B = isa.OpNe, x, g.constant(0)
	}
	g.emit(in)
	return c
}

// A generated kernel is left alone when it has this many instructions.
const enough = 400

// sequence emits n statements, at some depth of statements in statements.
func (g *generator) sequence(n, depth int) {
	for range n {
		if g.size > enough {
			return
		}
		switch kind := g.n(12); {
		case kind < 4 || depth > 3:
			g.straight(1 + g.n(25))
		case kind < 6:
			g.either(depth)
		case kind < 9:
			g.loop(depth)
		case kind == 9:
			g.cases(depth)
		case kind == 10:
			if depth < 2 || g.once(4) {
				g.barrier()
			}
		default:
			g.leave()
		}
	}
}

// either emits if and else.
func (g *generator) either(depth int) {
	yes, no, behind := g.block(), g.block(), g.block()
	if g.once(3) {
		no = behind
	}
	g.fork(g.condition(), yes, no)
	g.begin(yes)
	g.sequence(1+g.n(2), depth+1)
	g.jump(behind)
	if no != behind {
		g.begin(no)
		g.sequence(1+g.n(2), depth+1)
		g.jump(behind)
	}
	g.begin(behind)
}

// loop emits a loop that ends when a counter of each lane or of the wave does, or with the lane's
// fuel, and perhaps before.
func (g *generator) loop(depth int) {
	body, next, behind := g.block(), g.block(), g.block()
	most := []int{9, 5, 3, 2, 2}[min(g.depth, 4)]
	kind := g.n(4)
	var count, one isa.Reg
	one = g.constant(1)
	switch kind {
	case 0: // of each lane
		count = isa.V(g.kernel.NumVector[isa.Bank32])
		g.kernel.NumVector[isa.Bank32]++
		in := isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: count, A: g.constant(uint64(1 + g.n(most)))}
		if g.n(2) == 0 {
			in.Op, in.A, in.B = isa.OpAnd, g.operand(isa.I32), g.constant(uint64([]int{1, 3, 7}[min(g.n(most), 2)]))
			if in.A.IsScalar() {
				in.A = isa.V(genLane)
			}
		}
		g.emit(in)
	case 1, 2: // of the wave
		count = g.variable(0)
		g.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: count, A: g.constant(uint64(1 + g.n(most)))})
	}
	was := g.pure
	g.pure = was || g.reads || g.n(3) == 0
	if g.pure && !was && (g.reads || g.n(2) == 0) {
		g.walk(count)
	}
	g.jump(body)
	g.depth++
	g.begin(body)
	for range 1 + g.n(3) {
		if g.pure {
			g.straight(1 + g.n(g.longest()))
		} else {
			g.sequence(1, depth+1)
		}
		if g.once(3) {
			on := g.block()
			to := behind
			if g.once(3) {
				to = next
			}
			if g.n(2) == 0 {
				g.fork(g.condition(), to, on)
			} else {
				g.fork(g.condition(), on, to)
			}
			g.begin(on)
		}
	}
	g.jump(next)
	g.begin(next)
	g.straight(g.n(4))
	g.stride()
	g.pure = was
	switch kind {
	case 0:
		g.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: count, A: count, B: one})
		goes := g.fresh(isa.B1)
		g.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: goes, A: g.constant(0), B: count, Flags: isa.FlagDense})
		g.fork(goes, body, behind)
	case 1, 2:
		g.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: count, A: count, B: one})
		goes := g.variable(0)
		g.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: goes, A: g.constant(0), B: count})
		g.fork(goes, body, behind)
	default:
		g.fork(g.goes(), body, behind)
	}
	g.depth--
	g.begin(behind)
}

// goes uses fuel of the lane and returns whether there is some left, and something else holds.
func (g *generator) goes() isa.Reg {
	fuel, goes := isa.V(genFuel), g.fresh(isa.B1)
	g.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: fuel, A: fuel, B: g.constant(1)})
	g.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: goes, A: g.constant(0), B: fuel, Flags: isa.FlagDense})
	if g.n(2) == 0 {
		and := isa.Inst{Op: isa.OpAnd, Type: isa.B1, A: goes, B: g.operand(isa.B1), Flags: isa.FlagDense}
		and.Dst = g.fresh(isa.B1)
		g.emit(and)
		return and.Dst
	}
	return goes
}

// cases emits a switch.
func (g *generator) cases(depth int) {
	behind := g.block()
	targets := []int{behind}
	for range 1 + g.n(4) {
		targets = append(targets, g.block())
	}
	g.turn(targets)
	for i, b := range targets[1:] {
		g.begin(b)
		g.sequence(1, depth+2)
		if g.once(4) && i+2 < len(targets) {
			g.jump(targets[i+2]) // falls through
		} else {
			g.jump(behind)
		}
	}
	g.begin(behind)
}

func (g *generator) barrier() {
	behind := g.block()
	scope := isa.ScopeWorkgroup
	if g.once(3) {
		scope = isa.ScopeSubgroup
	}
	g.end(isa.Inst{Op: isa.OpBarrier, Imm2: uint8(scope)}, behind, 0)
	g.begin(behind)
}

// leave lets some lanes end, or, very rarely, run into a trap.
func (g *generator) leave() {
	out, behind := g.block(), g.block()
	cond := g.condition()
	if !cond.IsVector() {
		return
	}
	g.fork(cond, out, behind)
	g.begin(out)
	g.straight(g.n(3))
	if g.once(60) {
		g.end(isa.Inst{Op: isa.OpTrap, Imm: uint32(g.n(2))}, 0, 0)
	} else {
		g.end(isa.Inst{Op: isa.OpRet}, 0, 0)
	}
	g.begin(behind)
}

// tangle emits blocks that go to each other without any order. A jump backwards takes fuel, of the lane or,
// where the condition is scalar, of the wave.
func (g *generator) tangle() {
	list := make([]int, 3+g.n(9))
	for i := range list {
		list[i] = g.block()
	}
	last := len(list) - 1
	g.fuel = g.variable(0)
	g.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: g.fuel, A: g.constant(uint64(1 + g.n(30)))})
	g.jump(list[0])
	for i, b := range list[:last] {
		g.begin(b)
		g.straight(g.n(12))
		forward := func() int { return list[i+1+g.n(last-i)] }
		switch g.n(6) {
		case 0:
			g.jump(forward())
		case 1, 2:
			g.fork(g.goes(), list[g.n(last)], forward())
		case 3:
			g.fork(g.condition(), forward(), forward())
		case 4:
			var targets []int
			for range 1 + g.n(4) {
				targets = append(targets, forward())
			}
			g.turn(targets)
		case 5:
			if g.once(3) {
				g.end(isa.Inst{Op: isa.OpBarrier, Imm2: uint8(isa.ScopeWorkgroup)}, forward(), 0)
				continue
			}
			goes := g.variable(0)
			g.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: g.fuel, A: g.fuel, B: g.constant(1)})
			g.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: goes, A: g.constant(0), B: g.fuel})
			g.fork(goes, list[g.n(last)], forward())
		}
	}
	g.begin(list[last])
}

// results emits the stores of what registers hold, and the end.
func (g *generator) results() {
	if g.once(2) {
		behind := g.block()
		g.jump(behind)
		g.begin(behind)
	}
	at, all := int32(0), !g.once(4)
	put := func(r isa.Reg, t isa.Type) {
		if !all && g.n(2) == 0 || at > genPitch-8 {
			return
		}
		g.emit(isa.Inst{Op: isa.OpStore, Type: t, Space: isa.SpaceGlobal, A: isa.S(genResult), B: isa.V(genLane), Idx: isa.IdxU32, Scale: genPitch, Disp: at, C: r})
		at += int32(t.Bytes())
	}
	for _, t := range []isa.Type{isa.I64, isa.I32, isa.I16, isa.I8} {
		for _, r := range g.lasting[t.Bank()] {
			put(r, t)
		}
		for _, r := range g.changing[t.Bits()] {
			put(r, t)
		}
	}
	for _, r := range g.lasting[isa.BankMask] {
		x := g.fresh(isa.I32)
		g.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I32, Dst: x, A: r, B: g.constant(5), C: g.constant(9), Flags: isa.FlagDense})
		put(x, isa.I32)
	}
	g.end(isa.Inst{Op: isa.OpRet}, 0, 0)
}

// finish gives the blocks their order and registers their numbers.
func (g *generator) finish() {
	k := g.kernel
	if g.once(10) {
		for i := len(g.order) - 1; i > 1; i-- {
			j := 1 + g.n(i)
			g.order[i], g.order[j] = g.order[j], g.order[i]
		}
	}
	place := make([]int, len(g.blocks))
	for i, b := range g.order {
		place[b] = i
	}
	for i := range k.Switches {
		t := &k.Switches[i]
		t.Default = place[t.Default]
		for j, b := range t.Targets {
			t.Targets[j] = place[b]
		}
	}
	for b := range k.NumVector {
		g.passing[b] = k.NumVector[b]
		k.NumVector[b] += g.most[b]
	}
	if g.steady {
		entry, zero := &g.blocks[g.order[0]], g.constant(0)
		var set []isa.Inst
		for i := range k.NumScalar {
			set = append(set, isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: isa.S(unused + i), A: zero})
		}
		entry.code = append(set, entry.code...)
	}
	scalars := len(k.ScalarInit)
	k.NumScalar += scalars
	number := func(r *isa.Reg, t isa.Type) {
		switch {
		case r.IsScalar() && r.Index() >= unused:
			*r = isa.S(r.Index() - unused + scalars)
		case r.IsVector() && r.Index() >= passingBase:
			*r = isa.V(r.Index() - passingBase + g.passing[t.Bank()])
		}
	}
	for _, b := range g.order {
		blk := &g.blocks[b]
		start := len(k.Code)
		for _, in := range blk.code {
			operands(&in, number)
			switch in.Op {
			case isa.OpBr, isa.OpBarrier:
				in.SetTargets(place[blk.t0], 0)
			case isa.OpBrCond:
				in.SetTargets(place[blk.t0], place[blk.t1])
			}
			k.Code = append(k.Code, in)
		}
		k.Blocks = append(k.Blocks, isa.Block{Start: start, End: len(k.Code), Loop: blk.loop})
	}
	for i := range k.Printfs {
		for j := range k.Printfs[i].Args {
			a := &k.Printfs[i].Args[j]
			for n := range a.Regs {
				number(&a.Regs[n], a.Type)
			}
		}
	}
}
