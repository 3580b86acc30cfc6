package clmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/clmath/internal/bigmath"
)

// The references below share nothing with the functions under test but the
// definition of the function: they are series in math/big at refPrec bits.
const refPrec = 160

func bf(x float64) *big.Float { return bigmath.New(x, refPrec) }

func bigOp(op func(z *big.Float)) *big.Float {
	z := new(big.Float).SetPrec(refPrec + 64)
	op(z)
	return z
}

func bigAdd(x, y *big.Float) *big.Float { return bigOp(func(z *big.Float) { z.Add(x, y) }) }
func bigSub(x, y *big.Float) *big.Float { return bigOp(func(z *big.Float) { z.Sub(x, y) }) }
func bigMul(x, y *big.Float) *big.Float { return bigOp(func(z *big.Float) { z.Mul(x, y) }) }
func bigQuo(x, y *big.Float) *big.Float { return bigOp(func(z *big.Float) { z.Quo(x, y) }) }
func bigSqrt(x *big.Float) *big.Float   { return bigOp(func(z *big.Float) { z.Sqrt(x) }) }
func bigPi() *big.Float                 { return bigmath.Pi(refPrec + 64) }

// bigLog1p and bigExpm1 keep their relative precision near zero.
func bigLog1p(x *big.Float) *big.Float { return bigmath.Log1p(x, refPrec) }
func bigExpm1(x *big.Float) *big.Float { return bigmath.Expm1(x, refPrec) }

func bigSin(x *big.Float) *big.Float { s, _ := bigmath.SinCos(x, refPrec); return s }
func bigCos(x *big.Float) *big.Float { _, c := bigmath.SinCos(x, refPrec); return c }

// bigPiTimes returns pi*x modulo 2 pi, with care for large x.
func bigPiTimes(x float64) *big.Float { return bigMul(bigPi(), bf(math.Mod(x, 2))) }

// otherLegBig returns sqrt(1-x*x), exact until the root.
func otherLegBig(x float64) *big.Float {
	p := new(big.Float).SetPrec(2400).SetFloat64(x)
	p.Mul(p, p)
	p.Sub(bf(1), p)
	return bigSqrt(p)
}

