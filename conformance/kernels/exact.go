package kernels

import (
	"math"
	"math/big"
)

// This file computes functions of single precision, correctly rounded to
// nearest even. A double precision result decides unless it lies so near a
// rounding boundary that its error could matter; then arithmetic of bigPrec
// bits decides.

const (
	// bigPrec is the precision of the slow path. Arguments go up to 2^128, so
	// that reducing one modulo π/2 costs 128 bits, and tiny results cost as
	// many again; what remains is far more than the 24+40 that a hard case of
	// single precision needs.
	bigPrec = 640
	// fastError bounds the relative error of math's functions, with margin:
	// they are within a few units in the last place of 2^-53.
	fastError = 0x1p-42
)

// round32 rounds the value that fast approximates within fastError and that
// slow computes to bigPrec bits.
func round32(fast float64, slow func() *big.Float) float32 {
	if math.IsNaN(fast) || math.IsInf(fast, 0) || fast == 0 {
		return float32(fast)
	}
	low, high := float32(fast*(1-fastError)), float32(fast*(1+fastError))
	if low == high {
		return low
	}
	f, _ := slow().Float32()
	return f
}

func exp32(x float32) float32 {
	if x > 89 {
		return float32(math.Inf(1))
	}
	if x < -104 {
		return 0
	}
	return round32(math.Exp(float64(x)), func() *big.Float { return bigExp(toBig(x)) })
}

func exp2of32(x float32) float32 {
	if x == float32(int32(x)) && x >= -149 && x < 128 {
		return float32(math.Ldexp(1, int(x)))
	}
	return round32(math.Exp2(float64(x)), func() *big.Float {
		return bigExp(bigMul(toBig(x), bigLn2()))
	})
}

func expm1of32(x float32) float32 {
	if x > 89 {
		return float32(math.Inf(1))
	}
	return round32(math.Expm1(float64(x)), func() *big.Float { return bigSub(bigExp(toBig(x)), bigInt(1)) })
}

func log32(x float32) float32 {
	return round32(math.Log(float64(x)), func() *big.Float { return bigLog(toBig(x)) })
}

func log1pof32(x float32) float32 {
	return round32(math.Log1p(float64(x)), func() *big.Float { return bigLog(bigAdd(toBig(x), bigInt(1))) })
}

func log2of32(x float32) float32 {
	frac, e := math.Frexp(float64(x))
	if frac == 0.5 {
		return float32(e - 1)
	}
	return round32(math.Log2(float64(x)), func() *big.Float { return bigQuo(bigLog(toBig(x)), bigLn2()) })
}

func log10of32(x float32) float32 {
	return round32(math.Log10(float64(x)), func() *big.Float { return bigQuo(bigLog(toBig(x)), bigLog(bigInt(10))) })
}

func sin32(x float32) float32 {
	return round32(math.Sin(float64(x)), func() *big.Float { s, _ := bigSinCos(toBig(x)); return s })
}

func cos32(x float32) float32 {
	return round32(math.Cos(float64(x)), func() *big.Float { _, c := bigSinCos(toBig(x)); return c })
}

func tan32(x float32) float32 {
	return round32(math.Tan(float64(x)), func() *big.Float { s, c := bigSinCos(toBig(x)); return bigQuo(s, c) })
}

func atan32(x float32) float32 {
	return round32(math.Atan(float64(x)), func() *big.Float { return bigAtan(toBig(x)) })
}

func asin32(x float32) float32 {
	return round32(math.Asin(float64(x)), func() *big.Float { return bigAsin(toBig(x)) })
}

func acos32(x float32) float32 {
	// math.Acos subtracts from π/2, so that its relative error grows towards 1;
	// one square root form has none of that.
	fast := 2 * math.Atan2(math.Sqrt(1-float64(x)), math.Sqrt(1+float64(x)))
	return round32(fast, func() *big.Float {
		return bigSub(bigQuo(bigPi(), bigInt(2)), bigAsin(toBig(x)))
	})
}

func atan2of32(y, x float32) float32 {
	return round32(math.Atan2(float64(y), float64(x)), func() *big.Float {
		a := bigAtan(bigQuo(toBig(y), toBig(x)))
		if x < 0 {
			if y < 0 {
				return bigSub(a, bigPi())
			}
			return bigAdd(a, bigPi())
		}
		return a
	})
}

func sinh32(x float32) float32 {
	return round32(math.Sinh(float64(x)), func() *big.Float {
		e := bigExp(toBig(x))
		return bigQuo(bigSub(e, bigQuo(bigInt(1), e)), bigInt(2))
	})
}

func cosh32(x float32) float32 {
	return round32(math.Cosh(float64(x)), func() *big.Float {
		e := bigExp(toBig(x))
		return bigQuo(bigAdd(e, bigQuo(bigInt(1), e)), bigInt(2))
	})
}

func tanh32(x float32) float32 {
	return round32(math.Tanh(float64(x)), func() *big.Float {
		e := bigExp(bigMul(bigInt(2), toBig(x)))
		return bigQuo(bigSub(e, bigInt(1)), bigAdd(e, bigInt(1)))
	})
}

