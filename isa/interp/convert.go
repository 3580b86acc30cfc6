package interp

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// halfModes translates rounding modes for conversions to half precision.
var halfModes = [...]clmath.Rounding{
	isa.RoundDefault: clmath.RTE,
	isa.RoundRTE:     clmath.RTE,
	isa.RoundRTZ:     clmath.RTZ,
	isa.RoundRTP:     clmath.RTP,
	isa.RoundRTN:     clmath.RTN,
}

func f16ToF64(h uint16) float64 { return clmath.F16ToF64(h) }

// f64ToF16 rounds to half precision; a NaN becomes the canonical one.
func f64ToF16(x float64, r isa.Round) uint16 {
	if x != x {
		return 0x7e00
	}
	return clmath.F64ToF16Mode(x, halfModes[r])
}

// f64ToF32 rounds to single precision.
func f64ToF32(x float64, r isa.Round) float32 {
	y := float32(x)
	v := float64(y)
	if v == x || x != x {
		return y
	}
	// y is a neighbour of x, one of two; it may be infinite.
	switch r {
	case isa.RoundRTP:
		if v < x {
			return nextUp(y)
		}
	case isa.RoundRTN:
		if v > x {
			return -nextUp(-y)
		}
	case isa.RoundRTZ:
		switch {
		case x > 0 && v > x:
			return -nextUp(-y)
		case x < 0 && v < x:
			return nextUp(y)
		}
	}
	return y
}

// nextUp returns the least float32 greater than x, which is neither NaN nor +Inf.
func nextUp(x float32) float32 {
	b := math.Float32bits(x)
	switch {
	case b == 1<<31:
		b = 1
	case b>>31 != 0:
		b--
	default:
		b++
	}
	return math.Float32frombits(b)
}

// uintToFloat rounds v to p significant bits. The result is exact in float64,
// and in any format with p bits and a range to 2^64.
func uintToFloat(v uint64, p int, r isa.Round) float64 {
	return roundMagnitude(v, false, p, r)
}

// intToFloat is uintToFloat for signed numbers.
func intToFloat(v int64, p int, r isa.Round) float64 {
	if v < 0 {
		return -roundMagnitude(-uint64(v), true, p, r)
	}
	return roundMagnitude(uint64(v), false, p, r)
}

// roundMagnitude rounds the magnitude v of a number of the given sign.
func roundMagnitude(v uint64, negative bool, p int, r isa.Round) float64 {
	drop := bits.Len64(v) - p
	if drop <= 0 {
		return float64(v)
	}
	q, rest, half := v>>drop, v&(1<<drop-1), uint64(1)<<(drop-1)
	up := false
	switch r {
	case isa.RoundDefault, isa.RoundRTE:
		up = rest > half || rest == half && q&1 != 0
	case isa.RoundRTP:
		up = rest != 0 && !negative
	case isa.RoundRTN:
		up = rest != 0 && negative
	}
	if up {
		q++
	}
	return math.Ldexp(float64(q), drop)
}

// roundFloat rounds to an integral value.
func roundFloat(x float64, r isa.Round) float64 {
	switch r {
	case isa.RoundRTE:
		return math.RoundToEven(x)
	case isa.RoundRTP:
		return math.Ceil(x)
	case isa.RoundRTN:
		return math.Floor(x)
	}
	return math.Trunc(x)
}

// The conversions below go towards zero, saturate, and take NaN to 0.

func ftos8(x float64) int8   { return int8(ftosNarrow(x, math.MinInt8, math.MaxInt8)) }
func ftos16(x float64) int16 { return int16(ftosNarrow(x, math.MinInt16, math.MaxInt16)) }
func ftos32(x float64) int32 { return int32(ftosNarrow(x, math.MinInt32, math.MaxInt32)) }

func ftosNarrow(x, lo, hi float64) int64 {
	if x > lo-1 && x < hi+1 {
		return int64(x)
	}
	return clampFloat(x, int64(lo), int64(hi))
}

func ftos64(x float64) int64 {
	if x >= -1<<63 && x < 1<<63 {
		return int64(x)
	}
	return clampFloat(x, math.MinInt64, math.MaxInt64)
}

func ftou8(x float64) uint8   { return uint8(ftosNarrow(x, 0, math.MaxUint8)) }
func ftou16(x float64) uint16 { return uint16(ftosNarrow(x, 0, math.MaxUint16)) }
func ftou32(x float64) uint32 { return uint32(ftosNarrow(x, 0, math.MaxUint32)) }

func ftou64(x float64) uint64 {
	switch {
	case x > -1 && x < 1<<63:
		return uint64(int64(x))
	case x >= 1<<63 && x < 1<<64:
		return uint64(int64(x-1<<63)) + 1<<63
	}
	return uint64(clampFloat(x, 0, -1))
}

// clampFloat returns lo or hi for a number below or above the range, 0 for NaN.
func clampFloat(x float64, lo, hi int64) int64 {
	switch {
	case x < 0:
		return lo
	case x > 0:
		return hi
	}
	return 0
}
