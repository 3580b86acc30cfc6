package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// logBase is what is to be known for a logarithm to some base.
type logBase struct {
	log2  float64   // of 2
	poly  []float64 // log(1+r)/r
	table []float64
}

var (
	natural = logBase{math.Ln2, logPoly, logTable}
	binary2 = logBase{1, log2Poly, log2Table}
	decimal = logBase{math.Ln2 / math.Ln10, log10Poly, log10Table}
)

// parts returns l and minusE with log(x) = l - minusE*log(2): x is 2^e times a mantissa near k/16, for which
// tables have a short inverse c and -log(c); then r = mantissa*c-1 is exact if x has no more than 32 bits,
// and small. small, if there is one, may change r.
func (b logBase) parts(m doubles, x amd64.Vec, small func(r amd64.Vec)) (l, minusE amd64.Vec) {
	mant, minusE := m.split(x)
	k := m.new(amd64.VADDPD, mant, m.num(0x1.8p48))
	c := m.lookUp(logInverse, k)
	r := mant
	m.set(amd64.VFMSUB213PD, r, c, m.num(1))
	if small != nil {
		small(r)
	}
	l = m.poly(r, b.poly)
	t := m.lookUp(b.table, k)
	m.fma(l, r, t)
	return l, minusE
}

// join makes l the difference l - minusE*log(2).
func (b logBase) join(m doubles, l, minusE amd64.Vec) {
	if b.log2 == 1 {
		m.set(amd64.VSUBPD, l, l, minusE)
	} else {
		m.subProduct(l, minusE, m.num(b.log2))
	}
}

func (b logBase) kernel(m doubles, x ...amd64.Vec) amd64.Vec {
	l, minusE := b.parts(m, x[0], nil)
	b.join(m, l, minusE)
	m.logAtEnds(l, x[0])
	return l
}

// log1p returns log(1+v). Below 1/32, where c is one, v is what r ought to be.
func (m doubles) log1p(v amd64.Vec) amd64.Vec {
	a, x := m.abs(v), m.new(amd64.VADDPD, v, m.num(1))
	l, minusE := natural.parts(m, x, func(r amd64.Vec) {
		m.when(a, m.num(1.0/32), x86.CmpLess)
		m.replace(r, v)
	})
	natural.join(m, l, minusE)
	m.logAtEnds(l, x)
	return l
}

// asinh computes log1p(a + a*a/(1+sqrt(1+a*a))), a = |x|.
func (m doubles) asinh(x ...amd64.Vec) amd64.Vec {
	a := m.abs(x[0])
	s := m.new(amd64.VMULPD, a, a)
	t := m.new(amd64.VADDPD, s, m.num(1))
	m.set(amd64.VSQRTPD, t, t)
	m.set(amd64.VADDPD, t, t, m.num(1))
	m.set(amd64.VDIVPD, s, s, t)
	m.set(amd64.VADDPD, a, a, s)
	y, infinity := m.log1p(a), m.all(math.Inf(1))
	m.set(amd64.VPANDQ, a, x[0], m.bits64(1<<63-1))
	m.when(a, infinity, x86.CmpEqual)
	m.replace(y, infinity)
	return m.withSign(y, x[0])
}

// acosh computes log1p(t + sqrt(t*(t+2))), t = x-1.
func (m doubles) acosh(x ...amd64.Vec) amd64.Vec {
	t := m.new(amd64.VSUBPD, x[0], m.num(1))
	u := m.new(amd64.VADDPD, t, m.num(2))
	m.set(amd64.VMULPD, u, u, t)
	m.set(amd64.VSQRTPD, u, u)
	m.set(amd64.VADDPD, u, u, t)
	y := m.log1p(u)
	m.set(amd64.VPBROADCASTQ, t, m.Const64(math.Float64bits(math.NaN())))
	m.when(x[0], m.num(1), x86.CmpLess)
	m.replace(y, t)
	return y
}

// atanh computes log1p(2*a/(1-a))/2, a = |x|.
func (m doubles) atanh(x ...amd64.Vec) amd64.Vec {
	a := m.abs(x[0])
	t := m.all(1)
	m.set(amd64.VSUBPD, t, t, a)
	m.set(amd64.VADDPD, a, a, a)
	m.set(amd64.VDIVPD, a, a, t)
	y := m.log1p(a)
	m.set(amd64.VMULPD, y, y, m.num(0.5))
	return m.withSign(y, x[0])
}

// cbrt computes 2^((s+log2(m))/3 + q), |x| = 2^(3*q+s) * m.
func (m doubles) cbrt(x ...amd64.Vec) amd64.Vec {
	l, minusE := binary2.parts(m, m.abs(x[0]), nil)
	q := m.all(0.5)
	m.set(amd64.VSUBPD, q, q, minusE)
	m.set(amd64.VMULPD, q, q, m.num(1.0/3))
	m.round(q, q, x86.RoundDown)
	m.set(amd64.VSUBPD, l, l, minusE)
	m.subProduct(l, q, m.num(3))
	m.set(amd64.VMULPD, l, l, m.num(1.0/3))
	y := exponential(base2)(m, l)
	m.scale(y, q)
	// Zeros, infinities and NaNs are their own roots.
	a := m.abs(x[0])
	m.when(a, m.num(0), x86.CmpEqual)
	m.replace(y, a)
	m.when(a, m.num(math.Inf(1)), x86.CmpNotLessU)
	m.replace(y, a)
	return m.withSign(y, x[0])
}
