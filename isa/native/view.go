package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Elements of 8 and 16 bits fill 32 bits in a vector register, the upper ones of which are zero. Instructions look at
// them in one of several ways.

// narrow says whether registers of the type have elements of 8 or 16 bits.
func narrow(t isa.Type) bool { return t.Bank() == isa.Bank8 || t.Bank() == isa.Bank16 }

// elementBits returns the width of an element of the type in a vector register.
func elementBits(t isa.Type) int { return max(32, t.Bits()) }

// view is how an instruction looks at elements of 8 and 16 bits.
type view uint8

const (
	viewZero   view = iota // zero-extended; the result is so, too
	viewCut                // zero-extended; the upper bits of the result are anything
	viewSigned             // sign-extended; the upper bits of the result are anything
	viewUpper              // in the upper bits, zeros below them; in the result there is anything
)

// seen returns an operand as the present instruction looks at it.
func (c *compiler) seen(t isa.Type, x amd64.Vec) amd64.Vec {
	if !narrow(t) || c.view <= viewCut {
		return x
	}
	d := c.vec()
	c.V(amd64.VPSLLD, c.width(t), d, x, amd64.Imm(32-t.Bits()))
	if c.view == viewSigned {
		c.V(amd64.VPSRAD, c.width(t), d, d, amd64.Imm(32-t.Bits()))
	}
	return d
}

// unseen makes a zero-extended number of a result.
func (c *compiler) unseen(t isa.Type, x amd64.Vec) {
	if !narrow(t) {
		return
	}
	switch c.view {
	case viewCut, viewSigned:
		c.V(amd64.VPANDD, c.width(t), x, x, c.splat(isa.I32, 1<<t.Bits()-1, 0))
	case viewUpper:
		c.V(amd64.VPSRLD, c.width(t), x, x, amd64.Imm(32-t.Bits()))
	}
}

// spreadNarrow gives all elements of x a scalar.
func (c *compiler) spreadNarrow(r isa.Reg, t isa.Type, x amd64.Vec) {
	move := amd64.MOVZX8
	if t.Bits() == 16 {
		move = amd64.MOVZX16
	}
	if c.view == viewSigned {
		move += amd64.MOVSX8 - amd64.MOVZX8
	}
	c.G(move, amd64.B32, regTemp, scalar(r))
	if c.view == viewUpper {
		c.G(amd64.SHL, amd64.B32, regTemp, amd64.Imm(32-t.Bits()))
	}
	c.set.spread(c, t, x, regTemp)
}
