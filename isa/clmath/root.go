package clmath

import "math"

// Sqrt32 returns the square root of x.
func Sqrt32(x float32) float32 {
	// The square root of a float32 in double precision is never so near to
	// the middle of two float32 neighbours that rounding twice would matter.
	return quiet32(float32(math.Sqrt(float64(x))))
}

// Sqrt64 returns the square root of x.
func Sqrt64(x float64) float64 { return quiet64(math.Sqrt(x)) }

// Rsqrt32 returns the inverse of the square root of x.
func Rsqrt32(x float32) float32 {
	xd := float64(x)
	if !(xd > 0 && xd < inf64) {
		return float32(rsqrtEdge(xd))
	}
	y := 1 / math.Sqrt(xd)
	if settled(y) {
		return float32(y)
	}
	return ddFrom(1).div(ddFrom(xd).sqrt()).round32()
}

// rsqrtEdge handles zeros (an infinity of the same sign, as rSqrt of
// IEEE 754), infinity, NaN and negative arguments.
func rsqrtEdge(x float64) float64 {
	switch {
	case x == 0:
		return 1 / x
	case x > 0:
		return 0
	}
	return nan64
}

// Rsqrt64 returns the inverse of the square root of x.
func Rsqrt64(x float64) float64 {
	if !(x > 0 && x < inf64) {
		return rsqrtEdge(x)
	}
	s := 1.0
	switch {
	case x < 0x1p-900:
		x, s = x*0x1p400, 0x1p200
	case x > 0x1p900:
		x, s = x*0x1p-400, 0x1p-200
	}
	return ddFrom(1).div(ddFrom(x).sqrt()).hi * s
}

// Cbrt32 returns the cube root of x.
func Cbrt32(x float32) float32 {
	a := math.Abs(float64(x))
	switch {
	case x != x:
		return nan32
	case a == 0, a == inf64:
		return x
	}
	y := expCore(logCore(a) * (1.0 / 3))
	if !settled(y) {
		y = cbrtDD(a).odd()
	}
	return float32(signed(y, float64(x)))
}

// cbrtDD returns the cube root of x, 2^-300 < x < 2^300, by one step of
// Newton's method from a good approximation.
func cbrtDD(x float64) dd {
	r := expCore(logCore(x) * (1.0 / 3))
	r -= (float64(r*r) - x/r) / (3 * r)
	c := ddFrom(r).sqr().mulF(r)
	d := c.addF(-x).hi / (3 * float64(r*r))
	s, e := fastTwoSum(r, -d)
	return dd{s, e}
}

// Cbrt64 returns the cube root of x.
func Cbrt64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64
	case a == 0, a == inf64:
		return x
	}
	s := 1.0
	switch {
	case a < 0x1p-280:
		a, s = a*0x1p900, 0x1p-300
		if a < 0x1p-280 {
			a, s = a*0x1p300, 0x1p-400
		}
	case a > 0x1p280:
		a, s = a*0x1p-450*0x1p-300, 0x1p250
	}
	return signed(cbrtDD(a).hi*s, x)
}

// Hypot32 returns sqrt(x*x+y*y) without overflow on the way.
func Hypot32(x, y float32) float32 {
	xd, yd := float64(x), float64(y)
	if !finite32(x) || !finite32(y) {
		return float32(hypotEdge(xd, yd))
	}
	x2, y2 := float64(xd*xd), float64(yd*yd)
	r := math.Sqrt(x2 + y2)
	if (r >= tiny32 || r == 0) && settled(r) {
		return float32(r)
	}
	s, e := twoSum(x2, y2)
	return dd{s, e}.sqrt().round32()
}

// hypotEdge is hypot where x or y is infinite or NaN.
func hypotEdge(x, y float64) float64 {
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return inf64
	}
	return nan64
}

// Hypot64 returns sqrt(x*x+y*y) without overflow or underflow on the way.
func Hypot64(x, y float64) float64 {
	if !finite64(x) || !finite64(y) {
		return hypotEdge(x, y)
	}
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	if x == 0 {
		return 0
	}
	s, k := 1.0, 0
	switch {
	case x > 0x1p400:
		s, k = 0x1p-600, 600
	case x < 0x1p-400:
		s, k = 0x1p600, -600
	}
	if y < x*0x1p-60 {
		return x
	}
	x, y = x*s, y*s
	h := ddFrom(x).sqr().add(ddFrom(y).sqr()).sqrt()
	if k == 0 {
		return h.hi
	}
	return h.ldexp(k)
}
