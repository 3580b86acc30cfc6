package argspec

import "math"

// halfToFloat returns the value of a binary16 number. Every such value is a
// float64; NaN payloads are not kept.
func halfToFloat(h uint16) float64 {
	sign, exp, frac := h>>15, int(h>>10&31), float64(h&1023)
	var v float64
	switch exp {
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		v = math.Inf(1)
	case 0:
		v = math.Ldexp(frac, -24)
	default:
		v = math.Ldexp(frac+1024, exp-25)
	}
	if sign != 0 {
		v = -v
	}
	return v
}

// halfFromFloat rounds f to binary16, to nearest with ties to even. exact tells
// which side of f the number lies on that f stands for, when f is itself the
// rounding of something finer: negative is towards zero, positive away from it,
// zero means f is exact. It decides ties, so that rounding twice does no harm.
func halfFromFloat(f float64, exact int) uint16 {
	var sign uint16
	if math.Signbit(f) {
		sign = 0x8000
	}
	f = math.Abs(f)
	switch {
	case f != f:
		return sign | 0x7e00
	case f > 65520 || (f == 65520 && exact >= 0):
		return sign | 0x7c00
	case f == 0:
		return sign
	}
	// The unit in the last place of f's binade; subnormals share the lowest.
	_, e := math.Frexp(f)
	e = max(e-11, -24)
	scaled := math.Ldexp(f, -e)
	whole := math.Floor(scaled)
	up := scaled-whole > 0.5
	if scaled-whole == 0.5 {
		up = exact > 0 || (exact == 0 && math.Mod(whole, 2) == 1)
	}
	n := uint16(whole)
	if up {
		n++
	}
	// A normal significand has bit 10 set, which adds one to the exponent field;
	// a carry out of the significand does so by itself.
	return sign | uint16(e+24)<<10 + n
}
