package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// powr computes 2^(y*log2(x)), in which the cases that have no result make a NaN by themselves: 0*infinity,
// and the logarithm of a negative number.
func (m doubles) powr(xs ...amd64.Vec) amd64.Vec {
	t := binary2.kernel(m, xs[0])
	m.set(amd64.VMULPD, t, t, xs[1])
	return exponential(base2)(m, t)
}

// pow computes |x|^y, which is one where y is zero or |x| one, and gives it the sign of x where y is odd.
// Where y is no integer, numbers below zero have no power, but -infinity does.
func (m doubles) pow(xs ...amd64.Vec) amd64.Vec {
	x, y := xs[0], xs[1]
	zero := m.all(0)
	a := m.abs(x)
	t := binary2.kernel(m, a)
	u := a
	m.set(amd64.VMULPD, u, t, y)
	m.when(t, zero, x86.CmpEqual)
	m.replace(u, zero)
	m.when(y, zero, x86.CmpEqual)
	m.replace(u, zero)
	r := exponential(base2)(m, u)

	sign, v := m.signOfOdd(x, y, zero), m.Vec()
	m.set(amd64.VPORQ, r, r, sign)
	none := sign
	m.set(amd64.VPBROADCASTQ, none, m.Const64(math.Float64bits(math.NaN())))
	m.round(v, y, x86.RoundNearest)
	m.when(v, y, x86.CmpEqual)
	m.replace(none, r)
	m.when(x, zero, x86.CmpGreaterEqual)
	m.replace(none, r)
	m.set(amd64.VPBROADCASTQ, v, m.Const64(math.Float64bits(math.Inf(-1))))
	m.when(x, v, x86.CmpEqual)
	m.replace(none, r)
	return none
}

// signOfOdd returns the sign bit of x where n is an odd integer.
func (m doubles) signOfOdd(x, n, zero amd64.Vec) amd64.Vec {
	sign, v, half := m.new(amd64.VPANDQ, x, m.bits64(1<<63)), m.Vec(), m.new(amd64.VMULPD, n, m.num(0.5))
	m.round(v, half, x86.RoundNearest)
	m.when(v, half, x86.CmpEqual)
	m.replace(sign, zero)
	m.round(v, n, x86.RoundNearest)
	m.when(v, n, x86.CmpNotEqualU)
	m.replace(sign, zero)
	return sign
}

// rootn computes 2^(log2(|x|)/n) with the sign of x for odd n. There is none for n = 0 and for even n and
// negative x.
func (m doubles) rootn(xs ...amd64.Vec) amd64.Vec {
	x, n := xs[0], xs[1]
	zero := m.all(0)
	a := m.abs(x)
	t := binary2.kernel(m, a)
	m.set(amd64.VDIVPD, t, t, n)
	r := exponential(base2)(m, t)
	sign := m.signOfOdd(x, n, zero)
	m.set(amd64.VPORQ, r, r, sign)
	none, half := sign, m.Vec()
	m.set(amd64.VPBROADCASTQ, none, m.Const64(math.Float64bits(math.NaN())))
	m.when(n, zero, x86.CmpEqual)
	m.replace(r, none)
	m.set(amd64.VMULPD, half, n, m.num(0.5))
	m.round(n, half, x86.RoundNearest)
	m.when(n, half, x86.CmpNotEqual)
	m.replace(none, r)
	m.when(x, zero, x86.CmpGreaterEqual)
	m.replace(none, r)
	return none
}

// far is the quotient up to which remainders are computed: its product with a float is exact.
const far = 1 << 29

// quotient returns q = x/y rounded to an integer, which may be wrong by one; r = x - q*y; and |y|. y is an
// infinite bound of the error then where q is so large that r is not exact, else 0. An infinite y counts as a
// large number.
func (m doubles) quotient(x, y amd64.Vec, mode amd64.Imm) (q, r, ay amd64.Vec) {
	ay, infinity := m.abs(y), m.all(math.Inf(1))
	large := m.all(0x1p200)
	m.when(ay, infinity, x86.CmpEqual)
	m.replace(ay, large)
	m.set(amd64.VPANDQ, y, y, m.bits64(1<<63))
	m.set(amd64.VPORQ, y, y, ay)
	q, r = m.new(amd64.VDIVPD, x, y), m.new(amd64.VMOVDQA64, x)
	m.round(q, q, mode)
	m.subProduct(r, q, y)
	t := m.abs(q)
	m.set(amd64.VPXORQ, y, y, y)
	m.when(t, m.num(far), x86.CmpGreaterEqual)
	m.replace(y, infinity)
	return q, r, ay
}

// boundFirst returns y with the sign of x, and leaves the bound of the error where it belongs.
func (m doubles) boundFirst(y, x, bound amd64.Vec) amd64.Vec {
	y = m.withSign(y, x)
	m.set(amd64.VMOVDQA64, x, bound)
	return y
}

// fmod adds y once where the quotient has been rounded up to an integer, so that r is not on the side of zero
// that x is on.
func (m doubles) fmod(xs ...amd64.Vec) amd64.Vec {
	x, y := xs[0], xs[1]
	q, r, ay := m.quotient(x, y, x86.RoundZero)
	m.set(amd64.VPANDQ, q, x, m.bits64(1<<63))
	m.set(amd64.VPXORQ, r, r, q) // as for a positive x
	t := m.new(amd64.VADDPD, r, ay)
	m.when(r, m.num(0), x86.CmpLess)
	m.replace(r, t)
	return m.boundFirst(r, x, y)
}

// remainder takes y off once where the quotient has been rounded to the wrong side of a half, and changes
// the sign of a half where the quotient is odd.
func (m doubles) remainder(xs ...amd64.Vec) amd64.Vec {
	x, y := xs[0], xs[1]
	q, r, ay := m.quotient(x, y, x86.RoundNearest)
	// a is |r|, other the remainder of the next quotient, with the sign of r taken off both.
	a := m.abs(r)
	other := m.new(amd64.VSUBPD, a, ay)
	m.set(amd64.VPANDQ, r, r, m.bits64(1<<63))
	m.set(amd64.VMULPD, ay, ay, m.num(0.5))
	half, keep := q, m.new(amd64.VMOVDQA64, a)
	m.set(amd64.VMULPD, half, q, m.num(0.5))
	m.when(a, ay, x86.CmpGreater)
	m.replace(keep, other)
	t := m.Vec()
	m.round(t, half, x86.RoundNearest)
	m.set(amd64.VSUBPD, t, t, half) // 0 if q is even
	odd := m.new(amd64.VPXORQ, keep, m.bits64(1<<63))
	zero := half
	m.set(amd64.VPXORQ, zero, zero, zero)
	m.when(t, zero, x86.CmpEqual)
	m.replace(odd, keep)
	m.when(a, ay, x86.CmpEqual)
	m.replace(keep, odd)
	m.set(amd64.VPXORQ, keep, keep, r)
	// A zero has the sign of x.
	m.set(amd64.VPANDQ, t, x, m.bits64(1<<63))
	m.when(keep, zero, x86.CmpEqual)
	m.replace(keep, t)
	m.set(amd64.VMOVDQA64, x, y)
	return keep
}
