package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// narrow2 is [narrowArithmetic] for AVX2.
func narrow2(_ amd64.Features, in *isa.Inst) emitter {
	if in.Op.Info().Shape == isa.ShapeConvert || !narrow(in.Type) {
		return nil
	}
	return narrowEmitters2[in.Op]
}

// narrowEmitters2 is what [narrow2] returns, by opcode.
var narrowEmitters2 = map[isa.Op]emitter{
	isa.OpMov:      (*compiler).mov,
	isa.OpSelect:   (*compiler).selection2,
	isa.OpFNeg:     (*compiler).halfNeg,
	isa.OpFAbs:     (*compiler).halfAbs,
	isa.OpCopySign: (*compiler).halfCopySign2,

	isa.OpAdd:  as(viewCut, integer(opAdd, true)),
	isa.OpSub:  as(viewCut, integer(opSub, false)),
	isa.OpMul:  as(viewCut, integer(opMul, true)),
	isa.OpMad:  as(viewCut, (*compiler).mad),
	isa.OpMinS: as(viewUpper, integer(opMinS, true)),
	isa.OpMaxS: as(viewUpper, integer(opMaxS, true)),
	isa.OpMinU: integer(opMinU, true),
	isa.OpMaxU: integer(opMaxU, true),
	isa.OpAnd:  integer(opAnd, true),
	isa.OpOr:   integer(opOr, true),
	isa.OpXor:  integer(opXor, true),
	isa.OpNot:  as(viewCut, (*compiler).not2),
	isa.OpNeg:  as(viewCut, (*compiler).neg),
	isa.OpAbs:  as(viewUpper, (*compiler).abs),
	isa.OpShl:  as(viewCut, narrowShift(opShl, opShlV)),
	isa.OpShrU: narrowShift(opShrU, opShrUV),
	isa.OpShrS: as(viewSigned, narrowShift(opShrS, opShrSV)),
	isa.OpRotl: as(viewCut, (*compiler).narrowRotl),

	isa.OpMulHiS:   as(viewSigned, (*compiler).narrowMulHi),
	isa.OpMulHiU:   as(viewCut, (*compiler).narrowMulHi),
	isa.OpAddSatS:  as(viewUpper, (*compiler).addSatS2),
	isa.OpAddSatU:  as(viewUpper, (*compiler).addSatU2),
	isa.OpSubSatS:  as(viewUpper, (*compiler).subSatS2),
	isa.OpSubSatU:  (*compiler).subSatU,
	isa.OpHAddS:    as(viewSigned, halfAdd(opAnd, opShrS, opAdd)),
	isa.OpHAddU:    halfAdd(opAnd, opShrU, opAdd),
	isa.OpRHAddS:   as(viewSigned, halfAdd(opOr, opShrS, opSub)),
	isa.OpRHAddU:   halfAdd(opOr, opShrU, opSub),
	isa.OpAbsDiffS: as(viewUpper, difference(opMaxS, opMinS)),
	isa.OpAbsDiffU: difference(opMaxU, opMinU),
	isa.OpClz:      (*compiler).narrowClz2,
	isa.OpCtz:      (*compiler).narrowCtz2,
	isa.OpPopCount: (*compiler).popCount2,

	isa.OpBitReverse:  (*compiler).bitReverse,
	isa.OpBitInsert:   as(viewCut, (*compiler).bitInsert2),
	isa.OpBitExtractU: (*compiler).bitExtractU,
	isa.OpBitExtractS: as(viewCut, (*compiler).bitExtractS),

	// Zero-extended numbers compare like signed ones.
	isa.OpEq:  compare2(opEqual2, false, false),
	isa.OpNe:  compare2(opEqual2, false, true),
	isa.OpLtS: as(viewUpper, compare2(opMore2, true, false)),
	isa.OpLeS: as(viewUpper, compare2(opMore2, false, true)),
	isa.OpLtU: compare2(opMore2, true, false),
	isa.OpLeU: compare2(opMore2, false, true),
}

// narrowClz2 leaves out the zeros above the number.
func (c *compiler) narrowClz2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d := c.vec()
	c.leadingZeros(isa.I32, d, a)
	c.V(amd64.VPSUBD, w, d, d, c.Splat32(w, uint32(32-t.Bits())))
	c.result(in, t, d)
}

// narrowCtz2 finds the one above the number if there is none in it.
func (c *compiler) narrowCtz2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d, x := c.vec(), c.vec()
	c.V(amd64.VPORD, w, x, a, c.Splat32(w, 1<<t.Bits()))
	c.V(amd64.VPADDD, w, d, x, c.Splat32(w, 1<<32-1))
	c.V(amd64.VPANDND, w, d, x, d)
	c.ones(isa.I32, d, x)
	c.result(in, t, d)
}

// halfCopySign2 takes the sign of the second half.
func (c *compiler) halfCopySign2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d := c.vec()
	c.V(amd64.VPANDD, w, vecTemp, a, c.Splat32(w, 1<<15-1))
	c.V(amd64.VPANDD, w, d, b, c.Splat32(w, 1<<15))
	c.V(amd64.VPORD, w, d, d, vecTemp)
	c.result(in, t, d)
}
