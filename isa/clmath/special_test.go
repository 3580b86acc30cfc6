package clmath

import (
	"math"
	"testing"
)

var (
	tInf = math.Inf(1)
	tNaN = math.NaN()
	tNeg = math.Copysign(0, -1)
)

const (
	tMin32 = math.SmallestNonzeroFloat32
	tMax32 = math.MaxFloat32
)

// TestUnarySpecial checks the special cases of OpenCL C section 7.5.1 and C99
// Annex F for functions of one argument, to the bit, in all three precisions.
func TestUnarySpecial(t *testing.T) {
	tests := []struct {
		f    Func
		x, y float64
	}{
		{FuncAcos, 1, 0}, {FuncAcos, 1.5, tNaN}, {FuncAcos, -1.5, tNaN}, {FuncAcos, tInf, tNaN},
		{FuncAcosh, 1, 0}, {FuncAcosh, 0.5, tNaN}, {FuncAcosh, tInf, tInf}, {FuncAcosh, -tInf, tNaN},
		{FuncAcosPi, 1, 0}, {FuncAcosPi, -1, 1}, {FuncAcosPi, 0, 0.5}, {FuncAcosPi, tNeg, 0.5}, {FuncAcosPi, 2, tNaN},
		{FuncAsin, 0, 0}, {FuncAsin, tNeg, tNeg}, {FuncAsin, 1.5, tNaN}, {FuncAsin, -tInf, tNaN},
		{FuncAsinPi, 1, 0.5}, {FuncAsinPi, -1, -0.5}, {FuncAsinPi, tNeg, tNeg}, {FuncAsinPi, 0, 0}, {FuncAsinPi, 2, tNaN},
		{FuncAsinh, 0, 0}, {FuncAsinh, tNeg, tNeg}, {FuncAsinh, tInf, tInf}, {FuncAsinh, -tInf, -tInf},
		{FuncAtan, 0, 0}, {FuncAtan, tNeg, tNeg},
		{FuncAtanPi, 0, 0}, {FuncAtanPi, tNeg, tNeg}, {FuncAtanPi, 1, 0.25}, {FuncAtanPi, -1, -0.25},
		{FuncAtanPi, tInf, 0.5}, {FuncAtanPi, -tInf, -0.5},
		{FuncAtanh, 0, 0}, {FuncAtanh, tNeg, tNeg}, {FuncAtanh, 1, tInf}, {FuncAtanh, -1, -tInf}, {FuncAtanh, 2, tNaN}, {FuncAtanh, -tInf, tNaN},
		{FuncCbrt, 0, 0}, {FuncCbrt, tNeg, tNeg}, {FuncCbrt, 27, 3}, {FuncCbrt, -8, -2}, {FuncCbrt, tInf, tInf}, {FuncCbrt, -tInf, -tInf},
		{FuncCeil, -0.5, tNeg}, {FuncCeil, 0.5, 1}, {FuncCeil, tNeg, tNeg}, {FuncCeil, -tInf, -tInf}, {FuncCeil, 1000, 1000},
		{FuncCos, 0, 1}, {FuncCos, tNeg, 1}, {FuncCos, tInf, tNaN}, {FuncCos, -tInf, tNaN},
		{FuncCosh, 0, 1}, {FuncCosh, -tInf, tInf}, {FuncCosh, tInf, tInf},
		{FuncCosPi, 0, 1}, {FuncCosPi, 0.5, 0}, {FuncCosPi, -0.5, 0}, {FuncCosPi, 1.5, 0}, {FuncCosPi, 3, -1}, {FuncCosPi, 2046, 1}, {FuncCosPi, tInf, tNaN},
		{FuncErf, 0, 0}, {FuncErf, tNeg, tNeg}, {FuncErf, tInf, 1}, {FuncErf, -tInf, -1},
		{FuncErfc, 0, 1}, {FuncErfc, tNeg, 1}, {FuncErfc, tInf, 0}, {FuncErfc, -tInf, 2},
		{FuncExp, 0, 1}, {FuncExp, tNeg, 1}, {FuncExp, tInf, tInf}, {FuncExp, -tInf, 0},
		{FuncExp2, 0, 1}, {FuncExp2, 10, 1024}, {FuncExp2, -14, 0x1p-14}, {FuncExp2, -24, 0x1p-24}, {FuncExp2, tInf, tInf}, {FuncExp2, -tInf, 0},
		{FuncExp10, 0, 1}, {FuncExp10, 3, 1000}, {FuncExp10, tInf, tInf}, {FuncExp10, -tInf, 0},
		{FuncExpm1, 0, 0}, {FuncExpm1, tNeg, tNeg}, {FuncExpm1, tInf, tInf}, {FuncExpm1, -tInf, -1},
		{FuncFabs, tNeg, 0}, {FuncFabs, -tInf, tInf}, {FuncFabs, -2, 2},
		{FuncFloor, 0.5, 0}, {FuncFloor, -0.5, -1}, {FuncFloor, tNeg, tNeg}, {FuncFloor, tInf, tInf},
		{FuncLgamma, 1, 0}, {FuncLgamma, 2, 0}, {FuncLgamma, 0, tInf}, {FuncLgamma, tNeg, tInf}, {FuncLgamma, -1, tInf}, {FuncLgamma, -2, tInf}, {FuncLgamma, tInf, tInf}, {FuncLgamma, -tInf, tInf},
		{FuncLog, 1, 0}, {FuncLog, 0, -tInf}, {FuncLog, tNeg, -tInf}, {FuncLog, -1, tNaN}, {FuncLog, tInf, tInf}, {FuncLog, -tInf, tNaN},
		{FuncLog2, 1, 0}, {FuncLog2, 8, 3}, {FuncLog2, 0x1p-24, -24}, {FuncLog2, 0, -tInf}, {FuncLog2, -1, tNaN}, {FuncLog2, tInf, tInf},
		{FuncLog10, 1, 0}, {FuncLog10, 1000, 3}, {FuncLog10, 10000, 4}, {FuncLog10, tNeg, -tInf}, {FuncLog10, -1, tNaN}, {FuncLog10, tInf, tInf},
		{FuncLog1p, 0, 0}, {FuncLog1p, tNeg, tNeg}, {FuncLog1p, -1, -tInf}, {FuncLog1p, -2, tNaN}, {FuncLog1p, tInf, tInf}, {FuncLog1p, -tInf, tNaN},
		{FuncLogb, 0, -tInf}, {FuncLogb, tNeg, -tInf}, {FuncLogb, 8, 3}, {FuncLogb, -0.75, -1}, {FuncLogb, 0x1p-24, -24}, {FuncLogb, tInf, tInf}, {FuncLogb, -tInf, tInf},
		{FuncRint, 0.5, 0}, {FuncRint, 1.5, 2}, {FuncRint, -0.5, tNeg}, {FuncRint, 2.5, 2}, {FuncRint, -tInf, -tInf},
		{FuncRound, 0.5, 1}, {FuncRound, -0.5, -1}, {FuncRound, 2.5, 3}, {FuncRound, -0.25, tNeg}, {FuncRound, tInf, tInf},
		{FuncRsqrt, 4, 0.5}, {FuncRsqrt, 0, tInf}, {FuncRsqrt, tNeg, -tInf}, {FuncRsqrt, tInf, 0}, {FuncRsqrt, -1, tNaN}, {FuncRsqrt, -tInf, tNaN},
		{FuncSin, 0, 0}, {FuncSin, tNeg, tNeg}, {FuncSin, tInf, tNaN}, {FuncSin, -tInf, tNaN},
		{FuncSinh, 0, 0}, {FuncSinh, tNeg, tNeg}, {FuncSinh, tInf, tInf}, {FuncSinh, -tInf, -tInf},
		{FuncSinPi, 0, 0}, {FuncSinPi, tNeg, tNeg}, {FuncSinPi, 3, 0}, {FuncSinPi, -3, tNeg}, {FuncSinPi, 0.5, 1}, {FuncSinPi, 1.5, -1}, {FuncSinPi, -tInf, tNaN},
		{FuncSqrt, 0, 0}, {FuncSqrt, tNeg, tNeg}, {FuncSqrt, 9, 3}, {FuncSqrt, -1, tNaN}, {FuncSqrt, tInf, tInf}, {FuncSqrt, -tInf, tNaN},
		{FuncTan, 0, 0}, {FuncTan, tNeg, tNeg}, {FuncTan, tInf, tNaN},
		{FuncTanh, 0, 0}, {FuncTanh, tNeg, tNeg}, {FuncTanh, tInf, 1}, {FuncTanh, -tInf, -1},
		{FuncTanPi, 0, 0}, {FuncTanPi, tNeg, tNeg}, {FuncTanPi, 1, tNeg}, {FuncTanPi, -1, 0}, {FuncTanPi, 2, 0}, {FuncTanPi, -2, tNeg},
		{FuncTanPi, 0.5, tInf}, {FuncTanPi, 1.5, -tInf}, {FuncTanPi, -0.5, -tInf}, {FuncTanPi, 0.25, 1}, {FuncTanPi, tInf, tNaN},
		{FuncTgamma, 0, tInf}, {FuncTgamma, tNeg, -tInf}, {FuncTgamma, -1, tNaN}, {FuncTgamma, tInf, tInf}, {FuncTgamma, -tInf, tNaN}, {FuncTgamma, 1, 1}, {FuncTgamma, 5, 24},
		{FuncTrunc, -0.5, tNeg}, {FuncTrunc, 1.75, 1}, {FuncTrunc, -1.75, -1}, {FuncTrunc, tInf, tInf},
		{FuncSign, 3, 1}, {FuncSign, -3, -1}, {FuncSign, 0, 0}, {FuncSign, tNeg, tNeg},
		{FuncDegrees, 0, 0}, {FuncDegrees, tNeg, tNeg}, {FuncDegrees, tInf, tInf}, {FuncRadians, tNeg, tNeg}, {FuncRadians, -tInf, -tInf},
		{FuncHalfRecip, 4, 0.25}, {FuncNativeRecip, tNeg, -tInf}, {FuncNativeRecip, -tInf, tNeg},
	}
	for _, tt := range tests {
		if got := Unary64[tt.f](tt.x); !identical64(got, tt.y) {
			t.Errorf("double %v(%g) = %g, want %g", tt.f, tt.x, got, tt.y)
		}
		if got := Unary32[tt.f](float32(tt.x)); !identical32(got, float32(tt.y)) {
			t.Errorf("float %v(%g) = %g, want %g", tt.f, tt.x, got, tt.y)
		}
		if got := Unary16[tt.f](F64ToF16(tt.x)); got != F64ToF16(canonical(tt.y)) {
			t.Errorf("half %v(%g) = %#x, want %g", tt.f, tt.x, got, tt.y)
		}
	}
}

