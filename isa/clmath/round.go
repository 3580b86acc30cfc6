package clmath

import "math"

const (
	nanBits32 = 0x7fc00000
	nanBits64 = 0x7ff8000000000000

	// tiny32 is the smallest normal float32.
	tiny32 = 0x1p-126
)

var (
	nan32 = math.Float32frombits(nanBits32)
	nan64 = math.Float64frombits(nanBits64)
	inf32 = math.Float32frombits(0x7f800000)
	inf64 = math.Inf(1)
)

// The fast path of a single precision function computes y in double precision
// with a relative error below 2^-41. Rounding y to float32 then gives the
// correctly rounded result unless y is within that error of the middle of two
// float32 neighbours. settled says that it is not: it looks at the 29 bits
// that rounding drops, for a distance of at least 2^12 units (2^-40) from the
// pattern 1000...0. It is meant for results in the normal range of float32;
// below it, use settledTiny.
func settled(y float64) bool {
	return (math.Float64bits(y)-(1<<28-1<<12))&(1<<29-1) > 1<<13
}

// settledTiny is settled for results of any size.
func settledTiny(y float64) bool {
	return float32(y*(1-0x1p-40)) == float32(y*(1+0x1p-40))
}

// settledAbs is settled for a y with a known absolute error bound.
func settledAbs(y, err float64) bool {
	return float32(y-err) == float32(y+err)
}

// quiet32 returns x, or the canonical NaN if x is one.
func quiet32(x float32) float32 {
	if x != x {
		return nan32
	}
	return x
}

// quiet64 returns x, or the canonical NaN if x is one.
func quiet64(x float64) float64 {
	if x != x {
		return nan64
	}
	return x
}