// references gives the true value of functions at a double, inside of
// the domain and off the special cases.
var references = map[Func]struct {
	lo, hi float64 // the ordinary arguments
	f      func(x float64) *big.Float
}{
	FuncExp:   {-104, 89, func(x float64) *big.Float { return bigmath.Exp(bf(x), refPrec) }},
	FuncExp2:  {-149, 128, func(x float64) *big.Float { return bigmath.Exp(bigMul(bigmath.Ln2(240), bf(x)), refPrec) }},
	FuncExp10: {-44, 38, func(x float64) *big.Float { return bigmath.Exp(bigMul(bigmath.Log(bf(10), 240), bf(x)), refPrec) }},
	FuncExpm1: {-20, 88, func(x float64) *big.Float { return bigExpm1(bf(x)) }},
	FuncLog:   {0, 1000, func(x float64) *big.Float { return bigmath.Log(bf(x), refPrec) }},
	FuncLog2:  {0, 4, func(x float64) *big.Float { return bigQuo(bigmath.Log(bf(x), refPrec), bigmath.Ln2(refPrec)) }},
	FuncLog10: {0, 1000, func(x float64) *big.Float {
		return bigQuo(bigmath.Log(bf(x), refPrec), bigmath.Log(bf(10), refPrec))
	}},
	FuncLog1p:  {-1, 3, func(x float64) *big.Float { return bigLog1p(bf(x)) }},
	FuncSin:    {-50, 50, func(x float64) *big.Float { return bigSin(bf(x)) }},
	FuncCos:    {-1e6, 1e6, func(x float64) *big.Float { return bigCos(bf(x)) }},
	FuncTan:    {-10, 10, func(x float64) *big.Float { return bigQuo(bigSin(bf(x)), bigCos(bf(x))) }},
	FuncSinPi:  {-5, 5, func(x float64) *big.Float { return bigSin(bigPiTimes(x)) }},
	FuncCosPi:  {-5, 5, func(x float64) *big.Float { return bigCos(bigPiTimes(x)) }},
	FuncTanPi:  {-5, 5, func(x float64) *big.Float { return bigQuo(bigSin(bigPiTimes(x)), bigCos(bigPiTimes(x))) }},
	FuncAtan:   {-6, 6, func(x float64) *big.Float { return bigmath.Atan(bf(x), refPrec) }},
	FuncAtanPi: {-6, 6, func(x float64) *big.Float { return bigQuo(bigmath.Atan(bf(x), refPrec), bigPi()) }},
	FuncAsin:   {-1, 1, func(x float64) *big.Float { return bigmath.Atan(bigQuo(bf(x), otherLegBig(x)), refPrec) }},
	FuncAsinPi: {-1, 1, func(x float64) *big.Float {
		return bigQuo(bigmath.Atan(bigQuo(bf(x), otherLegBig(x)), refPrec), bigPi())
	}},
	FuncAcos: {-1, 1, func(x float64) *big.Float { return bigmath.Atan2(otherLegBig(x), bf(x), refPrec) }},
	FuncAcosPi: {-1, 1, func(x float64) *big.Float {
		return bigQuo(bigmath.Atan2(otherLegBig(x), bf(x), refPrec), bigPi())
	}},
	FuncSinh: {-20, 20, func(x float64) *big.Float {
		t := bigExpm1(bf(x))
		return bigQuo(bigAdd(t, bigQuo(t, bigAdd(t, bf(1)))), bf(2))
	}},
	FuncCosh: {-20, 20, func(x float64) *big.Float {
		e := bigmath.Exp(bf(x), refPrec)
		return bigQuo(bigAdd(e, bigQuo(bf(1), e)), bf(2))
	}},
	FuncTanh: {-10, 10, func(x float64) *big.Float {
		t := bigExpm1(bf(2 * x))
		return bigQuo(t, bigAdd(t, bf(2)))
	}},
	FuncAsinh: {-20, 20, func(x float64) *big.Float {
		a := bf(math.Abs(x))
		a2 := bigMul(a, a)
		l := bigLog1p(bigAdd(a, bigQuo(a2, bigAdd(bf(1), bigSqrt(bigAdd(bf(1), a2))))))
		if x < 0 {
			l.Neg(l)
		}
		return l
	}},
	FuncAcosh: {1, 50, func(x float64) *big.Float {
		t := bigSub(bf(x), bf(1))
		return bigLog1p(bigAdd(t, bigSqrt(bigAdd(bigAdd(t, t), bigMul(t, t)))))
	}},
	FuncAtanh: {-1, 1, func(x float64) *big.Float {
		a := bf(math.Abs(x))
		l := bigQuo(bigLog1p(bigQuo(bigAdd(a, a), bigSub(bf(1), a))), bf(2))
		if x < 0 {
			l.Neg(l)
		}
		return l
	}},
	FuncErf:  {-4, 4, func(x float64) *big.Float { return bigmath.Erf(bf(x), refPrec) }},
	FuncErfc: {-4, 10, func(x float64) *big.Float { return bigmath.Erfc(bf(x), refPrec) }},
	FuncTgamma: {-12, 35, func(x float64) *big.Float {
		l, s := bigmath.LogGamma(bf(x), refPrec+64)
		y := bigmath.Exp(l, refPrec)
		if s < 0 {
			y.Neg(y)
		}
		return y
	}},
	FuncLgamma: {-12, 100, func(x float64) *big.Float {
		l, _ := bigmath.LogGamma(bf(x), refPrec+64)
		return l
	}},
	FuncCbrt: {-100, 100, func(x float64) *big.Float {
		y := bigmath.Exp(bigQuo(bigmath.Log(bf(math.Abs(x)), refPrec), bf(3)), refPrec)
		if x < 0 {
			y.Neg(y)
		}
		return y
	}},
	FuncSqrt:    {0, 100, func(x float64) *big.Float { return bigSqrt(bf(x)) }},
	FuncRsqrt:   {0, 100, func(x float64) *big.Float { return bigQuo(bf(1), bigSqrt(bf(x))) }},
	FuncDegrees: {-10, 10, func(x float64) *big.Float { return bigQuo(bigMul(bf(180), bf(x)), bigPi()) }},
	FuncRadians: {-360, 360, func(x float64) *big.Float { return bigQuo(bigMul(bigPi(), bf(x)), bf(180)) }},
}

