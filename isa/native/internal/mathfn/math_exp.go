package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// base is what is to be known of b for powers b^x: x = k*log_b(2) + r.
type base struct {
	scale       float64   // log2(b)
	head, tail  float64   // log_b(2)
	least, most float64   // outside, the result is 0 or infinite
	poly        []float64 // (b^r-1)/r
}

// reduce returns k and r; r may be in x.
func (b base) reduce(m doubles, x amd64.Vec) (k, r amd64.Vec) {
	// A NaN stays one: the second operand is the result then.
	t := m.all(b.least)
	m.set(amd64.VMAXPD, x, t, x)
	m.set(amd64.VPBROADCASTQ, t, m.Const64(math.Float64bits(b.most)))
	m.set(amd64.VMINPD, x, t, x)
	if b.scale == 1 {
		m.round(t, x, x86.RoundNearest)
		m.set(amd64.VSUBPD, x, x, t)
		return t, x
	}
	m.set(amd64.VMULPD, t, x, m.num(b.scale))
	m.round(t, t, x86.RoundNearest)
	m.subProduct(x, t, m.num(b.head))
	m.subProduct(x, t, m.num(b.tail))
	return t, x
}

func exponential(b base) kernel {
	return func(m doubles, x ...amd64.Vec) amd64.Vec {
		k, r := b.reduce(m, x[0])
		y := m.poly(r, b.poly)
		m.fma(y, r, m.num(1))
		m.scale(y, k)
		return y
	}
}

var (
	baseE  = base{scale: math.Log2E, head: ln2Head, tail: ln2Tail, least: -110, most: 100, poly: expPoly}
	base2  = base{scale: 1, head: 1, least: -160, most: 140, poly: exp2Poly}
	base10 = base{scale: math.Log2E * math.Ln10, head: log10Of2Head, tail: log10Of2Tail, least: -50, most: 40, poly: exp10Poly}
)

// expm1 returns exp(x)-1: with exp(r)-1 = q, that is q*2^k + (2^k-1).
func (m doubles) expm1(x amd64.Vec) amd64.Vec {
	k, r := baseE.reduce(m, x)
	q := m.poly(r, baseE.poly)
	m.set(amd64.VMULPD, q, q, r)
	one := r
	m.set(amd64.VPBROADCASTQ, one, m.Const64(math.Float64bits(1)))
	m.scale(one, k)
	m.set(amd64.VSUBPD, k, one, m.num(1))
	m.fma(q, one, k)
	return q
}

// abs returns |x|.
func (m doubles) abs(x amd64.Vec) amd64.Vec {
	return m.new(amd64.VPANDQ, x, m.bits64(1<<63-1))
}

// withSign gives y, which is not negative, the sign of x. x is lost.
func (m doubles) withSign(y, x amd64.Vec) amd64.Vec {
	m.set(amd64.VPANDQ, x, x, m.bits64(1<<63))
	m.set(amd64.VPORQ, y, y, x)
	return y
}

// sinh computes (t + t/(t+1))/2, t = exp(|x|)-1.
func (m doubles) sinh(x ...amd64.Vec) amd64.Vec {
	t := m.expm1(m.abs(x[0]))
	u := m.new(amd64.VADDPD, t, m.num(1))
	m.set(amd64.VDIVPD, u, t, u)
	m.set(amd64.VADDPD, t, t, u)
	m.set(amd64.VMULPD, t, t, m.num(0.5))
	return m.withSign(t, x[0])
}

// cosh computes (t + 1/t)/2, t = exp(|x|).
func (m doubles) cosh(x ...amd64.Vec) amd64.Vec {
	t := exponential(baseE)(m, m.abs(x[0]))
	u := m.all(1)
	m.set(amd64.VDIVPD, u, u, t)
	m.set(amd64.VADDPD, t, t, u)
	m.set(amd64.VMULPD, t, t, m.num(0.5))
	return t
}

// tanh computes t/(t+2), t = exp(2|x|)-1.
func (m doubles) tanh(x ...amd64.Vec) amd64.Vec {
	a := m.abs(x[0])
	m.set(amd64.VADDPD, a, a, a)
	t := m.expm1(a)
	u := m.new(amd64.VADDPD, t, m.num(2))
	m.set(amd64.VDIVPD, t, t, u)
	return m.withSign(t, x[0])
}
