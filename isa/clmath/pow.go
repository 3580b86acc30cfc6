package clmath

import (
	"math"
	"math/bits"
)

// parity tells what pow needs to know of its exponent.
type parity uint8

const (
	notInteger parity = iota
	evenInteger
	oddInteger
)

func parityOf(y float64) parity {
	a := math.Abs(y)
	switch {
	case a >= 0x1p53:
		return evenInteger
	case a != math.Trunc(a):
		return notInteger
	case int64(a)&1 != 0:
		return oddInteger
	}
	return evenInteger
}

// powEdge returns pow(x, y) where x or y is zero, infinite, NaN or one, or x
// is negative and y is no integer, and whether this is such a case.
func powEdge(x, y float64) (float64, bool) {
	switch {
	case x == 1 || y == 0:
		return 1, true
	case x != x || y != y:
		return nan64, true
	case x == 0:
		z := 0.0
		if y < 0 {
			z = inf64
		}
		if parityOf(y) == oddInteger {
			z = math.Copysign(z, x)
		}
		return z, true
	case math.IsInf(y, 0):
		switch a := math.Abs(x); {
		case a == 1:
			return 1, true
		case (a > 1) == (y > 0):
			return inf64, true
		}
		return 0, true
	case math.IsInf(x, 0):
		z := inf64
		if y < 0 {
			z = 0
		}
		if x < 0 && parityOf(y) == oddInteger {
			z = -z
		}
		return z, true
	case x < 0 && parityOf(y) == notInteger:
		return nan64, true
	}
	return 0, false
}

// powExact returns x^y rounded to double if it is an odd number of at most
// the given count of bits (up to 63) times a power of two, for positive finite
// x and finite y. With 53 bits it covers every result that is the middle of
// two float32 neighbours, with 54 the same for doubles.
func powExact(x, y float64, width int) (float64, bool) {
	b := math.Float64bits(x)
	m, e := b&(1<<52-1)|1<<52, int(b>>52)-1075
	tz := bits.TrailingZeros64(m)
	m, e = m>>tz, e+tz
	for y != math.Trunc(y) {
		r := uint64(math.Sqrt(float64(m)))
		if e&1 != 0 || r*r != m {
			return 0, false
		}
		m, e, y = r, e/2, 2*y
	}
	if m != 1 && (y < 0 || y > 40) || math.Abs(y) > 1024 || math.Abs(float64(e)*y) > 960 {
		return 0, false
	}
	v := uint64(1)
	for i := 0; m != 1 && i < int(y); i++ {
		hi, lo := bits.Mul64(v, m)
		if hi != 0 || lo>>width != 0 {
			return 0, false
		}
		v = lo
	}
	return float64(v) * pow2(e*int(y)), true
}

// powPositive32 returns x^y rounded to single precision (as a double, so that
// callers can give it a sign), for x a positive finite float32.
func powPositive32(x, y float64) float64 {
	t := float64(y * logCore(x))
	if t > 88.8 {
		return inf64
	}
	if t < -87 {
		if t < -104.2 {
			return 0
		}
		if v := expCore(t); settledTiny(v) {
			return float64(float32(v))
		}
	} else if v := expCore(t); settled(v) {
		return float64(float32(v))
	}
	if v, ok := powExact(x, y, 53); ok {
		return float64(float32(v))
	}
	return float64(expDD(logDD(ddFrom(x)).mulF(y)).round32())
}

// Pow32 returns x to the y.
func Pow32(x, y float32) float32 {
	xd, yd := float64(x), float64(y)
	if xd > 0 && xd < inf64 && yd > -inf64 && yd < inf64 {
		return float32(powPositive32(xd, yd))
	}
	return powAny32(xd, yd)
}

// powAny32 is pow with an exponent that may have more bits than a float32.
func powAny32(x, y float64) float32 {
	if z, ok := powEdge(x, y); ok {
		return quiet32(float32(z))
	}
	z := powPositive32(math.Abs(x), y)
	if x < 0 && parityOf(y) == oddInteger {
		z = -z
	}
	return float32(z)
}

// Pown32 returns x to the integer n.
func Pown32(x float32, n int32) float32 { return powAny32(float64(x), float64(n)) }

// Powr32 returns x to the y for x >= 0. It differs from Pow32 in the special
// cases: those that have no limit are NaN (OpenCL C section 7.5.1).
func Powr32(x, y float32) float32 {
	if powrUndefined(float64(x), float64(y)) {
		return nan32
	}
	return quiet32(Pow32(float32(math.Abs(float64(x))), y))
}

