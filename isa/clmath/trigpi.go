package clmath

import "math"

// halfTurns returns n modulo 4 and r with x = n/2 + r, exactly, for finite x;
// |r| <= 1/4.
func halfTurns(x float64) (n int, r float64) {
	if math.Abs(x) >= 0x1p53 {
		return 0, 0 // an even integer
	}
	k := math.RoundToEven(2 * x)
	return int(int64(k) & 3), x - k/2
}

// sinCosPiSmall returns sin(pi*r) and cos(pi*r) for |r| <= 1/4.
func sinCosPiSmall(r float64) (sin, cos dd) { return sinCosReduced(ddPi.mulF(r)) }

// sinCosPiDD returns the sine and cosine of pi*x for finite x.
func sinCosPiDD(x float64) (sin, cos dd) {
	n, r := halfTurns(x)
	s, c := sinCosPiSmall(r)
	return turn(s, c, n)
}

// SinPi32 returns sin(pi*x).
func SinPi32(x float32) float32 {
	xd := float64(x)
	if !finite32(x) {
		return nan32
	}
	n, r := halfTurns(xd)
	if r == 0 && n&1 == 0 {
		return Copysign32(0, x)
	}
	y := sinCosQuadrant(float64(r*math.Pi), n)
	if a := math.Abs(y); a >= tiny32 && settled(y) || settledTiny(y) {
		return float32(y)
	}
	s, _ := sinCosPiDD(xd)
	return s.round32()
}

// CosPi32 returns cos(pi*x).
func CosPi32(x float32) float32 {
	if !finite32(x) {
		return nan32
	}
	n, r := halfTurns(float64(x))
	if r == 0 && n&1 != 0 {
		return 0
	}
	y := sinCosQuadrant(float64(r*math.Pi), n+1)
	if settled(y) {
		return float32(y)
	}
	_, c := sinCosPiDD(float64(x))
	return c.round32()
}

// tanPiExact returns tan(pi*x) where 2*x is an integer n modulo 4.
func tanPiExact(x float64, n int) float64 {
	switch n {
	case 0:
		return math.Copysign(0, x)
	case 2:
		return -math.Copysign(0, x)
	case 1:
		return inf64
	}
	return -inf64
}

// TanPi32 returns tan(pi*x).
func TanPi32(x float32) float32 {
	xd := float64(x)
	if !finite32(x) {
		return nan32
	}
	n, r := halfTurns(xd)
	if r == 0 {
		return float32(tanPiExact(xd, n))
	}
	a := float64(r * math.Pi)
	s, c := sinPoly(a), cosPoly(a)
	if n&1 != 0 {
		s, c = -c, s
	}
	y := s / c
	if math.Abs(y) >= tiny32 && settled(y) || settledTiny(y) {
		return float32(y)
	}
	sd, cd := sinCosPiDD(xd)
	return sd.div(cd).round32()
}

// SinPi64 returns sin(pi*x).
func SinPi64(x float64) float64 {
	if !finite64(x) {
		return nan64
	}
	n, r := halfTurns(x)
	switch {
	case r == 0 && n&1 == 0:
		return math.Copysign(0, x)
	case math.Abs(x) < 0x1p-300:
		return mulTiny64(x, ddPi)
	}
	s, _ := sinCosPiDD(x)
	return s.hi
}

// CosPi64 returns cos(pi*x).
func CosPi64(x float64) float64 {
	if !finite64(x) {
		return nan64
	}
	n, r := halfTurns(x)
	switch {
	case r == 0 && n&1 != 0:
		return 0
	case math.Abs(x) < 0x1p-30:
		return 1
	}
	_, c := sinCosPiDD(x)
	return c.hi
}

// TanPi64 returns tan(pi*x).
func TanPi64(x float64) float64 {
	if !finite64(x) {
		return nan64
	}
	n, r := halfTurns(x)
	switch {
	case r == 0:
		return tanPiExact(x, n)
	case math.Abs(x) < 0x1p-300:
		return mulTiny64(x, ddPi)
	}
	s, c := sinCosPiDD(x)
	return s.div(c).hi
}
