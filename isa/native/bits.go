package native

import (
	"bytes"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Tables for the halves of bytes: how many ones, and the bits in the other order, as the lower
// or the upper half.
var (
	nibbleOnes  = nibbles(func(n uint8) uint8 { return uint8(bits.OnesCount8(n)) })
	nibbleUpper = nibbles(bits.Reverse8)
	nibbleLower = nibbles(func(n uint8) uint8 { return bits.Reverse8(n) >> 4 })
)

func nibbles(f func(uint8) uint8) []byte {
	var t []byte
	for n := range uint8(16) {
		t = append(t, f(n))
	}
	return t
}

// repeated returns 16 bytes as often as a register of width w holds them.
func (c *compiler) repeated(b []byte, w amd64.Width) amd64.Mem {
	return c.Const(bytes.Repeat(b, w.Bytes()/16))
}

// lookup gives d and x what two tables say about the lower and the upper half of each byte of a, which may be
// d.
func (c *compiler) lookup(w amd64.Width, d, x, a amd64.Vec, lower, upper []byte) {
	t := c.vec()
	half := c.splat32(w, 0x0f0f0f0f)
	c.V(amd64.VPSRLD, w, x, a, amd64.Imm(4))
	c.V(amd64.VPANDD, w, d, a, half)
	c.V(amd64.VPANDD, w, x, x, half)
	c.V(amd64.VMOVDQU32, w, t, c.repeated(lower, w))
	c.V(amd64.VPSHUFB, w, d, t, d)
	c.V(amd64.VMOVDQU32, w, t, c.repeated(upper, w))
	c.V(amd64.VPSHUFB, w, x, t, x)
}

// popCount counts ones.
func (c *compiler) popCount(in *isa.Inst) {
	if c.features&amd64.VPOPCNTDQ != 0 {
		c.unary(in, opCount)
		return
	}
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d, x := c.vec(), c.vec()
	c.lookup(w, d, x, a, nibbleOnes, nibbleOnes)
	c.V(amd64.VPADDB, w, d, d, x)
	c.V(opXor.of(t), w, x, x, x)
	c.V(amd64.VPSADBW, w, x, d, x) // the sums of 8 bytes
	if t.Bank() != isa.Bank64 {
		// Those of 4 are what the lower half has, and the rest.
		y := c.vec()
		c.V(amd64.VPSLLQ, w, d, d, amd64.Imm(32))
		c.V(amd64.VPXORD, w, y, y, y)
		c.V(amd64.VPSADBW, w, d, d, y)
		c.V(amd64.VPSUBD, w, x, x, d)
		c.V(amd64.VPSLLQ, w, x, x, amd64.Imm(32))
		c.V(amd64.VPORD, w, x, x, d)
	}
	c.result(in, t, x)
}

// bitReverse turns the halves of each byte round, and then the bytes.
func (c *compiler) bitReverse(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d, x := c.vec(), c.vec()
	c.lookup(w, d, x, a, nibbleUpper, nibbleLower)
	c.V(amd64.VPORD, w, d, d, x)
	if n := t.Bytes(); n > 1 {
		order := make([]byte, 16)
		for i := range order {
			e := i &^ (elementBits(t)/8 - 1) // where the element begins
			order[i] = byte(e + n - 1 - (i - e))
			if i-e >= n {
				order[i] = 0x80 // zero
			}
		}
		c.V(amd64.VPSHUFB, w, d, d, c.repeated(order, w))
	}
	c.result(in, t, d)
}

// bitInsert takes the bits [c, c+d) from b. Shifts by the width or more give 0.
func (c *compiler) bitInsert(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b, at, n := c.load(in.A, t, true), c.load(in.B, t, true), c.load(in.C, t, true), c.load(in.D, t, true)
	d, x := c.vec(), c.vec()
	c.lowOnes(d, n, t)
	c.V(opShlV.of(t), w, d, d, at)
	c.V(opShlV.of(t), w, x, b, at)
	c.V(opTernary.of(t), w, d, x, a, amd64.Imm(ternarySelect))
	c.result(in, t, d)
}

// lowOnes makes numbers of n ones.
func (c *compiler) lowOnes(d, n amd64.Vec, t isa.Type) {
	w := c.width(t)
	c.V(opSpread.of(t), w, d, c.number(t, 1))
	c.V(opShlV.of(t), w, d, d, n)
	c.V(opAdd.of(t), w, d, d, c.splat(t, 1<<32-1, 1<<64-1))
}

// bitExtractU takes the bits [b, b+c) of a.
func (c *compiler) bitExtractU(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, at, n := c.load(in.A, t, true), c.load(in.B, t, true), c.load(in.C, t, true)
	d, x := c.vec(), c.vec()
	c.lowOnes(x, n, t)
	c.V(opShrUV.of(t), w, d, a, at)
	c.V(opAnd.of(t), w, d, d, x)
	c.result(in, t, d)
}

// bitExtractS is bitExtractU with a sign. Bits above the number are zeros, and a sign
// that is one of those.
func (c *compiler) bitExtractS(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, at, n := c.load(in.A, t, true), c.load(in.B, t, true), c.load(in.C, t, true)
	d, x := c.vec(), c.vec()
	width := uint64(elementBits(t))
	c.V(opShrUV.of(t), w, d, a, at)
	c.V(opMinU.of(t), w, x, n, c.splat(t, uint32(width), width))
	c.V(opXor.of(t), w, x, x, c.splat(t, 1<<32-1, 1<<64-1))
	c.V(opAdd.of(t), w, x, x, c.splat(t, uint32(width+1), width+1)) // width - n
	c.V(opShlV.of(t), w, d, d, x)
	c.V(opShrSV.of(t), w, d, d, x)
	c.result(in, t, d)
}

// mulHi64 multiplies halves of 32 bits. For signed numbers, what the signs add is
// subtracted.
func (c *compiler) mulHi64(in *isa.Inst) {
	const w = amd64.Z
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
	c.V(amd64.VPANDQ, w, low, x, c.Const64(1<<32-1).Bcast())
	c.V(amd64.VPADDQ, w, y, y, low)
	c.V(amd64.VPSRLQ, w, x, x, amd64.Imm(32))
	c.V(amd64.VPSRLQ, w, y, y, amd64.Imm(32))
	c.V(amd64.VPADDQ, w, d, d, x)
	c.V(amd64.VPADDQ, w, d, d, y)
	if in.Op == isa.OpMulHiS {
		c.V(amd64.VPMOVQ2M, w, maskTemp, a)
		c.V(amd64.VPSUBQ, w, d, d, b, amd64.Merge(maskTemp))
		c.V(amd64.VPMOVQ2M, w, maskTemp, b)
		c.V(amd64.VPSUBQ, w, d, d, a, amd64.Merge(maskTemp))
	}
	c.result(in, isa.I64, d)
}
