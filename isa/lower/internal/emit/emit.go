package emit

import (
	"errors"
	"slices"
	"sort"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
)

// ErrTooLarge says that it would take too long to find the lives of a kernel's values.
var ErrTooLarge = errors.New("the kernel is too large: too many values live across too many blocks")

// Form is a kernel in SSA form, with blocks in the order of bytecode and values that are known to differ by lane or not,
// and what its instructions refer to besides the tables of [ssa.Func].
type Form struct {
	*ssa.Func
	WideAccesses []isa.WideAccess // by Value.Imm - 1 of loads and stores
	PipeAccesses []isa.PipeAccess // by Value.Index of an OpPipe
	Sequences    []int            // of async marks: the number of the sequence of each function body
	NumSequences int
	// KeepPrivate keeps private variables that nothing uses, for a debugger.
	KeepPrivate bool
}

// emitter writes bytecode.
type emitter struct {
	f      Form
	k      *isa.Kernel
	a      *allocator
	consts map[uint64]int
	params map[paramKey]int
	undefs map[int]int // place in Kernel.Undefined → scalar register
	addrs  map[int]int // program-scope variable → scalar register
	pipes  map[int]int // the program's pipe → place in Kernel.PipeRegs
	priv   []int       // private allocation → its new number, -1 when it is gone
	init   int         // scalar registers that start with a value

	edges ssa.EdgePlaces

	to []*ssa.Block // by order, the block that a branch to a block leads to
	at []int        // by order, the number of a block that stays

	accesses map[int]uint32            // Form.PipeAccesses → Kernel.PipeAccesses
	wides    map[isa.WideAccess]uint32 // Imm of their loads and stores
	checks   map[int]uint32            // by place in Form.Checks, that in Kernel.Checks
}

type paramKey struct {
	param  int
	offset uint64
	size   int
}

