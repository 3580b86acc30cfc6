package clmath

import (
	"math"
	"math/bits"
)

// sinCosEntry holds the sine and the cosine of a multiple of 1/32.
type sinCosEntry struct{ sin, cos dd }

// sinPoly returns sin(r) for |r| <= pi/4, to 2^-51.
func sinPoly(r float64) float64 {
	z := float64(r * r)
	p := 1.0/6227020800 - float64(z*(1.0/1307674368000))
	p = 1.0/39916800 - float64(z*p)
	p = 1.0/362880 - float64(z*p)
	p = 1.0/5040 - float64(z*p)
	p = 1.0/120 - float64(z*p)
	p = 1.0/6 - float64(z*p)
	return r - float64(float64(r*z)*p)
}

// cosPoly returns cos(r) for |r| <= pi/4, to 2^-51.
func cosPoly(r float64) float64 {
	z := float64(r * r)
	p := 1.0/87178291200 - float64(z*(1.0/20922789888000))
	p = 1.0/479001600 - float64(z*p)
	p = 1.0/3628800 - float64(z*p)
	p = 1.0/40320 - float64(z*p)
	p = 1.0/720 - float64(z*p)
	p = 1.0/24 - float64(z*p)
	return 1 - float64(z*(0.5-float64(z*p)))
}

// sinCosQuadrant returns sin(r + n*pi/2).
func sinCosQuadrant(r float64, n int) float64 {
	var y float64
	if n&1 == 0 {
		y = sinPoly(r)
	} else {
		y = cosPoly(r)
	}
	if n&2 != 0 {
		return -y
	}
	return y
}

// trigReduce returns n and r with x = n*pi/2 + r, for a finite float32 x. The
// first two products and the first difference are exact and the rest of pi/2
// that is left out is below 2^-118, so that the relative error of r is about
// 2^-52 even for the float32 nearest to a multiple of pi/2 (about 2^-30).
func trigReduce(x float64) (n int, r float64) {
	if x < 0x1p19 && x > -0x1p19 {
		z := float64(x*(2/math.Pi)) + roundShift
		k := z - roundShift
		r = ((x - float64(k*piHalf1)) - float64(k*piHalf2)) - float64(k*piHalf3)
		return int(int32(math.Float64bits(z))), r
	}
	n, d := reducePiHalf(x)
	return n, d.hi
}

