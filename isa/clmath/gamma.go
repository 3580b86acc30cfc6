package clmath

import "math"

// gammaCore returns gamma(x) for finite |x| < 60 that is no pole, to about
// 2^-45.
func gammaCore(x float64) float64 {
	p, y := 1.0, x
	for y >= 2 {
		y--
		p = float64(p * y)
	}
	q := 1.0
	for y < 1 {
		q = float64(q * y)
		y++
	}
	i := min(int((y-1)*16), 15)
	c := &gammaTab[i]
	h := y - (1 + (float64(i)+0.5)/16)
	z := float64(h * h)
	a := c[6] + float64(z*c[8])
	b := c[7] + float64(z*c[9])
	a = c[4] + float64(z*a)
	b = c[5] + float64(z*b)
	a = c[2] + float64(z*a)
	b = c[3] + float64(z*b)
	a = c[0] + float64(z*a)
	b = c[1] + float64(z*b)
	return float64(p*(a+float64(h*b))) / q
}

// lgammaSeries returns log gamma(2+z) for |z| <= 1/2 by the series
// z (1-euler) + sum (-1)^k (zeta(k)-1)/k z^k.
func lgammaSeries(z dd) dd {
	x := z.hi
	n := len(zetaTab) - 1
	p := zetaTab[n].hi
	for n--; n >= 26; n-- {
		p = zetaTab[n].hi + float64(x*p)
	}
	s := zetaTab[25].addF(float64(x * p))
	for i := 24; i >= 0; i-- {
		s = s.mul(z).add(zetaTab[i])
	}
	return s.mul(z).add(ddOneMinusEuler).mul(z)
}

// stirlingDD returns log gamma(x) for x >= 24 by its asymptotic series.
func stirlingDD(x dd) dd {
	inv := ddFrom(1).div(x)
	z := inv.sqr()
	zh := z.hi
	p := stirlingTab[19].hi
	for i := 18; i >= 7; i-- {
		p = stirlingTab[i].hi + float64(zh*p)
	}
	s := stirlingTab[6].addF(float64(zh * p))
	for i := 5; i >= 0; i-- {
		s = s.mul(z).add(stirlingTab[i])
	}
	l := logDD(x)
	return l.addF(-1).mul(x).sub(l.scale(0.5)).add(ddHalfLog2Pi).add(s.mul(inv))
}

// lgammaDD returns log gamma(x) for normal x > 0.
func lgammaDD(x float64) dd {
	switch {
	case x >= 24:
		return stirlingDD(ddFrom(x))
	case x < 0.5:
		return lgammaSeries(ddFrom(x)).sub(log1pDD(ddFrom(x))).sub(logDD(ddFrom(x)))
	case x < 1.5:
		z := ddFrom(x - 1)
		return lgammaSeries(z).sub(log1pDD(z))
	}
	p, y := ddFrom(1), x
	for y >= 2.5 {
		y--
		p = p.mulF(y)
	}
	l := lgammaSeries(ddFrom(y - 2))
	if x >= 2.5 {
		l = l.add(logDD(p))
	}
	return l
}

// lgammaNegDD returns log|gamma(-a)| for a > 0 that is no integer, by
// gamma(-a) = -pi/(a sin(pi a) gamma(a)).
func lgammaNegDD(a float64) dd {
	s, _ := sinCosPiDD(a)
	return logDD(ddPi.div(s.abs())).sub(logDD(ddFrom(a))).sub(lgammaDD(a))
}

// gammaDD returns gamma(x) for |x| < 60 that is no pole.
func gammaDD(x float64) dd {
	p, y := ddFrom(1), ddFrom(x)
	for y.hi >= 2.5 {
		y = y.addF(-1)
		p = p.mul(y)
	}
	q := ddFrom(1)
	for y.hi < 1.5 {
		q = q.mul(y)
		y = y.addF(1)
	}
	return expDD(lgammaSeries(y.addF(-2))).mul(p).div(q)
}

// gammaEdge handles the arguments of tgamma that are NaN, infinite, zero or
// negative integers.
func gammaEdge(x float64) (float64, bool) {
	switch {
	case x != x, math.IsInf(x, -1):
		return nan64, true
	case math.IsInf(x, 1):
		return x, true
	case x == 0:
		return 1 / x, true
	case x < 0 && x == math.Trunc(x):
		return nan64, true
	}
	return 0, false
}

// gammaSign returns the sign of gamma(x) for a finite x that is no pole.
func gammaSign(x float64) float64 {
	if x < 0 && parityOf(math.Floor(x)) == oddInteger {
		return -1
	}
	return 1
}

// Tgamma32 returns the gamma function of x.
func Tgamma32(x float32) float32 {
	xd := float64(x)
	if y, ok := gammaEdge(xd); ok {
		return float32(y)
	}
	switch {
	case xd > 36:
		return inf32
	case xd < -46:
		return float32(signed(0, gammaSign(xd)))
	}
	y := gammaCore(xd)
	if a := math.Abs(y); a >= tiny32 && settled(y) || settledTiny(y) {
		return float32(y)
	}
	return gammaDD(xd).round32()
}