// Bytecode gives out registers and writes the code of the form's kernel. The error is [ErrTooLarge].
func Bytecode(f Form) error {
	a := &allocator{f: f.Func}
	if err := a.run(); err != nil {
		return err
	}
	f.Steps += a.steps
	k := f.Kernel
	e := &emitter{f: f, k: k, a: a, consts: map[uint64]int{}, params: map[paramKey]int{}, undefs: map[int]int{}, addrs: map[int]int{}, pipes: map[int]int{}, accesses: map[int]uint32{}, edges: ssa.EdgePlaces{Func: f.Func}, wides: map[isa.WideAccess]uint32{}, checks: map[int]uint32{}}
	e.leaves()
	e.pipeUses()
	k.MarkSequences = f.NumSequences
	e.skipEmpty()
	size := len(f.Blocks)
	for _, blk := range f.Blocks {
		size += len(blk.Phis) + len(blk.Insts)
	}
	k.Code, k.Blocks = make([]isa.Inst, 0, size), make([]isa.Block, 0, len(f.Blocks))
	for i, blk := range f.Blocks {
		if e.to[i] != blk {
			continue
		}
		start := len(k.Code)
		for _, v := range blk.Insts {
			e.inst(v)
		}
		e.copies(blk)
		e.terminator(blk)
		depth := 0
		if blk.Loop != nil {
			depth = blk.Loop.Depth
		}
		k.Blocks = append(k.Blocks, isa.Block{Start: start, End: len(k.Code), Loop: depth, Name: blk.Name})
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
	return nil
}

// leaves gives scalar registers to the constants, arguments and addresses
// that the kernel uses.
func (e *emitter) leaves() {
	e.priv = make([]int, len(e.k.Private))
	for i := range e.priv {
		e.priv[i] = -1
	}
	kept := 0
	if e.f.KeepPrivate { // what the source declares stays, whether it is used or not
		for ; kept < len(e.priv); kept++ {
			e.priv[kept] = kept
		}
	}
	visit := func(v *ssa.Value) {
		switch v.Op {
		case ssa.OpPrivate:
			if e.priv[v.Index] < 0 {
				e.priv[v.Index] = kept
				kept++
			}
			e.constant(isa.PointerBits(isa.SpacePrivate, e.priv[v.Index]))
		case ssa.OpLocal:
			e.constant(isa.PointerBits(isa.SpaceLocal, int(v.Index)))
		case ssa.OpConst:
			e.constant(v.Imm)
		case ssa.OpParam:
			key := paramKey{int(v.Index), v.Imm, v.Type.Bytes()}
			if _, ok := e.params[key]; !ok {
				r := e.slot(0)
				e.params[key] = r
				e.k.ParamRegs = append(e.k.ParamRegs, isa.ParamReg{Scalar: r, Param: key.param, Offset: key.offset, Size: uint8(key.size)})
			}
		case ssa.OpUndef:
			if _, ok := e.undefs[int(v.Index)]; !ok {
				r := e.slot(0)
				e.undefs[int(v.Index)] = r
				e.k.UndefinedRegs = append(e.k.UndefinedRegs, isa.UndefinedReg{Scalar: r, From: int(v.Index)})
			}
		case ssa.OpGlobal:
			if _, ok := e.addrs[int(v.Index)]; !ok {
				r := e.slot(0)
				e.addrs[int(v.Index)] = r
				e.k.GlobalRegs = append(e.k.GlobalRegs, isa.GlobalReg{Scalar: r, Global: int(v.Index)})
			}
		case ssa.OpPipeHandle:
			if _, ok := e.pipes[int(v.Index)]; !ok {
				e.pipes[int(v.Index)] = len(e.k.PipeRegs)
				e.k.PipeRegs = append(e.k.PipeRegs, isa.PipeReg{Scalar: e.slot(0), Pipe: int(v.Index)})
			}
		}
	}
	for _, b := range e.f.Blocks {
		for _, v := range b.Phis {
			for _, x := range v.Args {
				visit(x)
			}
		}
		for _, v := range b.Insts {
			for _, x := range v.Args {
				visit(x)
			}
		}
		if b.Cond != nil {
			visit(b.Cond)
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
func (e *emitter) reg(v *ssa.Value) isa.Reg {
	switch v.Op {
	case ssa.OpConst:
		return isa.S(e.consts[v.Imm])
	case ssa.OpParam:
		return isa.S(e.params[paramKey{int(v.Index), v.Imm, v.Type.Bytes()}])
	case ssa.OpUndef:
		return isa.S(e.undefs[int(v.Index)])
	case ssa.OpGlobal:
		return isa.S(e.addrs[int(v.Index)])
	case ssa.OpPipeHandle:
		return isa.S(e.k.PipeRegs[e.pipes[int(v.Index)]].Scalar)
	case ssa.OpPrivate:
		return isa.S(e.consts[isa.PointerBits(isa.SpacePrivate, e.priv[v.Index])])
	case ssa.OpLocal:
		return isa.S(e.consts[isa.PointerBits(isa.SpaceLocal, int(v.Index))])
	}
	c := classOf(v)
	if w := e.a.webOf(v); w != nil {
		return e.number(c, w.reg)
	}
	return e.number(c, e.a.global[c]+v.Reg.Index())
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

// check returns the place of one of the form's checks in the kernel's table.
func (e *emitter) check(i int) uint32 {
	n, ok := e.checks[i]
	if !ok {
		n = uint32(len(e.k.Checks))
		e.k.Checks = append(e.k.Checks, e.f.Checks[i])
		e.checks[i] = n
	}
	return n
}

// inst writes one instruction.
func (e *emitter) inst(v *ssa.Value) {
	in := isa.Inst{
		Op: v.Op, Type: v.Elem, Flags: v.Flags, Idx: v.Idx, Space: v.Space, Imm2: v.Imm2,
		Scale: v.Scale, Disp: v.Disp, Imm: uint32(v.Imm), Loc: v.Loc,
	}
	info := v.Op.Info()
	switch info.Shape {
	case isa.ShapeConvert:
		in.Type, in.Type2 = v.Type, v.Elem
	case isa.ShapePtrAdd, isa.ShapePtrDiff:
		in.Type = isa.I64
	}
	ops := [4]*isa.Reg{&in.A, &in.B, &in.C, &in.D}
	at := 0
	switch info.Shape {
	case isa.ShapePtrAdd, isa.ShapeLoad, isa.ShapeStore, isa.ShapeAtomic, isa.ShapeBlockLoad, isa.ShapeBlockStore:
		in.A = e.reg(v.Args[0])
		if v.Idx != isa.IdxNone {
			in.B = e.reg(v.Args[1])
		}
		at = 2
		for _, x := range opt.Rest(v) {
			*ops[at] = e.reg(x)
			at++
		}
		if v.Imm != 0 && (v.Op == isa.OpLoad || v.Op == isa.OpStore) {
			in.Imm = e.wideAccess(e.f.WideAccesses[v.Imm-1])
		}
	case isa.ShapeCheck:
		in.A, in.Imm = e.reg(v.Args[0]), e.check(int(v.Imm))
		if len(v.Args) > 1 {
			in.B = e.reg(v.Args[1])
		}
	case isa.ShapeImage:
		e.k.ImageAccesses[v.Index].Regs(e.regs(v))
	case isa.ShapePrintf:
		pf := &e.k.Printfs[v.Index]
		i := 0
		for j := range pf.Args {
			for r := range pf.Args[j].Regs {
				pf.Args[j].Regs[r] = e.reg(v.Args[i])
				i++
			}
		}
	case isa.ShapeGroupCopy:
		c := e.f.GroupCopies[v.Index]
		c.Regs(e.regs(v))
		in.Imm = uint32(len(e.k.GroupCopies))
		e.k.GroupCopies = append(e.k.GroupCopies, c)
		e.k.UsesAsync = true
	case isa.ShapeLaneCopy:
		c := e.f.LaneCopies[v.Index]
		c.Regs(e.regs(v))
		in.Imm = uint32(len(e.k.LaneCopies))
		e.k.LaneCopies = append(e.k.LaneCopies, c)
		e.k.UsesAsync = true
	case isa.ShapePipe:
		a := e.f.PipeAccesses[v.Index]
		a.Regs(e.regs(v))
		in.Type, in.Imm2, in.Imm = isa.Void, 0, uint32(len(e.k.PipeAccesses))
		e.accesses[int(v.Index)] = in.Imm
		e.k.PipeAccesses = append(e.k.PipeAccesses, a)
	case isa.ShapeAsync:
		in.Imm = uint32(e.f.Sequences[v.Index])
		e.k.UsesAsync = true
	case isa.ShapeClock:
		e.k.UsesClock, e.k.OrderDependent = true, true
	case isa.ShapeGroupWait:
		in.A = e.reg(v.Args[0])
		e.k.UsesAsync = true
	default:
		for _, x := range v.Args {
			*ops[at] = e.reg(x)
			at++
		}
	}
	unused := ssa.NoResult(v) || (v.Op == isa.OpAtomic || v.Op == isa.OpPrintf || v.Op == isa.OpImageRead || v.Op == isa.OpPipe) && e.a.unused(v)
	if !unused {
		in.Dst = e.reg(v)
		if v.Varying && e.a.webOf(v) == nil {
			in.Flags |= isa.FlagDense
		}
	}
	if v.Op == isa.OpAtomic {
		e.atomicEffects(v, unused)
	}
	e.k.Code = append(e.k.Code, in)
}

func (a *allocator) unused(v *ssa.Value) bool { return a.of(v).end == v.Pos && a.webOf(v) == nil }

// regs returns what fills the registers of a table's entry with those of v's
// operands, one after the other.
func (e *emitter) regs(v *ssa.Value) func(*isa.Reg, isa.Type, string) {
	i := 0
	return func(r *isa.Reg, _ isa.Type, _ string) {
		*r = e.reg(v.Args[i])
		i++
	}
}

// atomicEffects notes whether work-groups can see each other's order.
func (e *emitter) atomicEffects(v *ssa.Value, unused bool) {
	if v.Space == isa.SpaceLocal {
		return
	}
	switch isa.AtomicOp(v.Imm2) {
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

func (e *emitter) terminator(b *ssa.Block) {
	in := isa.Inst{Loc: b.TermLoc}
	to := func(i int) int { return e.at[e.to[b.Succs[i].Order].Order] }
	switch b.Term {
	case ssa.TermBr:
		in.Op = isa.OpBr
		in.SetTargets(to(0), 0)
	case ssa.TermCond:
		in.Op, in.A = isa.OpBrCond, e.reg(b.Cond)
		in.SetTargets(to(0), to(1))
		if b.Wait != nil {
			in.Flags |= isa.FlagWait
			in.Imm = e.accesses[int(b.Wait.Index)]
		}
	case ssa.TermSwitch:
		// The selector may be the bits of a float: reinterpreting them takes no instruction.
		in.Op, in.Type, in.A = isa.OpSwitch, isa.IntOf(b.Cond.Type.Bits()), e.reg(b.Cond)
		in.Imm = uint32(len(e.k.Switches))
		t := isa.SwitchTable{Default: to(0)}
		cases := b.Table.Cases
		idx := make([]int, len(cases))
		for i := range idx {
			idx[i] = i
		}
		sort.Slice(idx, func(i, j int) bool { return cases[idx[i]] < cases[idx[j]] })
		for _, i := range idx {
			t.Values = append(t.Values, cases[i])
			t.Targets = append(t.Targets, to(b.Table.To[i]))
		}
		e.k.Switches = append(e.k.Switches, t)
	case ssa.TermBarrier:
		in.Op, in.Imm2, in.Imm = isa.OpBarrier, uint8(b.Scope), uint32(b.Schedule)
		if b.Uniform {
			in.Flags |= isa.FlagUniform
		}
		in.SetOrder(b.MemoryOrder)
		in.SetTargets(to(0), 0)
		e.k.UsesBarrier = true
	case ssa.TermTrap:
		in.Op, in.Imm = isa.OpTrap, uint32(b.Trap)
	default:
		in.Op = isa.OpRet
	}
	e.k.Code = append(e.k.Code, in)
}
