package emitters

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// Integers are divided by multiplying with a reciprocal of the divisor, a float that is a little too
// great or too small. A quotient of operands of n bits lies at least 1/divisor below the next integer,
// which is 2^-n of it or more: where the error is positive and less than that, what is
// left of the product without its fraction is the quotient.

// Errors of reciprocals: far above those of the roundings that make them.
const (
	bias64 = 0x1p-40 // below 2^-32
	bias32 = 0x1p-19 // below 2^-16
)

// divisions is the family of integer divisions, of both sets.
func divisions(f amd64.Features, in *isa.Inst) x86.Emitter {
	switch {
	case !plan.Divides(in):
		return nil
	case f&amd64.AVX512 == 0:
		return dividing2.Emit
	}
	return dividing.Emit
}

// divider is what divisions have to themselves in an instruction set.
type divider struct {
	byPower  func(c *x86.Compiler, in *isa.Inst, a amd64.Vec, n int)       // emits a division by 2 to the n
	long     func(c *x86.Compiler, in *isa.Inst, a, b amd64.Vec, n uint64) // one of 64 bits, by n if that is not 0
	quotient func(c *x86.Compiler, in *isa.Inst, a, b amd64.Vec) amd64.Vec // of 32 bits
	floor    func(c *x86.Compiler, t isa.Type, r, b amd64.Vec)             // adds the divisor to remainders of the other sign
}

var dividing = divider{divideByPower, divide64, quotient32,
	func(c *x86.Compiler, t isa.Type, r, b amd64.Vec) { floorModulus(c, t, r, b, c.Vec()) }}

// Emit emits a division.
func (d *divider) Emit(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	signed, quotient := x86.SignedDivision(in.Op), in.Op == isa.OpDivS || in.Op == isa.OpDivU
	if x86.Narrow(t) && signed {
		c.View = x86.ViewSigned
	}
	defer func() { c.View = x86.ViewZero }()
	a := c.Load(in.A, t, true)
	n, constant := c.Divisor(in)
	if constant && n&(n-1) == 0 && !(signed && int64(n) < 0) {
		d.byPower(c, in, a, bits.TrailingZeros64(n))
		return
	}
	var b, q amd64.Vec
	if constant {
		b = c.Vec()
		c.V(x86.OpSpread.Of(t), w, b, c.Number(t, n))
	} else {
		b = c.Load(in.B, t, true)
		if !c.Checked {
			c.RefuseZero(in, b)
		}
	}
	switch {
	case t == isa.I64:
		d.long(c, in, a, b, n)
		return
	case x86.Narrow(t):
		q = quotientNarrow(c, a, b, n)
	case constant && signed:
		q = quotientConstantS(c, a, int32(n))
	case constant:
		q = quotientConstantU(c, a, uint32(n))
	default:
		q = d.quotient(c, in, a, b)
	}
	if !quotient {
		c.V(amd64.VPMULLD, w, q, q, b)
		c.V(amd64.VPSUBD, w, q, a, q)
		if in.Op == isa.OpModS {
			d.floor(c, t, q, b)
		}
	}
	c.Result(in, t, q)
}

// floorModulus adds the divisor to remainders of the other sign.
func floorModulus(c *x86.Compiler, t isa.Type, r, b, x amd64.Vec) {
	w := c.Width(t)
	c.V(x86.OpXor.Of(t), w, x, r, b)
	c.V(x86.OpTest.Of(t), w, x86.MaskTemp, r, r)
	c.V(x86.OpTest.Of(t), w, x86.MaskTemp, x, c.Sign(t), amd64.Merge(x86.MaskTemp))
	c.V(x86.OpAdd.Of(t), w, r, r, b, amd64.Merge(x86.MaskTemp))
}

// divideByPower divides by 2 to the n.
func divideByPower(c *x86.Compiler, in *isa.Inst, a amd64.Vec, n int) {
	t, w := in.Type, c.Width(in.Type)
	d, x := c.Vec(), c.Vec()
	least := c.Splat(t, uint32(1)<<n-1, uint64(1)<<n-1) // what has no part in the quotient
	switch {
	case in.Op == isa.OpRemU || in.Op == isa.OpModS:
		c.V(x86.OpAnd.Of(t), w, d, a, least)
	case in.Op == isa.OpDivU:
		c.V(x86.OpShrU.Of(t), w, d, a, amd64.Imm(n))
	default:
		// Negative numbers go up first.
		c.V(x86.OpShrS.Of(t), w, d, a, amd64.Imm(x86.ElementBits(t)-1))
		c.V(x86.OpAnd.Of(t), w, d, d, least)
		c.V(x86.OpAdd.Of(t), w, d, d, a)
		if in.Op == isa.OpDivS {
			c.V(x86.OpShrS.Of(t), w, d, d, amd64.Imm(n))
			break
		}
		c.V(x86.OpTernary.Of(t), w, x, x, x, amd64.Imm(x86.TernaryOnes))
		c.V(x86.OpShl.Of(t), w, x, x, amd64.Imm(n))
		c.V(x86.OpAnd.Of(t), w, d, d, x)
		c.V(x86.OpSub.Of(t), w, d, a, d)
	}
	c.Result(in, t, d)
}

