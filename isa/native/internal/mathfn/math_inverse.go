package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// atan computes the arc tangent of a = |x| up to 1, and pi/2 + atan(-1/a) beyond.
func (m doubles) atan(x ...amd64.Vec) amd64.Vec {
	return m.withSign(m.atanOfAbs(m.abs(x[0])), x[0])
}

func (m doubles) atanOfAbs(a amd64.Vec) amd64.Vec {
	num, den, base, beyond := m.new(amd64.VMOVDQA64, a), m.all(1), m.all(0), m.all(-1)
	m.when(a, m.num(1), x86.CmpGreater)
	m.replace(num, beyond)
	m.replace(den, a)
	m.set(amd64.VPBROADCASTQ, beyond, m.Const64(math.Float64bits(math.Pi/2)))
	m.replace(base, beyond)
	m.set(amd64.VDIVPD, num, num, den)
	y := m.oddPoly(num, atanPoly)
	m.set(amd64.VADDPD, y, y, base)
	return y
}

// overPi is a kernel whose result is divided by pi.
func overPi(k kernel) kernel {
	return func(m doubles, x ...amd64.Vec) amd64.Vec {
		y := k(m, x...)
		m.set(amd64.VMULPD, y, y, m.num(1/math.Pi))
		return y
	}
}

// atan2 computes the arc tangent of the smaller magnitude over the larger one, which
// is 0 for two zeros and 1 for two infinities, and goes on to the right octant.
func (m doubles) atan2(xs ...amd64.Vec) amd64.Vec {
	y, x := xs[0], xs[1]
	ay, ax := m.abs(y), m.abs(x)
	t, den, r, v := m.new(amd64.VMINPD, ay, ax), m.new(amd64.VMAXPD, ay, ax), m.Vec(), m.all(1)
	m.set(amd64.VDIVPD, r, t, den)
	m.when(t, den, x86.CmpEqual)
	m.replace(r, v)
	m.set(amd64.VPXORQ, v, v, v)
	m.when(t, v, x86.CmpEqual)
	m.replace(r, v)
	a := m.oddPoly(r, atanPoly)
	for _, q := range []struct {
		from float64
		when func()
	}{
		{math.Pi / 2, func() { m.when(ay, ax, x86.CmpGreater) }},
		{math.Pi, func() { m.whenNegative(x) }},
	} {
		m.set(amd64.VPBROADCASTQ, v, m.Const64(math.Float64bits(q.from)))
		m.set(amd64.VSUBPD, v, v, a)
		q.when()
		m.replace(a, v)
	}
	m.set(amd64.VADDPD, v, x, y)
	m.when(x, y, x86.CmpUnordered)
	m.replace(a, v)
	return m.withSign(a, y)
}

// asinHalf returns the arc sine of s: |x|, or, where that is above 1/2, sqrt((1-|x|)/2), of which the
// arc sine is half of the arc cosine of |x|; and |x|.
func (m doubles) asinHalf(x amd64.Vec) (y, a amd64.Vec) {
	a = m.abs(x)
	z, s := m.new(amd64.VMULPD, a, a), m.new(amd64.VMOVDQA64, a)
	t, u := m.all(0.5), m.Vec()
	m.set(amd64.VFNMADD231PD, t, a, m.num(0.5))
	m.set(amd64.VSQRTPD, u, t)
	m.when(a, m.num(0.5), x86.CmpGreater)
	m.replace(z, t)
	m.replace(s, u)
	y = m.poly(z, asinPoly)
	m.set(amd64.VMULPD, z, z, s)
	m.fma(y, z, s)
	return y, a
}

func (m doubles) asin(x ...amd64.Vec) amd64.Vec {
	w, a := m.asinHalf(x[0])
	t := m.all(math.Pi / 2)
	m.set(amd64.VSUBPD, t, t, w)
	m.set(amd64.VSUBPD, t, t, w)
	m.when(a, m.num(0.5), x86.CmpGreater)
	m.replace(w, t)
	return m.withSign(w, x[0])
}

// acos computes pi/2 - asin(x), or, for |x| above 1/2, the arc cosine of |x|, which for negative x is taken
// from pi.
func (m doubles) acos(x ...amd64.Vec) amd64.Vec {
	w, a := m.asinHalf(x[0])
	sign, far, near := m.new(amd64.VPANDQ, x[0], m.bits64(1<<63)), m.all(math.Pi), m.all(math.Pi/2)
	t := m.new(amd64.VADDPD, w, w)
	m.set(amd64.VSUBPD, far, far, t)
	m.whenNegative(x[0])
	m.replace(t, far)
	m.set(amd64.VPXORQ, w, w, sign)
	m.set(amd64.VSUBPD, w, near, w)
	m.when(a, m.num(0.5), x86.CmpGreater)
	m.replace(w, t)
	return w
}
