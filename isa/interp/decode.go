package interp

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	waves "github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
)

// opFunc runs a decoded instruction for the lanes of a wave.
type opFunc func(w *wave, in *inst)

// inst is a decoded instruction. A vector operand is the byte offset of its
// register in a chunk, a scalar one the number of its register.
type inst struct {
	fn            opFunc
	d, a, b, c, e uint32 // destination and operands; e is isa.Inst.D

	mask        uint8 // which of wave.masks rules it
	scalars     uint8 // the set of scalar operands, where the function has to know: a is 1, b is 2, c is 4
	vectorIndex bool  // the index of the address is a vector
	idx         isa.IdxType
	space       memory.Space // the only one that the address may point to, or SpaceNone

	scale, disp int64
	imm         uint32
	pc          int
	src         *isa.Inst
	aux         *aux
}

// aux is what few instructions need.
type aux struct {
	first, second inst // alternatives
	async         *async
	atomic        *atomicFuncs
	unary32       func(float32) float32
	binary32      func(x, y float32) float32
	ternary32     func(x, y, z float32) float32
	unary64       func(float64) float64
	binary64      func(x, y float64) float64
	ternary64     func(x, y, z float64) float64
	image         *imageAccess
	pipe          *isa.PipeAccess
	race          *race.Access
	shadowed      *shadowed
	modelled      *modelled
}

type convertKey struct {
	op       isa.Op
	dst, src isa.Type
}

// accessFuncs are the ways to load or store elements of a bank.
type accessFuncs struct {
	indexed       [isa.Idx64 + 1]opFunc // scalar pointer, vector index
	private       [isa.Idx64 + 1]opFunc // the same for private memory
	scalar        opFunc                // one address
	privateScalar opFunc                // one address in private memory
	pointers      opFunc                // vector of pointers
}

// decoder turns the instructions of a block into internal ones.
type decoder struct {
	*compiledKernel
	decodeOptions
	out []inst
	// unknown is the last call of a function that isa/clmath does not have, or -1.
	unknown int
	// replaced stands for the instruction that is decoded, unless it is nil.
	replaced *isa.Inst
	// late are the loads of the block that may be performed late, in launches with a memory model.
	late map[int]bool
}

// decodeOptions says which instructions of its own the decoder adds to those of the kernel.
type decodeOptions struct {
	check bool // the checks of engine.Launch.Check
	watch bool // announcements of accesses to package dma, see engine.Group.Watch
	trace bool // announcements of blocks and accesses to engine.Group.Subgroups
	tell  bool // announcements of accesses to engine.Group.Accesses
	shade bool // undefined bits, see shadow
	model bool // loads and stores are those of engine.Group.Weak
	parts bool // block.parts, for engine.Group.Debug
}

// index numbers the options.
func (o decodeOptions) index() int {
	n := 0
	for i, on := range [...]bool{o.check, o.watch, o.trace, o.tell, o.shade, o.model, o.parts} {
		if on {
			n |= 1 << i
		}
	}
	return n
}

// decode returns the kernel's blocks. The error is a call of a function that isa/clmath does not have.
func (c *compiledKernel) decode(o decodeOptions) ([]block, error) {
	k := c.kernel
	d := &decoder{compiledKernel: c, decodeOptions: o, unknown: -1}
	blocks := make([]block, len(k.Blocks))
	all := make([]inst, 0, len(k.Code)) // most become one
	for i, b := range k.Blocks {
		blk, start := &blocks[i], len(all)
		d.out = all[start:]
		if d.trace {
			d.traceBlock(b)
		}
		var settle map[int][]int
		if d.model {
			d.late, settle = d.lateLoads(b)
		}
		for pc := b.Start; pc < b.End-1; pc++ {
			d.settles(settle[pc])
			if d.inst(pc); d.parts {
				blk.parts = append(blk.parts, int32(len(d.out)))
			}
		}
		d.settles(settle[b.End-1])
		if d.shade {
			d.shadowed(d.base(b.End - 1))
		}
		all = append(all, d.out...) // in place, as long as there is room
		blk.body = all[start:len(all):len(all)]
		blk.BlockCounts = waves.Count(k, i)
		if len(c.waits) > 0 {
			blk.together = c.togetherOf(b)
		}
		blk.end = d.terminator(b.End - 1)
	}
	if d.unknown >= 0 {
		in := &k.Code[d.unknown]
		return nil, fmt.Errorf("kernel %s: instruction %d: no function %d of %s: %w", k.Name, d.unknown, in.Imm, in.Type, isa.ErrMalformed)
	}
	return blocks, nil
}

