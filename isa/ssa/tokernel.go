package ssa

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// ToKernel writes a function as bytecode, in the order of Block.Order and with a result in a vector register
// where Value.Varying says so: what [FromKernel] made, or what [Func.Diverge] has laid out. It is made for
// comparisons of what a function computes with what the kernel computed that it comes from, and so as plain
// as can be: a value that is used outside of its block has a register of its own, and a phi has two, of which
// one takes the operand where an edge begins.
//
// The kernel's scalar registers that hold something at first keep their numbers, and its tables stay, but for
// those that name registers. The function must come from FromKernel: functions that isa/lower builds have
// tables elsewhere.
func ToKernel(f *Func) (*isa.Kernel, error) {
	k := *f.Kernel
	w := &kernelWriter{f: f, k: &k, consts: map[uint64]isa.Reg{},
		regs: map[*Value]isa.Reg{}, into: map[*Value]isa.Reg{},
		number: map[*Block]int{}, pipes: map[*Value]uint32{}, uses: map[*Value]valueUse{}}
	k.ScalarInit = slices.Clone(k.ScalarInit)
	k.Code, k.Blocks, k.Switches = nil, nil, nil
	k.GroupCopies, k.LaneCopies, k.ImageAccesses, k.PipeAccesses, k.Printfs = nil, nil, nil, nil, nil
	f.Need(AnalysisLoops)
	w.blocks = slices.Clone(f.Blocks)
	slices.SortFunc(w.blocks, func(x, y *Block) int { return cmp.Compare(x.Order, y.Order) })
	w.findUses()
	if err := w.leaves(); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	for i, b := range w.blocks {
		w.number[b] = i
		for _, v := range b.Phis {
			w.regs[v], w.into[v] = w.newReg(v), w.newReg(v)
		}
		for _, v := range b.Insts {
			if u := w.uses[v]; u.outside {
				w.regs[v] = w.newReg(v)
			}
		}
	}
	w.shared = w.count
	for _, b := range w.blocks {
		w.block(b)
	}
	k.NumScalar = w.most[isa.NumBanks]
	copy(k.NumVector[:], w.most[:])
	if err := k.Verify(); err != nil {
		return nil, err
	}
	return &k, nil
}

// valueUse is where a value is used.
type valueUse struct {
	outside bool // of its block
	last    int  // in its block: the place of the last instruction that uses it
}

// bankScalar stands for the scalar registers behind the banks of vector registers.
const bankScalar = isa.NumBanks

// kernelWriter writes the code of a function.
type kernelWriter struct {
	f      *Func
	k      *isa.Kernel
	blocks []*Block
	number map[*Block]int
	uses   map[*Value]valueUse
	consts map[uint64]isa.Reg
	regs   map[*Value]isa.Reg // of leaves, phis and values that are used outside of their blocks
	into   map[*Value]isa.Reg // of phis: where the operand goes
	pipes  map[*Value]uint32  // accesses of pipe instructions

	// By bank, scalar registers last: registers that have been given out, those of which live across blocks,
	// and the most that there have been.
	count, shared, most [isa.NumBanks + 1]int
	free                [isa.NumBanks + 1][]isa.Reg // those of the block at hand that hold nothing any more
	local               map[*Value]isa.Reg          // of values of the block at hand
}

// findUses finds where values are used. Terminators and the copies for phis are behind the last instruction.
func (w *kernelWriter) findUses() {
	note := func(v *Value, at *Block, pos int) {
		u := w.uses[v]
		if u.outside = u.outside || v.Block != at; !u.outside {
			u.last = max(u.last, pos)
		}
		w.uses[v] = u
	}
	for _, b := range w.blocks {
		for i, v := range b.Insts {
			for _, a := range v.Args {
				note(a, b, i)
			}
		}
		if b.Cond != nil {
			note(b.Cond, b, len(b.Insts))
		}
		for _, v := range b.Phis {
			for i, a := range v.Args {
				note(a, b.Preds[i], len(b.Preds[i].Insts))
			}
		}
	}
}