func powrUndefined(x, y float64) bool {
	switch {
	case x < 0, x != x, y != y:
		return true
	case y == 0:
		return x == 0 || x == inf64
	case x == 1:
		return math.IsInf(y, 0)
	}
	return false
}

// Rootn32 returns the n-th root of x.
func Rootn32(x float32, n int32) float32 {
	xd, nd := float64(x), float64(n)
	if z, ok := rootEdge(xd, n); ok {
		return float32(z)
	}
	a := math.Abs(xd)
	t := logCore(a) / nd
	var z float64
	switch {
	case n == 1:
		z = a
	case t > 88.8:
		z = inf64
	default:
		z = expCore(t)
		if !(z >= tiny32 && settled(z)) && !settledTiny(z) {
			z = expDD(logDD(ddFrom(a)).div(ddFrom(nd))).odd()
		}
	}
	return float32(signed(z, xd))
}

// rootEdge returns the root where x is zero, infinite or NaN or there is no
// real root, and whether this is such a case.
func rootEdge(x float64, n int32) (float64, bool) {
	odd := n&1 != 0
	switch {
	case x != x, n == 0, x < 0 && !odd:
		return nan64, true
	case x == 0 || math.IsInf(x, 0):
		z := math.Abs(x)
		if n < 0 {
			z = 1 / z
		}
		if odd {
			z = signed(z, x)
		}
		return z, true
	}
	return 0, false
}

// powPositive64 returns x^y for positive finite x and finite y.
func powPositive64(x, y float64) float64 {
	if z, ok := quickPow(x, y); ok {
		return z
	}
	e, l := log64(x)
	ef := float64(e)
	l = l.add(ln2Tail.mulF(ef)).addF(float64(ef * ln2Head))
	switch t := l.hi * y; {
	case t > 720:
		return inf64
	case t < -750:
		return 0
	}
	m, k := expParts(l.mulF(y))
	if nearMiddle(m) {
		if y == -1 {
			return 1 / x
		}
		if v, ok := powExact(x, y, 63); ok {
			return v
		}
	}
	return m.ldexp(k)
}

// nearMiddle reports whether a is so near to the middle of two doubles that
// the error of a pair may decide on the rounding.
func nearMiddle(a dd) bool {
	u := halfUnit(a.hi)
	return math.Abs(math.Abs(a.lo)-u) < u*0x1p-36
}

// halfUnit returns half a unit in the last place of a normal x.
func halfUnit(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x)&(0x7ff<<52)) * 0x1p-53
}

// quickPow returns x^y for ordinary results, and whether the rounding is
// settled.
func quickPow(x, y float64) (float64, bool) {
	hi, lo := log64Quick(x)
	p, q := twoProd(hi, y)
	if !(math.Abs(p) < 700) {
		return 0, false
	}
	p, q = fastTwoSum(p, q+float64(lo*y))
	eh, el, k := quickExp(p, q)
	z, ok := rounded64(eh, el, 0x1p-64+math.Abs(p)*0x1p-62)
	return z * pow2(k), ok
}

// Pow64 returns x to the y.
func Pow64(x, y float64) float64 {
	if z, ok := powEdge(x, y); ok {
		return z
	}
	z := powPositive64(math.Abs(x), y)
	if x < 0 && parityOf(y) == oddInteger {
		z = -z
	}
	return z
}

// Pown64 returns x to the integer n.
func Pown64(x float64, n int32) float64 { return Pow64(x, float64(n)) }

// Powr64 returns x to the y for x >= 0, with the special cases of Powr32.
func Powr64(x, y float64) float64 {
	if powrUndefined(x, y) {
		return nan64
	}
	return Pow64(math.Abs(x), y)
}

// Rootn64 returns the n-th root of x.
func Rootn64(x float64, n int32) float64 {
	if z, ok := rootEdge(x, n); ok {
		return z
	}
	switch n {
	case 1:
		return x
	case -1:
		return 1 / x
	case 2:
		return math.Sqrt(x)
	case 3:
		return Cbrt64(x)
	}
	e, l := log64(math.Abs(x))
	ef := float64(e)
	l = l.add(ln2Tail.mulF(ef)).addF(float64(ef * ln2Head))
	return signed(exp64(l.div(ddFrom(float64(n)))), x)
}