func cbrt32(x float32) float32 {
	return round32(math.Cbrt(float64(x)), func() *big.Float {
		if x < 0 {
			r := bigExp(bigQuo(bigLog(toBig(-x)), bigInt(3)))
			return r.Neg(r)
		}
		return bigExp(bigQuo(bigLog(toBig(x)), bigInt(3)))
	})
}

// rsqrt32 is 1/sqrt(x) for x > 0: only exact powers of four give exact results,
// and no result is half way between two neighbours.
func rsqrt32(x float32) float32 {
	return round32(1/math.Sqrt(float64(x)), func() *big.Float {
		return bigQuo(bigInt(1), new(big.Float).SetPrec(bigPrec).Sqrt(toBig(x)))
	})
}

// pow32 is x**y for x > 0. Exact results and ties happen for small integer
// exponents only, which are multiplied out.
func pow32(x, y float32) float32 {
	return round32(math.Pow(float64(x), float64(y)), func() *big.Float {
		if n := int(y); float32(n) == y && n >= 0 && n <= 20 {
			p := bigInt(1)
			for range n {
				p = bigMul(p, toBig(x))
			}
			return p
		}
		return bigExp(bigMul(toBig(y), bigLog(toBig(x))))
	})
}

// hypot32 is sqrt(x*x + y*y): in double precision the squares are exact and the
// sum is rounded once.
func hypot32(x, y float32) float32 {
	a, b := float64(x), float64(y)
	return round32(math.Sqrt(float64(a*a)+float64(b*b)), func() *big.Float {
		s := bigAdd(bigMul(toBig(x), toBig(x)), bigMul(toBig(y), toBig(y)))
		return new(big.Float).SetPrec(bigPrec).Sqrt(s)
	})
}

// fma32 is x*y + z rounded once.
func fma32(x, y, z float32) float32 {
	p, q, r := float64(x), float64(y), float64(z)
	special := p*q + r
	if math.IsNaN(special) || math.IsInf(special, 0) || special == 0 {
		// The product is exact in double precision and finite for finite
		// factors, so a zero sum is exact, with the sign that IEEE 754 gives.
		return float32(float64(p*q) + r)
	}
	// The product is exact, so that the sum has one rounding.
	return round32(float64(p*q)+r, func() *big.Float { return bigAdd(bigMul(toBig(x), toBig(y)), toBig(z)) })
}

// mix32 is x + (y-x)*a rounded once.
func mix32(x, y, a float32) float32 {
	p, q, r := float64(x), float64(y), float64(a)
	d := q - p
	fast := p + float64(d*r)
	slow := func() *big.Float { return bigAdd(toBig(x), bigMul(bigSub(toBig(y), toBig(x)), toBig(a))) }
	if math.Abs(fast) < math.Abs(p)*0x1p-8 { // cancelled
		f, _ := slow().Float32()
		return f
	}
	return round32(fast, slow)
}

// normalize32 is the vector v with length 1, each component rounded once.
func normalize32(v [3]float32) [3]float32 {
	a, b, c := float64(v[0]), float64(v[1]), float64(v[2])
	length := math.Sqrt(float64(a*a) + float64(b*b) + float64(c*c))
	if length == 0 {
		return v
	}
	var n [3]float32
	for i, x := range v {
		n[i] = round32(float64(x)/length, func() *big.Float {
			s := bigAdd(bigAdd(bigMul(toBig(v[0]), toBig(v[0])), bigMul(toBig(v[1]), toBig(v[1]))), bigMul(toBig(v[2]), toBig(v[2])))
			return bigQuo(toBig(x), new(big.Float).SetPrec(bigPrec).Sqrt(s))
		})
	}
	return n
}

func toBig(x float32) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(float64(x)) }
func bigInt(n int64) *big.Float  { return new(big.Float).SetPrec(bigPrec).SetInt64(n) }

func bigAdd(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Add(a, b) }
func bigSub(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Sub(a, b) }
func bigMul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Mul(a, b) }
func bigQuo(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Quo(a, b) }

// negligible says that adding term to sum changes nothing any more.
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-bigPrec
}

// bigRound is the integer nearest to x.
func bigRound(x *big.Float) *big.Int {
	half := big.NewFloat(0.5)
	if x.Sign() < 0 {
		half.Neg(half)
	}
	n, _ := bigAdd(x, half).Int(nil)
	return n
}

// bigArctanInverse is atan(1/n) by its series.
func bigArctanInverse(n int64) *big.Float {
	power := bigQuo(bigInt(1), bigInt(n))
	square := bigInt(n * n)
	sum := new(big.Float).Copy(power)
	for k := int64(1); ; k++ {
		power = bigQuo(power, square)
		term := bigQuo(power, bigInt(2*k+1))
		if negligible(term, sum) {
			return sum
		}
		if k%2 == 1 {
			sum = bigSub(sum, term)
		} else {
			sum = bigAdd(sum, term)
		}
	}
}

// bigPi is π, after Machin.
func bigPi() *big.Float {
	return bigSub(bigMul(bigInt(16), bigArctanInverse(5)), bigMul(bigInt(4), bigArctanInverse(239)))
}

