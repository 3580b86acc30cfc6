package clmath

import "math"

// Half precision functions are built from the others. The correctly rounded
// single precision result, rounded again to half, is the correctly rounded
// half unless it happens to be exactly the middle of two halves. Then the
// double precision result tells on which side of the middle the true value
// lies; half precision has so few arguments that none comes nearer to a
// middle than a double can tell, unless it is the middle. The tests of
// half_proof_test.go show that for all arguments.

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

// offMiddle moves y, which is a middle of two halves, by one float32 to the
// side on which the exact result lies.
func offMiddle(y float32, exact float64) float32 {
	switch {
	case exact > float64(y):
		return Nextafter32(y, inf32)
	case exact < float64(y):
		return Nextafter32(y, -inf32)
	}
	return y
}

// twice16 has the functions of one operation, which may be rounded twice:
// single precision has twice the bits of half and two more, so that the
// correctly rounded float32 never is a middle of two halves that the exact
// result is not.
var twice16 = [NumFuncs]bool{
	FuncCeil: true, FuncFloor: true, FuncTrunc: true, FuncRint: true, FuncRound: true, FuncFabs: true,
	FuncSign: true, FuncLogb: true, FuncSqrt: true, FuncHalfSqrt: true, FuncNativeSqrt: true,
	FuncHalfRecip: true, FuncNativeRecip: true, FuncHalfDivide: true, FuncNativeDivide: true,
	FuncCopysign: true, FuncFdim: true, FuncFmax: true, FuncFmin: true, FuncMaxmag: true, FuncMinmag: true,
	FuncFmaxCommon: true, FuncFminCommon: true, FuncStep: true,
}

// The functions of the ...Half32 tables take halves that travel as float32,
// and return a float32 that rounds (to nearest even) to the correctly rounded
// half: the correctly rounded float32, but where that is the middle of two
// halves and the true value is not, its neighbour on the side of the true value.

// UnaryHalf32 holds the functions of one argument; nil where there is none.
var UnaryHalf32 = func() (t [NumFuncs]func(float32) float32) {
	for f := range t {
		f32, f64 := Unary32[f], Unary64[f]
		switch {
		case twice16[f]:
			t[f] = f32
		case f32 != nil:
			t[f] = func(x float32) float32 {
				y := f32(x)
				if middle16(y) {
					return offMiddle(y, f64(float64(x)))
				}
				return y
			}
		}
	}
	return t
}()

// BinaryHalf32 holds the functions of two arguments; nil where there is none.
var BinaryHalf32 = func() (t [NumFuncs]func(x, y float32) float32) {
	for f := range t {
		f32, f64 := Binary32[f], Binary64[f]
		switch {
		case twice16[f]:
			t[f] = f32
		case f32 != nil:
			t[f] = func(x, y float32) float32 {
				z := f32(x, y)
				if middle16(z) {
					return offMiddle(z, f64(float64(x), float64(y)))
				}
				return z
			}
		}
	}
	t[FuncNextafter] = func(x, y float32) float32 { return F16ToF32(Nextafter16(F32ToF16(x), F32ToF16(y))) }
	return t
}()

// TernaryHalf32 holds the functions of three arguments; nil where there is none.
var TernaryHalf32 = [NumFuncs]func(x, y, z float32) float32{
	FuncFma:        ternaryHalf(Fma32, fmaDD),
	FuncMad:        ternaryHalf(Fma32, fmaDD),
	FuncFclamp:     Clamp32,
	FuncMix:        ternaryHalf(Mix32, mixDD),
	FuncSmoothstep: ternaryHalf(Smoothstep32, smoothstepDD),
}

