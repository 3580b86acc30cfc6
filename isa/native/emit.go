package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// arithmetic is the family of moves, arithmetic and comparisons on elements of 32 and 64 bits
// and on booleans.
func arithmetic(_ amd64.Features, in *isa.Inst) emitter {
	if !wideOrBool(in.Type) {
		return nil
	}
	if cmp, ok := comparisons[in.Op]; ok {
		return compare(cmp.op, cmp.predicate)
	}
	return arithmeticEmitters[in.Op]
}

// arithmeticEmitters is what [arithmetic] returns, by opcode.
var arithmeticEmitters = map[isa.Op]emitter{
	isa.OpMov:    (*compiler).mov,
	isa.OpSelect: (*compiler).selection,

	isa.OpAdd:  integer(opAdd, true),
	isa.OpSub:  integer(opSub, false),
	isa.OpMul:  (*compiler).multiply,
	isa.OpMinS: integer(opMinS, true),
	isa.OpMaxS: integer(opMaxS, true),
	isa.OpMinU: integer(opMinU, true),
	isa.OpMaxU: integer(opMaxU, true),
	isa.OpMad:  (*compiler).mad,
	isa.OpAnd:  logic(opAnd, amd64.KANDW),
	isa.OpOr:   logic(opOr, amd64.KORW),
	isa.OpXor:  logic(opXor, amd64.KXORW),
	isa.OpNot:  (*compiler).not,
	isa.OpNeg:  (*compiler).neg,
	isa.OpAbs:  (*compiler).abs,
	isa.OpShl:  shift(opShl, opShlV),
	isa.OpShrU: shift(opShrU, opShrUV),
	isa.OpShrS: shift(opShrS, opShrSV),
	isa.OpRotl: shift(opRotl, opRotlV),

	isa.OpMulHiS:   mulHi(amd64.VPMULDQ),
	isa.OpMulHiU:   mulHi(amd64.VPMULUDQ),
	isa.OpAddSatS:  (*compiler).addSatS,
	isa.OpAddSatU:  (*compiler).addSatU,
	isa.OpSubSatS:  (*compiler).subSatS,
	isa.OpSubSatU:  (*compiler).subSatU,
	isa.OpHAddS:    halfAdd(opAnd, opShrS, opAdd),
	isa.OpHAddU:    halfAdd(opAnd, opShrU, opAdd),
	isa.OpRHAddS:   halfAdd(opOr, opShrS, opSub),
	isa.OpRHAddU:   halfAdd(opOr, opShrU, opSub),
	isa.OpAbsDiffS: difference(opMaxS, opMinS),
	isa.OpAbsDiffU: difference(opMaxU, opMinU),
	isa.OpClz:      (*compiler).clz,
	isa.OpCtz:      (*compiler).ctz,
	isa.OpPopCount: (*compiler).popCount,

	isa.OpBitReverse:  (*compiler).bitReverse,
	isa.OpBitInsert:   (*compiler).bitInsert,
	isa.OpBitExtractS: (*compiler).bitExtractS,
	isa.OpBitExtractU: (*compiler).bitExtractU,

	isa.OpFAdd:     float(opFAdd, true),
	isa.OpFSub:     float(opFSub, false),
	isa.OpFMul:     float(opFMul, true),
	isa.OpFDiv:     (*compiler).fdiv,
	isa.OpFRem:     (*compiler).remainder,
	isa.OpFMod:     (*compiler).remainder,
	isa.OpFMulAdd:  (*compiler).fmulAdd,
	isa.OpFma:      (*compiler).fma,
	isa.OpFNeg:     (*compiler).fneg,
	isa.OpFAbs:     (*compiler).fabs,
	isa.OpCopySign: (*compiler).copySign,
	isa.OpFMin:     minMax(rangeMin),
	isa.OpFMax:     minMax(rangeMax),
	isa.OpSqrt:     (*compiler).sqrt,
	isa.OpFloor:    rounding(roundDown),
	isa.OpCeil:     rounding(roundUp),
	isa.OpTrunc:    rounding(roundZero),
	isa.OpRint:     rounding(roundNearest),
	isa.OpRound:    (*compiler).roundAway,
}

func integer(op pair, commutes bool) emitter {
	return func(c *compiler, in *isa.Inst) {
		a, b := c.both(in, commutes, true)
		d := c.vec()
		c.V(op.of(in.Type), c.width(in.Type), d, a, b)
		c.result(in, in.Type, d)
	}
}

