package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Elements of 8 and 16 bits fill 32 bits in a vector register, the upper ones of which are zero. Most of
// their arithmetic is that of 32 bits on another view of the operands.

// narrowArithmetic is the family of moves, arithmetic and comparisons on elements of 8 and 16
// bits.
func narrowArithmetic(_ amd64.Features, in *isa.Inst) emitter { return findNarrow(narrowEmitters, in) }

// findNarrow returns the emitter of an instruction on elements of 8 and 16 bits: a set's own, or that of
// both.
func findNarrow(own map[isa.Op]emitter, in *isa.Inst) emitter {
	if in.Op.Info().Shape == isa.ShapeConvert || !narrow(in.Type) {
		return nil
	}
	if e := own[in.Op]; e != nil {
		return e
	}
	return narrowShared[in.Op]
}

// as emits an instruction that looks at its operands in a certain way.
func as(v view, e emitter) emitter {
	return func(c *compiler, in *isa.Inst) {
		c.view = v
		e(c, in)
		c.view = viewZero
	}
}

// narrowShared is what the families of both instruction sets return, by opcode.
var narrowShared = map[isa.Op]emitter{
	isa.OpMov:  (*compiler).mov,
	isa.OpFNeg: (*compiler).halfNeg,
	isa.OpFAbs: (*compiler).halfAbs,

	isa.OpAdd:  as(viewCut, integer(opAdd, true)),
	isa.OpSub:  as(viewCut, integer(opSub, false)),
	isa.OpMad:  as(viewCut, (*compiler).mad),
	isa.OpMinS: as(viewUpper, integer(opMinS, true)),
	isa.OpMaxS: as(viewUpper, integer(opMaxS, true)),
	isa.OpMinU: integer(opMinU, true),
	isa.OpMaxU: integer(opMaxU, true),
	isa.OpAnd:  integer(opAnd, true),
	isa.OpOr:   integer(opOr, true),
	isa.OpXor:  integer(opXor, true),
	isa.OpNeg:  as(viewCut, (*compiler).neg),
	isa.OpAbs:  as(viewUpper, (*compiler).abs),
	isa.OpShl:  as(viewCut, narrowShift(opShl, opShlV)),
	isa.OpShrU: narrowShift(opShrU, opShrUV),
	isa.OpShrS: as(viewSigned, narrowShift(opShrS, opShrSV)),
	isa.OpRotl: as(viewCut, (*compiler).narrowRotl),

	isa.OpMulHiS:   as(viewSigned, (*compiler).narrowMulHi),
	isa.OpMulHiU:   as(viewCut, (*compiler).narrowMulHi),
	isa.OpSubSatU:  (*compiler).subSatU,
	isa.OpHAddS:    as(viewSigned, halfAdd(opAnd, opShrS, opAdd)),
	isa.OpHAddU:    halfAdd(opAnd, opShrU, opAdd),
	isa.OpRHAddS:   as(viewSigned, halfAdd(opOr, opShrS, opSub)),
	isa.OpRHAddU:   halfAdd(opOr, opShrU, opSub),
	isa.OpAbsDiffS: as(viewUpper, difference(opMaxS, opMinS)),
	isa.OpAbsDiffU: difference(opMaxU, opMinU),

	isa.OpBitReverse:  (*compiler).bitReverse,
	isa.OpBitExtractS: as(viewCut, (*compiler).bitExtractS),
	isa.OpBitExtractU: (*compiler).bitExtractU,
}

// narrowEmitters is what [narrowArithmetic] returns besides, by opcode.
var narrowEmitters = map[isa.Op]emitter{
	isa.OpSelect:   (*compiler).selection,
	isa.OpCopySign: (*compiler).halfCopySign,

	isa.OpMul: as(viewCut, (*compiler).multiply),
	isa.OpNot: as(viewCut, (*compiler).not),

	isa.OpAddSatS:  as(viewUpper, (*compiler).addSatS),
	isa.OpAddSatU:  as(viewUpper, (*compiler).addSatU),
	isa.OpSubSatS:  as(viewUpper, (*compiler).subSatS),
	isa.OpClz:      (*compiler).narrowClz,
	isa.OpCtz:      (*compiler).narrowCtz,
	isa.OpPopCount: (*compiler).popCount,

	isa.OpBitInsert: as(viewCut, (*compiler).bitInsert),

	isa.OpEq:  compare(opCmpU, intEqual),
	isa.OpNe:  compare(opCmpU, intNotEqual),
	isa.OpLtS: as(viewUpper, compare(opCmpS, intLess)),
	isa.OpLeS: as(viewUpper, compare(opCmpS, intLessEqual)),
	isa.OpLtU: compare(opCmpU, intLess),
	isa.OpLeU: compare(opCmpU, intLessEqual),
}

