package bigmath

import (
	"math"
	"math/big"
)

// Erf returns the error function of x, by the series of positive terms
// 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (1*3*...*(2n+1)).
func Erf(x *big.Float, prec uint) *big.Float {
	if x.Sign() == 0 {
		return zero(prec)
	}
	p := prec + 2*guard + x.Prec()
	x2 := zero(p).Mul(x, x)
	two := zero(p).Mul(x2, newInt(2, p))
	sum, term := zero(p).Set(x), zero(p).Set(x)
	for k := int64(3); ; k += 2 {
		term.Mul(term, two)
		term.Quo(term, newInt(k, p))
		if negligible(term, sum, p) {
			break
		}
		sum.Add(sum, term)
	}
	sum.Mul(sum, Exp(x2.Neg(x2), p))
	sum.Mul(sum, newInt(2, p))
	root := Pi(p)
	return zero(prec).Quo(sum, root.Sqrt(root))
}

// Erfc returns 1-erf(x).
func Erfc(x *big.Float, prec uint) *big.Float {
	p := prec + guard
	if f, _ := x.Float64(); f > 0 {
		p += uint(f*f*math.Log2E) + 16
	}
	return zero(prec).Sub(newInt(1, p), Erf(x, p))
}

// Erfcx returns exp(x^2) erfc(x).
func Erfcx(x *big.Float, prec uint) *big.Float {
	p := prec + guard + 2*x.Prec()
	return zero(prec).Mul(Exp(zero(p).Mul(x, x), p), Erfc(x, p))
}

// computeBernoulli returns the Bernoulli numbers B(0), B(2), ..., B(2n).
func computeBernoulli(n int) []*big.Rat {
	// The Akiyama-Tanigawa table, row by row.
	out := make([]*big.Rat, 0, n+1)
	row := make([]*big.Rat, 2*n+1)
	for m := 0; m <= 2*n; m++ {
		row[m] = big.NewRat(1, int64(m+1))
		for j := m; j > 0; j-- {
			d := new(big.Rat).Sub(row[j-1], row[j])
			row[j-1] = d.Mul(d, big.NewRat(int64(j), 1))
		}
		if m%2 == 0 {
			out = append(out, new(big.Rat).Set(row[0]))
		}
	}
	return out
}

// Stirling returns the coefficients B(2k)/(2k(2k-1)), k = 1..n, of the
// asymptotic series of log gamma.
func Stirling(n int) []*big.Rat {
	b := Bernoulli(n)
	out := make([]*big.Rat, n)
	for k := 1; k <= n; k++ {
		out[k-1] = new(big.Rat).Quo(b[k], big.NewRat(int64(2*k)*int64(2*k-1), 1))
	}
	return out
}

// LogGamma returns log|gamma(x)| and the sign of gamma(x), for x neither zero
// nor a negative integer. Its error is absolute, 2^-prec times the largest
// intermediate: ask for more bits near a zero of the function.
func LogGamma(x *big.Float, prec uint) (*big.Float, int) {
	p := prec + 2*guard + x.Prec()
	if x.Sign() < 0 {
		// gamma(-y) = -pi / (y sin(pi y) gamma(y))
		y := zero(p).Neg(x)
		l, _ := LogGamma(y, p)
		s, _ := SinCos(zero(p).Mul(Pi(2*p), y), p)
		s.Mul(s, y)
		s.Quo(Pi(p), s)
		sign := -s.Sign()
		r := Log(s.Abs(s), p)
		return zero(prec).Sub(r, l), sign
	}
	terms := int(p/6) + 8
	shift := newInt(int64(p/4)+8, p)
	z := zero(p).Set(x)
	prod := newInt(1, p)
	for z.Cmp(shift) < 0 {
		prod.Mul(prod, z)
		z.Add(z, newInt(1, p))
	}
	half := New(0.5, p)
	sum := Log(z, p)
	sum.Mul(sum, zero(p).Sub(z, half))
	sum.Sub(sum, z)
	l := Pi(p)
	l = Log(l.Mul(l, newInt(2, p)), p)
	sum.Add(sum, l.Mul(l, half))
	z2 := zero(p).Mul(z, z)
	pow := zero(p).Quo(newInt(1, p), z)
	for _, c := range Stirling(terms) {
		t := zero(p).SetRat(c)
		t.Mul(t, pow)
		if negligible(t, sum, p) {
			break
		}
		sum.Add(sum, t)
		pow.Quo(pow, z2)
	}
	return zero(prec).Sub(sum, Log(prod, p)), 1
}

