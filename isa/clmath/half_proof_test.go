package clmath

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/clmath/internal/bigmath"
)

// The tests of this file prove the functions of halves. Those of one argument
// are compared at all 2^16 of them by every go test; those of two at a sample,
// and at all 2^32 pairs where CLMATH_HALF names them:
//
//	CLMATH_HALF=all go test -run TestHalfPairs -timeout 0
//	CLMATH_HALF=pow,hypot …
//
// The references come from package math in double precision, which shares
// nothing with this package. Where such a result is so near to the middle of
// two halves that its error could decide how it is rounded, a computation in
// math/big at refPrec bits decides instead. What then is nearer to the middle
// than 2^-120 is taken to be the middle itself.

// roundHalf rounds x to half, ties to even, by the definition of the format.
func roundHalf(x float64) uint16 {
	if x != x {
		return 0x7e00
	}
	sign := uint16(math.Float64bits(x) >> 48 & 0x8000)
	a := math.Abs(x)
	switch {
	case a >= 65520:
		return sign | 0x7c00
	case a < 0x1p-14: // in units of 2^-24; 2^10 of them are the first normal half
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	e := int(math.Float64bits(a)>>52) - 1023
	q := math.RoundToEven(a * pow2(10-e)) // 2^10 to 2^11
	return sign | uint16(int(q)+(e+14)<<10)
}

// settledHalf rounds x, a result whose error is below the sum of two parts, of
// which err is relative and abs absolute. It says whether the error matters.
func settledHalf(x, err, abs float64) (uint16, bool) {
	d := math.Abs(x)*err + abs
	lo, hi := roundHalf(x-d), roundHalf(x+d)
	return lo, lo == hi
}

// roundHalfBig rounds a number that is not zero to half. near is the result
// in double precision.
func roundHalfBig(exact *big.Float, near float64) uint16 {
	a := math.Abs(near)
	unit := 0x1p-24
	if a >= 0x1p-14 {
		unit = pow2(math.Ilogb(a) - 10)
	}
	// The middle next to the number.
	m := (math.Round(a/unit-0.5) + 0.5) * unit
	d := bigSub(new(big.Float).Abs(exact), bf(m))
	if d.Sign() != 0 && d.MantExp(nil) < math.Ilogb(a)-120 {
		d.SetInt64(0)
	}
	return roundHalf(math.Copysign(m*(1+float64(d.Sign())*0x1p-40), near))
}

// halfUnary has a reference in double precision for each function of one
// argument, special values included.
var halfUnary = map[Func]func(x float64) float64{
	FuncAcos: math.Acos, FuncAcosh: math.Acosh, FuncAsin: math.Asin, FuncAsinh: math.Asinh, FuncAtan: math.Atan, FuncAtanh: math.Atanh,
	FuncAcosPi: func(x float64) float64 { return math.Acos(x) / math.Pi },
	FuncAsinPi: func(x float64) float64 { return math.Asin(x) / math.Pi },
	FuncAtanPi: func(x float64) float64 { return math.Atan(x) / math.Pi },
	FuncCbrt:   math.Cbrt, FuncCeil: math.Ceil, FuncCos: math.Cos, FuncCosh: math.Cosh,
	FuncSinPi: func(x float64) float64 { return turnsRef(x, math.Sin, true) },
	FuncCosPi: func(x float64) float64 { return turnsRef(x, math.Cos, false) },
	FuncTanPi: func(x float64) float64 {
		s, c := turnsRef(x, math.Sin, true), turnsRef(x, math.Cos, false)
		if c == 0 { // OpenCL C section 7.5.1 gives poles the sign of the side on which they stand
			return math.Inf(int(s))
		}
		return s / c
	},
	FuncErfc: math.Erfc, FuncErf: math.Erf, FuncExp: math.Exp, FuncExp2: math.Exp2,
	FuncExp10: func(x float64) float64 { return math.Exp(x * math.Ln10) },
	FuncExpm1: math.Expm1, FuncFabs: math.Abs, FuncFloor: math.Floor,
	FuncLgamma: func(x float64) float64 {
		if math.IsInf(x, 0) {
			return math.Inf(1)
		}
		y, _ := math.Lgamma(x)
		return y
	},
	FuncLog: math.Log, FuncLog2: math.Log2, FuncLog10: math.Log10, FuncLog1p: math.Log1p, FuncLogb: math.Logb,
	FuncRint: math.RoundToEven, FuncRound: math.Round, FuncTrunc: math.Trunc,
	FuncRsqrt: func(x float64) float64 { return 1 / math.Sqrt(x) },
	FuncSin:   math.Sin, FuncSinh: math.Sinh, FuncSqrt: math.Sqrt, FuncTan: math.Tan, FuncTanh: math.Tanh, FuncTgamma: math.Gamma,
	FuncDegrees: func(x float64) float64 { return x * (180 / math.Pi) },
	FuncRadians: func(x float64) float64 { return x * (math.Pi / 180) },
	FuncSign: func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		case x == 0:
			return x
		}
		return 0
	},
	FuncHalfRecip: func(x float64) float64 { return 1 / x },
}

