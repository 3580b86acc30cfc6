package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
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
type simple func(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec)

// Emit emits the function.
func (f simple) Emit(c *x86.Compiler, in *isa.Inst) {
	var x []amd64.Vec
	for _, r := range OperandsOf(in) {
		x = append(x, c.Load(r, in.Type, true))
	}
	d := c.Vec()
	f(c, c.Width(in.Type), in, d, x)
	if simpleBits[mathFunc(in)] || mathFunc(in) == clmath.FuncFrexp && in.Imm&isa.MathStored != 0 {
		c.Result(in, in.Type, d)
	} else {
		c.ResultFloat(in, d)
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
func one(op x86.Pair, rest ...amd64.Operand) simple {
	return func(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		operands := []amd64.Operand{d}
		for _, v := range x {
			operands = append(operands, v)
		}
		does := op
		if op == x86.OpRound && !c.ISA.Broadcasts() {
			does = x86.OpRound2
		}
		c.V(does.Of(in.Type), w, append(operands, rest...)...)
	}
}

// floatNumber is number for a float or a double.
func floatNumber(c *x86.Compiler, t isa.Type, v float64) amd64.Mem {
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

func recip(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(x86.OpSpread.Of(in.Type), w, d, floatNumber(c, in.Type, 1))
	c.V(x86.OpFDiv.Of(in.Type), w, d, d, x[0])
}

func fma32(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(x86.OpCopy.Of(in.Type), w, d, x[0])
	c.V(x86.OpFma.Of(in.Type), w, d, x[1], x[2])
}

// when says for which lanes a comparison holds. [replace] and [clear] look at that, if
// nothing comes in between.
func when(c *x86.Compiler, t isa.Type, a amd64.Vec, b amd64.Operand, predicate amd64.Imm) {
	if c.ISA.Broadcasts() {
		c.V(x86.OpFCmp.Of(t), c.Width(t), x86.MaskTemp, a, b, predicate)
	} else {
		c.V(x86.OpFCmp.Of(t), c.Width(t), x86.VecTemp, a, b, predicate)
	}
}

// replace moves those lanes of x to d.
func replace(c *x86.Compiler, t isa.Type, d, x amd64.Vec) {
	if c.ISA.Broadcasts() {
		c.V(x86.OpCopy.Of(t), c.Width(t), d, x, amd64.Merge(x86.MaskTemp))
	} else {
		c.V(x86.OpSelect2.Of(t), c.Width(t), d, d, x, x86.VecTemp)
	}
}

// clear sets them to zero.
func clear(c *x86.Compiler, t isa.Type, d amd64.Vec) {
	if c.ISA.Broadcasts() {
		c.V(x86.OpXor.Of(t), c.Width(t), d, d, d, amd64.Merge(x86.MaskTemp))
	} else {
		c.V(x86.OpAndNot.Of(t), c.Width(t), d, x86.VecTemp, d)
	}
}

// roundTo rounds to integers.
func roundTo(c *x86.Compiler, t isa.Type, d, x amd64.Vec, mode amd64.Imm) {
	if c.ISA.Broadcasts() {
		c.V(x86.OpRound.Of(t), c.Width(t), d, x, mode)
	} else {
		c.V(x86.OpRound2.Of(t), c.Width(t), d, x, mode)
	}
}

// fdim is x-y, or 0 where x <= y.
func fdim(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(x86.OpFSub.Of(in.Type), w, d, x[0], x[1])
	when(c, in.Type, x[0], x[1], amd64.Imm(x86.CmpLessEqual))
	clear(c, in.Type, d)
}

// choose puts a copied to d, with y in the lanes in which a is less than b.
func choose(less, from int) simple {
	return func(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		c.V(x86.OpCopy.Of(in.Type), w, d, x[0])
		when(c, in.Type, x[less], x[from], amd64.Imm(x86.CmpLess))
		replace(c, in.Type, d, x[1])
	}
}

// extremeOf is fmin or fmax of a and b; d is neither.
func extremeOf(c *x86.Compiler, t isa.Type, kind amd64.Imm, d, a, b amd64.Vec) {
	if !c.ISA.Broadcasts() {
		extreme2(c, t, kind, d, a, b)
		return
	}
	c.V(x86.OpRange.Of(t), c.Width(t), d, a, b, kind)
	c.V(x86.OpFCmp.Of(t), c.Width(t), x86.MaskTemp, a, a, amd64.Imm(x86.CmpUnordered))
	c.V(x86.OpCopy.Of(t), c.Width(t), d, b, amd64.Merge(x86.MaskTemp))
	c.V(x86.OpFCmp.Of(t), c.Width(t), x86.MaskTemp, b, b, amd64.Imm(x86.CmpUnordered))
	c.V(x86.OpCopy.Of(t), c.Width(t), d, a, amd64.Merge(x86.MaskTemp))
}

func extreme(kind amd64.Imm) simple {
	return func(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		extremeOf(c, in.Type, kind, d, x[0], x[1])
	}
}

// extremeMagnitude is the operand whose magnitude is the greater (or smaller) one, or fmax (or fmin).
func extremeMagnitude(kind, predicate amd64.Imm) simple {
	return func(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		a, b := c.Vec(), c.Vec()
		abs := c.Splat(in.Type, 1<<31-1, 1<<63-1)
		c.V(x86.OpAnd.Of(in.Type), w, a, x[0], abs)
		c.V(x86.OpAnd.Of(in.Type), w, b, x[1], abs)
		extremeOf(c, in.Type, kind, d, x[0], x[1])
		when(c, in.Type, a, b, predicate)
		replace(c, in.Type, d, x[0])
		when(c, in.Type, b, a, predicate)
		replace(c, in.Type, d, x[1])
	}
}

func clamp(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t := c.Vec()
	extremeOf(c, in.Type, x86.RangeMax, t, x[0], x[1])
	extremeOf(c, in.Type, x86.RangeMin, d, t, x[2])
}

func step(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(x86.OpSpread.Of(in.Type), w, d, floatNumber(c, in.Type, 1))
	when(c, in.Type, x[1], x[0], amd64.Imm(x86.CmpLess))
	clear(c, in.Type, d)
}

// sign is one with the sign of x, but a zero for a zero and +0 for a NaN.
func sign(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t := c.Vec()
	c.V(x86.OpSpread.Of(in.Type), w, d, c.Number(in.Type, 1<<(in.Type.Bits()-1)))
	c.V(x86.OpAnd.Of(in.Type), w, d, d, x[0])
	when(c, in.Type, x[0], x[0], amd64.Imm(x86.CmpUnordered))
	clear(c, in.Type, d)
	when(c, in.Type, x[0], c.FloatSplat(in.Type, 0), amd64.Imm(x86.CmpNotEqual))
	c.V(x86.OpOr.Of(in.Type), w, t, d, c.FloatSplat(in.Type, 1))
	replace(c, in.Type, d, t)
}

func roundHalfAway(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t := c.Vec()
	roundTo(c, in.Type, d, x[0], x86.RoundZero)
	c.V(x86.OpFSub.Of(in.Type), w, t, x[0], d)
	c.V(x86.OpAnd.Of(in.Type), w, t, t, c.Splat(in.Type, 1<<31-1, 1<<63-1))
	when(c, in.Type, t, c.FloatSplat(in.Type, 0.5), amd64.Imm(x86.CmpGreaterEqual))
	c.V(x86.OpAnd.Of(in.Type), w, t, x[0], c.Sign(in.Type))
	c.V(x86.OpOr.Of(in.Type), w, t, t, c.FloatSplat(in.Type, 1))
	c.V(x86.OpFAdd.Of(in.Type), w, t, d, t)
	replace(c, in.Type, d, t)
}

// ldexp scales by 2^n. Of n, 400 is as much as any.
func ldexp(c *x86.Compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VPMINSD, w, d, x[1], c.Splat(isa.I32, 400, 0))
	c.V(amd64.VPMAXSD, w, d, d, c.Splat(isa.I32, uint32(1<<32-400), 0))
	c.V(amd64.VCVTDQ2PS, w, d, d)
	c.V(amd64.VSCALEFPS, w, d, x[0], d)
}

// ilogb is the exponent as an integer. The conversion gives the least integer for that of zero, and for
// those of infinities and NaNs, which have to be the greatest.
func ilogb(c *x86.Compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VGETEXPPS, w, d, x[0])
	c.V(amd64.VCVTTPS2DQ, w, d, d)
	c.V(amd64.VFPCLASSPS, w, x86.MaskTemp, x[0], amd64.Imm(classNaN|classInfinite))
	c.V(amd64.VPBROADCASTD, w, d, c.Number(isa.I32, math.MaxInt32), amd64.Merge(x86.MaskTemp))
}

// Of VGETMANTPS: into [1/2, 1), with the sign.
const mantissaHalf = 2

func frexp(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	special := amd64.Imm(classNaN | classInfinite | classZero)
	if in.Imm&isa.MathStored == 0 {
		c.V(amd64.VGETMANTPS, w, d, x[0], amd64.Imm(mantissaHalf))
		c.V(amd64.VFPCLASSPS, w, x86.MaskTemp, x[0], special)
		c.V(amd64.VMOVDQA32, w, d, x[0], amd64.Merge(x86.MaskTemp))
		return
	}
	c.V(amd64.VGETEXPPS, w, d, x[0])
	c.V(amd64.VCVTTPS2DQ, w, d, d)
	c.V(amd64.VPADDD, w, d, d, c.Splat(isa.I32, 1, 0))
	c.V(amd64.VFPCLASSPS, w, x86.MaskTemp, x[0], special)
	c.V(amd64.VPXORD, w, d, d, d, amd64.Merge(x86.MaskTemp))
}

func modf(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	if in.Imm&isa.MathStored != 0 {
		roundTo(c, in.Type, d, x[0], x86.RoundZero)
		return
	}
	t := c.Vec()
	roundTo(c, in.Type, t, x[0], x86.RoundZero)
	c.V(x86.OpFSub.Of(in.Type), w, d, x[0], t)
	when(c, in.Type, x[0], t, amd64.Imm(x86.CmpEqual))
	clear(c, in.Type, d)
	c.V(x86.OpAnd.Of(in.Type), w, t, x[0], c.Sign(in.Type))
	c.V(x86.OpOr.Of(in.Type), w, d, d, t)
}

// fract is x-floor(x), below one. For integers it is +0, but zeros and infinities keep their sign.
func fract(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	if in.Imm&isa.MathStored != 0 {
		roundTo(c, in.Type, d, x[0], x86.RoundDown)
		return
	}
	t := c.Vec()
	roundTo(c, in.Type, t, x[0], x86.RoundDown)
	c.V(x86.OpFSub.Of(in.Type), w, d, x[0], t)
	when(c, in.Type, x[0], t, amd64.Imm(x86.CmpEqual))
	clear(c, in.Type, d)
	c.V(x86.OpSpread.Of(in.Type), w, t, floatNumber(c, in.Type, belowOne(in.Type)))
	c.V(x86.OpFMin.Of(in.Type), w, d, t, d)
	// That is where they are their own double.
	c.V(x86.OpFAdd.Of(in.Type), w, t, x[0], x[0])
	when(c, in.Type, t, x[0], amd64.Imm(x86.CmpEqual))
	c.V(x86.OpAnd.Of(in.Type), w, t, x[0], c.Sign(in.Type))
	replace(c, in.Type, d, t)
}

// nextafter adds 1 to the bits of x, or subtracts it, if y is on the side away from, or towards, zero. From
// zero it leads to the least denormal on the side of y.
func nextafter(c *x86.Compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t, k := c.Vec(), c.Mask()
	one := c.Splat(isa.I32, 1, 0)
	// Away from zero if (x < y) == (x > 0).
	c.V(amd64.VCMPPS, w, x86.MaskTemp, x[0], x[1], amd64.Imm(x86.CmpLess))
	c.V(amd64.VCMPPS, w, k, x[0], c.FloatSplat(isa.F32, 0), amd64.Imm(x86.CmpGreater))
	c.V(amd64.KXNORW, amd64.X, k, k, x86.MaskTemp)
	c.V(amd64.VPSUBD, w, d, x[0], one)
	c.V(amd64.VPADDD, w, d, x[0], one, amd64.Merge(k))
	c.V(amd64.VCMPPS, w, x86.MaskTemp, x[0], c.FloatSplat(isa.F32, 0), amd64.Imm(x86.CmpEqual))
	c.V(amd64.VPANDD, w, t, x[1], c.Sign(isa.F32))
	c.V(amd64.VPORD, w, d, t, one, amd64.Merge(x86.MaskTemp))
	c.V(amd64.VCMPPS, w, x86.MaskTemp, x[0], x[1], amd64.Imm(x86.CmpEqual))
	c.V(amd64.VMOVDQA32, w, d, x[1], amd64.Merge(x86.MaskTemp))
	c.V(amd64.VCMPPS, w, x86.MaskTemp, x[0], x[1], amd64.Imm(x86.CmpUnordered))
	c.V(amd64.VADDPS, w, d, x[0], x[1], amd64.Merge(x86.MaskTemp))
}

// nan is a quiet NaN with a payload.
func nan(c *x86.Compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VPANDD, w, d, x[0], c.Splat(isa.I32, 1<<22-1, 0))
	c.V(amd64.VPORD, w, d, d, c.Splat(isa.I32, 0x7fc00000, 0))
}

