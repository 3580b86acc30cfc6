package mathfn

import (
	"sync"

	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// The pieces of [clmath.ErrorPieces]: behind those of erf(x)/x, those of erfc(x)*exp(x*x) from 0 on, and of the
// same from 4 on.
const (
	pieceErfcx    = 48
	pieceErfcxFar = 80
)

var errorPieces = sync.OnceValue(clmath.ErrorPieces)

// piece evaluates the polynomials of pieces of [clmath.ErrorPieces] at h, the first three coefficients in
// pairs, as clmath does. The error is below 2^-63 of the result. number is lost.
func (m doubles) piece(number, h amd64.Vec) pairOf {
	m.set(amd64.VADDPD, number, number, m.num(roundShift))
	m.set(amd64.VPANDQ, number, number, m.bits64(127))
	coefficients := errorPieces()
	hi := m.gather(coefficients[12], number)
	for i := 11; i >= 3; i-- {
		c := m.gather(coefficients[i], number)
		m.fma(hi, h, c)
	}
	lo, t, u := m.all(0), m.Vec(), m.Vec()
	for i := 2; i >= 0; i-- {
		// (hi, lo) = (hi, lo)*h + coefficient
		m.set(amd64.VMULPD, lo, lo, h)
		m.set(amd64.VMULPD, t, hi, h)
		if i < 2 {
			m.set(amd64.VFMSUB213PD, hi, h, t) // what t lacks
			m.set(amd64.VADDPD, lo, lo, hi)
		}
		c, rest := m.gather(coefficients[i], number), m.gather(coefficients[13+i], number)
		m.set(amd64.VADDPD, lo, lo, rest)
		m.set(amd64.VADDPD, hi, c, t)
		m.set(amd64.VSUBPD, u, hi, c)
		m.set(amd64.VSUBPD, t, t, u)
		m.set(amd64.VSUBPD, u, hi, u)
		m.set(amd64.VSUBPD, u, c, u)
		m.set(amd64.VADDPD, lo, lo, t)
		m.set(amd64.VADDPD, lo, lo, u)
	}
	return pairOf{hi, lo}
}

// bounded returns x within limits; a NaN becomes one of them.
func (m doubles) bounded(x amd64.Vec, least, most float64) amd64.Vec {
	d := m.new(amd64.VMAXPD, x, m.num(least))
	m.set(amd64.VMINPD, d, d, m.num(most))
	return d
}

// eighths returns in which piece of length 1/8 a is, and where from its middle.
func (m doubles) eighths(a amd64.Vec) (piece, h amd64.Vec) {
	piece = m.new(amd64.VMULPD, a, m.num(8))
	m.round(piece, piece, x86.RoundZero)
	h = m.new(amd64.VADDPD, piece, m.num(0.5))
	m.set(amd64.VMULPD, h, h, m.num(0.125))
	m.set(amd64.VSUBPD, h, a, h)
	return piece, h
}

// multiply makes p the product of p and q. q.lo may be 0.
func (m doubles) multiply(p, q pairOf) {
	t := m.new(amd64.VMULPD, p.hi, q.hi)
	m.set(amd64.VMULPD, p.lo, p.lo, q.hi)
	m.addProduct(p.lo, p.hi, q.lo)
	m.set(amd64.VFMSUB213PD, p.hi, q.hi, t)
	m.set(amd64.VADDPD, p.lo, p.lo, p.hi)
	m.set(amd64.VMOVDQA64, p.hi, t)
}

// settleRelative is settle with a bound of the relative error.
func (m doubles) settleRelative(lanes amd64.Mask, p pairOf, bound float64) amd64.Vec {
	err := m.abs(p.hi)
	m.set(amd64.VMULPD, err, err, m.num(bound))
	return m.settle(lanes, p, err)
}

// passNaNs gives y the NaNs of x, and leaves none of them to Go.
func (m doubles) passNaNs(lanes amd64.Mask, y, x amd64.Vec) {
	m.when(x, x, x86.CmpUnordered)
	m.replace(y, x)
	m.V(amd64.KANDNW, amd64.X, lanes, x86.MaskTemp, lanes)
}

// errorBound is that of the pairs of erf64 and erfc64 here, and of clmath's, together.
const errorBound = 0x1p-61

// erf64 leaves tiny operands to Go. From 5.96 on, the result is 1.
func erf64(m doubles, lanes amd64.Mask, xs ...amd64.Vec) amd64.Vec {
	x := m.bounded(xs[0], -5.96, 5.96)
	a := m.abs(x)
	row, h := m.eighths(a)
	p := m.piece(row, h)
	m.set(amd64.VPXORQ, h, h, h)
	m.multiply(p, pairOf{x, h})
	y := m.settleRelative(lanes, p, errorBound)
	m.also(lanes, a, m.num(0x1p-28), x86.CmpLess)
	m.when(x, m.num(0), x86.CmpEqual) // with its sign
	m.replace(y, x)
	m.V(amd64.KANDNW, amd64.X, lanes, x86.MaskTemp, lanes)
	m.passNaNs(lanes, y, xs[0])
	return y
}

// erfc64 is 1-erf(x) below 1/2, and exp(-x*x) times what pieces have from there on; denormal results, and
// nearly such, are left to Go.
func erfc64(m doubles, lanes amd64.Mask, xs ...amd64.Vec) amd64.Vec {
	x := m.bounded(xs[0], -5.96, 27.99)
	a := m.abs(x)
	row, h := m.eighths(a)
	// From 4 on, pieces have the length 1/2.
	farRow, far := m.Vec(), m.new(amd64.VSUBPD, a, m.num(4))
	m.set(amd64.VADDPD, farRow, far, far)
	m.round(farRow, farRow, x86.RoundZero)
	t := m.new(amd64.VADDPD, farRow, m.num(0.5))
	m.set(amd64.VMULPD, t, t, m.num(0.5))
	m.set(amd64.VSUBPD, far, far, t)
	m.set(amd64.VADDPD, farRow, farRow, m.num(pieceErfcxFar))
	m.set(amd64.VADDPD, t, row, m.num(pieceErfcx))
	m.when(x, m.num(0.5), x86.CmpGreaterEqual)
	m.replace(row, t)
	m.when(x, m.num(4), x86.CmpGreaterEqual)
	m.replace(row, farRow)
	m.replace(h, far)
	p := m.piece(row, h)
	// The square, negative.
	hi := m.new(amd64.VMULPD, x, x)
	lo := m.new(amd64.VMOVDQA64, x)
	m.set(amd64.VFMSUB213PD, lo, x, hi)
	m.set(amd64.VPXORQ, hi, hi, m.bits64(1<<63))
	m.set(amd64.VPXORQ, lo, lo, m.bits64(1<<63))
	e, k := m.expPair(hi, lo)
	zero, minus := m.all(0), m.new(amd64.VPXORQ, x, m.bits64(1<<63))
	m.when(x, m.num(0.5), x86.CmpLess)
	m.replace(e.hi, minus)
	m.replace(e.lo, zero)
	m.replace(k, zero)
	m.multiply(p, e)
	// Below 1/2, what has been multiplied is added to 1.
	one := m.all(1)
	m.when(x, m.num(0.5), x86.CmpLess)
	m.replace(zero, p.hi)
	m.replace(p.hi, one)
	m.fastTwoSum(p.hi, zero, p.lo)
	y := m.settleRelative(lanes, p, errorBound)
	m.set(amd64.VSCALEFPD, y, y, k)
	m.rare(lanes, k, 1010)
	m.passNaNs(lanes, y, xs[0])
	return y
}
