package clmath

import "math"

// roundShift added to and taken from a double of magnitude below 2^51 rounds
// it to an integer; the low 32 bits of the sum hold that integer if it fits.
const roundShift = 0x1.8p52

// expPoly returns exp(r)-1 for |r| <= log(2)/128, to 2^-54.
func expPoly(r float64) float64 {
	r2 := float64(r * r)
	return r + float64(r2*(0.5+float64(r*(1.0/6))+float64(r2*(1.0/24+float64(r*(1.0/120))))))
}

// expCore returns exp(x) to about 2^-51 relative to the error of x, for
// |x| < 700.
func expCore(x float64) float64 {
	z := float64(x*(64*math.Log2E)) + roundShift
	k := int64(int32(math.Float64bits(z)))
	kf := z - roundShift
	r := (x - float64(kf*ln2By64Head)) - float64(kf*ln2By64TailHi)
	t := expTab[k&63].hi
	y := t + float64(t*expPoly(r))
	return math.Float64frombits(math.Float64bits(y) + uint64(k>>6)<<52)
}

// exp2Core returns 2^x, for |x| < 1000.
func exp2Core(x float64) float64 {
	z := x + roundShift/64
	k := int64(int32(math.Float64bits(z)))
	r := float64((x - (z - roundShift/64)) * math.Ln2)
	t := expTab[k&63].hi
	y := t + float64(t*expPoly(r))
	return math.Float64frombits(math.Float64bits(y) + uint64(k>>6)<<52)
}

// expm1Core returns exp(x)-1 for |x| < 700, to about 2^-50.
func expm1Core(x float64) float64 {
	if x < 0.3 && x > -0.3 {
		p := 1.0/479001600 + float64(x*(1.0/6227020800))
		p = 1.0/39916800 + float64(x*p)
		p = 1.0/3628800 + float64(x*p)
		p = 1.0/362880 + float64(x*p)
		p = 1.0/40320 + float64(x*p)
		p = 1.0/5040 + float64(x*p)
		p = 1.0/720 + float64(x*p)
		p = 1.0/120 + float64(x*p)
		p = 1.0/24 + float64(x*p)
		p = 1.0/6 + float64(x*p)
		p = 0.5 + float64(x*p)
		return x + float64(float64(x*x)*p)
	}
	return expCore(x) - 1
}

// expReduce writes a as k*log(2)/64 + r.
func expReduce(a dd) (k int, r dd) {
	kf := math.RoundToEven(float64(a.hi * (64 * math.Log2E)))
	r = dd{a.hi - float64(kf*ln2By64Head), 0}
	s, e := twoSum(r.hi, a.lo)
	return int(kf), dd{s, e}.sub(ln2By64Tail.mulF(kf))
}

// expm1Small returns exp(r)-1 for |r| <= log(2)/128.
func expm1Small(r dd) dd {
	x := r.hi
	p := invFact[10].hi + float64(x*invFact[11].hi)
	p = invFact[9].hi + float64(x*p)
	p = invFact[8].hi + float64(x*p)
	s := ddFrom(float64(x * p)).add(invFact[7])
	for i := 6; i >= 1; i-- {
		s = s.mul(r).add(invFact[i])
	}
	return s.mul(r)
}

// expParts returns m and k with exp(a) = m*2^k and m in [1, 2) or just
// outside of it.
func expParts(a dd) (m dd, k int) {
	k, r := expReduce(a)
	t := expTab[k&63]
	return t.add(t.mul(expm1Small(r))), k >> 6
}

// expDD returns exp(a) for |a| < 600.
func expDD(a dd) dd {
	m, k := expParts(a)
	return m.scale(pow2(k))
}

// expm1DD returns exp(a)-1 for |a| < 600, with a small relative error
// everywhere.
func expm1DD(a dd) dd {
	k, r := expReduce(a)
	t := expTab[k&63].scale(pow2(k >> 6))
	return t.addF(-1).add(t.mul(expm1Small(r)))
}

// exp64 returns exp(a) rounded to double, for any a.hi but NaN.
func exp64(a dd) float64 {
	switch {
	case a.hi > 709.9:
		return inf64
	case a.hi < -746:
		return 0
	}
	return exp64Scaled(a, 0)
}

// exp64Scaled returns exp(a)*2^k rounded to double, for |a| < 746.
func exp64Scaled(a dd, k int) float64 {
	hi, lo, j := quickExp(a.hi, a.lo)
	if y, ok := rounded64(hi, lo, 0x1p-64); ok && j+k > -1021 && j+k < 1020 {
		return y * pow2(j+k)
	}
	m, j := expParts(a)
	return m.ldexp(j + k)
}

// Exp32 returns e to the x.
func Exp32(x float32) float32 {
	xd := float64(x)
	if !(xd < 88.75 && xd > -87) {
		return exp32Edge(x)
	}
	y := expCore(xd)
	if settled(y) {
		return float32(y)
	}
	return expDD(ddFrom(xd)).round32()
}

