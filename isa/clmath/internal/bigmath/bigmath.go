// Package bigmath computes elementary and special functions to any precision
// with math/big. It exists for two callers: the generator of clmath's tables
// and clmath's tests, which need a reference that shares no code with the
// functions under test. It is slow and favours plain series over speed; no
// kernel ever runs it.
//
// Every function takes the wanted precision in bits and returns a value whose
// relative error is below 2^-prec, unless its comment says otherwise.
// Arguments are finite; domain errors are the caller's business.
package bigmath

import (
	"math"
	"math/big"
)

// guard is the number of bits carried beyond the wanted precision.
const guard = 64

// New returns x at the given precision, exactly when prec is at least 53.
func New(x float64, prec uint) *big.Float {
	return new(big.Float).SetPrec(prec).SetFloat64(x)
}

func newInt(n int64, prec uint) *big.Float {
	return new(big.Float).SetPrec(prec).SetInt64(n)
}

func zero(prec uint) *big.Float { return new(big.Float).SetPrec(prec) }

// negligible reports whether term no longer contributes to sum at prec bits.
func negligible(term, sum *big.Float, prec uint) bool {
	if term.Sign() == 0 {
		return true
	}
	if sum.Sign() == 0 {
		return false
	}
	return term.MantExp(nil) < sum.MantExp(nil)-int(prec)
}

// atanInv returns atan(1/n) for an integer n > 1 by its Taylor series.
func atanInv(n int64, prec uint) *big.Float {
	inv := zero(prec).Quo(newInt(1, prec), newInt(n, prec))
	sq := zero(prec).Mul(inv, inv)
	sum, pow := zero(prec).Set(inv), zero(prec).Set(inv)
	for k := int64(3); ; k += 2 {
		pow.Mul(pow, sq)
		pow.Neg(pow)
		term := zero(prec).Quo(pow, newInt(k, prec))
		if negligible(term, sum, prec) {
			return sum
		}
		sum.Add(sum, term)
	}
}

// computePi returns pi by Machin's formula.
func computePi(prec uint) *big.Float {
	p := prec + guard
	a := atanInv(5, p)
	a.Mul(a, newInt(16, p))
	b := atanInv(239, p)
	b.Mul(b, newInt(4, p))
	return zero(prec).Sub(a, b)
}

// atanh returns the inverse hyperbolic tangent of a small z by its series.
func atanh(z *big.Float, prec uint) *big.Float {
	sq := zero(prec).Mul(z, z)
	sum, pow := zero(prec).Set(z), zero(prec).Set(z)
	for k := int64(3); ; k += 2 {
		pow.Mul(pow, sq)
		term := zero(prec).Quo(pow, newInt(k, prec))
		if negligible(term, sum, prec) {
			return sum
		}
		sum.Add(sum, term)
	}
}

// computeLn2 returns the natural logarithm of 2 as 2 atanh(1/3).
func computeLn2(prec uint) *big.Float {
	p := prec + guard
	z := zero(p).Quo(newInt(1, p), newInt(3, p))
	l := atanh(z, p)
	return zero(prec).Mul(l, newInt(2, p))
}

// Log returns the natural logarithm of x > 0.
func Log(x *big.Float, prec uint) *big.Float {
	p := prec + guard + x.Prec()
	m := zero(p)
	e := zero(p).Set(x).MantExp(m)
	if m.Cmp(New(0.75, p)) < 0 {
		m.SetMantExp(m, 1)
		e--
	}
	num := zero(p).Sub(m, newInt(1, p))
	sum := zero(p)
	if num.Sign() != 0 {
		den := zero(p).Add(m, newInt(1, p))
		sum = atanh(zero(p).Quo(num, den), p)
		sum.Mul(sum, newInt(2, p))
	}
	if e != 0 {
		l := Ln2(p)
		sum.Add(sum, l.Mul(l, newInt(int64(e), p)))
	}
	return zero(prec).Set(sum)
}

// Log1p returns log(1+x) for x > -1.
func Log1p(x *big.Float, prec uint) *big.Float {
	p := prec + guard + x.Prec()
	if x.Sign() != 0 && x.MantExp(nil) < 0 {
		p += uint(-x.MantExp(nil))
	}
	return zero(prec).Set(Log(zero(p).Add(newInt(1, p), x), p))
}

