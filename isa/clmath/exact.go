package clmath

import "math"

// Fabs32 returns x without its sign bit.
func Fabs32(x float32) float32 {
	return math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
}

// Fabs64 returns x without its sign bit.
func Fabs64(x float64) float64 { return math.Abs(x) }

// Copysign32 returns x with the sign bit of y.
func Copysign32(x, y float32) float32 {
	const sign = 1 << 31
	return math.Float32frombits(math.Float32bits(x)&^sign | math.Float32bits(y)&sign)
}

// Copysign64 returns x with the sign bit of y.
func Copysign64(x, y float64) float64 { return math.Copysign(x, y) }

// Ceil32 rounds x up to an integer.
func Ceil32(x float32) float32 { return quiet32(float32(math.Ceil(float64(x)))) }

// Ceil64 rounds x up to an integer.
func Ceil64(x float64) float64 { return quiet64(math.Ceil(x)) }

// Floor32 rounds x down to an integer.
func Floor32(x float32) float32 { return quiet32(float32(math.Floor(float64(x)))) }

// Floor64 rounds x down to an integer.
func Floor64(x float64) float64 { return quiet64(math.Floor(x)) }

// Trunc32 rounds x to an integer towards zero.
func Trunc32(x float32) float32 { return quiet32(float32(math.Trunc(float64(x)))) }

// Trunc64 rounds x to an integer towards zero.
func Trunc64(x float64) float64 { return quiet64(math.Trunc(x)) }

// Rint32 rounds x to the nearest integer, ties to even.
func Rint32(x float32) float32 { return quiet32(float32(math.RoundToEven(float64(x)))) }

// Rint64 rounds x to the nearest integer, ties to even.
func Rint64(x float64) float64 { return quiet64(math.RoundToEven(x)) }

// Round32 rounds x to the nearest integer, ties away from zero.
func Round32(x float32) float32 { return quiet32(float32(math.Round(float64(x)))) }

// Round64 rounds x to the nearest integer, ties away from zero.
func Round64(x float64) float64 { return quiet64(math.Round(x)) }

// fractOfWhole is the fraction of a number without one: x-floor(x), which is
// +0, but for zeros and infinities, which keep their sign (OpenCL C 7.5.1).
func fractOfWhole(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) {
		return math.Copysign(0, x)
	}
	return 0
}

// Fract32 returns x-floor(x), kept below one, and floor(x).
func Fract32(x float32) (fract, floor float32) {
	floor = Floor32(x)
	switch {
	case x != x:
		return nan32, nan32
	case x == floor:
		return float32(fractOfWhole(float64(x))), floor
	}
	return min(x-floor, 0x1.fffffep-1), floor
}

// Fract64 returns x-floor(x), kept below one, and floor(x).
func Fract64(x float64) (fract, floor float64) {
	floor = Floor64(x)
	switch {
	case x != x:
		return nan64, nan64
	case x == floor:
		return fractOfWhole(x), floor
	}
	return min(x-floor, 0x1.fffffffffffffp-1), floor
}

// Modf32 returns the fractional and the integral part of x, both with the
// sign of x.
func Modf32(x float32) (frac, whole float32) {
	whole = Trunc32(x)
	switch {
	case x != x:
		return nan32, nan32
	case x == whole:
		return Copysign32(0, x), whole
	}
	return x - whole, whole
}

// Modf64 returns the fractional and the integral part of x, both with the
// sign of x.
func Modf64(x float64) (frac, whole float64) {
	whole = Trunc64(x)
	switch {
	case x != x:
		return nan64, nan64
	case x == whole:
		return math.Copysign(0, x), whole
	}
	return x - whole, whole
}

// Frexp32 returns m and e with x = m*2^e and |m| in [1/2, 1). Zeros,
// infinities and NaN come back with an exponent of zero.
func Frexp32(x float32) (m float32, e int32) {
	y, e := Frexp64(float64(x))
	return float32(y), e
}

// Frexp64 returns m and e as Frexp32 does.
func Frexp64(x float64) (m float64, e int32) {
	if x == 0 || !finite64(x) {
		return quiet64(x), 0
	}
	e = Ilogb64(x) + 1
	return Ldexp64(x, -e), e
}

// Ldexp32 returns x*2^n, rounded once.
func Ldexp32(x float32, n int32) float32 {
	k := int(max(min(n, 400), -400))
	return quiet32(float32(float64(x) * pow2(k)))
}

// Ldexp64 returns x*2^n, rounded once.
func Ldexp64(x float64, n int32) float64 {
	if x == 0 || !finite64(x) {
		return quiet64(x)
	}
	y, s := normal64(math.Abs(x))
	b := math.Float64bits(y)
	e := int(b>>52) - 1023 + s + int(n)
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52)
	switch {
	case e > 1023:
		y = inf64
	case e >= -1022:
		y = m * pow2(e)
	case e < -1080:
		y = 0
	default:
		y = m * 0x1p-1000 * pow2(e+1000)
	}
	return math.Copysign(y, x)
}

