package native

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// dividing2 is [dividing] for AVX2.
var dividing2 = divider{(*compiler).divideByPower2, (*compiler).divideLong2, (*compiler).quotient2, (*compiler).floorModulus2}

// floorModulus2 adds the divisor to remainders of the other sign.
func (c *compiler) floorModulus2(t isa.Type, r, b amd64.Vec) {
	w := c.width(t)
	x, y := c.vec(), c.vec()
	c.V(opXor.of(t), w, y, r, b)
	c.negative(t, x, y)
	c.V(opXor.of(t), w, y, y, y)
	c.V(opEqual2.of(t), w, y, y, r)
	c.V(opAndNot.of(t), w, x, y, x)
	c.V(opAnd.of(t), w, x, x, b)
	c.V(opAdd.of(t), w, r, r, x)
}

// divideByPower2 divides by 2 to the n.
func (c *compiler) divideByPower2(in *isa.Inst, a amd64.Vec, n int) {
	t, w := in.Type, c.width(in.Type)
	d := c.vec()
	least := c.splat(t, uint32(1)<<n-1, uint64(1)<<n-1) // what has no part in the quotient
	switch {
	case in.Op == isa.OpRemU || in.Op == isa.OpModS:
		c.V(opAnd.of(t), w, d, a, least)
	case in.Op == isa.OpDivU:
		c.V(opShrU.of(t), w, d, a, amd64.Imm(n))
	default:
		// Negative numbers go up first.
		c.negative(t, d, a)
		c.V(opAnd.of(t), w, d, d, least)
		c.V(opAdd.of(t), w, d, d, a)
		switch {
		case in.Op == isa.OpRemS:
			c.V(opAnd.of(t), w, d, d, c.splat(t, ^uint32(0)<<n, ^uint64(0)<<n))
			c.V(opSub.of(t), w, d, a, d)
		case t == isa.I64:
			c.sarLong(d, d, uint64(n))
		default:
			c.V(amd64.VPSRAD, w, d, d, amd64.Imm(n))
		}
	}
	c.result(in, t, d)
}

// quotient2 divides numbers of 32 bits as doubles, four after the other. A quotient that is not an integer
// lies so far below the next one that rounding does not lead there.
func (c *compiler) quotient2(in *isa.Inst, a, b amd64.Vec) amd64.Vec {
	signed, q, x := signedDivision(in.Op), c.vec(), c.vec()
	if c.lanes == 4 {
		c.quarter(signed, q, a, b, x)
		return q
	}
	high, by := c.vec(), c.vec()
	c.V(amd64.VEXTRACTI128, amd64.Y, high, a, amd64.Imm(1))
	c.V(amd64.VEXTRACTI128, amd64.Y, by, b, amd64.Imm(1))
	c.quarter(signed, q, a, b, x)
	c.quarter(signed, high, high, by, x)
	c.V(amd64.VINSERTI128, amd64.Y, q, q, high, amd64.Imm(1))
	return q
}

// quarter divides four numbers. q may be a; x is free.
func (c *compiler) quarter(signed bool, q, a, b, x amd64.Vec) {
	const w = amd64.Y
	double := func(d, a amd64.Vec) {
		if signed {
			c.V(amd64.VCVTDQ2PD, w, d, a)
			return
		}
		c.V(amd64.VPMOVZXDQ, w, d, a)
		c.V(amd64.VPORQ, w, d, d, c.number2(1<<52))
		c.V(amd64.VSUBPD, w, d, d, c.number2(1<<52))
	}
	double(x, b)
	double(q, a)
	c.V(amd64.VDIVPD, w, q, q, x)
	if signed {
		c.V(amd64.VCVTTPD2DQ, w, q, q)
		return
	}
	c.V(amd64.VROUNDPD, w, q, q, amd64.Imm(roundZero))
	c.V(amd64.VADDPD, w, q, q, c.number2(1<<52))
	c.narrow(q, q)
}

// number2 is a double, four times.
func (c *compiler) number2(v float64) amd64.Mem {
	return c.splat64(amd64.Y, math.Float64bits(v))
}

// divideLong2 divides numbers of 64 bits one by one, without their signs, which are put to the result. Lanes
// that do not run have divisors that are not 0.
func (c *compiler) divideLong2(in *isa.Inst, a, b amd64.Vec, _ uint64) {
	const w = amd64.Y
	signed, quotient := signedDivision(in.Op), in.Op == isa.OpDivS || in.Op == isa.OpDivU
	d, sign, x := c.vec(), c.vec(), c.vec()
	magnitude := func(a, sign amd64.Vec) amd64.Vec {
		if !signed {
			return a
		}
		c.negative(isa.I64, sign, a)
		c.V(amd64.VPXORQ, w, d, a, sign)
		c.V(amd64.VPSUBQ, w, d, d, sign)
		return d
	}
	by := magnitude(b, x)
	c.V(amd64.VPORQ, w, d, by, c.idle(isa.I64))
	c.V(amd64.VMOVDQU64, w, c.aside(0), d)
	c.V(amd64.VMOVDQU64, w, c.aside(32), magnitude(a, sign))
	from := amd64.Operand(amd64.RDX)
	if quotient {
		from = amd64.RAX
	}
	for i := range 4 {
		c.G(amd64.MOV, amd64.B64, amd64.RAX, c.aside(32+8*i))
		c.G(amd64.XOR, amd64.B32, amd64.RDX, amd64.RDX)
		c.G(amd64.DIV, amd64.B64, c.aside(8*i))
		c.G(amd64.MOV, amd64.B64, c.aside(64+8*i), from)
	}
	c.V(amd64.VMOVDQU64, w, d, c.aside(64))
	if signed {
		if quotient {
			c.V(amd64.VPXORQ, w, sign, sign, x)
		}
		c.V(amd64.VPXORQ, w, d, d, sign)
		c.V(amd64.VPSUBQ, w, d, d, sign)
	}
	if in.Op == isa.OpModS {
		c.floorModulus2(isa.I64, d, b)
	}
	c.result(in, isa.I64, d)
}
