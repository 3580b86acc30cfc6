package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// Mathematics64 is the family of functions of package clmath on F64: those that are a few instructions, and,
// for AVX-512, a few others. Their kernels compute a result and what has to be added to it, with some ten bits
// more than a double has; where these settle how the sum is rounded, that is the correctly rounded result,
// which is what clmath's pairs of doubles give too. Other lanes, some in a thousand, and rare operands are left
// to clmath.
func Mathematics64(features amd64.Features, in *isa.Inst) x86.Emitter {
	switch in.Op {
	case isa.OpMath1, isa.OpMath2, isa.OpMath3:
	default:
		return nil
	}
	if in.Type != isa.F64 || interp.Math64(in) == nil {
		return nil
	}
	name, wide := mathFunc(in), features&amd64.AVX512 != 0
	if simple64[name] && (wide || !without2[name]) {
		return Functions32[name].Emit
	}
	if f := functions64[name]; f != nil && wide {
		return f.Emit
	}
	return nil
}

// function64 computes a function of doubles, which are not to be changed, and sets the lanes that are left to
// Go.
type function64 func(m doubles, lanes amd64.Mask, x ...amd64.Vec) amd64.Vec

var functions64 = map[clmath.Func]function64{
	clmath.FuncExp: exp64, clmath.FuncNativeExp: exp64, clmath.FuncHalfExp: exp64,
	clmath.FuncLog: log64, clmath.FuncNativeLog: log64, clmath.FuncHalfLog: log64,
	clmath.FuncErf: erf64, clmath.FuncErfc: erfc64,
	clmath.FuncPow: pow64, clmath.FuncPowr: pow64, clmath.FuncNativePowr: pow64, clmath.FuncHalfPowr: pow64,
}

// Emit emits the function.
func (f function64) Emit(c *x86.Compiler, in *isa.Inst) {
	lanes := c.Mask()
	o := x86.Callout{F64: interp.Math64(in), Lanes: lanes}
	var x []amd64.Vec
	for i, r := range OperandsOf(in) {
		v := c.Load(r, isa.F64, false)
		x = append(x, v)
		o.Operands[i] = v
	}
	o.Result = f(doubles{c, amd64.Z}, lanes, x...)
	c.CallOut(o)
	c.ResultFloat(in, o.Result)
}

// pair is an unevaluated sum of two doubles, the second one much smaller.
type pairOf struct{ hi, lo amd64.Vec }

// settle returns the sum of a pair, and sets the lanes in which err, the bound of its error, makes a
// difference. err is lost.
func (m doubles) settle(lanes amd64.Mask, p pairOf, err amd64.Vec) amd64.Vec {
	t := m.new(amd64.VSUBPD, p.lo, err)
	m.set(amd64.VADDPD, t, t, p.hi)
	m.set(amd64.VADDPD, err, err, p.lo)
	m.set(amd64.VADDPD, err, err, p.hi)
	m.set(amd64.VCMPPD, lanes, t, err, amd64.Imm(x86.CmpNotEqual))
	return t
}

// also adds to lanes those in which x and y compare so.
func (m doubles) also(lanes amd64.Mask, x amd64.Vec, y amd64.Operand, predicate amd64.Imm) {
	m.set(amd64.VCMPPD, x86.MaskTemp, x, y, predicate)
	m.V(amd64.KORW, amd64.X, lanes, lanes, x86.MaskTemp)
}

// except takes off lanes those in which x and y compare so.
func (m doubles) except(lanes amd64.Mask, x amd64.Vec, y amd64.Operand, predicate amd64.Imm) {
	m.set(amd64.VCMPPD, x86.MaskTemp, x, y, predicate)
	m.V(amd64.KANDNW, amd64.X, lanes, x86.MaskTemp, lanes)
}

// fastTwoSum adds the error of the sum a+b, where |a| >= |b|, to lo, and makes a the sum. b stays.
func (m doubles) fastTwoSum(a, b, lo amd64.Vec) {
	s := m.new(amd64.VADDPD, a, b)
	t := m.new(amd64.VSUBPD, s, a)
	m.set(amd64.VSUBPD, t, b, t)
	m.set(amd64.VADDPD, lo, lo, t)
	m.set(amd64.VMOVDQA64, a, s)
}

// twoSum is fastTwoSum for all a and b.
func (m doubles) twoSum(a, b, lo amd64.Vec) {
	s := m.new(amd64.VADDPD, a, b)
	t := m.new(amd64.VSUBPD, s, a)
	u := m.new(amd64.VSUBPD, s, t)
	m.set(amd64.VSUBPD, u, a, u)
	m.set(amd64.VSUBPD, t, b, t)
	m.set(amd64.VADDPD, t, t, u)
	m.set(amd64.VADDPD, lo, lo, t)
	m.set(amd64.VMOVDQA64, a, s)
}

