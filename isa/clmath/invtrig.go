package clmath

import "math"

// atanPoly returns atan(t) for |t| <= 2^-6, to 2^-52.
func atanPoly(t float64) float64 {
	z := float64(t * t)
	p := 1.0/7 - float64(z*(1.0/9))
	p = 1.0/5 - float64(z*p)
	p = 1.0/3 - float64(z*p)
	return t - float64(float64(t*z)*p)
}

// angleCore returns atan(y/x) for positive y and x, to about 2^-49. Neither
// y*64 nor x/y may overflow.
func angleCore(y, x float64) float64 {
	if y > x {
		return math.Pi/2 - octantCore(x, y)
	}
	return octantCore(y, x)
}

// octantCore is angleCore for y <= x.
func octantCore(y, x float64) float64 {
	i := int(float64(y/x*64) + 0.5)
	if i == 0 {
		return atanPoly(y / x)
	}
	c := float64(i) * (1.0 / 64)
	t := (y - float64(c*x)) / (x + float64(c*y))
	return atanTab[i].hi + atanPoly(t)
}

// atanSmall returns atan(t) for |t| <= 2^-6.
func atanSmall(t dd) dd {
	z := t.sqr()
	x := z.hi
	p := invInt[15].hi - float64(x*invInt[17].hi)
	p = invInt[13].hi - float64(x*p)
	p = invInt[11].hi - float64(x*p)
	p = invInt[9].hi - float64(x*p)
	s := invInt[7].addF(-float64(x * p))
	s = invInt[5].sub(s.mul(z))
	s = invInt[3].sub(s.mul(z))
	return t.sub(s.mul(z).mul(t))
}

// angleDD returns atan(y/x) for y >= 0 and x >= 0, not both zero.
func angleDD(y, x dd) dd {
	if y.hi > x.hi {
		return ddPiHalf.sub(octantDD(x, y))
	}
	return octantDD(y, x)
}

func octantDD(y, x dd) dd {
	i := int(float64(y.hi/x.hi*64) + 0.5)
	if i == 0 {
		return atanSmall(y.div(x))
	}
	c := float64(i) / 64
	t := y.sub(x.mulF(c)).div(x.add(y.mulF(c)))
	return atanTab[i].add(atanSmall(t))
}

// signed returns y, or its negative if x has its sign bit set.
func signed(y float64, x float64) float64 {
	if math.Signbit(x) {
		return -y
	}
	return y
}

// Atan32 returns the arc tangent of x in radians.
func Atan32(x float32) float32 {
	xd := math.Abs(float64(x))
	switch {
	case x != x:
		return nan32
	case xd < tinyTrig:
		return x
	case xd > 0x1p30:
		xd = 0x1p30 // pi/2 minus 2^-30 rounds as pi/2 does
	}
	y := angleCore(xd, 1)
	if !settled(y) {
		y = angleDD(ddFrom(xd), ddFrom(1)).odd()
	}
	return float32(signed(y, float64(x)))
}

// Atan64 returns the arc tangent of x in radians.
func Atan64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64
	case a < 0x1p-28:
		return x
	case a > 0x1p60:
		a = 0x1p60
	}
	return signed(angleDD(ddFrom(a), ddFrom(1)).hi, x)
}

// AtanPi32 returns atan(x)/pi.
func AtanPi32(x float32) float32 {
	xd := math.Abs(float64(x))
	switch {
	case x != x:
		return nan32
	case xd > 0x1p30:
		xd = 0x1p30 // 1/2 minus 2^-31 rounds to 1/2
	case xd == 0:
		return x
	}
	y := float64(angleCore(xd, 1) * (1 / math.Pi))
	if xd < 0x1p-120 && !settledTiny(y) || !settled(y) {
		y = angleDD(ddFrom(xd), ddFrom(1)).mul(ddInvPi).odd()
	}
	return float32(signed(y, float64(x)))
}

// AtanPi64 returns atan(x)/pi.
func AtanPi64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64
	case a > 0x1p60:
		a = 0x1p60
	case a < 0x1p-300:
		return mulTiny64(x, ddInvPi)
	}
	return signed(angleDD(ddFrom(a), ddFrom(1)).mul(ddInvPi).hi, x)
}