// outside tells arguments that the references do not serve: poles, ends of the
// domain, exact results that need infinitely many digits to settle.
func outside(f Func, x float64) bool {
	whole := x == math.Trunc(x)
	switch f {
	case FuncSinPi, FuncCosPi, FuncTanPi:
		return 4*x == math.Trunc(4*x)
	case FuncTgamma, FuncLgamma:
		return whole
	case FuncLog, FuncLog2, FuncLog10, FuncRsqrt, FuncSqrt:
		return x <= 0 || x == 1
	case FuncAsin, FuncAcos, FuncAtanh, FuncAsinPi, FuncAcosPi, FuncLog1p, FuncAcosh, FuncExp2, FuncExp10, FuncCbrt:
		return whole
	}
	return x == 0
}

// arguments draws ordinary arguments and arguments at every distance from
// zero, or from one where that is where the function gets hard.
func arguments(f Func, n int) []float32 {
	ref := references[f]
	r := rand.New(rand.NewPCG(7, uint64(f)))
	var xs []float32
	for len(xs) < n {
		x := ref.lo + (ref.hi-ref.lo)*r.Float64()
		switch r.IntN(4) {
		case 0:
			x = math.Exp2(-30 * r.Float64())
			if ref.lo < 0 && r.IntN(2) == 0 {
				x = -x
			}
		case 1:
			x = 1 + math.Exp2(-24*r.Float64())*(2*r.Float64()-1)
		}
		if s := float32(x); float64(s) >= ref.lo && float64(s) <= ref.hi && !outside(f, float64(s)) {
			xs = append(xs, s)
		}
	}
	return xs
}

func sampleSize() int {
	if testing.Short() {
		return 10
	}
	return 40
}

// TestSingleCorrectlyRounded compares functions of one argument with the
// references, and demands the very bits.
func TestSingleCorrectlyRounded(t *testing.T) {
	for f := range Func(NumFuncs) {
		ref, ok := references[f]
		if !ok {
			continue
		}
		for _, x := range arguments(f, sampleSize()) {
			want, _ := ref.f(float64(x)).Float32()
			if got := Unary32[f](x); got != want {
				t.Errorf("%v(%x) = %x, want %x", f, x, got, want)
			}
		}
	}
}

// TestDoubleWithinOneUnit compares functions of one double with the
// references.
func TestDoubleWithinOneUnit(t *testing.T) {
	for f := range Func(NumFuncs) {
		ref, ok := references[f]
		if !ok {
			continue
		}
		for i, s := range arguments(f, sampleSize()) {
			x := float64(s) * (1 + float64(i)*0x1p-50)
			if x > ref.hi || x < ref.lo || outside(f, x) {
				continue
			}
			want, _ := ref.f(x).Float64()
			if got := Unary64[f](x); ulps64(got, want) > 1 {
				t.Errorf("%v(%x) = %x, want %x", f, x, got, want)
			}
		}
	}
}

