package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// arithmetic2 is [arithmetic] for AVX2, without what works on booleans only.
func arithmetic2(_ amd64.Features, in *isa.Inst) emitter {
	if !wideOrBool(in.Type) || in.Type == isa.B1 {
		return nil
	}
	if e := arithmeticEmitters2[in.Op]; e != nil {
		return e
	}
	if in.Type.Bank() == isa.Bank64 {
		return longEmitters2[in.Op]
	}
	return intEmitters2[in.Op]
}

// arithmeticEmitters2 has what works on elements of both sizes.
var arithmeticEmitters2 = map[isa.Op]emitter{
	isa.OpMov:    (*compiler).mov,
	isa.OpSelect: (*compiler).selection2,

	isa.OpAdd:      integer(opAdd, true),
	isa.OpSub:      integer(opSub, false),
	isa.OpAnd:      integer(opAnd, true),
	isa.OpOr:       integer(opOr, true),
	isa.OpXor:      integer(opXor, true),
	isa.OpNot:      (*compiler).not2,
	isa.OpNeg:      (*compiler).neg,
	isa.OpShl:      shift(opShl, opShlV),
	isa.OpShrU:     shift(opShrU, opShrUV),
	isa.OpRotl:     (*compiler).rotate2,
	isa.OpAddSatS:  (*compiler).addSatS2,
	isa.OpSubSatS:  (*compiler).subSatS2,
	isa.OpHAddU:    halfAdd(opAnd, opShrU, opAdd),
	isa.OpRHAddU:   halfAdd(opOr, opShrU, opSub),
	isa.OpClz:      (*compiler).clz2,
	isa.OpCtz:      (*compiler).ctz2,
	isa.OpPopCount: (*compiler).popCount2,

	isa.OpBitReverse:  (*compiler).bitReverse,
	isa.OpBitInsert:   (*compiler).bitInsert2,
	isa.OpBitExtractU: (*compiler).bitExtractU,

	isa.OpEq:  compare2(opEqual2, false, false),
	isa.OpNe:  compare2(opEqual2, false, true),
	isa.OpLtS: compare2(opMore2, true, false),
	isa.OpLeS: compare2(opMore2, false, true),
	isa.OpLtU: below2(true, false),
	isa.OpLeU: below2(false, true),

	isa.OpFAdd:     float(opFAdd, true),
	isa.OpFSub:     float(opFSub, false),
	isa.OpFMul:     float(opFMul, true),
	isa.OpFDiv:     float(opFDiv, false),
	isa.OpFMulAdd:  (*compiler).fmulAdd,
	isa.OpFma:      (*compiler).fma,
	isa.OpFNeg:     (*compiler).fneg,
	isa.OpFAbs:     (*compiler).fabs,
	isa.OpCopySign: (*compiler).copySign2,
	isa.OpFMin:     minMax2(opFMin, opOr),
	isa.OpFMax:     minMax2(opFMax, opAnd),
	isa.OpSqrt:     (*compiler).sqrt,
	isa.OpFloor:    rounding2(roundDown),
	isa.OpCeil:     rounding2(roundUp),
	isa.OpTrunc:    rounding2(roundZero),
	isa.OpRint:     rounding2(roundNearest),
	isa.OpRound:    (*compiler).roundAway2,

	isa.OpFOEq: compareFloat2(cmpEqual),
	isa.OpFONe: compareFloat2(cmpNotEqual),
	isa.OpFOLt: compareFloat2(cmpLess),
	isa.OpFOLe: compareFloat2(cmpLessEqual),
	isa.OpFUEq: compareFloat2(cmpEqualU),
	isa.OpFUNe: compareFloat2(cmpNotEqualU),
	isa.OpFULt: compareFloat2(cmpNotGreaterEqU),
	isa.OpFULe: compareFloat2(cmpNotGreaterU),
	isa.OpFOrd: compareFloat2(cmpOrdered),
	isa.OpFUno: compareFloat2(cmpUnordered),
}

