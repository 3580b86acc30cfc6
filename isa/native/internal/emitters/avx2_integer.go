package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// arithmetic2 is [arithmetic] for AVX2, without what works on booleans only.
func arithmetic2(_ amd64.Features, in *isa.Inst) x86.Emitter {
	if !x86.WideOrBool(in.Type) || in.Type == isa.B1 {
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
var arithmeticEmitters2 = map[isa.Op]x86.Emitter{
	isa.OpMov:    mov,
	isa.OpSelect: selection2,

	isa.OpAdd:      integer(x86.OpAdd, true),
	isa.OpSub:      integer(x86.OpSub, false),
	isa.OpAnd:      integer(x86.OpAnd, true),
	isa.OpOr:       integer(x86.OpOr, true),
	isa.OpXor:      integer(x86.OpXor, true),
	isa.OpNot:      not2,
	isa.OpNeg:      neg,
	isa.OpShl:      shift(x86.OpShl, x86.OpShlV),
	isa.OpShrU:     shift(x86.OpShrU, x86.OpShrUV),
	isa.OpRotl:     rotate2,
	isa.OpAddSatS:  addSatS2,
	isa.OpSubSatS:  subSatS2,
	isa.OpHAddU:    halfAdd(x86.OpAnd, x86.OpShrU, x86.OpAdd),
	isa.OpRHAddU:   halfAdd(x86.OpOr, x86.OpShrU, x86.OpSub),
	isa.OpClz:      clz2,
	isa.OpCtz:      ctz2,
	isa.OpPopCount: popCount2,

	isa.OpBitReverse:  bitReverse,
	isa.OpBitInsert:   bitInsert2,
	isa.OpBitExtractU: bitExtractU,

	isa.OpEq:  compare2(x86.OpEqual2, false, false),
	isa.OpNe:  compare2(x86.OpEqual2, false, true),
	isa.OpLtS: compare2(x86.OpMore2, true, false),
	isa.OpLeS: compare2(x86.OpMore2, false, true),
	isa.OpLtU: below2(true, false),
	isa.OpLeU: below2(false, true),

	isa.OpFAdd:     float(x86.OpFAdd, true),
	isa.OpFSub:     float(x86.OpFSub, false),
	isa.OpFMul:     float(x86.OpFMul, true),
	isa.OpFDiv:     float(x86.OpFDiv, false),
	isa.OpFMulAdd:  fmulAdd,
	isa.OpFma:      fma,
	isa.OpFNeg:     fneg,
	isa.OpFAbs:     fabs,
	isa.OpCopySign: copySign2,
	isa.OpFMin:     minMax2(x86.OpFMin, x86.OpOr),
	isa.OpFMax:     minMax2(x86.OpFMax, x86.OpAnd),
	isa.OpSqrt:     sqrt,
	isa.OpFloor:    rounding2(x86.RoundDown),
	isa.OpCeil:     rounding2(x86.RoundUp),
	isa.OpTrunc:    rounding2(x86.RoundZero),
	isa.OpRint:     rounding2(x86.RoundNearest),
	isa.OpRound:    roundAway2,

	isa.OpFOEq: compareFloat2(x86.CmpEqual),
	isa.OpFONe: compareFloat2(x86.CmpNotEqual),
	isa.OpFOLt: compareFloat2(x86.CmpLess),
	isa.OpFOLe: compareFloat2(x86.CmpLessEqual),
	isa.OpFUEq: compareFloat2(x86.CmpEqualU),
	isa.OpFUNe: compareFloat2(x86.CmpNotEqualU),
	isa.OpFULt: compareFloat2(x86.CmpNotGreaterEqU),
	isa.OpFULe: compareFloat2(x86.CmpNotGreaterU),
	isa.OpFOrd: compareFloat2(x86.CmpOrdered),
	isa.OpFUno: compareFloat2(x86.CmpUnordered),
}

// intEmitters2 has what works on elements of 32 bits.
var intEmitters2 = map[isa.Op]x86.Emitter{
	isa.OpMul:      integer(x86.OpMul, true),
	isa.OpMad:      mad,
	isa.OpMulHiS:   mulHi2(amd64.VPMULDQ),
	isa.OpMulHiU:   mulHi2(amd64.VPMULUDQ),
	isa.OpMinS:     integer(x86.OpMinS, true),
	isa.OpMaxS:     integer(x86.OpMaxS, true),
	isa.OpMinU:     integer(x86.OpMinU, true),
	isa.OpMaxU:     integer(x86.OpMaxU, true),
	isa.OpAbs:      abs,
	isa.OpShrS:     shift(x86.OpShrS, x86.OpShrSV),
	isa.OpAddSatU:  addSatU2,
	isa.OpSubSatU:  subSatU,
	isa.OpHAddS:    halfAdd(x86.OpAnd, x86.OpShrS, x86.OpAdd),
	isa.OpRHAddS:   halfAdd(x86.OpOr, x86.OpShrS, x86.OpSub),
	isa.OpAbsDiffS: difference(x86.OpMaxS, x86.OpMinS),
	isa.OpAbsDiffU: difference(x86.OpMaxU, x86.OpMinU),

	isa.OpBitExtractS: bitExtractS,
}

// longEmitters2 has what works on elements of 64 bits.
var longEmitters2 = map[isa.Op]x86.Emitter{
	isa.OpMul:      mulLong2,
	isa.OpMad:      madLong2,
	isa.OpMinS:     chooseLong2(true, false),
	isa.OpMaxS:     chooseLong2(true, true),
	isa.OpMinU:     chooseLong2(false, false),
	isa.OpMaxU:     chooseLong2(false, true),
	isa.OpAbs:      absLong2,
	isa.OpShrS:     shrLong2,
	isa.OpAddSatU:  addSatULong2,
	isa.OpSubSatU:  subSatULong2,
	isa.OpHAddS:    halfAddLong2(x86.OpAnd, x86.OpAdd),
	isa.OpRHAddS:   halfAddLong2(x86.OpOr, x86.OpSub),
	isa.OpAbsDiffS: differenceLong2(true),
	isa.OpAbsDiffU: differenceLong2(false),
	isa.OpMulHiS:   mulHiLong2,
	isa.OpMulHiU:   mulHiLong2,

	isa.OpBitExtractS: bitExtractLong2,
}

func selection2(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	k, yes, no := c.Truth(in.A, t), c.Load(in.B, t, true), c.Load(in.C, t, true)
	d := c.Vec()
	c.V(x86.OpSelect2.Of(t), c.Width(t), d, no, yes, k)
	c.Result(in, t, d)
}

func not2(c *x86.Compiler, in *isa.Inst) {
	a := c.Load(in.A, in.Type, true)
	d := c.Vec()
	c.Complement(in.Type, d, a)
	c.Result(in, in.Type, d)
}

// compare2 emits an instruction that compares two registers, the other way round if flip is set, and the
// opposite of its result if not is set.
func compare2(op x86.Pair, flip, not bool) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t := in.Type
		a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
		if flip {
			a, b = b, a
		}
		d := c.Vec()
		c.V(op.Of(t), c.Width(t), d, a, b)
		if not {
			c.Complement(t, d, d)
		}
		c.ResultTruth(in, t, d)
	}
}

