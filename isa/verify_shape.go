package isa

import (
	"errors"
	"fmt"
)

// What the verifier knows of the fields of an instruction besides its registers, by shape.

// entry checks an index into one of the kernel's tables.
func entry(imm uint32, n int, what string) error {
	if uint64(imm) >= uint64(n) {
		return fmt.Errorf("unknown %s %d", what, imm)
	}
	return nil
}

func checkAddress(_ *Kernel, in *Inst) error {
	switch {
	case in.Idx > Idx64:
		return fmt.Errorf("unknown index type %d", in.Idx)
	case in.Space >= NumSpaces:
		return fmt.Errorf("unknown address space %d", in.Space)
	}
	return nil
}

func checkAccess(k *Kernel, in *Inst) error {
	if uint64(in.Imm) > uint64(len(k.WideAccesses)) {
		return fmt.Errorf("unknown wide access %d", in.Imm)
	}
	return checkAddress(k, in)
}

func checkBlock(k *Kernel, in *Inst) error {
	if in.Imm >= MaxBlockComponents {
		return fmt.Errorf("component %d of a block", in.Imm)
	}
	return checkAddress(k, in)
}

func checkAtomic(k *Kernel, in *Inst) error {
	if AtomicOp(in.Imm2) >= NumAtomicOps {
		return fmt.Errorf("unknown atomic operation %d", in.Imm2)
	}
	if err := checkOrder(k, in); err != nil {
		return err
	}
	return checkAddress(k, in)
}

func checkOrder(_ *Kernel, in *Inst) error {
	if !in.Order().valid() {
		return fmt.Errorf("unknown memory order %#x", uint32(in.Order()))
	}
	return nil
}

func checkBuiltin(_ *Kernel, in *Inst) error {
	if in.Imm >= uint32(NumBuiltins) {
		return fmt.Errorf("unknown built-in %d", in.Imm)
	}
	if b := Builtin(in.Imm); b.PerLane() && in.Dst.IsScalar() {
		return fmt.Errorf("built-in %s differs by lane", b)
	}
	return nil
}

func checkPrintf(k *Kernel, in *Inst) error {
	if err := entry(in.Imm, len(k.Printfs), "printf"); err != nil {
		return err
	}
	pf := &k.Printfs[in.Imm]
	if pf.FormatInMemory && (len(pf.Args) == 0 || !pf.Args[0].InMemory) {
		return fmt.Errorf("printf %d without a pointer to its format", in.Imm)
	}
	for _, a := range pf.Args {
		if a.InMemory && (a.IsString || a.Type != I64 || len(a.Regs) != 1) {
			return fmt.Errorf("a string argument of printf %d that is no pointer", in.Imm)
		}
	}
	return nil
}

func printfRegs(k *Kernel, in *Inst, f func(r *Reg, t Type, what string)) {
	for _, a := range k.Printfs[in.Imm].Args {
		for i := range a.Regs {
			f(&a.Regs[i], a.Type, "printf argument")
		}
	}
}

func checkCheck(k *Kernel, in *Inst) error {
	if err := entry(in.Imm, len(k.Checks), "check"); err != nil {
		return err
	}
	c := &k.Checks[in.Imm]
	if err := c.check(in); err != nil {
		return fmt.Errorf("check %d: %v", in.Imm, err)
	}
	if c.Kind.Operands() > 1 && in.B == None {
		return errors.New("operand is missing")
	}
	return nil
}

func checkBallot(_ *Kernel, in *Inst) error {
	if in.Imm >= MaxBallotWords {
		return fmt.Errorf("word %d of a ballot", in.Imm)
	}
	return nil
}

func checkVote(_ *Kernel, in *Inst) error {
	if v := Vote(in.Imm); in.Imm >= uint32(NumVotes) || v != VoteAllEqual && in.Type != B1 {
		return fmt.Errorf("%s of %s", v, in.Type)
	}
	return nil
}

