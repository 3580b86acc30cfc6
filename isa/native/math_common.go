package native

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// times is the kernel of a product with a number.
func times(v float64) kernel {
	return func(m doubles, x ...amd64.Vec) amd64.Vec {
		m.set(amd64.VMULPD, x[0], x[0], m.num(v))
		return x[0]
	}
}

// mix computes x+(y-x)*a, and leaves a bound of the error in x.
func (m doubles) mix(xs ...amd64.Vec) amd64.Vec {
	x, y, a := xs[0], xs[1], xs[2]
	m.set(amd64.VSUBPD, y, y, x)
	m.set(amd64.VMULPD, y, y, a)
	m.set(amd64.VADDPD, a, x, y)
	m.set(amd64.VPANDQ, x, x, m.bits64(1<<63-1))
	m.set(amd64.VPANDQ, y, y, m.bits64(1<<63-1))
	m.set(amd64.VADDPD, x, x, y)
	m.set(amd64.VMULPD, x, x, m.num(0x1p-50))
	return a
}

// smoothstep computes t*t*(3-2*t), t = (x-edge0)/(edge1-edge0) within [0, 1].
func (m doubles) smoothstep(xs ...amd64.Vec) amd64.Vec {
	e0, e1, t := xs[0], xs[1], xs[2]
	m.set(amd64.VSUBPD, t, t, e0)
	m.set(amd64.VSUBPD, e1, e1, e0)
	m.set(amd64.VDIVPD, t, t, e1)
	m.set(amd64.VPXORQ, e0, e0, e0)
	m.set(amd64.VMAXPD, t, e0, t) // a NaN stays, and is left to Go
	m.set(amd64.VPBROADCASTQ, e0, m.Const64(math.Float64bits(1)))
	m.set(amd64.VMINPD, t, e0, t)
	m.set(amd64.VADDPD, e1, t, t)
	m.set(amd64.VPBROADCASTQ, e0, m.Const64(math.Float64bits(3)))
	m.set(amd64.VSUBPD, e0, e0, e1)
	m.set(amd64.VMULPD, t, t, t)
	m.set(amd64.VMULPD, t, t, e0)
	return t
}

// simple is a function that is a few instructions on floats, or on doubles where [simple64] has it. The
// result may be loose.
type simple func(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec)

func (f simple) emit(c *compiler, in *isa.Inst) {
	var x []amd64.Vec
	for _, r := range operandsOf(in) {
		x = append(x, c.load(r, in.Type, true))
	}
	d := c.vec()
	f(c, c.width(in.Type), in, d, x)
	if simpleBits[mathFunc(in)] || mathFunc(in) == clmath.FuncFrexp && in.Imm&isa.MathStored != 0 {
		c.result(in, in.Type, d)
	} else {
		c.resultFloat(in, d)
	}
}

// simpleBits are the functions whose result is an integer, or a NaN to be kept.
var simpleBits = map[clmath.Func]bool{clmath.FuncIlogb: true, clmath.FuncNan: true, clmath.FuncCopysign: true, clmath.FuncFabs: true}

// simple64 are the simple functions that serve doubles too.
var simple64 = map[clmath.Func]bool{
	clmath.FuncSqrt: true, clmath.FuncHalfSqrt: true, clmath.FuncNativeSqrt: true, clmath.FuncHalfRecip: true, clmath.FuncNativeRecip: true,
	clmath.FuncHalfDivide: true, clmath.FuncNativeDivide: true, clmath.FuncFma: true, clmath.FuncMad: true, clmath.FuncFdim: true,
	clmath.FuncFmax: true, clmath.FuncFmin: true, clmath.FuncFmaxCommon: true, clmath.FuncFminCommon: true, clmath.FuncMaxmag: true,
	clmath.FuncMinmag: true, clmath.FuncFclamp: true, clmath.FuncStep: true, clmath.FuncSign: true, clmath.FuncFloor: true,
	clmath.FuncCeil: true, clmath.FuncTrunc: true, clmath.FuncRint: true, clmath.FuncRound: true, clmath.FuncFabs: true,
	clmath.FuncCopysign: true, clmath.FuncLogb: true, clmath.FuncModf: true, clmath.FuncFract: true,
}

// one is a function of a single instruction.
func one(op pair, rest ...amd64.Operand) simple {
	return func(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		operands := []amd64.Operand{d}
		for _, v := range x {
			operands = append(operands, v)
		}
		does := op
		if op == opRound && !c.set.broadcasts() {
			does = opRound2
		}
		c.V(does.of(in.Type), w, append(operands, rest...)...)
	}
}

