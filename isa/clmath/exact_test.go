package clmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// anyBits32 draws a finite float32 with any exponent.
func anyBits32(r *rand.Rand) float32 {
	for {
		if x := math.Float32frombits(r.Uint32()); finite32(x) {
			return x
		}
	}
}

func anyBits64(r *rand.Rand) float64 {
	for {
		if x := math.Float64frombits(r.Uint64()); finite64(x) {
			return x
		}
	}
}

// exactly returns x with room for exact sums and products.
func exactly(x float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(x) }

// TestFmaExact compares fma with exact sums, where the two terms are near
// enough to each other to matter.
func TestFmaExact(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	for range 20000 {
		x, y := anyBits32(r), anyBits32(r)
		z := float32(x*y) * float32(math.Exp2(float64(r.IntN(100)-50))) * (1 - 2*r.Float32())
		if r.IntN(4) == 0 {
			z = -x * y
		}
		if !finite32(z) {
			continue
		}
		e := exactly(float64(x))
		e.Mul(e, exactly(float64(y)))
		e.Add(e, exactly(float64(z)))
		want, _ := e.Float32()
		if got := Fma32(x, y, z); got != want {
			t.Errorf("fma(%x, %x, %x) = %x, want %x", x, y, z, got, want)
		}
	}
	// The sum of a product and a term far below it, next to a middle.
	if got := Fma32(0x1.000002p0, 0x1.000002p0, 0x1p-100); got != 0x1.000004p0 {
		t.Errorf("fma just above: %x", got)
	}
	if got := Fma32(4097, 4097, -0x1p-60); got != 16785408 {
		t.Errorf("fma just below a middle: %v", got)
	}
	if got := Fma32(4097, 4097, 0x1p-60); got != 16785410 {
		t.Errorf("fma just above a middle: %v", got)
	}
	if got := Fma32(0, -1, 0); math.Float32bits(got) != 0 {
		t.Errorf("fma(0, -1, 0) = %v", got)
	}
}

