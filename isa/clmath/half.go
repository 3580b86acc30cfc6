package clmath

import (
	"math"
	"math/bits"
)

// Rounding is the rounding mode of a conversion (OpenCL C section 6.4.3.2).
type Rounding uint8

// The rounding modes of OpenCL.
const (
	RTE Rounding = iota // to nearest, ties to even
	RTZ                 // towards zero
	RTP                 // towards positive infinity
	RTN                 // towards negative infinity
)

// String returns the mode's suffix in OpenCL C.
func (r Rounding) String() string {
	switch r {
	case RTE:
		return "rte"
	case RTZ:
		return "rtz"
	case RTP:
		return "rtp"
	case RTN:
		return "rtn"
	}
	return "invalid"
}

// F16ToF32 returns the value of the half with the given bits. It is exact. A
// NaN keeps its sign and payload and becomes quiet.
func F16ToF32(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp, man := uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 31:
		if man != 0 {
			man |= 1 << 9
		}
		return math.Float32frombits(sign | 0xff<<23 | man<<13)
	case 0:
		if man == 0 {
			return math.Float32frombits(sign)
		}
		n := uint32(bits.LeadingZeros32(man)) - 21 // to bit 10
		return math.Float32frombits(sign | (113-n)<<23 | man<<n&1023<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | man<<13)
}

// F16ToF64 returns the value of the half with the given bits, as F16ToF32.
func F16ToF64(h uint16) float64 {
	f := F16ToF32(h)
	if f != f {
		b := uint64(math.Float32bits(f))
		return math.Float64frombits(b>>31<<63 | 0x7ff<<52 | b&(1<<23-1)<<29)
	}
	return float64(f)
}

// F32ToF16 rounds x to half precision, to nearest even.
func F32ToF16(x float32) uint16 { return F32ToF16Mode(x, RTE) }

// F32ToF16Mode rounds x to half precision. Values beyond the largest half
// become infinite or the largest half, as the mode says. A NaN keeps its sign
// and the upper bits of its payload and becomes quiet.
func F32ToF16Mode(x float32, mode Rounding) uint16 {
	b := math.Float32bits(x)
	if x != x {
		return uint16(b>>16&0x8000 | 0x7e00 | b>>13&0x1ff)
	}
	return F64ToF16Mode(float64(x), mode)
}

// F64ToF16 rounds x to half precision, to nearest even.
func F64ToF16(x float64) uint16 { return F64ToF16Mode(x, RTE) }

// F64ToF16Mode rounds x once to half precision, as F32ToF16Mode does.
func F64ToF16Mode(x float64, mode Rounding) uint16 {
	b := math.Float64bits(x)
	sign := uint16(b >> 48 & 0x8000)
	b &= 1<<63 - 1
	switch {
	case b > 0x7ff<<52:
		return sign | 0x7e00 | uint16(b>>42&0x1ff)
	case b == 0x7ff<<52:
		return sign | 0x7c00
	}
	// The value in units of the last place of its half: q, and rest below it.
	exp := int(b >> 52)
	man := b&(1<<52-1) | 1<<52
	shift := uint(42)
	if exp < 1009 { // below 2^-14 the unit is 2^-24
		shift += uint(min(1009-exp, 21))
		if exp < 1009-21 {
			man = min(b, 1) // nothing is left but a trace
		}
	}
	q, rest := man>>shift, man&(1<<shift-1)
	up := false
	switch half := uint64(1) << (shift - 1); mode {
	case RTE:
		up = rest > half || rest == half && q&1 != 0
	case RTP:
		up = rest != 0 && sign == 0
	case RTN:
		up = rest != 0 && sign != 0
	}
	h := q
	if exp >= 1009 {
		h += uint64(exp-1009) << 10 // q holds the leading one, which adds 1 to the exponent
	}
	if up {
		h++ // a carry moves on to the next exponent
	}
	if h >= 0x7c00 {
		h = 0x7c00
		if mode == RTZ || mode == RTP && sign != 0 || mode == RTN && sign == 0 {
			h = 0x7bff
		}
	}
	return sign | uint16(h)
}
