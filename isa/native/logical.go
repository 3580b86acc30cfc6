package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// A select between booleans of which one is a constant is how front ends write && and ||: one
// instruction for two lanes' bits, or two.

// logical is such a select: of the condition, or of its complement, and the other boolean.
type logical struct {
	other      isa.Reg
	complement bool
	or         bool
}

// logicalOf returns what a select of booleans is. ok is false if neither of the two is a constant.
func (c *compiler) logicalOf(in *isa.Inst) (o logical, ok bool) {
	if v, ok := c.constant(in.B); ok {
		return logical{other: in.C, or: v&1 != 0, complement: v&1 == 0}, true
	}
	if v, ok := c.constant(in.C); ok {
		return logical{other: in.B, or: v&1 != 0, complement: v&1 != 0}, true
	}
	return logical{}, false
}

// chooseMask emits a select of booleans in mask registers, k being the condition.
func (c *compiler) chooseMask(in *isa.Inst, k amd64.Mask) {
	o, ok := c.logicalOf(in)
	if !ok {
		yes, no := c.boolean(in.B), c.boolean(in.C)
		d := c.mask()
		c.V(amd64.KANDW, amd64.X, maskTemp, k, yes)
		c.V(amd64.KANDNW, amd64.X, d, k, no)
		c.V(amd64.KORW, amd64.X, d, d, maskTemp)
		c.resultMask(in, d)
		return
	}
	other := c.boolean(o.other)
	d := c.mask()
	switch {
	case o.or && o.complement:
		c.V(amd64.KNOTW, amd64.X, maskTemp, k)
		c.V(amd64.KORW, amd64.X, d, maskTemp, other)
	case o.or:
		c.V(amd64.KORW, amd64.X, d, k, other)
	case o.complement:
		c.V(amd64.KANDNW, amd64.X, d, k, other)
	default:
		c.V(amd64.KANDW, amd64.X, d, k, other)
	}
	c.resultMask(in, d)
}

// chooseTruth is chooseMask for booleans in lanes as wide as those of type t.
func (c *compiler) chooseTruth(in *isa.Inst, t isa.Type, o logical) {
	k, other := c.truth(in.A, t), c.truth(o.other, t)
	d, w := c.vec(), c.width(t)
	switch {
	case o.or && o.complement:
		c.complement(t, d, k)
		c.V(amd64.VPORD, w, d, d, other)
	case o.or:
		c.V(amd64.VPORD, w, d, k, other)
	case o.complement:
		c.V(amd64.VPANDND, w, d, k, other)
	default:
		c.V(amd64.VPANDD, w, d, k, other)
	}
	c.resultTruth(in, t, d)
}