// narrowShift shifts by an amount modulo the width, which is seen zero-extended.
func narrowShift(fixed, variable pair) emitter {
	return func(c *compiler, in *isa.Inst) {
		t, w := in.Type, c.width(in.Type)
		a := c.load(in.A, t, true)
		most := uint64(t.Bits() - 1)
		d := c.vec()
		if n, ok := c.constant(in.B); ok {
			c.V(fixed.of(t), w, d, a, amd64.Imm(n&most))
		} else {
			b := c.load(in.B, t, true)
			c.V(amd64.VPANDD, w, d, b, c.splat(isa.I32, uint32(most), 0))
			c.V(variable.of(t), w, d, a, d)
		}
		c.result(in, t, d)
	}
}

// narrowRotl shifts two copies of the number.
func (c *compiler) narrowRotl(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d, n := c.vec(), c.vec()
	c.V(amd64.VPANDD, w, n, b, c.splat(isa.I32, uint32(t.Bits()-1), 0))
	c.V(amd64.VPSLLD, w, d, a, amd64.Imm(t.Bits()))
	c.V(amd64.VPORD, w, d, d, a)
	c.V(amd64.VPSLLVD, w, d, d, n)
	c.V(amd64.VPSRLD, w, d, d, amd64.Imm(t.Bits()))
	c.result(in, t, d)
}

// narrowMulHi takes the upper half of a product, which 32 bits hold.
func (c *compiler) narrowMulHi(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d := c.vec()
	c.V(amd64.VPMULLD, w, d, a, b)
	c.V(amd64.VPSRLD, w, d, d, amd64.Imm(t.Bits()))
	c.result(in, t, d)
}

// narrowClz leaves out the zeros above the number.
func (c *compiler) narrowClz(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d := c.vec()
	c.V(amd64.VPLZCNTD, w, d, a)
	c.V(amd64.VPSUBD, w, d, d, c.splat(isa.I32, uint32(32-t.Bits()), 0))
	c.result(in, t, d)
}

// narrowCtz finds the one above the number if there is none in it.
func (c *compiler) narrowCtz(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d, x := c.vec(), c.vec()
	c.V(amd64.VPORD, w, x, a, c.splat(isa.I32, 1<<t.Bits(), 0))
	c.V(amd64.VPADDD, w, d, x, c.splat(isa.I32, 1<<32-1, 0))
	c.V(amd64.VPANDND, w, d, x, d)
	c.V(amd64.VPLZCNTD, w, d, d)
	c.V(amd64.VPBROADCASTD, w, x, c.Const32(32))
	c.V(amd64.VPSUBD, w, d, x, d)
	c.result(in, t, d)
}

// halfNeg changes the sign of a half.
func (c *compiler) halfNeg(in *isa.Inst) {
	d, w := c.vec(), c.width(in.Type)
	c.V(amd64.VPXORD, w, d, c.load(in.A, in.Type, true), c.splat(isa.I32, 1<<15, 0))
	c.result(in, in.Type, d)
}

// halfAbs clears the sign of a half.
func (c *compiler) halfAbs(in *isa.Inst) {
	d, w := c.vec(), c.width(in.Type)
	c.V(amd64.VPANDD, w, d, c.load(in.A, in.Type, true), c.splat(isa.I32, 1<<15-1, 0))
	c.result(in, in.Type, d)
}

// halfCopySign takes the sign of the second half.
func (c *compiler) halfCopySign(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d := c.vec()
	c.V(amd64.VPBROADCASTD, w, d, c.Const32(1<<15))
	c.V(amd64.VPTERNLOGD, w, d, b, a, amd64.Imm(ternarySelect))
	c.result(in, t, d)
}