// reducePiHalf returns n modulo 4 and r with x = n*pi/2 + r and |r| <= pi/4,
// for any finite x. The error of r is below 2^-200 absolute and 2^-104
// relative.
func reducePiHalf(x float64) (n int, r dd) {
	if math.Abs(x) < 0.75 {
		return 0, ddFrom(x)
	}
	b := math.Float64bits(x)
	mant := b&(1<<52-1) | 1<<52
	// x = mant*2^e. The digits of 2/pi that matter start 2 bits before those
	// that mant*2^e turns into units of 4; 64 is the leading word of zeros.
	e := int(b>>52&0x7ff) - 1075
	pos := e - 2 + 64
	w, sh := pos>>6, uint(pos&63)
	var f [4]uint64 // 256 bits of 2/pi from pos, least significant word first
	for i := range f {
		j := w + 3 - i
		f[i] = twoByPi[j]<<sh | twoByPi[j+1]>>1>>(63-sh)
	}
	// p = mant*f modulo 2^256: two bits of quadrant, 254 of fraction.
	var p [4]uint64
	var carry uint64
	for i := range f {
		hi, lo := bits.Mul64(mant, f[i])
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	n = int(p[3] >> 62)
	p[3] &= 1<<62 - 1
	neg := false
	if p[3]>>61 != 0 {
		n++
		neg = true
		var c uint64
		p[0], c = bits.Sub64(0, p[0], 0)
		p[1], c = bits.Sub64(0, p[1], c)
		p[2], c = bits.Sub64(0, p[2], c)
		p[3], _ = bits.Sub64(1<<62, p[3], c)
	}
	r = fraction254(p).mul(ddPiHalf)
	if (x < 0) != neg {
		r = r.neg()
	}
	if x < 0 {
		n = -n
	}
	return n & 3, r
}

// fraction254 returns p*2^-254.
func fraction254(p [4]uint64) dd {
	exp := -62
	for p[3] == 0 && exp > -254 {
		p[3], p[2], p[1], p[0] = p[2], p[1], p[0], 0
		exp -= 64
	}
	if p[3] == 0 {
		return dd{}
	}
	lz := uint(bits.LeadingZeros64(p[3]))
	hi := p[3]<<lz | p[2]>>1>>(63-lz)
	lo := p[2]<<lz | p[1]>>1>>(63-lz)
	scale := pow2(exp - int(lz))
	h := float64(hi>>11) * 0x1p11
	l := float64(hi&(1<<11-1)) + float64(lo)*0x1p-64
	h, l = fastTwoSum(h, l)
	return dd{h * scale, l * scale}
}

// sinSmall returns sin(b) for |b| <= 1/32.
func sinSmall(b dd) dd {
	z := b.sqr()
	x := z.hi
	p := invFact[13].hi - float64(x*invFact[15].hi)
	p = invFact[11].hi - float64(x*p)
	p = invFact[9].hi - float64(x*p)
	s := invFact[7].addF(-float64(x * p))
	s = invFact[5].sub(s.mul(z))
	s = invFact[3].sub(s.mul(z))
	return b.sub(s.mul(z).mul(b))
}

// cosm1Small returns cos(b)-1 for |b| <= 1/32.
func cosm1Small(b dd) dd {
	z := b.sqr()
	x := z.hi
	p := invFact[14].hi - float64(x*invFact[16].hi)
	p = invFact[12].hi - float64(x*p)
	p = invFact[10].hi - float64(x*p)
	s := invFact[8].addF(-float64(x * p))
	s = invFact[6].sub(s.mul(z))
	s = invFact[4].sub(s.mul(z))
	s = invFact[2].sub(s.mul(z))
	return s.mul(z).neg()
}

// sinCosReduced returns the sine and cosine of r, |r| <= pi/4 or a little more.
func sinCosReduced(r dd) (sin, cos dd) {
	a := r.abs()
	i := int(math.RoundToEven(a.hi * 32))
	t := &sinCosTab[i]
	b := a.addF(-float64(i) / 32)
	s, c := sinSmall(b), cosm1Small(b)
	if i == 0 {
		sin, cos = s, c.addF(1)
	} else {
		sin = t.sin.add(t.sin.mul(c).add(t.cos.mul(s)))
		cos = t.cos.add(t.cos.mul(c).sub(t.sin.mul(s)))
	}
	if r.hi < 0 {
		sin = sin.neg()
	}
	return sin, cos
}

// turn returns the sine and cosine of an angle n quarters of a turn further.
func turn(s, c dd, n int) (sin, cos dd) {
	switch n & 3 {
	case 1:
		return c, s.neg()
	case 2:
		return s.neg(), c.neg()
	case 3:
		return c.neg(), s
	}
	return s, c
}

// sinCosDD returns the sine and cosine of a finite x.
func sinCosDD(x float64) (sin, cos dd) {
	n, r := reducePiHalf(x)
	s, c := sinCosReduced(r)
	return turn(s, c, n)
}

// finite32 tells zeros, denormals and normals from the rest.
func finite32(x float32) bool { return math.Float32bits(x)&0x7f800000 != 0x7f800000 }

func finite64(x float64) bool {
	return math.Float64bits(x)&0x7ff0000000000000 != 0x7ff0000000000000
}

// tinyTrig is the magnitude below which sin(x), tan(x) and the other odd
// functions with x + c*x^3, |c| <= 1/3, round to x in single precision.
const tinyTrig = 0x1p-13

// Sin32 returns the sine of x radians.
func Sin32(x float32) float32 {
	xd := float64(x)
	if !finite32(x) {
		return nan32
	}
	if xd < tinyTrig && xd > -tinyTrig {
		return x
	}
	n, r := trigReduce(xd)
	y := sinCosQuadrant(r, n)
	if settled(y) {
		return float32(y)
	}
	s, _ := sinCosDD(xd)
	return s.round32()
}

// Cos32 returns the cosine of x radians.
func Cos32(x float32) float32 {
	if !finite32(x) {
		return nan32
	}
	n, r := trigReduce(float64(x))
	y := sinCosQuadrant(r, n+1)
	if settled(y) {
		return float32(y)
	}
	_, c := sinCosDD(float64(x))
	return c.round32()
}

// SinCos32 returns the sine and the cosine of x radians (the function sincos).
func SinCos32(x float32) (sin, cos float32) {
	xd := float64(x)
	if !finite32(x) {
		return nan32, nan32
	}
	if xd < tinyTrig && xd > -tinyTrig {
		return x, Cos32(x)
	}
	n, r := trigReduce(xd)
	s, c := sinPoly(r), cosPoly(r)
	switch n & 3 {
	case 1:
		s, c = c, -s
	case 2:
		s, c = -s, -c
	case 3:
		s, c = -c, s
	}
	if settled(s) && settled(c) {
		return float32(s), float32(c)
	}
	return Sin32(x), Cos32(x)
}

// Tan32 returns the tangent of x radians.
func Tan32(x float32) float32 {
	xd := float64(x)
	if !finite32(x) {
		return nan32
	}
	if xd < tinyTrig && xd > -tinyTrig {
		return x
	}
	n, r := trigReduce(xd)
	s, c := sinPoly(r), cosPoly(r)
	if n&1 != 0 {
		s, c = -c, s
	}
	y := s / c
	if settled(y) {
		return float32(y)
	}
	sd, cd := sinCosDD(xd)
	return sd.div(cd).round32()
}

// Sin64 returns the sine of x radians.
func Sin64(x float64) float64 {
	if !finite64(x) {
		return nan64
	}
	if x < 0x1p-28 && x > -0x1p-28 {
		return x
	}
	if x < 0x1p19 && x > -0x1p19 {
		if y, ok := quickSinCos(x, 0); ok {
			return y
		}
	}
	s, _ := sinCosDD(x)
	return s.hi
}

// Cos64 returns the cosine of x radians.
func Cos64(x float64) float64 {
	if !finite64(x) {
		return nan64
	}
	if x < 0x1p19 && x > -0x1p19 {
		if y, ok := quickSinCos(x, 1); ok {
			return y
		}
	}
	_, c := sinCosDD(x)
	return c.hi
}

// SinCos64 returns the sine and the cosine of x radians (the function sincos).
func SinCos64(x float64) (sin, cos float64) {
	if !finite64(x) {
		return nan64, nan64
	}
	return Sin64(x), Cos64(x)
}

// Tan64 returns the tangent of x radians.
func Tan64(x float64) float64 {
	if !finite64(x) {
		return nan64
	}
	if x < 0x1p-28 && x > -0x1p-28 {
		return x
	}
	s, c := sinCosDD(x)
	return s.div(c).hi
}
