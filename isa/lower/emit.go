package lower

import (
	"errors"
	"slices"
	"sort"

	"github.com/lockstep-gpu/lockstep/isa"
)

var errTooLarge = errors.New("the kernel is too large: too many values live across too many blocks")

// emitter writes bytecode.
type emitter struct {
	b      *builder
	k      *isa.Kernel
	a      *allocator
	consts map[uint64]int
	params map[paramKey]int
	undefs map[int]int // place in Kernel.Undefined → scalar register
	addrs  map[int]int // program-scope variable → scalar register
	pipes  map[int]int // the program's pipe → place in Kernel.PipeRegs
	priv   []int       // private allocation → its new number, -1 when it is gone
	init   int         // scalar registers that start with a value

	edges edgePlaces

	to []*block // by order, the block that a branch to a block leads to
	at []int    // by order, the number of a block that stays

	sequence []int                     // of async marks, by body
	accesses map[int]uint32            // builder.pipeAccesses → Kernel.PipeAccesses
	wides    map[isa.WideAccess]uint32 // Imm of their loads and stores
	checks   map[int]uint32            // by place in builder.checks, that in Kernel.Checks
}

type paramKey struct {
	param  int
	offset uint64
	size   int
}

// emit gives out registers and writes the kernel's code.
func emit(b *builder) {
	a := &allocator{f: b.f}
	if err := a.run(); err != nil {
		b.fail("%v", err)
	}
	b.f.steps += a.steps
	e := &emitter{b: b, k: b.k, a: a, consts: map[uint64]int{}, params: map[paramKey]int{}, undefs: map[int]int{}, addrs: map[int]int{}, pipes: map[int]int{}, accesses: map[int]uint32{}, edges: edgePlaces{f: b.f}, wides: map[isa.WideAccess]uint32{}, checks: map[int]uint32{}}
	e.leaves()
	e.pipeUses()
	k := b.k
	e.sequence, k.MarkSequences = b.sequences()
	e.skipEmpty()
	size := len(b.f.blocks)
	for _, blk := range b.f.blocks {
		size += len(blk.phis) + len(blk.insts)
	}
	k.Code, k.Blocks = make([]isa.Inst, 0, size), make([]isa.Block, 0, len(b.f.blocks))
	for i, blk := range b.f.blocks {
		if e.to[i] != blk {
			continue
		}
		start := len(k.Code)
		for _, v := range blk.insts {
			e.inst(v)
		}
		e.copies(blk)
		e.terminator(blk)
		depth := 0
		if blk.loop != nil {
			depth = blk.loop.depth
		}
		k.Blocks = append(k.Blocks, isa.Block{Start: start, End: len(k.Code), Loop: depth, Name: blk.name})
	}
	k.NumScalar = e.init + a.global[classScalar] + a.local[classScalar]
	if a.scratch[classScalar] >= 0 {
		k.NumScalar++
	}
	for c := range k.NumVector {
		k.NumVector[c] = a.global[c] + a.local[c]
		if a.scratch[c] >= 0 {
			k.NumVector[c]++
		}
	}
	k.Private = e.keptPrivate()
	k.UsesPipes = len(k.PipeAccesses) > 0 || len(k.PipeRegs) > 0 ||
		slices.ContainsFunc(k.Params, func(p isa.Param) bool { return p.Kind == isa.ParamPipe })
}

// leaves gives scalar registers to the constants, arguments and addresses
// that the kernel uses.
func (e *emitter) leaves() {
	e.priv = make([]int, len(e.k.Private))
	for i := range e.priv {
		e.priv[i] = -1
	}
	kept := 0
	visit := func(v *value) {
		switch v.op {
		case irPriv:
			if e.priv[v.index] < 0 {
				e.priv[v.index] = kept
				kept++
			}
			e.constant(isa.PointerBits(isa.SpacePrivate, e.priv[v.index]))
		case irLocal:
			e.constant(isa.PointerBits(isa.SpaceLocal, int(v.index)))
		case irConst:
			e.constant(v.imm)
		case irParam:
			key := paramKey{int(v.index), v.imm, v.typ.Bytes()}
			if _, ok := e.params[key]; !ok {
				r := e.slot(0)
				e.params[key] = r
				e.k.ParamRegs = append(e.k.ParamRegs, isa.ParamReg{Scalar: r, Param: key.param, Offset: key.offset, Size: uint8(key.size)})
			}
		case irUndef:
			if _, ok := e.undefs[int(v.index)]; !ok {
				r := e.slot(0)
				e.undefs[int(v.index)] = r
				e.k.UndefinedRegs = append(e.k.UndefinedRegs, isa.UndefinedReg{Scalar: r, From: int(v.index)})
			}
		case irGlobal:
			if _, ok := e.addrs[int(v.index)]; !ok {
				r := e.slot(0)
				e.addrs[int(v.index)] = r
				e.k.GlobalRegs = append(e.k.GlobalRegs, isa.GlobalReg{Scalar: r, Global: int(v.index)})
			}
		case irPipe:
			if _, ok := e.pipes[int(v.index)]; !ok {
				e.pipes[int(v.index)] = len(e.k.PipeRegs)
				e.k.PipeRegs = append(e.k.PipeRegs, isa.PipeReg{Scalar: e.slot(0), Pipe: int(v.index)})
			}
		}
	}
	for _, b := range e.b.f.blocks {
		for _, v := range b.phis {
			for _, x := range v.args {
				visit(x)
			}
		}
		for _, v := range b.insts {
			for _, x := range v.args {
				visit(x)
			}
		}
		if b.cond != nil {
			visit(b.cond)
		}
	}
	e.init = len(e.k.ScalarInit)
}

