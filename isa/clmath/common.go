package clmath

import "math"

// Degrees32 returns x radians in degrees.
func Degrees32(x float32) float32 { return mulConst32(x, ddDegrees) }

// Degrees64 returns x radians in degrees.
func Degrees64(x float64) float64 { return mulConst64(x, ddDegrees) }

// Radians32 returns x degrees in radians.
func Radians32(x float32) float32 { return mulConst32(x, ddRadians) }

// Radians64 returns x degrees in radians.
func Radians64(x float64) float64 { return mulConst64(x, ddRadians) }

func mulConst32(x float32, c dd) float32 {
	y := float64(float64(x) * c.hi)
	if a := math.Abs(y); a >= tiny32 && a < inf64 && settled(y) {
		return float32(y)
	}
	if x == 0 || !finite32(x) {
		return quiet32(x)
	}
	return c.mulF(float64(x)).round32()
}

func mulConst64(x float64, c dd) float64 {
	switch a := math.Abs(x); {
	case x == 0 || !finite64(x):
		return quiet64(x)
	case a < 0x1p-900:
		return mulTiny64(x, c)
	case a > 0x1p900:
		return c.mulF(x*0x1p-100).hi * 0x1p100
	}
	return c.mulF(x).hi
}

// Mix32 returns x+(y-x)*a, rounded once.
func Mix32(x, y, a float32) float32 {
	xd, yd, ad := float64(x), float64(y), float64(a)
	p := float64((yd - xd) * ad)
	r := xd + p
	if e := (math.Abs(xd) + math.Abs(p)) * 0x1p-51; settledAbs(r, e) {
		return quiet32(float32(r))
	}
	if !finite64(r) {
		return quiet32(float32(r))
	}
	s, t := twoSum(yd, -xd)
	return dd{s, t}.mulF(ad).addF(xd).round32()
}

// Mix64 returns x+(y-x)*a, the exact value rounded but for about 2^-50 of a unit in the last place.
func Mix64(x, y, a float64) float64 {
	s, t := twoSum(y, -x)
	p := float64(s * a)
	switch {
	case !finite64(x + p):
		// Either a true infinity or NaN, or an intermediate that overflowed.
		s, t = twoSum(y*0x1p-4, -x*0x1p-4)
		r := float64(x*0x1p-4) + float64(s*a)
		if finite64(r) {
			r = mixSum(x*0x1p-4, s, t, a).hi
		}
		return quiet64(r * 0x1p4)
	case math.Abs(x) < 0x1p-800 && math.Abs(p) < 0x1p-800 && math.Abs(s) < 0x1p500:
		// The errors of small products would vanish.
		if m := mixSum(x*0x1p200, s*0x1p200, t*0x1p200, a); m.hi != 0 {
			return m.ldexp(-200)
		}
		return x + p
	}
	if m := mixSum(x, s, t, a); m.hi != 0 {
		return m.hi
	}
	return x + p // with its sign
}

// mixSum returns x+(s+t)*a, also where the terms cancel: the sum of all partial products, distilled until the last term
// holds it to half a unit and the others the rest.
func mixSum(x, s, t, a float64) dd {
	p, e := twoProd(s, a)
	q, f := twoProd(t, a)
	terms := [...]float64{f, q, e, p, x}
	n := len(terms) - 1
	for range terms {
		for i := 1; i <= n; i++ {
			terms[i], terms[i-1] = twoSum(terms[i], terms[i-1])
		}
	}
	rest := 0.0
	for _, x := range terms[:n] {
		rest += x
	}
	h, l := fastTwoSum(terms[n], rest)
	return dd{h, l}
}

// Step32 returns 0 where x < edge, and 1 elsewhere.
func Step32(edge, x float32) float32 {
	if x < edge {
		return 0
	}
	return 1
}

// Step64 returns 0 where x < edge, and 1 elsewhere.
func Step64(edge, x float64) float64 {
	if x < edge {
		return 0
	}
	return 1
}

