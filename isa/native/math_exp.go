package native

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
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
		m.round(t, x, roundNearest)
		m.set(amd64.VSUBPD, x, x, t)
		return t, x
	}
	m.set(amd64.VMULPD, t, x, m.num(b.scale))
	m.round(t, t, roundNearest)
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

// logarithm returns the kernel of the logarithm of which log2 is the value at two: x = 2^e*m,
// with m near k/16, for which the tables have a short inverse c and -log(c); then r = m*c-1 is exact, and small.
func logarithm(log2 float64, poly, table []float64) kernel {
	return func(m doubles, x ...amd64.Vec) amd64.Vec {
		mant, minusE := m.split(x[0])
		k := m.new(amd64.VADDPD, mant, m.num(0x1.8p48))
		c := m.lookUp(logInverse, k)
		r := mant
		m.set(amd64.VFMSUB213PD, r, c, m.num(1))
		y := m.poly(r, poly)
		m.fma(y, r, m.lookUp(table, k))
		if log2 == 1 {
			m.set(amd64.VSUBPD, y, y, minusE)
		} else {
			m.subProduct(y, minusE, m.num(log2))
		}
		m.logAtEnds(y, x[0])
		return y
	}
}
