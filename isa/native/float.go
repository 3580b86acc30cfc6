package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

func float(op pair, commutes bool) emitter {
	return func(c *compiler, in *isa.Inst) {
		a, b := c.both(in, commutes, false)
		d := c.vec()
		c.V(op.of(in.Type), c.width(in.Type), d, a, b)
		c.resultFloat(in, d)
	}
}

// fmulAdd rounds the product, then the sum.
func (c *compiler) fmulAdd(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.both(in, true, false)
	add := c.operand(in.C, t, false)
	d := c.vec()
	c.V(opFMul.of(t), w, d, a, b)
	c.V(opFAdd.of(t), w, d, d, add)
	c.resultFloat(in, d)
}

func (c *compiler) fma(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b, add := c.load(in.A, t, false), c.load(in.B, t, false), c.operand(in.C, t, false)
	d := c.vec()
	c.V(opCopy.of(t), w, d, a)
	c.V(opFma.of(t), w, d, b, add)
	c.resultFloat(in, d)
}

func (c *compiler) sqrt(in *isa.Inst) {
	a := c.operand(in.A, in.Type, false)
	d := c.vec()
	c.V(opSqrt.of(in.Type), c.width(in.Type), d, a)
	c.resultFloat(in, d)
}

func (c *compiler) fneg(in *isa.Inst) {
	t := in.Type
	a := c.load(in.A, t, true)
	d := c.vec()
	c.V(opXor.of(t), c.width(t), d, a, c.sign(t))
	c.result(in, t, d)
}

func (c *compiler) fabs(in *isa.Inst) {
	t := in.Type
	a := c.load(in.A, t, true)
	d := c.vec()
	c.V(opAnd.of(t), c.width(t), d, a, c.splat(t, 1<<31-1, 1<<63-1))
	c.result(in, t, d)
}

func (c *compiler) copySign(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d := c.vec()
	c.V(opSpread.of(t), w, d, c.number(t, 1<<(t.Bits()-1)))
	c.V(opTernary.of(t), w, d, b, a, amd64.Imm(ternarySelect))
	c.result(in, t, d)
}

// minMax orders the zeros and prefers a number to a NaN, signaling ones included:
// VRANGEPS returns those.
func minMax(kind amd64.Imm) emitter {
	return func(c *compiler, in *isa.Inst) {
		t, w := in.Type, c.width(in.Type)
		a, b := c.load(in.A, t, false), c.load(in.B, t, false)
		d := c.vec()
		c.V(opRange.of(t), w, d, a, b, kind)
		c.V(opFCmp.of(t), w, maskTemp, a, a, amd64.Imm(cmpUnordered))
		c.V(opCopy.of(t), w, d, b, amd64.Merge(maskTemp))
		c.V(opFCmp.of(t), w, maskTemp, b, b, amd64.Imm(cmpUnordered))
		c.V(opCopy.of(t), w, d, a, amd64.Merge(maskTemp))
		c.resultFloat(in, d)
	}
}

func rounding(mode amd64.Imm) emitter {
	return func(c *compiler, in *isa.Inst) {
		a := c.operand(in.A, in.Type, false)
		d := c.vec()
		c.V(opRound.of(in.Type), c.width(in.Type), d, a, mode)
		c.resultFloat(in, d)
	}
}

// roundAway adds one of the number's sign to what is left of the fraction
// where that is half or more.
func (c *compiler) roundAway(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, false)
	d, x := c.vec(), c.vec()
	c.V(opRound.of(t), w, d, a, amd64.Imm(roundZero))
	c.V(opFSub.of(t), w, x, a, d)
	c.V(opAnd.of(t), w, x, x, c.splat(t, 1<<31-1, 1<<63-1))
	c.V(opFCmp.of(t), w, maskTemp, x, c.floatSplat(t, 0.5), amd64.Imm(cmpGreaterEqual))
	c.V(opAnd.of(t), w, x, a, c.sign(t))
	c.V(opOr.of(t), w, x, x, c.floatSplat(t, 1))
	c.V(opFAdd.of(t), w, d, d, x, amd64.Merge(maskTemp))
	c.resultFloat(in, d)
}
