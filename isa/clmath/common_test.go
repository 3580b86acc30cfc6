package clmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func rat(x float32) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }

func ratTo32(q *big.Rat) float32 { f, _ := q.Float32(); return f }

func nearby(r *rand.Rand) float32 {
	x := float32(math.Exp2(float64(r.IntN(40) - 20)))
	if r.IntN(3) == 0 {
		return float32(r.IntN(64)-32) * x
	}
	return (2*r.Float32() - 1) * x
}

// TestBlends compares mix and smoothstep with exact rational arithmetic.
func TestBlends(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	for range 5000 {
		x, y, a := nearby(r), nearby(r), nearby(r)
		m := rat(y)
		m.Sub(m, rat(x)).Mul(m, rat(a)).Add(m, rat(x))
		if got, want := Mix32(x, y, a), ratTo32(m); got != want {
			t.Errorf("mix(%x, %x, %x) = %x, want %x", x, y, a, got, want)
		}
		if w, _ := m.Float64(); ulps64(Mix64(float64(x), float64(y), float64(a)), w) > 1 && w != 0 {
			t.Errorf("double mix(%x, %x, %x) = %x, want %x", x, y, a, Mix64(float64(x), float64(y), float64(a)), w)
		}
		if x == y {
			continue
		}
		p := new(big.Rat).Sub(rat(a), rat(x))
		p.Quo(p, new(big.Rat).Sub(rat(y), rat(x)))
		one := big.NewRat(1, 1)
		switch {
		case p.Sign() < 0:
			p.SetInt64(0)
		case p.Cmp(one) > 0:
			p.Set(one)
		}
		q := new(big.Rat).Mul(p, big.NewRat(-2, 1))
		q.Add(q, big.NewRat(3, 1)).Mul(q, p).Mul(q, p)
		if got, want := Smoothstep32(x, y, a), ratTo32(q); got != want {
			t.Errorf("smoothstep(%x, %x, %x) = %x, want %x", x, y, a, got, want)
		}
		if w, _ := q.Float64(); ulps64(Smoothstep64(float64(x), float64(y), float64(a)), w) > 1 {
			t.Errorf("double smoothstep(%x, %x, %x) is off", x, y, a)
		}
	}
	big := math.MaxFloat64
	if got := Mix64(-big, big, 0.5); got != 0 {
		t.Errorf("mix of the largest doubles = %v, want 0", got)
	}
	if got := Smoothstep32(1, 1, 1); got != 0 {
		t.Errorf("smoothstep without a range = %v", got)
	}
}

func TestClampSign(t *testing.T) {
	tests := []struct{ x, lo, hi, want float64 }{
		{5, 0, 1, 1}, {-5, 0, 1, 0}, {0.5, 0, 1, 0.5}, {tNaN, 0, 1, 0}, {tInf, -1, 1, 1},
	}
	for _, tt := range tests {
		if got := Clamp64(tt.x, tt.lo, tt.hi); !identical64(got, tt.want) {
			t.Errorf("clamp(%v, %v, %v) = %v, want %v", tt.x, tt.lo, tt.hi, got, tt.want)
		}
		if got := Clamp32(float32(tt.x), float32(tt.lo), float32(tt.hi)); !identical32(got, float32(tt.want)) {
			t.Errorf("float clamp(%v, %v, %v) = %v, want %v", tt.x, tt.lo, tt.hi, got, tt.want)
		}
	}
	if Sign64(tNaN) != 0 || Sign32(nan32) != 0 {
		t.Error("sign(NaN) is not zero")
	}
}