// intEmitters2 has what works on elements of 32 bits.
var intEmitters2 = map[isa.Op]emitter{
	isa.OpMul:      integer(opMul, true),
	isa.OpMad:      (*compiler).mad,
	isa.OpMulHiS:   mulHi2(amd64.VPMULDQ),
	isa.OpMulHiU:   mulHi2(amd64.VPMULUDQ),
	isa.OpMinS:     integer(opMinS, true),
	isa.OpMaxS:     integer(opMaxS, true),
	isa.OpMinU:     integer(opMinU, true),
	isa.OpMaxU:     integer(opMaxU, true),
	isa.OpAbs:      (*compiler).abs,
	isa.OpShrS:     shift(opShrS, opShrSV),
	isa.OpAddSatU:  (*compiler).addSatU2,
	isa.OpSubSatU:  (*compiler).subSatU,
	isa.OpHAddS:    halfAdd(opAnd, opShrS, opAdd),
	isa.OpRHAddS:   halfAdd(opOr, opShrS, opSub),
	isa.OpAbsDiffS: difference(opMaxS, opMinS),
	isa.OpAbsDiffU: difference(opMaxU, opMinU),

	isa.OpBitExtractS: (*compiler).bitExtractS,
}

// longEmitters2 has what works on elements of 64 bits.
var longEmitters2 = map[isa.Op]emitter{
	isa.OpMul:      (*compiler).mulLong2,
	isa.OpMad:      (*compiler).madLong2,
	isa.OpMinS:     chooseLong2(true, false),
	isa.OpMaxS:     chooseLong2(true, true),
	isa.OpMinU:     chooseLong2(false, false),
	isa.OpMaxU:     chooseLong2(false, true),
	isa.OpAbs:      (*compiler).absLong2,
	isa.OpShrS:     (*compiler).shrLong2,
	isa.OpAddSatU:  (*compiler).addSatULong2,
	isa.OpSubSatU:  (*compiler).subSatULong2,
	isa.OpHAddS:    halfAddLong2(opAnd, opAdd),
	isa.OpRHAddS:   halfAddLong2(opOr, opSub),
	isa.OpAbsDiffS: differenceLong2(true),
	isa.OpAbsDiffU: differenceLong2(false),
	isa.OpMulHiS:   (*compiler).mulHiLong2,
	isa.OpMulHiU:   (*compiler).mulHiLong2,

	isa.OpBitExtractS: (*compiler).bitExtractLong2,
}

func (c *compiler) selection2(in *isa.Inst) {
	t := in.Type
	k, yes, no := c.truth(in.A, t), c.load(in.B, t, true), c.load(in.C, t, true)
	d := c.vec()
	c.V(opSelect2.of(t), c.width(t), d, no, yes, k)
	c.result(in, t, d)
}

func (c *compiler) not2(in *isa.Inst) {
	a := c.load(in.A, in.Type, true)
	d := c.vec()
	c.complement(in.Type, d, a)
	c.result(in, in.Type, d)
}

// compare2 emits an instruction that compares two registers, the other way round if flip is set, and the
// opposite of its result if not is set.
func compare2(op pair, flip, not bool) emitter {
	return func(c *compiler, in *isa.Inst) {
		t := in.Type
		a, b := c.load(in.A, t, true), c.load(in.B, t, true)
		if flip {
			a, b = b, a
		}
		d := c.vec()
		c.V(op.of(t), c.width(t), d, a, b)
		if not {
			c.complement(t, d, d)
		}
		c.resultTruth(in, t, d)
	}
}

// below2 is compare2 for unsigned numbers.
func below2(flip, not bool) emitter {
	return func(c *compiler, in *isa.Inst) {
		t := in.Type
		a, b := c.load(in.A, t, true), c.load(in.B, t, true)
		if flip {
			a, b = b, a
		}
		d := c.vec()
		if not && t.Bank() == isa.Bank32 {
			c.V(amd64.VPMINUD, c.width(t), d, a, b)
			c.V(amd64.VPCMPEQD, c.width(t), d, d, a)
		} else {
			c.above(t, d, a, b)
			if not {
				c.complement(t, d, d)
			}
		}
		c.resultTruth(in, t, d)
	}
}

// above sets d, which is neither a nor b, where a is more than b as an unsigned number: the signs turned
// round, they compare like signed ones.
func (c *compiler) above(t isa.Type, d, a, b amd64.Vec) {
	w := c.width(t)
	c.V(opXor.of(t), w, vecTemp, a, c.sign(t))
	c.V(opXor.of(t), w, d, b, c.sign(t))
	c.V(opMore2.of(t), w, d, vecTemp, d)
}