// floatNumber is number for a float or a double.
func (c *compiler) floatNumber(t isa.Type, v float64) amd64.Mem {
	if t == isa.F64 {
		return c.Const64(math.Float64bits(v))
	}
	return c.Const32(math.Float32bits(float32(v)))
}

// belowOne is the greatest number of a type below 1.
func belowOne(t isa.Type) float64 {
	if t == isa.F64 {
		return 1 - 0x1p-53
	}
	return 1 - 0x1p-24
}

func recip(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(opSpread.of(in.Type), w, d, c.floatNumber(in.Type, 1))
	c.V(opFDiv.of(in.Type), w, d, d, x[0])
}

func fma32(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(opCopy.of(in.Type), w, d, x[0])
	c.V(opFma.of(in.Type), w, d, x[1], x[2])
}

// when says for which lanes a comparison holds. [compiler.replace] and [compiler.clear] look at that, if
// nothing comes in between.
func (c *compiler) when(t isa.Type, a amd64.Vec, b amd64.Operand, predicate amd64.Imm) {
	if c.set.broadcasts() {
		c.V(opFCmp.of(t), c.width(t), maskTemp, a, b, predicate)
	} else {
		c.V(opFCmp.of(t), c.width(t), vecTemp, a, b, predicate)
	}
}

// replace moves those lanes of x to d.
func (c *compiler) replace(t isa.Type, d, x amd64.Vec) {
	if c.set.broadcasts() {
		c.V(opCopy.of(t), c.width(t), d, x, amd64.Merge(maskTemp))
	} else {
		c.V(opSelect2.of(t), c.width(t), d, d, x, vecTemp)
	}
}

// clear sets them to zero.
func (c *compiler) clear(t isa.Type, d amd64.Vec) {
	if c.set.broadcasts() {
		c.V(opXor.of(t), c.width(t), d, d, d, amd64.Merge(maskTemp))
	} else {
		c.V(opAndNot.of(t), c.width(t), d, vecTemp, d)
	}
}

// roundTo rounds to integers.
func (c *compiler) roundTo(t isa.Type, d, x amd64.Vec, mode amd64.Imm) {
	if c.set.broadcasts() {
		c.V(opRound.of(t), c.width(t), d, x, mode)
	} else {
		c.V(opRound2.of(t), c.width(t), d, x, mode)
	}
}

// fdim is x-y, or 0 where x <= y.
func fdim(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(opFSub.of(in.Type), w, d, x[0], x[1])
	c.when(in.Type, x[0], x[1], amd64.Imm(cmpLessEqual))
	c.clear(in.Type, d)
}

// choose puts a copied to d, with y in the lanes in which a is less than b.
func choose(less, from int) simple {
	return func(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		c.V(opCopy.of(in.Type), w, d, x[0])
		c.when(in.Type, x[less], x[from], amd64.Imm(cmpLess))
		c.replace(in.Type, d, x[1])
	}
}

// extreme is fmin or fmax of a and b; d is neither.
func (c *compiler) extreme(t isa.Type, kind amd64.Imm, d, a, b amd64.Vec) {
	if !c.set.broadcasts() {
		c.extreme2(t, kind, d, a, b)
		return
	}
	c.V(opRange.of(t), c.width(t), d, a, b, kind)
	c.V(opFCmp.of(t), c.width(t), maskTemp, a, a, amd64.Imm(cmpUnordered))
	c.V(opCopy.of(t), c.width(t), d, b, amd64.Merge(maskTemp))
	c.V(opFCmp.of(t), c.width(t), maskTemp, b, b, amd64.Imm(cmpUnordered))
	c.V(opCopy.of(t), c.width(t), d, a, amd64.Merge(maskTemp))
}

func extreme(kind amd64.Imm) simple {
	return func(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		c.extreme(in.Type, kind, d, x[0], x[1])
	}
}

// extremeMagnitude is the operand whose magnitude is the greater (or smaller) one, or fmax (or fmin).
func extremeMagnitude(kind, predicate amd64.Imm) simple {
	return func(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		a, b := c.vec(), c.vec()
		abs := c.splat(in.Type, 1<<31-1, 1<<63-1)
		c.V(opAnd.of(in.Type), w, a, x[0], abs)
		c.V(opAnd.of(in.Type), w, b, x[1], abs)
		c.extreme(in.Type, kind, d, x[0], x[1])
		c.when(in.Type, a, b, predicate)
		c.replace(in.Type, d, x[0])
		c.when(in.Type, b, a, predicate)
		c.replace(in.Type, d, x[1])
	}
}

func clamp(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t := c.vec()
	c.extreme(in.Type, rangeMax, t, x[0], x[1])
	c.extreme(in.Type, rangeMin, d, t, x[2])
}