// mulTiny64 returns x*c rounded to double, for a small x of any size and a
// c of about one.
func mulTiny64(x float64, c dd) float64 {
	if x == 0 {
		return x
	}
	return c.mulF(x * 0x1p200).ldexp(-200)
}

// Asin32 returns the arc sine of x in radians.
func Asin32(x float32) float32 {
	xd := math.Abs(float64(x))
	switch {
	case !(xd <= 1):
		return nan32
	case xd < tinyTrig:
		return x
	}
	y := angleCore(xd, math.Sqrt(float64((1-xd)*(1+xd))))
	if !settled(y) {
		y = asinDD(xd).odd()
	}
	return float32(signed(y, float64(x)))
}

// otherLeg returns sqrt(1-x*x) for |x| <= 1.
func otherLeg(x float64) dd {
	p, q := twoProd(x, x)
	return ddFrom(1).sub(dd{p, q}).sqrt()
}

// asinDD returns asin(x) for 0 <= x <= 1.
func asinDD(x float64) dd { return angleDD(ddFrom(x), otherLeg(x)) }

// acosDD returns acos(x) for |x| <= 1.
func acosDD(x float64) dd {
	a := angleDD(otherLeg(x), ddFrom(math.Abs(x)))
	if x < 0 {
		return ddPi.sub(a)
	}
	return a
}

// acosCore returns acos(x) for |x| < 1.
func acosCore(x float64) float64 {
	a := angleCore(math.Sqrt(float64((1-x)*(1+x))), math.Abs(x))
	if x < 0 {
		return math.Pi - a
	}
	return a
}

// Asin64 returns the arc sine of x in radians.
func Asin64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return nan64
	case a < 0x1p-28:
		return x
	}
	return signed(asinDD(a).hi, x)
}

// AsinPi32 returns asin(x)/pi.
func AsinPi32(x float32) float32 {
	xd := math.Abs(float64(x))
	switch {
	case !(xd <= 1):
		return nan32
	case xd == 0:
		return x
	}
	y := float64(angleCore(xd, math.Sqrt(float64((1-xd)*(1+xd)))) * (1 / math.Pi))
	if xd < 0x1p-120 && !settledTiny(y) || !settled(y) {
		y = asinDD(xd).mul(ddInvPi).odd()
	}
	return float32(signed(y, float64(x)))
}

// AsinPi64 returns asin(x)/pi.
func AsinPi64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return nan64
	case a < 0x1p-300:
		return mulTiny64(x, ddInvPi)
	}
	return signed(asinDD(a).mul(ddInvPi).hi, x)
}

// Acos32 returns the arc cosine of x in radians.
func Acos32(x float32) float32 {
	xd := float64(x)
	switch {
	case !(xd <= 1 && xd >= -1):
		return nan32
	case x == 1:
		return 0
	case xd < 0x1p-60 && xd > -0x1p-60:
		return math.Pi / 2
	}
	y := acosCore(xd)
	if settled(y) {
		return float32(y)
	}
	return acosDD(xd).round32()
}

// Acos64 returns the arc cosine of x in radians.
func Acos64(x float64) float64 {
	switch {
	case !(x <= 1 && x >= -1):
		return nan64
	case x == 1:
		return 0
	case x < 0x1p-100 && x > -0x1p-100:
		return math.Pi / 2
	}
	return acosDD(x).hi
}

// AcosPi32 returns acos(x)/pi.
func AcosPi32(x float32) float32 {
	xd := float64(x)
	switch {
	case !(xd <= 1 && xd >= -1):
		return nan32
	case x == 1:
		return 0
	case xd < 0x1p-60 && xd > -0x1p-60:
		return 0.5
	}
	y := float64(acosCore(xd) * (1 / math.Pi))
	if settled(y) {
		return float32(y)
	}
	return acosDD(xd).mul(ddInvPi).round32()
}

// AcosPi64 returns acos(x)/pi.
func AcosPi64(x float64) float64 {
	switch {
	case !(x <= 1 && x >= -1):
		return nan64
	case x == 1:
		return 0
	case x < 0x1p-100 && x > -0x1p-100:
		return 0.5
	}
	return acosDD(x).mul(ddInvPi).hi
}