// below2 is compare2 for unsigned numbers.
func below2(flip, not bool) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t := in.Type
		a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
		if flip {
			a, b = b, a
		}
		d := c.Vec()
		if not && t.Bank() == isa.Bank32 {
			c.V(amd64.VPMINUD, c.Width(t), d, a, b)
			c.V(amd64.VPCMPEQD, c.Width(t), d, d, a)
		} else {
			above(c, t, d, a, b)
			if not {
				c.Complement(t, d, d)
			}
		}
		c.ResultTruth(in, t, d)
	}
}

// above sets d, which is neither a nor b, where a is more than b as an unsigned number: the signs turned
// round, they compare like signed ones.
func above(c *x86.Compiler, t isa.Type, d, a, b amd64.Vec) {
	w := c.Width(t)
	c.V(x86.OpXor.Of(t), w, x86.VecTemp, a, c.Sign(t))
	c.V(x86.OpXor.Of(t), w, d, b, c.Sign(t))
	c.V(x86.OpMore2.Of(t), w, d, x86.VecTemp, d)
}

func rotate2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, true)
	size := uint64(t.Bits())
	if n, ok := c.Constant(in.B); ok {
		d := c.Vec()
		n &= size - 1
		if n == 0 {
			c.V(x86.OpCopy.Of(t), w, d, a)
		} else {
			c.V(x86.OpShl.Of(t), w, x86.VecTemp, a, amd64.Imm(n))
			c.V(x86.OpShrU.Of(t), w, d, a, amd64.Imm(size-n))
			c.V(x86.OpOr.Of(t), w, d, d, x86.VecTemp)
		}
		c.Result(in, t, d)
		return
	}
	b := c.Load(in.B, t, true)
	d, x := c.Vec(), c.Vec()
	c.V(x86.OpAnd.Of(t), w, d, b, c.Splat(t, uint32(size-1), size-1))
	c.V(x86.OpShlV.Of(t), w, x, a, d)
	c.V(x86.OpSpread.Of(t), w, x86.VecTemp, c.Number(t, size))
	c.V(x86.OpSub.Of(t), w, d, x86.VecTemp, d)
	c.V(x86.OpShrUV.Of(t), w, d, a, d) // by the whole width: 0
	c.V(x86.OpOr.Of(t), w, d, d, x)
	c.Result(in, t, d)
}