func (e *emitter) slot(bits uint64) int {
	e.k.ScalarInit = append(e.k.ScalarInit, bits)
	return len(e.k.ScalarInit) - 1
}

func (e *emitter) constant(bits uint64) {
	if _, ok := e.consts[bits]; !ok {
		e.consts[bits] = e.slot(bits)
	}
}

// keptPrivate returns the private allocations that are still used, renumbered.
func (e *emitter) keptPrivate() []isa.Alloc {
	n := 0
	for _, p := range e.priv {
		n = max(n, p+1)
	}
	out := make([]isa.Alloc, n)
	for i, p := range e.priv {
		if p >= 0 {
			out[p] = e.k.Private[i]
		}
	}
	return out
}

// reg returns the register of a value.
func (e *emitter) reg(v *value) isa.Reg {
	switch v.op {
	case irConst:
		return isa.S(e.consts[v.imm])
	case irParam:
		return isa.S(e.params[paramKey{int(v.index), v.imm, v.typ.Bytes()}])
	case irUndef:
		return isa.S(e.undefs[int(v.index)])
	case irGlobal:
		return isa.S(e.addrs[int(v.index)])
	case irPipe:
		return isa.S(e.k.PipeRegs[e.pipes[int(v.index)]].Scalar)
	case irPriv:
		return isa.S(e.consts[isa.PointerBits(isa.SpacePrivate, e.priv[v.index])])
	case irLocal:
		return isa.S(e.consts[isa.PointerBits(isa.SpaceLocal, int(v.index))])
	}
	c := classOf(v)
	if w := e.a.webOf(v); w != nil {
		return e.number(c, w.reg)
	}
	return e.number(c, e.a.global[c]+v.reg.Index())
}

func (e *emitter) number(c class, i int) isa.Reg {
	if c == classScalar {
		return isa.S(e.init + i)
	}
	return isa.V(i)
}

// wideAccess returns what Imm of a load or store says that is part of an access of the module.
func (e *emitter) wideAccess(a isa.WideAccess) uint32 {
	n, ok := e.wides[a]
	if !ok {
		e.k.WideAccesses = append(e.k.WideAccesses, a)
		n = uint32(len(e.k.WideAccesses))
		e.wides[a] = n
	}
	return n
}

// check returns the place of one of the builder's checks in the kernel's table.
func (e *emitter) check(i int) uint32 {
	n, ok := e.checks[i]
	if !ok {
		n = uint32(len(e.k.Checks))
		e.k.Checks = append(e.k.Checks, e.b.checks[i])
		e.checks[i] = n
	}
	return n
}

