package clmath

import "math"

// The functions of this file are the fast paths of double precision: a result
// of two doubles, to about 2^-66, at a fraction of the cost of pairs all the
// way. rounded64 tells whether that settles the rounding; if not (about once
// in 500 calls), the pairs decide.

// rounded64 returns hi+lo rounded to double, for a pair with an absolute error
// below err, and whether the error leaves no doubt about it.
func rounded64(hi, lo, err float64) (float64, bool) {
	y := hi + (lo - err)
	return y, y == hi+(lo+err)
}

// quickExp returns m = hi+lo and k with exp(x+xlo) = m*2^k, for |x| < 746 and
// |xlo| below half a unit of x. The relative error of m is below 2^-65.
func quickExp(x, xlo float64) (hi, lo float64, k int) {
	z := float64(x*(64*math.Log2E)) + roundShift
	n := int(int32(math.Float64bits(z)))
	kf := z - roundShift
	a := x - float64(kf*ln2By64Head)
	p, q := twoProd(kf, ln2By64TailHi)
	r, rlo := twoSum(a, -p)
	rlo += (xlo - q) - float64(kf*ln2By64Tail.lo)
	// exp(r+rlo)-1 = r + rlo + tail, with |r| < 0.0055.
	s := 1.0/5040 + float64(r*(1.0/40320))
	s = 1.0/720 + float64(r*s)
	s = 1.0/120 + float64(r*s)
	s = 1.0/24 + float64(r*s)
	s = 1.0/6 + float64(r*s)
	s = 0.5 + float64(r*s)
	tail := float64(float64(r*r)*s) + float64(rlo+float64(r*rlo))
	t := &expTab[n&63]
	p, q = twoProd(t.hi, r)
	hi, lo = fastTwoSum(t.hi, p)
	lo += (q + t.lo + float64(t.lo*r)) + float64(t.hi*tail)
	hi, lo = fastTwoSum(hi, lo)
	return hi, lo, n >> 6
}

// quickLog returns log(x)+offset*log(2) as hi+lo, for positive normal x and
// integral offset. The relative error is below 2^-64.
func quickLog(x float64, offset int) (hi, lo float64) {
	e, m, t := logReduce(x)
	ef := float64(e + offset)
	p, q := twoProd(m, t.c)
	r, rlo := fastTwoSum(p-1, q)
	// log(1+r) = r - r*r/2 + r^3*s
	s := 1.0/10 - float64(r*(1.0/11))
	s = 1.0/9 - float64(r*s)
	s = 1.0/8 - float64(r*s)
	s = 1.0/7 - float64(r*s)
	s = 1.0/6 - float64(r*s)
	s = 1.0/5 - float64(r*s)
	s = 1.0/4 - float64(r*s)
	s = 1.0/3 - float64(r*s)
	r2, r2lo := twoProd(r, r)
	hi, lo = fastTwoSum(float64(ef*ln2Head), t.negLog)
	if ef == 0 {
		hi, lo = t.negLog, 0
	}
	h, l := twoSum(hi, r)
	lo += l
	h, l = twoSum(h, -0.5*r2)
	lo += l
	lo += float64(float64(r2*r)*s) - 0.5*r2lo + (rlo - float64(r*rlo))
	lo += t.negLogLo + float64(ef*ln2TailHi)
	return fastTwoSum(h, lo)
}

// log64Quick returns the logarithm of a positive finite x, as quickLog does.
func log64Quick(x float64) (hi, lo float64) {
	y, k := normal64(x)
	return quickLog(y, k)
}

// quickReduce returns n and r+rlo with x = n*pi/2 + r + rlo, for |x| < 2^19.
// The absolute error is below 2^-90.
func quickReduce(x float64) (n int, r, rlo float64) {
	z := float64(x*(2/math.Pi)) + roundShift
	k := z - roundShift
	a := x - float64(k*piHalf1)
	b, c := twoSum(a, -float64(k*piHalf2))
	r, rlo = fastTwoSum(b, c-float64(k*piHalf3))
	return int(int32(math.Float64bits(z))), r, rlo
}

// quickSinCos returns sin(x) (or the cosine, for turns = 1) rounded, and
// whether the rounding is settled. It wants |x| < 2^19.
func quickSinCos(x float64, turns int) (float64, bool) {
	n, r, rlo := 0, x, 0.0
	if math.Abs(x) > math.Pi/4 {
		if n, r, rlo = quickReduce(x); math.Abs(r) < 0x1p-20 {
			return 0, false
		}
	}
	n += turns
	neg := n&2 != 0
	if r < 0 {
		// The sine is odd, the cosine even.
		r, rlo = -r, -rlo
		neg = neg != (n&1 == 0)
	}
	i := int(float64(r*32) + 0.5)
	t := &sinCosTab[i]
	b := r - float64(i)/32
	z := float64(b * b)
	sp := 1.0/362880 - float64(z*(1.0/39916800))
	sp = 1.0/5040 - float64(z*sp)
	sp = 1.0/120 - float64(z*sp)
	sp = 1.0/6 - float64(z*sp)
	sinTail := rlo - float64(float64(b*z)*sp) // sin(b+rlo) = b + sinTail
	cp := 1.0/40320 - float64(z*(1.0/3628800))
	cp = 1.0/720 - float64(z*cp)
	cp = 1.0/24 - float64(z*cp)
	cp = 0.5 - float64(z*cp)
	cosTail := -float64(z*cp) - float64(b*rlo) // cos(b+rlo) = 1 + cosTail
	var hi, lo, err float64
	if n&1 == 0 {
		if i == 0 {
			hi, lo = fastTwoSum(b, sinTail)
			err = hi * 0x1p-63
		} else {
			p, q := twoProd(t.cos.hi, b)
			hi, lo = fastTwoSum(t.sin.hi, p)
			lo += q + t.sin.lo + float64(t.cos.lo*b) + (float64(t.cos.hi*sinTail) + float64(t.sin.hi*cosTail))
			err = 0x1p-64
		}
	} else {
		p, q := twoProd(-t.sin.hi, b)
		hi, lo = fastTwoSum(t.cos.hi, p)
		lo += q + t.cos.lo - float64(t.sin.lo*b) + (float64(t.cos.hi*cosTail) - float64(t.sin.hi*sinTail))
		err = 0x1p-64
	}
	y, ok := rounded64(hi, lo, err)
	if neg {
		y = -y
	}
	return y, ok
}