// TestGeometric compares the vector functions with exact rational arithmetic.
func TestGeometric(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 1))
	for i := range 3000 {
		n := 2 + i%3
		a, b := make([]float32, n), make([]float32, n)
		a64, b64 := make([]float64, n), make([]float64, n)
		dot, norm, dist := new(big.Rat), new(big.Rat), new(big.Rat)
		for j := range a {
			a[j], b[j] = nearby(r), nearby(r)
			if j > 0 && i%5 == 0 { // nearly cancel
				a[j], b[j] = -a[j-1], Nextafter32(b[j-1], 0)
			}
			a64[j], b64[j] = float64(a[j]), float64(b[j])
			dot.Add(dot, new(big.Rat).Mul(rat(a[j]), rat(b[j])))
			norm.Add(norm, new(big.Rat).Mul(rat(a[j]), rat(a[j])))
			d := new(big.Rat).Sub(rat(a[j]), rat(b[j]))
			dist.Add(dist, d.Mul(d, d))
		}
		if got, want := Dot32(a, b), ratTo32(dot); got != want {
			t.Errorf("dot(%x, %x) = %x, want %x", a, b, got, want)
		}
		if w, _ := dot.Float64(); ulps64(Dot64(a64, b64), w) > 1 {
			t.Errorf("double dot(%x, %x) = %x, want %x", a, b, Dot64(a64, b64), w)
		}
		root := func(q *big.Rat) *big.Float {
			f := new(big.Float).SetPrec(400).SetRat(q)
			return f.Sqrt(f)
		}
		l := root(norm)
		if want, _ := l.Float32(); Length32(a) != want {
			t.Errorf("length(%x) = %x, want %x", a, Length32(a), want)
		}
		if want, _ := l.Float64(); ulps64(Length64(a64), want) > 1 {
			t.Errorf("double length(%x) = %x, want %x", a, Length64(a64), want)
		}
		d := root(dist)
		if want, _ := d.Float32(); Distance32(a, b) != want {
			t.Errorf("distance(%x, %x) = %x, want %x", a, b, Distance32(a, b), want)
		}
		if want, _ := d.Float64(); ulps64(Distance64(a64, b64), want) > 1 {
			t.Errorf("double distance(%x, %x) = %x, want %x", a, b, Distance64(a64, b64), want)
		}
		if l.Sign() != 0 {
			u, u64 := make([]float32, n), make([]float64, n)
			Normalize32(u, a)
			Normalize64(u64, a64)
			for j := range u {
				q := new(big.Float).SetPrec(400).SetFloat64(a64[j])
				q.Quo(q, l)
				if want, _ := q.Float32(); u[j] != want {
					t.Errorf("normalize(%x)[%d] = %x, want %x", a, j, u[j], want)
				}
				if want, _ := q.Float64(); ulps64(u64[j], want) > 1 {
					t.Errorf("double normalize(%x)[%d] = %x, want %x", a, j, u64[j], want)
				}
			}
		}
		if n < 3 {
			continue
		}
		c, c64 := make([]float32, n), make([]float64, n)
		Cross32(c, a, b)
		Cross64(c64, a64, b64)
		for j := range 3 {
			k, m := (j+1)%3, (j+2)%3
			q := new(big.Rat).Mul(rat(a[k]), rat(b[m]))
			q.Sub(q, new(big.Rat).Mul(rat(a[m]), rat(b[k])))
			if want := ratTo32(q); c[j] != want {
				t.Errorf("cross(%x, %x)[%d] = %x, want %x", a, b, j, c[j], want)
			}
			if want, _ := q.Float64(); ulps64(c64[j], want) > 1 {
				t.Errorf("double cross(%x, %x)[%d] = %x, want %x", a, b, j, c64[j], want)
			}
		}
	}
}

