package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

func compareFloat2(predicate amd64.Imm) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t := in.Type
		a, b := c.Load(in.A, t, false), c.Load(in.B, t, false)
		d := c.Vec()
		c.V(x86.OpFCmp.Of(t), c.Width(t), d, a, b, predicate)
		c.ResultTruth(in, t, d)
	}
}

func copySign2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d := c.Vec()
	c.V(x86.OpAnd.Of(t), w, x86.VecTemp, a, c.Splat(t, 1<<31-1, 1<<63-1))
	c.V(x86.OpAnd.Of(t), w, d, b, c.Sign(t))
	c.V(x86.OpOr.Of(t), w, d, d, x86.VecTemp)
	c.Result(in, t, d)
}

// minMax2 orders the zeros and prefers a number to a NaN. Of two zeros the instruction returns the
// second, so that both orders together, combined by zeros, give the right one.
func minMax2(op, zeros x86.Pair) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t, w := in.Type, c.Width(in.Type)
		a, b := c.Load(in.A, t, false), c.Load(in.B, t, false)
		d := c.Vec()
		c.LeastOrMost(t, w, op.Of(t), zeros.Of(t), d, a, b)
		c.ResultFloat(in, d)
	}
}

func rounding2(mode amd64.Imm) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t := in.Type
		a := c.Load(in.A, t, false)
		d := c.Vec()
		c.V(x86.OpRound2.Of(t), c.Width(t), d, a, mode)
		c.ResultFloat(in, d)
	}
}

// roundAway2 adds one of the number's sign to what is left of the fraction
// where that is half or more, elsewhere a zero of that sign.
func roundAway2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, false)
	d, x := c.Vec(), c.Vec()
	c.V(x86.OpRound2.Of(t), w, d, a, amd64.Imm(x86.RoundZero))
	c.V(x86.OpFSub.Of(t), w, x, a, d)
	c.V(x86.OpAnd.Of(t), w, x, x, c.Splat(t, 1<<31-1, 1<<63-1))
	c.V(x86.OpFCmp.Of(t), w, x, x, c.FloatSplat(t, 0.5), amd64.Imm(x86.CmpGreaterEqual))
	c.V(x86.OpAnd.Of(t), w, x, x, c.FloatSplat(t, 1))
	c.V(x86.OpAnd.Of(t), w, x86.VecTemp, a, c.Sign(t))
	c.V(x86.OpOr.Of(t), w, x, x, x86.VecTemp)
	c.V(x86.OpFAdd.Of(t), w, d, d, x)
	c.ResultFloat(in, d)
}