// turnsRef returns the sine or cosine of x half turns. Sines of integers are
// zeros with the sign of x, cosines of odd halves are +0.
func turnsRef(x float64, f func(float64) float64, odd bool) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	r := x - 2*math.RoundToEven(x/2) // exact, in [-1, 1]
	switch {
	case odd && r == math.Trunc(r):
		return math.Copysign(0, x)
	case odd && math.Abs(r) > 0.5:
		r = math.Copysign(1-math.Abs(r), r)
	case !odd && math.Abs(r) == 0.5:
		return 0
	case !odd && math.Abs(r) > 0.5:
		return -f((1 - math.Abs(r)) * math.Pi)
	case !odd && math.Abs(r) > 0.25:
		return math.Sin((0.5 - math.Abs(r)) * math.Pi)
	}
	return f(r * math.Pi)
}

// sameFunc gives functions that are another one under a second name.
var sameFunc = map[Func]Func{
	FuncHalfCos: FuncCos, FuncHalfExp: FuncExp, FuncHalfExp2: FuncExp2, FuncHalfExp10: FuncExp10, FuncHalfLog: FuncLog, FuncHalfLog2: FuncLog2,
	FuncHalfLog10: FuncLog10, FuncHalfRsqrt: FuncRsqrt, FuncHalfSin: FuncSin, FuncHalfSqrt: FuncSqrt, FuncHalfTan: FuncTan,
	FuncNativeCos: FuncCos, FuncNativeExp: FuncExp, FuncNativeExp2: FuncExp2, FuncNativeExp10: FuncExp10, FuncNativeLog: FuncLog,
	FuncNativeLog2: FuncLog2, FuncNativeLog10: FuncLog10, FuncNativeRsqrt: FuncRsqrt, FuncNativeSin: FuncSin, FuncNativeSqrt: FuncSqrt,
	FuncNativeTan: FuncTan, FuncNativeRecip: FuncHalfRecip,
	FuncHalfPowr: FuncPowr, FuncNativePowr: FuncPowr, FuncNativeDivide: FuncHalfDivide,
}

// exactUnary has the functions whose references are exact, or, being one
// operation, may be rounded twice.
var exactUnary = map[Func]bool{
	FuncCeil: true, FuncFloor: true, FuncRint: true, FuncRound: true, FuncTrunc: true, FuncFabs: true, FuncLogb: true, FuncSign: true,
	FuncSqrt: true, FuncHalfRecip: true,
}