func (d *decoder) terminator(pc int) terminator {
	in := &d.kernel.Code[pc]
	t := terminator{pc: pc, imm: in.Imm}
	switch in.Op {
	case isa.OpBr:
		t.kind, t.t0 = termBr, in.Target0()
	case isa.OpBrCond:
		t.kind, t.t0, t.t1 = termCond, in.Target0(), in.Target1()
		if in.A.IsScalar() {
			t.kind = termCondScalar
		}
		t.a = d.operand(in.A, isa.B1)
		if in.Flags&isa.FlagWait != 0 {
			d.wait(&t, in)
		}
	case isa.OpSwitch:
		t.kind, t.table, t.size = termSwitch, &d.tables[in.Imm], in.Type.Bank()
		if in.A.IsScalar() {
			t.kind = termSwitchScalar
		}
		t.a = d.operand(in.A, in.Type)
	case isa.OpBarrier:
		t.kind, t.t0, t.imm = termBarrier, in.Target0(), uint32(in.Imm2)
	case isa.OpRet:
		t.kind = termRet
	default:
		t.kind = termTrap
	}
	return t
}

// sequence decodes instructions that stand for those of the kernel at some places.
func (c *compiledKernel) sequence(code []isa.Inst, at []int) []inst {
	d := &decoder{compiledKernel: c, unknown: -1}
	for i := range code {
		d.replaced = &code[i]
		d.inst(at[i])
	}
	return d.out
}

// operand returns where a register is.
func (d *decoder) operand(r isa.Reg, t isa.Type) uint32 {
	switch {
	case r == isa.None:
		return 0
	case r.IsScalar():
		return uint32(r.Index())
	}
	return d.offset(r, t)
}

func (d *decoder) emit(in inst) { d.out = append(d.out, in) }

// base returns a decoded instruction without operands.
func (d *decoder) base(pc int) inst {
	src := &d.kernel.Code[pc]
	if d.replaced != nil {
		src = d.replaced
	}
	in := inst{src: src, pc: pc, imm: src.Imm}
	if src.Flags&isa.FlagDense != 0 {
		in.mask = maskDense
	}
	return in
}

// inst decodes the instruction at pc.
func (d *decoder) inst(pc int) {
	in := d.base(pc)
	if d.shade {
		d.shadowed(in)
	}
	if d.watch {
		d.watchAccess(in)
	}
	if d.trace {
		d.traceAccess(in)
	}
	if d.tell {
		d.tellAccess(in)
		defer d.tellReturned(in)
	}
	if d.model && d.modelled(in, func() { d.operation(in) }) {
		return
	}
	d.operation(in)
}