// pairPaths gives the pairs of doubles behind the single precision functions.
// A wrong pair would seldom show, as the fast paths settle nearly everything.
var pairPaths = map[Func]func(x float64) dd{
	FuncExp: func(x float64) dd { return expDD(ddFrom(x)) },
	FuncExp2: func(x float64) dd {
		k, a := exp2Arg(x)
		return expDD(a).scale(pow2(k))
	},
	FuncExp10: func(x float64) dd {
		k, a := exp10Arg(x)
		return expDD(a).scale(pow2(k))
	},
	FuncExpm1:  func(x float64) dd { return expm1DD(ddFrom(x)) },
	FuncLog:    func(x float64) dd { return logDD(ddFrom(x)) },
	FuncLog1p:  func(x float64) dd { return log1pDD(ddFrom(x)) },
	FuncSin:    func(x float64) dd { s, _ := sinCosDD(x); return s },
	FuncCos:    func(x float64) dd { _, c := sinCosDD(x); return c },
	FuncSinPi:  func(x float64) dd { s, _ := sinCosPiDD(x); return s },
	FuncCosPi:  func(x float64) dd { _, c := sinCosPiDD(x); return c },
	FuncAcos:   acosDD,
	FuncAsin:   func(x float64) dd { return signedDD(asinDD(math.Abs(x)), x) },
	FuncAtan:   func(x float64) dd { return signedDD(angleDD(ddFrom(math.Abs(x)), ddFrom(1)), x) },
	FuncSinh:   func(x float64) dd { return signedDD(sinhDD(math.Abs(x)), x) },
	FuncCosh:   func(x float64) dd { return coshDD(math.Abs(x)) },
	FuncTanh:   func(x float64) dd { return signedDD(tanhDD(math.Abs(x)), x) },
	FuncAsinh:  func(x float64) dd { return signedDD(asinhDD(math.Abs(x)), x) },
	FuncAcosh:  acoshDD,
	FuncAtanh:  func(x float64) dd { return signedDD(atanhDD(math.Abs(x)), x) },
	FuncCbrt:   func(x float64) dd { return signedDD(cbrtDD(math.Abs(x)), x) },
	FuncErf:    erfPair,
	FuncErfc:   erfcPair,
	FuncTgamma: gammaDD,
	FuncLgamma: func(x float64) dd {
		if x < 0 {
			return lgammaNegDD(-x)
		}
		return lgammaDD(x)
	},
}

func signedDD(a dd, x float64) dd {
	if x < 0 {
		return a.neg()
	}
	return a
}

func erfPair(x float64) dd {
	a := math.Abs(x)
	if a < 3 {
		return signedDD(erfSeries(a), x)
	}
	return signedDD(ddFrom(1).sub(erfcDD(a)), x)
}

func erfcPair(x float64) dd {
	if x < 0 {
		return ddFrom(2).sub(erfcDD(-x))
	}
	return erfcDD(x)
}

// TestPairs checks that the slow paths have the 2^-85 that a rounding of any
// float32 result could ask for (there are 2^32 arguments, and 24 bits are
// kept). Near zeros of a function the bound is absolute where the function's
// comment says so.
func TestPairs(t *testing.T) {
	for f := range Func(NumFuncs) {
		pair, ok := pairPaths[f]
		if !ok {
			continue
		}
		worst := math.Inf(-1)
		for _, x := range arguments(f, sampleSize()) {
			want := references[f].f(float64(x))
			got := pair(float64(x))
			d := bigAdd(bf(got.hi), bf(got.lo))
			scale := new(big.Float).Abs(want)
			d.Sub(d, want)
			if f == FuncLgamma && x < 0 && scale.Cmp(bf(1)) < 0 {
				scale = bf(1)
			}
			if d.Sign() == 0 {
				continue
			}
			q, _ := bigQuo(d, scale).Float64()
			if e := math.Log2(math.Abs(q)); e > worst {
				worst = e
			}
			if math.Abs(q) > 0x1p-85 {
				t.Errorf("%v(%x): pair is off by %g", f, x, q)
			}
		}
		t.Logf("%v: worst 2^%.1f", f, worst)
	}
}