// Nextafter32 returns the neighbour of x in the direction of y.
func Nextafter32(x, y float32) float32 {
	switch {
	case x != x || y != y:
		return nan32
	case x == y:
		return y
	case x == 0:
		return Copysign32(math.SmallestNonzeroFloat32, y)
	case (x < y) == (x > 0):
		return math.Float32frombits(math.Float32bits(x) + 1)
	}
	return math.Float32frombits(math.Float32bits(x) - 1)
}

// Nextafter64 returns the neighbour of x in the direction of y.
func Nextafter64(x, y float64) float64 {
	switch {
	case x != x || y != y:
		return nan64
	case x == y:
		return y
	case x == 0:
		return math.Copysign(math.SmallestNonzeroFloat64, y)
	case (x < y) == (x > 0):
		return math.Float64frombits(math.Float64bits(x) + 1)
	}
	return math.Float64frombits(math.Float64bits(x) - 1)
}

// Nan32 returns a quiet NaN that carries as much of code as fits.
func Nan32(code uint32) float32 { return math.Float32frombits(nanBits32 | code&(1<<22-1)) }

// Nan64 returns a quiet NaN that carries as much of code as fits.
func Nan64(code uint64) float64 { return math.Float64frombits(nanBits64 | code&(1<<51-1)) }

// Fdim32 returns x-y where x > y, and zero elsewhere.
func Fdim32(x, y float32) float32 {
	switch {
	case x > y:
		return x - y
	case x <= y:
		return 0
	}
	return nan32
}

// Fdim64 returns x-y where x > y, and zero elsewhere.
func Fdim64(x, y float64) float64 {
	switch {
	case x > y:
		return x - y
	case x <= y:
		return 0
	}
	return nan64
}

// Fmax32 returns the greater of x and y, or the one that is not a NaN. A
// positive zero is greater than a negative one.
func Fmax32(x, y float32) float32 {
	switch {
	case x > y, y != y:
		return quiet32(x)
	case x == y && x == 0 && !math.Signbit(float64(x)):
		return x
	}
	return y
}

// Fmax64 is Fmax32 for doubles.
func Fmax64(x, y float64) float64 {
	switch {
	case x > y, y != y:
		return quiet64(x)
	case x == y && x == 0 && !math.Signbit(x):
		return x
	}
	return y
}

// Fmin32 returns the lesser of x and y, or the one that is not a NaN. A
// negative zero is less than a positive one.
func Fmin32(x, y float32) float32 {
	switch {
	case x < y, y != y:
		return quiet32(x)
	case x == y && x == 0 && math.Signbit(float64(x)):
		return x
	}
	return y
}

// Fmin64 is Fmin32 for doubles.
func Fmin64(x, y float64) float64 {
	switch {
	case x < y, y != y:
		return quiet64(x)
	case x == y && x == 0 && math.Signbit(x):
		return x
	}
	return y
}

// Maxmag32 returns the argument of greater magnitude, or Fmax32 of both.
func Maxmag32(x, y float32) float32 {
	a, b := Fabs32(x), Fabs32(y)
	switch {
	case a > b:
		return x
	case b > a:
		return y
	}
	return Fmax32(x, y)
}

// Maxmag64 returns the argument of greater magnitude, or Fmax64 of both.
func Maxmag64(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	switch {
	case a > b:
		return x
	case b > a:
		return y
	}
	return Fmax64(x, y)
}

// Minmag32 returns the argument of lesser magnitude, or Fmin32 of both.
func Minmag32(x, y float32) float32 {
	a, b := Fabs32(x), Fabs32(y)
	switch {
	case a < b:
		return x
	case b < a:
		return y
	}
	return Fmin32(x, y)
}

// Minmag64 returns the argument of lesser magnitude, or Fmin64 of both.
func Minmag64(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	switch {
	case a < b:
		return x
	case b < a:
		return y
	}
	return Fmin64(x, y)
}

// Fma32 returns x*y+z, rounded once. It serves the function mad, too.
func Fma32(x, y, z float32) float32 {
	p := float64(float64(x) * float64(y)) // exact
	s, e := twoSum(p, float64(z))
	if !(math.Abs(s) < inf64) {
		return quiet32(float32(s))
	}
	return dd{s, e}.round32()
}

// Fma64 returns x*y+z, rounded once. It serves the function mad, too.
func Fma64(x, y, z float64) float64 { return quiet64(math.FMA(x, y, z)) }

// Divide32 returns x/y (half_divide and native_divide).
func Divide32(x, y float32) float32 { return quiet32(x / y) }

// Divide64 returns x/y (native_divide).
func Divide64(x, y float64) float64 { return quiet64(x / y) }

// Recip32 returns 1/x (half_recip and native_recip).
func Recip32(x float32) float32 { return quiet32(1 / x) }

// Recip64 returns 1/x (native_recip).
func Recip64(x float64) float64 { return quiet64(1 / x) }
