package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// erf computes a*p(h), a = |x|, with the polynomial of the piece of length 1/4 that a is in, h from its
// middle. From 3.999 on the result rounds to one.
func (m doubles) erf(x ...amd64.Vec) amd64.Vec {
	a, h := m.abs(x[0]), m.all(3.999)
	m.set(amd64.VMINPD, a, h, a)
	piece := m.new(amd64.VMULPD, a, m.num(4))
	m.round(piece, piece, x86.RoundZero)
	m.set(amd64.VSUBPD, h, a, m.num(0.125))
	m.subProduct(h, piece, m.num(0.25))
	m.set(amd64.VADDPD, piece, piece, m.num(roundShift))
	n := len(erfPieces) - 1
	y := m.lookUp(erfPieces[n], piece)
	for i := n - 1; i >= 0; i-- {
		t := m.lookUp(erfPieces[i], piece)
		m.fma(y, h, t)
	}
	m.set(amd64.VMULPD, y, y, a)
	return m.withSign(y, x[0])
}

// erfc computes exp(-a*a)*p(t)/(a+4), a = |x|, t = (a-4)/(a+4), and takes it from 2 for negative x. From 11
// on, the result rounds to 0.
func (m doubles) erfc(x ...amd64.Vec) amd64.Vec {
	a, t, d := m.abs(x[0]), m.all(11), m.all(1)
	m.set(amd64.VMINPD, a, t, a)
	m.set(amd64.VADDPD, t, a, m.num(4))
	m.set(amd64.VDIVPD, d, d, t)
	m.set(amd64.VSUBPD, t, a, m.num(4))
	m.set(amd64.VMULPD, t, t, d)
	y := m.poly(t, erfcxPoly)
	m.set(amd64.VMULPD, y, y, d)
	m.set(amd64.VMULPD, t, a, a)
	m.set(amd64.VPXORQ, t, t, m.bits64(1<<63))
	e := exponential(baseE)(m, t)
	m.set(amd64.VMULPD, y, y, e)
	m.set(amd64.VPBROADCASTQ, t, m.Const64(math.Float64bits(2)))
	m.set(amd64.VSUBPD, t, t, y)
	m.whenNegative(x[0])
	m.replace(y, t)
	return y
}
