package clmath

import "math"

// piecePoly evaluates a piece of a table to about 2^-45, with its first eleven
// coefficients. Even and odd powers go apart to shorten the chain.
func piecePoly(c *[16]float64, h float64) float64 {
	z := float64(h * h)
	a := c[8] + float64(z*c[10])
	b := c[7] + float64(z*c[9])
	a = c[6] + float64(z*a)
	b = c[5] + float64(z*b)
	a = c[4] + float64(z*a)
	b = c[3] + float64(z*b)
	a = c[2] + float64(z*a)
	b = c[1] + float64(z*b)
	a = c[0] + float64(z*a)
	return a + float64(h*b)
}

// piecePair evaluates a piece of a table with its first three coefficients in
// pairs, to about 2^-64.
func piecePair(c *[16]float64, h float64) dd {
	p := c[12]
	for i := 11; i >= 3; i-- {
		p = c[i] + float64(h*p)
	}
	s := dd{c[2], c[15]}.addF(float64(h * p))
	s = dd{c[1], c[14]}.add(s.mulF(h))
	return dd{c[0], c[13]}.add(s.mulF(h))
}

// ErrorPieces returns the tables of erf and erfc, one list for each coefficient, with the pieces one after the
// other: those of erf(x)/x on [0, 6) and of exp(x*x) erfc(x) on [0, 4), in pieces of 1/8, and of the latter on
// [4, 28), in pieces of 1/2. The first 13 lists are the coefficients of powers of the distance from a piece's
// middle, the last three what the first three of them lack.
func ErrorPieces() (lists [16][]float64) {
	for _, table := range [...][][16]float64{erfTab[:], erfcxTab[:], erfcxFarTab[:]} {
		for i := range table {
			for c := range lists {
				lists[c] = append(lists[c], table[i][c])
			}
		}
	}
	return lists
}

// erfCore returns erf(a) for 0 <= a < 6, to about 2^-45.
func erfCore(a float64) float64 {
	i := int(a * 8)
	return float64(a * piecePoly(&erfTab[i], a-(float64(i)+0.5)/8))
}

// erfcxPiece returns the piece for exp(a*a)*erfc(a), 0 <= a < 28, and the
// offset of a in it.
func erfcxPiece(a float64) (*[16]float64, float64) {
	if a < 4 {
		i := int(a * 8)
		return &erfcxTab[i], a - (float64(i)+0.5)/8
	}
	i := int(2 * (a - 4))
	return &erfcxFarTab[i], (a - 4) - (float64(i)+0.5)/2
}

// erfSeries returns erf(a) for 0 <= a < 3 by the series
// 2/sqrt(pi) exp(-a*a) sum 2^n a^(2n+1)/(1*3*...*(2n+1)).
func erfSeries(a float64) dd {
	a2 := ddFrom(a).sqr()
	two := a2.scale(2)
	sum, term := ddFrom(a), ddFrom(a)
	for k := 3.0; term.hi > sum.hi*0x1p-108; k += 2 {
		term = term.mul(two).div(ddFrom(k))
		sum = sum.add(term)
	}
	return sum.mul(expDD(a2.neg())).mul(ddTwoInvSqrtPi)
}

// erfcDD returns erfc(a) for a >= 0 below 20.
func erfcDD(a float64) dd {
	if a < 2 {
		return ddFrom(1).sub(erfSeries(a))
	}
	// The continued fraction a + 1/2/(a + 2/2/(a + 3/2/(a + ...))) converges
	// like exp(-2a sqrt(2n)).
	f := ddFrom(a)
	for k := 190; k > 0; k-- {
		f = ddFrom(float64(k) / 2).div(f).addF(a)
	}
	return expDD(ddFrom(a).sqr().neg()).mul(ddInvSqrtPi).div(f)
}

// Erf32 returns the error function of x.
func Erf32(x float32) float32 {
	a := math.Abs(float64(x))
	switch {
	case x != x:
		return nan32
	case a > 4:
		return float32(signed(1, float64(x)))
	}
	y := erfCore(a)
	if !(y >= tiny32 && settled(y)) && !settledTiny(y) {
		if a < 3 {
			y = erfSeries(a).odd()
		} else {
			y = ddFrom(1).sub(erfcDD(a)).odd()
		}
	}
	return float32(signed(y, float64(x)))
}

// Erfc32 returns 1-erf(x).
func Erfc32(x float32) float32 {
	xd := float64(x)
	switch {
	case x != x:
		return nan32
	case x > 10.25:
		return 0
	case x < -4:
		return 2
	}
	if x < 0 {
		if y := 1 + erfCore(-xd); settled(y) {
			return float32(y)
		}
		return ddFrom(2).sub(erfcDD(-xd)).round32()
	}
	c, h := erfcxPiece(xd)
	y := float64(expCore(-float64(xd*xd)) * piecePoly(c, h))
	if (y >= tiny32 && settled(y)) || settledTiny(y) {
		return float32(y)
	}
	return erfcDD(xd).round32()
}

// Erf64 returns the error function of x.
func Erf64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64
	case a > 5.95:
		return signed(1, x)
	case a < 0x1p-28:
		return mulTiny64(x, ddTwoInvSqrtPi)
	}
	i := int(a * 8)
	y := piecePair(&erfTab[i], a-(float64(i)+0.5)/8).mulF(a)
	return signed(y.hi, x)
}

// Erfc64 returns 1-erf(x).
func Erfc64(x float64) float64 {
	switch {
	case x != x:
		return nan64
	case x > 27.5:
		return 0
	case x < -5.95:
		return 2
	case x < 0.5:
		a := math.Abs(x)
		i := int(a * 8)
		return piecePair(&erfTab[i], a-(float64(i)+0.5)/8).mulF(-x).addF(1).hi
	}
	c, h := erfcxPiece(x)
	m, k := expParts(ddFrom(x).sqr().neg())
	return m.mul(piecePair(c, h)).ldexp(k)
}
