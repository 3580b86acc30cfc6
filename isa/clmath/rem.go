package clmath

import (
	"math"
	"math/bits"
)

// remEdge handles the arguments for which no division takes place: it returns
// the remainder and whether this is such a case.
func remEdge(x, y float64) (float64, bool) {
	switch {
	case x != x, y != y, math.IsInf(x, 0), y == 0:
		return nan64, true
	case math.IsInf(y, 0), x == 0:
		return x, true
	}
	return 0, false
}

// parts splits a positive finite x into an integer below 2^53 and a power of
// two.
func parts(x float64) (m uint64, e int) {
	b := math.Float64bits(x)
	if b>>52 == 0 {
		return b, -1074
	}
	return b&(1<<52-1) | 1<<52, int(b>>52) - 1075
}

// divide returns |x| modulo |y| as m*2^e, with the low bits of the quotient,
// for finite x and finite non-zero y. It is exact.
func divide(x, y float64) (m uint64, e int, quo uint64) {
	mx, ex := parts(math.Abs(x))
	my, ey := parts(math.Abs(y))
	tz := bits.TrailingZeros64(my)
	my, ey = my>>tz, ey+tz
	if ex < ey {
		s := uint(ey - ex)
		if s >= 64 {
			return mx, ex, 0
		}
		// Bits of x below the unit of y stay in the remainder.
		low := mx & (1<<s - 1)
		q := mx >> s
		return q%my<<s | low, ex, q / my
	}
	quo = mx / my
	r := mx % my
	for d := ex - ey; d > 0; {
		s := min(d, 63)
		// r < my, so the quotient of r*2^s by my fits in 64 bits.
		q, rem := bits.Div64(r>>(64-s), r<<s, my)
		quo, r = quo<<s+q, rem
		d -= s
	}
	return r, ey, quo
}

// assemble returns m*2^e, which is exact by construction.
func assemble(m uint64, e int) float64 {
	return Ldexp64(float64(m), int32(e))
}

// Fmod64 returns x - y*trunc(x/y), exactly.
func Fmod64(x, y float64) float64 {
	if r, ok := remEdge(x, y); ok {
		return r
	}
	if math.Abs(x) < math.Abs(y) {
		return x
	}
	m, e, _ := divide(x, y)
	return math.Copysign(assemble(m, e), x)
}

// Fmod32 returns x - y*trunc(x/y), exactly.
func Fmod32(x, y float32) float32 {
	return quiet32(float32(Fmod64(float64(x), float64(y))))
}

// Remquo64 returns x - y*n, exactly, where n is the integer nearest to x/y,
// ties to even, and the low seven bits of |n| with the sign of x/y (OpenCL C
// section 6.15.2).
func Remquo64(x, y float64) (rem float64, quo int32) {
	if r, ok := remEdge(x, y); ok {
		return r, 0
	}
	m, e, q := divide(x, y)
	r := assemble(m, e)
	ya := math.Abs(y)
	// r against y/2, both halved rather than doubled where that is exact.
	var above, tie bool
	if ya < 0x1p-1000 {
		above, tie = 2*r > ya, 2*r == ya
	} else {
		above, tie = r > ya/2, r == ya/2
	}
	if above || tie && q&1 != 0 {
		r -= ya
		q++
	}
	quo = int32(q & 127)
	if math.Signbit(x) != math.Signbit(y) {
		quo = -quo
	}
	if r == 0 {
		return math.Copysign(0, x), quo
	}
	return signed(r, x), quo
}

// Remquo32 returns the remainder and quotient bits as Remquo64 does.
func Remquo32(x, y float32) (rem float32, quo int32) {
	r, q := Remquo64(float64(x), float64(y))
	return quiet32(float32(r)), q
}

// Remainder32 returns x - y*n, exactly, where n is the integer nearest to
// x/y, ties to even.
func Remainder32(x, y float32) float32 {
	r, _ := Remquo32(x, y)
	return r
}

// Remainder64 returns x - y*n as Remainder32 does.
func Remainder64(x, y float64) float64 {
	r, _ := Remquo64(x, y)
	return r
}