// wantUnary returns the correctly rounded half of f(x).
func wantUnary(t *testing.T, f Func, x float64) uint16 {
	y := halfUnary[f](x)
	if exactUnary[f] || y == 0 || y-y != 0 {
		return roundHalf(y)
	}
	abs := 0.0
	if f == FuncLgamma {
		abs = 0x1p-36 // near its zeros
	}
	h, ok := settledHalf(y, 0x1p-26, abs)
	if ok {
		return h
	}
	return roundHalfBig(references[f].f(x), y)
}

// TestHalfUnary proves the functions of one half.
func TestHalfUnary(t *testing.T) {
	for f := range Func(NumFuncs) {
		fn := Unary16[f]
		if fn == nil {
			continue
		}
		ref := f
		if g, ok := sameFunc[f]; ok {
			ref = g
		}
		if halfUnary[ref] == nil {
			t.Errorf("%v has no reference", f)
			continue
		}
		wrong := 0
		for i := range 1 << 16 {
			h := uint16(i)
			want := wantUnary(t, ref, F16ToF64(h))
			if f == FuncFabs && want == 0x7e00 {
				want = h &^ (1 << 15) // only the sign goes
			}
			if got := fn(h); got != want {
				if wrong++; wrong <= 5 {
					t.Errorf("%v(%x) = %#04x, want %#04x", f, F16ToF64(h), got, want)
				}
			}
		}
		if wrong > 5 {
			t.Errorf("%v: %d results are wrong", f, wrong)
		}
	}
}

// TestHalfPairResults proves the functions of one half that have two results,
// and those that return or take an integer alone.
func TestHalfPairResults(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		x := F16ToF64(h)
		check := func(name string, y, stored, wantY, wantStored uint16) {
			t.Helper()
			if y != wantY || stored != wantStored {
				t.Errorf("%s(%x) = %#04x, %#04x, want %#04x, %#04x", name, x, y, stored, wantY, wantStored)
			}
		}
		y, stored := Pair16[FuncSinCos](h)
		check("sincos", y, stored, wantUnary(t, FuncSin, x), wantUnary(t, FuncCos, x))

		// The fraction is exact in double precision, and less than 1 after rounding.
		fract, floor := x-math.Floor(x), math.Floor(x)
		switch {
		case math.IsInf(x, 0) || x == 0:
			fract = math.Copysign(0, x)
		case fract > 0x1.ffcp-1:
			fract = 0x1.ffcp-1
		}
		y, stored = Pair16[FuncFract](h)
		check("fract", y, stored, roundHalf(fract), roundHalf(floor))

		frac, whole := math.Copysign(x-math.Trunc(x), x), math.Trunc(x)
		if math.IsInf(x, 0) {
			frac = math.Copysign(0, x)
		}
		y, stored = Pair16[FuncModf](h)
		check("modf", y, stored, roundHalf(frac), roundHalf(whole))

		m, e := math.Frexp(x)
		y, n := PairInt16[FuncFrexp](h)
		check("frexp", y, uint16(n), roundHalf(m), uint16(e))

		_, sign := math.Lgamma(x)
		if x == 0 && math.Signbit(x) {
			sign = -1
		}
		if x < 0 && x == math.Trunc(x) || x != x {
			sign = int(lgammaSign(x)) // nothing is said about poles
		}
		y, n = PairInt16[FuncLgammaR](h)
		check("lgamma_r", y, uint16(n), wantUnary(t, FuncLgamma, x), uint16(sign))

		log := math.MaxInt32 // infinities and NaN
		switch {
		case x == 0:
			log = math.MinInt32
		case x-x == 0:
			log = math.Ilogb(x)
		}
		if got := Ilogb16(h); int(got) != log {
			t.Errorf("ilogb(%x) = %d, want %d", x, got, log)
		}
		if got := Nan16(h); F16ToF64(got) == F16ToF64(got) || got&0x81ff != h&0x1ff {
			t.Errorf("nan(%#04x) = %#04x", h, got)
		}
	}
}

// halfValues has the values of all halves. TestHalfValues compares F16ToF64 with the definition.
var halfValues = sync.OnceValue(func() *[1 << 16]float64 {
	var t [1 << 16]float64
	for h := range t {
		t[h] = F16ToF64(uint16(h))
	}
	return &t
})