func canonical(x float64) float64 {
	if x != x {
		return math.Float64frombits(nanBits64)
	}
	return x
}

func identical64(got, want float64) bool {
	return math.Float64bits(got) == math.Float64bits(canonical(want))
}

func identical32(got, want float32) bool {
	if want != want {
		return math.Float32bits(got) == nanBits32
	}
	return math.Float32bits(got) == math.Float32bits(want)
}

// TestNaN feeds NaN of every kind and expects the canonical one back, where
// the result is not defined by the other arguments.
func TestNaN(t *testing.T) {
	nans64 := []uint64{nanBits64, 0xfff8000000000000, 0x7ff0000000000001, 0xfffdeadbeef00000}
	for _, b := range nans64 {
		nan := math.Float64frombits(b)
		single := float32(nan)
		for f := range Func(NumFuncs) {
			if fn := Unary64[f]; fn != nil && f != FuncFabs && f != FuncSign {
				if got := fn(nan); math.Float64bits(got) != nanBits64 {
					t.Errorf("double %v(NaN %#x) = %#x", f, b, math.Float64bits(got))
				}
				if got := Unary32[f](single); math.Float32bits(got) != nanBits32 {
					t.Errorf("float %v(NaN %#x) = %#x", f, b, math.Float32bits(got))
				}
				if got := Unary16[f](0xfe01); got != 0x7e00 {
					t.Errorf("half %v(NaN) = %#x", f, got)
				}
			}
			switch f {
			case FuncCopysign, FuncFmax, FuncFmin, FuncMaxmag, FuncMinmag, FuncStep, FuncFmaxCommon, FuncFminCommon:
				continue // these may pass on the other argument
			}
			if fn := Binary64[f]; fn != nil {
				for _, got := range []float64{fn(nan, 2), fn(2, nan), fn(nan, nan)} {
					if math.Float64bits(got) != nanBits64 {
						t.Errorf("double %v of NaN %#x = %#x", f, b, math.Float64bits(got))
					}
				}
				for _, got := range []float32{Binary32[f](single, 2), Binary32[f](2, single)} {
					if math.Float32bits(got) != nanBits32 {
						t.Errorf("float %v of NaN %#x = %#x", f, b, math.Float32bits(got))
					}
				}
			}
			if fn := Ternary64[f]; fn != nil && f != FuncFclamp {
				for _, got := range []float64{fn(nan, 2, 3), fn(2, nan, 3), fn(2, 3, nan)} {
					if math.Float64bits(got) != nanBits64 {
						t.Errorf("double %v of NaN %#x = %#x", f, b, math.Float64bits(got))
					}
				}
				for _, got := range []float32{Ternary32[f](single, 2, 3), Ternary32[f](2, single, 3), Ternary32[f](2, 3, single)} {
					if math.Float32bits(got) != nanBits32 {
						t.Errorf("float %v of NaN %#x = %#x", f, b, math.Float32bits(got))
					}
				}
			}
		}
	}
}

