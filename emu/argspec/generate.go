package argspec

import (
	"math"
	"math/bits"
)

// iota_ stores start, start+step, start+2·step …: for integers modulo 2^bits, for
// floating point the product and the sum each rounded to float64 and the result
// rounded to t.
func iota_(dst []byte, t Type, start, step uint64) {
	size := t.Size()
	if !t.Float() {
		for v := start; len(dst) > 0; v, dst = v+step, dst[size:] {
			put(dst, size, v)
		}
		return
	}
	a, b := floatOf(t, start), floatOf(t, step)
	for i := 0; len(dst) > 0; i, dst = i+1, dst[size:] {
		put(dst, size, floatBits(t, a+float64(b*float64(i))))
	}
}

// splitMix returns output i (from 0) of the SplitMix64 generator (Steele, Lea and
// Flood, "Fast Splittable Pseudorandom Number Generators", 2014) seeded with seed.
// Its state after i+1 steps is seed + (i+1)·γ, so any element can be had by itself.
func splitMix(seed, i uint64) uint64 {
	z := seed + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// randFull fills dst as rand: without a range does; see Help for the definition.
func randFull(dst []byte, t Type, seed uint64) {
	size := t.Size()
	for i := uint64(0); len(dst) > 0; i, dst = i+1, dst[size:] {
		x := splitMix(seed, i)
		switch t {
		case F16:
			x = floatBits(F16, float64(x>>53)*0x1p-11)
		case F32:
			x = floatBits(F32, float64(x>>40)*0x1p-24)
		case F64:
			x = floatBits(F64, float64(x>>11)*0x1p-53)
		default:
			x >>= 64 - 8*size
		}
		put(dst, size, x)
	}
}

// randRange fills dst as rand: with a range does; see Help for the definition.
func randRange(dst []byte, t Type, seed, lo, hi uint64) {
	size := t.Size()
	if !t.Float() {
		span := hi - lo + 1 // 0 stands for 2^64
		for i := uint64(0); len(dst) > 0; i, dst = i+1, dst[size:] {
			x := splitMix(seed, i)
			if span != 0 {
				x, _ = bits.Mul64(x, span)
			}
			put(dst, size, lo+x)
		}
		return
	}
	a, b := floatOf(t, lo), floatOf(t, hi)
	last := floatBits(t, below(t, hi))
	for i := uint64(0); len(dst) > 0; i, dst = i+1, dst[size:] {
		u := float64(splitMix(seed, i)>>11) * 0x1p-53
		v := floatBits(t, float64(a*(1-u))+float64(b*u))
		if floatOf(t, v) >= b {
			v = last
		}
		put(dst, size, v)
	}
}

// below returns the largest value of type t that is less than the one with these
// bits, which is finite and not the least.
func below(t Type, bits uint64) float64 {
	sign := signBit(t)
	switch {
	case bits&^sign == 0:
		return floatOf(t, sign|1)
	case bits&sign != 0:
		return floatOf(t, bits+1)
	default:
		return floatOf(t, bits-1)
	}
}

// badRange says why LO and HI are no range, or nothing.
func badRange(t Type, lo, hi uint64) string {
	if t.Float() {
		a, b := floatOf(t, lo), floatOf(t, hi)
		switch {
		case math.IsNaN(a) || math.IsInf(a, 0) || math.IsNaN(b) || math.IsInf(b, 0):
			return "the ends of the range must be finite"
		case !(a < b):
			return "the range is empty: LO is not below HI"
		}
		return ""
	}
	// value sign-extends negative integers, so 64-bit comparison serves all widths.
	if (t.Signed() && int64(lo) > int64(hi)) || (!t.Signed() && lo > hi) {
		return "the range is empty: LO is above HI"
	}
	return ""
}