func step(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(opSpread.of(in.Type), w, d, c.floatNumber(in.Type, 1))
	c.when(in.Type, x[1], x[0], amd64.Imm(cmpLess))
	c.clear(in.Type, d)
}

// sign is one with the sign of x, but a zero for a zero and +0 for a NaN.
func sign(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t := c.vec()
	c.V(opSpread.of(in.Type), w, d, c.number(in.Type, 1<<(in.Type.Bits()-1)))
	c.V(opAnd.of(in.Type), w, d, d, x[0])
	c.when(in.Type, x[0], x[0], amd64.Imm(cmpUnordered))
	c.clear(in.Type, d)
	c.when(in.Type, x[0], c.floatSplat(in.Type, 0), amd64.Imm(cmpNotEqual))
	c.V(opOr.of(in.Type), w, t, d, c.floatSplat(in.Type, 1))
	c.replace(in.Type, d, t)
}

func roundHalfAway(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t := c.vec()
	c.roundTo(in.Type, d, x[0], roundZero)
	c.V(opFSub.of(in.Type), w, t, x[0], d)
	c.V(opAnd.of(in.Type), w, t, t, c.splat(in.Type, 1<<31-1, 1<<63-1))
	c.when(in.Type, t, c.floatSplat(in.Type, 0.5), amd64.Imm(cmpGreaterEqual))
	c.V(opAnd.of(in.Type), w, t, x[0], c.sign(in.Type))
	c.V(opOr.of(in.Type), w, t, t, c.floatSplat(in.Type, 1))
	c.V(opFAdd.of(in.Type), w, t, d, t)
	c.replace(in.Type, d, t)
}

// ldexp scales by 2^n. Of n, 400 is as much as any.
func ldexp(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VPMINSD, w, d, x[1], c.splat(isa.I32, 400, 0))
	c.V(amd64.VPMAXSD, w, d, d, c.splat(isa.I32, uint32(1<<32-400), 0))
	c.V(amd64.VCVTDQ2PS, w, d, d)
	c.V(amd64.VSCALEFPS, w, d, x[0], d)
}

// ilogb is the exponent as an integer. The conversion gives the least integer for that of zero, and for
// those of infinities and NaNs, which have to be the greatest.
func ilogb(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VGETEXPPS, w, d, x[0])
	c.V(amd64.VCVTTPS2DQ, w, d, d)
	c.V(amd64.VFPCLASSPS, w, maskTemp, x[0], amd64.Imm(classNaN|classInfinite))
	c.V(amd64.VPBROADCASTD, w, d, c.number(isa.I32, math.MaxInt32), amd64.Merge(maskTemp))
}

// Of VGETMANTPS: into [1/2, 1), with the sign.
const mantissaHalf = 2

func frexp(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	special := amd64.Imm(classNaN | classInfinite | classZero)
	if in.Imm&isa.MathStored == 0 {
		c.V(amd64.VGETMANTPS, w, d, x[0], amd64.Imm(mantissaHalf))
		c.V(amd64.VFPCLASSPS, w, maskTemp, x[0], special)
		c.V(amd64.VMOVDQA32, w, d, x[0], amd64.Merge(maskTemp))
		return
	}
	c.V(amd64.VGETEXPPS, w, d, x[0])
	c.V(amd64.VCVTTPS2DQ, w, d, d)
	c.V(amd64.VPADDD, w, d, d, c.splat(isa.I32, 1, 0))
	c.V(amd64.VFPCLASSPS, w, maskTemp, x[0], special)
	c.V(amd64.VPXORD, w, d, d, d, amd64.Merge(maskTemp))
}

func modf(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	if in.Imm&isa.MathStored != 0 {
		c.roundTo(in.Type, d, x[0], roundZero)
		return
	}
	t := c.vec()
	c.roundTo(in.Type, t, x[0], roundZero)
	c.V(opFSub.of(in.Type), w, d, x[0], t)
	c.when(in.Type, x[0], t, amd64.Imm(cmpEqual))
	c.clear(in.Type, d)
	c.V(opAnd.of(in.Type), w, t, x[0], c.sign(in.Type))
	c.V(opOr.of(in.Type), w, d, d, t)
}