// TestBinarySpecial checks the special cases of functions of two arguments.
func TestBinarySpecial(t *testing.T) {
	pi := math.Pi
	tests := []struct {
		f       Func
		x, y, z float64
	}{
		{FuncAtan2, 0, 1, 0}, {FuncAtan2, tNeg, 1, tNeg}, {FuncAtan2, 0, 0, 0}, {FuncAtan2, tNeg, 0, tNeg},
		{FuncAtan2, 0, tNeg, pi}, {FuncAtan2, tNeg, tNeg, -pi}, {FuncAtan2, 0, -1, pi}, {FuncAtan2, tNeg, -1, -pi},
		{FuncAtan2, 1, 0, pi / 2}, {FuncAtan2, -1, tNeg, -pi / 2}, {FuncAtan2, 1, tInf, 0}, {FuncAtan2, -1, tInf, tNeg},
		{FuncAtan2, 1, -tInf, pi}, {FuncAtan2, -1, -tInf, -pi}, {FuncAtan2, tInf, 3, pi / 2}, {FuncAtan2, -tInf, 3, -pi / 2},
		{FuncAtan2, tInf, tInf, pi / 4}, {FuncAtan2, -tInf, tInf, -pi / 4}, {FuncAtan2, tInf, -tInf, 3 * pi / 4}, {FuncAtan2, -tInf, -tInf, -3 * pi / 4},
		{FuncAtan2Pi, 0, tNeg, 1}, {FuncAtan2Pi, tNeg, tNeg, -1}, {FuncAtan2Pi, 1, 0, 0.5}, {FuncAtan2Pi, -1, 0, -0.5},
		{FuncAtan2Pi, tInf, tInf, 0.25}, {FuncAtan2Pi, -tInf, -tInf, -0.75}, {FuncAtan2Pi, 2, -2, 0.75}, {FuncAtan2Pi, tNeg, 1, tNeg}, {FuncAtan2Pi, 1, tInf, 0},
		{FuncCopysign, 1, tNeg, -1}, {FuncCopysign, -1, 2, 1}, {FuncCopysign, tInf, -1, -tInf},
		{FuncFdim, 3, 1, 2}, {FuncFdim, 1, 3, 0}, {FuncFdim, tInf, tInf, 0}, {FuncFdim, tInf, 1, tInf}, {FuncFdim, -tInf, -tInf, 0}, {FuncFdim, 1, -tInf, tInf},
		{FuncFmax, 1, tNaN, 1}, {FuncFmax, tNaN, 1, 1}, {FuncFmax, tNaN, tNaN, tNaN}, {FuncFmax, 0, tNeg, 0}, {FuncFmax, tNeg, 0, 0}, {FuncFmax, -tInf, 5, 5},
		{FuncFmin, 1, tNaN, 1}, {FuncFmin, tNaN, 1, 1}, {FuncFmin, tNaN, tNaN, tNaN}, {FuncFmin, 0, tNeg, tNeg}, {FuncFmin, tNeg, 0, tNeg}, {FuncFmin, -tInf, 5, -tInf},
		{FuncFmod, 5, 3, 2}, {FuncFmod, -5, 3, -2}, {FuncFmod, 5, -3, 2}, {FuncFmod, 0, 3, 0}, {FuncFmod, tNeg, 3, tNeg}, {FuncFmod, 6, 3, 0}, {FuncFmod, -6, 3, tNeg},
		{FuncFmod, tInf, 3, tNaN}, {FuncFmod, 3, 0, tNaN}, {FuncFmod, 3, tInf, 3}, {FuncFmod, -3, -tInf, -3}, {FuncFmod, 3, tNaN, tNaN},
		{FuncHypot, 3, 4, 5}, {FuncHypot, -3, 4, 5}, {FuncHypot, tInf, tNaN, tInf}, {FuncHypot, tNaN, -tInf, tInf}, {FuncHypot, 0, tNeg, 0}, {FuncHypot, tNeg, 2, 2}, {FuncHypot, 1, tNaN, tNaN},
		{FuncMaxmag, -3, 2, -3}, {FuncMaxmag, 2, -3, -3}, {FuncMaxmag, -2, 2, 2}, {FuncMaxmag, tNaN, 1, 1},
		{FuncMinmag, -3, 2, 2}, {FuncMinmag, 1, -3, 1}, {FuncMinmag, -2, 2, -2}, {FuncMinmag, 1, tNaN, 1},
		{FuncNextafter, 1, 1, 1}, {FuncNextafter, 0, tNeg, tNeg}, {FuncNextafter, tNeg, 0, 0}, {FuncNextafter, tInf, tInf, tInf}, {FuncNextafter, 1, tNaN, tNaN},
		{FuncPow, tNaN, 0, 1}, {FuncPow, tNaN, tNeg, 1}, {FuncPow, 1, tNaN, 1}, {FuncPow, 2, tNaN, tNaN}, {FuncPow, tNaN, 2, tNaN},
		{FuncPow, 0, -3, tInf}, {FuncPow, tNeg, -3, -tInf}, {FuncPow, tNeg, -2, tInf}, {FuncPow, tNeg, -2.5, tInf}, {FuncPow, 0, -tInf, tInf}, {FuncPow, tNeg, -tInf, tInf},
		{FuncPow, 0, 3, 0}, {FuncPow, tNeg, 3, tNeg}, {FuncPow, tNeg, 2, 0}, {FuncPow, tNeg, 2.5, 0}, {FuncPow, -1, tInf, 1}, {FuncPow, -1, -tInf, 1},
		{FuncPow, -2, 0.5, tNaN}, {FuncPow, 0.5, -tInf, tInf}, {FuncPow, 2, -tInf, 0}, {FuncPow, 0.5, tInf, 0}, {FuncPow, -2, tInf, tInf},
		{FuncPow, -tInf, -3, tNeg}, {FuncPow, -tInf, -2, 0}, {FuncPow, -tInf, 3, -tInf}, {FuncPow, -tInf, 2, tInf}, {FuncPow, tInf, -1, 0}, {FuncPow, tInf, 1, tInf},
		{FuncPow, -2, 3, -8}, {FuncPow, -2, 4, 16}, {FuncPow, 9, 0.5, 3}, {FuncPow, 4, -0.5, 0.5}, {FuncPow, 2, -24, 0x1p-24},
		{FuncPowr, 2, 0, 1}, {FuncPowr, 0, -2, tInf}, {FuncPowr, tNeg, -3, tInf}, {FuncPowr, 0, -tInf, tInf}, {FuncPowr, 0, 3, 0}, {FuncPowr, tNeg, 3, 0},
		{FuncPowr, 1, 3, 1}, {FuncPowr, -1, 2, tNaN}, {FuncPowr, 0, 0, tNaN}, {FuncPowr, tNeg, tNeg, tNaN}, {FuncPowr, tInf, 0, tNaN}, {FuncPowr, 1, tInf, tNaN}, {FuncPowr, 1, -tInf, tNaN},
		{FuncPowr, 2, tNaN, tNaN}, {FuncPowr, tNaN, 0, tNaN}, {FuncPowr, 1, tNaN, tNaN}, {FuncPowr, tInf, 2, tInf}, {FuncPowr, tInf, -2, 0}, {FuncPowr, 16, 0.25, 2},
		{FuncHalfPowr, 9, 0.5, 3}, {FuncNativePowr, 4, 1.5, 8},
		{FuncRemainder, 5, 3, -1}, {FuncRemainder, -5, 3, 1}, {FuncRemainder, 5, 2, 1}, {FuncRemainder, 3, 2, -1}, {FuncRemainder, 6, 3, 0}, {FuncRemainder, -6, 3, tNeg},
		{FuncRemainder, tInf, 2, tNaN}, {FuncRemainder, 2, 0, tNaN}, {FuncRemainder, 2, tInf, 2}, {FuncRemainder, tNeg, 2, tNeg},
		{FuncHalfDivide, 1, 4, 0.25}, {FuncNativeDivide, 1, tNeg, -tInf}, {FuncNativeDivide, 0, 0, tNaN},
		{FuncFmaxCommon, 1, 2, 2}, {FuncFmaxCommon, 2, 1, 2}, {FuncFminCommon, 1, 2, 1}, {FuncFminCommon, 2, 1, 1},
		{FuncStep, 1, 0.5, 0}, {FuncStep, 1, 1, 1}, {FuncStep, 1, 2, 1},
	}
	for _, tt := range tests {
		if got := Binary64[tt.f](tt.x, tt.y); !identical64(got, tt.z) {
			t.Errorf("double %v(%g, %g) = %g, want %g", tt.f, tt.x, tt.y, got, tt.z)
		}
		if got := Binary32[tt.f](float32(tt.x), float32(tt.y)); !identical32(got, float32(tt.z)) {
			t.Errorf("float %v(%g, %g) = %g, want %g", tt.f, tt.x, tt.y, got, tt.z)
		}
		if got := Binary16[tt.f](F64ToF16(tt.x), F64ToF16(tt.y)); got != F64ToF16(canonical(tt.z)) {
			t.Errorf("half %v(%g, %g) = %#x, want %g", tt.f, tt.x, tt.y, got, tt.z)
		}
	}
}