func logic(op pair, mask amd64.Op) emitter {
	words := integer(op, true)
	return func(c *compiler, in *isa.Inst) {
		if in.Type != isa.B1 {
			words(c, in)
			return
		}
		a, b := c.boolean(in.A), c.boolean(in.B)
		k := c.mask()
		c.V(mask, amd64.X, k, a, b)
		c.resultMask(in, k)
	}
}

func (c *compiler) mov(in *isa.Inst) {
	switch {
	case in.Type == isa.B1:
		a := c.boolean(in.A)
		k := c.mask()
		c.V(amd64.KMOVW, amd64.X, k, a)
		c.resultMask(in, k)
	case in.A.IsScalar():
		c.result(in, in.Type, c.load(in.A, in.Type, true))
	default:
		a := c.load(in.A, in.Type, true)
		d := c.vec()
		c.V(opCopy.of(in.Type), c.width(in.Type), d, a)
		c.result(in, in.Type, d)
	}
}

func (c *compiler) selection(in *isa.Inst) {
	k := c.boolean(in.A)
	if in.Type == isa.B1 {
		c.chooseMask(in, k)
		return
	}
	no, yes := c.load(in.C, in.Type, true), c.operand(in.B, in.Type, true)
	d := c.vec()
	c.V(opBlend.of(in.Type), c.width(in.Type), d, no, yes, amd64.Merge(k))
	c.result(in, in.Type, d)
}

func (c *compiler) mad(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	d, add := c.product(in), c.operand(in.C, t, true)
	c.V(opAdd.of(t), w, d, d, add)
	c.result(in, t, d)
}

func (c *compiler) not(in *isa.Inst) {
	if in.Type == isa.B1 {
		a := c.boolean(in.A)
		k := c.mask()
		c.V(amd64.KNOTW, amd64.X, k, a)
		c.resultMask(in, k)
		return
	}
	a := c.load(in.A, in.Type, true)
	d := c.vec()
	c.V(opTernary.of(in.Type), c.width(in.Type), d, a, a, amd64.Imm(ternaryNot))
	c.result(in, in.Type, d)
}

func (c *compiler) neg(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.operand(in.A, t, true)
	d := c.vec()
	c.V(opXor.of(t), w, d, d, d)
	c.V(opSub.of(t), w, d, d, a)
	c.result(in, t, d)
}

// unary emits a single instruction of one integer operand.
func (c *compiler) unary(in *isa.Inst, op pair) {
	a := c.operand(in.A, in.Type, true)
	d := c.vec()
	c.V(op.of(in.Type), c.width(in.Type), d, a)
	c.result(in, in.Type, d)
}

func (c *compiler) abs(in *isa.Inst) { c.unary(in, opAbs) }
func (c *compiler) clz(in *isa.Inst) { c.unary(in, opClz) }

// ctz counts the ones of ~a & (a-1): the zeros below the lowest one of a.
func (c *compiler) ctz(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d, x := c.vec(), c.vec()
	c.V(opAdd.of(t), w, d, a, c.splat(t, 1<<32-1, 1<<64-1))
	c.V(opAndNot.of(t), w, d, a, d)
	c.V(opClz.of(t), w, d, d)
	c.V(opSpread.of(t), w, x, c.number(t, uint64(t.Bits())))
	c.V(opSub.of(t), w, d, x, d)
	c.result(in, t, d)
}

func shift(fixed, variable pair) emitter {
	return func(c *compiler, in *isa.Inst) {
		t, w := in.Type, c.width(in.Type)
		a := c.load(in.A, t, true)
		most := uint64(t.Bits() - 1)
		if n, ok := c.constant(in.B); ok {
			d := c.vec()
			c.V(fixed.of(t), w, d, a, amd64.Imm(n&most))
			c.result(in, t, d)
			return
		}
		b := c.load(in.B, t, true)
		d := c.vec()
		c.V(opAnd.of(t), w, d, b, c.splat(t, uint32(most), most))
		c.V(variable.of(t), w, d, a, d)
		c.result(in, t, d)
	}
}

