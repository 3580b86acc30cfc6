package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// bitInsert2 takes the bits [c, c+d) from b. Shifts by the width or more give 0.
func bitInsert2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b, at, n := c.Load(in.A, t, true), c.Load(in.B, t, true), c.Load(in.C, t, true), c.Load(in.D, t, true)
	d := c.Vec()
	lowOnes(c, d, n, t)
	c.V(x86.OpShlV.Of(t), w, d, d, at)
	c.V(x86.OpShlV.Of(t), w, x86.VecTemp, b, at)
	c.V(x86.OpAnd.Of(t), w, x86.VecTemp, x86.VecTemp, d)
	c.V(x86.OpAndNot.Of(t), w, d, d, a)
	c.V(x86.OpOr.Of(t), w, d, d, x86.VecTemp)
	c.Result(in, t, d)
}

// bitExtractLong2 is bitExtractS for 64 bits.
func bitExtractLong2(c *x86.Compiler, in *isa.Inst) {
	const w = amd64.Y
	a, at, n := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true), c.Load(in.C, isa.I64, true)
	d, x, width := c.Vec(), c.Vec(), c.Vec()
	c.V(amd64.VPBROADCASTQ, w, width, c.Const64(64))
	above(c, isa.I64, d, n, width)
	c.V(amd64.VPSUBQ, w, x, width, n)
	c.V(amd64.VPANDNQ, w, x, d, x)
	c.V(amd64.VPSRLVQ, w, d, a, at)
	c.V(amd64.VPSLLVQ, w, d, d, x)
	sarLongBy(c, d, d, x)
	c.Result(in, isa.I64, d)
}

// mulHiLong2 multiplies halves of 32 bits. For signed numbers, what the signs add is
// subtracted.
func mulHiLong2(c *x86.Compiler, in *isa.Inst) {
	const w = amd64.Y
	a, b := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true)
	d, low, x, y := c.Vec(), c.Vec(), c.Vec(), c.Vec()
	c.V(amd64.VPSRLQ, w, x, a, amd64.Imm(32))
	c.V(amd64.VPSRLQ, w, y, b, amd64.Imm(32))
	c.V(amd64.VPMULUDQ, w, low, a, b)
	c.V(amd64.VPMULUDQ, w, d, x, y)
	c.V(amd64.VPMULUDQ, w, x, x, b)
	c.V(amd64.VPMULUDQ, w, y, y, a)
	c.V(amd64.VPSRLQ, w, low, low, amd64.Imm(32))
	c.V(amd64.VPADDQ, w, x, x, low)
	c.V(amd64.VPANDQ, w, low, x, c.Splat64(w, 1<<32-1))
	c.V(amd64.VPADDQ, w, y, y, low)
	c.V(amd64.VPSRLQ, w, x, x, amd64.Imm(32))
	c.V(amd64.VPSRLQ, w, y, y, amd64.Imm(32))
	c.V(amd64.VPADDQ, w, d, d, x)
	c.V(amd64.VPADDQ, w, d, d, y)
	if in.Op == isa.OpMulHiS {
		for _, factors := range [][2]amd64.Vec{{a, b}, {b, a}} {
			negative(c, isa.I64, x, factors[0])
			c.V(amd64.VPANDQ, w, x, x, factors[1])
			c.V(amd64.VPSUBQ, w, d, d, x)
		}
	}
	c.Result(in, isa.I64, d)
}