// Smoothstep32 returns t*t*(3-2t) with t = (x-edge0)/(edge1-edge0) clamped to
// [0, 1], rounded once. A quotient that is not a number, as of infinite edges,
// becomes 0, as in the specification's fmin(fmax(t, 0), 1). A NaN among the
// arguments, for which the specification promises nothing, is passed on.
func Smoothstep32(edge0, edge1, x float32) float32 {
	e0, e1, xd := float64(edge0), float64(edge1), float64(x)
	t := (xd - e0) / (e1 - e0)
	switch {
	case edge0 != edge0 || edge1 != edge1 || x != x:
		return nan32
	case !(t > 0):
		return 0
	case t >= 1:
		return 1
	}
	y := float64(float64(t*t) * (3 - 2*t))
	if y >= tiny32 && settled(y) {
		return float32(y)
	}
	return smoothstepDD(e0, e1, xd).round32()
}

func smoothstepDD(e0, e1, x float64) dd {
	n, ne := twoSum(x, -e0)
	d, de := twoSum(e1, -e0)
	t := dd{n, ne}.div(dd{d, de})
	return t.sqr().mul(t.scale(-2).addF(3))
}

// Smoothstep64 returns t*t*(3-2t) as Smoothstep32 does.
func Smoothstep64(edge0, edge1, x float64) float64 {
	if d := edge1 - edge0; math.IsInf(d, 0) && finite64(edge0) && finite64(edge1) {
		edge0, edge1, x = edge0/4, edge1/4, x/4 // the difference would overflow
	} else if math.Abs(edge0) < 0x1p-500 && math.Abs(edge1) < 0x1p-500 && math.Abs(x) < 0x1p-500 {
		edge0, edge1, x = edge0*0x1p400, edge1*0x1p400, x*0x1p400 // the errors of products would vanish
	}
	t := (x - edge0) / (edge1 - edge0)
	switch {
	case edge0 != edge0 || edge1 != edge1 || x != x:
		return nan64
	case !(t > 0):
		return 0
	case t >= 1:
		return 1
	case t < 0x1p-400 && t > 0x1p-600:
		// The square is small, too.
		n, ne := twoSum(x, -edge0)
		d, de := twoSum(edge1, -edge0)
		scaled := dd{n, ne}.scale(0x1p300).div(dd{d, de})
		return scaled.sqr().mul(scaled.scale(-0x1p-299).addF(3)).ldexp(-600)
	}
	if s := smoothstepDD(edge0, edge1, x).hi; finite64(s) {
		return s
	}
	return float64(float64(t*t) * (3 - 2*t))
}

// Sign32 returns 1, -1, or x itself if it is a zero; 0 for a NaN.
func Sign32(x float32) float32 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x != x:
		return 0
	}
	return x
}

// Sign64 returns 1, -1, or x itself if it is a zero; 0 for a NaN.
func Sign64(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x != x:
		return 0
	}
	return x
}

// Clamp32 returns fmin(fmax(x, lo), hi).
func Clamp32(x, lo, hi float32) float32 { return Fmin32(Fmax32(x, lo), hi) }

// Clamp64 returns fmin(fmax(x, lo), hi).
func Clamp64(x, lo, hi float64) float64 { return Fmin64(Fmax64(x, lo), hi) }

// FmaxCommon32 returns y if x < y, and x otherwise (the function max of the
// common functions).
func FmaxCommon32(x, y float32) float32 {
	if x < y {
		return y
	}
	return quiet32(x)
}

// FmaxCommon64 returns y if x < y, and x otherwise.
func FmaxCommon64(x, y float64) float64 {
	if x < y {
		return y
	}
	return quiet64(x)
}

// FminCommon32 returns y if y < x, and x otherwise (the function min of the
// common functions).
func FminCommon32(x, y float32) float32 {
	if y < x {
		return y
	}
	return quiet32(x)
}

// FminCommon64 returns y if y < x, and x otherwise.
func FminCommon64(x, y float64) float64 {
	if y < x {
		return y
	}
	return quiet64(x)
}
