package isa

import (
	"errors"
	"fmt"
)

// ErrMalformed is what every error of [Kernel.Verify] wraps.
var ErrMalformed = errors.New("malformed bytecode")

// Verify checks what engines take for granted: opcodes and types that go
// together, registers that exist, targets that exist, blocks that end in their
// only terminator. An engine may run a verified kernel without further checks
// of its shape.
func (k *Kernel) Verify() error {
	if len(k.Blocks) == 0 {
		return fmt.Errorf("kernel %s has no blocks: %w", k.Name, ErrMalformed)
	}
	if len(k.ScalarInit) > k.NumScalar {
		return fmt.Errorf("kernel %s starts %d of %d scalar registers: %w", k.Name, len(k.ScalarInit), k.NumScalar, ErrMalformed)
	}
	for _, p := range k.ParamRegs {
		if p.Scalar < 0 || p.Scalar >= len(k.ScalarInit) || p.Param < 0 || p.Param >= len(k.Params) || p.Size > 8 {
			return fmt.Errorf("kernel %s: parameter register %+v: %w", k.Name, p, ErrMalformed)
		}
	}
	for _, g := range k.GlobalRegs {
		if g.Scalar < 0 || g.Scalar >= len(k.ScalarInit) || g.Global < 0 {
			return fmt.Errorf("kernel %s: address register %+v: %w", k.Name, g, ErrMalformed)
		}
	}
	for _, p := range k.PipeRegs {
		if p.Scalar < 0 || p.Scalar >= len(k.ScalarInit) || p.Pipe < 0 {
			return fmt.Errorf("kernel %s: pipe register %+v: %w", k.Name, p, ErrMalformed)
		}
	}
	if err := k.verifyUndefined(); err != nil {
		return err
	}
	if err := k.verifyMeta(); err != nil {
		return err
	}
	pos := 0
	for i, b := range k.Blocks {
		if b.Start != pos || b.End <= b.Start || b.End > len(k.Code) {
			return fmt.Errorf("kernel %s: block b%d is [%d:%d], expected to start at %d: %w", k.Name, i, b.Start, b.End, pos, ErrMalformed)
		}
		for pc := b.Start; pc < b.End; pc++ {
			if err := k.verifyInst(&k.Code[pc], pc == b.End-1); err != nil {
				return fmt.Errorf("kernel %s: b%d, instruction %d: %v: %w", k.Name, i, pc, err, ErrMalformed)
			}
		}
		if err := k.verifyWait(i); err != nil {
			return fmt.Errorf("kernel %s: b%d: %v: %w", k.Name, i, err, ErrMalformed)
		}
		pos = b.End
	}
	if pos != len(k.Code) {
		return fmt.Errorf("kernel %s: %d instructions after the last block: %w", k.Name, len(k.Code)-pos, ErrMalformed)
	}
	return nil
}

// verifyWait checks that a block which ends in a wait tries again itself, and has
// the pipe instruction that the wait is about.
func (k *Kernel) verifyWait(block int) error {
	b := k.Blocks[block]
	end := &k.Code[b.End-1]
	switch {
	case end.Op != OpBrCond || end.Flags&FlagWait == 0:
		return nil
	case end.Target1() != block:
		return fmt.Errorf("waits for a pipe and goes on with b%d", end.Target1())
	}
	for pc := b.Start; pc < b.End; pc++ {
		if k.Code[pc].Op == OpPipe && k.Code[pc].Imm == end.Imm {
			return nil
		}
	}
	return fmt.Errorf("waits for pipe access %d, which is not made in the block", end.Imm)
}

// verifyRegs checks the registers of a table's entry, and says whether one of
// them is a vector.
func (k *Kernel) verifyRegs(each func(func(*Reg, Type, string))) (vector bool, err error) {
	each(func(r *Reg, t Type, what string) {
		if err == nil {
			err = k.verifyReg(*r, t, what)
		}
		vector = vector || r.IsVector()
	})
	return vector, err
}

