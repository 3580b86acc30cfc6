package main

import (
	"math/big"

	"github.com/lockstep-gpu/lockstep/isa/clmath/internal/bigmath"
)

// fitTable writes piecewise polynomials of f over [from, from+n*width): for
// each piece the coefficients in (x - middle), constant first. The first
// doubled coefficients are followed by their low parts, after the others.
func (w *writer) fitTable(doc, name string, f func(*big.Float) *big.Float, from, width float64, n, degree, doubled int) {
	w.f("// %s holds %s.\nvar %s = [%d][%d]float64{\n", name, doc, name, n, degree+1+doubled)
	for i := 0; i < n; i++ {
		a := from + float64(i)*width
		w.f("\t{")
		cs := bigmath.Fit(f, a, a+width, degree, prec)
		for _, c := range cs {
			hi, _ := split(c)
			w.f("%s, ", hex(hi))
		}
		for _, c := range cs[:doubled] {
			_, lo := split(c)
			w.f("%s, ", hex(lo))
		}
		w.f("},\n")
	}
	w.f("}\n\n")
}

func special(w *writer) {
	erf := func(x *big.Float) *big.Float {
		// erf(x)/x, which is even and has no zero.
		if x.Sign() == 0 {
			return newf().Quo(num(2), newf().Sqrt(bigmath.Pi(prec)))
		}
		return newf().Quo(bigmath.Erf(x, prec), x)
	}
	erfcx := func(x *big.Float) *big.Float { return bigmath.Erfcx(x, prec) }
	w.fitTable("erf(x)/x on [0, 6) in pieces of 1/8", "erfTab", erf, 0, 0.125, 48, 12, 3)
	w.fitTable("exp(x*x) erfc(x) on [0, 4) in pieces of 1/8", "erfcxTab", erfcx, 0, 0.125, 32, 12, 3)
	w.fitTable("exp(x*x) erfc(x) on [4, 28) in pieces of 1/2", "erfcxFarTab", erfcx, 4, 0.5, 48, 12, 3)

	gamma := func(x *big.Float) *big.Float {
		l, _ := bigmath.LogGamma(x, prec)
		return bigmath.Exp(l, prec)
	}
	w.fitTable("gamma(x) on [1, 2) in pieces of 1/16", "gammaTab", gamma, 1, 1.0/16, 16, 9, 0)

	// log gamma(2+z)/z on [-1/2, 1/2].
	slope := func(z *big.Float) *big.Float {
		if z.Sign() == 0 {
			return newf().Sub(num(1), bigmath.EulerGamma(prec))
		}
		l, _ := bigmath.LogGamma(newf().Add(num(2), z), prec+128)
		return newf().Quo(l, z)
	}
	w.floats("the polynomial of log gamma(2+z)/z on [-1/2, 1/2]", "lgammaPoly", bigmath.Fit(slope, -0.5, 0.5, 18, prec))

	var zeta []*big.Float
	for k := int64(2); k <= 56; k++ {
		c := bigmath.Zeta(k, prec)
		c.Quo(c, newf().SetInt64(k))
		if k%2 != 0 {
			c.Neg(c)
		}
		zeta = append(zeta, c)
	}
	w.ddTable("(-1)^k (zeta(k)-1)/k from k = 2", "zetaTab", zeta)
	var st []*big.Float
	for _, r := range bigmath.Stirling(20) {
		st = append(st, newf().SetRat(r))
	}
	w.ddTable("B(2k)/(2k(2k-1)) from k = 1, the series of log gamma", "stirlingTab", st)
}