// operation decodes what an instruction does, and what checks want to know of it.
func (d *decoder) operation(in inst) {
	s := in.src
	switch s.Op {
	case isa.OpMov:
		d.mov(in, s.Dst, s.A, s.Type)
	case isa.OpReadFirst:
		in.fn, in.d = readFirst, d.operand(s.Dst, s.Type)
		d.emit(in)
	case isa.OpSelect:
		d.selection(in)
	case isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS:
		d.division(in)
	case isa.OpMath1, isa.OpMath2, isa.OpMath3:
		d.math(in)
	case isa.OpTruncate, isa.OpSExt, isa.OpZExt, isa.OpSToF, isa.OpUToF, isa.OpFToS, isa.OpFToU, isa.OpFToF:
		d.conversion(in)
	case isa.OpPtrAdd:
		d.ptrAdd(in)
	case isa.OpPtrDiff:
		if d.check {
			c := in
			c.fn = checkPtrDiff
			d.emit(c)
		}
		d.lanes(in, ptrDiff, s.A, isa.I64, s.B, isa.I64)
	case isa.OpPtrPack32:
		d.lanes(in, ptrPack32, s.A, isa.I64, isa.None, isa.Void)
	case isa.OpPtrUnpack32:
		d.lanes(in, ptrUnpack32, s.A, isa.I32, isa.None, isa.Void)
	case isa.OpPtrAddress:
		d.lanes(in, ptrAddress, s.A, isa.I64, isa.None, isa.Void)
	case isa.OpPtrAt:
		d.lanes(in, ptrAt, s.A, isa.I64, isa.None, isa.Void)
	case isa.OpLoad:
		d.load(in)
	case isa.OpStore:
		d.store(in)
	case isa.OpAtomic:
		d.atomic(in)
	case isa.OpMemCopy:
		if d.check && (s.Imm2 > 1 || s.Imm > 1) {
			c := in
			c.fn = checkCopyAlign
			d.emit(c)
		}
		d.raceAccess(in)
		in.fn = memCopy
		d.emit(in)
	case isa.OpFence:
		if d.check {
			in.fn = tellFence
			d.emit(in)
		}
		// Lanes act one after the other and host atomics are sequentially
		// consistent: there is nothing to order.
	case isa.OpBuiltin:
		d.builtin(in)
	case isa.OpImageQuery, isa.OpImageRead, isa.OpImageWrite, isa.OpImageBlockRead, isa.OpImageBlockWrite:
		d.image(in)
	case isa.OpPipe:
		d.pipe(in)
	case isa.OpCheck:
		if d.check {
			d.languageCheck(in)
		}
	case isa.OpClock:
		in.fn, in.d = readClock, d.scratch
		d.emit(in)
		d.broadcast(in, s.Dst, isa.I64)
	case isa.OpPrintf:
		in.fn = printf
		d.emit(in)
	case isa.OpGroupCopy:
		d.groupCopy(in)
	case isa.OpGroupWait:
		d.groupWait(in)
	case isa.OpLaneCopy:
		d.laneCopy(in)
	case isa.OpAsyncScope:
		in.fn = asyncScope
		d.emit(in)
	case isa.OpAsyncMark:
		in.fn = asyncMark
		d.emit(in)
	case isa.OpAsyncWait:
		in.fn = asyncWait
		d.emit(in)
	case isa.OpShuffle, isa.OpShuffle2, isa.OpBallot, isa.OpVote, isa.OpElect, isa.OpBroadcastFirst, isa.OpScan, isa.OpMatch,
		isa.OpBlockLoad, isa.OpBlockStore:
		d.cross(in)
	default:
		d.arith(in)
	}
}

// mov emits dst = a.
func (d *decoder) mov(in inst, dst, a isa.Reg, t isa.Type) {
	in.d, in.a = d.operand(dst, t), d.operand(a, t)
	switch {
	case dst.IsScalar():
		in.fn = movScalar
	case a.IsScalar():
		in.fn = movFuncs[t.Bank()][1]
	default:
		in.fn = movFuncs[t.Bank()][0]
	}
	d.emit(in)
}

// broadcast emits the copy of the scratch scalar register to dst, if dst is a
// vector: the way to give a vector the result of scalar operands.
func (d *decoder) broadcast(in inst, dst isa.Reg, t isa.Type) {
	in.fn, in.d, in.a = movFuncs[t.Bank()][1], d.operand(dst, t), d.scratch
	d.emit(in)
}

// spread emits the copy of a scalar operand into temporary register n and
// returns that register's place.
func (d *decoder) spread(n int, r isa.Reg, t isa.Type) uint32 {
	d.emit(inst{fn: movFuncs[t.Bank()][1], mask: maskDense, d: d.temp[n], a: d.operand(r, t)})
	return d.temp[n]
}

