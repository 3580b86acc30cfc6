package native

import (
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