// halfLog2 has the binary logarithms of the positive finite halves.
var halfLog2 = sync.OnceValue(func() *[0x7c00]float64 {
	var t [0x7c00]float64
	ln2 := bigmath.Ln2(120)
	for h := 1; h < len(t); h++ {
		if x := F16ToF64(uint16(h)); x != 1 {
			t[h], _ = bigQuo(bigmath.Log(bigmath.New(x, 120), 120), ln2).Float64()
		}
	}
	return &t
})

// wantPower returns |x|^(1/root) or |x|^y, with a sign, for halves x and exponents that are no special cases.
func wantPower(h uint16, y, root float64, negative bool) uint16 {
	e := halfLog2()[h&^(1<<15)] * y / root
	switch {
	case e > 17 && negative:
		return 0xfc00
	case e > 17:
		return 0x7c00
	case e < -26 && negative:
		return 0x8000
	case e < -26:
		return 0
	}
	r := math.Exp2(e)
	if negative {
		r = -r
	}
	v, ok := settledHalf(r, 0x1p-44, 0)
	if ok {
		return v
	}
	exact := bigmath.Exp(bigQuo(bigMul(bigmath.Log(bf(F16ToF64(h&^(1<<15))), refPrec), bf(y)), bf(root)), refPrec)
	return roundHalfBig(exact, r)
}

// odd says whether y, which is below 2^62, is an odd integer.
func odd(y float64) bool { return y == math.Trunc(y) && int64(y)&1 != 0 }

// wantPow is pow, and pown where y is an integer.
func wantPow(h uint16, x, y float64) uint16 {
	if x == 0 || x-x != 0 || y == 0 || y-y != 0 || math.Abs(x) == 1 || x < 0 && y != math.Trunc(y) {
		return roundHalf(math.Pow(x, y)) // as C99 has it, and exact
	}
	return wantPower(h, y, 1, x < 0 && odd(y))
}

// wantPowr is powr, whose special cases are in OpenCL C section 7.5.1.
func wantPowr(h uint16, x, y float64) uint16 {
	switch {
	case x < 0 || x != x || y != y,
		x == 0 && y == 0,
		math.IsInf(x, 1) && y == 0,
		x == 1 && math.IsInf(y, 0):
		return 0x7e00
	}
	return wantPow(h&^(1<<15), math.Abs(x), y)
}

func wantRootn(h uint16, x float64, n int32) uint16 {
	isOdd := n%2 != 0
	switch {
	case n == 0 || x != x || x < 0 && !isOdd:
		return 0x7e00
	case x == 0 || math.IsInf(x, 0):
		y := math.Abs(x)
		if n < 0 {
			y = 1 / y
		}
		if isOdd {
			y = math.Copysign(y, x)
		}
		return roundHalf(y)
	}
	return wantPower(h, 1, float64(n), x < 0)
}

func wantHypot(x, y float64) uint16 {
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return 0x7c00
	}
	s := math.Sqrt(float64(x*x) + float64(y*y))
	if s == 0 || s != s {
		return roundHalf(s)
	}
	h, ok := settledHalf(s, 0x1p-48, 0)
	if ok {
		return h
	}
	return roundHalfBig(bigSqrt(bigAdd(bigMul(bf(x), bf(x)), bigMul(bf(y), bf(y)))), s)
}

func wantAtan2(y, x, scale float64) uint16 {
	r := math.Atan2(y, x) / scale
	if x == 0 || y == 0 || r-r != 0 || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return roundHalf(r)
	}
	h, ok := settledHalf(r, 0x1p-46, 0)
	if ok {
		return h
	}
	a := bigmath.Atan2(bf(y), bf(x), refPrec)
	if scale != 1 {
		a = bigQuo(a, bigPi())
	}
	return roundHalfBig(a, r)
}