func copysign(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(x86.OpSpread.Of(in.Type), w, d, c.Number(in.Type, 1<<(in.Type.Bits()-1)))
	if c.ISA.Broadcasts() {
		c.V(x86.OpTernary.Of(in.Type), w, d, x[1], x[0], amd64.Imm(x86.TernarySelect))
		return
	}
	c.V(x86.OpAndNot.Of(in.Type), w, x86.VecTemp, d, x[0])
	c.V(x86.OpAnd.Of(in.Type), w, d, d, x[1])
	c.V(x86.OpOr.Of(in.Type), w, d, d, x86.VecTemp)
}

func fabs(c *x86.Compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(x86.OpAnd.Of(in.Type), w, d, x[0], c.Splat(in.Type, 1<<31-1, 1<<63-1))
}

// halfMiddles returns a vector with zeros in the lanes in which x is the middle of two halves, and in few
// others.
func halfMiddles(c *x86.Compiler, w amd64.Width, x amd64.Vec) amd64.Vec {
	d, abs, t := c.Vec(), c.Vec(), c.Vec()
	// Below the normal halves, middles are odd multiples of 2^-25, the unit of the last place of numbers from
	// 1/4.
	c.V(amd64.VPANDD, w, abs, x, c.Splat(isa.F32, 1<<31-1, 0))
	c.V(amd64.VADDPS, w, t, abs, c.FloatSplat(isa.F32, 0.25))
	c.V(amd64.VSUBPS, w, d, t, c.FloatSplat(isa.F32, 0.25))
	c.V(amd64.VPXORD, w, d, d, abs)
	c.V(amd64.VPSLLD, w, t, t, amd64.Imm(31))
	c.V(amd64.VPXORD, w, t, t, c.Splat(isa.F32, 1<<31, 0))
	c.V(amd64.VPORD, w, t, t, d)
	// Others have the bit behind the last of a half, and none below it.
	c.V(amd64.VPSLLD, w, d, x, amd64.Imm(32-13))
	c.V(amd64.VPXORD, w, d, d, c.Splat(isa.F32, 1<<31, 0))
	when(c, isa.F32, abs, c.FloatSplat(isa.F32, 0x1p-14), amd64.Imm(x86.CmpLess))
	replace(c, isa.F32, d, t)
	return d
}