// bigLn2 is the natural logarithm of 2.
func bigLn2() *big.Float { return bigMul(bigInt(2), bigAtanh(bigQuo(bigInt(1), bigInt(3)))) }

// bigAtanh is the inverse hyperbolic tangent, by its series, for |x| below 1/2.
func bigAtanh(x *big.Float) *big.Float {
	square := bigMul(x, x)
	power, sum := x, x
	for k := int64(3); ; k += 2 {
		power = bigMul(power, square)
		term := bigQuo(power, bigInt(k))
		if negligible(term, sum) {
			return sum
		}
		sum = bigAdd(sum, term)
	}
}

// bigLog is the natural logarithm of x > 0.
func bigLog(x *big.Float) *big.Float {
	m := new(big.Float).SetPrec(bigPrec)
	e := x.MantExp(m)
	if m.Cmp(big.NewFloat(0.7)) < 0 {
		m = bigMul(m, bigInt(2))
		e--
	}
	y := bigQuo(bigSub(m, bigInt(1)), bigAdd(m, bigInt(1)))
	log := bigInt(0)
	if y.Sign() != 0 {
		log = bigMul(bigInt(2), bigAtanh(y))
	}
	return bigAdd(log, bigMul(bigInt(int64(e)), bigLn2()))
}

// bigExp is the exponential function.
func bigExp(x *big.Float) *big.Float {
	ln2 := bigLn2()
	k := bigRound(bigQuo(x, ln2))
	r := bigSub(x, bigMul(new(big.Float).SetPrec(bigPrec).SetInt(k), ln2))
	sum, term := bigInt(1), bigInt(1)
	for n := int64(1); ; n++ {
		term = bigQuo(bigMul(term, r), bigInt(n))
		if negligible(term, sum) {
			break
		}
		sum = bigAdd(sum, term)
	}
	return sum.SetMantExp(sum, int(k.Int64()))
}

// bigSinCos is the sine and the cosine.
func bigSinCos(x *big.Float) (sin, cos *big.Float) {
	half := bigQuo(bigPi(), bigInt(2))
	k := bigRound(bigQuo(x, half))
	r := bigSub(x, bigMul(new(big.Float).SetPrec(bigPrec).SetInt(k), half))
	sin, cos = bigInt(0), bigInt(0)
	term := bigInt(1)
	for n := int64(0); ; n++ {
		if n > 0 {
			term = bigQuo(bigMul(term, r), bigInt(n))
		}
		if term.Sign() == 0 || n > 4 && negligible(term, sin) {
			break
		}
		switch n & 3 {
		case 0:
			cos = bigAdd(cos, term)
		case 1:
			sin = bigAdd(sin, term)
		case 2:
			cos = bigSub(cos, term)
		case 3:
			sin = bigSub(sin, term)
		}
	}
	switch new(big.Int).And(k, big.NewInt(3)).Int64() {
	case 1:
		return cos, sin.Neg(sin)
	case 2:
		return sin.Neg(sin), cos.Neg(cos)
	case 3:
		return cos.Neg(cos), sin
	}
	return sin, cos
}

// bigAtan is the arc tangent.
func bigAtan(x *big.Float) *big.Float {
	// tan(a/2) = x / (1 + sqrt(1 + x²)): eight halvings make the series short.
	const halvings = 8
	for range halvings {
		root := new(big.Float).SetPrec(bigPrec).Sqrt(bigAdd(bigInt(1), bigMul(x, x)))
		x = bigQuo(x, bigAdd(bigInt(1), root))
	}
	square := bigMul(x, x)
	power, sum := x, x
	for k := int64(1); ; k++ {
		power = bigMul(power, square)
		term := bigQuo(power, bigInt(2*k+1))
		if negligible(term, sum) {
			break
		}
		if k%2 == 1 {
			sum = bigSub(sum, term)
		} else {
			sum = bigAdd(sum, term)
		}
	}
	return bigMul(sum, bigInt(1<<halvings))
}

// bigAsin is the arc sine of |x| <= 1.
func bigAsin(x *big.Float) *big.Float {
	d := bigMul(bigAdd(bigInt(1), x), bigSub(bigInt(1), x))
	if d.Sign() == 0 {
		half := bigQuo(bigPi(), bigInt(2))
		if x.Sign() < 0 {
			half.Neg(half)
		}
		return half
	}
	return bigAtan(bigQuo(x, new(big.Float).SetPrec(bigPrec).Sqrt(d)))
}

// sqrt32 is the square root, correctly rounded: the double precision root of a
// single precision number is never near enough to a tie to round twice.
func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// lowQuotient is the low bits of (x - remainder) / y, which is an integer, with
// its sign.
func lowQuotient(x, y, remainder float64) int32 {
	exact := func(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }
	q := new(big.Rat).Sub(exact(x), exact(remainder))
	q.Quo(q, exact(y))
	n := new(big.Int).Abs(q.Num())
	low := int32(n.And(n, big.NewInt(127)).Int64())
	if q.Sign() < 0 {
		return -low
	}
	return low
}