func exp32Edge(x float32) float32 {
	switch {
	case x != x:
		return nan32
	case x > 88:
		return inf32
	case x < -104:
		return 0
	}
	y := expCore(float64(x))
	if settledTiny(y) {
		return float32(y)
	}
	return expDD(ddFrom(float64(x))).round32()
}

// Exp64 returns e to the x.
func Exp64(x float64) float64 {
	if x != x {
		return nan64
	}
	return exp64(ddFrom(x))
}

// exp2Arg returns k and a with 2^x = exp(a)*2^k.
func exp2Arg(x float64) (k int, a dd) {
	kf := math.RoundToEven(x)
	return int(kf), ddLn2.mulF(x - kf)
}

// Exp2_32 returns 2 to the x.
func Exp2_32(x float32) float32 {
	xd := float64(x)
	if !(xd < 128 && xd >= -150) {
		switch {
		case x != x:
			return nan32
		case x > 0:
			return inf32
		}
		return 0
	}
	y := exp2Core(xd)
	if (xd >= -125 && settled(y)) || settledTiny(y) {
		return float32(y)
	}
	if xd == math.RoundToEven(xd) {
		return float32(pow2(int(xd)))
	}
	k, a := exp2Arg(xd)
	return expDD(a).scale(pow2(k)).round32()
}

// Exp2_64 returns 2 to the x.
func Exp2_64(x float64) float64 {
	switch {
	case x != x:
		return nan64
	case x >= 1024:
		return inf64
	case x < -1080:
		return 0
	}
	k, a := exp2Arg(x)
	return exp64Scaled(a, k)
}

// exp10Arg returns k and a with 10^x = exp(a)*2^k.
func exp10Arg(x float64) (k int, a dd) {
	kf := math.RoundToEven(float64(x * (math.Ln10 / math.Ln2)))
	// x log(10) - k log(2), with the leading parts cancelling exactly.
	a = ddLn10.mulF(x)
	s, e := twoSum(a.hi, -float64(kf*ln2Head))
	return int(kf), dd{s, e + a.lo}.sub(ln2Tail.mulF(kf))
}

// Exp10_32 returns 10 to the x.
func Exp10_32(x float32) float32 {
	xd := float64(x)
	if !(xd < 38.6 && xd > -45.5) {
		switch {
		case x != x:
			return nan32
		case x > 0:
			return inf32
		}
		return 0
	}
	y := expCoreScaled(xd)
	if (xd > -37.5 && settled(y)) || settledTiny(y) {
		return float32(y)
	}
	if n := int(xd); float64(n) == xd && n >= 0 && n <= 22 {
		return float32(pow10Small[n])
	}
	k, a := exp10Arg(xd)
	return expDD(a).scale(pow2(k)).round32()
}

// pow10Small holds the powers of ten that doubles hold exactly.
var pow10Small = [23]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// expCoreScaled returns 10^x for |x| < 300.
func expCoreScaled(x float64) float64 {
	z := float64(x*(64*math.Ln10/math.Ln2)) + roundShift
	k := int64(int32(math.Float64bits(z)))
	kf := z - roundShift
	// x = k log10(2)/64 + r/log(10)
	r := (x - float64(kf*log10Of2By64Head)) - float64(kf*log10Of2By64TailHi)
	t := expTab[k&63].hi
	y := t + float64(t*expPoly(float64(r*math.Ln10)))
	return math.Float64frombits(math.Float64bits(y) + uint64(k>>6)<<52)
}

// Exp10_64 returns 10 to the x.
func Exp10_64(x float64) float64 {
	switch {
	case x != x:
		return nan64
	case x > 309:
		return inf64
	case x < -325:
		return 0
	}
	if n := int(x); float64(n) == x && n >= 0 && n <= 22 {
		return pow10Small[n]
	}
	k, a := exp10Arg(x)
	return exp64Scaled(a, k)
}

// Expm1_32 returns exp(x)-1.
func Expm1_32(x float32) float32 {
	xd := float64(x)
	switch {
	case x != x:
		return nan32
	case x > 89:
		return inf32
	case x < -30:
		return -1 // the true value is above -1 by less than half of 2^-24
	case xd < 0x1p-27 && xd > -0x1p-27:
		return x // the next term, x*x/2, is below half of the last bit
	}
	y := expm1Core(xd)
	if settled(y) {
		return float32(y)
	}
	return expm1DD(ddFrom(xd)).round32()
}

// Expm1_64 returns exp(x)-1.
func Expm1_64(x float64) float64 {
	switch {
	case x != x:
		return nan64
	case x > 709.9:
		return inf64
	case x < -60:
		return -1
	case x < 0x1p-60 && x > -0x1p-60:
		return x
	case x > 500:
		return exp64(ddFrom(x))
	}
	return expm1DD(ddFrom(x)).hi
}
