package clmath

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestHalfRoundTrip converts every half to the wider formats and back.
func TestHalfRoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		want := h
		if h&0x7c00 == 0x7c00 && h&0x3ff != 0 {
			want |= 0x200 // NaN become quiet and keep the rest
		}
		for mode := RTE; mode <= RTN; mode++ {
			if got := F32ToF16Mode(F16ToF32(h), mode); got != want {
				t.Errorf("half %#x through float with %v is %#x", h, mode, got)
			}
			if got := F64ToF16Mode(F16ToF64(h), mode); got != want {
				t.Errorf("half %#x through double with %v is %#x", h, mode, got)
			}
		}
	}
}

// TestHalfValues checks halves against the definition of the format.
func TestHalfValues(t *testing.T) {
	for i := range 0x7c00 {
		e, m := i>>10, float64(i&1023)
		want := math.Ldexp(m, -24)
		if e > 0 {
			want = math.Ldexp(1024+m, e-25)
		}
		if got := F16ToF32(uint16(i)); float64(got) != want {
			t.Errorf("half %#x = %g, want %g", i, got, want)
		}
		if got := F16ToF64(uint16(i | 0x8000)); got != -want || !math.Signbit(got) {
			t.Errorf("half %#x = %g, want %g", i|0x8000, got, -want)
		}
	}
	if F16ToF32(0x7c00) != inf32 || F16ToF64(0xfc00) != -inf64 {
		t.Error("infinities do not convert to infinities")
	}
}

// TestHalfRounding places values on, between and in the middle of neighbouring
// halves and checks each mode by its definition.
func TestHalfRounding(t *testing.T) {
	check := func(x float64, want [4]uint16) {
		t.Helper()
		for mode := RTE; mode <= RTN; mode++ {
			if got := F64ToF16Mode(x, mode); got != want[mode] {
				t.Errorf("double %x to half, %v = %#x, want %#x", x, mode, got, want[mode])
			}
			neg := want[mode]
			switch mode {
			case RTP:
				neg = want[RTN]
			case RTN:
				neg = want[RTP]
			}
			if got := F64ToF16Mode(-x, mode); got != neg|0x8000 {
				t.Errorf("double %x to half, %v = %#x, want %#x", -x, mode, got, neg|0x8000)
			}
			if s := float32(x); float64(s) == x {
				if got := F32ToF16Mode(s, mode); got != want[mode] {
					t.Errorf("float %x to half, %v = %#x, want %#x", x, mode, got, want[mode])
				}
			}
		}
	}
	for i := range uint16(0x7bff) {
		lo, hi := F16ToF64(i), F16ToF64(i+1)
		mid := (lo + hi) / 2
		even := i + i&1
		check(mid, [4]uint16{even, i, i + 1, i})
		check(math.Nextafter(mid, 0), [4]uint16{i, i, i + 1, i})
		check(math.Nextafter(mid, hi), [4]uint16{i + 1, i, i + 1, i})
		check(math.Nextafter(hi, 0), [4]uint16{i + 1, i, i + 1, i})
		check(math.Nextafter(lo, hi), [4]uint16{i, i, i + 1, i})
	}
	check(65519, [4]uint16{0x7bff, 0x7bff, 0x7c00, 0x7bff})
	check(65520, [4]uint16{0x7c00, 0x7bff, 0x7c00, 0x7bff})
	check(1e300, [4]uint16{0x7c00, 0x7bff, 0x7c00, 0x7bff})
	check(tInf, [4]uint16{0x7c00, 0x7c00, 0x7c00, 0x7c00})
	check(5e-324, [4]uint16{0, 0, 1, 0})
}

// TestHalfArithmetic checks fma, mix and the ones with two results.
func TestHalfArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 20000 {
		a, b, c := uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32())
		x, y, z := F16ToF64(a), F16ToF64(b), F16ToF64(c)
		if x != x || y != y || z != z {
			continue
		}
		// A double FMA rounds x*y+z at most once before the last rounding;
		// where that could be twice, an odd last bit makes it harmless.
		s := math.FMA(x, y, z)
		if d := math.FMA(x, y, -s) + z; d != 0 && !math.IsInf(s, 0) && !math.IsNaN(d) {
			s = dd{s, d}.odd()
		}
		if got, want := Ternary16[FuncFma](a, b, c), F64ToF16(canonical(s)); got != want {
			t.Errorf("fma(%x, %x, %x) = %#x, want %#x", x, y, z, got, want)
		}
	}
	for i := range 0x7c00 {
		h := uint16(i)
		x := F16ToF64(h)
		if f, w := Pair16[FuncModf](h | 0x8000); F16ToF64(f)+F16ToF64(w) != -x || f&w&0x8000 == 0 {
			t.Errorf("modf(%g) = %#x, %#x", -x, f, w)
		}
		if m, e := PairInt16[FuncFrexp](h); math.Ldexp(F16ToF64(m), int(e)) != x || i > 0 && (m < 0x3800 || m >= 0x3c00) {
			t.Errorf("frexp(%g) = %#x, %d", x, m, e)
		}
		if f, _ := Pair16[FuncFract](h | 0x8000); F16ToF64(f) >= 1 {
			t.Errorf("fract(%g) = %#x", -x, f)
		}
	}
	if f, w := Pair16[FuncFract](0x8001); f != 0x3bff || w != 0xbc00 {
		t.Errorf("fract of the largest negative half = %#x, %#x", f, w)
	}
	if y, s := PairInt16[FuncLgammaR](0xc100); s != -1 || y != F32ToF16(Lgamma32(-2.5)) {
		t.Errorf("lgamma_r(-2.5) = %#x, %d", y, s)
	}
	if r, q := Remquo16(0x4500, 0x4000); r != 0x3c00 || q != 2 {
		t.Errorf("remquo(5, 2) = %#x, %d", r, q)
	}
	if Nextafter16(0x3c00, 0x7c00) != 0x3c01 || Nextafter16(0x3c00, 0) != 0x3bff || Nextafter16(0, 0xbc00) != 0x8001 || Nextafter16(0x7e00, 0) != 0x7e00 {
		t.Error("nextafter does not step to the neighbour")
	}
	if Nan16(5) != 0x7e05 || Ilogb16(1) != -24 {
		t.Error("nan(5) or ilogb of the smallest half is wrong")
	}
	if s, c := Pair16[FuncSinCos](0x3c00); s != F32ToF16(Sin32(1)) || c != F32ToF16(Cos32(1)) {
		t.Error("sincos(1) is not sin and cos")
	}
}
