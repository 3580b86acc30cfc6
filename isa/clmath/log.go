package clmath

import "math"

// logEntry is one interval of the table of logarithms: c approximates the
// inverse of its middle, negLog + negLogLo is -log(c).
type logEntry struct{ c, negLog, negLogLo float64 }

// logOff is where the first interval starts: 0.6875. Mantissas are taken from
// [0.6875, 1.375), so that arguments near one have a zero exponent and, as c
// is one next to one, a logarithm without cancellation.
const logOff = 0x3fe6000000000000

// logReduce splits a positive normal x into 2^e*m and picks the interval of m.
func logReduce(x float64) (e int, m float64, t *logEntry) {
	b := math.Float64bits(x)
	d := b - logOff
	e = int(int64(d) >> 52)
	return e, math.Float64frombits(b - d&(0xfff<<52)), &logTab[d>>45&127]
}

// log1pPoly returns log(1+r) for |r| < 2^-7, to 2^-52.
func log1pPoly(r float64) float64 {
	r2 := float64(r * r)
	p := float64(r2*(1.0/7)) + (1.0/5 - float64(r*(1.0/6)))
	p = float64(r2*p) + (1.0/3 - float64(r*(1.0/4)))
	return r + float64(r2*(float64(r*p)-0.5))
}

// logCore returns log(x) for positive normal x, to about 2^-50 if x has at
// most 40 significant bits, and to 2^-43 otherwise.
func logCore(x float64) float64 {
	e, m, t := logReduce(x)
	r := float64(m*t.c) - 1
	return (float64(float64(e)*math.Ln2) + t.negLog) + log1pPoly(r)
}

// log1pCore returns log(1+x) for x > -1, to about 2^-45.
func log1pCore(x float64) float64 {
	if x < 0x1p-6 && x > -0x1p-6 {
		s := x / (2 + x)
		s2 := float64(s * s)
		p := 1.0/7 + float64(s2*(1.0/9))
		p = 1.0/5 + float64(s2*p)
		p = 1.0/3 + float64(s2*p)
		return 2 * (s + float64(s*float64(s2*p)))
	}
	return logCore(1 + x)
}

// log1pSmall returns log(1+r) for |r| < 2^-6.
func log1pSmall(r dd) dd {
	x := r.hi
	p := invInt[16].hi
	for i := 15; i >= 8; i-- {
		p = invInt[i].hi - float64(x*p)
	}
	s := invInt[7].addF(-float64(x * p))
	for i := 6; i >= 1; i-- {
		s = invInt[i].sub(s.mul(r))
	}
	return s.mul(r)
}

// logParts returns e and l with log(a) = e*log(2) + l, for a positive normal.
func logParts(a dd) (e int, l dd) {
	e, m, t := logReduce(a.hi)
	p, q := twoProd(m, t.c)
	lo := a.lo
	if lo != 0 {
		lo = float64(float64(lo*(m/a.hi)) * t.c) // a power of two times c
	}
	s, f := twoSum(p-1, q)
	s, f = fastTwoSum(s, f+lo)
	return e, dd{t.negLog, t.negLogLo}.add(log1pSmall(dd{s, f}))
}

// logDD returns log(a) for a positive normal.
func logDD(a dd) dd {
	e, l := logParts(a)
	ef := float64(e)
	return l.add(ln2Tail.mulF(ef)).addF(float64(ef * ln2Head))
}

// log1pDD returns log(1+a) for a > -1, with a small relative error everywhere.
func log1pDD(a dd) dd {
	if math.Abs(a.hi) < 0x1p-7 {
		return log1pSmall(a)
	}
	return logDD(a.addF(1))
}

// normal64 scales a positive x by 2^-k to make it a normal number.
func normal64(x float64) (y float64, k int) {
	if x < 0x1p-1022 {
		return x * 0x1p64, -64
	}
	return x, 0
}

// log64 returns the logarithm of a positive finite x as e*log(2) + l.
func log64(x float64) (e int, l dd) {
	y, k := normal64(x)
	e, l = logParts(ddFrom(y))
	return e + k, l
}

// logEdge32 handles what is not positive and finite.
func logEdge32(x float32) float32 {
	switch {
	case x == 0:
		return -inf32
	case x > 0:
		return x
	}
	return nan32
}

func logEdge64(x float64) float64 {
	switch {
	case x == 0:
		return -inf64
	case x > 0:
		return x
	}
	return nan64
}

// Log32 returns the natural logarithm of x.
func Log32(x float32) float32 {
	if !(x > 0 && x < inf32) {
		return logEdge32(x)
	}
	y := logCore(float64(x))
	if settled(y) {
		return float32(y)
	}
	return logDD(ddFrom(float64(x))).round32()
}

