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

// simple is a function that is a few instructions on floats. The result may be loose.
type simple func(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec)

func (f simple) emit(c *compiler, in *isa.Inst) {
	var x []amd64.Vec
	for _, r := range operandsOf(in) {
		x = append(x, c.load(r, isa.F32, true))
	}
	d := c.vec()
	f(c, c.width(isa.F32), in, d, x)
	if simpleBits[mathFunc(in)] || mathFunc(in) == clmath.FuncFrexp && in.Imm&isa.MathStored != 0 {
		c.result(in, isa.F32, d)
	} else {
		c.resultFloat(in, d)
	}
}

// simpleBits are the functions whose result is an integer, or a NaN to be kept.
var simpleBits = map[clmath.Func]bool{clmath.FuncIlogb: true, clmath.FuncNan: true, clmath.FuncCopysign: true, clmath.FuncFabs: true}

// one is a function of a single instruction.
func one(op amd64.Op, rest ...amd64.Operand) simple {
	return func(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		operands := []amd64.Operand{d}
		for _, v := range x {
			operands = append(operands, v)
		}
		does := op
		if op == amd64.VRNDSCALEPS && !c.set.broadcasts() {
			does = amd64.VROUNDPS
		}
		c.V(does, w, append(operands, rest...)...)
	}
}

func recip(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VPBROADCASTD, w, d, c.number(isa.F32, uint64(math.Float32bits(1))))
	c.V(amd64.VDIVPS, w, d, d, x[0])
}

func fma32(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VMOVDQA32, w, d, x[0])
	c.V(amd64.VFMADD213PS, w, d, x[1], x[2])
}

// when says for which lanes a comparison holds. [compiler.replace] and [compiler.clear] look at that, if
// nothing comes in between.
func (c *compiler) when(w amd64.Width, a amd64.Vec, b amd64.Operand, predicate amd64.Imm) {
	if c.set.broadcasts() {
		c.V(amd64.VCMPPS, w, maskTemp, a, b, predicate)
	} else {
		c.V(amd64.VCMPPS, w, vecTemp, a, b, predicate)
	}
}

// replace moves those lanes of x to d.
func (c *compiler) replace(w amd64.Width, d, x amd64.Vec) {
	if c.set.broadcasts() {
		c.V(amd64.VMOVDQA32, w, d, x, amd64.Merge(maskTemp))
	} else {
		c.V(amd64.VBLENDVPS, w, d, d, x, vecTemp)
	}
}

// clear sets them to zero.
func (c *compiler) clear(w amd64.Width, d amd64.Vec) {
	if c.set.broadcasts() {
		c.V(amd64.VPXORD, w, d, d, d, amd64.Merge(maskTemp))
	} else {
		c.V(amd64.VPANDND, w, d, vecTemp, d)
	}
}

// roundTo rounds to integers.
func (c *compiler) roundTo(w amd64.Width, d, x amd64.Vec, mode amd64.Imm) {
	if c.set.broadcasts() {
		c.V(amd64.VRNDSCALEPS, w, d, x, mode)
	} else {
		c.V(amd64.VROUNDPS, w, d, x, mode)
	}
}

// fdim is x-y, or 0 where x <= y.
func fdim(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VSUBPS, w, d, x[0], x[1])
	c.when(w, x[0], x[1], amd64.Imm(cmpLessEqual))
	c.clear(w, d)
}

// choose puts a copied to d, with y in the lanes in which a is less than b.
func choose(less, from int) simple {
	return func(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		c.V(amd64.VMOVDQA32, w, d, x[0])
		c.when(w, x[less], x[from], amd64.Imm(cmpLess))
		c.replace(w, d, x[1])
	}
}

// extreme is fmin or fmax of a and b; d is neither.
func (c *compiler) extreme(w amd64.Width, kind amd64.Imm, d, a, b amd64.Vec) {
	if !c.set.broadcasts() {
		c.extreme2(w, kind, d, a, b)
		return
	}
	c.V(amd64.VRANGEPS, w, d, a, b, kind)
	c.V(amd64.VCMPPS, w, maskTemp, a, a, amd64.Imm(cmpUnordered))
	c.V(amd64.VMOVDQA32, w, d, b, amd64.Merge(maskTemp))
	c.V(amd64.VCMPPS, w, maskTemp, b, b, amd64.Imm(cmpUnordered))
	c.V(amd64.VMOVDQA32, w, d, a, amd64.Merge(maskTemp))
}

func extreme(kind amd64.Imm) simple {
	return func(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		c.extreme(w, kind, d, x[0], x[1])
	}
}

