package native

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// splat returns a constant, for all lanes, of the width of a type: v for 32
// bits, w for 64.
func (c *compiler) splat(t isa.Type, v uint32, w uint64) amd64.Mem {
	if t.Bank() != isa.Bank64 {
		return c.splat32(c.width(t), v)
	}
	return c.splat64(c.width(t), w)
}

// splat64 is splat32 for 64 bits.
func (c *compiler) splat64(w amd64.Width, v uint64) amd64.Mem {
	if c.set.broadcasts() {
		return c.Const64(v).Bcast()
	}
	return c.Splat64(w, v)
}

// splat32 returns a constant of 32 bits, as often as a register of width w holds it.
func (c *compiler) splat32(w amd64.Width, v uint32) amd64.Mem {
	if c.set.broadcasts() {
		return c.Const32(v).Bcast()
	}
	return c.Splat32(w, v)
}

// number returns memory that holds an element once.
func (c *compiler) number(t isa.Type, v uint64) amd64.Mem {
	if t.Bank() == isa.Bank64 {
		return c.Const64(v)
	}
	return c.Const32(uint32(v))
}

// both returns two operands, the first in a register; for a commutative operation a
// scalar is the second.
func (c *compiler) both(in *isa.Inst, commutes, bits bool) (amd64.Vec, amd64.Operand) {
	a, b := in.A, in.B
	if commutes && a.IsScalar() {
		a, b = b, a
	}
	x := c.load(a, in.Type, bits)
	return x, c.operand(b, in.Type, bits)
}

// floatSplat returns a number, to be broadcast.
func (c *compiler) floatSplat(t isa.Type, v float64) amd64.Mem {
	return c.splat(t, math.Float32bits(float32(v)), math.Float64bits(v))
}

// sign returns the sign bit of each element.
func (c *compiler) sign(t isa.Type) amd64.Mem { return c.splat(t, 1<<31, 1<<63) }

func canonicalNaN(t isa.Type) uint64 {
	if t == isa.F64 {
		return 0x7ff8000000000000
	}
	return 0x7fc00000
}