// Log64 returns the natural logarithm of x.
func Log64(x float64) float64 {
	if !(x > 0 && x < inf64) {
		return logEdge64(x)
	}
	hi, lo := log64Quick(x)
	if y, ok := rounded64(hi, lo, math.Abs(hi)*0x1p-63); ok {
		return y
	}
	e, l := log64(x)
	ef := float64(e)
	return l.add(ln2Tail.mulF(ef)).addF(float64(ef * ln2Head)).hi
}

// Log2_32 returns the logarithm of x to the base 2.
func Log2_32(x float32) float32 {
	if !(x > 0 && x < inf32) {
		return logEdge32(x)
	}
	e, m, t := logReduce(float64(x))
	r := float64(m*t.c) - 1
	y := float64(e) + float64((t.negLog+log1pPoly(r))*math.Log2E)
	if settled(y) {
		return float32(y)
	}
	f, l := logParts(ddFrom(float64(x)))
	return l.mul(ddLog2E).addF(float64(f)).round32()
}

// Log2_64 returns the logarithm of x to the base 2.
func Log2_64(x float64) float64 {
	if !(x > 0 && x < inf64) {
		return logEdge64(x)
	}
	hi, lo := log64Quick(x)
	b := dd{hi, lo}.mul(ddLog2E)
	if y, ok := rounded64(b.hi, b.lo, math.Abs(b.hi)*0x1p-63); ok {
		return y
	}
	e, l := log64(x)
	return l.mul(ddLog2E).addF(float64(e)).hi
}

// Log10_32 returns the logarithm of x to the base 10.
func Log10_32(x float32) float32 {
	if !(x > 0 && x < inf32) {
		return logEdge32(x)
	}
	y := float64(logCore(float64(x)) * math.Log10E)
	if settled(y) {
		return float32(y)
	}
	return logDD(ddFrom(float64(x))).mul(ddLog10E).round32()
}

// Log10_64 returns the logarithm of x to the base 10.
func Log10_64(x float64) float64 {
	if !(x > 0 && x < inf64) {
		return logEdge64(x)
	}
	hi, lo := log64Quick(x)
	b := dd{hi, lo}.mul(ddLog10E)
	if y, ok := rounded64(b.hi, b.lo, math.Abs(b.hi)*0x1p-63); ok {
		return y
	}
	e, l := log64(x)
	ef := float64(e)
	return l.add(ln2Tail.mulF(ef)).addF(float64(ef * ln2Head)).mul(ddLog10E).hi
}

// Log1p32 returns log(1+x).
func Log1p32(x float32) float32 {
	if !(x > -1 && x < inf32) {
		if x == -1 {
			return -inf32
		}
		return logEdge32(x)
	}
	xd := float64(x)
	if xd < 0x1p-27 && xd > -0x1p-27 {
		return x // the next term, x*x/2, is below half of the last bit
	}
	y := log1pCore(xd)
	if settled(y) {
		return float32(y)
	}
	return log1pDD(ddFrom(xd)).round32()
}

// Log1p64 returns log(1+x).
func Log1p64(x float64) float64 {
	if !(x > -1 && x < inf64) {
		if x == -1 {
			return -inf64
		}
		return logEdge64(x)
	}
	if x < 0x1p-60 && x > -0x1p-60 {
		return x
	}
	return log1pDD(ddFrom(x)).hi
}

// Ilogb32 returns the binary exponent of x; math.MinInt32 for zero and
// math.MaxInt32 for infinities and NaN (FP_ILOGB0 and FP_ILOGBNAN of OpenCL C
// section 6.15.2).
func Ilogb32(x float32) int32 { return Ilogb64(float64(x)) }

// Ilogb64 returns the binary exponent of x, as Ilogb32 does.
func Ilogb64(x float64) int32 {
	switch {
	case x == 0:
		return math.MinInt32
	case x != x, math.IsInf(x, 0):
		return math.MaxInt32
	}
	y, k := normal64(math.Abs(x))
	return int32(int(math.Float64bits(y)>>52) - 1023 + k)
}

// Logb32 returns the binary exponent of x as a floating-point value.
func Logb32(x float32) float32 {
	switch {
	case x == 0:
		return -inf32
	case x != x:
		return nan32
	case math.IsInf(float64(x), 0):
		return inf32
	}
	return float32(Ilogb64(float64(x)))
}

// Logb64 returns the binary exponent of x as a floating-point value.
func Logb64(x float64) float64 {
	switch {
	case x == 0:
		return -inf64
	case x != x:
		return nan64
	case math.IsInf(x, 0):
		return inf64
	}
	return float64(Ilogb64(x))
}