func addSatS2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d, x := c.Vec(), c.Vec()
	c.V(x86.OpAdd.Of(t), w, d, a, b)
	c.V(x86.OpXor.Of(t), w, x, a, d)
	c.V(x86.OpXor.Of(t), w, x86.VecTemp, b, d)
	saturate2(c, in, a, d, x)
}

func subSatS2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d, x := c.Vec(), c.Vec()
	c.V(x86.OpSub.Of(t), w, d, a, b)
	c.V(x86.OpXor.Of(t), w, x, a, b)
	c.V(x86.OpXor.Of(t), w, x86.VecTemp, a, d)
	saturate2(c, in, a, d, x)
}

// saturate2 replaces d by the limit of the sign of a where x and VecTemp are both negative.
func saturate2(c *x86.Compiler, in *isa.Inst, a, d, x amd64.Vec) {
	t, w := in.Type, c.Width(in.Type)
	c.V(x86.OpAnd.Of(t), w, x, x, x86.VecTemp)
	negative(c, t, x86.VecTemp, a)
	c.V(x86.OpXor.Of(t), w, x86.VecTemp, x86.VecTemp, c.Splat(t, 1<<31-1, 1<<63-1))
	c.V(x86.OpSelect2.Of(t), w, d, d, x86.VecTemp, x)
	c.Result(in, t, d)
}

// negative fills d, which is not x, with the sign of x.
func negative(c *x86.Compiler, t isa.Type, d, x amd64.Vec) {
	w := c.Width(t)
	if t.Bank() != isa.Bank64 {
		c.V(amd64.VPSRAD, w, d, x, amd64.Imm(31))
		return
	}
	c.V(amd64.VPXORQ, w, d, d, d)
	c.V(amd64.VPCMPGTQ, w, d, d, x)
}

// addSatU2 adds no more than there is room for.
func addSatU2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d := c.Vec()
	c.Complement(t, d, a)
	c.V(x86.OpMinU.Of(t), w, d, d, b)
	c.V(x86.OpAdd.Of(t), w, d, d, a)
	c.Result(in, t, d)
}

func addSatULong2(c *x86.Compiler, in *isa.Inst) {
	a, b := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true)
	d, x := c.Vec(), c.Vec()
	c.V(amd64.VPADDQ, amd64.Y, x, a, b)
	above(c, isa.I64, d, a, x)
	c.V(amd64.VPORQ, amd64.Y, d, d, x)
	c.Result(in, isa.I64, d)
}

func subSatULong2(c *x86.Compiler, in *isa.Inst) {
	a, b := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true)
	d, x := c.Vec(), c.Vec()
	above(c, isa.I64, d, a, b)
	c.V(amd64.VPSUBQ, amd64.Y, x, a, b)
	c.V(amd64.VPANDQ, amd64.Y, d, d, x)
	c.Result(in, isa.I64, d)
}

