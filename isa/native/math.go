package native

import (
	"encoding/binary"
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

//go:generate go run ../clmath/internal/genvector

// mathematics is the family of the functions of package clmath on F32.
//
// Their results are correctly rounded, so that code need not follow clmath's to give the same bits: it computes in
// double precision, as many lanes at a time as a register holds, and looks whether the result is so near to the middle of two
// floats that its error may decide how it is rounded. Such lanes, some in a million, are left to clmath (see callout).
func mathematics(_ amd64.Features, in *isa.Inst) emitter {
	switch in.Op {
	case isa.OpMath1, isa.OpMath2, isa.OpMath3:
	default:
		return nil
	}
	if in.Type != isa.F32 || in.Imm >= clmath.NumFuncs || interp.Math32(in) == nil {
		return nil
	}
	if f := functions32[clmath.Func(in.Imm)]; f != nil {
		return f.emit
	}
	return nil
}

// kernel computes a function in double precision. It may overwrite its operands; its result is in a temporary
// register or one of them.
type kernel func(m doubles, x ...amd64.Vec) amd64.Vec

// function32 is a function of F32 by way of double precision.
type function32 struct {
	kernel kernel
	// small says that results may be below the normal floats, or zero without being exactly so.
	small bool
	// Operands of a smaller magnitude than tiny are their own results.
	tiny float64
	// Operands of at least the magnitude far, infinities not counted, are left to Go.
	far float64
}

var (
	expFunc   = &function32{kernel: exponential(base{scale: math.Log2E, head: ln2Head, tail: ln2Tail, least: -110, most: 100, poly: expPoly}), small: true}
	exp2Func  = &function32{kernel: exponential(base{scale: 1, head: 1, least: -160, most: 140, poly: exp2Poly}), small: true}
	exp10Func = &function32{kernel: exponential(base{scale: math.Log2E * math.Ln10, head: log10Of2Head, tail: log10Of2Tail, least: -50, most: 40, poly: exp10Poly}), small: true}
	logFunc   = &function32{kernel: logarithm(math.Ln2, logPoly, logTable)}
	log2Func  = &function32{kernel: logarithm(1, log2Poly, log2Table)}
	log10Func = &function32{kernel: logarithm(math.Ln2/math.Ln10, log10Poly, log10Table)}
	sinFunc   = &function32{kernel: doubles.sin, tiny: 0x1p-13, far: 0x1p24}
	cosFunc   = &function32{kernel: doubles.cos, far: 0x1p24}
	tanFunc   = &function32{kernel: doubles.tan, tiny: 0x1p-13, far: 0x1p24}
	rsqrtFunc = &function32{kernel: doubles.rsqrt}
)

// functions32 are the functions that have machine code.
var functions32 = map[clmath.Func]*function32{
	clmath.FuncExp: expFunc, clmath.FuncHalfExp: expFunc, clmath.FuncNativeExp: expFunc,
	clmath.FuncExp2: exp2Func, clmath.FuncHalfExp2: exp2Func, clmath.FuncNativeExp2: exp2Func,
	clmath.FuncExp10: exp10Func, clmath.FuncHalfExp10: exp10Func, clmath.FuncNativeExp10: exp10Func,
	clmath.FuncLog: logFunc, clmath.FuncHalfLog: logFunc, clmath.FuncNativeLog: logFunc,
	clmath.FuncLog2: log2Func, clmath.FuncHalfLog2: log2Func, clmath.FuncNativeLog2: log2Func,
	clmath.FuncLog10: log10Func, clmath.FuncHalfLog10: log10Func, clmath.FuncNativeLog10: log10Func,
	clmath.FuncSin: sinFunc, clmath.FuncHalfSin: sinFunc, clmath.FuncNativeSin: sinFunc,
	clmath.FuncCos: cosFunc, clmath.FuncHalfCos: cosFunc, clmath.FuncNativeCos: cosFunc,
	clmath.FuncTan: tanFunc, clmath.FuncHalfTan: tanFunc, clmath.FuncNativeTan: tanFunc,
	clmath.FuncRsqrt: rsqrtFunc, clmath.FuncHalfRsqrt: rsqrtFunc, clmath.FuncNativeRsqrt: rsqrtFunc,
}

// operandsOf returns the operands of an instruction of one to three.
func operandsOf(in *isa.Inst) []isa.Reg {
	return []isa.Reg{in.A, in.B, in.C}[:1+int(in.Op.Info().Shape-isa.ShapeUnary)]
}

// The error of a kernel is below 2^-settledBits of the result.
const settledBits = 46

// emit emits the function for a group.
func (f *function32) emit(c *compiler, in *isa.Inst) {
	if c.set.bits() == 256 {
		f.emit2(c, in)
		return
	}
	m := doubles{c, amd64.Z}
	w := c.width(isa.F32)
	lanes := c.mask()
	o := callout{f: interp.Math32(in), lanes: lanes}
	var x []amd64.Vec
	for i, r := range operandsOf(in) {
		v := c.load(r, isa.F32, false)
		x = append(x, v)
		o.operands[i] = v
	}
	d := c.vec()
	for half := range c.lanes / 8 {
		pinned := c.pinned
		var wide []amd64.Vec
		for _, v := range x {
			y := c.vec()
			if half == 1 {
				c.V(amd64.VEXTRACTF64X4, amd64.Z, y, v, amd64.Imm(1))
				v = y
			}
			c.V(amd64.VCVTPS2PD, amd64.Z, y, v)
			wide = append(wide, y)
		}
		y := f.kernel(m, wide...)
		k := lanes
		if half == 1 {
			k = maskTemp
		}
		m.unsettled(k, y, f.small)
		if half == 0 {
			c.V(amd64.VCVTPD2PS, amd64.Z, d, y)
		} else {
			c.V(amd64.VCVTPD2PS, amd64.Z, y, y)
			c.V(amd64.VINSERTF64X4, amd64.Z, d, d, y, amd64.Imm(1))
			c.V(amd64.KUNPCKBW, amd64.X, lanes, maskTemp, lanes)
		}
		c.pinned = pinned
	}
	if f.tiny != 0 || f.far != 0 {
		abs := c.vec()
		c.V(amd64.VPANDD, w, abs, x[0], c.splat(isa.F32, 1<<31-1, 0))
		if f.far != 0 {
			least, infinity := math.Float32bits(float32(f.far)), math.Float32bits(float32(math.Inf(1)))
			t := c.vec()
			c.V(amd64.VPSUBD, w, t, abs, c.splat(isa.F32, least, 0))
			c.V(amd64.VPCMPUD, w, maskTemp, t, c.splat(isa.F32, infinity-least, 0), amd64.Imm(intLess))
			c.V(amd64.KORW, amd64.X, lanes, lanes, maskTemp)
		}
		if f.tiny != 0 {
			c.V(amd64.VCMPPS, w, maskTemp, abs, c.floatSplat(isa.F32, f.tiny), amd64.Imm(cmpLess))
			c.V(amd64.VMOVDQA32, w, d, x[0], amd64.Merge(maskTemp))
			c.V(amd64.KANDNW, amd64.X, lanes, maskTemp, lanes)
		}
	}
	o.result = d
	c.callOut(o)
	c.resultFloat(in, d)
}

// doubles emits arithmetic on vectors of doubles, of width w.
type doubles struct {
	*compiler
	w amd64.Width
}

// new returns a new temporary register with the result of an instruction.
func (m doubles) new(op amd64.Op, operands ...amd64.Operand) amd64.Vec {
	d := m.vec()
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
func (m doubles) bits64(v uint64) amd64.Mem {
	if m.w == amd64.Y {
		return m.Splat64(m.w, v)
	}
	return m.Const64(v).Bcast()
}

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
	m.release(e)
	return mant, minusE
}

// logAtEnds gives y the logarithm of what x has that is not a positive normal number, unless [doubles.split] has led to it.
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
	m.V(amd64.VPMOVQ2M, amd64.Z, maskTemp, n)
	m.set(amd64.VPBLENDMQ, d, a, b, amd64.Merge(maskTemp))
	m.set(amd64.VMOVDQA64, b, a, amd64.Merge(maskTemp))
}

// unsettled makes k the lanes of y that may be rounded to a wrong float. y stays as it is.
func (m doubles) unsettled(k amd64.Mask, y amd64.Vec, small bool) {
	if small {
		const e = 1.0 / (1 << settledBits)
		t, u := m.new(amd64.VMULPD, y, m.num(1-e)), m.new(amd64.VMULPD, y, m.num(1+e))
		m.set(amd64.VCVTPD2PS, t, t)
		m.set(amd64.VCVTPD2PS, u, u)
		m.V(amd64.VCMPPS, amd64.Y, k, t, u, amd64.Imm(cmpNotEqual))
		m.release(t, u)
		return
	}
	// The 29 bits that rounding drops are 100...0 in the middle of two floats. Shifted up, they are compared alone.
	const e = 1 << (52 - settledBits)
	t := m.new(amd64.VPADDQ, y, m.Const64(uint64(1<<64-1<<28+e)).Bcast())
	m.set(amd64.VPSLLQ, t, t, amd64.Imm(35))
	m.V(amd64.VPCMPUQ, amd64.Z, k, t, m.Const64(2*e<<35).Bcast(), amd64.Imm(intLess))
	m.release(t)
}