// quotientNarrow divides numbers of 16 bits, with their sign if they have one, as singles; n is
// the divisor if it is known, otherwise 0.
func quotientNarrow(c *x86.Compiler, a, b amd64.Vec, n uint64) amd64.Vec {
	w := c.Width(isa.F32)
	q := c.Vec()
	c.V(amd64.VCVTDQ2PS, w, q, a)
	if n != 0 {
		c.V(amd64.VMULPS, w, q, q, c.Number32(w, math.Float32bits(float32((1+bias32)/float64(int64(n))))))
	} else {
		x := c.Vec()
		c.V(amd64.VCVTDQ2PS, w, x, b)
		c.V(amd64.VDIVPS, w, q, q, x)
	}
	c.V(amd64.VCVTTPS2DQ, w, q, q)
	return q
}

// reciprocal gives y the reciprocals of x, with a relative error of bias: a*b is 1+bias within 2^-41.
// That of VRCP14PD is below 2^-14, e; the product of y and 1+e+e² has e³.
func reciprocal(c *x86.Compiler, y, x amd64.Vec, bias float64) {
	e := c.Vec()
	c.V(amd64.VRCP14PD, amd64.Z, y, x)
	c.V(amd64.VPBROADCASTQ, amd64.Z, e, c.Const64(math.Float64bits(1+bias)))
	c.V(amd64.VFNMADD231PD, amd64.Z, e, x, y)
	c.V(amd64.VFMADD213PD, amd64.Z, e, e, e)
	c.V(amd64.VFMADD213PD, amd64.Z, e, y, y)
	c.V(amd64.VMOVDQA64, amd64.Z, y, e)
}

// quotient32 divides eight numbers of 32 bits after the other as doubles.
func quotient32(c *x86.Compiler, in *isa.Inst, a, b amd64.Vec) amd64.Vec {
	from, to := amd64.VCVTUDQ2PD, amd64.VCVTTPD2UDQ
	if x86.SignedDivision(in.Op) {
		from, to = amd64.VCVTDQ2PD, amd64.VCVTTPD2DQ
	}
	q, x, y := c.Vec(), c.Vec(), c.Vec()
	half := func(d, a, b amd64.Vec) {
		if b != y {
			c.V(from, amd64.Z, x, b)
			reciprocal(c, y, x, bias64)
		}
		c.V(from, amd64.Z, x, a)
		c.V(amd64.VMULPD, amd64.Z, x, x, y)
		c.V(to, amd64.Z, d, x)
	}
	half(q, a, b)
	if c.Lanes == 16 {
		a2, b2 := c.Vec(), y
		c.V(amd64.VEXTRACTI64X4, amd64.Z, a2, a, amd64.Imm(1))
		if in.B.IsVector() {
			b2 = c.Vec()
			c.V(amd64.VEXTRACTI64X4, amd64.Z, b2, b, amd64.Imm(1))
		}
		half(a2, a2, b2)
		c.V(amd64.VINSERTI64X4, amd64.Z, q, q, a2, amd64.Imm(1))
	}
	return q
}

// mulHiConstant gives d the upper halves of products with n.
func mulHiConstant(c *x86.Compiler, op amd64.Op, d, x, a amd64.Vec, n uint32) {
	w := c.Width(isa.I32)
	by := c.Number64(w, uint64(n))
	c.V(op, w, d, a, by)
	c.V(amd64.VPSRLQ, w, d, d, amd64.Imm(32))
	c.V(amd64.VPSRLQ, w, x, a, amd64.Imm(32))
	c.V(op, w, x, x, by)
	c.ISA.Mix(c, w, d, x)
}

// quotientConstantU divides by a number that is no power of two (Granlund and Montgomery, "Division by
// Invariant Integers using Multiplication", figure 4.1; with a shorter sequence where a factor of 32 bits is
// enough, theorem 4.2).
func quotientConstantU(c *x86.Compiler, a amd64.Vec, n uint32) amd64.Vec {
	w := c.Width(isa.I32)
	d, x := c.Vec(), c.Vec()
	l := bits.Len32(n - 1)
	for s := range l {
		m := uint64(1)<<(32+s)/uint64(n) + 1
		if m < 1<<32 && m*uint64(n)-1<<(32+s) <= 1<<s {
			mulHiConstant(c, amd64.VPMULUDQ, d, x, a, uint32(m))
			c.V(amd64.VPSRLD, w, d, d, amd64.Imm(s))
			return d
		}
	}
	m := uint32((uint64(1)<<l-uint64(n))<<32/uint64(n) + 1)
	mulHiConstant(c, amd64.VPMULUDQ, d, x, a, m)
	c.V(amd64.VPSUBD, w, x, a, d)
	c.V(amd64.VPSRLD, w, x, x, amd64.Imm(1))
	c.V(amd64.VPADDD, w, d, d, x)
	c.V(amd64.VPSRLD, w, d, d, amd64.Imm(l-1))
	return d
}

