package emitters

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// Operations with a constant that are cheaper than the general ones.

// multiply emits a product.
func multiply(c *x86.Compiler, in *isa.Inst) { c.Result(in, in.Type, product(c, in)) }

// product returns a*b. Where one of them is a constant next to a power of two, it is shifted, which takes a
// tenth of the time.
func product(c *x86.Compiler, in *isa.Inst) amd64.Vec {
	t, w := in.Type, c.Width(in.Type)
	x, by := in.A, in.B
	n, ok := c.Constant(by)
	if !ok {
		x, by = by, x
		n, ok = c.Constant(by)
	}
	n = n << (64 - t.Bits()) >> (64 - t.Bits())
	power := func(n uint64) bool { return n != 0 && n&(n-1) == 0 }
	if !ok || !power(n) && !power(n-1) && !power(n+1) {
		a, b := c.Both(in, true, true)
		d := c.Vec()
		c.V(x86.OpMul.Of(t), w, d, a, b)
		return d
	}
	a := c.Load(x, t, true)
	d := c.Vec()
	switch {
	case power(n):
		c.V(x86.OpShl.Of(t), w, d, a, amd64.Imm(bits.TrailingZeros64(n)))
	case power(n - 1):
		c.V(x86.OpShl.Of(t), w, d, a, amd64.Imm(bits.TrailingZeros64(n-1)))
		c.V(x86.OpAdd.Of(t), w, d, d, a)
	default:
		c.V(x86.OpShl.Of(t), w, d, a, amd64.Imm(bits.TrailingZeros64(n+1)))
		c.V(x86.OpSub.Of(t), w, d, d, a)
	}
	return d
}

// fdiv emits a quotient. Where the divisor is a power of two, so is its reciprocal, and the product
// with that is the same number.
func fdiv(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	n, ok := c.Constant(in.B)
	v := math.Float64frombits(n)
	least, most := 0x1p-1022, 0x1p1022
	if t == isa.F32 {
		v, least, most = float64(math.Float32frombits(uint32(n))), 0x1p-126, 0x1p126
	}
	magnitude := math.Abs(v)
	if fraction, _ := math.Frexp(magnitude); !ok || fraction != 0.5 || magnitude < least || magnitude > most {
		quotient(c, in)
		return
	}
	a := c.Load(in.A, t, false)
	d := c.Vec()
	c.V(x86.OpFMul.Of(t), w, d, a, c.FloatSplat(t, 1/v))
	c.ResultFloat(in, d)
}

var quotient = float(x86.OpFDiv, false)