// orderHalf numbers halves that are not NaN in their order.
func orderHalf(h uint16) int {
	if h>>15 != 0 {
		return -int(h & 0x7fff)
	}
	return int(h)
}

func wantNextafter(g, h uint16) uint16 {
	a, b := orderHalf(g), orderHalf(h)
	switch {
	case g&0x7fff > 0x7c00 || h&0x7fff > 0x7c00:
		return 0x7e00
	case a == b:
		return h
	case a < b:
		a++
	default:
		a--
	}
	switch {
	case a == 0: // keeps the sign of the smallest denormal
		return g & 0x8000
	case a < 0:
		return 0x8000 | uint16(-a)
	}
	return uint16(a)
}

// either makes functions of a choice, which pass on what they choose, but for NaN.
func either(f func(x, y float64) float64) func(g, h uint16, x, y float64) uint16 {
	return func(_, _ uint16, x, y float64) uint16 { return roundHalf(f(x, y)) }
}

// fmaxRef is fmax with a rule for zeros, +0 being greater than -0.
func fmaxRef(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Max(x, y)
}

func fminRef(x, y float64) float64 { return -fmaxRef(-x, -y) }

// halfBinary has the references of the functions of two halves.
var halfBinary = map[Func]func(g, h uint16, x, y float64) uint16{
	FuncAtan2:   func(_, _ uint16, x, y float64) uint16 { return wantAtan2(x, y, 1) },
	FuncAtan2Pi: func(_, _ uint16, x, y float64) uint16 { return wantAtan2(x, y, math.Pi) },
	FuncCopysign: func(g, h uint16, _, _ float64) uint16 {
		return g&0x7fff | h&0x8000
	},
	FuncFdim: either(func(x, y float64) float64 { // the difference is exact
		if x <= y {
			return 0
		}
		return x - y
	}),
	FuncFmax: either(fmaxRef),
	FuncFmin: either(fminRef),
	FuncFmod: func(_, _ uint16, x, y float64) uint16 {
		r, _ := wantRemainder(x, y, false)
		return r
	},
	FuncHypot: func(_, _ uint16, x, y float64) uint16 {
		return wantHypot(x, y)
	},
	FuncMaxmag: either(func(x, y float64) float64 {
		switch {
		case math.Abs(x) > math.Abs(y):
			return x
		case math.Abs(y) > math.Abs(x):
			return y
		}
		return fmaxRef(x, y)
	}),
	FuncMinmag: either(func(x, y float64) float64 {
		switch {
		case math.Abs(x) < math.Abs(y):
			return x
		case math.Abs(y) < math.Abs(x):
			return y
		}
		return fminRef(x, y)
	}),
	FuncNextafter: func(g, h uint16, _, _ float64) uint16 { return wantNextafter(g, h) },
	FuncPow:       func(g, _ uint16, x, y float64) uint16 { return wantPow(g, x, y) },
	FuncPowr:      func(g, _ uint16, x, y float64) uint16 { return wantPowr(g, x, y) },
	FuncRemainder: func(_, _ uint16, x, y float64) uint16 {
		r, _ := wantRemainder(x, y, true)
		return r
	},
	FuncFmaxCommon: either(func(x, y float64) float64 {
		if x < y {
			return y
		}
		return x
	}),
	FuncFminCommon: either(func(x, y float64) float64 {
		if y < x {
			return y
		}
		return x
	}),
	FuncStep: either(func(edge, x float64) float64 {
		if x < edge {
			return 0
		}
		return 1
	}),
	FuncHalfDivide: either(func(x, y float64) float64 { return x / y }), // may be rounded twice
}

// halfWithInt has the references of those of a half and an integer.
var halfWithInt = map[Func]func(h uint16, x float64, n int32) uint16{
	FuncLdexp: func(_ uint16, x float64, n int32) uint16 { return roundHalf(math.Ldexp(x, int(n))) },
	FuncPown:  func(h uint16, x float64, n int32) uint16 { return wantPow(h, x, float64(n)) },
	FuncRootn: wantRootn,
}