// fract is x-floor(x), below one. For integers it is +0, but zeros and infinities keep their sign.
func fract(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	if in.Imm&isa.MathStored != 0 {
		c.roundTo(in.Type, d, x[0], roundDown)
		return
	}
	t := c.vec()
	c.roundTo(in.Type, t, x[0], roundDown)
	c.V(opFSub.of(in.Type), w, d, x[0], t)
	c.when(in.Type, x[0], t, amd64.Imm(cmpEqual))
	c.clear(in.Type, d)
	c.V(opSpread.of(in.Type), w, t, c.floatNumber(in.Type, belowOne(in.Type)))
	c.V(opFMin.of(in.Type), w, d, t, d)
	// That is where they are their own double.
	c.V(opFAdd.of(in.Type), w, t, x[0], x[0])
	c.when(in.Type, t, x[0], amd64.Imm(cmpEqual))
	c.V(opAnd.of(in.Type), w, t, x[0], c.sign(in.Type))
	c.replace(in.Type, d, t)
}

// nextafter adds 1 to the bits of x, or subtracts it, if y is on the side away from, or towards, zero. From
// zero it leads to the least denormal on the side of y.
func nextafter(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t, k := c.vec(), c.mask()
	one := c.splat(isa.I32, 1, 0)
	// Away from zero if (x < y) == (x > 0).
	c.V(amd64.VCMPPS, w, maskTemp, x[0], x[1], amd64.Imm(cmpLess))
	c.V(amd64.VCMPPS, w, k, x[0], c.floatSplat(isa.F32, 0), amd64.Imm(cmpGreater))
	c.V(amd64.KXNORW, amd64.X, k, k, maskTemp)
	c.V(amd64.VPSUBD, w, d, x[0], one)
	c.V(amd64.VPADDD, w, d, x[0], one, amd64.Merge(k))
	c.V(amd64.VCMPPS, w, maskTemp, x[0], c.floatSplat(isa.F32, 0), amd64.Imm(cmpEqual))
	c.V(amd64.VPANDD, w, t, x[1], c.sign(isa.F32))
	c.V(amd64.VPORD, w, d, t, one, amd64.Merge(maskTemp))
	c.V(amd64.VCMPPS, w, maskTemp, x[0], x[1], amd64.Imm(cmpEqual))
	c.V(amd64.VMOVDQA32, w, d, x[1], amd64.Merge(maskTemp))
	c.V(amd64.VCMPPS, w, maskTemp, x[0], x[1], amd64.Imm(cmpUnordered))
	c.V(amd64.VADDPS, w, d, x[0], x[1], amd64.Merge(maskTemp))
}

// nan is a quiet NaN with a payload.
func nan(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VPANDD, w, d, x[0], c.splat(isa.I32, 1<<22-1, 0))
	c.V(amd64.VPORD, w, d, d, c.splat(isa.I32, 0x7fc00000, 0))
}

func copysign(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(opSpread.of(in.Type), w, d, c.number(in.Type, 1<<(in.Type.Bits()-1)))
	if c.set.broadcasts() {
		c.V(opTernary.of(in.Type), w, d, x[1], x[0], amd64.Imm(ternarySelect))
		return
	}
	c.V(opAndNot.of(in.Type), w, vecTemp, d, x[0])
	c.V(opAnd.of(in.Type), w, d, d, x[1])
	c.V(opOr.of(in.Type), w, d, d, vecTemp)
}

func fabs(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(opAnd.of(in.Type), w, d, x[0], c.splat(in.Type, 1<<31-1, 1<<63-1))
}

// halfMiddles returns a vector with zeros in the lanes in which x is the middle of two halves, and in few
// others.
func (c *compiler) halfMiddles(w amd64.Width, x amd64.Vec) amd64.Vec {
	d, abs, t := c.vec(), c.vec(), c.vec()
	// Below the normal halves, middles are odd multiples of 2^-25, the unit of the last place of numbers from
	// 1/4.
	c.V(amd64.VPANDD, w, abs, x, c.splat(isa.F32, 1<<31-1, 0))
	c.V(amd64.VADDPS, w, t, abs, c.floatSplat(isa.F32, 0.25))
	c.V(amd64.VSUBPS, w, d, t, c.floatSplat(isa.F32, 0.25))
	c.V(amd64.VPXORD, w, d, d, abs)
	c.V(amd64.VPSLLD, w, t, t, amd64.Imm(31))
	c.V(amd64.VPXORD, w, t, t, c.splat(isa.F32, 1<<31, 0))
	c.V(amd64.VPORD, w, t, t, d)
	// Others have the bit behind the last of a half, and none below it.
	c.V(amd64.VPSLLD, w, d, x, amd64.Imm(32-13))
	c.V(amd64.VPXORD, w, d, d, c.splat(isa.F32, 1<<31, 0))
	c.when(isa.F32, abs, c.floatSplat(isa.F32, 0x1p-14), amd64.Imm(cmpLess))
	c.replace(isa.F32, d, t)
	return d
}