// mulHi2 multiplies the even and the odd elements of 32 bits to products of 64.
func mulHi2(op amd64.Op) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		w := c.Width(isa.I32)
		a, b := c.Load(in.A, isa.I32, true), c.Load(in.B, isa.I32, true)
		d, x := c.Vec(), c.Vec()
		c.V(op, w, d, a, b)
		c.V(amd64.VPSRLQ, w, d, d, amd64.Imm(32))
		c.V(amd64.VPSRLQ, w, x, a, amd64.Imm(32))
		c.V(amd64.VPSRLQ, w, x86.VecTemp, b, amd64.Imm(32))
		c.V(op, w, x, x, x86.VecTemp)
		c.V(amd64.VPBLENDD, w, d, d, x, amd64.Imm(0xaa))
		c.Result(in, isa.I32, d)
	}
}

// productLong puts the lower half of the product into d, which is neither a nor b.
func productLong(c *x86.Compiler, d, a, b amd64.Vec) {
	// Each half of one times the other half of the other: their sum counts 2³².
	c.V(amd64.VPSHUFD, amd64.Y, d, b, amd64.Imm(0xb1))
	c.V(amd64.VPMULLD, amd64.Y, d, d, a)
	c.V(amd64.VPSRLQ, amd64.Y, x86.VecTemp, d, amd64.Imm(32))
	c.V(amd64.VPADDQ, amd64.Y, d, d, x86.VecTemp)
	c.V(amd64.VPSLLQ, amd64.Y, d, d, amd64.Imm(32))
	c.V(amd64.VPMULUDQ, amd64.Y, x86.VecTemp, a, b)
	c.V(amd64.VPADDQ, amd64.Y, d, d, x86.VecTemp)
}

func mulLong2(c *x86.Compiler, in *isa.Inst) {
	a, b := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true)
	d := c.Vec()
	productLong(c, d, a, b)
	c.Result(in, isa.I64, d)
}

func madLong2(c *x86.Compiler, in *isa.Inst) {
	a, b, add := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true), c.Load(in.C, isa.I64, true)
	d := c.Vec()
	productLong(c, d, a, b)
	c.V(amd64.VPADDQ, amd64.Y, d, d, add)
	c.Result(in, isa.I64, d)
}

// more sets d, which is neither a nor b, where a is more than b.
func more(c *x86.Compiler, t isa.Type, signed bool, d, a, b amd64.Vec) {
	if signed {
		c.V(x86.OpMore2.Of(t), c.Width(t), d, a, b)
	} else {
		above(c, t, d, a, b)
	}
}

// chooseLong2 is the greater or the lesser of two elements of 64 bits.
func chooseLong2(signed, greater bool) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		a, b := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true)
		d := c.Vec()
		more(c, isa.I64, signed, d, a, b)
		if greater {
			a, b = b, a
		}
		c.V(amd64.VBLENDVPD, amd64.Y, d, a, b, d)
		c.Result(in, isa.I64, d)
	}
}

func differenceLong2(signed bool) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		a, b := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true)
		d, x := c.Vec(), c.Vec()
		more(c, isa.I64, signed, d, a, b)
		c.V(amd64.VPSUBQ, amd64.Y, x, b, a)
		c.V(amd64.VPSUBQ, amd64.Y, x86.VecTemp, a, b)
		c.V(amd64.VBLENDVPD, amd64.Y, d, x, x86.VecTemp, d)
		c.Result(in, isa.I64, d)
	}
}

func absLong2(c *x86.Compiler, in *isa.Inst) {
	a := c.Load(in.A, isa.I64, true)
	d := c.Vec()
	negative(c, isa.I64, x86.VecTemp, a)
	c.V(amd64.VPXORQ, amd64.Y, d, a, x86.VecTemp)
	c.V(amd64.VPSUBQ, amd64.Y, d, d, x86.VecTemp)
	c.Result(in, isa.I64, d)
}

func shrLong2(c *x86.Compiler, in *isa.Inst) {
	a := c.Load(in.A, isa.I64, true)
	if n, ok := c.Constant(in.B); ok {
		d := c.Vec()
		if n &= 63; n == 63 {
			negative(c, isa.I64, d, a)
		} else {
			c.SarLong(d, a, n)
		}
		c.Result(in, isa.I64, d)
		return
	}
	b := c.Load(in.B, isa.I64, true)
	d, x := c.Vec(), c.Vec()
	c.V(amd64.VPANDQ, amd64.Y, x, b, c.Splat64(amd64.Y, 63))
	sarLongBy(c, d, a, x)
	c.Result(in, isa.I64, d)
}

