package x86

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Splat returns a constant, for all lanes, of the width of a type: v for 32
// bits, w for 64.
func (c *Compiler) Splat(t isa.Type, v uint32, w uint64) amd64.Mem {
	if t.Bank() != isa.Bank64 {
		return c.Number32(c.Width(t), v)
	}
	return c.Number64(c.Width(t), w)
}

// Number64 is splat32 for 64 bits.
func (c *Compiler) Number64(w amd64.Width, v uint64) amd64.Mem {
	if c.ISA.Broadcasts() {
		return c.Const64(v).Bcast()
	}
	return c.Splat64(w, v)
}

// Number32 returns a constant of 32 bits, as often as a register of width w holds it.
func (c *Compiler) Number32(w amd64.Width, v uint32) amd64.Mem {
	if c.ISA.Broadcasts() {
		return c.Const32(v).Bcast()
	}
	return c.Splat32(w, v)
}

// Number returns memory that holds an element once.
func (c *Compiler) Number(t isa.Type, v uint64) amd64.Mem {
	if t.Bank() == isa.Bank64 {
		return c.Const64(v)
	}
	return c.Const32(uint32(v))
}

// Both returns two operands, the first in a register; for a commutative operation a
// scalar is the second.
func (c *Compiler) Both(in *isa.Inst, commutes, bits bool) (amd64.Vec, amd64.Operand) {
	a, b := in.A, in.B
	if commutes && a.IsScalar() {
		a, b = b, a
	}
	x := c.Load(a, in.Type, bits)
	return x, c.Operand(b, in.Type, bits)
}

// FloatSplat returns a number, to be broadcast.
func (c *Compiler) FloatSplat(t isa.Type, v float64) amd64.Mem {
	return c.Splat(t, math.Float32bits(float32(v)), math.Float64bits(v))
}

// Sign returns the sign bit of each element.
func (c *Compiler) Sign(t isa.Type) amd64.Mem { return c.Splat(t, 1<<31, 1<<63) }

// CanonicalNaN returns the bits of the NaN of a type that the bytecode has.
func CanonicalNaN(t isa.Type) uint64 {
	if t == isa.F64 {
		return 0x7ff8000000000000
	}
	return 0x7fc00000
}
