package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// remainder emits the remainder of floats, with the sign of the dividend, or, for OpFMod, of the
// divisor. Singles are computed with as doubles.
func remainder(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, false), c.Load(in.B, t, false)
	r, x, y := c.Vec(), c.Vec(), c.Vec()
	work := [3]amd64.Vec{c.Vec(), c.Vec(), c.Vec()}
	magnitude := c.Splat(t, 1<<31-1, 1<<63-1)
	c.V(x86.OpAnd.Of(t), w, r, a, magnitude)
	c.V(x86.OpAnd.Of(t), w, y, b, magnitude)
	if t == isa.F64 {
		divideOut(c, r, y, work)
	} else {
		second := c.Vec()
		if c.Lanes == 16 {
			z := c.Vec()
			c.V(amd64.VEXTRACTF64X4, amd64.Z, second, r, amd64.Imm(1))
			c.V(amd64.VEXTRACTF64X4, amd64.Z, z, y, amd64.Imm(1))
			c.V(amd64.VCVTPS2PD, amd64.Z, second, second)
			c.V(amd64.VCVTPS2PD, amd64.Z, z, z)
			divideOut(c, second, z, work)
			c.V(amd64.VCVTPD2PS, amd64.Z, second, second)
		}
		c.V(amd64.VCVTPS2PD, amd64.Z, r, r)
		c.V(amd64.VCVTPS2PD, amd64.Z, x, y)
		divideOut(c, r, x, work)
		c.V(amd64.VCVTPD2PS, amd64.Z, r, r)
		if c.Lanes == 16 {
			c.V(amd64.VINSERTF64X4, amd64.Z, r, r, second, amd64.Imm(1))
		}
	}
	c.V(x86.OpSpread.Of(t), w, x, c.Number(t, 1<<(t.Bits()-1)))
	c.V(x86.OpTernary.Of(t), w, x, a, r, amd64.Imm(x86.TernarySelect)) // the sign of a
	if in.Op == isa.OpFMod {
		// Remainders of the other sign move to that of the divisor; 0 takes it.
		c.V(x86.OpXor.Of(t), w, r, x, b)
		c.V(x86.OpTest.Of(t), w, x86.MaskTemp, r, c.Sign(t))
		c.V(x86.OpFAdd.Of(t), w, r, x, b)
		c.V(x86.OpTest.Of(t), w, x86.MaskTemp, x, magnitude, amd64.Merge(x86.MaskTemp))
		c.V(x86.OpCopy.Of(t), w, x, r, amd64.Merge(x86.MaskTemp))
		c.V(x86.OpNoTest.Of(t), w, x86.MaskTemp, x, magnitude)
		c.V(x86.OpAnd.Of(t), w, x, b, c.Sign(t), amd64.Merge(x86.MaskTemp))
	}
	c.V(x86.OpFCmp.Of(t), w, x86.MaskTemp, y, y, amd64.Imm(x86.CmpUnordered))
	c.V(x86.OpCopy.Of(t), w, x, y, amd64.Merge(x86.MaskTemp))
	c.ResultFloat(in, x)
}

// divideOut gives r, doubles that are not negative, the remainder of their division by y. While
// r is not less than y, a multiple of y times a power of two is subtracted from it, such that the factor has
// at most 53 bits: rounded towards zero it is exact, and so is what is left, which is a multiple of the last
// place of y and less than y times the power. An infinite r and a y of 0 make a NaN of it.
func divideOut(c *x86.Compiler, r, y amd64.Vec, work [3]amd64.Vec) {
	const w, t = amd64.Z, isa.F64
	q, e, z := work[0], work[1], work[2]
	again, done := c.NewLabel(), c.NewLabel()
	c.V(amd64.VGETEXPPD, w, e, y)
	c.V(amd64.VADDPD, w, e, e, c.FloatSplat(t, 52))
	c.Bind(again)
	c.V(amd64.VCMPPD, w, x86.MaskTemp, r, y, amd64.Imm(x86.CmpGreaterEqual))
	c.V(amd64.KORTESTB, amd64.X, x86.MaskTemp, x86.MaskTemp)
	c.Jcc(amd64.IsZero, done)
	c.V(amd64.VGETEXPPD, w, z, r)
	c.V(amd64.VSUBPD, w, z, z, e)
	c.V(amd64.VMAXPD, w, z, z, c.FloatSplat(t, 0))
	c.V(amd64.VSCALEFPD, w, z, y, z)
	c.V(amd64.VDIVPD, w, q, r, z, amd64.RoundZero)
	c.V(amd64.VRNDSCALEPD, w, q, q, amd64.Imm(x86.RoundZero))
	c.V(amd64.VFNMADD231PD, w, r, q, z, amd64.Merge(x86.MaskTemp))
	c.Jmp(again)
	c.Bind(done)
}
