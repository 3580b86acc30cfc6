package clmath

import "math"

// dd is an unevaluated sum hi+lo of two doubles with |lo| at most half a unit
// in the last place of hi: about 106 bits. The operations below have relative
// errors of a few units of 2^-104, provided that nothing overflows and that
// products stay above 2^-960, which their callers see to.
type dd struct{ hi, lo float64 }

// twoSum returns a+b and its rounding error, exactly.
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	t := s - a
	return s, (a - (s - t)) + (b - t)
}

// fastTwoSum is twoSum for |a| >= |b| or a == 0.
func fastTwoSum(a, b float64) (s, e float64) {
	s = a + b
	return s, b - (s - a)
}

// twoProd returns a*b and its rounding error, exactly.
func twoProd(a, b float64) (p, e float64) {
	p = float64(a * b)
	return p, math.FMA(a, b, -p)
}

func ddFrom(x float64) dd { return dd{x, 0} }

func (a dd) neg() dd { return dd{-a.hi, -a.lo} }

func (a dd) abs() dd {
	if a.hi < 0 {
		return a.neg()
	}
	return a
}

func (a dd) add(b dd) dd {
	s, e := twoSum(a.hi, b.hi)
	t, f := twoSum(a.lo, b.lo)
	e += t
	s, e = fastTwoSum(s, e)
	e += f
	s, e = fastTwoSum(s, e)
	return dd{s, e}
}

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

func (a dd) addF(b float64) dd {
	s, e := twoSum(a.hi, b)
	e += a.lo
	s, e = fastTwoSum(s, e)
	return dd{s, e}
}

func (a dd) mul(b dd) dd {
	p, e := twoProd(a.hi, b.hi)
	e += float64(a.hi*b.lo) + float64(a.lo*b.hi)
	p, e = fastTwoSum(p, e)
	return dd{p, e}
}

func (a dd) mulF(b float64) dd {
	p, e := twoProd(a.hi, b)
	e += float64(a.lo * b)
	p, e = fastTwoSum(p, e)
	return dd{p, e}
}

func (a dd) sqr() dd {
	p, e := twoProd(a.hi, a.hi)
	e += float64(2 * float64(a.hi*a.lo))
	p, e = fastTwoSum(p, e)
	return dd{p, e}
}

func (a dd) div(b dd) dd {
	q1 := a.hi / b.hi
	r := a.sub(b.mulF(q1))
	q2 := r.hi / b.hi
	r = r.sub(b.mulF(q2))
	q3 := r.hi / b.hi
	q1, q2 = fastTwoSum(q1, q2)
	return dd{q1, q2}.addF(q3)
}

// sqrt returns the square root of a >= 0.
func (a dd) sqrt() dd {
	if a.hi == 0 {
		return dd{}
	}
	s := math.Sqrt(a.hi)
	p, e := twoProd(s, s)
	r := a.sub(dd{p, e})
	s, e = fastTwoSum(s, r.hi/(2*s))
	return dd{s, e}
}

// scale multiplies by a power of two.
func (a dd) scale(f float64) dd { return dd{a.hi * f, a.lo * f} }

// pow2 returns 2^k for a k that a normal double can hold.
func pow2(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// odd rounds a to the double nearest to it whose last bit is odd, or to a.hi
// if that is exact. Rounding the result to a type with at least two bits less
// gives what rounding a itself would: no middle of two neighbours is ever hit
// by accident.
func (a dd) odd() float64 {
	if a.lo == 0 || math.IsInf(a.hi, 0) {
		return a.hi
	}
	b := math.Float64bits(a.hi)
	if b&1 != 0 {
		return a.hi
	}
	if (a.lo > 0) == (a.hi > 0) {
		b++
	} else {
		b--
	}
	return math.Float64frombits(b)
}

// round32 rounds a once to single precision, denormals included.
func (a dd) round32() float32 { return float32(a.odd()) }

// ldexp returns a*2^k rounded once to double, for |k| < 2000.
func (a dd) ldexp(k int) float64 {
	if k > 0 {
		return a.hi * pow2(k/2) * pow2(k-k/2)
	}
	// The result may be denormal: count its units of 2^-1074.
	y := math.Abs(a.hi) * pow2(k/2+500) * pow2(k-k/2+574)
	if y >= 0x1p53 {
		return a.hi * pow2(k/2) * pow2(k-k/2)
	}
	n := math.RoundToEven(y)
	if d := y - n; math.Abs(d) == 0.5 && a.lo != 0 && ((a.lo > 0) == (a.hi > 0)) == (d > 0) {
		n += 2 * d
	}
	return math.Copysign(math.Float64frombits(uint64(n)), a.hi)
}
