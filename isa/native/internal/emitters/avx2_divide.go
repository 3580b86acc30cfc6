package emitters

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// dividing2 is [dividing] for AVX2.
var dividing2 = divider{divideByPower2, divideLong2, quotient2, floorModulus2}

// floorModulus2 adds the divisor to remainders of the other sign.
func floorModulus2(c *x86.Compiler, t isa.Type, r, b amd64.Vec) {
	w := c.Width(t)
	x, y := c.Vec(), c.Vec()
	c.V(x86.OpXor.Of(t), w, y, r, b)
	negative(c, t, x, y)
	c.V(x86.OpXor.Of(t), w, y, y, y)
	c.V(x86.OpEqual2.Of(t), w, y, y, r)
	c.V(x86.OpAndNot.Of(t), w, x, y, x)
	c.V(x86.OpAnd.Of(t), w, x, x, b)
	c.V(x86.OpAdd.Of(t), w, r, r, x)
}

// divideByPower2 divides by 2 to the n.
func divideByPower2(c *x86.Compiler, in *isa.Inst, a amd64.Vec, n int) {
	t, w := in.Type, c.Width(in.Type)
	d := c.Vec()
	least := c.Splat(t, uint32(1)<<n-1, uint64(1)<<n-1) // what has no part in the quotient
	switch {
	case in.Op == isa.OpRemU || in.Op == isa.OpModS:
		c.V(x86.OpAnd.Of(t), w, d, a, least)
	case in.Op == isa.OpDivU:
		c.V(x86.OpShrU.Of(t), w, d, a, amd64.Imm(n))
	default:
		// Negative numbers go up first.
		negative(c, t, d, a)
		c.V(x86.OpAnd.Of(t), w, d, d, least)
		c.V(x86.OpAdd.Of(t), w, d, d, a)
		switch {
		case in.Op == isa.OpRemS:
			c.V(x86.OpAnd.Of(t), w, d, d, c.Splat(t, ^uint32(0)<<n, ^uint64(0)<<n))
			c.V(x86.OpSub.Of(t), w, d, a, d)
		case t == isa.I64:
			c.SarLong(d, d, uint64(n))
		default:
			c.V(amd64.VPSRAD, w, d, d, amd64.Imm(n))
		}
	}
	c.Result(in, t, d)
}

// quotient2 divides numbers of 32 bits as doubles, four after the other. A quotient that is not an integer
// lies so far below the next one that rounding does not lead there.
func quotient2(c *x86.Compiler, in *isa.Inst, a, b amd64.Vec) amd64.Vec {
	signed, q, x := x86.SignedDivision(in.Op), c.Vec(), c.Vec()
	if c.Lanes == 4 {
		quarter(c, signed, q, a, b, x)
		return q
	}
	high, by := c.Vec(), c.Vec()
	c.V(amd64.VEXTRACTI128, amd64.Y, high, a, amd64.Imm(1))
	c.V(amd64.VEXTRACTI128, amd64.Y, by, b, amd64.Imm(1))
	quarter(c, signed, q, a, b, x)
	quarter(c, signed, high, high, by, x)
	c.V(amd64.VINSERTI128, amd64.Y, q, q, high, amd64.Imm(1))
	return q
}

// quarter divides four numbers. q may be a; x is free.
func quarter(c *x86.Compiler, signed bool, q, a, b, x amd64.Vec) {
	const w = amd64.Y
	double := func(d, a amd64.Vec) {
		if signed {
			c.V(amd64.VCVTDQ2PD, w, d, a)
			return
		}
		c.V(amd64.VPMOVZXDQ, w, d, a)
		c.V(amd64.VPORQ, w, d, d, number2(c, 1<<52))
		c.V(amd64.VSUBPD, w, d, d, number2(c, 1<<52))
	}
	double(x, b)
	double(q, a)
	c.V(amd64.VDIVPD, w, q, q, x)
	if signed {
		c.V(amd64.VCVTTPD2DQ, w, q, q)
		return
	}
	c.V(amd64.VROUNDPD, w, q, q, amd64.Imm(x86.RoundZero))
	c.V(amd64.VADDPD, w, q, q, number2(c, 1<<52))
	c.Narrow(q, q)
}

// number2 is a double, four times.
func number2(c *x86.Compiler, v float64) amd64.Mem {
	return c.Number64(amd64.Y, math.Float64bits(v))
}

// divideLong2 divides numbers of 64 bits one by one, without their signs, which are put to the result. Lanes
// that do not run have divisors that are not 0.
func divideLong2(c *x86.Compiler, in *isa.Inst, a, b amd64.Vec, _ uint64) {
	const w = amd64.Y
	signed, quotient := x86.SignedDivision(in.Op), in.Op == isa.OpDivS || in.Op == isa.OpDivU
	d, sign, x := c.Vec(), c.Vec(), c.Vec()
	magnitude := func(a, sign amd64.Vec) amd64.Vec {
		if !signed {
			return a
		}
		negative(c, isa.I64, sign, a)
		c.V(amd64.VPXORQ, w, d, a, sign)
		c.V(amd64.VPSUBQ, w, d, d, sign)
		return d
	}
	by := magnitude(b, x)
	c.V(amd64.VPORQ, w, d, by, c.Idle(isa.I64))
	c.V(amd64.VMOVDQU64, w, c.Aside(0), d)
	c.V(amd64.VMOVDQU64, w, c.Aside(32), magnitude(a, sign))
	from := amd64.Operand(amd64.RDX)
	if quotient {
		from = amd64.RAX
	}
	for i := range 4 {
		c.G(amd64.MOV, amd64.B64, amd64.RAX, c.Aside(32+8*i))
		c.G(amd64.XOR, amd64.B32, amd64.RDX, amd64.RDX)
		c.G(amd64.DIV, amd64.B64, c.Aside(8*i))
		c.G(amd64.MOV, amd64.B64, c.Aside(64+8*i), from)
	}
	c.V(amd64.VMOVDQU64, w, d, c.Aside(64))
	if signed {
		if quotient {
			c.V(amd64.VPXORQ, w, sign, sign, x)
		}
		c.V(amd64.VPXORQ, w, d, d, sign)
		c.V(amd64.VPSUBQ, w, d, d, sign)
	}
	if in.Op == isa.OpModS {
		floorModulus2(c, isa.I64, d, b)
	}
	c.Result(in, isa.I64, d)
}