func (k *Kernel) verifyReg(r Reg, t Type, what string) error {
	switch {
	case r == None:
		return fmt.Errorf("%s is missing", what)
	case t == Void:
		return fmt.Errorf("%s has no type", what)
	case r.IsScalar() && r.Index() >= k.NumScalar:
		return fmt.Errorf("%s names s%d of %d", what, r.Index(), k.NumScalar)
	case r.IsVector() && r.Index() >= k.NumVector[t.Bank()]:
		return fmt.Errorf("%s names %s of %d", what, r.Name(t), k.NumVector[t.Bank()])
	}
	return nil
}

func (k *Kernel) verifyInst(in *Inst, last bool) error {
	if in.Op == OpInvalid || in.Op >= NumOps {
		return fmt.Errorf("unknown opcode %d", in.Op)
	}
	inf := in.Op.Info()
	if in.Op.IsTerminator() != last {
		return fmt.Errorf("%s stands in the wrong place of its block", in.Op)
	}
	if inf.Types != 0 && !inf.Types.Has(in.Type) {
		return fmt.Errorf("%s does not work on %s", in.Op, in.Type)
	}
	if inf.Src != 0 && !inf.Src.Has(in.Type2) {
		return fmt.Errorf("%s does not convert from %s", in.Op, in.Type2)
	}
	type operand struct {
		r    Reg
		t    Type
		what string
	}
	var ops [5]operand
	n := 0
	use := func(r Reg, t Type, what string) { ops[n] = operand{r, t, what}; n++ }
	dst := Void
	vector := false
	switch inf.Shape {
	case ShapeUnary, ShapeBinary, ShapeTernary, ShapeQuad:
		dst = in.Type
		for i, r := range [...]Reg{in.A, in.B, in.C, in.D} {
			if i <= int(inf.Shape-ShapeUnary) {
				use(r, in.Type, "operand")
			}
		}
	case ShapeSelect:
		dst = in.Type
		use(in.A, B1, "condition")
		use(in.B, in.Type, "operand")
		use(in.C, in.Type, "operand")
	case ShapeCompare:
		dst = B1
		use(in.A, in.Type, "operand")
		use(in.B, in.Type, "operand")
	case ShapeConvert:
		dst = in.Type
		use(in.A, in.Type2, "operand")
	case ShapePtrDiff:
		dst = I64
		use(in.A, I64, "pointer")
		use(in.B, I64, "pointer")
	case ShapePtrAdd, ShapeLoad, ShapeStore, ShapeAtomic, ShapeBlockLoad, ShapeBlockStore:
		use(in.A, I64, "pointer")
		if in.Idx > Idx64 {
			return fmt.Errorf("unknown index type %d", in.Idx)
		}
		if in.Idx != IdxNone {
			use(in.B, in.Idx.Type(), "index")
		}
		if in.Space >= NumSpaces {
			return fmt.Errorf("unknown address space %d", in.Space)
		}
		switch inf.Shape {
		case ShapePtrAdd:
			dst = I64
		case ShapeLoad, ShapeStore:
			if uint64(in.Imm) > uint64(len(k.WideAccesses)) {
				return fmt.Errorf("unknown wide access %d", in.Imm)
			}
			if inf.Shape == ShapeLoad {
				dst = in.Type
			} else {
				use(in.C, in.Type, "value")
			}
		case ShapeBlockLoad, ShapeBlockStore:
			if in.Imm >= MaxBlockComponents {
				return fmt.Errorf("component %d of a block", in.Imm)
			}
			if inf.Shape == ShapeBlockLoad {
				dst = in.Type
			} else {
				use(in.C, in.Type, "value")
			}
		case ShapeAtomic:
			if !in.Order().valid() {
				return fmt.Errorf("unknown memory order %#x", uint32(in.Order()))
			}
			if AtomicOp(in.Imm2) >= NumAtomicOps {
				return fmt.Errorf("unknown atomic operation %d", in.Imm2)
			}
			if in.Dst != None {
				dst = in.Type
			}
			if AtomicOp(in.Imm2) != AtomicLoad {
				use(in.C, in.Type, "value")
			}
			if AtomicOp(in.Imm2) == AtomicCmpXchg {
				use(in.D, in.Type, "comparand")
			}
		}
	case ShapeFence:
		if !in.Order().valid() {
			return fmt.Errorf("unknown memory order %#x", uint32(in.Order()))
		}
	case ShapeMemCopy:
		use(in.A, I64, "destination")
		use(in.B, I64, "source")
		use(in.C, I64, "size")
	case ShapeBuiltin:
		dst = in.Type
		if Builtin(in.Imm) >= NumBuiltins || in.Imm > 255 {
			return fmt.Errorf("unknown built-in %d", in.Imm)
		}
		if Builtin(in.Imm).PerLane() && in.Dst.IsScalar() {
			return fmt.Errorf("built-in %s differs by lane", Builtin(in.Imm))
		}
	case ShapePrintf:
		if int(in.Imm) >= len(k.Printfs) {
			return fmt.Errorf("unknown printf %d", in.Imm)
		}
		if in.Dst != None {
			dst = I32
		}
		pf := &k.Printfs[in.Imm]
		if pf.FormatInMemory && (len(pf.Args) == 0 || !pf.Args[0].InMemory) {
			return fmt.Errorf("printf %d without a pointer to its format", in.Imm)
		}
		for _, a := range pf.Args {
			if a.InMemory && (a.IsString || a.Type != I64 || len(a.Regs) != 1) {
				return fmt.Errorf("a string argument of printf %d that is no pointer", in.Imm)
			}
			for _, r := range a.Regs {
				if err := k.verifyReg(r, a.Type, "printf argument"); err != nil {
					return err
				}
			}
		}
	case ShapeCheck:
		if int(in.Imm) >= len(k.Checks) {
			return fmt.Errorf("unknown check %d", in.Imm)
		}
		c := &k.Checks[in.Imm]
		if err := c.check(in); err != nil {
			return fmt.Errorf("check %d: %v", in.Imm, err)
		}
		use(in.A, in.Type, "operand")
		if c.Kind.Operands() > 1 {
			use(in.B, in.Type, "operand")
		}
	case ShapeShuffle:
		dst = in.Type
		use(in.A, in.Type, "value")
		use(in.B, I32, "lane")
	case ShapeShuffle2:
		dst = in.Type
		use(in.A, in.Type, "value")
		use(in.B, in.Type, "value")
		use(in.C, I32, "lane")
	case ShapeBallot:
		dst = I32
		use(in.A, in.Type, "value")
		if in.Imm >= MaxBallotWords {
			return fmt.Errorf("word %d of a ballot", in.Imm)
		}
	case ShapeVote:
		dst = B1
		use(in.A, in.Type, "value")
		if v := Vote(in.Imm); in.Imm >= uint32(NumVotes) || v != VoteAllEqual && in.Type != B1 {
			return fmt.Errorf("%s of %s", v, in.Type)
		}
	case ShapeElect:
		dst = B1
	case ShapeScan:
		dst = in.Type
		use(in.A, in.Type, "value")
		if in.B != None {
			use(in.B, I32, "part")
		}
		kind, op := in.ScanOf()
		if kind >= NumScanKinds || op >= NumScanOps || !op.Types().Has(in.Type) {
			return fmt.Errorf("unknown scan: %s %s of %s", kind, op, in.Type)
		}
		if in.Scale&(in.Scale-1) != 0 {
			return fmt.Errorf("scan of clusters of %d lanes", in.Scale)
		}
	case ShapeGroupCopy:
		if int(in.Imm) >= len(k.GroupCopies) {
			return fmt.Errorf("unknown group copy %d", in.Imm)
		}
		dst = I64
		c := &k.GroupCopies[in.Imm]
		if c.Dim < 1 || c.Dim > 3 || c.Args[CopyDst] == None || c.Args[CopySrc] == None || c.Args[CopyElems] == None {
			return fmt.Errorf("group copy %d is damaged", in.Imm)
		}
		v, err := k.verifyRegs(c.Regs)
		if err != nil {
			return err
		}
		vector = v
	case ShapeGroupWait:
		use(in.A, I64, "event")
	case ShapeLaneCopy:
		if int(in.Imm) >= len(k.LaneCopies) {
			return fmt.Errorf("unknown lane copy %d", in.Imm)
		}
		c := &k.LaneCopies[in.Imm]
		if c.Size < 1 || c.Size > 16 || c.LDS == None || c.Kind > LaneStruct || (c.Global == None) == (c.Resource[0] == None) {
			return fmt.Errorf("lane copy %d is damaged", in.Imm)
		}
		v, err := k.verifyRegs(c.Regs)
		if err != nil {
			return err
		}
		vector = v
	case ShapeImage:
		if int(in.Imm) >= len(k.ImageAccesses) {
			return fmt.Errorf("unknown image access %d", in.Imm)
		}
		a := &k.ImageAccesses[in.Imm]
		if err := a.check(in); err != nil {
			return err
		}
		v, err := k.verifyRegs(a.Regs)
		if err != nil {
			return err
		}
		vector = v
		if in.Op == OpImageBlockRead && in.Dst.IsScalar() {
			return fmt.Errorf("%s differs by lane", in.Op)
		}
		if in.Dst != None {
			dst = in.Type
		}
	case ShapePipe:
		if int(in.Imm) >= len(k.PipeAccesses) {
			return fmt.Errorf("unknown pipe access %d", in.Imm)
		}
		a := &k.PipeAccesses[in.Imm]
		if err := a.check(in.Imm); err != nil {
			return err
		}
		v, err := k.verifyRegs(a.Regs)
		if err != nil {
			return err
		}
		vector = v
		switch t := a.Op.Result(); {
		case in.Dst == None:
		case t == Void:
			return fmt.Errorf("%s has no result", a.Op)
		case in.Dst.IsScalar() && a.Op != PipeMaxPackets:
			return fmt.Errorf("%s differs by lane", a.Op)
		default:
			dst = t
		}
	case ShapeAsync:
		if int(in.Imm) >= k.MarkSequences {
			return fmt.Errorf("unknown sequence of marks %d of %d", in.Imm, k.MarkSequences)
		}
	case ShapeBr, ShapeBarrier:
		if !in.Order().valid() {
			return fmt.Errorf("unknown memory order %#x", uint32(in.Order()))
		}
		if s := in.Schedule(); s >= NumBarrierSchedules || s != ScheduleUnordered && Scope(in.Imm2) != ScopeWorkgroup {
			return fmt.Errorf("a barrier of scope %d with schedule %d", in.Imm2, s)
		}
		if in.Target0() >= len(k.Blocks) {
			return fmt.Errorf("target b%d of %d", in.Target0(), len(k.Blocks))
		}
	case ShapeBrCond:
		use(in.A, B1, "condition")
		if in.Target0() >= len(k.Blocks) || in.Target1() >= len(k.Blocks) || in.Target1() < 0 {
			return fmt.Errorf("targets b%d, b%d of %d", in.Target0(), in.Target1(), len(k.Blocks))
		}
		if in.Flags&FlagWait != 0 && (int(in.Imm) >= len(k.PipeAccesses) || !k.PipeAccesses[in.Imm].Blocking) {
			return fmt.Errorf("waits for pipe access %d, which does not block", in.Imm)
		}
	case ShapeSwitch:
		use(in.A, in.Type, "selector")
		if int(in.Imm) >= len(k.Switches) {
			return fmt.Errorf("unknown switch table %d", in.Imm)
		}
		t := &k.Switches[in.Imm]
		if len(t.Values) != len(t.Targets) || t.Default < 0 || t.Default >= len(k.Blocks) {
			return fmt.Errorf("switch table %d is damaged", in.Imm)
		}
		for i, b := range t.Targets {
			if b < 0 || b >= len(k.Blocks) || i > 0 && t.Values[i-1] >= t.Values[i] {
				return fmt.Errorf("switch table %d is damaged at case %d", in.Imm, i)
			}
		}
	}
	for _, o := range ops[:n] {
		if err := k.verifyReg(o.r, o.t, o.what); err != nil {
			return err
		}
		vector = vector || o.r.IsVector()
	}
	if in.Op == OpReadFirst && !(in.Dst.IsScalar() && in.A.IsVector()) {
		return fmt.Errorf("%s is from a vector into a scalar", in.Op)
	}
	if in.Op >= OpShuffle && in.Op <= OpBlockLoad && in.Dst.IsScalar() {
		return fmt.Errorf("%s differs by sub-group", in.Op)
	}
	if dst != Void {
		if err := k.verifyReg(in.Dst, dst, "destination"); err != nil {
			return err
		}
		if in.Dst.IsScalar() && vector != (in.Op == OpReadFirst) {
			return fmt.Errorf("%s from vector operands into scalar s%d", in.Op, in.Dst.Index())
		}
	}
	return nil
}
