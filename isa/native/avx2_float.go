package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

func compareFloat2(predicate amd64.Imm) emitter {
	return func(c *compiler, in *isa.Inst) {
		t := in.Type
		a, b := c.load(in.A, t, false), c.load(in.B, t, false)
		d := c.vec()
		c.V(opFCmp.of(t), c.width(t), d, a, b, predicate)
		c.resultTruth(in, t, d)
	}
}

func (c *compiler) copySign2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d := c.vec()
	c.V(opAnd.of(t), w, vecTemp, a, c.splat(t, 1<<31-1, 1<<63-1))
	c.V(opAnd.of(t), w, d, b, c.sign(t))
	c.V(opOr.of(t), w, d, d, vecTemp)
	c.result(in, t, d)
}

// minMax2 orders the zeros and prefers a number to a NaN. Of two zeros the instruction returns the
// second, so that both orders together, combined by zeros, give the right one.
func minMax2(op, zeros pair) emitter {
	return func(c *compiler, in *isa.Inst) {
		t, w := in.Type, c.width(in.Type)
		a, b := c.load(in.A, t, false), c.load(in.B, t, false)
		d := c.vec()
		c.leastOrMost(t, w, op.of(t), zeros.of(t), d, a, b)
		c.resultFloat(in, d)
	}
}

func rounding2(mode amd64.Imm) emitter {
	return func(c *compiler, in *isa.Inst) {
		t := in.Type
		a := c.load(in.A, t, false)
		d := c.vec()
		c.V(opRound2.of(t), c.width(t), d, a, mode)
		c.resultFloat(in, d)
	}
}

// roundAway2 adds one of the number's sign to what is left of the fraction
// where that is half or more, elsewhere a zero of that sign.
func (c *compiler) roundAway2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, false)
	d, x := c.vec(), c.vec()
	c.V(opRound2.of(t), w, d, a, amd64.Imm(roundZero))
	c.V(opFSub.of(t), w, x, a, d)
	c.V(opAnd.of(t), w, x, x, c.splat(t, 1<<31-1, 1<<63-1))
	c.V(opFCmp.of(t), w, x, x, c.floatSplat(t, 0.5), amd64.Imm(cmpGreaterEqual))
	c.V(opAnd.of(t), w, x, x, c.floatSplat(t, 1))
	c.V(opAnd.of(t), w, vecTemp, a, c.sign(t))
	c.V(opOr.of(t), w, x, x, vecTemp)
	c.V(opFAdd.of(t), w, d, d, x)
	c.resultFloat(in, d)
}