func (c *compiler) rotate2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	size := uint64(t.Bits())
	if n, ok := c.constant(in.B); ok {
		d := c.vec()
		n &= size - 1
		if n == 0 {
			c.V(opCopy.of(t), w, d, a)
		} else {
			c.V(opShl.of(t), w, vecTemp, a, amd64.Imm(n))
			c.V(opShrU.of(t), w, d, a, amd64.Imm(size-n))
			c.V(opOr.of(t), w, d, d, vecTemp)
		}
		c.result(in, t, d)
		return
	}
	b := c.load(in.B, t, true)
	d, x := c.vec(), c.vec()
	c.V(opAnd.of(t), w, d, b, c.splat(t, uint32(size-1), size-1))
	c.V(opShlV.of(t), w, x, a, d)
	c.V(opSpread.of(t), w, vecTemp, c.number(t, size))
	c.V(opSub.of(t), w, d, vecTemp, d)
	c.V(opShrUV.of(t), w, d, a, d) // by the whole width: 0
	c.V(opOr.of(t), w, d, d, x)
	c.result(in, t, d)
}

func (c *compiler) addSatS2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d, x := c.vec(), c.vec()
	c.V(opAdd.of(t), w, d, a, b)
	c.V(opXor.of(t), w, x, a, d)
	c.V(opXor.of(t), w, vecTemp, b, d)
	c.saturate2(in, a, d, x)
}

func (c *compiler) subSatS2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d, x := c.vec(), c.vec()
	c.V(opSub.of(t), w, d, a, b)
	c.V(opXor.of(t), w, x, a, b)
	c.V(opXor.of(t), w, vecTemp, a, d)
	c.saturate2(in, a, d, x)
}

// saturate2 replaces d by the limit of the sign of a where x and vecTemp are both negative.
func (c *compiler) saturate2(in *isa.Inst, a, d, x amd64.Vec) {
	t, w := in.Type, c.width(in.Type)
	c.V(opAnd.of(t), w, x, x, vecTemp)
	c.negative(t, vecTemp, a)
	c.V(opXor.of(t), w, vecTemp, vecTemp, c.splat(t, 1<<31-1, 1<<63-1))
	c.V(opSelect2.of(t), w, d, d, vecTemp, x)
	c.result(in, t, d)
}

// negative fills d, which is not x, with the sign of x.
func (c *compiler) negative(t isa.Type, d, x amd64.Vec) {
	w := c.width(t)
	if t.Bank() != isa.Bank64 {
		c.V(amd64.VPSRAD, w, d, x, amd64.Imm(31))
		return
	}
	c.V(amd64.VPXORQ, w, d, d, d)
	c.V(amd64.VPCMPGTQ, w, d, d, x)
}

// addSatU2 adds no more than there is room for.
func (c *compiler) addSatU2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a, b := c.load(in.A, t, true), c.load(in.B, t, true)
	d := c.vec()
	c.complement(t, d, a)
	c.V(opMinU.of(t), w, d, d, b)
	c.V(opAdd.of(t), w, d, d, a)
	c.result(in, t, d)
}

func (c *compiler) addSatULong2(in *isa.Inst) {
	a, b := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true)
	d, x := c.vec(), c.vec()
	c.V(amd64.VPADDQ, amd64.Y, x, a, b)
	c.above(isa.I64, d, a, x)
	c.V(amd64.VPORQ, amd64.Y, d, d, x)
	c.result(in, isa.I64, d)
}

func (c *compiler) subSatULong2(in *isa.Inst) {
	a, b := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true)
	d, x := c.vec(), c.vec()
	c.above(isa.I64, d, a, b)
	c.V(amd64.VPSUBQ, amd64.Y, x, a, b)
	c.V(amd64.VPANDQ, amd64.Y, d, d, x)
	c.result(in, isa.I64, d)
}

// mulHi2 multiplies the even and the odd elements of 32 bits to products of 64.
func mulHi2(op amd64.Op) emitter {
	return func(c *compiler, in *isa.Inst) {
		w := c.width(isa.I32)
		a, b := c.load(in.A, isa.I32, true), c.load(in.B, isa.I32, true)
		d, x := c.vec(), c.vec()
		c.V(op, w, d, a, b)
		c.V(amd64.VPSRLQ, w, d, d, amd64.Imm(32))
		c.V(amd64.VPSRLQ, w, x, a, amd64.Imm(32))
		c.V(amd64.VPSRLQ, w, vecTemp, b, amd64.Imm(32))
		c.V(op, w, x, x, vecTemp)
		c.V(amd64.VPBLENDD, w, d, d, x, amd64.Imm(0xaa))
		c.result(in, isa.I32, d)
	}
}

