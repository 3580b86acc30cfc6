package native

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Operations with a constant that are cheaper than the general ones.

// multiply emits a product.
func (c *compiler) multiply(in *isa.Inst) { c.result(in, in.Type, c.product(in)) }

// product returns a*b. Where one of them is a constant next to a power of two, it is shifted, which takes a
// tenth of the time.
func (c *compiler) product(in *isa.Inst) amd64.Vec {
	t, w := in.Type, c.width(in.Type)
	x, by := in.A, in.B
	n, ok := c.constant(by)
	if !ok {
		x, by = by, x
		n, ok = c.constant(by)
	}
	n = n << (64 - t.Bits()) >> (64 - t.Bits())
	power := func(n uint64) bool { return n != 0 && n&(n-1) == 0 }
	if !ok || !power(n) && !power(n-1) && !power(n+1) {
		a, b := c.both(in, true, true)
		d := c.vec()
		c.V(opMul.of(t), w, d, a, b)
		return d
	}
	a := c.load(x, t, true)
	d := c.vec()
	switch {
	case power(n):
		c.V(opShl.of(t), w, d, a, amd64.Imm(bits.TrailingZeros64(n)))
	case power(n - 1):
		c.V(opShl.of(t), w, d, a, amd64.Imm(bits.TrailingZeros64(n-1)))
		c.V(opAdd.of(t), w, d, d, a)
	default:
		c.V(opShl.of(t), w, d, a, amd64.Imm(bits.TrailingZeros64(n+1)))
		c.V(opSub.of(t), w, d, d, a)
	}
	return d
}

// fdiv emits a quotient. Where the divisor is a power of two, so is its reciprocal, and the product
// with that is the same number.
func (c *compiler) fdiv(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	n, ok := c.constant(in.B)
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
	a := c.load(in.A, t, false)
	d := c.vec()
	c.V(opFMul.of(t), w, d, a, c.floatSplat(t, 1/v))
	c.resultFloat(in, d)
}

var quotient = float(opFDiv, false)