// leaves gives registers to constants and to what the launch sets.
func (w *kernelWriter) leaves() error {
	k := w.k
	set := map[int]bool{} // registers that are no constants
	for _, r := range k.ParamRegs {
		set[r.Scalar] = true
	}
	for _, r := range k.GlobalRegs {
		set[r.Scalar] = true
	}
	for _, r := range k.PipeRegs {
		set[r.Scalar] = true
	}
	for _, r := range k.UndefinedRegs {
		set[r.Scalar] = true
	}
	for i, bits := range k.ScalarInit {
		if !set[i] {
			w.consts[bits] = isa.S(i)
		}
	}
	var err error
	leaf := func(v *Value) {
		if !v.Leaf() || w.regs[v] != isa.None || err != nil {
			return
		}
		var bits uint64
		switch {
		case v.Op == OpConst:
			bits = v.Imm
		case v.Op == OpPrivate:
			bits = isa.PointerBits(isa.SpacePrivate, int(v.Index))
		case v.Op == OpLocal:
			bits = isa.PointerBits(isa.SpaceLocal, int(v.Index))
		case v.Reg.IsScalar():
			w.regs[v] = v.Reg
			return
		default:
			err = fmt.Errorf("%s has no register: %w", v.Name(), ErrNoForm)
			return
		}
		r, ok := w.consts[bits]
		if !ok {
			r = isa.S(len(k.ScalarInit))
			k.ScalarInit = append(k.ScalarInit, bits)
			w.consts[bits] = r
		}
		w.regs[v] = r
	}
	for _, b := range w.blocks {
		for _, list := range [2][]*Value{b.Phis, b.Insts} {
			for _, v := range list {
				for _, a := range v.Args {
					leaf(a)
				}
			}
		}
		if b.Cond != nil {
			leaf(b.Cond)
		}
	}
	w.count[bankScalar] = len(k.ScalarInit)
	w.most = w.count
	return err
}

// bank returns the bank of a value's register.
func (w *kernelWriter) bank(v *Value) isa.Bank {
	if !v.Varying {
		return bankScalar
	}
	return v.Type.Bank()
}

// newReg gives out a register that nobody has.
func (w *kernelWriter) newReg(v *Value) isa.Reg {
	b := w.bank(v)
	n := w.count[b]
	w.count[b]++
	w.most[b] = max(w.most[b], w.count[b])
	if b == bankScalar {
		return isa.S(n)
	}
	return isa.V(n)
}

// reg returns the register of a value that has one.
func (w *kernelWriter) reg(v *Value) isa.Reg {
	if r := w.regs[v]; r != isa.None {
		return r
	}
	return w.local[v]
}

// block writes a block.
func (w *kernelWriter) block(b *Block) {
	k := w.k
	w.local, w.count = map[*Value]isa.Reg{}, w.shared
	w.free = [isa.NumBanks + 1][]isa.Reg{}
	start := len(k.Code)
	for _, v := range b.Phis {
		w.move(v, w.regs[v], w.into[v], v.Loc)
	}
	for i, v := range b.Insts {
		in := w.inst(v)
		for _, a := range v.Args {
			if r, ok := w.local[a]; ok && w.uses[a].last == i {
				w.free[w.bank(a)] = append(w.free[w.bank(a)], r)
				delete(w.local, a)
			}
		}
		w.result(v, &in, i)
		k.Code = append(k.Code, in)
	}
	for _, s := range b.Succs {
		at := s.PredIndex(b)
		for _, v := range s.Phis {
			w.move(v, w.into[v], w.reg(v.Args[at]), b.TermLoc)
		}
	}
	k.Code = append(k.Code, w.terminator(b))
	depth := 0
	if b.Loop != nil {
		depth = b.Loop.Depth
	}
	k.Blocks = append(k.Blocks, isa.Block{Start: start, End: len(k.Code), Loop: depth, Name: b.Name})
}

// move copies what phi v chooses.
func (w *kernelWriter) move(v *Value, to, from isa.Reg, loc uint32) {
	w.k.Code = append(w.k.Code, isa.Inst{Op: isa.OpMov, Type: v.Type, Dst: to, A: from, Loc: loc})
}

// result gives an instruction its destination.
func (w *kernelWriter) result(v *Value, in *isa.Inst, at int) {
	use, used := w.uses[v]
	switch v.Op.Info().Shape {
	case isa.ShapeAtomic, isa.ShapePrintf, isa.ShapeImage, isa.ShapePipe:
		if !used {
			return
		}
	}
	if NoResult(v) {
		return
	}
	if use.outside {
		in.Dst = w.regs[v]
		return
	}
	bank := w.bank(v)
	if n := len(w.free[bank]); n > 0 {
		in.Dst = w.free[bank][n-1]
		w.free[bank] = w.free[bank][:n-1]
	} else {
		in.Dst = w.newReg(v)
	}
	if v.Varying {
		in.Flags |= isa.FlagDense
	}
	if used {
		w.local[v] = in.Dst
	} else {
		w.free[bank] = append(w.free[bank], in.Dst)
	}
}