// productLong puts the lower half of the product into d, which is neither a nor b.
func (c *compiler) productLong(d, a, b amd64.Vec) {
	// Each half of one times the other half of the other: their sum counts 2³².
	c.V(amd64.VPSHUFD, amd64.Y, d, b, amd64.Imm(0xb1))
	c.V(amd64.VPMULLD, amd64.Y, d, d, a)
	c.V(amd64.VPSRLQ, amd64.Y, vecTemp, d, amd64.Imm(32))
	c.V(amd64.VPADDQ, amd64.Y, d, d, vecTemp)
	c.V(amd64.VPSLLQ, amd64.Y, d, d, amd64.Imm(32))
	c.V(amd64.VPMULUDQ, amd64.Y, vecTemp, a, b)
	c.V(amd64.VPADDQ, amd64.Y, d, d, vecTemp)
}

func (c *compiler) mulLong2(in *isa.Inst) {
	a, b := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true)
	d := c.vec()
	c.productLong(d, a, b)
	c.result(in, isa.I64, d)
}

func (c *compiler) madLong2(in *isa.Inst) {
	a, b, add := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true), c.load(in.C, isa.I64, true)
	d := c.vec()
	c.productLong(d, a, b)
	c.V(amd64.VPADDQ, amd64.Y, d, d, add)
	c.result(in, isa.I64, d)
}

// more sets d, which is neither a nor b, where a is more than b.
func (c *compiler) more(t isa.Type, signed bool, d, a, b amd64.Vec) {
	if signed {
		c.V(opMore2.of(t), c.width(t), d, a, b)
	} else {
		c.above(t, d, a, b)
	}
}

// chooseLong2 is the greater or the lesser of two elements of 64 bits.
func chooseLong2(signed, greater bool) emitter {
	return func(c *compiler, in *isa.Inst) {
		a, b := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true)
		d := c.vec()
		c.more(isa.I64, signed, d, a, b)
		if greater {
			a, b = b, a
		}
		c.V(amd64.VBLENDVPD, amd64.Y, d, a, b, d)
		c.result(in, isa.I64, d)
	}
}

func differenceLong2(signed bool) emitter {
	return func(c *compiler, in *isa.Inst) {
		a, b := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true)
		d, x := c.vec(), c.vec()
		c.more(isa.I64, signed, d, a, b)
		c.V(amd64.VPSUBQ, amd64.Y, x, b, a)
		c.V(amd64.VPSUBQ, amd64.Y, vecTemp, a, b)
		c.V(amd64.VBLENDVPD, amd64.Y, d, x, vecTemp, d)
		c.result(in, isa.I64, d)
	}
}

func (c *compiler) absLong2(in *isa.Inst) {
	a := c.load(in.A, isa.I64, true)
	d := c.vec()
	c.negative(isa.I64, vecTemp, a)
	c.V(amd64.VPXORQ, amd64.Y, d, a, vecTemp)
	c.V(amd64.VPSUBQ, amd64.Y, d, d, vecTemp)
	c.result(in, isa.I64, d)
}

func (c *compiler) shrLong2(in *isa.Inst) {
	a := c.load(in.A, isa.I64, true)
	if n, ok := c.constant(in.B); ok {
		d := c.vec()
		if n &= 63; n == 63 {
			c.negative(isa.I64, d, a)
		} else {
			c.sarLong(d, a, n)
		}
		c.result(in, isa.I64, d)
		return
	}
	b := c.load(in.B, isa.I64, true)
	d, x := c.vec(), c.vec()
	c.V(amd64.VPANDQ, amd64.Y, x, b, c.Splat64(amd64.Y, 63))
	c.sarLongBy(d, a, x)
	c.result(in, isa.I64, d)
}

