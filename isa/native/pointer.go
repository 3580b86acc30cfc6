package native

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/memory"
)

// pointers is the family of arithmetic on pointers in vector registers, of both sets.
func pointers(_ amd64.Features, in *isa.Inst) emitter {
	switch in.Op {
	case isa.OpPtrAdd:
		return (*compiler).ptrAdd
	case isa.OpPtrDiff:
		return (*compiler).ptrDiff
	}
	return nil
}

// offsetOf gives d the offsets of pointers.
func (c *compiler) offsetOf(d, p amd64.Vec) {
	const tag = 64 - offsetBits
	c.V(amd64.VPSLLQ, c.width(isa.I64), d, p, amd64.Imm(tag))
	c.set.sarLong(c, d, d, tag)
}

// movedOffset returns the offsets that an instruction's pointers, index and displacement lead to, and two
// registers to work with. One that has more than offsetBits may be another such number. So is that of a
// pointer that is far already; an access can do without where index and displacement cannot lead back to 0.
func (c *compiler) movedOffset(in *isa.Inst, p amd64.Vec) (d, x, y amd64.Vec) {
	w := c.width(isa.I64)
	d, x, y = c.vec(), c.vec(), c.vec()
	c.offsetOf(d, p)
	if in.Idx != isa.IdxNone {
		c.moves(in, x, y)
		c.V(amd64.VPADDQ, w, d, d, x)
	}
	if in.Disp != 0 {
		c.V(amd64.VPADDQ, w, d, d, c.splat(isa.I64, 0, uint64(int64(in.Disp))))
	}
	if in.Op == isa.OpPtrAdd || in.Idx == isa.Idx64 || in.Idx != isa.IdxNone && in.Scale >= 1<<(offsetBits-1-32) {
		c.V(amd64.VPSLLQ, w, x, p, amd64.Imm(64-offsetBits))
		c.set.exchange(c, d, x, 1<<63, tooFar)
	}
	return d, x, y
}

// ptrDiff subtracts pointers, as [memory.Pointer.Minus] does.
func (c *compiler) ptrDiff(in *isa.Inst) {
	a, b := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true)
	d, x, w := c.vec(), c.vec(), c.width(isa.I64)
	sign := c.splat(isa.I64, 0, 1<<(offsetBits-1))
	c.V(amd64.VPXORQ, w, d, a, sign)
	c.V(amd64.VPXORQ, w, x, b, sign)
	c.V(amd64.VPSUBQ, w, d, d, x)
	c.result(in, isa.I64, d)
}

// tagMask has the bits of a pointer that are not its offset.
const tagMask = 1<<64 - 1<<offsetBits

// ptrAdd moves pointers. What an offset cannot hold becomes [memory.FarOffset].
func (c *compiler) ptrAdd(in *isa.Inst) {
	a := c.load(in.A, isa.I64, true)
	if in.Idx == isa.IdxNone {
		c.result(in, isa.I64, c.step(a, int64(in.Disp)))
		return
	}
	d, x, _ := c.movedOffset(in, a)
	c.offsetOf(x, d)
	c.set.unequal(c, d, x, farOffset)
	c.set.tag(c, d, a, tagMask)
	c.result(in, isa.I64, d)
}

// farOffset is [memory.FarOffset] in 64 bits.
const farOffset = 1<<64 + memory.FarOffset

// step returns pointers moved by a number of bytes. Offsets are compared as the upper bits of a register, with those
// that have a place for the step moved to the lower end of all numbers.
func (c *compiler) step(p amd64.Vec, by int64) amd64.Vec {
	const unit = 64 - offsetBits
	w := c.width(isa.I64)
	d, x := c.vec(), c.vec()
	first, last := max(memory.FarOffset+1, memory.FarOffset-by), min(memory.MaxOffset, memory.MaxOffset-by)
	c.V(amd64.VPADDQ, w, d, p, c.splat(isa.I64, 0, uint64(by)))
	c.V(amd64.VPSLLQ, w, x, p, amd64.Imm(unit))
	c.V(amd64.VPADDQ, w, x, x, c.splat(isa.I64, 0, 1<<63-uint64(first)<<unit))
	c.set.above(c, d, x, 1<<63+uint64(last-first)<<unit, farOffset)
	c.set.tag(c, d, p, tagMask)
	return d
}

// tooFar is further than any sum of an offset, an index and a displacement that may be an offset.
const tooFar = 1 << 62

// moves gives x what the index adds to addresses, or what is as far from all offsets if 64 bits may not hold
// it. It changes y.
func (c *compiler) moves(in *isa.Inst, x, y amd64.Vec) {
	w, n := c.width(isa.I64), in.Scale
	i := c.load(in.B, in.Idx.Type(), true)
	switch in.Idx {
	case isa.IdxS32:
		c.V(amd64.VPMOVSXDQ, w, x, i)
		i = x
	case isa.IdxU32:
		c.V(amd64.VPMOVZXDQ, w, x, i)
		i = x
	}
	if wideProduct(in) {
		// No index that has more bits than these, and the sign, leads from one offset to another; with no
		// more, no product overflows.
		significant := offsetBits + 1 - (bits.Len32(n) - 1)
		c.V(amd64.VPSLLQ, w, y, i, amd64.Imm(63-significant))
		c.set.sarLong(c, y, y, uint64(63-significant))
		if i != x {
			c.V(amd64.VMOVDQA32, w, x, i)
			i = x
		}
		c.set.unequal(c, x, y, 1<<significant)
	}
	by := c.splat(isa.I64, 0, uint64(n))
	switch {
	case n == 0:
		c.V(amd64.VPXORQ, w, x, x, x)
	case n&(n-1) == 0:
		c.V(amd64.VPSLLQ, w, x, i, amd64.Imm(bits.TrailingZeros32(n)))
	case in.Idx == isa.IdxU32:
		c.V(amd64.VPMULUDQ, w, x, i, by)
	case in.Idx == isa.IdxS32 && n <= math.MaxInt32:
		c.V(amd64.VPMULDQ, w, x, i, by)
	default:
		c.V(amd64.VPSRLQ, w, y, i, amd64.Imm(32))
		c.V(amd64.VPMULUDQ, w, y, y, by)
		c.V(amd64.VPSLLQ, w, y, y, amd64.Imm(32))
		c.V(amd64.VPMULUDQ, w, x, i, by)
		c.V(amd64.VPADDQ, w, x, x, y)
	}
}