// Zeta returns the Riemann zeta function minus one at an integer n >= 2, by
// Euler-Maclaurin summation.
func Zeta(n int64, prec uint) *big.Float {
	p := prec + guard + uint(n)
	const cut = 40
	one := newInt(1, p)
	power := func(k int64) *big.Float {
		r := newInt(1, p)
		for i := int64(0); i < n; i++ {
			r.Mul(r, newInt(k, p))
		}
		return r.Quo(one, r)
	}
	sum := zero(p)
	for k := int64(2); k < cut; k++ {
		sum.Add(sum, power(k))
	}
	last := power(cut)
	t := zero(p).Mul(last, newInt(cut, p))
	sum.Add(sum, t.Quo(t, newInt(n-1, p)))
	sum.Add(sum, zero(p).Mul(last, New(0.5, p)))
	// Sum of B(2k)/(2k)! n(n+1)...(n+2k-2) cut^(-n-2k+1).
	term := zero(p).Mul(last, newInt(n, p))
	term.Quo(term, newInt(cut, p))
	b := Bernoulli(int(p/8) + 8)
	fact := newInt(2, p)
	for k := int64(1); k < int64(len(b)); k++ {
		u := zero(p).SetRat(b[k])
		u.Mul(u, term)
		u.Quo(u, fact)
		if negligible(u, sum, p) {
			break
		}
		sum.Add(sum, u)
		term.Mul(term, newInt((n+2*k-1)*(n+2*k), p))
		term.Quo(term, newInt(cut*cut, p))
		fact.Mul(fact, newInt((2*k+1)*(2*k+2), p))
	}
	return zero(prec).Set(sum)
}

// EulerGamma returns the Euler-Mascheroni constant as the limit of
// harmonic sums with the Euler-Maclaurin correction.
func EulerGamma(prec uint) *big.Float {
	p := prec + guard
	n := int64(p/4) + 16
	sum := zero(p)
	for k := int64(1); k <= n; k++ {
		sum.Add(sum, zero(p).Quo(newInt(1, p), newInt(k, p)))
	}
	sum.Sub(sum, Log(newInt(n, p), p))
	sum.Sub(sum, zero(p).Quo(newInt(1, p), newInt(2*n, p)))
	pow := zero(p).Quo(newInt(1, p), newInt(n*n, p))
	scale := zero(p).Set(pow)
	for k, b := range Bernoulli(int(p/6) + 8) {
		if k == 0 {
			continue
		}
		t := zero(p).SetRat(b)
		t.Quo(t, newInt(int64(2*k), p))
		t.Mul(t, pow)
		if negligible(t, sum, p) {
			break
		}
		sum.Add(sum, t)
		pow.Mul(pow, scale)
	}
	return zero(prec).Set(sum)
}

// Fit returns the coefficients, constant first, of the polynomial of the
// given degree in (x-c) that meets f at the Chebyshev nodes of [a, b], where
// c is the middle of the interval. It is within a small factor of the best
// polynomial.
func Fit(f func(*big.Float) *big.Float, a, b float64, degree int, prec uint) []*big.Float {
	n := degree + 1
	mid := (a + b) / 2
	xs := make([]*big.Float, n)
	div := make([]*big.Float, n)
	for i := range xs {
		t := math.Cos(math.Pi * (float64(i) + 0.5) / float64(n))
		xs[i] = New((b-a)/2*t, prec)
		div[i] = f(zero(prec).Add(New(mid, prec), xs[i]))
	}
	for j := 1; j < n; j++ {
		for i := n - 1; i >= j; i-- {
			d := zero(prec).Sub(div[i], div[i-1])
			div[i] = d.Quo(d, zero(prec).Sub(xs[i], xs[i-j]))
		}
	}
	// Expand the Newton form into powers.
	out := make([]*big.Float, n)
	for i := range out {
		out[i] = zero(prec)
	}
	out[0].Set(div[n-1])
	for i := n - 2; i >= 0; i-- {
		for k := n - 1; k > 0; k-- {
			t := zero(prec).Mul(out[k], xs[i])
			out[k] = t.Sub(out[k-1], t)
		}
		t := zero(prec).Mul(out[0], xs[i])
		out[0] = t.Sub(div[i], t)
	}
	return out
}