// sarLongBy is sarLong by the elements of n. d may be a.
func (c *compiler) sarLongBy(d, a, n amd64.Vec) {
	c.V(amd64.VPSRLVQ, amd64.Y, d, a, n)
	c.V(amd64.VPBROADCASTQ, amd64.Y, vecTemp, c.Const64(1<<63))
	c.V(amd64.VPSRLVQ, amd64.Y, vecTemp, vecTemp, n)
	c.V(amd64.VPXORQ, amd64.Y, d, d, vecTemp)
	c.V(amd64.VPSUBQ, amd64.Y, d, d, vecTemp)
}

// halfAddLong2 is halfAdd for signed elements of 64 bits.
func halfAddLong2(shared, sum pair) emitter {
	return func(c *compiler, in *isa.Inst) {
		a, b := c.load(in.A, isa.I64, true), c.load(in.B, isa.I64, true)
		d, x := c.vec(), c.vec()
		c.V(shared.of(isa.I64), amd64.Y, d, a, b)
		c.V(amd64.VPXORQ, amd64.Y, x, a, b)
		c.sarLong(x, x, 1)
		c.V(sum.of(isa.I64), amd64.Y, d, d, x)
		c.result(in, isa.I64, d)
	}
}

func (c *compiler) clz2(in *isa.Inst) {
	t := in.Type
	a := c.load(in.A, t, true)
	d := c.vec()
	c.leadingZeros(t, d, a)
	c.result(in, t, d)
}

// leadingZeros counts them by the exponent of the number as a float. d may be a.
func (c *compiler) leadingZeros(t isa.Type, d, a amd64.Vec) {
	w := c.width(t)
	// Without the second of two ones, the number is not rounded up to the next power of two.
	c.V(amd64.VPSRLD, w, vecTemp, a, amd64.Imm(1))
	c.V(amd64.VPANDND, w, d, vecTemp, a)
	c.V(amd64.VCVTDQ2PS, w, d, d)
	c.V(amd64.VPSRLD, w, d, d, amd64.Imm(23)) // more than 255 if the number is negative
	c.V(amd64.VPBROADCASTD, w, vecTemp, c.Const32(127+31))
	c.V(amd64.VPSUBUSW, w, d, vecTemp, d)
	c.V(amd64.VPMINSD, w, d, d, c.Splat32(w, 32))
	if t.Bank() == isa.Bank64 {
		// Those of the lower half count where the upper half has nothing else.
		c.V(amd64.VPCMPEQD, w, vecTemp, d, c.Splat32(w, 32))
		c.V(amd64.VPSRLQ, w, vecTemp, vecTemp, amd64.Imm(32))
		c.V(amd64.VPANDQ, w, vecTemp, vecTemp, d)
		c.V(amd64.VPSRLQ, w, d, d, amd64.Imm(32))
		c.V(amd64.VPADDQ, w, d, d, vecTemp)
	}
}

// ctz2 counts the ones of ~a & (a-1): the zeros below the lowest one of a.
func (c *compiler) ctz2(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	a := c.load(in.A, t, true)
	d, x := c.vec(), c.vec()
	c.V(opAdd.of(t), w, d, a, c.splat(t, 1<<32-1, 1<<64-1))
	c.V(opAndNot.of(t), w, d, a, d)
	c.ones(t, d, x)
	c.result(in, t, d)
}

func (c *compiler) popCount2(in *isa.Inst) {
	t := in.Type
	a := c.load(in.A, t, true)
	d, x := c.vec(), c.vec()
	c.V(opCopy.of(t), c.width(t), d, a)
	c.ones(t, d, x)
	c.result(in, t, d)
}

// ones replaces the elements of d by the number of their ones: those of each four bits come from
// a table. x is free.
func (c *compiler) ones(t isa.Type, d, x amd64.Vec) {
	w := c.width(t)
	c.lookup(w, d, x, d, nibbleOnes, nibbleOnes)
	c.V(amd64.VPADDB, w, d, d, x)
	if t.Bank() == isa.Bank64 {
		c.V(amd64.VPXORD, w, x, x, x)
		c.V(amd64.VPSADBW, w, d, d, x)
		return
	}
	c.V(amd64.VPSRLW, w, x, d, amd64.Imm(8))
	c.V(amd64.VPADDB, w, d, d, x)
	c.V(amd64.VPANDD, w, d, d, c.Splat32(w, 0x00ff00ff))
	c.V(amd64.VPMADDWD, w, d, d, c.Splat32(w, 0x00010001))
}
