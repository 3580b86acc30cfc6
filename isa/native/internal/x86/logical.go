package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// A select between booleans of which one is a constant is how front ends write && and ||: one
// instruction for two lanes' bits, or two.

// logical is such a select: of the condition, or of its complement, and the other boolean.
type logical struct {
	Other      isa.Reg
	Complement bool
	Or         bool
}

// LogicalOf returns what a select of booleans is. ok is false if neither of the two is a constant.
func (c *Compiler) LogicalOf(in *isa.Inst) (o logical, ok bool) {
	if v, ok := c.Constant(in.B); ok {
		return logical{Other: in.C, Or: v&1 != 0, Complement: v&1 == 0}, true
	}
	if v, ok := c.Constant(in.C); ok {
		return logical{Other: in.B, Or: v&1 != 0, Complement: v&1 != 0}, true
	}
	return logical{}, false
}

// ChooseMask emits a select of booleans in mask registers, k being the condition.
func (c *Compiler) ChooseMask(in *isa.Inst, k amd64.Mask) {
	o, ok := c.LogicalOf(in)
	if !ok {
		yes, no := c.Boolean(in.B), c.Boolean(in.C)
		d := c.Mask()
		c.V(amd64.KANDW, amd64.X, MaskTemp, k, yes)
		c.V(amd64.KANDNW, amd64.X, d, k, no)
		c.V(amd64.KORW, amd64.X, d, d, MaskTemp)
		c.ResultMask(in, d)
		return
	}
	other := c.Boolean(o.Other)
	d := c.Mask()
	switch {
	case o.Or && o.Complement:
		c.V(amd64.KNOTW, amd64.X, MaskTemp, k)
		c.V(amd64.KORW, amd64.X, d, MaskTemp, other)
	case o.Or:
		c.V(amd64.KORW, amd64.X, d, k, other)
	case o.Complement:
		c.V(amd64.KANDNW, amd64.X, d, k, other)
	default:
		c.V(amd64.KANDW, amd64.X, d, k, other)
	}
	c.ResultMask(in, d)
}

// ChooseTruth is ChooseMask for booleans in lanes as wide as those of type t.
func (c *Compiler) ChooseTruth(in *isa.Inst, t isa.Type, o logical) {
	k, other := c.Truth(in.A, t), c.Truth(o.Other, t)
	d, w := c.Vec(), c.Width(t)
	switch {
	case o.Or && o.Complement:
		c.Complement(t, d, k)
		c.V(amd64.VPORD, w, d, d, other)
	case o.Or:
		c.V(amd64.VPORD, w, d, k, other)
	case o.Complement:
		c.V(amd64.VPANDND, w, d, k, other)
	default:
		c.V(amd64.VPANDD, w, d, k, other)
	}
	c.ResultTruth(in, t, d)
}