// Tgamma64 returns the gamma function of x.
func Tgamma64(x float64) float64 {
	if y, ok := gammaEdge(x); ok {
		return y
	}
	switch {
	case x > 172:
		return inf64
	case x < -186:
		return signed(0, gammaSign(x))
	case x >= 24:
		return exp64(stirlingDD(ddFrom(x)))
	case x > -24:
		if a := math.Abs(x); a < 0x1p-200 {
			return 1 / x
		}
		return gammaDD(x).hi
	}
	// gamma(-a) = -pi/(a sin(pi a) gamma(a))
	s, _ := sinCosPiDD(x)
	m, k := expParts(stirlingDD(ddFrom(-x)).neg())
	return ddPi.div(s.mulF(x)).mul(m).neg().ldexp(k)
}

// lgammaPositive returns log gamma(x) for x > 0 and a bound on its absolute
// error.
func lgammaPositive(x float64) (y, err float64) {
	switch {
	case x >= 8:
		inv := 1 / x
		z := float64(inv * inv)
		p := 1.0/1188 - float64(z*(691.0/360360))
		p = 1.0/1680 - float64(z*p)
		p = 1.0/1260 - float64(z*p)
		p = 1.0/360 - float64(z*p)
		p = 1.0/12 - float64(z*p)
		l := logCore(x)
		y = float64((x-0.5)*l) - x + (0.91893853320467274178 + float64(inv*p))
		return y, float64(y * 0x1p-41)
	case x < 0.5:
		l := logCore(x)
		y = float64(x*lgammaFit(x)) - log1pCore(x) - l
	case x < 1.5:
		z := x - 1
		y = float64(z*lgammaFit(z)) - log1pCore(z)
	default:
		p := 1.0
		for x >= 2.5 {
			x--
			p = float64(p * x)
		}
		z := x - 2
		y = float64(z * lgammaFit(z))
		if p != 1 {
			y += logCore(p)
		}
	}
	return y, math.Abs(y) * 0x1p-40
}

// lgammaFit returns log gamma(2+z)/z for |z| <= 1/2.
func lgammaFit(z float64) float64 {
	w := float64(z * z)
	a, b := lgammaPoly[18], lgammaPoly[17]
	for i := 16; i >= 2; i -= 2 {
		a = lgammaPoly[i] + float64(w*a)
		b = lgammaPoly[i-1] + float64(w*b)
	}
	return lgammaPoly[0] + float64(w*a) + float64(z*b)
}

// Lgamma32 returns the logarithm of |gamma(x)|.
func Lgamma32(x float32) float32 {
	xd := float64(x)
	switch {
	case x != x:
		return nan32
	case xd > 0 && xd < inf64:
		y, err := lgammaPositive(xd)
		if settledAbs(y, err) {
			return float32(y)
		}
		return lgammaDD(xd).round32()
	case xd == math.Trunc(xd):
		return inf32
	}
	a := -xd
	l, err := lgammaPositive(a)
	n, r := halfTurns(a)
	s := math.Abs(sinCosQuadrant(float64(r*math.Pi), n))
	w := logCore(math.Pi/s) - logCore(a)
	y := w - l
	if settledAbs(y, err+(math.Abs(w)+1+math.Abs(math.Log2E*l))*0x1p-42) {
		return float32(y)
	}
	return lgammaNegDD(a).round32()
}

// Lgamma64 returns the logarithm of |gamma(x)|. Its error is below one unit in
// the last place except within about 2^-44 of a zero on the negative axis,
// where it is below 2^-96 absolute.
func Lgamma64(x float64) float64 {
	switch {
	case x != x:
		return nan64
	case x == inf64:
		return inf64
	case x > 0x1p1014:
		// Stirling's series would overflow on the way to a finite result.
		return float64(logDD(ddFrom(x)).addF(-1).hi*0.5*x) * 2
	case x > 0 && x < 0x1p-100, x < 0 && x > -0x1p-100:
		return -Log64(math.Abs(x))
	case x > 0:
		return lgammaDD(x).hi
	case x == math.Trunc(x):
		return inf64
	}
	return lgammaNegDD(-x).hi
}

// lgammaSign returns the sign that lgamma_r stores: that of gamma(x), with
// that of zero for zeros, and 1 where gamma has no sign.
func lgammaSign(x float64) int32 {
	switch {
	case x == 0 && math.Signbit(x):
		return -1
	case x < 0 && x != math.Trunc(x):
		return int32(gammaSign(x))
	}
	return 1
}

// LgammaR32 returns the logarithm of |gamma(x)| and the sign of gamma(x): -1
// for a negative zero, 1 at the other poles and for NaN.
func LgammaR32(x float32) (y float32, sign int32) {
	return Lgamma32(x), lgammaSign(float64(x))
}

// LgammaR64 returns the logarithm of |gamma(x)| and the sign of gamma(x) as
// LgammaR32 does.
func LgammaR64(x float64) (y float64, sign int32) { return Lgamma64(x), lgammaSign(x) }