// TestRemainderExact compares fmod, remainder and remquo with exact division.
func TestRemainderExact(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	for i := range 6000 {
		x, y := anyBits64(r), anyBits64(r)
		switch i % 3 {
		case 0:
			x, y = float64(anyBits32(r)), float64(anyBits32(r))
		case 1:
			y = x * math.Exp2(-float64(r.IntN(100))) * (r.Float64() + 0.5)
			if r.IntN(2) == 0 {
				y = x / float64(1+r.IntN(100)) * 2
			}
		}
		if y == 0 || !finite64(y) {
			continue
		}
		q := new(big.Rat).Quo(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
		n := new(big.Int).Quo(q.Num(), q.Denom()) // towards zero
		rest := func(n *big.Int) float64 {
			p := new(big.Rat).Mul(new(big.Rat).SetInt(n), new(big.Rat).SetFloat64(y))
			f, exact := p.Sub(new(big.Rat).SetFloat64(x), p).Float64()
			if !exact {
				t.Fatalf("the remainder of %x by %x is no double", x, y)
			}
			if f == 0 {
				return math.Copysign(0, x)
			}
			return f
		}
		if got, want := Fmod64(x, y), rest(n); !identical64(got, want) {
			t.Errorf("fmod(%x, %x) = %x, want %x", x, y, got, want)
		}
		// The nearest integer, ties to even.
		twice := new(big.Rat).Mul(new(big.Rat).Sub(q, new(big.Rat).SetInt(n)), big.NewRat(2, 1))
		c := twice.Abs(twice).Cmp(big.NewRat(1, 1))
		if c > 0 || c == 0 && n.Bit(0) == 1 {
			n.Add(n, big.NewInt(int64(q.Sign())))
		}
		wantQuo := int32(new(big.Int).And(new(big.Int).Abs(n), big.NewInt(127)).Int64())
		if math.Signbit(x) != math.Signbit(y) {
			wantQuo = -wantQuo
		}
		want := rest(n)
		if got, quo := Remquo64(x, y); !identical64(got, want) || quo != wantQuo {
			t.Errorf("remquo(%x, %x) = %x, %d, want %x, %d", x, y, got, quo, want, wantQuo)
		}
		if got := Remainder64(x, y); !identical64(got, want) {
			t.Errorf("remainder(%x, %x) = %x, want %x", x, y, got, want)
		}
		if float64(float32(x)) == x && float64(float32(y)) == y {
			if got, quo := Remquo32(float32(x), float32(y)); !identical32(got, float32(want)) || quo != wantQuo {
				t.Errorf("float remquo(%x, %x) = %x, %d, want %x, %d", x, y, got, quo, want, wantQuo)
			}
		}
	}
}

// TestScaling checks ldexp, frexp, ilogb and logb against each other and
// against exact scaling.
func TestScaling(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	for range 20000 {
		x := anyBits64(r)
		n := int32(r.IntN(4400) - 2200)
		want, _ := new(big.Float).SetMantExp(exactly(x), int(n)).Float64()
		if got := Ldexp64(x, n); !identical64(got, want) {
			t.Errorf("ldexp(%x, %d) = %x, want %x", x, n, got, want)
		}
		s := anyBits32(r)
		n = int32(r.IntN(600) - 300)
		want32, _ := new(big.Float).SetMantExp(exactly(float64(s)), int(n)).Float32()
		if got := Ldexp32(s, n); !identical32(got, want32) {
			t.Errorf("ldexp(%x, %d) = %x, want %x", s, n, got, want32)
		}
		if x == 0 || s == 0 {
			continue
		}
		m, e := Frexp64(x)
		if a := math.Abs(m); a < 0.5 || a >= 1 || Ldexp64(m, e) != x || Ilogb64(x) != e-1 || Logb64(x) != float64(e-1) {
			t.Errorf("frexp(%x) = %x, %d; ilogb %d, logb %v", x, m, e, Ilogb64(x), Logb64(x))
		}
		m32, e := Frexp32(s)
		if a := Fabs32(m32); a < 0.5 || a >= 1 || Ldexp32(m32, e) != s || Ilogb32(s) != e-1 || Logb32(s) != float32(e-1) {
			t.Errorf("frexp(%x) = %x, %d; ilogb %d, logb %v", s, m32, e, Ilogb32(s), Logb32(s))
		}
	}
	for _, x := range []float64{0, tInf, tNaN} {
		want := int32(math.MaxInt32)
		if x == 0 {
			want = math.MinInt32
		}
		if got := Ilogb64(x); got != want || Ilogb32(float32(x)) != want {
			t.Errorf("ilogb(%v) = %d, want %d", x, got, want)
		}
		if m, e := Frexp64(x); !identical64(m, x) || e != 0 {
			t.Errorf("frexp(%v) = %v, %d", x, m, e)
		}
	}
}

// TestSteps checks nextafter on both sides of everything.
func TestSteps(t *testing.T) {
	inf := float32(math.Inf(1))
	chain := []float32{-inf, -math.MaxFloat32}
	for _, x := range chain {
		if got := Nextafter32(x, inf); got <= x && x != -inf {
			t.Errorf("nextafter(%v, inf) = %v", x, got)
		}
	}
	tests := []struct{ x, y, want float32 }{
		{0, 1, tMin32}, {0, -1, -tMin32}, {tMin32, 0, 0}, {-tMin32, 1, float32(math.Copysign(0, -1))},
		{1, 2, 0x1.000002p0}, {1, 0, 0x1.fffffep-1}, {-1, 0, -0x1.fffffep-1}, {-1, -2, -0x1.000002p0},
		{tMax32, inf, inf}, {inf, 0, tMax32}, {-inf, 0, -tMax32},
	}
	for _, tt := range tests {
		if got := Nextafter32(tt.x, tt.y); !identical32(got, tt.want) {
			t.Errorf("nextafter(%x, %x) = %x, want %x", tt.x, tt.y, got, tt.want)
		}
		if got, want := Nextafter64(float64(tt.x), float64(tt.y)), math.Nextafter(float64(tt.x), float64(tt.y)); !identical64(got, want) {
			t.Errorf("double nextafter(%x, %x) = %x, want %x", tt.x, tt.y, got, want)
		}
	}
}

// TestFractModf checks the parts of a number.
func TestFractModf(t *testing.T) {
	tests := []struct{ x, fract, floor, frac, whole float64 }{
		{2.75, 0.75, 2, 0.75, 2}, {-2.75, 0.25, -3, -0.75, -2},
		{0, 0, 0, 0, 0}, {tNeg, tNeg, tNeg, tNeg, tNeg},
		{3, 0, 3, 0, 3}, {tInf, 0, tInf, 0, tInf}, {-tInf, tNeg, -tInf, tNeg, -tInf},
		{-3, 0, -3, tNeg, -3}, {tNaN, tNaN, tNaN, tNaN, tNaN},
	}
	for _, tt := range tests {
		if a, b := Fract64(tt.x); !identical64(a, tt.fract) || !identical64(b, tt.floor) {
			t.Errorf("fract(%v) = %v, %v", tt.x, a, b)
		}
		if a, b := Modf64(tt.x); !identical64(a, tt.frac) || !identical64(b, tt.whole) {
			t.Errorf("modf(%v) = %v, %v", tt.x, a, b)
		}
		if a, b := Fract32(float32(tt.x)); !identical32(a, float32(tt.fract)) || !identical32(b, float32(tt.floor)) {
			t.Errorf("float fract(%v) = %v, %v", tt.x, a, b)
		}
		if a, b := Modf32(float32(tt.x)); !identical32(a, float32(tt.frac)) || !identical32(b, float32(tt.whole)) {
			t.Errorf("float modf(%v) = %v, %v", tt.x, a, b)
		}
	}
	if a, _ := Fract32(-tMin32); a != 0x1.fffffep-1 {
		t.Errorf("fract of a tiny negative number = %x", a)
	}
	if a, _ := Fract64(-5e-324); a != 0x1.fffffffffffffp-1 {
		t.Errorf("fract of a tiny negative double = %x", a)
	}
}

// TestNanCodes checks that nan keeps its code and stays quiet.
func TestNanCodes(t *testing.T) {
	if got := math.Float32bits(Nan32(0xffffff05)); got != 0x7fffff05 {
		t.Errorf("nan(0xffffff05) = %#x", got)
	}
	if got := math.Float64bits(Nan64(7)); got != nanBits64|7 {
		t.Errorf("nan(7) = %#x", got)
	}
}