// mulHi multiplies the even and the odd elements of 32 bits to products of 64.
func mulHi(op amd64.Op) emitter {
	return func(c *compiler, in *isa.Inst) {
		if in.Type == isa.I64 {
			c.mulHi64(in)
			return
		}
		w := c.width(isa.I32)
		a, b := c.load(in.A, isa.I32, true), c.load(in.B, isa.I32, true)
		d, x, y := c.vec(), c.vec(), c.vec()
		c.V(op, w, d, a, b)
		c.V(amd64.VPSRLQ, w, d, d, amd64.Imm(32))
		c.V(amd64.VPSRLQ, w, x, a, amd64.Imm(32))
		c.V(amd64.VPSRLQ, w, y, b, amd64.Imm(32))
		c.V(op, w, x, x, y)
		c.V(amd64.VPTERNLOGQ, w, d, x, c.Const64(0xffffffff00000000).Bcast(), amd64.Imm(ternaryMix))
		c.result(in, isa.I32, d)
	}
}

func (c *compiler) addSatS(in *isa.Inst) {
	t := in.Type
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d, x, y := c.vec(), c.vec(), c.vec()
	w := c.width(t)
	c.V(opAdd.of(t), w, d, a, b)
	c.V(opXor.of(t), w, x, a, d)
	c.V(opXor.of(t), w, y, b, d)
	c.saturate(in, a, d, x, y)
}

func (c *compiler) subSatS(in *isa.Inst) {
	t := in.Type
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d, x, y := c.vec(), c.vec(), c.vec()
	w := c.width(t)
	c.V(opSub.of(t), w, d, a, b)
	c.V(opXor.of(t), w, x, a, b)
	c.V(opXor.of(t), w, y, a, d)
	c.saturate(in, a, d, x, y)
}

// saturate replaces d by the limit of the sign of a where x and y are both negative.
func (c *compiler) saturate(in *isa.Inst, a, d, x, y amd64.Vec) {
	t, w := in.Type, c.width(in.Type)
	c.V(opAnd.of(t), w, x, x, y)
	c.V(opSigns.of(t), w, maskTemp, x)
	c.V(opShrS.of(t), w, x, a, amd64.Imm(elementBits(t)-1))
	c.V(opXor.of(t), w, d, x, c.splat(t, 1<<31-1, 1<<63-1), amd64.Merge(maskTemp))
	c.result(in, t, d)
}

func (c *compiler) addSatU(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.both(in, true, true)
	d := c.vec()
	c.V(opAdd.of(t), w, d, a, b)
	c.V(opCmpU.of(t), w, maskTemp, d, a, amd64.Imm(intLess))
	c.V(opTernary.of(t), w, d, d, d, amd64.Imm(ternaryOnes), amd64.Merge(maskTemp))
	c.result(in, t, d)
}

func (c *compiler) subSatU(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.both(in, false, true)
	d := c.vec()
	c.V(opMaxU.of(t), w, d, a, b)
	c.V(opSub.of(t), w, d, d, b)
	c.result(in, t, d)
}

// halfAdd is the average: what both operands share, and half of where they differ.
func halfAdd(shared, half, sum pair) emitter {
	return func(c *compiler, in *isa.Inst) {
		t, w := in.Type, c.width(in.Type)
		a, b := c.both(in, true, true)
		d, x := c.vec(), c.vec()
		c.V(shared.of(t), w, d, a, b)
		c.V(opXor.of(t), w, x, a, b)
		c.V(half.of(t), w, x, x, amd64.Imm(1))
		c.V(sum.of(t), w, d, d, x)
		c.result(in, t, d)
	}
}

func difference(most, least pair) emitter {
	return func(c *compiler, in *isa.Inst) {
		t, w := in.Type, c.width(in.Type)
		a, b := c.both(in, true, true)
		d, x := c.vec(), c.vec()
		c.V(most.of(t), w, d, a, b)
		c.V(least.of(t), w, x, a, b)
		c.V(opSub.of(t), w, d, d, x)
		c.result(in, t, d)
	}
}

func compare(op pair, predicate amd64.Imm) emitter {
	return func(c *compiler, in *isa.Inst) {
		if in.Type == isa.B1 {
			a, b := c.boolean(in.A), c.boolean(in.B)
			k := c.mask()
			if in.Op == isa.OpEq {
				c.V(amd64.KXNORW, amd64.X, k, a, b)
			} else {
				c.V(amd64.KXORW, amd64.X, k, a, b)
			}
			c.resultMask(in, k)
			return
		}
		c.resultMask(in, c.comparison(in, comparison{op, predicate}, false, nil))
	}
}
