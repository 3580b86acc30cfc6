package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// floatAtomic is an atomic operation on floats that computes.
type floatAtomic struct {
	op   isa.AtomicOp
	t    isa.Type
	x, y amd64.Vec // two registers of its own
}

// floatAtomicOf returns what an atomic instruction computes with floats, or nil if it computes nothing, or
// with integers.
func floatAtomicOf(c *x86.Compiler, in *isa.Inst) *floatAtomic {
	switch op := isa.AtomicOp(in.Imm2); op {
	case isa.AtomicFAdd, isa.AtomicFMin, isa.AtomicFMax:
		t := isa.F32
		if in.Type.Bits() == 64 {
			t = isa.F64
		}
		return &floatAtomic{op, t, c.Vec(), c.Vec()}
	}
	return nil
}

// update makes of a value what memory holds afterwards that held old. Both are bits; of NaNs that it makes,
// they are the canonical one's. It changes flags.
func (f *floatAtomic) update(c *x86.Compiler, value, old amd64.Reg) {
	size, move, compare, add := amd64.B32, amd64.VMOVD, amd64.VUCOMISS, amd64.VADDSS
	if f.t == isa.F64 {
		size, move, compare, add = amd64.B64, amd64.VMOVQ, amd64.VUCOMISD, amd64.VADDSD
	}
	c.V(move, amd64.X, f.x, old)
	c.V(move, amd64.X, f.y, value)
	done := c.NewLabel()
	if f.op == isa.AtomicFAdd {
		c.V(add, amd64.X, f.x, f.x, f.y)
		c.V(move, amd64.X, value, f.x)
		c.V(compare, amd64.X, f.x, f.x)
		c.Jcc(amd64.ParityOdd, done)
		c.G(amd64.MOV, size, value, amd64.Imm(x86.CanonicalNaN(f.t)))
		c.Bind(done)
		return
	}
	// Zeros of either sign are equal, and the negative one is the lesser.
	beyond, both := amd64.Above, amd64.OR
	if f.op == isa.AtomicFMax {
		beyond, both = amd64.Below, amd64.AND
	}
	unordered, keep := c.NewLabel(), c.NewLabel()
	c.V(compare, amd64.X, f.x, f.y)
	c.Jcc(amd64.ParityEven, unordered)
	c.Jcc(beyond, done)
	c.Jcc(amd64.NotEqual, keep)
	c.G(both, size, value, old)
	c.Jmp(done)
	c.Bind(unordered) // a number goes before a NaN
	c.V(compare, amd64.X, f.y, f.y)
	c.Jcc(amd64.ParityOdd, done)
	c.V(compare, amd64.X, f.x, f.x)
	c.Jcc(amd64.ParityOdd, keep)
	c.G(amd64.MOV, size, value, amd64.Imm(x86.CanonicalNaN(f.t)))
	c.Jmp(done)
	c.Bind(keep)
	c.G(amd64.MOV, size, value, old)
	c.Bind(done)
}