// inst writes one instruction.
func (e *emitter) inst(v *value) {
	in := isa.Inst{
		Op: v.op, Type: v.elem, Flags: v.flags, Idx: v.idx, Space: v.space, Imm2: v.imm2,
		Scale: v.scale, Disp: v.disp, Imm: uint32(v.imm), Loc: v.loc,
	}
	info := v.op.Info()
	switch info.Shape {
	case isa.ShapeConvert:
		in.Type, in.Type2 = v.typ, v.elem
	case isa.ShapePtrAdd, isa.ShapePtrDiff:
		in.Type = isa.I64
	}
	ops := [4]*isa.Reg{&in.A, &in.B, &in.C, &in.D}
	at := 0
	switch info.Shape {
	case isa.ShapePtrAdd, isa.ShapeLoad, isa.ShapeStore, isa.ShapeAtomic, isa.ShapeBlockLoad, isa.ShapeBlockStore:
		in.A = e.reg(v.args[0])
		if v.idx != isa.IdxNone {
			in.B = e.reg(v.args[1])
		}
		at = 2
		for _, x := range rest(v) {
			*ops[at] = e.reg(x)
			at++
		}
		if v.imm != 0 && (v.op == isa.OpLoad || v.op == isa.OpStore) {
			in.Imm = e.wideAccess(e.b.wides[v.imm-1])
		}
	case isa.ShapeCheck:
		in.A, in.Imm = e.reg(v.args[0]), e.check(int(v.imm))
		if len(v.args) > 1 {
			in.B = e.reg(v.args[1])
		}
	case isa.ShapeImage:
		e.k.ImageAccesses[v.index].Regs(e.regs(v))
	case isa.ShapePrintf:
		pf := &e.k.Printfs[v.index]
		i := 0
		for j := range pf.Args {
			for r := range pf.Args[j].Regs {
				pf.Args[j].Regs[r] = e.reg(v.args[i])
				i++
			}
		}
	case isa.ShapeGroupCopy:
		c := e.b.groupCopies[v.index]
		c.Regs(e.regs(v))
		in.Imm = uint32(len(e.k.GroupCopies))
		e.k.GroupCopies = append(e.k.GroupCopies, c)
		e.k.UsesAsync = true
	case isa.ShapeLaneCopy:
		c := e.b.laneCopies[v.index]
		c.Regs(e.regs(v))
		in.Imm = uint32(len(e.k.LaneCopies))
		e.k.LaneCopies = append(e.k.LaneCopies, c)
		e.k.UsesAsync = true
	case isa.ShapePipe:
		a := e.b.pipeAccesses[v.index]
		a.Regs(e.regs(v))
		in.Type, in.Imm2, in.Imm = isa.Void, 0, uint32(len(e.k.PipeAccesses))
		e.accesses[int(v.index)] = in.Imm
		e.k.PipeAccesses = append(e.k.PipeAccesses, a)
	case isa.ShapeAsync:
		in.Imm = uint32(e.sequence[v.index])
		e.k.UsesAsync = true
	case isa.ShapeClock:
		e.k.UsesClock, e.k.OrderDependent = true, true
	case isa.ShapeGroupWait:
		in.A = e.reg(v.args[0])
		e.k.UsesAsync = true
	default:
		for _, x := range v.args {
			*ops[at] = e.reg(x)
			at++
		}
	}
	unused := noResult(v) || (v.op == isa.OpAtomic || v.op == isa.OpPrintf || v.op == isa.OpImageRead || v.op == isa.OpPipe) && e.a.unused(v)
	if !unused {
		in.Dst = e.reg(v)
		if v.div && e.a.webOf(v) == nil {
			in.Flags |= isa.FlagDense
		}
	}
	if v.op == isa.OpAtomic {
		e.atomicEffects(v, unused)
	}
	e.k.Code = append(e.k.Code, in)
}

func (a *allocator) unused(v *value) bool { return a.of(v).end == v.pos && a.webOf(v) == nil }

// regs returns what fills the registers of a table's entry with those of v's
// operands, one after the other.
func (e *emitter) regs(v *value) func(*isa.Reg, isa.Type, string) {
	i := 0
	return func(r *isa.Reg, _ isa.Type, _ string) {
		*r = e.reg(v.args[i])
		i++
	}
}

// atomicEffects notes whether work-groups can see each other's order.
func (e *emitter) atomicEffects(v *value, unused bool) {
	if v.space == isa.SpaceLocal {
		return
	}
	switch isa.AtomicOp(v.imm2) {
	case isa.AtomicAdd, isa.AtomicSub, isa.AtomicMinS, isa.AtomicMaxS, isa.AtomicMinU, isa.AtomicMaxU, isa.AtomicAnd, isa.AtomicOr,
		isa.AtomicXor, isa.AtomicFMin, isa.AtomicFMax:
		// These commute, so only somebody who reads the old value can tell.
		if !unused {
			e.k.OrderDependent = true
		}
	default:
		e.k.OrderDependent = true
	}
}

func (e *emitter) terminator(b *block) {
	in := isa.Inst{Loc: b.termLoc}
	to := func(i int) int { return e.at[e.to[b.succs[i].order].order] }
	switch b.term {
	case termBr:
		in.Op = isa.OpBr
		in.SetTargets(to(0), 0)
	case termCond:
		in.Op, in.A = isa.OpBrCond, e.reg(b.cond)
		in.SetTargets(to(0), to(1))
		if b.wait != nil {
			in.Flags |= isa.FlagWait
			in.Imm = e.accesses[int(b.wait.index)]
		}
	case termSwitch:
		// The selector may be the bits of a float: reinterpreting them takes no instruction.
		in.Op, in.Type, in.A = isa.OpSwitch, isa.IntOf(b.cond.typ.Bits()), e.reg(b.cond)
		in.Imm = uint32(len(e.k.Switches))
		t := isa.SwitchTable{Default: to(0)}
		cases := b.table.cases
		idx := make([]int, len(cases))
		for i := range idx {
			idx[i] = i
		}
		sort.Slice(idx, func(i, j int) bool { return cases[idx[i]] < cases[idx[j]] })
		for _, i := range idx {
			t.Values = append(t.Values, cases[i])
			t.Targets = append(t.Targets, to(b.table.to[i]))
		}
		e.k.Switches = append(e.k.Switches, t)
	case termBarrier:
		in.Op, in.Imm2, in.Imm = isa.OpBarrier, uint8(b.scope), uint32(b.sched)
		if b.uniform {
			in.Flags |= isa.FlagUniform
		}
		in.SetOrder(b.memory)
		in.SetTargets(to(0), 0)
		e.k.UsesBarrier = true
	case termTrap:
		in.Op, in.Imm = isa.OpTrap, uint32(b.trap)
	default:
		in.Op = isa.OpRet
	}
	e.k.Code = append(e.k.Code, in)
}
