package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// remainder emits the remainder of floats, with the sign of the dividend, or, for OpFMod, of the
// divisor. Singles are computed with as doubles.
func (c *compiler) remainder(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, false), c.load(in.B, t, false)
	r, x, y := c.vec(), c.vec(), c.vec()
	work := [3]amd64.Vec{c.vec(), c.vec(), c.vec()}
	magnitude := c.splat(t, 1<<31-1, 1<<63-1)
	c.V(opAnd.of(t), w, r, a, magnitude)
	c.V(opAnd.of(t), w, y, b, magnitude)
	if t == isa.F64 {
		c.divideOut(r, y, work)
	} else {
		second := c.vec()
		if c.lanes == 16 {
			z := c.vec()
			c.V(amd64.VEXTRACTF64X4, amd64.Z, second, r, amd64.Imm(1))
			c.V(amd64.VEXTRACTF64X4, amd64.Z, z, y, amd64.Imm(1))
			c.V(amd64.VCVTPS2PD, amd64.Z, second, second)
			c.V(amd64.VCVTPS2PD, amd64.Z, z, z)
			c.divideOut(second, z, work)
			c.V(amd64.VCVTPD2PS, amd64.Z, second, second)
		}
		c.V(amd64.VCVTPS2PD, amd64.Z, r, r)
		c.V(amd64.VCVTPS2PD, amd64.Z, x, y)
		c.divideOut(r, x, work)
		c.V(amd64.VCVTPD2PS, amd64.Z, r, r)
		if c.lanes == 16 {
			c.V(amd64.VINSERTF64X4, amd64.Z, r, r, second, amd64.Imm(1))
		}
	}
	c.V(opSpread.of(t), w, x, c.number(t, 1<<(t.Bits()-1)))
	c.V(opTernary.of(t), w, x, a, r, amd64.Imm(ternarySelect)) // the sign of a
	if in.Op == isa.OpFMod {
		// Remainders of the other sign move to that of the divisor; 0 takes it.
		c.V(opXor.of(t), w, r, x, b)
		c.V(opTest.of(t), w, maskTemp, r, c.sign(t))
		c.V(opFAdd.of(t), w, r, x, b)
		c.V(opTest.of(t), w, maskTemp, x, magnitude, amd64.Merge(maskTemp))
		c.V(opCopy.of(t), w, x, r, amd64.Merge(maskTemp))
		c.V(opNoTest.of(t), w, maskTemp, x, magnitude)
		c.V(opAnd.of(t), w, x, b, c.sign(t), amd64.Merge(maskTemp))
	}
	c.V(opFCmp.of(t), w, maskTemp, y, y, amd64.Imm(cmpUnordered))
	c.V(opCopy.of(t), w, x, y, amd64.Merge(maskTemp))
	c.resultFloat(in, x)
}

// divideOut gives r, doubles that are not negative, the remainder of their division by y. While
// r is not less than y, a multiple of y times a power of two is subtracted from it, such that the factor has
// at most 53 bits: rounded towards zero it is exact, and so is what is left, which is a multiple of the last
// place of y and less than y times the power. An infinite r and a y of 0 make a NaN of it.
func (c *compiler) divideOut(r, y amd64.Vec, work [3]amd64.Vec) {
	const w, t = amd64.Z, isa.F64
	q, e, z := work[0], work[1], work[2]
	again, done := c.NewLabel(), c.NewLabel()
	c.V(amd64.VGETEXPPD, w, e, y)
	c.V(amd64.VADDPD, w, e, e, c.floatSplat(t, 52))
	c.Bind(again)
	c.V(amd64.VCMPPD, w, maskTemp, r, y, amd64.Imm(cmpGreaterEqual))
	c.V(amd64.KORTESTB, amd64.X, maskTemp, maskTemp)
	c.Jcc(amd64.IsZero, done)
	c.V(amd64.VGETEXPPD, w, z, r)
	c.V(amd64.VSUBPD, w, z, z, e)
	c.V(amd64.VMAXPD, w, z, z, c.floatSplat(t, 0))
	c.V(amd64.VSCALEFPD, w, z, y, z)
	c.V(amd64.VDIVPD, w, q, r, z, amd64.RoundZero)
	c.V(amd64.VRNDSCALEPD, w, q, q, amd64.Imm(roundZero))
	c.V(amd64.VFNMADD231PD, w, r, q, z, amd64.Merge(maskTemp))
	c.Jmp(again)
	c.Bind(done)
}
