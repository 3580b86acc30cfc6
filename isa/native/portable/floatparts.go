package portable

import "math"

// rounded is VROUND, and VRNDSCALE without a scale: a whole number in the rounding that the number of the
// instruction has.
func (f *format) rounded(x *lane) uint64 {
	mode := x.imm & 3
	if x.imm&4 != 0 {
		mode = 0 // that of MXCSR
	}
	return f.unary(x.a, [...]func(float64) float64{math.RoundToEven, math.Floor, math.Ceil, math.Trunc}[mode])
}

// exponent is VGETEXP: that of a number as a float.
func (f *format) exponent(x *lane) uint64 {
	switch {
	case f.isNaN(x.a):
		return x.a | f.quiet()
	case f.isInfinite(x.a):
		return f.infinity()
	case f.isZero(x.a):
		return f.infinity() | f.sign()
	}
	_, e := math.Frexp(f.value(x.a))
	return f.bits(float64(e - 1))
}

// mantissa is VGETMANT: that of a number in an interval.
func (f *format) mantissa(x *lane) uint64 {
	if f.isNaN(x.a) {
		return x.a | f.quiet()
	}
	sign := x.a & f.sign()
	if x.imm&4 != 0 {
		sign = 0
	}
	one := f.bits(1)
	if f.isZero(x.a) {
		return sign | one
	}
	if f.negative(x.a) && x.imm&8 != 0 {
		return f.indefinite()
	}
	if f.isInfinite(x.a) {
		return sign | one
	}
	m, e := math.Frexp(math.Abs(f.value(x.a))) // in [1/2, 1)
	e--
	switch x.imm & 3 {
	case 0: // [1, 2)
		m *= 2
	case 1: // [1/2, 2)
		if e&1 == 0 {
			m *= 2
		}
	case 2: // [1/2, 1)
	case 3: // [3/4, 3/2)
		if m < 0.75 {
			m *= 2
		}
	}
	return sign | f.bits(m)
}

// scaled is VSCALEF: a times two to the power of b rounded down.
func (f *format) scaled(x *lane) uint64 {
	a, b := x.a, x.b
	switch {
	case f.isNaN(a):
		// A quiet one, with an infinite power, is the result of that power.
		if !f.isSignaling(a) && f.isInfinite(b) {
			if f.negative(b) {
				return 0
			}
			return f.infinity()
		}
		return a | f.quiet()
	case f.isNaN(b):
		return b | f.quiet()
	case f.isInfinite(b) && f.negative(b):
		if f.isInfinite(a) {
			return f.indefinite()
		}
		return a & f.sign()
	case f.isInfinite(b):
		if f.isZero(a) {
			return f.indefinite()
		}
		return a&f.sign() | f.infinity()
	case f.isZero(a) || f.isInfinite(a):
		return a
	}
	n := min(max(math.Floor(f.value(b)), -5000), 5000)
	return f.bits(math.Ldexp(f.value(a), int(n)))
}

// ranged is VRANGE: the lesser or greater of two numbers, or of their absolute values, and a sign.
func (f *format) ranged(x *lane) uint64 {
	a, b := x.a, x.b
	var r uint64
	switch {
	case f.isSignaling(a):
		return a | f.quiet()
	case f.isSignaling(b):
		return b | f.quiet()
	case f.isNaN(a) && f.isNaN(b):
		r = a
	case f.isNaN(a):
		r = b
	case f.isNaN(b):
		r = a
	default:
		p, q := a, b
		if x.imm&2 != 0 {
			p, q = a&^f.sign(), b&^f.sign()
		}
		first := f.before(p, q)
		if x.imm&1 != 0 {
			first = f.before(q, p)
		}
		if r = b; first || p == q && x.imm&2 != 0 && f.negative(a) == (x.imm&1 == 0) {
			r = a
		}
	}
	switch x.imm >> 2 & 3 {
	case 0:
		return r&^f.sign() | a&f.sign()
	case 2:
		return r &^ f.sign()
	case 3:
		return r | f.sign()
	}
	return r
}

// before says whether a is less than b, a negative zero being less than a positive one.
func (f *format) before(a, b uint64) bool {
	if f.isZero(a) && f.isZero(b) {
		return f.negative(a) && !f.negative(b)
	}
	return f.value(a) < f.value(b)
}
