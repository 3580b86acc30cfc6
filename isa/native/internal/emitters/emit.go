package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// arithmetic is the family of moves, arithmetic and comparisons on elements of 32 and 64 bits
// and on booleans.
func arithmetic(_ amd64.Features, in *isa.Inst) x86.Emitter {
	if !x86.WideOrBool(in.Type) {
		return nil
	}
	if cmp, ok := x86.Comparisons[in.Op]; ok {
		return compare(cmp.Op, cmp.Predicate)
	}
	return arithmeticEmitters[in.Op]
}

// arithmeticEmitters is what [arithmetic] returns, by opcode.
var arithmeticEmitters = map[isa.Op]x86.Emitter{
	isa.OpMov:    mov,
	isa.OpSelect: selection,

	isa.OpAdd:  integer(x86.OpAdd, true),
	isa.OpSub:  integer(x86.OpSub, false),
	isa.OpMul:  multiply,
	isa.OpMinS: integer(x86.OpMinS, true),
	isa.OpMaxS: integer(x86.OpMaxS, true),
	isa.OpMinU: integer(x86.OpMinU, true),
	isa.OpMaxU: integer(x86.OpMaxU, true),
	isa.OpMad:  mad,
	isa.OpAnd:  logic(x86.OpAnd, amd64.KANDW),
	isa.OpOr:   logic(x86.OpOr, amd64.KORW),
	isa.OpXor:  logic(x86.OpXor, amd64.KXORW),
	isa.OpNot:  not,
	isa.OpNeg:  neg,
	isa.OpAbs:  abs,
	isa.OpShl:  shift(x86.OpShl, x86.OpShlV),
	isa.OpShrU: shift(x86.OpShrU, x86.OpShrUV),
	isa.OpShrS: shift(x86.OpShrS, x86.OpShrSV),
	isa.OpRotl: shift(x86.OpRotl, x86.OpRotlV),

	isa.OpMulHiS:   mulHi(amd64.VPMULDQ),
	isa.OpMulHiU:   mulHi(amd64.VPMULUDQ),
	isa.OpAddSatS:  addSatS,
	isa.OpAddSatU:  addSatU,
	isa.OpSubSatS:  subSatS,
	isa.OpSubSatU:  subSatU,
	isa.OpHAddS:    halfAdd(x86.OpAnd, x86.OpShrS, x86.OpAdd),
	isa.OpHAddU:    halfAdd(x86.OpAnd, x86.OpShrU, x86.OpAdd),
	isa.OpRHAddS:   halfAdd(x86.OpOr, x86.OpShrS, x86.OpSub),
	isa.OpRHAddU:   halfAdd(x86.OpOr, x86.OpShrU, x86.OpSub),
	isa.OpAbsDiffS: difference(x86.OpMaxS, x86.OpMinS),
	isa.OpAbsDiffU: difference(x86.OpMaxU, x86.OpMinU),
	isa.OpClz:      clz,
	isa.OpCtz:      ctz,
	isa.OpPopCount: popCount,

	isa.OpBitReverse:  bitReverse,
	isa.OpBitInsert:   bitInsert,
	isa.OpBitExtractS: bitExtractS,
	isa.OpBitExtractU: bitExtractU,

	isa.OpFAdd:     float(x86.OpFAdd, true),
	isa.OpFSub:     float(x86.OpFSub, false),
	isa.OpFMul:     float(x86.OpFMul, true),
	isa.OpFDiv:     fdiv,
	isa.OpFRem:     remainder,
	isa.OpFMod:     remainder,
	isa.OpFMulAdd:  fmulAdd,
	isa.OpFma:      fma,
	isa.OpFNeg:     fneg,
	isa.OpFAbs:     fabs,
	isa.OpCopySign: copySign,
	isa.OpFMin:     minMax(x86.RangeMin),
	isa.OpFMax:     minMax(x86.RangeMax),
	isa.OpSqrt:     sqrt,
	isa.OpFloor:    rounding(x86.RoundDown),
	isa.OpCeil:     rounding(x86.RoundUp),
	isa.OpTrunc:    rounding(x86.RoundZero),
	isa.OpRint:     rounding(x86.RoundNearest),
	isa.OpRound:    roundAway,
}

func integer(op x86.Pair, commutes bool) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		a, b := c.Both(in, commutes, true)
		d := c.Vec()
		c.V(op.Of(in.Type), c.Width(in.Type), d, a, b)
		c.Result(in, in.Type, d)
	}
}

