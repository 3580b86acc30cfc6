package mathfn

import (
	"encoding/binary"
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

//go:generate go run ../../../clmath/internal/genvector

// Mathematics is the family of the functions of package clmath on F32.
//
// Their results are correctly rounded, so that code need not follow clmath's to give the same bits: it
// computes in double precision, as many lanes at a time as a register holds, and looks whether the result is
// so near to the middle of two floats that its error may decide how it is rounded. Such lanes, some in a
// million, are left to clmath (see callout).
func Mathematics(features amd64.Features, in *isa.Inst) x86.Emitter {
	switch in.Op {
	case isa.OpMath1, isa.OpMath2, isa.OpMath3:
	default:
		return nil
	}
	if in.Type != isa.F32 || interp.Math32(in) == nil {
		return nil
	}
	name := mathFunc(in)
	f := Functions32[name]
	if f == nil || name == clmath.FuncRemquo && in.Imm&isa.MathStored != 0 {
		return nil
	}
	if features&amd64.AVX512 == 0 && without2[name] || in.Imm&isa.MathHalf != 0 && withoutHalf[name] {
		return nil
	}
	return f.Emit
}

// mathFunc returns the function that an instruction names.
func mathFunc(in *isa.Inst) clmath.Func { return clmath.Func(in.Imm & 0xff) }

// withoutHalf are the functions whose code for floats does not serve halves.
var withoutHalf = map[clmath.Func]bool{
	clmath.FuncFma: true, clmath.FuncMad: true, clmath.FuncNextafter: true, clmath.FuncFract: true,
}

// kernel computes a function in double precision. It may overwrite its operands; its result is in a temporary
// register or one of them.
type kernel func(m doubles, x ...amd64.Vec) amd64.Vec

// Function32 is a function of F32 by way of double precision.
type Function32 struct {
	kernel kernel
	// small says that results may be below the normal floats, or zero without being exactly so.
	small bool
	// absolute says that the kernel leaves a bound of its error in its first operand.
	absolute bool
	// Operands of a smaller magnitude than tiny are their own results.
	tiny float64
	// Operands of at least the magnitude far, infinities not counted, are left to Go.
	far float64
	// integer says that the second operand is an integer.
	integer bool
	// nan says that results that are not numbers are left to Go.
	nan bool
	// The error of the kernel is below 2^-settled of the result; 0 means [settledBits].
	Settled int
}

var (
	expFunc   = &Function32{kernel: exponential(baseE), small: true}
	exp2Func  = &Function32{kernel: exponential(base2), small: true}
	exp10Func = &Function32{kernel: exponential(base10), small: true}
	logFunc   = &Function32{kernel: natural.kernel}
	log2Func  = &Function32{kernel: binary2.kernel}
	log10Func = &Function32{kernel: decimal.kernel}
	sinFunc   = &Function32{kernel: doubles.sin, tiny: 0x1p-13, far: 0x1p24}
	cosFunc   = &Function32{kernel: doubles.cos, far: 0x1p24}
	tanFunc   = &Function32{kernel: doubles.tan, tiny: 0x1p-13, far: 0x1p24}
	rsqrtFunc = &Function32{kernel: doubles.rsqrt}
	powrFunc  = &Function32{kernel: doubles.powr, small: true, Settled: 42}

	remainderFunc = &Function32{kernel: doubles.remainder, absolute: true}
)

// math32 is a function that has machine code.
type math32 interface {
	Emit(c *x86.Compiler, in *isa.Inst)
}

// Functions32 are the functions that have machine code. Those with two results are there once.
var Functions32 = map[clmath.Func]math32{
	clmath.FuncExp: expFunc, clmath.FuncHalfExp: expFunc, clmath.FuncNativeExp: expFunc,
	clmath.FuncExp2: exp2Func, clmath.FuncHalfExp2: exp2Func, clmath.FuncNativeExp2: exp2Func,
	clmath.FuncExp10: exp10Func, clmath.FuncHalfExp10: exp10Func, clmath.FuncNativeExp10: exp10Func,
	clmath.FuncExpm1: &Function32{kernel: func(m doubles, x ...amd64.Vec) amd64.Vec { return m.expm1(x[0]) }, tiny: 0x1p-27},
	clmath.FuncSinh:  &Function32{kernel: doubles.sinh, tiny: 0x1p-13},
	clmath.FuncCosh:  &Function32{kernel: doubles.cosh},
	clmath.FuncTanh:  &Function32{kernel: doubles.tanh, tiny: 0x1p-13},

	clmath.FuncLog: logFunc, clmath.FuncHalfLog: logFunc, clmath.FuncNativeLog: logFunc,
	clmath.FuncLog2: log2Func, clmath.FuncHalfLog2: log2Func, clmath.FuncNativeLog2: log2Func,
	clmath.FuncLog10: log10Func, clmath.FuncHalfLog10: log10Func, clmath.FuncNativeLog10: log10Func,
	clmath.FuncLog1p: &Function32{kernel: func(m doubles, x ...amd64.Vec) amd64.Vec { return m.log1p(x[0]) }, tiny: 0x1p-27},
	clmath.FuncAsinh: &Function32{kernel: doubles.asinh, tiny: 0x1p-13},
	clmath.FuncAcosh: &Function32{kernel: doubles.acosh},
	clmath.FuncAtanh: &Function32{kernel: doubles.atanh, tiny: 0x1p-13},

	clmath.FuncSin: sinFunc, clmath.FuncHalfSin: sinFunc, clmath.FuncNativeSin: sinFunc,
	clmath.FuncCos: cosFunc, clmath.FuncHalfCos: cosFunc, clmath.FuncNativeCos: cosFunc,
	clmath.FuncTan: tanFunc, clmath.FuncHalfTan: tanFunc, clmath.FuncNativeTan: tanFunc,
	clmath.FuncSinCos: sinCos{},
	clmath.FuncSinPi:  &Function32{kernel: doubles.sinPi, small: true},
	clmath.FuncCosPi:  &Function32{kernel: doubles.cosPi},
	clmath.FuncTanPi:  &Function32{kernel: doubles.tanPi, small: true},

	clmath.FuncAtan:    &Function32{kernel: doubles.atan, tiny: 0x1p-13},
	clmath.FuncAtanPi:  &Function32{kernel: overPi(doubles.atan), small: true},
	clmath.FuncAtan2:   &Function32{kernel: doubles.atan2, small: true},
	clmath.FuncAtan2Pi: &Function32{kernel: overPi(doubles.atan2), small: true},
	clmath.FuncAsin:    &Function32{kernel: doubles.asin, tiny: 0x1p-13},
	clmath.FuncAsinPi:  &Function32{kernel: overPi(doubles.asin), small: true},
	clmath.FuncAcos:    &Function32{kernel: doubles.acos},
	clmath.FuncAcosPi:  &Function32{kernel: overPi(doubles.acos)},

	clmath.FuncErf:  &Function32{kernel: doubles.erf, small: true},
	clmath.FuncErfc: &Function32{kernel: doubles.erfc, small: true},

	clmath.FuncRsqrt: rsqrtFunc, clmath.FuncHalfRsqrt: rsqrtFunc, clmath.FuncNativeRsqrt: rsqrtFunc,
	clmath.FuncCbrt:  &Function32{kernel: doubles.cbrt},
	clmath.FuncHypot: &Function32{kernel: doubles.hypot, small: true},

	clmath.FuncPow:  &Function32{kernel: doubles.pow, small: true, Settled: 42},
	clmath.FuncPown: &Function32{kernel: doubles.pow, small: true, Settled: 42, integer: true},
	clmath.FuncPowr: powrFunc, clmath.FuncHalfPowr: powrFunc, clmath.FuncNativePowr: powrFunc,
	clmath.FuncRootn: &Function32{kernel: doubles.rootn, small: true, Settled: 42, integer: true},

	clmath.FuncFmod:      &Function32{kernel: doubles.fmod, absolute: true},
	clmath.FuncRemainder: remainderFunc, clmath.FuncRemquo: remainderFunc,

	clmath.FuncDegrees:    &Function32{kernel: times(180 / math.Pi), small: true},
	clmath.FuncRadians:    &Function32{kernel: times(math.Pi / 180), small: true},
	clmath.FuncMix:        &Function32{kernel: doubles.mix, absolute: true},
	clmath.FuncSmoothstep: &Function32{kernel: doubles.smoothstep, small: true, nan: true},

	clmath.FuncSqrt: one(x86.OpSqrt), clmath.FuncHalfSqrt: one(x86.OpSqrt), clmath.FuncNativeSqrt: one(x86.OpSqrt),
	clmath.FuncHalfRecip: simple(recip), clmath.FuncNativeRecip: simple(recip),
	clmath.FuncHalfDivide: one(x86.OpFDiv), clmath.FuncNativeDivide: one(x86.OpFDiv),
	clmath.FuncFma: simple(fma32), clmath.FuncMad: simple(fma32),
	clmath.FuncFdim: simple(fdim), clmath.FuncFmax: extreme(x86.RangeMax), clmath.FuncFmin: extreme(x86.RangeMin),
	clmath.FuncFmaxCommon: choose(0, 1), clmath.FuncFminCommon: choose(1, 0),
	clmath.FuncMaxmag: extremeMagnitude(x86.RangeMax, x86.CmpGreater), clmath.FuncMinmag: extremeMagnitude(x86.RangeMin, x86.CmpLess),
	clmath.FuncFclamp: simple(clamp), clmath.FuncStep: simple(step), clmath.FuncSign: simple(sign),
	clmath.FuncFloor: one(x86.OpRound, amd64.Imm(x86.RoundDown)), clmath.FuncCeil: one(x86.OpRound, amd64.Imm(x86.RoundUp)),
	clmath.FuncTrunc: one(x86.OpRound, amd64.Imm(x86.RoundZero)), clmath.FuncRint: one(x86.OpRound, amd64.Imm(x86.RoundNearest)),
	clmath.FuncRound: simple(roundHalfAway), clmath.FuncFabs: simple(fabs), clmath.FuncCopysign: simple(copysign),
	clmath.FuncLdexp: simple(ldexp), clmath.FuncLogb: one(x86.OpExponent), clmath.FuncIlogb: simple(ilogb), clmath.FuncFrexp: simple(frexp),
	clmath.FuncModf: simple(modf), clmath.FuncFract: simple(fract), clmath.FuncNextafter: simple(nextafter), clmath.FuncNan: simple(nan),
}

// sinCos is the sine, or, of what sincos stores, the cosine.
type sinCos struct{}

// Emit emits both functions.
func (sinCos) Emit(c *x86.Compiler, in *isa.Inst) {
	if in.Imm&isa.MathStored != 0 {
		cosFunc.Emit(c, in)
	} else {
		sinFunc.Emit(c, in)
	}
}

// OperandsOf returns the operands of an instruction of one to three.
func OperandsOf(in *isa.Inst) []isa.Reg {
	return []isa.Reg{in.A, in.B, in.C}[:1+int(in.Op.Info().Shape-isa.ShapeUnary)]
}

// settledBits is what kernels hold to that do not say otherwise.
const settledBits = 46

// margin is the bound of the error.
func (f *Function32) margin() float64 {
	if f.Settled != 0 {
		return math.Ldexp(1, -f.Settled)
	}
	return math.Ldexp(1, -settledBits)
}

// Emit emits the function for a group.
func (f *Function32) Emit(c *x86.Compiler, in *isa.Inst) {
	if c.ISA.Bits() == 256 {
		f.emit2(c, in)
		return
	}
	m := doubles{c, amd64.Z}
	w := c.Width(isa.F32)
	lanes := c.Mask()
	o := x86.Callout{F: interp.Math32(in), Lanes: lanes}
	var x []amd64.Vec
	for i, r := range OperandsOf(in) {
		v := c.Load(r, isa.F32, i == 1 && f.integer)
		x = append(x, v)
		o.Operands[i] = v
	}
	d := c.Vec()
	for half := range c.Lanes / 8 {
		var wide []amd64.Vec
		for i, v := range x {
			y := c.Vec()
			if half == 1 {
				c.V(amd64.VEXTRACTF64X4, amd64.Z, y, v, amd64.Imm(1))
				v = y
			}
			if i == 1 && f.integer {
				c.V(amd64.VCVTDQ2PD, amd64.Z, y, v)
			} else {
				c.V(amd64.VCVTPS2PD, amd64.Z, y, v)
			}
			wide = append(wide, y)
		}
		y := f.kernel(m, wide...)
		k := lanes
		if half == 1 {
			k = x86.MaskTemp
		}
		if f.absolute {
			m.unsettledBy(k, y, wide[0])
		} else {
			m.unsettled(k, y, f.small, f.margin())
		}
		if half == 0 {
			c.V(amd64.VCVTPD2PS, amd64.Z, d, y)
		} else {
			c.V(amd64.VCVTPD2PS, amd64.Z, y, y)
			c.V(amd64.VINSERTF64X4, amd64.Z, d, d, y, amd64.Imm(1))
			c.V(amd64.KUNPCKBW, amd64.X, lanes, x86.MaskTemp, lanes)
		}
	}
	if f.tiny != 0 || f.far != 0 {
		abs := c.Vec()
		c.V(amd64.VPANDD, w, abs, x[0], c.Splat(isa.F32, 1<<31-1, 0))
		if f.far != 0 {
			least, infinity := math.Float32bits(float32(f.far)), math.Float32bits(float32(math.Inf(1)))
			t := c.Vec()
			c.V(amd64.VPSUBD, w, t, abs, c.Splat(isa.F32, least, 0))
			c.V(amd64.VPCMPUD, w, x86.MaskTemp, t, c.Splat(isa.F32, infinity-least, 0), amd64.Imm(x86.IntLess))
			c.V(amd64.KORW, amd64.X, lanes, lanes, x86.MaskTemp)
		}
		if f.tiny != 0 {
			c.V(amd64.VCMPPS, w, x86.MaskTemp, abs, c.FloatSplat(isa.F32, f.tiny), amd64.Imm(x86.CmpLess))
			c.V(amd64.VMOVDQA32, w, d, x[0], amd64.Merge(x86.MaskTemp))
			c.V(amd64.KANDNW, amd64.X, lanes, x86.MaskTemp, lanes)
		}
	}
	if f.nan {
		c.V(amd64.VCMPPS, w, x86.MaskTemp, d, d, amd64.Imm(x86.CmpUnordered))
		c.V(amd64.KORW, amd64.X, lanes, lanes, x86.MaskTemp)
	}
	if in.Imm&isa.MathHalf != 0 {
		middles := halfMiddles(c, w, d)
		c.V(amd64.VPTESTNMD, w, x86.MaskTemp, middles, middles)
		c.V(amd64.KORW, amd64.X, lanes, lanes, x86.MaskTemp)
	}
	o.Result = d
	c.CallOut(o)
	c.ResultFloat(in, d)
}

// doubles emits arithmetic on vectors of doubles, of width w.
type doubles struct {
	*x86.Compiler
	w amd64.Width
}

// new returns a new temporary register with the result of an instruction.
func (m doubles) new(op amd64.Op, operands ...amd64.Operand) amd64.Vec {
	d := m.Vec()
	m.set(op, d, operands...)
	return d
}

// set emits an instruction that writes, and perhaps reads, d.
func (m doubles) set(op amd64.Op, d amd64.Operand, operands ...amd64.Operand) {
	m.V(op, m.w, append([]amd64.Operand{d}, operands...)...)
}

// num is a number for all lanes.
func (m doubles) num(v float64) amd64.Mem { return m.bits64(math.Float64bits(v)) }

// bits64 is a number of 64 bits for all lanes.
func (m doubles) bits64(v uint64) amd64.Mem { return m.Number64(m.w, v) }

// all returns a register with a number in all lanes.
func (m doubles) all(v float64) amd64.Vec {
	return m.new(amd64.VPBROADCASTQ, m.Const64(math.Float64bits(v)))
}

// fma does d = d*x + y.
func (m doubles) fma(d, x amd64.Vec, y amd64.Operand) { m.set(amd64.VFMADD213PD, d, x, y) }

// addProduct does d += x*y, subProduct d -= x*y.
func (m doubles) addProduct(d, x amd64.Vec, y amd64.Operand) { m.set(amd64.VFMADD231PD, d, x, y) }
func (m doubles) subProduct(d, x amd64.Vec, y amd64.Operand) { m.set(amd64.VFNMADD231PD, d, x, y) }

// poly returns the value at x of the polynomial with the given coefficients, constant first.
func (m doubles) poly(x amd64.Vec, coefficients []float64) amd64.Vec {
	n := len(coefficients) - 1
	p := m.all(coefficients[n])
	for i := n - 1; i >= 0; i-- {
		m.fma(p, x, m.num(coefficients[i]))
	}
	return p
}

// table is 8 or 16 numbers in memory.
func (m doubles) table(v []float64) amd64.Mem {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return m.Const(b)
}

// lookUp returns the elements of a table of 16 that the last four bits of index select.
func (m doubles) lookUp(table []float64, index amd64.Vec) amd64.Vec {
	if m.w == amd64.Y {
		return m.lookUp2(table, index)
	}
	t := m.table(table)
	d := m.new(amd64.VMOVDQU64, t)
	m.set(amd64.VPERMT2PD, d, index, t.Plus(64))
	return d
}

// round rounds doubles to integers.
func (m doubles) round(d, x amd64.Vec, mode amd64.Imm) {
	if m.w == amd64.Y {
		m.set(amd64.VROUNDPD, d, x, mode)
		return
	}
	m.set(amd64.VRNDSCALEPD, d, x, mode)
}

// scale multiplies y by 2^k, where the result is a normal number. k is lost.
func (m doubles) scale(y, k amd64.Vec) {
	if m.w == amd64.Y {
		m.set(amd64.VADDPD, k, k, m.num(roundShift+1023))
		m.set(amd64.VPSLLQ, k, k, amd64.Imm(52))
		m.set(amd64.VMULPD, y, y, k)
		return
	}
	m.set(amd64.VSCALEFPD, y, y, k)
}

// Of VGETMANTPD: into [3/4, 3/2), a NaN for what is negative.
const mantissaPositive = 2<<2 | 3

// split returns the mantissa of normal numbers, in [3/4, 3/2), and the exponent that belongs to it, its sign
// changed.
func (m doubles) split(x amd64.Vec) (mant, minusE amd64.Vec) {
	if m.w == amd64.Y {
		return m.split2(x)
	}
	mant = m.new(amd64.VGETMANTPD, x, amd64.Imm(mantissaPositive))
	minusE = m.new(amd64.VGETEXPPD, mant)
	e := m.new(amd64.VGETEXPPD, x)
	m.set(amd64.VSUBPD, minusE, minusE, e)
	return mant, minusE
}

// logAtEnds gives y the logarithm of what x has that is not a positive normal number, unless [doubles.split]
// has led to it.
func (m doubles) logAtEnds(y, x amd64.Vec) {
	if m.w == amd64.Y {
		m.logAtEnds2(y, x)
	}
}

// swapBySign sets d to b where n is negative, else to a, and b to the other one.
func (m doubles) swapBySign(d, a, b, n amd64.Vec) {
	if m.w == amd64.Y {
		m.set(amd64.VBLENDVPD, d, a, b, n)
		m.set(amd64.VBLENDVPD, b, b, a, n)
		return
	}
	m.V(amd64.VPMOVQ2M, amd64.Z, x86.MaskTemp, n)
	m.set(amd64.VPBLENDMQ, d, a, b, amd64.Merge(x86.MaskTemp))
	m.set(amd64.VMOVDQA64, b, a, amd64.Merge(x86.MaskTemp))
}

// when selects the lanes in which x and y compare so; replace puts x into these lanes of d. They follow each
// other, with no other use of temporary masks in between, nor registers taken.
func (m doubles) when(x amd64.Vec, y amd64.Operand, predicate amd64.Imm) {
	if m.w == amd64.Y {
		m.set(amd64.VCMPPD, x86.VecTemp, x, y, predicate)
		return
	}
	m.set(amd64.VCMPPD, x86.MaskTemp, x, y, predicate)
}

// whenNegative is when for the lanes in which x has its sign bit set.
func (m doubles) whenNegative(x amd64.Vec) {
	if m.w == amd64.Y {
		m.set(amd64.VMOVDQA64, x86.VecTemp, x)
		return
	}
	m.set(amd64.VPMOVQ2M, x86.MaskTemp, x)
}

func (m doubles) replace(d, x amd64.Vec) {
	if m.w == amd64.Y {
		m.set(amd64.VBLENDVPD, d, d, x, x86.VecTemp)
		return
	}
	m.set(amd64.VMOVDQA64, d, x, amd64.Merge(x86.MaskTemp))
}

// unsettled makes k the lanes of y that may be rounded to a wrong float. y stays as it is.
func (m doubles) unsettled(k amd64.Mask, y amd64.Vec, small bool, e float64) {
	if small {
		t, u := m.new(amd64.VMULPD, y, m.num(1-e)), m.new(amd64.VMULPD, y, m.num(1+e))
		m.set(amd64.VCVTPD2PS, t, t)
		m.set(amd64.VCVTPD2PS, u, u)
		m.V(amd64.VCMPPS, amd64.Y, k, t, u, amd64.Imm(x86.CmpNotEqual))
		return
	}
	// The 29 bits that rounding drops are 100...0 in the middle of two floats. Shifted up, they are compared
	// alone.
	units := uint64(math.Ldexp(e, 52))
	t := m.new(amd64.VPADDQ, y, m.bits64(1<<64-1<<28+units))
	m.set(amd64.VPSLLQ, t, t, amd64.Imm(35))
	m.V(amd64.VPCMPUQ, amd64.Z, k, t, m.Const64(2*units<<35).Bcast(), amd64.Imm(x86.IntLess))
}

// unsettledBy is unsettled with a bound e of the error. e is lost.
func (m doubles) unsettledBy(k amd64.Mask, y, e amd64.Vec) {
	t := m.new(amd64.VSUBPD, y, e)
	m.set(amd64.VADDPD, e, y, e)
	m.set(amd64.VCVTPD2PS, t, t)
	m.set(amd64.VCVTPD2PS, e, e)
	m.V(amd64.VCMPPS, amd64.Y, k, t, e, amd64.Imm(x86.CmpNotEqual))
}
