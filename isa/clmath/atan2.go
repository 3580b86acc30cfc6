package clmath

import "math"

// atan2Quarters handles the arguments of atan2 that lead to a multiple of
// pi/4 whatever the magnitudes: it returns that multiple, signed, and whether
// there is one. Neither argument is a NaN.
func atan2Quarters(y, x float64) (float64, bool) {
	q, ok := 0.0, true
	switch {
	case y == 0:
		if math.Signbit(x) {
			q = 4
		}
	case x == 0:
		q = 2
	case math.IsInf(y, 0):
		q = 2
		if math.IsInf(x, 1) {
			q = 1
		} else if math.IsInf(x, -1) {
			q = 3
		}
	case math.IsInf(x, -1):
		q = 4
	case math.IsInf(x, 1):
	default:
		ok = false
	}
	return signed(q, y), ok
}

// atan2DD returns |atan2(y, x)| for finite non-zero arguments whose quotient
// stays within 2^±800.
func atan2DD(y, x float64) dd {
	a := angleDD(ddFrom(math.Abs(y)), ddFrom(math.Abs(x)))
	if x < 0 {
		return ddPi.sub(a)
	}
	return a
}

// Atan2_32 returns the angle of the point (x, y) in radians, within
// [-pi, pi].
func Atan2_32(y, x float32) float32 {
	yd, xd := float64(y), float64(x)
	if x != x || y != y {
		return nan32
	}
	if q, ok := atan2Quarters(yd, xd); ok {
		return float32(q * (math.Pi / 4))
	}
	a := angleCore(math.Abs(yd), math.Abs(xd))
	if xd < 0 {
		a = math.Pi - a
	}
	if !(a >= tiny32 && settled(a)) && !settledTiny(a) {
		a = atan2DD(yd, xd).odd()
	}
	return float32(signed(a, yd))
}

// Atan2Pi32 returns atan2(y, x)/pi.
func Atan2Pi32(y, x float32) float32 {
	yd, xd := float64(y), float64(x)
	if x != x || y != y {
		return nan32
	}
	if q, ok := atan2Quarters(yd, xd); ok {
		return float32(q / 4)
	}
	a := angleCore(math.Abs(yd), math.Abs(xd))
	if xd < 0 {
		a = math.Pi - a
	}
	a = float64(a * (1 / math.Pi))
	if !(a >= tiny32 && settled(a)) && !settledTiny(a) {
		a = atan2DD(yd, xd).mul(ddInvPi).odd()
	}
	return float32(signed(a, yd))
}

// atan2Wide returns |atan2(y, x)|*f for finite non-zero doubles, where f is
// one or 1/pi.
func atan2Wide(y, x float64, f dd) float64 {
	ya, ky := normal64(math.Abs(y))
	xa, kx := normal64(math.Abs(x))
	ey, ex := int(Ilogb64(ya)), int(Ilogb64(xa))
	ya, xa = ya*pow2(-ey/2)*pow2(-(ey-ey/2)), xa*pow2(-ex/2)*pow2(-(ex-ex/2))
	d := ey + ky - ex - kx
	switch {
	case d > 200:
		return ddPiHalf.mul(f).hi
	case d < -200 && x < 0:
		return ddPi.mul(f).hi
	case d < -200:
		return ddFrom(ya).div(ddFrom(xa)).mul(f).ldexp(d)
	case d > 0:
		ya *= pow2(d)
	default:
		xa *= pow2(-d)
	}
	return atan2DD(ya, math.Copysign(xa, x)).mul(f).hi
}

// Atan2_64 returns the angle of the point (x, y) in radians, within
// [-pi, pi].
func Atan2_64(y, x float64) float64 {
	if x != x || y != y {
		return nan64
	}
	if q, ok := atan2Quarters(y, x); ok {
		return q * (math.Pi / 4)
	}
	return signed(atan2Wide(y, x, ddFrom(1)), y)
}

// Atan2Pi64 returns atan2(y, x)/pi.
func Atan2Pi64(y, x float64) float64 {
	if x != x || y != y {
		return nan64
	}
	if q, ok := atan2Quarters(y, x); ok {
		return q / 4
	}
	return signed(atan2Wide(y, x, ddInvPi), y)
}