// quotientConstantS divides signed numbers (the same, figure 5.1).
func quotientConstantS(c *x86.Compiler, a amd64.Vec, n int32) amd64.Vec {
	w := c.Width(isa.I32)
	d, x := c.Vec(), c.Vec()
	abs := uint64(max(int64(n), -int64(n)))
	l := max(bits.Len64(abs-1), 1)
	m := uint32(uint64(1)<<(31+l)/abs + 1)
	mulHiConstant(c, amd64.VPMULDQ, d, x, a, m)
	c.V(amd64.VPADDD, w, d, d, a)
	c.V(amd64.VPSRAD, w, d, d, amd64.Imm(l-1))
	c.V(amd64.VPSRAD, w, x, a, amd64.Imm(31))
	if n < 0 {
		c.V(amd64.VPSUBD, w, d, x, d)
	} else {
		c.V(amd64.VPSUBD, w, d, d, x)
	}
	return d
}

// divide64 divides numbers of 64 bits by b, which is n if that is not 0. The reciprocal is too small by
// 2^-40 of it, so that a first quotient is at most 2^25 too small; that of the remainder at most 1, which is
// compared away.
func divide64(c *x86.Compiler, in *isa.Inst, a, b amd64.Vec, n uint64) {
	const w, t = amd64.Z, isa.I64
	signed := x86.SignedDivision(in.Op)
	quotient := in.Op == isa.OpDivS || in.Op == isa.OpDivU
	rest, by := a, b
	q, r, e, x, y := c.Vec(), c.Vec(), c.Vec(), c.Vec(), c.Vec()
	if signed {
		rest, by = c.Vec(), c.Vec()
		c.V(amd64.VPABSQ, w, rest, a)
		c.V(amd64.VPABSQ, w, by, b)
	}
	if n != 0 {
		v := float64(n)
		if signed {
			v = math.Abs(float64(int64(n)))
		}
		c.V(amd64.VPBROADCASTQ, w, y, c.Const64(math.Float64bits((1-bias64)/v)))
	} else {
		c.V(amd64.VCVTUQQ2PD, w, x, by)
		reciprocal(c, y, x, -bias64)
	}
	step := func(q, from amd64.Vec) {
		c.V(amd64.VCVTUQQ2PD, w, q, from)
		c.V(amd64.VMULPD, w, q, q, y)
		c.V(amd64.VCVTTPD2UQQ, w, q, q)
		c.V(amd64.VPMULLQ, w, r, q, by)
		c.V(amd64.VPSUBQ, w, r, from, r)
	}
	small := c.NewLabel()
	step(q, rest)
	// Below 2^40, the first quotient is too small by 1 at most.
	c.V(amd64.VPTESTMQ, w, x86.MaskTemp, rest, c.Const64(0xffffff8000000000).Bcast(), amd64.Merge(x86.MaskExec))
	c.V(amd64.KORTESTB, amd64.X, x86.MaskTemp, x86.MaskTemp)
	c.Jcc(amd64.IsZero, small)
	c.V(amd64.VMOVDQA64, w, x, r)
	step(e, x)
	c.V(amd64.VPADDQ, w, q, q, e)
	c.Bind(small)
	if quotient {
		c.V(amd64.VPCMPUQ, w, x86.MaskTemp, by, r, amd64.Imm(x86.IntLessEqual))
		c.V(amd64.VPSUBQ, w, q, q, c.Const64(^uint64(0)).Bcast(), amd64.Merge(x86.MaskTemp))
		if signed {
			c.V(amd64.VPXORQ, w, x, a, b)
			negateWhere(c, q, x, r)
		}
		c.Result(in, t, q)
		return
	}
	c.V(amd64.VPSUBQ, w, x, r, by)
	c.V(amd64.VPMINUQ, w, r, r, x)
	if signed {
		negateWhere(c, r, a, x)
		if in.Op == isa.OpModS {
			floorModulus(c, t, r, b, x)
		}
	}
	c.Result(in, t, r)
}

// negateWhere changes the sign of elements of d where those of s are negative; x is
// for what is in between.
func negateWhere(c *x86.Compiler, d, s, x amd64.Vec) {
	c.V(amd64.VPMOVQ2M, amd64.Z, x86.MaskTemp, s)
	c.V(amd64.VPXORQ, amd64.Z, x, x, x)
	c.V(amd64.VPSUBQ, amd64.Z, d, x, d, amd64.Merge(x86.MaskTemp))
}