// Exp returns e to the x. |x| must stay below 2^31.
func Exp(x *big.Float, prec uint) *big.Float {
	const halvings = 12
	p := prec + 2*guard
	ln2 := Ln2(p)
	q, _ := zero(p).Quo(x, ln2).Float64()
	k := math.Round(q)
	r := zero(p).Mul(ln2, New(k, p))
	r.Sub(zero(p).Set(x), r)
	r.SetMantExp(r, -halvings)
	sum, term := newInt(1, p), newInt(1, p)
	for n := int64(1); ; n++ {
		term.Mul(term, r)
		term.Quo(term, newInt(n, p))
		if negligible(term, sum, p) {
			break
		}
		sum.Add(sum, term)
	}
	for i := 0; i < halvings; i++ {
		sum.Mul(sum, sum)
	}
	return zero(prec).SetMantExp(sum, int(k))
}

// Expm1 returns exp(x)-1.
func Expm1(x *big.Float, prec uint) *big.Float {
	if x.Sign() == 0 {
		return zero(prec)
	}
	p := prec + guard
	if e := x.MantExp(nil); e < 0 {
		p += uint(-e)
	}
	return zero(prec).Sub(Exp(x, p), newInt(1, p))
}

// SinCos returns the sine and the cosine of x, reducing x by pi to as many
// bits as its exponent asks for.
func SinCos(x *big.Float, prec uint) (sin, cos *big.Float) {
	p := prec + 2*guard + x.Prec()
	if e := x.MantExp(nil); e > 0 {
		p += uint(e)
	}
	half := Pi(p)
	half.SetMantExp(half, -1)
	q := zero(p).Quo(x, half)
	q.Add(q, New(math.Copysign(0.5, float64(x.Sign())), p))
	k, _ := q.Int(nil)
	r := zero(p).Mul(half, zero(p).SetInt(k))
	r.Sub(zero(p).Set(x), r)
	s, c := sinCosSmall(r, p)
	switch new(big.Int).And(k, big.NewInt(3)).Int64() {
	case 1:
		s, c = c, s.Neg(s)
	case 2:
		s, c = s.Neg(s), c.Neg(c)
	case 3:
		s, c = c.Neg(c), s
	}
	return zero(prec).Set(s), zero(prec).Set(c)
}

func sinCosSmall(r *big.Float, p uint) (sin, cos *big.Float) {
	sin, cos = zero(p), newInt(1, p)
	term := newInt(1, p)
	for n := int64(1); ; n++ {
		term.Mul(term, r)
		term.Quo(term, newInt(n, p))
		if n > 1 && negligible(term, sin, p) {
			return sin, cos
		}
		switch n & 3 {
		case 0:
			cos.Add(cos, term)
		case 1:
			sin.Add(sin, term)
		case 2:
			cos.Sub(cos, term)
		case 3:
			sin.Sub(sin, term)
		}
	}
}

// Atan returns the arc tangent of x.
func Atan(x *big.Float, prec uint) *big.Float {
	if x.Sign() == 0 {
		return zero(prec)
	}
	p := prec + guard + x.Prec()
	one := newInt(1, p)
	t := zero(p).Abs(x)
	invert := t.Cmp(one) > 0
	if invert {
		t.Quo(one, t)
	}
	const halvings = 4
	for i := 0; i < halvings; i++ {
		d := zero(p).Mul(t, t)
		d.Add(d, one)
		d.Sqrt(d)
		d.Add(d, one)
		t.Quo(t, d)
	}
	sq := zero(p).Mul(t, t)
	sum, pow := zero(p).Set(t), zero(p).Set(t)
	for k := int64(3); ; k += 2 {
		pow.Mul(pow, sq)
		pow.Neg(pow)
		term := zero(p).Quo(pow, newInt(k, p))
		if negligible(term, sum, p) {
			break
		}
		sum.Add(sum, term)
	}
	sum.SetMantExp(sum, halvings)
	if invert {
		half := Pi(p)
		half.SetMantExp(half, -1)
		sum.Sub(half, sum)
	}
	if x.Sign() < 0 {
		sum.Neg(sum)
	}
	return zero(prec).Set(sum)
}

// Atan2 returns the angle of the point (x, y), in (-pi, pi], for finite
// arguments that are not both zero.
func Atan2(y, x *big.Float, prec uint) *big.Float {
	p := prec + guard + y.Prec() + x.Prec()
	pi := Pi(p)
	if x.Sign() == 0 {
		pi.SetMantExp(pi, -1)
		if y.Sign() < 0 {
			pi.Neg(pi)
		}
		return zero(prec).Set(pi)
	}
	a := Atan(zero(p).Quo(y, x), p)
	if x.Sign() < 0 {
		if y.Signbit() {
			a.Sub(a, pi)
		} else {
			a.Add(a, pi)
		}
	}
	return zero(prec).Set(a)
}
