package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Elements of 8 and 16 bits fill 32 bits in a vector register, the upper ones of which are zero. Instructions look at
// them in one of several ways.

// Narrow says whether registers of the type have elements of 8 or 16 bits.
func Narrow(t isa.Type) bool { return t.Bank() == isa.Bank8 || t.Bank() == isa.Bank16 }

// ElementBits returns the width of an element of the type in a vector register.
func ElementBits(t isa.Type) int { return max(32, t.Bits()) }

// View is how an instruction looks at elements of 8 and 16 bits.
type View uint8

const (
	ViewZero   View = iota // zero-extended; the result is so, too
	ViewCut                // zero-extended; the upper bits of the result are anything
	ViewSigned             // sign-extended; the upper bits of the result are anything
	ViewUpper              // in the upper bits, zeros below them; in the result there is anything
)

// seen returns an operand as the present instruction looks at it.
func (c *Compiler) seen(t isa.Type, x amd64.Vec) amd64.Vec {
	if !Narrow(t) || c.View <= ViewCut {
		return x
	}
	d := c.Vec()
	c.V(amd64.VPSLLD, c.Width(t), d, x, amd64.Imm(32-t.Bits()))
	if c.View == ViewSigned {
		c.V(amd64.VPSRAD, c.Width(t), d, d, amd64.Imm(32-t.Bits()))
	}
	return d
}

// unseen makes a zero-extended number of a result.
func (c *Compiler) unseen(t isa.Type, x amd64.Vec) {
	if !Narrow(t) {
		return
	}
	switch c.View {
	case ViewCut, ViewSigned:
		c.V(amd64.VPANDD, c.Width(t), x, x, c.Splat(isa.I32, 1<<t.Bits()-1, 0))
	case ViewUpper:
		c.V(amd64.VPSRLD, c.Width(t), x, x, amd64.Imm(32-t.Bits()))
	}
}

// spreadNarrow gives all elements of x a scalar.
func (c *Compiler) spreadNarrow(r isa.Reg, t isa.Type, x amd64.Vec) {
	move := amd64.MOVZX8
	if t.Bits() == 16 {
		move = amd64.MOVZX16
	}
	if c.View == ViewSigned {
		move += amd64.MOVSX8 - amd64.MOVZX8
	}
	c.G(move, amd64.B32, RegTemp, Scalar(r))
	if c.View == ViewUpper {
		c.G(amd64.SHL, amd64.B32, RegTemp, amd64.Imm(32-t.Bits()))
	}
	c.ISA.Spread(c, t, x, RegTemp)
}