func logic(op x86.Pair, mask amd64.Op) x86.Emitter {
	words := integer(op, true)
	return func(c *x86.Compiler, in *isa.Inst) {
		if in.Type != isa.B1 {
			words(c, in)
			return
		}
		a, b := c.Boolean(in.A), c.Boolean(in.B)
		k := c.Mask()
		c.V(mask, amd64.X, k, a, b)
		c.ResultMask(in, k)
	}
}

func mov(c *x86.Compiler, in *isa.Inst) {
	switch {
	case in.Type == isa.B1:
		a := c.Boolean(in.A)
		k := c.Mask()
		c.V(amd64.KMOVW, amd64.X, k, a)
		c.ResultMask(in, k)
	case in.A.IsScalar():
		c.Result(in, in.Type, c.Load(in.A, in.Type, true))
	default:
		a := c.Load(in.A, in.Type, true)
		d := c.Vec()
		c.V(x86.OpCopy.Of(in.Type), c.Width(in.Type), d, a)
		c.Result(in, in.Type, d)
	}
}

func selection(c *x86.Compiler, in *isa.Inst) {
	k := c.Boolean(in.A)
	if in.Type == isa.B1 {
		c.ChooseMask(in, k)
		return
	}
	no, yes := c.Load(in.C, in.Type, true), c.Operand(in.B, in.Type, true)
	d := c.Vec()
	c.V(x86.OpBlend.Of(in.Type), c.Width(in.Type), d, no, yes, amd64.Merge(k))
	c.Result(in, in.Type, d)
}

func mad(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	d, add := product(c, in), c.Operand(in.C, t, true)
	c.V(x86.OpAdd.Of(t), w, d, d, add)
	c.Result(in, t, d)
}

func not(c *x86.Compiler, in *isa.Inst) {
	if in.Type == isa.B1 {
		a := c.Boolean(in.A)
		k := c.Mask()
		c.V(amd64.KNOTW, amd64.X, k, a)
		c.ResultMask(in, k)
		return
	}
	a := c.Load(in.A, in.Type, true)
	d := c.Vec()
	c.V(x86.OpTernary.Of(in.Type), c.Width(in.Type), d, a, a, amd64.Imm(x86.TernaryNot))
	c.Result(in, in.Type, d)
}

func neg(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Operand(in.A, t, true)
	d := c.Vec()
	c.V(x86.OpXor.Of(t), w, d, d, d)
	c.V(x86.OpSub.Of(t), w, d, d, a)
	c.Result(in, t, d)
}

// unary emits a single instruction of one integer operand.
func unary(c *x86.Compiler, in *isa.Inst, op x86.Pair) {
	a := c.Operand(in.A, in.Type, true)
	d := c.Vec()
	c.V(op.Of(in.Type), c.Width(in.Type), d, a)
	c.Result(in, in.Type, d)
}

func abs(c *x86.Compiler, in *isa.Inst) { unary(c, in, x86.OpAbs) }
func clz(c *x86.Compiler, in *isa.Inst) { unary(c, in, x86.OpClz) }

// ctz counts the ones of ~a & (a-1): the zeros below the lowest one of a.
func ctz(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a := c.Load(in.A, t, true)
	d, x := c.Vec(), c.Vec()
	c.V(x86.OpAdd.Of(t), w, d, a, c.Splat(t, 1<<32-1, 1<<64-1))
	c.V(x86.OpAndNot.Of(t), w, d, a, d)
	c.V(x86.OpClz.Of(t), w, d, d)
	c.V(x86.OpSpread.Of(t), w, x, c.Number(t, uint64(t.Bits())))
	c.V(x86.OpSub.Of(t), w, d, x, d)
	c.Result(in, t, d)
}

func shift(fixed, variable x86.Pair) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t, w := in.Type, c.Width(in.Type)
		a := c.Load(in.A, t, true)
		most := uint64(t.Bits() - 1)
		if n, ok := c.Constant(in.B); ok {
			d := c.Vec()
			c.V(fixed.Of(t), w, d, a, amd64.Imm(n&most))
			c.Result(in, t, d)
			return
		}
		b := c.Load(in.B, t, true)
		d := c.Vec()
		c.V(x86.OpAnd.Of(t), w, d, b, c.Splat(t, uint32(most), most))
		c.V(variable.Of(t), w, d, a, d)
		c.Result(in, t, d)
	}
}