func ternaryHalf(f32 func(x, y, z float32) float32, exact func(x, y, z float64) dd) func(x, y, z float32) float32 {
	return func(x, y, z float32) float32 {
		r := f32(x, y, z)
		if middle16(r) {
			return offMiddle(r, exact(float64(x), float64(y), float64(z)).odd())
		}
		return r
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

// WithIntHalf32 holds the functions of a half and an integer argument.
var WithIntHalf32 = [NumFuncs]func(x float32, n int32) float32{
	FuncLdexp: Ldexp32,
	FuncPown:  withIntHalf(Pown32, Pown64),
	FuncRootn: withIntHalf(Rootn32, Rootn64),
}

func withIntHalf(f32 func(float32, int32) float32, f64 func(float64, int32) float64) func(float32, int32) float32 {
	return func(x float32, n int32) float32 {
		y := f32(x, n)
		if middle16(y) {
			return offMiddle(y, f64(float64(x), n))
		}
		return y
	}
}

// PairHalf32 holds the functions that return one half and store another.
var PairHalf32 = [NumFuncs]func(x float32) (y, stored float32){
	FuncFract:  fractHalf,
	FuncModf:   Modf32,
	FuncSinCos: func(x float32) (sin, cos float32) { return UnaryHalf32[FuncSin](x), UnaryHalf32[FuncCos](x) },
}

// fractHalf returns x-floor(x), kept below one, and floor(x). The difference
// is exact: a half has no more than 24 bits behind the binary point.
func fractHalf(x float32) (fract, floor float32) {
	f, w := Fract32(x)
	if f > 0x1.ffcp-1 {
		f = 0x1.ffcp-1
	}
	return f, w
}

// PairIntHalf32 holds the functions that return a half and store an integer.
var PairIntHalf32 = [NumFuncs]func(x float32) (y float32, stored int32){
	FuncFrexp: Frexp32,
	FuncLgammaR: func(x float32) (float32, int32) {
		return UnaryHalf32[FuncLgamma](x), lgammaSign(float64(x))
	},
}

// Unary16 holds the functions of one argument for halves given by their bits;
// nil where there is none.
var Unary16 = func() (t [NumFuncs]func(uint16) uint16) {
	for f, g := range UnaryHalf32 {
		if g != nil {
			t[f] = func(h uint16) uint16 { return F32ToF16(g(F16ToF32(h))) }
		}
	}
	t[FuncFabs] = Fabs16
	return t
}()

// Binary16 holds the functions of two arguments for halves given by their
// bits; nil where there is none.
var Binary16 = func() (t [NumFuncs]func(x, y uint16) uint16) {
	for f, op := range BinaryHalf32 {
		if op != nil {
			t[f] = func(g, h uint16) uint16 { return F32ToF16(op(F16ToF32(g), F16ToF32(h))) }
		}
	}
	t[FuncCopysign] = Copysign16
	t[FuncNextafter] = Nextafter16
	return t
}()

// Ternary16 holds the functions of three arguments for halves given by their
// bits; nil where there is none.
var Ternary16 = func() (t [NumFuncs]func(x, y, z uint16) uint16) {
	for f, op := range TernaryHalf32 {
		if op != nil {
			t[f] = func(g, h, i uint16) uint16 { return F32ToF16(op(F16ToF32(g), F16ToF32(h), F16ToF32(i))) }
		}
	}
	return t
}()

// WithInt16 holds the functions of a half and an integer argument.
var WithInt16 = func() (t [NumFuncs]func(h uint16, n int32) uint16) {
	for f, op := range WithIntHalf32 {
		if op != nil {
			t[f] = func(h uint16, n int32) uint16 { return F32ToF16(op(F16ToF32(h), n)) }
		}
	}
	return t
}()

// Pair16 holds the functions that return one half and store another.
var Pair16 = func() (t [NumFuncs]func(h uint16) (y, stored uint16)) {
	for f, op := range PairHalf32 {
		if op != nil {
			t[f] = func(h uint16) (y, stored uint16) {
				a, b := op(F16ToF32(h))
				return F32ToF16(a), F32ToF16(b)
			}
		}
	}
	return t
}()

// PairInt16 holds the functions that return a half and store an integer.
var PairInt16 = func() (t [NumFuncs]func(h uint16) (y uint16, stored int32)) {
	for f, op := range PairIntHalf32 {
		if op != nil {
			t[f] = func(h uint16) (uint16, int32) {
				y, n := op(F16ToF32(h))
				return F32ToF16(y), n
			}
		}
	}
	return t
}()

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

// Ilogb16 returns the binary exponent of h as Ilogb32 does.
func Ilogb16(h uint16) int32 { return Ilogb32(F16ToF32(h)) }

// Remquo16 returns the remainder and quotient bits as Remquo64 does.
func Remquo16(g, h uint16) (rem uint16, quo int32) {
	r, q := Remquo32(F16ToF32(g), F16ToF32(h))
	return F32ToF16(r), q
}