// TestWithIntSpecial checks the special cases of pown, rootn and ldexp.
func TestWithIntSpecial(t *testing.T) {
	tests := []struct {
		f Func
		x float64
		n int32
		z float64
	}{
		{FuncPown, tNaN, 0, 1}, {FuncPown, tInf, 0, 1}, {FuncPown, 0, 0, 1}, {FuncPown, 0, -3, tInf}, {FuncPown, tNeg, -3, -tInf}, {FuncPown, tNeg, -2, tInf},
		{FuncPown, tNeg, 3, tNeg}, {FuncPown, tNeg, 2, 0}, {FuncPown, -2, 3, -8}, {FuncPown, -1, math.MinInt32, 1}, {FuncPown, -1, math.MaxInt32, -1},
		{FuncPown, -tInf, -1, tNeg}, {FuncPown, 2, math.MinInt32, 0}, {FuncPown, 2, math.MaxInt32, tInf}, {FuncPown, -2, math.MaxInt32, -tInf},
		{FuncRootn, 4, 0, tNaN}, {FuncRootn, -4, 2, tNaN}, {FuncRootn, -4, -2, tNaN}, {FuncRootn, 0, -3, tInf}, {FuncRootn, tNeg, -3, -tInf}, {FuncRootn, tNeg, -2, tInf}, {FuncRootn, 0, -2, tInf},
		{FuncRootn, tNeg, 2, 0}, {FuncRootn, 0, 4, 0}, {FuncRootn, tNeg, 3, tNeg}, {FuncRootn, 0, 3, 0}, {FuncRootn, 8, 3, 2}, {FuncRootn, -27, 3, -3}, {FuncRootn, 16, 4, 2}, {FuncRootn, 16, -4, 0.5}, {FuncRootn, 9, 2, 3},
		{FuncRootn, tInf, 3, tInf}, {FuncRootn, -tInf, 3, -tInf}, {FuncRootn, tInf, -2, 0}, {FuncRootn, -tInf, -3, tNeg}, {FuncRootn, -7, 1, -7}, {FuncRootn, -4, -1, -0.25}, {FuncRootn, tNaN, 3, tNaN},
		{FuncLdexp, 1, 3, 8}, {FuncLdexp, -3, -1, -1.5}, {FuncLdexp, tNeg, 5, tNeg}, {FuncLdexp, tInf, -5, tInf}, {FuncLdexp, 1, math.MaxInt32, tInf}, {FuncLdexp, -1, math.MinInt32, tNeg}, {FuncLdexp, tNaN, 1, tNaN},
	}
	for _, tt := range tests {
		if got := WithInt64[tt.f](tt.x, tt.n); !identical64(got, tt.z) {
			t.Errorf("double %v(%g, %d) = %g, want %g", tt.f, tt.x, tt.n, got, tt.z)
		}
		if got := WithInt32[tt.f](float32(tt.x), tt.n); !identical32(got, float32(tt.z)) {
			t.Errorf("float %v(%g, %d) = %g, want %g", tt.f, tt.x, tt.n, got, tt.z)
		}
		if got := WithInt16[tt.f](F64ToF16(tt.x), tt.n); got != F64ToF16(canonical(tt.z)) {
			t.Errorf("half %v(%g, %d) = %#x, want %g", tt.f, tt.x, tt.n, got, tt.z)
		}
	}
}

