package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// booleans2 is the family of instructions on booleans alone.
func booleans2(_ amd64.Features, in *isa.Inst) emitter {
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
		return (*compiler).notTruth
	case isa.OpMov:
		return (*compiler).movTruth
	case isa.OpSelect:
		return (*compiler).selectTruth
	}
	return nil
}

func truths(op amd64.Op, not bool) emitter {
	return func(c *compiler, in *isa.Inst) {
		t := c.lanesOf(in.A, in.B)
		a, b := c.truth(in.A, t), c.truth(in.B, t)
		d, w := c.vec(), c.width(t)
		c.V(op, w, d, a, b)
		if not {
			c.complement(t, d, d)
		}
		c.resultTruth(in, t, d)
	}
}

func (c *compiler) notTruth(in *isa.Inst) {
	t := c.lanesOf(in.A)
	a := c.truth(in.A, t)
	d := c.vec()
	c.complement(t, d, a)
	c.resultTruth(in, t, d)
}

func (c *compiler) movTruth(in *isa.Inst) {
	t := c.lanesOf(in.A)
	a := c.truth(in.A, t)
	d := c.vec()
	c.V(amd64.VMOVDQA32, c.width(t), d, a)
	c.resultTruth(in, t, d)
}

func (c *compiler) selectTruth(in *isa.Inst) {
	if o, ok := c.logicalOf(in); ok {
		c.chooseTruth(in, c.lanesOf(in.A, o.other), o)
		return
	}
	t := c.lanesOf(in.A, in.B, in.C)
	k, yes, no := c.truth(in.A, t), c.truth(in.B, t), c.truth(in.C, t)
	d := c.vec()
	c.V(opSelect2.of(t), c.width(t), d, no, yes, k)
	c.resultTruth(in, t, d)
}