// gather returns the elements of a table that index, in whole numbers, selects.
func (m doubles) gather(table []float64, index amd64.Vec) amd64.Vec {
	d := m.Vec()
	m.G(amd64.LEA, amd64.B64, x86.RegTemp, m.table(table))
	m.set(amd64.VPXORQ, d, d, d)
	m.V(amd64.KXNORW, amd64.X, x86.MaskTemp, x86.MaskTemp, x86.MaskTemp)
	m.V(amd64.VGATHERQPD, m.w, d, amd64.VMem(x86.RegTemp, index, 8, 0), amd64.Merge(x86.MaskTemp))
	return d
}

// expPair returns a pair and k with exp(x+xlo) = pair * 2^floor(k), to 2^-64, for |x| up to 800. x and xlo
// are lost. x is n*log(2)/64 + r.
func (m doubles) expPair(x, xlo amd64.Vec) (p pairOf, k amd64.Vec) {
	n := m.all(64 * math.Log2E)
	m.fma(n, x, m.num(roundShift))
	k = m.new(amd64.VSUBPD, n, m.num(roundShift))
	m.subProduct(x, k, m.num(ln2By64Slices[0]))
	r := m.new(amd64.VMOVDQA64, x)
	m.subProduct(r, k, m.num(ln2By64Slices[1]))
	m.set(amd64.VSUBPD, x, x, r)
	m.subProduct(x, k, m.num(ln2By64Slices[1]))
	m.subProduct(x, k, m.num(ln2By64Slices[2]))
	m.set(amd64.VADDPD, xlo, xlo, x) // what r lacks
	// exp of both, less 1 and r.
	tail := m.poly(r, []float64{1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320})
	m.set(amd64.VMULPD, x, r, r)
	m.set(amd64.VMULPD, tail, tail, x)
	m.set(amd64.VMULPD, x, x, m.num(0.5))
	m.set(amd64.VADDPD, x, x, r)
	m.addProduct(xlo, xlo, x) // xlo may be 2^-44
	m.set(amd64.VADDPD, tail, tail, xlo)
	m.set(amd64.VPANDQ, n, n, m.bits64(63))
	hi, lo := m.gather(powers64, n), m.gather(powers64Rest, n)
	m.addProduct(lo, lo, r)
	m.addProduct(lo, hi, tail)
	t := m.new(amd64.VMULPD, hi, r)
	q := m.new(amd64.VMOVDQA64, hi)
	m.set(amd64.VFMSUB213PD, q, r, t)
	m.set(amd64.VADDPD, lo, lo, q)
	m.fastTwoSum(hi, t, lo)
	m.set(amd64.VMULPD, k, k, m.num(1.0/64))
	return pairOf{hi, lo}, k
}

// exp64 leaves to Go what has a denormal result, or nearly.
func exp64(m doubles, lanes amd64.Mask, xs ...amd64.Vec) amd64.Vec {
	x, t := m.new(amd64.VMOVDQA64, xs[0]), m.all(-800)
	m.set(amd64.VMAXPD, x, t, x)
	m.set(amd64.VPBROADCASTQ, t, m.Const64(math.Float64bits(800)))
	m.set(amd64.VMINPD, x, t, x)
	m.set(amd64.VPXORQ, t, t, t)
	p, k := m.expPair(x, t)
	m.set(amd64.VPBROADCASTQ, t, m.Const64(math.Float64bits(0x1p-63)))
	y := m.settle(lanes, p, t)
	m.set(amd64.VSCALEFPD, y, y, k)
	m.rare(lanes, k, 1019)
	return y
}

// rare adds to lanes those in which 2^k is denormal or infinite, or nearly so, beyond 2^ordinary, but does not
// round to 0 by far; elsewhere beyond the range, nothing is unsettled.
func (m doubles) rare(lanes amd64.Mask, k amd64.Vec, ordinary float64) {
	a := m.abs(k)
	m.except(lanes, a, m.num(1090), x86.CmpGreaterEqual)
	m.set(amd64.VCMPPD, x86.MaskTemp, a, m.num(ordinary), amd64.Imm(x86.CmpGreater))
	m.set(amd64.VCMPPD, x86.MaskTemp, a, m.num(1090), amd64.Imm(x86.CmpLess), amd64.Merge(x86.MaskTemp))
	m.V(amd64.KORW, amd64.X, lanes, lanes, x86.MaskTemp)
}