// TestLimits32 checks results at the ends of single precision.
func TestLimits32(t *testing.T) {
	tests := []struct {
		f    Func
		x, y float32
	}{
		{FuncExp, 0x1.62e42ep6, 0x1.ffff08p127}, {FuncExp, 0x1.62e430p6, float32(tInf)},
		{FuncExp, -0x1.9fe368p6, tMin32}, {FuncExp, -0x1.9fe36ap6, 0},
		{FuncExp2, 127, 0x1p127}, {FuncExp2, 128, float32(tInf)}, {FuncExp2, -149, tMin32}, {FuncExp2, -150, 0}, {FuncExp2, -149.5, tMin32},
		{FuncSin, tMin32, tMin32}, {FuncTan, -tMin32, -tMin32}, {FuncExpm1, tMin32, tMin32}, {FuncLog1p, -tMin32, -tMin32},
		{FuncLog2, tMin32, -149}, {FuncSqrt, 0x1p-148, 0x1p-74}, {FuncRsqrt, 0x1p-148, 0x1p74}, {FuncCbrt, 0x1p-147, 0x1p-49},
		{FuncTgamma, 0x1p-128, float32(tInf)}, {FuncAtan, tMax32, math.Pi / 2}, {FuncAsinh, tMin32, tMin32},
		{FuncLgamma, tMax32, float32(tInf)}, {FuncDegrees, tMax32, float32(tInf)}, {FuncRadians, tMin32, 0},
		{FuncErfc, 10, tMin32}, {FuncErfc, 10.25, 0}, {FuncLogb, tMin32, -149},
	}
	for _, tt := range tests {
		if got := Unary32[tt.f](tt.x); !identical32(got, tt.y) {
			t.Errorf("%v(%x) = %x, want %x", tt.f, tt.x, got, tt.y)
		}
	}
}
