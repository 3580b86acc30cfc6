package native

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// roundShift, added to a small double, leaves its integer in the last bits.
const roundShift = 0x1.8p52

// oddPoly returns r + r*z*p(z), z = r*r, with the coefficients of p.
func (m doubles) oddPoly(r amd64.Vec, coefficients []float64) amd64.Vec {
	z := m.new(amd64.VMULPD, r, r)
	y := m.poly(z, coefficients)
	m.set(amd64.VMULPD, z, z, r)
	m.fma(y, z, r)
	m.release(z)
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

// zeroOrInfinite is an operand of VFPCLASSPD.
const zeroOrInfinite = 0x0e // either zero, +infinity

// rsqrt refines an approximation y that has a relative error of 2^-14: with e = 1-x*y*y, the
// result is y*(1-e)^(-1/2), of which four terms do.
func (m doubles) rsqrt(xs ...amd64.Vec) amd64.Vec {
	x := xs[0]
	if m.w == amd64.Y {
		y := m.new(amd64.VSQRTPD, x)
		m.set(amd64.VDIVPD, y, m.all(1), y)
		return y
	}
	y := m.new(amd64.VRSQRT14PD, x)
	e := m.new(amd64.VMULPD, x, y)
	m.set(amd64.VFNMADD213PD, e, y, m.num(1))
	p := m.poly(e, []float64{1.0 / 2, 3.0 / 8, 5.0 / 16, 35.0 / 128})
	m.set(amd64.VMULPD, p, p, e)
	m.set(amd64.VMOVDQA64, e, y)
	m.fma(e, p, y)
	m.V(amd64.VFPCLASSPD, amd64.Z, maskTemp, x, amd64.Imm(zeroOrInfinite))
	m.set(amd64.VMOVDQA64, e, y, amd64.Merge(maskTemp))
	return e
}