// extremeMagnitude is the operand whose magnitude is the greater (or smaller) one, or fmax (or fmin).
func extremeMagnitude(kind, predicate amd64.Imm) simple {
	return func(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
		a, b := c.vec(), c.vec()
		abs := c.splat(isa.F32, 1<<31-1, 0)
		c.V(amd64.VPANDD, w, a, x[0], abs)
		c.V(amd64.VPANDD, w, b, x[1], abs)
		c.extreme(w, kind, d, x[0], x[1])
		c.when(w, a, b, predicate)
		c.replace(w, d, x[0])
		c.when(w, b, a, predicate)
		c.replace(w, d, x[1])
	}
}

func clamp(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t := c.vec()
	c.extreme(w, rangeMax, t, x[0], x[1])
	c.extreme(w, rangeMin, d, t, x[2])
}

func step(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VPBROADCASTD, w, d, c.number(isa.F32, uint64(math.Float32bits(1))))
	c.when(w, x[1], x[0], amd64.Imm(cmpLess))
	c.clear(w, d)
}

// sign is one with the sign of x, but a zero for a zero and +0 for a NaN.
func sign(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t := c.vec()
	c.V(amd64.VPBROADCASTD, w, d, c.number(isa.F32, 1<<31))
	c.V(amd64.VPANDD, w, d, d, x[0])
	c.when(w, x[0], x[0], amd64.Imm(cmpUnordered))
	c.clear(w, d)
	c.when(w, x[0], c.floatSplat(isa.F32, 0), amd64.Imm(cmpNotEqual))
	c.V(amd64.VPORD, w, t, d, c.floatSplat(isa.F32, 1))
	c.replace(w, d, t)
}

func roundHalfAway(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	t := c.vec()
	c.roundTo(w, d, x[0], roundZero)
	c.V(amd64.VSUBPS, w, t, x[0], d)
	c.V(amd64.VPANDD, w, t, t, c.splat(isa.F32, 1<<31-1, 0))
	c.when(w, t, c.floatSplat(isa.F32, 0.5), amd64.Imm(cmpGreaterEqual))
	c.V(amd64.VPANDD, w, t, x[0], c.sign(isa.F32))
	c.V(amd64.VPORD, w, t, t, c.floatSplat(isa.F32, 1))
	c.V(amd64.VADDPS, w, t, d, t)
	c.replace(w, d, t)
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
		c.roundTo(w, d, x[0], roundZero)
		return
	}
	t := c.vec()
	c.roundTo(w, t, x[0], roundZero)
	c.V(amd64.VSUBPS, w, d, x[0], t)
	c.when(w, x[0], t, amd64.Imm(cmpEqual))
	c.clear(w, d)
	c.V(amd64.VPANDD, w, t, x[0], c.sign(isa.F32))
	c.V(amd64.VPORD, w, d, d, t)
}

// fract is x-floor(x), below one. For integers it is +0, but zeros and infinities keep their sign.
func fract(c *compiler, w amd64.Width, in *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	if in.Imm&isa.MathStored != 0 {
		c.roundTo(w, d, x[0], roundDown)
		return
	}
	t := c.vec()
	c.roundTo(w, t, x[0], roundDown)
	c.V(amd64.VSUBPS, w, d, x[0], t)
	c.when(w, x[0], t, amd64.Imm(cmpEqual))
	c.clear(w, d)
	c.V(amd64.VPBROADCASTD, w, t, c.number(isa.F32, uint64(math.Float32bits(0x1.fffffep-1))))
	c.V(amd64.VMINPS, w, d, t, d)
	// That is where they are their own double.
	c.V(amd64.VADDPS, w, t, x[0], x[0])
	c.when(w, t, x[0], amd64.Imm(cmpEqual))
	c.V(amd64.VPANDD, w, t, x[0], c.sign(isa.F32))
	c.replace(w, d, t)
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

func copysign(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VPBROADCASTD, w, d, c.number(isa.F32, 1<<31))
	if c.set.broadcasts() {
		c.V(amd64.VPTERNLOGD, w, d, x[1], x[0], amd64.Imm(ternarySelect))
		return
	}
	c.V(amd64.VPANDND, w, vecTemp, d, x[0])
	c.V(amd64.VPANDD, w, d, d, x[1])
	c.V(amd64.VPORD, w, d, d, vecTemp)
}

func fabs(c *compiler, w amd64.Width, _ *isa.Inst, d amd64.Vec, x []amd64.Vec) {
	c.V(amd64.VPANDD, w, d, x[0], c.splat(isa.F32, 1<<31-1, 0))
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
	c.when(w, abs, c.floatSplat(isa.F32, 0x1p-14), amd64.Imm(cmpLess))
	c.replace(w, d, t)
	return d
}