// sarLongBy is sarLong by the elements of n. d may be a.
func sarLongBy(c *x86.Compiler, d, a, n amd64.Vec) {
	c.V(amd64.VPSRLVQ, amd64.Y, d, a, n)
	c.V(amd64.VPBROADCASTQ, amd64.Y, x86.VecTemp, c.Const64(1<<63))
	c.V(amd64.VPSRLVQ, amd64.Y, x86.VecTemp, x86.VecTemp, n)
	c.V(amd64.VPXORQ, amd64.Y, d, d, x86.VecTemp)
	c.V(amd64.VPSUBQ, amd64.Y, d, d, x86.VecTemp)
}

// halfAddLong2 is halfAdd for signed elements of 64 bits.
func halfAddLong2(shared, sum x86.Pair) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		a, b := c.Load(in.A, isa.I64, true), c.Load(in.B, isa.I64, true)
		d, x := c.Vec(), c.Vec()
		c.V(shared.Of(isa.I64), amd64.Y, d, a, b)
		c.V(amd64.VPXORQ, amd64.Y, x, a, b)
		c.SarLong(x, x, 1)
		c.V(sum.Of(isa.I64), amd64.Y, d, d, x)
		c.Result(in, isa.I64, d)
	}
}

func clz2(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	a := c.Load(in.A, t, true)
	d := c.Vec()
	leadingZeros(c, t, d, a)
	c.Result(in, t, d)
}

// leadingZeros counts them by the exponent of the number as a float. d may be a.
func leadingZeros(c *x86.Compiler, t isa.Type, d, a amd64.Vec) {
	w := c.Width(t)
	// Without the second of two ones, the number is not rounded up to the next power of two.
	c.V(amd64.VPSRLD, w, x86.VecTemp, a, amd64.Imm(1))
	c.V(amd64.VPANDND, w, d, x86.VecTemp, a)
	c.V(amd64.VCVTDQ2PS, w, d, d)
	c.V(amd64.VPSRLD, w, d, d, amd64.Imm(23)) // more than 255 if the number is negative
	c.V(amd64.VPBROADCASTD, w, x86.VecTemp, c.Const32(127+31))
	c.V(amd64.VPSUBUSW, w, d, x86.VecTemp, d)
	c.V(amd64.VPMINSD, w, d, d, c.Splat32(w, 32))
	if t.Bank() == isa.Bank64 {
		// Those of the lower half count where the upper half has nothing else.
		c.V(amd64.VPCMPEQD, w, x86.VecTemp, d, c.Splat32(w, 32))
		c.V(amd64.VPSRLQ, w, x86.VecTemp, x86.VecTemp, amd64.Imm(32))
		c.V(amd64.VPANDQ, w, x86.VecTemp, x86.VecTemp, d)
		c.V(amd64.VPSRLQ, w, d, d, amd64.Imm(32))
		c.V(amd64.VPADDQ, w, d, d, x86.VecTemp)
	}
}

// ctz2 counts the ones of ~a & (a-1): the zeros below the lowest one of a.
func ctz2(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, true)
	d, x := c.Vec(), c.Vec()
	c.V(x86.OpAdd.Of(t), w, d, a, c.Splat(t, 1<<32-1, 1<<64-1))
	c.V(x86.OpAndNot.Of(t), w, d, a, d)
	ones(c, t, d, x)
	c.Result(in, t, d)
}

func popCount2(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	a := c.Load(in.A, t, true)
	d, x := c.Vec(), c.Vec()
	c.V(x86.OpCopy.Of(t), c.Width(t), d, a)
	ones(c, t, d, x)
	c.Result(in, t, d)
}

// ones replaces the elements of d by the number of their ones: those of each four bits come from
// a table. x is free.
func ones(c *x86.Compiler, t isa.Type, d, x amd64.Vec) {
	w := c.Width(t)
	lookup(c, w, d, x, d, nibbleOnes, nibbleOnes)
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
