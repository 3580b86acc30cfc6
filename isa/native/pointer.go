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

// ptrAdd moves pointers. What an offset cannot hold becomes [memory.FarOffset].
func (c *compiler) ptrAdd(in *isa.Inst) {
	w := c.width(isa.I64)
	a := c.load(in.A, isa.I64, true)
	d, x, _ := c.movedOffset(in, a)
	c.offsetOf(x, d)
	c.set.unequal(c, d, x, 1<<64+memory.FarOffset)
	const offset = 1<<offsetBits - 1
	c.V(amd64.VPANDQ, w, d, d, c.splat(isa.I64, 0, offset))
	c.V(amd64.VPANDQ, w, x, a, c.splat(isa.I64, 0, 1<<64-1-offset))
	c.V(amd64.VPORQ, w, d, d, x)
	c.result(in, isa.I64, d)
}