// inst returns an instruction without its destination.
func (w *kernelWriter) inst(v *Value) isa.Inst {
	k, from := w.k, w.f.Kernel
	in := isa.Inst{Op: v.Op, Type: v.Elem, Flags: v.Flags, Idx: v.Idx, Space: v.Space, Imm2: v.Imm2,
		Scale: v.Scale, Disp: v.Disp, Imm: uint32(v.Imm), Loc: v.Loc}
	next := 0
	regs := func(r *isa.Reg, _ isa.Type, _ string) {
		*r = w.reg(v.Args[next])
		next++
	}
	ops := [4]*isa.Reg{&in.A, &in.B, &in.C, &in.D}
	switch v.Op.Info().Shape {
	case isa.ShapePtrAdd, isa.ShapeLoad, isa.ShapeStore, isa.ShapeAtomic, isa.ShapeBlockLoad, isa.ShapeBlockStore:
		for i := range v.Args {
			if i > 0 && v.Idx == isa.IdxNone {
				i++ // there is no index
			}
			regs(ops[i], isa.Void, "")
		}
		if v.Op == isa.OpPtrAdd {
			in.Type = isa.I64
		}
	case isa.ShapeGroupCopy:
		c := w.f.GroupCopies[v.Index]
		c.Regs(regs)
		in.Imm = uint32(len(k.GroupCopies))
		k.GroupCopies = append(k.GroupCopies, c)
	case isa.ShapeLaneCopy:
		c := w.f.LaneCopies[v.Index]
		c.Regs(regs)
		in.Imm = uint32(len(k.LaneCopies))
		k.LaneCopies = append(k.LaneCopies, c)
	case isa.ShapeImage:
		a := from.ImageAccesses[v.Index]
		a.Value = slices.Clone(a.Value)
		a.Regs(regs)
		in.Imm = uint32(len(k.ImageAccesses))
		k.ImageAccesses = append(k.ImageAccesses, a)
	case isa.ShapePipe:
		a := from.PipeAccesses[v.Index]
		a.Regs(regs)
		in.Type, in.Imm2, in.Imm = isa.Void, 0, uint32(len(k.PipeAccesses))
		w.pipes[v] = in.Imm
		k.PipeAccesses = append(k.PipeAccesses, a)
	case isa.ShapePrintf:
		p := from.Printfs[v.Index]
		p.Args = slices.Clone(p.Args)
		for i := range p.Args {
			list := slices.Clone(p.Args[i].Regs)
			for j := range list {
				regs(&list[j], isa.Void, "")
			}
			p.Args[i].Regs = list
		}
		in.Imm = uint32(len(k.Printfs))
		k.Printfs = append(k.Printfs, p)
	case isa.ShapeConvert:
		in.Type, in.Type2 = v.Type, v.Elem
		regs(&in.A, isa.Void, "")
	default:
		if v.Op == isa.OpReadFirst && w.reg(v.Args[0]).IsScalar() {
			in.Op = isa.OpMov // all lanes have it
		}
		for i := range v.Args {
			regs(ops[i], isa.Void, "")
		}
	}
	return in
}

// terminator returns the end of a block.
func (w *kernelWriter) terminator(b *Block) isa.Inst {
	in := isa.Inst{Loc: b.TermLoc}
	to := func(i int) int { return w.number[b.Succs[i]] }
	switch b.Term {
	case TermBr:
		in.Op = isa.OpBr
		in.SetTargets(to(0), 0)
	case TermCond:
		in.Op, in.A = isa.OpBrCond, w.reg(b.Cond)
		in.SetTargets(to(0), to(1))
		if b.Wait != nil {
			in.Flags, in.Imm = isa.FlagWait, w.pipes[b.Wait]
		}
	case TermSwitch:
		in.Op, in.Type, in.A = isa.OpSwitch, isa.IntOf(b.Cond.Type.Bits()), w.reg(b.Cond)
		in.Imm = uint32(len(w.k.Switches))
		order := make([]int, len(b.Table.Cases))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(x, y int) int { return cmp.Compare(b.Table.Cases[x], b.Table.Cases[y]) })
		t := isa.SwitchTable{Default: to(0)}
		for _, i := range order {
			t.Values, t.Targets = append(t.Values, b.Table.Cases[i]), append(t.Targets, to(b.Table.To[i]))
		}
		w.k.Switches = append(w.k.Switches, t)
	case TermBarrier:
		in.Op, in.Imm2, in.Imm = isa.OpBarrier, uint8(b.Scope), uint32(b.Schedule)
		if b.Uniform {
			in.Flags = isa.FlagUniform
		}
		in.SetOrder(b.MemoryOrder)
		in.SetTargets(to(0), 0)
	case TermTrap:
		in.Op, in.Imm = isa.OpTrap, uint32(b.Trap)
	default:
		in.Op = isa.OpRet
	}
	return in
}