// halfUnits is a finite half in units of 2^-24, the smallest half.
func halfUnits(x float64) int64 { return int64(x * 0x1p24) }

// wantRemainder returns x modulo y, and the quotient, rounded towards zero
// or to the nearest integer, ties to even: the remainder is exact.
func wantRemainder(x, y float64, nearest bool) (rem uint16, quo int64) {
	switch {
	case x-x != 0 || y != y || y == 0:
		return 0x7e00, 0
	case math.IsInf(y, 0):
		return roundHalf(x), 0
	}
	a, b := halfUnits(x), halfUnits(y)
	quo, r := a/b, a%b
	if twice, size := 2*max(r, -r), max(b, -b); nearest && (twice > size || twice == size && quo&1 != 0) {
		if (r < 0) == (b < 0) {
			quo, r = quo+1, r-b
		} else {
			quo, r = quo-1, r+b
		}
	}
	if r == 0 {
		return roundHalf(math.Copysign(0, x)), quo
	}
	return roundHalf(float64(r) * 0x1p-24), quo
}

// pairCheck returns a function that compares f at a pair and returns what is
// wrong, or "".
func pairCheck(f Func) func(g, h uint16) string {
	values := halfValues()
	if ref := halfWithInt[f]; ref != nil {
		fn := WithInt16[f]
		return func(g, h uint16) string {
			x, n := values[g], int32(int16(h))
			if got, want := fn(g, n), ref(g, x, n); got != want {
				return fmt.Sprintf("%v(%x, %d) = %#04x, want %#04x", f, x, n, got, want)
			}
			return ""
		}
	}
	if f == FuncRemquo {
		return func(g, h uint16) string {
			x, y := values[g], values[h]
			want, k := wantRemainder(x, y, true)
			low := int32(max(k, -k) & 0x7f)
			if k < 0 {
				low = -low
			}
			if got, q := Remquo16(g, h); got != want || q != low {
				return fmt.Sprintf("remquo(%x, %x) = %#04x, %d, want %#04x, %d", x, y, got, q, want, low)
			}
			return ""
		}
	}
	fn, ref := Binary16[f], halfBinary[f]
	if s, ok := sameFunc[f]; ok {
		ref = halfBinary[s]
	}
	return func(g, h uint16) string {
		x, y := values[g], values[h]
		if got, want := fn(g, h), ref(g, h, x, y); got != want {
			return fmt.Sprintf("%v(%x, %x) = %#04x, want %#04x", f, x, y, got, want)
		}
		return ""
	}
}

// TestHalfPairs compares the functions of two halves, or a half and an
// integer of 16 bits.
func TestHalfPairs(t *testing.T) {
	full := strings.Split(os.Getenv("CLMATH_HALF"), ",")
	for f := range Func(NumFuncs) {
		if Binary16[f] == nil && WithInt16[f] == nil && f != FuncRemquo {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			if _, ok := sameFunc[f]; !ok && full[0] == "all" || slices.Contains(full, f.String()) {
				proveAllPairs(t, f)
				return
			}
			samplePairs(t, f)
		})
	}
}

// samplePairs tries random pairs, half of them near each other, and edges.
func samplePairs(t *testing.T, f Func) {
	wrong, check := 0, pairCheck(f)
	try := func(g, h uint16) {
		if s := check(g, h); s != "" {
			t.Error(s)
			wrong++
		}
		if wrong >= 10 {
			t.FailNow()
		}
	}
	edges := []uint16{0, 1, 2, 0x3ff, 0x400, 0x3555, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x4000, 0x4200, 0x4248, 0x4900, 0x7bff, 0x7c00, 0x7e00}
	for _, g := range edges {
		for _, h := range edges {
			for s := range uint16(4) {
				try(g|s<<15, h|s>>1<<15)
			}
		}
	}
	n := 60000
	if testing.Short() {
		n = 10000
	}
	r := rand.New(rand.NewPCG(1, uint64(f)))
	for range n {
		g, h := uint16(r.Uint32()), uint16(r.Uint32())
		switch {
		case halfWithInt[f] != nil && r.IntN(4) > 0:
			h = uint16(int16(h) >> r.IntN(15))
		case r.IntN(4) == 0:
			h = g + uint16(r.IntN(65)) - 32
		case r.IntN(3) == 0: // small integers and quarters
			g, h = F32ToF16(float32(r.IntN(64))), F32ToF16(float32(r.IntN(33)-16)/4)
		}
		try(g, h)
	}
}

