package emitters

import (
	"bytes"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
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
func repeated(c *x86.Compiler, b []byte, w amd64.Width) amd64.Mem {
	return c.Const(bytes.Repeat(b, w.Bytes()/16))
}

// lookup gives d and x what two tables say about the lower and the upper half of each byte of a, which may be
// d.
func lookup(c *x86.Compiler, w amd64.Width, d, x, a amd64.Vec, lower, upper []byte) {
	t := c.Vec()
	half := c.Number32(w, 0x0f0f0f0f)
	c.V(amd64.VPSRLD, w, x, a, amd64.Imm(4))
	c.V(amd64.VPANDD, w, d, a, half)
	c.V(amd64.VPANDD, w, x, x, half)
	c.V(amd64.VMOVDQU32, w, t, repeated(c, lower, w))
	c.V(amd64.VPSHUFB, w, d, t, d)
	c.V(amd64.VMOVDQU32, w, t, repeated(c, upper, w))
	c.V(amd64.VPSHUFB, w, x, t, x)
}

// popCount counts ones.
func popCount(c *x86.Compiler, in *isa.Inst) {
	if c.CPU&amd64.VPOPCNTDQ != 0 {
		unary(c, in, x86.OpCount)
		return
	}
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, true)
	d, x := c.Vec(), c.Vec()
	lookup(c, w, d, x, a, nibbleOnes, nibbleOnes)
	c.V(amd64.VPADDB, w, d, d, x)
	c.V(x86.OpXor.Of(t), w, x, x, x)
	c.V(amd64.VPSADBW, w, x, d, x) // the sums of 8 bytes
	if t.Bank() != isa.Bank64 {
		// Those of 4 are what the lower half has, and the rest.
		y := c.Vec()
		c.V(amd64.VPSLLQ, w, d, d, amd64.Imm(32))
		c.V(amd64.VPXORD, w, y, y, y)
		c.V(amd64.VPSADBW, w, d, d, y)
		c.V(amd64.VPSUBD, w, x, x, d)
		c.V(amd64.VPSLLQ, w, x, x, amd64.Imm(32))
		c.V(amd64.VPORD, w, x, x, d)
	}
	c.Result(in, t, x)
}

// bitReverse turns the halves of each byte round, and then the bytes.
func bitReverse(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, true)
	d, x := c.Vec(), c.Vec()
	lookup(c, w, d, x, a, nibbleUpper, nibbleLower)
	c.V(amd64.VPORD, w, d, d, x)
	if n := t.Bytes(); n > 1 {
		order := make([]byte, 16)
		for i := range order {
			e := i &^ (x86.ElementBits(t)/8 - 1) // where the element begins
			order[i] = byte(e + n - 1 - (i - e))
			if i-e >= n {
				order[i] = 0x80 // zero
			}
		}
		c.V(amd64.VPSHUFB, w, d, d, repeated(c, order, w))
	}
	c.Result(in, t, d)
}

// bitInsert takes the bits [c, c+d) from b. Shifts by the width or more give 0.
func bitInsert(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b, at, n := c.Load(in.A, t, true), c.Load(in.B, t, true), c.Load(in.C, t, true), c.Load(in.D, t, true)
	d, x := c.Vec(), c.Vec()
	lowOnes(c, d, n, t)
	c.V(x86.OpShlV.Of(t), w, d, d, at)
	c.V(x86.OpShlV.Of(t), w, x, b, at)
	c.V(x86.OpTernary.Of(t), w, d, x, a, amd64.Imm(x86.TernarySelect))
	c.Result(in, t, d)
}

// lowOnes makes numbers of n ones.
func lowOnes(c *x86.Compiler, d, n amd64.Vec, t isa.Type) {
	w := c.Width(t)
	c.V(x86.OpSpread.Of(t), w, d, c.Number(t, 1))
	c.V(x86.OpShlV.Of(t), w, d, d, n)
	c.V(x86.OpAdd.Of(t), w, d, d, c.Splat(t, 1<<32-1, 1<<64-1))
}

// bitExtractU takes the bits [b, b+c) of a.
func bitExtractU(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, at, n := c.Load(in.A, t, true), c.Load(in.B, t, true), c.Load(in.C, t, true)
	d, x := c.Vec(), c.Vec()
	lowOnes(c, x, n, t)
	c.V(x86.OpShrUV.Of(t), w, d, a, at)
	c.V(x86.OpAnd.Of(t), w, d, d, x)
	c.Result(in, t, d)
}

// bitExtractS is bitExtractU with a sign. Bits above the number are zeros, and a sign
// that is one of those.
func bitExtractS(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, at, n := c.Load(in.A, t, true), c.Load(in.B, t, true), c.Load(in.C, t, true)
	d, x := c.Vec(), c.Vec()
	width := uint64(x86.ElementBits(t))
	c.V(x86.OpShrUV.Of(t), w, d, a, at)
	c.V(x86.OpMinU.Of(t), w, x, n, c.Splat(t, uint32(width), width))
	c.V(x86.OpXor.Of(t), w, x, x, c.Splat(t, 1<<32-1, 1<<64-1))
	c.V(x86.OpAdd.Of(t), w, x, x, c.Splat(t, uint32(width+1), width+1)) // width - n
	c.V(x86.OpShlV.Of(t), w, d, d, x)
	c.V(x86.OpShrSV.Of(t), w, d, d, x)
	c.Result(in, t, d)
}

// mulHi64 multiplies halves of 32 bits. For signed numbers, what the signs add is
// subtracted.
func mulHi64(c *x86.Compiler, in *isa.Inst) {
	const w = amd64.Z
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
	c.V(amd64.VPANDQ, w, low, x, c.Const64(1<<32-1).Bcast())
	c.V(amd64.VPADDQ, w, y, y, low)
	c.V(amd64.VPSRLQ, w, x, x, amd64.Imm(32))
	c.V(amd64.VPSRLQ, w, y, y, amd64.Imm(32))
	c.V(amd64.VPADDQ, w, d, d, x)
	c.V(amd64.VPADDQ, w, d, d, y)
	if in.Op == isa.OpMulHiS {
		c.V(amd64.VPMOVQ2M, w, x86.MaskTemp, a)
		c.V(amd64.VPSUBQ, w, d, d, b, amd64.Merge(x86.MaskTemp))
		c.V(amd64.VPMOVQ2M, w, x86.MaskTemp, b)
		c.V(amd64.VPSUBQ, w, d, d, a, amd64.Merge(x86.MaskTemp))
	}
	c.Result(in, isa.I64, d)
}
