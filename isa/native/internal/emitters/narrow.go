package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// Elements of 8 and 16 bits fill 32 bits in a vector register, the upper ones of which are zero. Most of
// their arithmetic is that of 32 bits on another view of the operands.

// narrowArithmetic is the family of moves, arithmetic and comparisons on elements of 8 and 16
// bits.
func narrowArithmetic(_ amd64.Features, in *isa.Inst) x86.Emitter {
	return findNarrow(narrowEmitters, in)
}

// findNarrow returns the emitter of an instruction on elements of 8 and 16 bits: a set's own, or that of
// both.
func findNarrow(own map[isa.Op]x86.Emitter, in *isa.Inst) x86.Emitter {
	if in.Op.Info().Shape == isa.ShapeConvert || !x86.Narrow(in.Type) {
		return nil
	}
	if e := own[in.Op]; e != nil {
		return e
	}
	return narrowShared[in.Op]
}

// as emits an instruction that looks at its operands in a certain way.
func as(v x86.View, e x86.Emitter) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		c.View = v
		e(c, in)
		c.View = x86.ViewZero
	}
}

// narrowShared is what the families of both instruction sets return, by opcode.
var narrowShared = map[isa.Op]x86.Emitter{
	isa.OpMov:  mov,
	isa.OpFNeg: halfNeg,
	isa.OpFAbs: halfAbs,

	isa.OpAdd:  as(x86.ViewCut, integer(x86.OpAdd, true)),
	isa.OpSub:  as(x86.ViewCut, integer(x86.OpSub, false)),
	isa.OpMad:  as(x86.ViewCut, mad),
	isa.OpMinS: as(x86.ViewUpper, integer(x86.OpMinS, true)),
	isa.OpMaxS: as(x86.ViewUpper, integer(x86.OpMaxS, true)),
	isa.OpMinU: integer(x86.OpMinU, true),
	isa.OpMaxU: integer(x86.OpMaxU, true),
	isa.OpAnd:  integer(x86.OpAnd, true),
	isa.OpOr:   integer(x86.OpOr, true),
	isa.OpXor:  integer(x86.OpXor, true),
	isa.OpNeg:  as(x86.ViewCut, neg),
	isa.OpAbs:  as(x86.ViewUpper, abs),
	isa.OpShl:  as(x86.ViewCut, narrowShift(x86.OpShl, x86.OpShlV)),
	isa.OpShrU: narrowShift(x86.OpShrU, x86.OpShrUV),
	isa.OpShrS: as(x86.ViewSigned, narrowShift(x86.OpShrS, x86.OpShrSV)),
	isa.OpRotl: as(x86.ViewCut, narrowRotl),

	isa.OpMulHiS:   as(x86.ViewSigned, narrowMulHi),
	isa.OpMulHiU:   as(x86.ViewCut, narrowMulHi),
	isa.OpSubSatU:  subSatU,
	isa.OpHAddS:    as(x86.ViewSigned, halfAdd(x86.OpAnd, x86.OpShrS, x86.OpAdd)),
	isa.OpHAddU:    halfAdd(x86.OpAnd, x86.OpShrU, x86.OpAdd),
	isa.OpRHAddS:   as(x86.ViewSigned, halfAdd(x86.OpOr, x86.OpShrS, x86.OpSub)),
	isa.OpRHAddU:   halfAdd(x86.OpOr, x86.OpShrU, x86.OpSub),
	isa.OpAbsDiffS: as(x86.ViewUpper, difference(x86.OpMaxS, x86.OpMinS)),
	isa.OpAbsDiffU: difference(x86.OpMaxU, x86.OpMinU),

	isa.OpBitReverse:  bitReverse,
	isa.OpBitExtractS: as(x86.ViewCut, bitExtractS),
	isa.OpBitExtractU: bitExtractU,
}

