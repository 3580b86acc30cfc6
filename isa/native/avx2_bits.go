package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// bitInsert2 takes the bits [c, c+d) from b. Shifts by the width or more give 0.
func (c *compiler) bitInsert2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b, at, n := c.load(in.A, t, true), c.load(in.B, t, true), c.load(in.C, t, true), c.load(in.D, t, true)
	d := c.vec()
	c.lowOnes(d, n, t)
	c.V(opShlV.of(t), w, d, d, at)
	c.V(opShlV.of(t), w, vecTemp, b, at)
	c.V(opAnd.of(t), w, vecTemp, vecTemp, d)
	c.V(opAndNot.of(t), w, d, d, a)
	c.V(opOr.of(t), w, d, d, vecTemp)
	c.result(in, t, d)
}

// bitExtractLong2 is bitExtractS for 64 bits.
func (c *compiler) bitExtractLong2(in *isa.Inst) {
	const w = amd64.Y
	a, at, n := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true), c.load(in.C, isa.I64, true)
	d, x, width := c.vec(), c.vec(), c.vec()
	c.V(amd64.VPBROADCASTQ, w, width, c.Const64(64))
	c.above(isa.I64, d, n, width)
	c.V(amd64.VPSUBQ, w, x, width, n)
	c.V(amd64.VPANDNQ, w, x, d, x)
	c.V(amd64.VPSRLVQ, w, d, a, at)
	c.V(amd64.VPSLLVQ, w, d, d, x)
	c.sarLongBy(d, d, x)
	c.result(in, isa.I64, d)
}

// mulHiLong2 multiplies halves of 32 bits. For signed numbers, what the signs add is
// subtracted.
func (c *compiler) mulHiLong2(in *isa.Inst) {
	const w = amd64.Y
	a, b := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true)
	d, low, x, y := c.vec(), c.vec(), c.vec(), c.vec()
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
			c.negative(isa.I64, x, factors[0])
			c.V(amd64.VPANDQ, w, x, x, factors[1])
			c.V(amd64.VPSUBQ, w, d, d, x)
		}
	}
	c.result(in, isa.I64, d)
}
