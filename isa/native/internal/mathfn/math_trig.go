package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// roundShift, added to a small double, leaves its integer in the last bits.
const roundShift = 0x1.8p52

// oddPoly returns r + r*z*p(z), z = r*r, with the coefficients of p.
func (m doubles) oddPoly(r amd64.Vec, coefficients []float64) amd64.Vec {
	z := m.new(amd64.VMULPD, r, r)
	y := m.poly(z, coefficients)
	m.set(amd64.VMULPD, z, z, r)
	m.fma(y, z, r)
	return y
}

// alternate changes the sign of y where the last bit of n is one. n is lost.
func (m doubles) alternate(y, n amd64.Vec) {
	m.set(amd64.VPSLLQ, n, n, amd64.Imm(63))
	m.set(amd64.VPXORQ, y, y, n)
}

// sin computes sin(x) with x = n*pi + r. The head of pi is short enough for
// the first difference to be exact; the second keeps r good to some 2^-50 for all floats below 2^24.
func (m doubles) sin(xs ...amd64.Vec) amd64.Vec {
	x := xs[0]
	n := m.all(1 / math.Pi)
	m.fma(n, x, m.num(roundShift))
	k := m.new(amd64.VSUBPD, n, m.num(roundShift))
	m.subProduct(x, k, m.num(piHead))
	m.subProduct(x, k, m.num(piTail))
	y := m.oddPoly(x, sinPoly)
	m.alternate(y, n)
	return y
}

// cos computes sin(x + pi/2), with x = (n-1/2)*pi + r.
func (m doubles) cos(xs ...amd64.Vec) amd64.Vec {
	x := xs[0]
	n := m.all(1 / math.Pi)
	m.fma(n, x, m.num(0.5))
	m.set(amd64.VADDPD, n, n, m.num(roundShift))
	k := m.new(amd64.VSUBPD, n, m.num(roundShift))
	m.set(amd64.VSUBPD, k, k, m.num(0.5))
	m.subProduct(x, k, m.num(piHead))
	m.subProduct(x, k, m.num(piTail))
	y := m.oddPoly(x, sinPoly)
	m.alternate(y, n)
	return y
}

// tan computes sin(r)/cos(r), or -cos(r)/sin(r) for odd n, with x = n*pi/2 + r.
func (m doubles) tan(xs ...amd64.Vec) amd64.Vec {
	x := xs[0]
	n := m.all(2 / math.Pi)
	m.fma(n, x, m.num(roundShift))
	k := m.new(amd64.VSUBPD, n, m.num(roundShift))
	m.subProduct(x, k, m.num(halfPiHead))
	m.subProduct(x, k, m.num(halfPiTail))
	return m.quarterTan(x, n)
}

// quarterTan returns the tangent of r + n*pi/2, for r up to pi/4 and the last bit of n.
func (m doubles) quarterTan(r, n amd64.Vec) amd64.Vec {
	s := m.oddPoly(r, sinQuarterPoly)
	z := m.new(amd64.VMULPD, r, r)
	c := m.poly(z, cosQuarterPoly)
	m.fma(c, z, m.num(1))
	m.set(amd64.VPSLLQ, n, n, amd64.Imm(63))
	m.swapBySign(z, s, c, n) // c where odd
	m.set(amd64.VDIVPD, z, z, c)
	m.set(amd64.VPXORQ, z, z, n)
	return z
}

// turns returns x - 2*rint(x/2), in x, which is exact.
func (m doubles) turns(x amd64.Vec) {
	t := m.new(amd64.VMULPD, x, m.num(0.5))
	m.round(t, t, x86.RoundNearest)
	m.subProduct(x, t, m.num(2))
}

// sinPi computes sin(pi*b) with the sign of r: r is x without whole turns, and b the smaller one of |r| and
// 1-|r|. A zero has the sign of x.
func (m doubles) sinPi(xs ...amd64.Vec) amd64.Vec {
	sign := xs[0]
	r := m.new(amd64.VMOVDQA64, xs[0])
	m.turns(r)
	b, t := m.abs(r), m.all(1)
	m.set(amd64.VSUBPD, t, t, b)
	m.set(amd64.VMINPD, b, b, t)
	m.when(b, m.num(0), x86.CmpNotEqualU)
	m.replace(sign, r)
	m.set(amd64.VMULPD, b, b, m.num(math.Pi))
	return m.withSign(m.oddPoly(b, sinPoly), sign)
}

// cosPi computes sin(pi*(1/2-|r|)), r being x without whole turns.
func (m doubles) cosPi(xs ...amd64.Vec) amd64.Vec {
	m.turns(xs[0])
	b, t := m.abs(xs[0]), m.all(0.5)
	m.set(amd64.VSUBPD, t, t, b)
	m.set(amd64.VMULPD, t, t, m.num(math.Pi))
	return m.oddPoly(t, sinPoly)
}

// tanPi computes tan(pi*r + n*pi/2). Where r is zero, so is the result for even n, with the sign of x if n is
// 0 modulo 4, else the opposite one; for odd n it is infinite, and negative if n is 3 modulo 4.
func (m doubles) tanPi(xs ...amd64.Vec) amd64.Vec {
	sign := xs[0]
	r := m.new(amd64.VMOVDQA64, xs[0])
	m.turns(r)
	n := m.new(amd64.VADDPD, r, m.num(roundShift/2))
	k := m.new(amd64.VSUBPD, n, m.num(roundShift/2))
	m.set(amd64.VSUBPD, r, r, k)
	exact := m.new(amd64.VMOVDQA64, r)
	m.set(amd64.VMULPD, r, r, m.num(math.Pi))
	high, odd := m.new(amd64.VPSLLQ, n, amd64.Imm(62)), m.new(amd64.VPSLLQ, n, amd64.Imm(63))
	y := m.quarterTan(r, n)
	m.set(amd64.VPANDNQ, sign, odd, sign)
	m.set(amd64.VPXORQ, sign, sign, high)
	m.set(amd64.VPANDQ, sign, sign, m.bits64(1<<63))
	m.set(amd64.VPANDQ, odd, y, m.bits64(1<<63-1))
	m.set(amd64.VPORQ, sign, sign, odd)
	m.when(exact, m.num(0), x86.CmpEqual)
	m.replace(y, sign)
	return y
}