func checkScan(_ *Kernel, in *Inst) error {
	kind, op := in.ScanOf()
	if kind >= NumScanKinds || op >= NumScanOps || !op.Types().Has(in.Type) {
		return fmt.Errorf("unknown scan: %s %s of %s", kind, op, in.Type)
	}
	if in.Scale&(in.Scale-1) != 0 {
		return fmt.Errorf("scan of clusters of %d lanes", in.Scale)
	}
	return nil
}

func checkGroupCopy(k *Kernel, in *Inst) error {
	if err := entry(in.Imm, len(k.GroupCopies), "group copy"); err != nil {
		return err
	}
	c := &k.GroupCopies[in.Imm]
	if c.Dim < 1 || c.Dim > 3 || c.Args[CopyDst] == None || c.Args[CopySrc] == None || c.Args[CopyElems] == None {
		return fmt.Errorf("group copy %d is damaged", in.Imm)
	}
	return nil
}

func checkLaneCopy(k *Kernel, in *Inst) error {
	if err := entry(in.Imm, len(k.LaneCopies), "lane copy"); err != nil {
		return err
	}
	c := &k.LaneCopies[in.Imm]
	if c.Size < 1 || c.Size > 16 || c.LDS == None || c.Kind > LaneStruct || (c.Global == None) == (c.Resource[0] == None) {
		return fmt.Errorf("lane copy %d is damaged", in.Imm)
	}
	return nil
}

func checkMarks(k *Kernel, in *Inst) error {
	if int64(in.Imm) >= int64(k.MarkSequences) {
		return fmt.Errorf("unknown sequence of marks %d of %d", in.Imm, k.MarkSequences)
	}
	return nil
}

func checkImage(k *Kernel, in *Inst) error {
	if err := entry(in.Imm, len(k.ImageAccesses), "image access"); err != nil {
		return err
	}
	if in.Dst.IsScalar() && in.Op.Is(PropCrosses) {
		return fmt.Errorf("%s differs by lane", in.Op)
	}
	return k.ImageAccesses[in.Imm].check(in)
}

func checkPipe(k *Kernel, in *Inst) error {
	if err := entry(in.Imm, len(k.PipeAccesses), "pipe access"); err != nil {
		return err
	}
	a := &k.PipeAccesses[in.Imm]
	if err := a.check(in.Imm); err != nil {
		return err
	}
	switch {
	case in.Dst == None:
	case a.Op.Result() == Void:
		return fmt.Errorf("%s has no result", a.Op)
	case in.Dst.IsScalar() && a.Op != PipeMaxPackets:
		return fmt.Errorf("%s differs by lane", a.Op)
	}
	return nil
}

// checkTargets checks a branch without a condition, and a barrier.
func checkTargets(k *Kernel, in *Inst) error {
	if err := checkOrder(k, in); err != nil {
		return err
	}
	if s := in.Schedule(); s >= NumBarrierSchedules || s != ScheduleUnordered && Scope(in.Imm2) != ScopeWorkgroup {
		return fmt.Errorf("a barrier of scope %d with schedule %d", in.Imm2, s)
	}
	if in.Target0() >= len(k.Blocks) {
		return fmt.Errorf("target b%d of %d", in.Target0(), len(k.Blocks))
	}
	return nil
}

func checkBranch(k *Kernel, in *Inst) error {
	if in.Target0() >= len(k.Blocks) || in.Target1() >= len(k.Blocks) || in.Target1() < 0 {
		return fmt.Errorf("targets b%d, b%d of %d", in.Target0(), in.Target1(), len(k.Blocks))
	}
	if in.Flags&FlagWait != 0 && (int64(in.Imm) >= int64(len(k.PipeAccesses)) || !k.PipeAccesses[in.Imm].Blocking) {
		return fmt.Errorf("waits for pipe access %d, which does not block", in.Imm)
	}
	return nil
}

func checkSwitch(k *Kernel, in *Inst) error {
	if err := entry(in.Imm, len(k.Switches), "switch table"); err != nil {
		return err
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
	return nil
}
