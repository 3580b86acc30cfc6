package clmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/clmath/internal/bigmath"
)

// TestReduction checks the reduction by multiples of pi/2 for doubles of every
// size, among them the one that comes nearest to such a multiple.
func TestReduction(t *testing.T) {
	const prec = 1400
	half := bigmath.Pi(prec)
	half.SetMantExp(half, -1)
	r := rand.New(rand.NewPCG(71, 1))
	xs := []float64{0x1.6ac5b262ca1ffp849, 0x1.921fb54442d18p0, math.MaxFloat64, 0x1p1023, 0x1p-1, 0.75, 0x1p52, 33, 22, 355}
	for len(xs) < 300 {
		x := math.Exp2(1024*r.Float64()) * (1 - r.Float64()/4)
		xs = append(xs, x)
	}
	for _, x := range xs {
		for _, x := range []float64{x, -x} {
			n, got := reducePiHalf(x)
			// x - got must be n quarters of a turn, modulo four.
			d := new(big.Float).SetPrec(prec).SetFloat64(x)
			d.Sub(d, new(big.Float).SetFloat64(got.hi))
			d.Sub(d, new(big.Float).SetFloat64(got.lo))
			d.Quo(d, half)
			q, _ := new(big.Float).SetPrec(prec).Add(d, big.NewFloat(math.Copysign(0.5, x))).Int(nil)
			rest, _ := d.Sub(d, new(big.Float).SetPrec(prec).SetInt(q)).Float64()
			if math.Abs(rest) > math.Abs(got.hi)*0x1p-100+0x1p-200 {
				t.Errorf("reducing %x leaves an error of %g in %g", x, rest, got.hi)
			}
			if m := int(new(big.Int).And(q, big.NewInt(3)).Int64()); m != n {
				t.Errorf("reducing %x gives quadrant %d, want %d", x, n, m)
			}
			if math.Abs(got.hi) > math.Pi/4+0x1p-50 {
				t.Errorf("reducing %x leaves %g", x, got.hi)
			}
		}
	}
}

// TestSinCos checks that the function of two results agrees with those of one.
func TestSinCos(t *testing.T) {
	r := rand.New(rand.NewPCG(72, 1))
	for i := range 20000 {
		x := math.Float32frombits(r.Uint32())
		if i%2 == 0 {
			x = 200*r.Float32() - 100
		}
		if s, c := SinCos32(x); !identical32(s, Sin32(x)) || !identical32(c, Cos32(x)) {
			t.Errorf("sincos(%x) = %x, %x, want %x, %x", x, s, c, Sin32(x), Cos32(x))
		}
		if s, c := SinCos64(float64(x)); !identical64(s, Sin64(float64(x))) || !identical64(c, Cos64(float64(x))) {
			t.Errorf("double sincos(%x) = %x, %x", x, s, c)
		}
	}
}
