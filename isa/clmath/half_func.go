package clmath

import "math"

// Half precision functions are built from the others. The correctly rounded
// single precision result, rounded again to half, is the correctly rounded
// half unless it happens to be exactly the middle of two halves. Then the
// double precision result tells on which side of the middle the true value
// lies; half precision has so few arguments that none comes nearer to a
// middle than a double can tell, unless it is the middle.

// middle16 reports whether x is exactly the middle of two neighbouring halves
// (or of the largest half and what would be the next).
func middle16(x float32) bool {
	b := math.Float32bits(x) &^ (1 << 31)
	if b >= 113<<23 { // normal halves, from 2^-14
		return b&(1<<13-1) == 1<<12
	}
	// Halves are multiples of 2^-24 here: x must be an odd multiple of 2^-25.
	y := math.Abs(float64(x)) * 0x1p25
	return y == math.Trunc(y) && int64(y)&1 != 0
}

func unary16(f32 func(float32) float32, f64 func(float64) float64) func(uint16) uint16 {
	return func(h uint16) uint16 {
		x := F16ToF32(h)
		y := f32(x)
		if middle16(y) {
			return F64ToF16(f64(float64(x)))
		}
		return F32ToF16(y)
	}
}

func binary16(f32 func(x, y float32) float32, f64 func(x, y float64) float64) func(x, y uint16) uint16 {
	return func(g, h uint16) uint16 {
		x, y := F16ToF32(g), F16ToF32(h)
		z := f32(x, y)
		if middle16(z) {
			return F64ToF16(f64(float64(x), float64(y)))
		}
		return F32ToF16(z)
	}
}

func ternary16(f32 func(x, y, z float32) float32, exact func(x, y, z float64) dd) func(x, y, z uint16) uint16 {
	return func(g, h, i uint16) uint16 {
		x, y, z := F16ToF32(g), F16ToF32(h), F16ToF32(i)
		r := f32(x, y, z)
		if middle16(r) {
			return F64ToF16(exact(float64(x), float64(y), float64(z)).odd())
		}
		return F32ToF16(r)
	}
}

// fmaDD returns x*y+z for halves, exactly.
func fmaDD(x, y, z float64) dd {
	s, e := twoSum(float64(x*y), z)
	return dd{s, e}
}

// mixDD returns x+(y-x)*a.
func mixDD(x, y, a float64) dd {
	s, e := twoSum(y, -x)
	return dd{s, e}.mulF(a).addF(x)
}

// clampDD returns fmin(fmax(x, lo), hi).
func clampDD(x, lo, hi float64) dd { return ddFrom(Clamp64(x, lo, hi)) }

// Unary16 holds the functions of one argument for halves given by their bits;
// nil where there is none.
var Unary16 = func() (t [NumFuncs]func(uint16) uint16) {
	for f := range t {
		if Unary32[f] != nil {
			t[f] = unary16(Unary32[f], Unary64[f])
		}
	}
	t[FuncFabs] = Fabs16
	return t
}()

// Binary16 holds the functions of two arguments for halves given by their
// bits; nil where there is none.
var Binary16 = func() (t [NumFuncs]func(x, y uint16) uint16) {
	for f := range t {
		if Binary32[f] != nil {
			t[f] = binary16(Binary32[f], Binary64[f])
		}
	}
	t[FuncCopysign] = Copysign16
	t[FuncNextafter] = Nextafter16
	return t
}()

// Ternary16 holds the functions of three arguments for halves given by their
// bits; nil where there is none.
var Ternary16 = [NumFuncs]func(x, y, z uint16) uint16{
	FuncFma:        ternary16(Fma32, fmaDD),
	FuncMad:        ternary16(Fma32, fmaDD),
	FuncFclamp:     ternary16(Clamp32, clampDD),
	FuncMix:        ternary16(Mix32, mixDD),
	FuncSmoothstep: ternary16(Smoothstep32, smoothstepDD),
}

// WithInt16 holds the functions of a half and an integer argument.
var WithInt16 = [NumFuncs]func(h uint16, n int32) uint16{
	FuncLdexp: withInt16(Ldexp32, Ldexp64),
	FuncPown:  withInt16(Pown32, Pown64),
	FuncRootn: withInt16(Rootn32, Rootn64),
}

func withInt16(f32 func(float32, int32) float32, f64 func(float64, int32) float64) func(uint16, int32) uint16 {
	return func(h uint16, n int32) uint16 {
		x := F16ToF32(h)
		y := f32(x, n)
		if middle16(y) {
			return F64ToF16(f64(float64(x), n))
		}
		return F32ToF16(y)
	}
}

// Pair16 holds the functions that return one half and store another.
var Pair16 = [NumFuncs]func(h uint16) (y, stored uint16){
	FuncFract:  Fract16,
	FuncModf:   Modf16,
	FuncSinCos: SinCos16,
}

// PairInt16 holds the functions that return a half and store an integer.
var PairInt16 = [NumFuncs]func(h uint16) (y uint16, stored int32){
	FuncFrexp:   Frexp16,
	FuncLgammaR: LgammaR16,
}

// Fabs16 returns h without its sign bit.
func Fabs16(h uint16) uint16 { return h &^ (1 << 15) }

// Copysign16 returns g with the sign bit of h.
func Copysign16(g, h uint16) uint16 { return g&^(1<<15) | h&(1<<15) }

// Nan16 returns a quiet NaN that carries as much of code as fits.
func Nan16(code uint16) uint16 { return 0x7e00 | code&0x1ff }

// Nextafter16 returns the neighbour of g in the direction of h.
func Nextafter16(g, h uint16) uint16 {
	x, y := F16ToF32(g), F16ToF32(h)
	switch {
	case x != x || y != y:
		return 0x7e00
	case x == y:
		return h
	case x == 0:
		return h&(1<<15) | 1
	case (x < y) == (x > 0):
		return g + 1
	}
	return g - 1
}

// Fract16 returns x-floor(x), kept below one, and floor(x).
func Fract16(h uint16) (fract, floor uint16) {
	f, w := Fract32(F16ToF32(h))
	fract = F32ToF16(f)
	if fract == 0x3c00 { // one
		fract--
	}
	return fract, F32ToF16(w)
}

// Modf16 returns the fractional and the integral part of h.
func Modf16(h uint16) (frac, whole uint16) {
	f, w := Modf32(F16ToF32(h))
	return F32ToF16(f), F32ToF16(w)
}

// SinCos16 returns the sine and the cosine of h radians.
func SinCos16(h uint16) (sin, cos uint16) {
	return Unary16[FuncSin](h), Unary16[FuncCos](h)
}

// Frexp16 returns the mantissa and exponent of h as Frexp32 does.
func Frexp16(h uint16) (m uint16, e int32) {
	y, e := Frexp32(F16ToF32(h))
	return F32ToF16(y), e
}

// LgammaR16 returns the logarithm of |gamma(x)| and the sign of gamma(x) as
// LgammaR32 does.
func LgammaR16(h uint16) (y uint16, sign int32) {
	return Unary16[FuncLgamma](h), lgammaSign(float64(F16ToF32(h)))
}

// Ilogb16 returns the binary exponent of h as Ilogb32 does.
func Ilogb16(h uint16) int32 { return Ilogb32(F16ToF32(h)) }

// Remquo16 returns the remainder and quotient bits as Remquo64 does.
func Remquo16(g, h uint16) (rem uint16, quo int32) {
	r, q := Remquo32(F16ToF32(g), F16ToF32(h))
	return F32ToF16(r), q
}