// mulHi multiplies the even and the odd elements of 32 bits to products of 64.
func mulHi(op amd64.Op) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		if in.Type == isa.I64 {
			mulHi64(c, in)
			return
		}
		w := c.Width(isa.I32)
		a, b := c.Load(in.A, isa.I32, true), c.Load(in.B, isa.I32, true)
		d, x, y := c.Vec(), c.Vec(), c.Vec()
		c.V(op, w, d, a, b)
		c.V(amd64.VPSRLQ, w, d, d, amd64.Imm(32))
		c.V(amd64.VPSRLQ, w, x, a, amd64.Imm(32))
		c.V(amd64.VPSRLQ, w, y, b, amd64.Imm(32))
		c.V(op, w, x, x, y)
		c.V(amd64.VPTERNLOGQ, w, d, x, c.Const64(0xffffffff00000000).Bcast(), amd64.Imm(x86.TernaryMix))
		c.Result(in, isa.I32, d)
	}
}

func addSatS(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d, x, y := c.Vec(), c.Vec(), c.Vec()
	w := c.Width(t)
	c.V(x86.OpAdd.Of(t), w, d, a, b)
	c.V(x86.OpXor.Of(t), w, x, a, d)
	c.V(x86.OpXor.Of(t), w, y, b, d)
	saturate(c, in, a, d, x, y)
}

func subSatS(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	a, b := c.Load(in.A, t, true), c.Load(in.B, t, true)
	d, x, y := c.Vec(), c.Vec(), c.Vec()
	w := c.Width(t)
	c.V(x86.OpSub.Of(t), w, d, a, b)
	c.V(x86.OpXor.Of(t), w, x, a, b)
	c.V(x86.OpXor.Of(t), w, y, a, d)
	saturate(c, in, a, d, x, y)
}

// saturate replaces d by the limit of the sign of a where x and y are both negative.
func saturate(c *x86.Compiler, in *isa.Inst, a, d, x, y amd64.Vec) {
	t, w := in.Type, c.Width(in.Type)
	c.V(x86.OpAnd.Of(t), w, x, x, y)
	c.V(x86.OpSigns.Of(t), w, x86.MaskTemp, x)
	c.V(x86.OpShrS.Of(t), w, x, a, amd64.Imm(x86.ElementBits(t)-1))
	c.V(x86.OpXor.Of(t), w, d, x, c.Splat(t, 1<<31-1, 1<<63-1), amd64.Merge(x86.MaskTemp))
	c.Result(in, t, d)
}

func addSatU(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Both(in, true, true)
	d := c.Vec()
	c.V(x86.OpAdd.Of(t), w, d, a, b)
	c.V(x86.OpCmpU.Of(t), w, x86.MaskTemp, d, a, amd64.Imm(x86.IntLess))
	c.V(x86.OpTernary.Of(t), w, d, d, d, amd64.Imm(x86.TernaryOnes), amd64.Merge(x86.MaskTemp))
	c.Result(in, t, d)
}

func subSatU(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	a, b := c.Both(in, false, true)
	d := c.Vec()
	c.V(x86.OpMaxU.Of(t), w, d, a, b)
	c.V(x86.OpSub.Of(t), w, d, d, b)
	c.Result(in, t, d)
}

// halfAdd is the average: what both operands share, and half of where they differ.
func halfAdd(shared, half, sum x86.Pair) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t, w := in.Type, c.Width(in.Type)
		a, b := c.Both(in, true, true)
		d, x := c.Vec(), c.Vec()
		c.V(shared.Of(t), w, d, a, b)
		c.V(x86.OpXor.Of(t), w, x, a, b)
		c.V(half.Of(t), w, x, x, amd64.Imm(1))
		c.V(sum.Of(t), w, d, d, x)
		c.Result(in, t, d)
	}
}

func difference(most, least x86.Pair) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		t, w := in.Type, c.Width(in.Type)
		a, b := c.Both(in, true, true)
		d, x := c.Vec(), c.Vec()
		c.V(most.Of(t), w, d, a, b)
		c.V(least.Of(t), w, x, a, b)
		c.V(x86.OpSub.Of(t), w, d, d, x)
		c.Result(in, t, d)
	}
}

func compare(op x86.Pair, predicate amd64.Imm) x86.Emitter {
	return func(c *x86.Compiler, in *isa.Inst) {
		if in.Type == isa.B1 {
			a, b := c.Boolean(in.A), c.Boolean(in.B)
			k := c.Mask()
			if in.Op == isa.OpEq {
				c.V(amd64.KXNORW, amd64.X, k, a, b)
			} else {
				c.V(amd64.KXORW, amd64.X, k, a, b)
			}
			c.ResultMask(in, k)
			return
		}
		c.ResultMask(in, c.Comparison(in, x86.Comparison{Op: op, Predicate: predicate}, false, nil))
	}
}
