package clmath

import "math"

// The geometric functions take vectors of up to four components as slices of
// equal length (OpenCL C section 6.15.5). Longer ones work but may lose the
// guarantee of correct rounding.

// sum32 rounds the exact sum of the terms to single precision. It overwrites
// the terms.
func sum32(t []float64) float32 {
	sum, mag := 0.0, 0.0
	for _, x := range t {
		sum += x
		mag += math.Abs(x)
	}
	if !finite64(sum) || settledAbs(sum, mag*0x1p-50) {
		return quiet32(float32(sum))
	}
	// Distil the terms until the last holds their sum to half a unit and the
	// others the rest.
	for range t {
		for i := 1; i < len(t); i++ {
			t[i], t[i-1] = twoSum(t[i], t[i-1])
		}
	}
	n := len(t) - 1
	rest := 0.0
	for _, x := range t[:n] {
		rest += x
	}
	s, e := twoSum(t[n], rest)
	return dd{s, e}.round32()
}

// Dot32 returns the dot product of a and b, rounded once.
func Dot32(a, b []float32) float32 {
	var buf [4]float64
	t := buf[:0]
	for i, x := range a {
		t = append(t, float64(x)*float64(b[i]))
	}
	return sum32(t)
}

// Dot64 returns the dot product of a and b, computed in pairs of doubles.
func Dot64(a, b []float64) float64 {
	plain := 0.0
	var s dd
	for i, x := range a {
		plain += float64(x * b[i])
		p, e := twoProd(x, b[i])
		s = s.add(dd{p, e})
	}
	if !finite64(s.hi) {
		return quiet64(plain)
	}
	return s.hi
}

// Cross32 sets the first three components of dst to the cross product of a
// and b, each rounded once, and a fourth one to zero. dst may be a or b.
func Cross32(dst, a, b []float32) {
	var r [3]float32
	for i := range r {
		j, k := (i+1)%3, (i+2)%3
		t := [2]float64{float64(a[j]) * float64(b[k]), -float64(a[k]) * float64(b[j])}
		r[i] = sum32(t[:])
	}
	clear(dst[copy(dst, r[:]):])
}

// Cross64 is Cross32 for doubles.
func Cross64(dst, a, b []float64) {
	var r [3]float64
	for i := range r {
		j, k := (i+1)%3, (i+2)%3
		r[i] = Dot64([]float64{a[j], -a[k]}, []float64{b[k], b[j]})
	}
	clear(dst[copy(dst, r[:]):])
}

// norm32 returns the sum of squares of the exact differences a-b (b may be
// nil, for a itself), or an infinity or NaN as length has it.
func norm32(a, b []float32) dd {
	var s dd
	inf := false
	for i, x := range a {
		d := ddFrom(float64(x))
		if b != nil {
			d.hi, d.lo = twoSum(d.hi, -float64(b[i]))
		}
		if math.IsInf(d.hi, 0) {
			inf = true
			continue
		}
		s = s.add(d.sqr())
	}
	if inf {
		return ddFrom(inf64)
	}
	return s
}

// root32 returns the rounded square root of a sum of squares.
func root32(s dd) float32 {
	if !finite64(s.hi) {
		return quiet32(float32(s.hi))
	}
	r := math.Sqrt(s.hi)
	if r >= tiny32 && settled(r) {
		return float32(r)
	}
	return s.sqrt().round32()
}

// Length32 returns the length of the vector, rounded once; nothing overflows
// but the result.
func Length32(v []float32) float32 { return root32(norm32(v, nil)) }

// Distance32 returns the length of a-b, rounded once.
func Distance32(a, b []float32) float32 { return root32(norm32(a, b)) }

// Normalize32 sets dst to v divided by its length, each component rounded
// once. A zero vector stays as it is; one with infinite components keeps only
// their signs (OpenCL C section 6.15.5). dst may be v.
func Normalize32(dst, v []float32) {
	s := norm32(v, nil)
	if math.IsInf(s.hi, 1) {
		n := 0.0
		for _, x := range v {
			if math.IsInf(float64(x), 0) {
				n++
			}
			if x != x {
				n = nan64
			}
		}
		for i, x := range v {
			y := 0.0
			if math.IsInf(float64(x), 0) {
				y = 1
			}
			dst[i] = Copysign32(quiet32(float32(y/math.Sqrt(n))), x)
			if n != n {
				dst[i] = nan32
			}
		}
		return
	}
	r := math.Sqrt(s.hi)
	for i, x := range v {
		y := float64(x) / r
		switch {
		case s.hi == 0:
			dst[i] = x
		case s.hi != s.hi:
			dst[i] = nan32
		case math.Abs(y) >= tiny32 && settled(y) || x == 0:
			dst[i] = float32(y)
		default:
			dst[i] = ddFrom(float64(x)).div(s.sqrt()).round32()
		}
	}
}

// scaleFor returns powers of two that bring the largest component near one,
// and back.
func scaleFor(v []float64) (down, up float64) {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	switch {
	case m > 0x1p400:
		return 0x1p-600, 0x1p600
	case m < 0x1p-400:
		return 0x1p600, 0x1p-600
	}
	return 1, 1
}

// norm64 returns the length of v/up as a pair, and up.
func norm64(v []float64) (n dd, up float64) {
	var s dd
	inf := false
	down, up := scaleFor(v)
	for _, x := range v {
		if math.IsInf(x, 0) {
			inf = true
			continue
		}
		s = s.add(ddFrom(x * down).sqr())
	}
	if inf {
		return ddFrom(inf64), 1
	}
	if !finite64(s.hi) {
		return ddFrom(nan64), 1
	}
	return s.sqrt(), up
}

// Length64 returns the length of the vector; nothing overflows but the result.
func Length64(v []float64) float64 {
	n, up := norm64(v)
	return n.hi * up
}

// Distance64 returns the length of a-b.
func Distance64(a, b []float64) float64 {
	var buf [4]float64
	d := buf[:0]
	for i, x := range a {
		d = append(d, float64(x*0.5)-float64(b[i]*0.5))
	}
	return Length64(d) * 2
}

// Normalize64 sets dst to v divided by its length, as Normalize32 does.
func Normalize64(dst, v []float64) {
	n, up := norm64(v)
	switch {
	case math.IsInf(n.hi, 1):
		var buf [4]float64
		w := buf[:0]
		for _, x := range v {
			switch {
			case x != x:
				w = append(w, nan64)
			case math.IsInf(x, 0):
				w = append(w, math.Copysign(1, x))
			default:
				w = append(w, math.Copysign(0, x))
			}
		}
		Normalize64(dst, w)
		return
	case n.hi == 0:
		copy(dst, v)
		return
	}
	for i, x := range v {
		if x == 0 && n.hi == n.hi {
			dst[i] = x // with its sign
			continue
		}
		dst[i] = quiet64(ddFrom(x / up).div(n).hi)
	}
}