// narrowEmitters is what [narrowArithmetic] returns besides, by opcode.
var narrowEmitters = map[isa.Op]x86.Emitter{
	isa.OpSelect:   selection,
	isa.OpCopySign: halfCopySign,

	isa.OpMul: as(x86.ViewCut, multiply),
	isa.OpNot: as(x86.ViewCut, not),

	isa.OpAddSatS:  as(x86.ViewUpper, addSatS),
	isa.OpAddSatU:  as(x86.ViewUpper, addSatU),
	isa.OpSubSatS:  as(x86.ViewUpper, subSatS),
	isa.OpClz:      narrowClz,
	isa.OpCtz:      narrowCtz,
	isa.OpPopCount: popCount,

	isa.OpBitInsert: as(x86.ViewCut, bitInsert),

	isa.OpEq:  compare(x86.OpCmpU, x86.IntEqual),
	isa.OpNe:  compare(x86.OpCmpU, x86.IntNotEqual),
	isa.OpLtS: as(x86.ViewUpper, compare(x86.OpCmpS, x86.IntLess)),
	isa.OpLeS: as(x86.ViewUpper, compare(x86.OpCmpS, x86.IntLessEqual)),
	isa.OpLtU: compare(x86.OpCmpU, x86.IntLess),
	isa.OpLeU: compare(x86.OpCmpU, x86.IntLessEqual),
}

// narrowShift shifts by an amount modulo the width, which is seen zero-extended.
func narrowShift(fixed, variable x86.Pair) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t, w := in.Type, c.Width(in.Type)
		a := c.Load(in.A, t, true)
		most := uint64(t.Bits() - 1)
		d := c.Vec()
		if n, ok := c.Constant(in.B); ok {
			c.V(fixed.Of(t), w, d, a, amd64.Imm(n&most))
		} else {
			b := c.Load(in.B, t, true)
			c.V(amd64.VPANDD, w, d, b, c.Splat(isa.I32, uint32(most), 0))
			c.V(variable.Of(t), w, d, a, d)
		}
		c.Result(in, t, d)
	}
}

// narrowRotl shifts two copies of the number.
func narrowRotl(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d, n := c.Vec(), c.Vec()
	c.V(amd64.VPANDD, w, n, b, c.Splat(isa.I32, uint32(t.Bits()-1), 0))
	c.V(amd64.VPSLLD, w, d, a, amd64.Imm(t.Bits()))
	c.V(amd64.VPORD, w, d, d, a)
	c.V(amd64.VPSLLVD, w, d, d, n)
	c.V(amd64.VPSRLD, w, d, d, amd64.Imm(t.Bits()))
	c.Result(in, t, d)
}

// narrowMulHi takes the upper half of a product, which 32 bits hold.
func narrowMulHi(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d := c.Vec()
	c.V(amd64.VPMULLD, w, d, a, b)
	c.V(amd64.VPSRLD, w, d, d, amd64.Imm(t.Bits()))
	c.Result(in, t, d)
}

// narrowClz leaves out the zeros above the number.
func narrowClz(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, true)
	d := c.Vec()
	c.V(amd64.VPLZCNTD, w, d, a)
	c.V(amd64.VPSUBD, w, d, d, c.Splat(isa.I32, uint32(32-t.Bits()), 0))
	c.Result(in, t, d)
}

// narrowCtz finds the one above the number if there is none in it.
func narrowCtz(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, true)
	d, x := c.Vec(), c.Vec()
	c.V(amd64.VPORD, w, x, a, c.Splat(isa.I32, 1<<t.Bits(), 0))
	c.V(amd64.VPADDD, w, d, x, c.Splat(isa.I32, 1<<32-1, 0))
	c.V(amd64.VPANDND, w, d, x, d)
	c.V(amd64.VPLZCNTD, w, d, d)
	c.V(amd64.VPBROADCASTD, w, x, c.Const32(32))
	c.V(amd64.VPSUBD, w, d, x, d)
	c.Result(in, t, d)
}

// halfNeg changes the sign of a half.
func halfNeg(c *x86.Compiler, in *isa.Inst) {
	d, w := c.Vec(), c.Width(in.Type)
	c.V(amd64.VPXORD, w, d, c.Load(in.A, in.Type, true), c.Splat(isa.I32, 1<<15, 0))
	c.Result(in, in.Type, d)
}

// halfAbs clears the sign of a half.
func halfAbs(c *x86.Compiler, in *isa.Inst) {
	d, w := c.Vec(), c.Width(in.Type)
	c.V(amd64.VPANDD, w, d, c.Load(in.A, in.Type, true), c.Splat(isa.I32, 1<<15-1, 0))
	c.Result(in, in.Type, d)
}

// halfCopySign takes the sign of the second half.
func halfCopySign(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d := c.Vec()
	c.V(amd64.VPBROADCASTD, w, d, c.Const32(1<<15))
	c.V(amd64.VPTERNLOGD, w, d, b, a, amd64.Imm(x86.TernarySelect))
	c.Result(in, t, d)
}
