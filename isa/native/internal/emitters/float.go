package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

func float(op x86.Pair, commutes bool) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		a, b := c.Both(in, commutes, false)
		d := c.Vec()
		c.V(op.Of(in.Type), c.Width(in.Type), d, a, b)
		c.ResultFloat(in, d)
	}
}

// fmulAdd rounds the product, then the sum.
func fmulAdd(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Both(in, true, false)
	add := c.Operand(in.C, t, false)
	d := c.Vec()
	c.V(x86.OpFMul.Of(t), w, d, a, b)
	c.V(x86.OpFAdd.Of(t), w, d, d, add)
	c.ResultFloat(in, d)
}

func fma(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b, add := c.Load(in.A, t, false), c.Load(in.B, t, false), c.Operand(in.C, t, false)
	d := c.Vec()
	c.V(x86.OpCopy.Of(t), w, d, a)
	c.V(x86.OpFma.Of(t), w, d, b, add)
	c.ResultFloat(in, d)
}

func sqrt(c *x86.Compiler, in *isa.Inst) {
	a := c.Operand(in.A, in.Type, false)
	d := c.Vec()
	c.V(x86.OpSqrt.Of(in.Type), c.Width(in.Type), d, a)
	c.ResultFloat(in, d)
}

func fneg(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	a := c.Load(in.A, t, true)
	d := c.Vec()
	c.V(x86.OpXor.Of(t), c.Width(t), d, a, c.Sign(t))
	c.Result(in, t, d)
}

func fabs(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	a := c.Load(in.A, t, true)
	d := c.Vec()
	c.V(x86.OpAnd.Of(t), c.Width(t), d, a, c.Splat(t, 1<<31-1, 1<<63-1))
	c.Result(in, t, d)
}

func copySign(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d := c.Vec()
	c.V(x86.OpSpread.Of(t), w, d, c.Number(t, 1<<(t.Bits()-1)))
	c.V(x86.OpTernary.Of(t), w, d, b, a, amd64.Imm(x86.TernarySelect))
	c.Result(in, t, d)
}

// minMax orders the zeros and prefers a number to a NaN, signaling ones included:
// VRANGEPS returns those.
func minMax(kind amd64.Imm) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t, w := in.Type, c.Width(in.Type)
		a, b := c.Load(in.A, t, false), c.Load(in.B, t, false)
		d := c.Vec()
		c.V(x86.OpRange.Of(t), w, d, a, b, kind)
		c.V(x86.OpFCmp.Of(t), w, x86.MaskTemp, a, a, amd64.Imm(x86.CmpUnordered))
		c.V(x86.OpCopy.Of(t), w, d, b, amd64.Merge(x86.MaskTemp))
		c.V(x86.OpFCmp.Of(t), w, x86.MaskTemp, b, b, amd64.Imm(x86.CmpUnordered))
		c.V(x86.OpCopy.Of(t), w, d, a, amd64.Merge(x86.MaskTemp))
		c.ResultFloat(in, d)
	}
}

func rounding(mode amd64.Imm) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		a := c.Operand(in.A, in.Type, false)
		d := c.Vec()
		c.V(x86.OpRound.Of(in.Type), c.Width(in.Type), d, a, mode)
		c.ResultFloat(in, d)
	}
}

// roundAway adds one of the number's sign to what is left of the fraction
// where that is half or more.
func roundAway(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, false)
	d, x := c.Vec(), c.Vec()
	c.V(x86.OpRound.Of(t), w, d, a, amd64.Imm(x86.RoundZero))
	c.V(x86.OpFSub.Of(t), w, x, a, d)
	c.V(x86.OpAnd.Of(t), w, x, x, c.Splat(t, 1<<31-1, 1<<63-1))
	c.V(x86.OpFCmp.Of(t), w, x86.MaskTemp, x, c.FloatSplat(t, 0.5), amd64.Imm(x86.CmpGreaterEqual))
	c.V(x86.OpAnd.Of(t), w, x, a, c.Sign(t))
	c.V(x86.OpOr.Of(t), w, x, x, c.FloatSplat(t, 1))
	c.V(x86.OpFAdd.Of(t), w, d, d, x, amd64.Merge(x86.MaskTemp))
	c.ResultFloat(in, d)
}
