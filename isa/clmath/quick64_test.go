package clmath

import (
	"math"
	"math/rand/v2"
	"testing"
)

// quickPaths gives, for the fast paths of double precision, the path's pair, the error it claims and the slow path's pair.
var quickPaths = map[string]struct {
	lo, hi float64
	f      func(x float64) (quick dd, err float64, slow dd)
}{
	"exp": {-700, 700, func(x float64) (dd, float64, dd) {
		hi, lo, k := quickExp(x, 0)
		m, j := expParts(ddFrom(x))
		return dd{hi, lo}, 0x1p-64, m.scale(pow2(j - k))
	}},
	"log near one": {0, 2, func(x float64) (dd, float64, dd) {
		hi, lo := log64Quick(x)
		return dd{hi, lo}, math.Abs(hi) * 0x1p-63, logDD(ddFrom(x))
	}},
	"log": {0, 1e10, func(x float64) (dd, float64, dd) {
		hi, lo := log64Quick(x)
		return dd{hi, lo}, math.Abs(hi) * 0x1p-63, logDD(ddFrom(x))
	}},
}

// TestQuickErrors checks the error bounds on which the fast paths of double
// precision rely, against the pairs, with a factor of two to spare.
func TestQuickErrors(t *testing.T) {
	n := 200 * sampleSize()
	for name, path := range quickPaths {
		r := rand.New(rand.NewPCG(61, 1))
		worst := 0.0
		for range n {
			x := path.lo + (path.hi-path.lo)*r.Float64()
			switch r.IntN(4) {
			case 0:
				x = 1 + math.Exp2(-50*r.Float64())*(2*r.Float64()-1)
			case 1:
				x = math.Exp2(-100 * r.Float64())
			}
			if x == 1 {
				continue
			}
			quick, err, slow := path.f(x)
			d := math.Abs(quick.sub(slow).hi)
			worst = max(worst, d/err)
			if d > err/2 {
				t.Errorf("%s at %x: off by %g, may be by %g", name, x, d, err)
			}
		}
		t.Logf("%s: worst %.2f of the bound", name, worst)
	}
}

// TestQuickSettles checks that the fast paths decide nearly always, and then
// as the pairs do.
func TestQuickSettles(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 1))
	n := 200 * sampleSize()
	tests := map[string]func(x float64) (quick float64, ok bool, slow float64){
		"sin": func(x float64) (float64, bool, float64) {
			y, ok := quickSinCos(x, 0)
			s, _ := sinCosDD(x)
			return y, ok, s.hi
		},
		"cos": func(x float64) (float64, bool, float64) {
			y, ok := quickSinCos(x, 1)
			_, c := sinCosDD(x)
			return y, ok, c.hi
		},
		"pow": func(x float64) (float64, bool, float64) {
			b := math.Abs(x)
			y, ok := quickPow(b, 1.7)
			return y, ok, expDD(logDD(ddFrom(b)).mulF(1.7)).hi
		},
		"exp": func(x float64) (float64, bool, float64) {
			hi, lo, k := quickExp(x, 0)
			y, ok := rounded64(hi, lo, 0x1p-64)
			return math.Ldexp(y, k), ok, expDD(ddFrom(x)).hi
		},
	}
	for name, f := range tests {
		open := 0
		for i := range n {
			x := 200*r.Float64() - 100
			if i%3 == 0 {
				x = math.Exp2(-20 * r.Float64())
			}
			quick, ok, slow := f(x)
			if !ok {
				open++
			} else if quick != slow {
				t.Errorf("%s(%x) = %x by the fast path, %x by the slow one", name, x, quick, slow)
			}
		}
		if open > n/20 {
			t.Errorf("%s: %d of %d not settled by the fast path", name, open, n)
		}
		t.Logf("%s: %d of %d not settled", name, open, n)
	}
}