// TestGeometricEdges checks what overflows, vanishes or has no direction.
func TestGeometricEdges(t *testing.T) {
	inf := inf32
	if got := Length32([]float32{tMax32 / 2, tMax32 / 2}); got != Hypot32(tMax32/2, tMax32/2) || got == inf {
		t.Errorf("length of a long vector = %x", got)
	}
	if got := Length32([]float32{3 * tMin32, 4 * tMin32, 0}); got != 5*tMin32 {
		t.Errorf("length of a tiny vector = %v", got)
	}
	if got := Length64([]float64{3e-320, 4e-320}); got != 5e-320 {
		t.Errorf("length of a tiny double vector = %v", got)
	}
	if got := Length64([]float64{0x1.8p1023, 0}); got != 0x1.8p1023 {
		t.Errorf("length of a long double vector = %v", got)
	}
	if got := Distance64([]float64{math.MaxFloat64}, []float64{math.MaxFloat64 / 2}); got != math.MaxFloat64/2 {
		t.Errorf("distance of far points = %v", got)
	}
	v := []float32{inf, 2, -inf, float32(tNeg)}
	Normalize32(v, v)
	s := Rsqrt32(2)
	if want := [4]float32{s, 0, -s, float32(tNeg)}; [4]float32(v) != want {
		t.Errorf("normalize of an infinite vector = %v, want %v", v, want)
	}
	w := []float64{tInf, 2, -tInf, tNeg}
	Normalize64(w, w)
	if d := math.Sqrt(0.5); w[0] != d || w[1] != 0 || w[2] != -d || !math.Signbit(w[3]) {
		t.Errorf("normalize of an infinite double vector = %v", w)
	}
	v = []float32{0, float32(tNeg)}
	Normalize32(v, v)
	if v[0] != 0 || !math.Signbit(float64(v[1])) {
		t.Errorf("normalize of zero = %v", v)
	}
	v = []float32{nan32, 1, inf}
	Normalize32(v, v)
	for _, x := range v {
		if !identical32(x, nan32) {
			t.Errorf("normalize with a NaN = %v", v)
		}
	}
	if got := Length32([]float32{nan32, inf}); got != inf {
		t.Errorf("length with an infinity and a NaN = %v", got)
	}
	v = []float32{1, 0, 0, 9}
	Cross32(v, v, []float32{0, 1, 0, 9})
	if [4]float32(v) != [4]float32{0, 0, 1, 0} {
		t.Errorf("cross in place = %v", v)
	}
}

// TestSmoothstepDegenerate checks edges that coincide, where the value is that
// of a step, infinite edges, and differences that overflow.
func TestSmoothstepDegenerate(t *testing.T) {
	for f, fn := range map[string]func(e0, e1, x float64) float64{
		"double": Smoothstep64,
		"float":  func(e0, e1, x float64) float64 { return float64(Smoothstep32(float32(e0), float32(e1), float32(x))) },
		"half": func(e0, e1, x float64) float64 {
			return F16ToF64(Ternary16[FuncSmoothstep](F64ToF16(e0), F64ToF16(e1), F64ToF16(x)))
		},
	} {
		if a, b, c := fn(1, 1, 0.5), fn(1, 1, 1.5), fn(1, 1, 1); a != 0 || b != 1 || c != 0 {
			t.Errorf("%s smoothstep(1, 1, …) below, above and at 1 = %v, %v, %v", f, a, b, c)
		}
		if got := fn(2, 1, 1.5); got != 0.5 {
			t.Errorf("%s smoothstep with its edges swapped = %v", f, got)
		}
		for _, tt := range []struct{ e0, e1, x, want float64 }{
			{-tInf, 1, tInf, 0}, // the quotient of infinities counts as 0
			{-tInf, tInf, 1, 0},
			{-tInf, 1, 0, 0},
			{tInf, tInf, tInf, 0},
			{0, tInf, 5, 0},
			{0, 1, tInf, 1},
			{0, 1, -tInf, 0},
		} {
			if got := fn(tt.e0, tt.e1, tt.x); got != tt.want {
				t.Errorf("%s smoothstep(%v, %v, %v) = %v, want %v", f, tt.e0, tt.e1, tt.x, got, tt.want)
			}
		}
	}
	if got := Smoothstep64(-0x1p1023, 0x1p1023, 0); got != 0.5 {
		t.Errorf("smoothstep in the middle of a range as wide as can be = %v", got)
	}
	if got := Smoothstep64(-math.MaxFloat64, math.MaxFloat64, 0x1p1023); math.Abs(got-0.84375) > 0x1p-52 {
		t.Errorf("smoothstep of a range as wide as can be = %v", got)
	}
}