// arith decodes integer and float arithmetic and comparisons.
func (d *decoder) arith(in inst) {
	s := in.src
	inf := s.Op.Info()
	n, result := 2, s.Type
	switch inf.Shape {
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad:
		n = 1 + int(inf.Shape-isa.ShapeUnary)
	case isa.ShapeCompare:
		result = isa.B1
	}
	regs := [4]isa.Reg{s.A, s.B, s.C, s.D}
	shape := 0
	for i := range n {
		if regs[i].IsScalar() {
			shape |= 1 << i
		}
	}
	all := 1<<n - 1
	fns := &intFuncs[s.Op][s.Type]
	for _, t := range []*[16]opFunc{&floatFuncs[s.Op][s.Type], &compareFuncs[s.Op][s.Type]} {
		if t[0] != nil {
			fns = t
		}
	}
	if s.Type == isa.B1 {
		d.boolean(in, n, shape == all)
		return
	}
	if d.check && (s.Op == isa.OpShl || s.Op == isa.OpShrS || s.Op == isa.OpShrU) {
		c := in
		c.fn = checkShift
		d.emit(c)
	}
	if shape&3 == 1 && n >= 2 && fns[shape] == nil && s.Op.Is(isa.PropCommutes) {
		regs[0], regs[1] = regs[1], regs[0]
		shape ^= 3
	}
	if shape != all && fns[shape] == nil {
		// No loop for this mixture: make the scalars vectors.
		var at [4]uint32
		for i := range n {
			at[i] = d.operand(regs[i], s.Type)
			if shape>>i&1 != 0 {
				at[i] = d.spread(i, regs[i], s.Type)
			}
		}
		in.fn = fns[0]
		in.a, in.b, in.c, in.e = at[0], at[1], at[2], at[3]
		in.d = d.operand(s.Dst, result)
		d.emit(in)
		return
	}
	in.fn = fns[shape]
	for i, p := range []*uint32{&in.a, &in.b, &in.c, &in.e}[:n] {
		*p = d.operand(regs[i], s.Type)
	}
	if shape == all && s.Dst.IsVector() {
		in.d = d.scratch
		d.emit(in)
		d.broadcast(in, s.Dst, result)
		return
	}
	in.d = d.operand(s.Dst, result)
	d.emit(in)
}

// boolean decodes an operation on B1.
func (d *decoder) boolean(in inst, n int, scalar bool) {
	s := in.src
	in.imm = uint32(s.Op)
	in.a = d.operand(s.A, isa.B1)
	in.b = in.a
	regs := [2]isa.Reg{s.A, s.A}
	if n == 2 {
		in.b = d.operand(s.B, isa.B1)
		regs[1] = s.B
	}
	for i, r := range regs {
		if r.IsScalar() {
			in.scalars |= 1 << i
		}
	}
	in.fn, in.d = maskOp, d.operand(s.Dst, isa.B1)
	if scalar {
		in.fn = maskOpScalar
		if s.Dst.IsVector() {
			in.d = d.scratch
			d.emit(in)
			d.broadcast(in, s.Dst, isa.B1)
			return
		}
	}
	d.emit(in)
}

func (d *decoder) selection(in inst) {
	s := in.src
	in.d = d.operand(s.Dst, s.Type)
	in.a = d.operand(s.A, isa.B1)
	in.b = d.operand(s.B, s.Type)
	in.c = d.operand(s.C, s.Type)
	switch {
	case s.Dst.IsScalar():
		in.fn = selectScalar
	case s.A.IsScalar():
		in.fn = selectUniform
		in.aux = &aux{}
		for i, p := range []*inst{&in.aux.first, &in.aux.second} {
			r := []isa.Reg{s.B, s.C}[i]
			*p = inst{mask: in.mask, d: in.d, a: d.operand(r, s.Type), fn: movFuncs[s.Type.Bank()][b2u(r.IsScalar())]}
		}
	default:
		shape := b2u(s.B.IsScalar()) | b2u(s.C.IsScalar())<<1
		in.scalars = uint8(shape << 1)
		in.fn = selectFuncs[s.Type.Bank()][shape]
	}
	d.emit(in)
}

func (d *decoder) conversion(in inst) {
	s := in.src
	rounded := b2u(s.Flags.Round() != isa.RoundDefault)
	op := s.Op
	if s.Type.IsInt() && s.Type2.IsInt() {
		// The widths decide, whatever the opcode is called.
		switch {
		case s.Type.Bits() < s.Type2.Bits():
			op = isa.OpTruncate
		case op == isa.OpTruncate:
			op = isa.OpZExt
		}
	}
	fns := convertFuncs[convertKey{op, s.Type, s.Type2}]
	if fns[1][0] == nil {
		rounded = 0
	}
	in.imm = uint32(s.Flags.Round())
	in.a = d.operand(s.A, s.Type2)
	in.fn = fns[rounded][b2u(s.A.IsScalar())]
	switch {
	case in.fn == nil:
		// Integers of one width: nothing to convert.
		d.mov(in, s.Dst, s.A, s.Type)
		return
	case s.A.IsScalar() && s.Dst.IsVector():
		in.d = d.scratch
		d.emit(in)
		d.broadcast(in, s.Dst, s.Type)
		return
	}
	in.d = d.operand(s.Dst, s.Type)
	d.emit(in)
}
