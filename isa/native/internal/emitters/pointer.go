package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/memory"
)

// pointers is the family of arithmetic on pointers in vector registers, of both sets.
func pointers(_ amd64.Features, in *isa.Inst) x86.Emitter {
	switch in.Op {
	case isa.OpPtrAdd:
		return ptrAdd
	case isa.OpPtrDiff:
		return ptrDiff
	}
	return nil
}

// ptrDiff subtracts pointers, as [memory.Pointer.Minus] does.
func ptrDiff(c *x86.Compiler, in *isa.Inst) {
	a, b := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true)
	d, x, w := c.Vec(), c.Vec(), c.Width(isa.I64)
	sign := c.Splat(isa.I64, 0, 1<<(x86.OffsetBits-1))
	c.V(amd64.VPXORQ, w, d, a, sign)
	c.V(amd64.VPXORQ, w, x, b, sign)
	c.V(amd64.VPSUBQ, w, d, d, x)
	c.Result(in, isa.I64, d)
}

// tagMask has the bits of a pointer that are not its offset.
const tagMask = 1<<64 - 1<<x86.OffsetBits

// ptrAdd moves pointers. What an offset cannot hold becomes [memory.FarOffset].
func ptrAdd(c *x86.Compiler, in *isa.Inst) {
	a := c.Load(in.A, isa.I64, true)
	if in.Idx == isa.IdxNone {
		c.Result(in, isa.I64, step(c, a, int64(in.Disp)))
		return
	}
	d, x, _ := c.MovedOffset(in, a)
	c.OffsetOf(x, d)
	c.ISA.Unequal(c, d, x, farOffset)
	c.ISA.Tag(c, d, a, tagMask)
	c.Result(in, isa.I64, d)
}

// farOffset is [memory.FarOffset] in 64 bits.
const farOffset = 1<<64 + memory.FarOffset

// step returns pointers moved by a number of bytes. Offsets are compared as the upper bits of a register, with those
// that have a place for the step moved to the lower end of all numbers.
func step(c *x86.Compiler, p amd64.Vec, by int64) amd64.Vec {
	const unit = 64 - x86.OffsetBits
	w := c.Width(isa.I64)
	d, x := c.Vec(), c.Vec()
	first, last := max(memory.FarOffset+1, memory.FarOffset-by), min(memory.MaxOffset, memory.MaxOffset-by)
	c.V(amd64.VPADDQ, w, d, p, c.Splat(isa.I64, 0, uint64(by)))
	c.V(amd64.VPSLLQ, w, x, p, amd64.Imm(unit))
	c.V(amd64.VPADDQ, w, x, x, c.Splat(isa.I64, 0, 1<<63-uint64(first)<<unit))
	c.ISA.Above(c, d, x, 1<<63+uint64(last-first)<<unit, farOffset)
	c.ISA.Tag(c, d, p, tagMask)
	return d
}
