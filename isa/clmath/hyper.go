package clmath

import "math"

// Sinh32 returns the hyperbolic sine of x.
func Sinh32(x float32) float32 {
	a := math.Abs(float64(x))
	switch {
	case x != x:
		return nan32
	case a < tinyTrig:
		return x
	case a > 90:
		return float32(signed(inf64, float64(x)))
	}
	t := expm1Core(a)
	y := 0.5 * (t + t/(t+1))
	if !settled(y) {
		y = sinhDD(a).odd()
	}
	return float32(signed(y, float64(x)))
}

// sinhDD returns sinh(a) for 0 <= a < 600.
func sinhDD(a float64) dd {
	t := expm1DD(ddFrom(a))
	return t.add(t.div(t.addF(1))).scale(0.5)
}

// Sinh64 returns the hyperbolic sine of x.
func Sinh64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64
	case a < 0x1p-28:
		return x
	case a > 500:
		return signed(halfExp64(a), x)
	}
	return signed(sinhDD(a).hi, x)
}

// halfExp64 returns exp(a)/2 for a large a.
func halfExp64(a float64) float64 {
	if a > 711 {
		return inf64
	}
	m, k := expParts(ddFrom(a))
	return m.ldexp(k - 1)
}

// Cosh32 returns the hyperbolic cosine of x.
func Cosh32(x float32) float32 {
	a := math.Abs(float64(x))
	switch {
	case x != x:
		return nan32
	case a > 90:
		return inf32
	}
	e := expCore(a)
	y := 0.5 * (e + 1/e)
	if settled(y) {
		return float32(y)
	}
	return coshDD(a).round32()
}

// coshDD returns cosh(a) for 0 <= a < 600.
func coshDD(a float64) dd {
	if a < 0x1p-7 {
		// 1 + 2 sinh(a/2)^2
		s := sinhDD(a / 2)
		return s.sqr().scale(2).addF(1)
	}
	e := expDD(ddFrom(a))
	return e.add(ddFrom(1).div(e)).scale(0.5)
}

// Cosh64 returns the hyperbolic cosine of x.
func Cosh64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64
	case a > 500:
		return halfExp64(a)
	case a < 0x1p-28:
		return 1
	}
	return coshDD(a).hi
}

// Tanh32 returns the hyperbolic tangent of x.
func Tanh32(x float32) float32 {
	a := math.Abs(float64(x))
	switch {
	case x != x:
		return nan32
	case a < tinyTrig:
		return x
	case a > 20:
		return float32(signed(1, float64(x)))
	}
	t := expm1Core(2 * a)
	y := t / (t + 2)
	if !settled(y) {
		y = tanhDD(a).odd()
	}
	return float32(signed(y, float64(x)))
}

// tanhDD returns tanh(a) for 0 <= a < 300.
func tanhDD(a float64) dd {
	t := expm1DD(ddFrom(2 * a))
	return t.div(t.addF(2))
}

// Tanh64 returns the hyperbolic tangent of x.
func Tanh64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64
	case a < 0x1p-28:
		return x
	case a > 40:
		return signed(1, x)
	}
	return signed(tanhDD(a).hi, x)
}

// Asinh32 returns the inverse hyperbolic sine of x.
func Asinh32(x float32) float32 {
	a := math.Abs(float64(x))
	switch {
	case x != x:
		return nan32
	case a < tinyTrig, a == inf64:
		return x
	}
	a2 := float64(a * a)
	y := log1pCore(a + a2/(1+math.Sqrt(1+a2)))
	if !settled(y) {
		y = asinhDD(a).odd()
	}
	return float32(signed(y, float64(x)))
}

// asinhDD returns asinh(a) for 0 <= a < 2^400.
func asinhDD(a float64) dd {
	a2 := ddFrom(a).sqr()
	return log1pDD(a2.div(a2.addF(1).sqrt().addF(1)).addF(a))
}

// Asinh64 returns the inverse hyperbolic sine of x.
func Asinh64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64
	case a < 0x1p-28, a == inf64:
		return x
	case a > 0x1p100:
		return signed(logDD(ddFrom(a)).add(ddLn2).hi, x)
	}
	return signed(asinhDD(a).hi, x)
}

// Acosh32 returns the inverse hyperbolic cosine of x >= 1.
func Acosh32(x float32) float32 {
	if !(x >= 1 && x < inf32) {
		if x > 1 {
			return x
		}
		return nan32
	}
	t := float64(x) - 1
	y := log1pCore(t + math.Sqrt(2*t+float64(t*t)))
	if settled(y) {
		return float32(y)
	}
	return acoshDD(float64(x)).round32()
}

// acoshDD returns acosh(x) for 1 <= x < 2^400.
func acoshDD(x float64) dd {
	t := ddFrom(x).addF(-1)
	return log1pDD(t.add(t.sqr().add(t.scale(2)).sqrt()))
}

// Acosh64 returns the inverse hyperbolic cosine of x >= 1.
func Acosh64(x float64) float64 {
	switch {
	case !(x >= 1):
		return nan64
	case x == inf64:
		return x
	case x > 0x1p100:
		return logDD(ddFrom(x)).add(ddLn2).hi
	}
	return acoshDD(x).hi
}

// Atanh32 returns the inverse hyperbolic tangent of x, |x| <= 1.
func Atanh32(x float32) float32 {
	a := math.Abs(float64(x))
	switch {
	case !(a <= 1):
		return nan32
	case a < tinyTrig:
		return x
	case a == 1:
		return float32(signed(inf64, float64(x)))
	}
	y := 0.5 * log1pCore(2*a/(1-a))
	if !settled(y) {
		y = atanhDD(a).odd()
	}
	return float32(signed(y, float64(x)))
}

// atanhDD returns atanh(a) for 0 <= a < 1.
func atanhDD(a float64) dd {
	return log1pDD(ddFrom(2 * a).div(ddFrom(1).addF(-a))).scale(0.5)
}

// Atanh64 returns the inverse hyperbolic tangent of x, |x| <= 1.
func Atanh64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return nan64
	case a < 0x1p-28:
		return x
	case a == 1:
		return signed(inf64, x)
	}
	return signed(atanhDD(a).hi, x)
}
