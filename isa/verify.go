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

// verifyInst checks an instruction by the rows of its opcode and its shape. last says whether it is the last one of
// its block.
func (k *Kernel) verifyInst(in *Inst, last bool) error {
	if in.Op == OpInvalid || in.Op >= NumOps {
		return fmt.Errorf("unknown opcode %d", in.Op)
	}
	inf := in.Op.Info()
	s := &shapes[inf.Shape]
	switch {
	case in.Op.IsTerminator() != last:
		return fmt.Errorf("%s stands in the wrong place of its block", in.Op)
	case inf.Types != 0 && !inf.Types.Has(in.Type):
		return fmt.Errorf("%s does not work on %s", in.Op, in.Type)
	case inf.Src != 0 && !inf.Src.Has(in.Type2):
		return fmt.Errorf("%s does not convert from %s", in.Op, in.Type2)
	}
	if s.check != nil {
		if err := s.check(k, in); err != nil {
			return err
		}
	}
	vector, types := false, in.types()
	if s.regs != nil {
		v, err := k.verifyRegs(func(f func(*Reg, Type, string)) { s.regs(k, in, f) })
		if err != nil {
			return err
		}
		vector = v
	}
	for i := range s.operands {
		o := &s.operands[i]
		if o.when != always && !in.has(o.when) {
			continue
		}
		r := in.register(o.slot)
		if err := k.verifyReg(r, types.of(o.role), o.name); err != nil {
			return err
		}
		vector = vector || r.IsVector()
	}
	return k.verifyResult(in, s, vector)
}

// verifyResult checks where the result of an instruction goes. vector says whether an operand is a vector register.
func (k *Kernel) verifyResult(in *Inst, s *shape, vector bool) error {
	first := in.Op == OpReadFirst
	switch {
	case first && !(in.Dst.IsScalar() && in.A.IsVector()):
		return fmt.Errorf("%s is from a vector into a scalar", in.Op)
	case in.Dst.IsScalar() && in.Op.Is(PropCrosses):
		return fmt.Errorf("%s differs by sub-group", in.Op)
	case s.result == roleNone, s.optional && in.Dst == None:
		return nil
	}
	if err := k.verifyReg(in.Dst, k.typeOf(in, s.result), "destination"); err != nil {
		return err
	}
	if in.Dst.IsScalar() && vector != first {
		return fmt.Errorf("%s from vector operands into scalar s%d", in.Op, in.Dst.Index())
	}
	return nil
}