// logPair returns log(x), to 2^-63 of it, for positive normal x: x is 2^e times a mantissa from 0.6875 on,
// for which tables have a short inverse c and -log(c).
func (m doubles) logPair(x amd64.Vec) pairOf {
	d := m.new(amd64.VPSUBQ, x, m.bits64(math.Float64bits(0.6875)))
	e, t := m.new(amd64.VPSRAQ, d, amd64.Imm(52)), m.new(amd64.VPANDQ, d, m.bits64(0xfff<<52))
	m.set(amd64.VCVTQQ2PD, e, e)
	m.set(amd64.VPSRLQ, d, d, amd64.Imm(45))
	m.set(amd64.VPANDQ, d, d, m.bits64(127))
	mant := m.new(amd64.VPSUBQ, x, t)
	c := m.gather(logInverse64, d)
	// r + rlo = mant*c - 1
	m.set(amd64.VMULPD, t, mant, c)
	m.set(amd64.VFMSUB213PD, mant, c, t)
	m.set(amd64.VSUBPD, t, t, m.num(1))
	r := m.new(amd64.VADDPD, t, mant)
	rlo := c
	m.set(amd64.VSUBPD, rlo, r, t)
	m.set(amd64.VSUBPD, rlo, mant, rlo)
	// log(1+r) = r - r*r/2 + r^3*s
	s := m.poly(r, []float64{1.0 / 3, -1.0 / 4, 1.0 / 5, -1.0 / 6, 1.0 / 7, -1.0 / 8, 1.0 / 9, -1.0 / 10, 1.0 / 11})
	half, lo := m.new(amd64.VMULPD, r, m.num(-0.5)), m.Vec()
	m.set(amd64.VMULPD, t, half, r) // -r*r/2
	m.set(amd64.VMOVDQA64, lo, half)
	m.set(amd64.VFMSUB213PD, lo, r, t) // what t lacks
	m.set(amd64.VMULPD, mant, r, r)
	m.set(amd64.VMULPD, mant, mant, r)
	m.addProduct(lo, mant, s)
	m.set(amd64.VADDPD, lo, lo, rlo)
	m.subProduct(lo, r, rlo)
	rest := m.gather(logNegative64Rest, d)
	m.addProduct(rest, e, m.num(ln2Slices[1]))
	m.set(amd64.VADDPD, lo, lo, rest)
	m.set(amd64.VMULPD, e, e, m.num(ln2Slices[0]))
	hi := e
	negative := m.gather(logNegative64, d)
	m.twoSum(hi, negative, lo)
	m.twoSum(hi, r, lo)
	m.twoSum(hi, t, lo)
	return pairOf{hi, lo}
}

// log64 leaves denormals to Go.
func log64(m doubles, lanes amd64.Mask, xs ...amd64.Vec) amd64.Vec {
	x := xs[0]
	p := m.logPair(x)
	err := m.new(amd64.VPANDQ, p.hi, m.bits64(1<<63-1))
	m.set(amd64.VMULPD, err, err, m.num(0x1p-62))
	y := m.settle(lanes, p, err)
	m.also(lanes, x, m.num(0x1p-1022), x86.CmpLess)
	m.set(amd64.VPBROADCASTQ, err, m.Const64(math.Float64bits(math.Inf(-1))))
	m.when(x, m.num(0), x86.CmpEqual)
	m.replace(y, err)
	m.V(amd64.KANDNW, amd64.X, lanes, x86.MaskTemp, lanes)
	// Infinities and NaNs are their own logarithms, but for the sign of an infinity, of which, as of negative
	// numbers, there is none.
	m.when(x, m.num(math.Inf(1)), x86.CmpNotLessU)
	m.replace(y, x)
	m.V(amd64.KANDNW, amd64.X, lanes, x86.MaskTemp, lanes)
	m.set(amd64.VPBROADCASTQ, err, m.Const64(math.Float64bits(math.NaN())))
	m.when(x, m.num(0), x86.CmpLess)
	m.replace(y, err)
	m.V(amd64.KANDNW, amd64.X, lanes, x86.MaskTemp, lanes)
	return y
}

// pow64 computes exp(y*log(x)) for positive normal x and ordinary y, and leaves others to Go.
func pow64(m doubles, lanes amd64.Mask, xs ...amd64.Vec) amd64.Vec {
	x, y := xs[0], xs[1]
	p := m.logPair(x)
	t := m.new(amd64.VMULPD, p.hi, y)
	m.set(amd64.VFMSUB213PD, p.hi, y, t)
	m.addProduct(p.hi, p.lo, y)
	arg := m.new(amd64.VADDPD, t, p.hi)
	m.set(amd64.VSUBPD, p.lo, arg, t)
	m.set(amd64.VSUBPD, p.lo, p.hi, p.lo)
	ordinary := m.abs(arg)
	err := m.all(0x1p-63)
	m.addProduct(err, ordinary, m.num(0x1p-61))
	q, k := m.expPair(arg, p.lo)
	r := m.settle(lanes, q, err)
	m.set(amd64.VSCALEFPD, r, r, k)
	m.also(lanes, ordinary, m.num(700), x86.CmpNotLessU)
	m.also(lanes, x, m.num(0x1p-1022), x86.CmpNotGreaterEqU)
	m.also(lanes, x, m.num(math.Inf(1)), x86.CmpNotLessU)
	return r
}