// TestPowReference compares pow and its relatives with the definition.
func TestPowReference(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for range 4 * sampleSize() {
		x := float32(math.Exp2(8*r.Float64() - 4))
		y := float32(30*r.Float64() - 15)
		n := int32(r.IntN(60) - 30)
		if n == 0 {
			n = 31
		}
		l := bigmath.Log(bf(float64(x)), refPrec)
		check := func(name string, got32 float32, got64 float64, e *big.Float) {
			want := bigmath.Exp(e, refPrec)
			if w, _ := want.Float32(); got32 != w {
				t.Errorf("%s for x %x, y %x, n %d = %x, want %x", name, x, y, n, got32, w)
			}
			if w, _ := want.Float64(); ulps64(got64, w) > 1 {
				t.Errorf("double %s for x %x, y %x, n %d = %x, want %x", name, x, y, n, got64, w)
			}
		}
		check("pow", Pow32(x, y), Pow64(float64(x), float64(y)), bigMul(l, bf(float64(y))))
		check("powr", Powr32(x, y), Powr64(float64(x), float64(y)), bigMul(l, bf(float64(y))))
		check("pown", Pown32(x, n), Pown64(float64(x), n), bigMul(l, bf(float64(n))))
		check("rootn", Rootn32(x, n), Rootn64(float64(x), n), bigQuo(l, bf(float64(n))))
	}
}

// TestPowMiddle checks powers that are exactly the middle of two float32
// neighbours: no amount of precision settles them but an exact one.
func TestPowMiddle(t *testing.T) {
	tests := []struct{ x, y, want float32 }{
		{4097, 2, 16785408},      // 16785409
		{4099, 2, 16801800},      // 16801801
		{16801800, 0.5, 4099},    // just below: 4098.99988
		{257, 3, 16974592},       // 16974593
		{259, 3, 17373980},       // 17373979
		{0x1p-75, 2, 0},          // 2^-150
		{0x1.8p-50, 3, 0x1p-148}, // 27/8*2^-150 = 1.6875*2^-149
		{0x1p-50, 3, 0},          // 2^-150
	}
	for _, tt := range tests {
		if got := Pow32(tt.x, tt.y); got != tt.want {
			t.Errorf("pow(%v, %v) = %v, want %v", tt.x, tt.y, got, tt.want)
		}
	}
	// Squares of 13-bit odd numbers whose root is taken back by an exponent
	// of 1.5 and 2.5, against exact integers.
	for m := int64(1); m < 300; m += 2 {
		for _, e := range []int{3, 5} {
			exact := new(big.Float).SetInt(new(big.Int).Exp(big.NewInt(m), big.NewInt(int64(e)), nil))
			want, _ := exact.Float32()
			if got := Pow32(float32(m*m), float32(e)/2); got != want {
				t.Errorf("pow(%d, %d/2) = %v, want %v", m*m, e, got, want)
			}
		}
	}
}

// TestAnglesReference compares atan2 and atan2pi, hypot and the geometric
// functions with their definitions.
func TestAnglesReference(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	for range 2 * sampleSize() {
		x := float32(math.Exp2(12*r.Float64()-6)) * float32(1-2*r.IntN(2))
		y := float32(math.Exp2(12*r.Float64()-6)) * float32(1-2*r.IntN(2))
		xd, yd := float64(x), float64(y)
		a := bigmath.Atan2(bf(yd), bf(xd), refPrec)
		h := bigSqrt(bigAdd(bigMul(bf(xd), bf(xd)), bigMul(bf(yd), bf(yd))))
		for _, tt := range []struct {
			name  string
			got32 float32
			got64 float64
			want  *big.Float
		}{
			{"atan2", Atan2_32(y, x), Atan2_64(yd, xd), a},
			{"atan2pi", Atan2Pi32(y, x), Atan2Pi64(yd, xd), bigQuo(a, bigPi())},
			{"hypot", Hypot32(x, y), Hypot64(xd, yd), h},
			{"length", Length32([]float32{x, y}), Length64([]float64{xd, yd}), h},
		} {
			if w, _ := tt.want.Float32(); tt.got32 != w {
				t.Errorf("%s(%x, %x) = %x, want %x", tt.name, y, x, tt.got32, w)
			}
			if w, _ := tt.want.Float64(); ulps64(tt.got64, w) > 1 {
				t.Errorf("double %s(%x, %x) = %x, want %x", tt.name, y, x, tt.got64, w)
			}
		}
	}
}
