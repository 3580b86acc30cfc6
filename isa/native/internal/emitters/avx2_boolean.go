package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// booleans2 is the family of instructions on booleans alone.
func booleans2(_ amd64.Features, in *isa.Inst) x86.Emitter {
	if in.Type != isa.B1 || in.Op.Info().Shape == isa.ShapeConvert {
		return nil
	}
	switch in.Op {
	case isa.OpAnd:
		return truths(amd64.VPANDD, false)
	case isa.OpOr:
		return truths(amd64.VPORD, false)
	case isa.OpXor, isa.OpNe:
		return truths(amd64.VPXORD, false)
	case isa.OpEq:
		return truths(amd64.VPXORD, true)
	case isa.OpNot:
		return notTruth
	case isa.OpMov:
		return movTruth
	case isa.OpSelect:
		return selectTruth
	}
	return nil
}

func truths(op amd64.Op, not bool) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t := c.LanesOf(in.A, in.B)
		a, b := c.Truth(in.A, t), c.Truth(in.B, t)
		d, w := c.Vec(), c.Width(t)
		c.V(op, w, d, a, b)
		if not {
			c.Complement(t, d, d)
		}
		c.ResultTruth(in, t, d)
	}
}

func notTruth(c *x86.Compiler, in *isa.Inst) {
	t := c.LanesOf(in.A)
	a := c.Truth(in.A, t)
	d := c.Vec()
	c.Complement(t, d, a)
	c.ResultTruth(in, t, d)
}

func movTruth(c *x86.Compiler, in *isa.Inst) {
	t := c.LanesOf(in.A)
	a := c.Truth(in.A, t)
	d := c.Vec()
	c.V(amd64.VMOVDQA32, c.Width(t), d, a)
	c.ResultTruth(in, t, d)
}

func selectTruth(c *x86.Compiler, in *isa.Inst) {
	if o, ok := c.LogicalOf(in); ok {
		c.ChooseTruth(in, c.LanesOf(in.A, o.Other), o)
		return
	}
	t := c.LanesOf(in.A, in.B, in.C)
	k, yes, no := c.Truth(in.A, t), c.Truth(in.B, t), c.Truth(in.C, t)
	d := c.Vec()
	c.V(x86.OpSelect2.Of(t), c.Width(t), d, no, yes, k)
	c.ResultTruth(in, t, d)
}