// proveAllPairs tries all 2^32 pairs, on all processors.
func proveAllPairs(t *testing.T, f Func) {
	check := pairCheck(f)
	var next, wrong atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for {
				g := next.Add(1) - 1
				if g >= 1<<16 || wrong.Load() >= 10 {
					return
				}
				for h := range 1 << 16 {
					if s := check(uint16(g), uint16(h)); s != "" {
						t.Error(s)
						if wrong.Add(1) >= 10 {
							return
						}
					}
				}
			}
		})
	}
	wait.Wait()
	if wrong.Load() == 0 {
		t.Logf("%v: all 2^32 pairs are right", f)
	}
}

// TestHalfTernary compares the functions of three halves with exact rationals.
func TestHalfTernary(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	one := big.NewRat(1, 1)
	exact := map[Func]func(x, y, z float64) *big.Rat{
		FuncFma: func(x, y, z float64) *big.Rat { p := rat(x); p.Mul(p, rat(y)); return p.Add(p, rat(z)) },
		FuncMix: func(x, y, z float64) *big.Rat {
			p := rat(y)
			p.Sub(p, rat(x)).Mul(p, rat(z))
			return p.Add(p, rat(x))
		},
		FuncFclamp: func(x, lo, hi float64) *big.Rat { return rat(math.Min(math.Max(x, lo), hi)) },
		FuncSmoothstep: func(e0, e1, x float64) *big.Rat {
			p := rat(x - e0)
			p.Quo(p, rat(e1-e0))
			switch {
			case p.Sign() < 0:
				p.SetInt64(0)
			case p.Cmp(one) > 0:
				p.Set(one)
			}
			q := new(big.Rat).Mul(p, big.NewRat(-2, 1))
			return q.Add(q, big.NewRat(3, 1)).Mul(q, p).Mul(q, p)
		},
	}
	exact[FuncMad] = exact[FuncFma]
	n := 20000
	if testing.Short() {
		n = 3000
	}
	for f := range Func(NumFuncs) {
		fn := Ternary16[f]
		if fn == nil {
			continue
		}
		for range n {
			var h [3]uint16
			var x [3]float64
			for i := range h {
				// Half of them are small, so that sums are near each other and products are exact in few bits.
				h[i] = uint16(r.Uint32())
				if r.IntN(2) == 0 {
					h[i] = F32ToF16(float32(r.IntN(129)-64) / float32(uint(1)<<r.IntN(12)))
				}
				x[i] = F16ToF64(h[i])
			}
			if s := x[0] + x[1] + x[2]; s-s != 0 || f == FuncSmoothstep && x[0] == x[1] || f == FuncFclamp && x[1] > x[2] {
				continue
			}
			want := exact[f](x[0], x[1], x[2])
			near, _ := want.Float64()
			w := roundHalf(near)
			if want.Sign() != 0 && math.Abs(near) < 65520 {
				w = roundHalfBig(new(big.Float).SetPrec(2*refPrec).SetRat(want), near)
			}
			if got := fn(h[0], h[1], h[2]); got != w && (got|w)&0x7fff != 0 {
				t.Errorf("%v(%x, %x, %x) = %#04x, want %#04x", f, x[0], x[1], x[2], got, w)
			}
		}
	}
}
