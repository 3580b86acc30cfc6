package memory

//go:generate go run ./internal/gensrgb

import (
	"encoding/binary"
	"math"
)

// Texel is an element of an image as a kernel sees it: the bits of r, g, b and
// a, floats or 32-bit integers as the format's [Class] has it.
type Texel [4]uint32

const oneBits = 0x3f800000 // float 1

// one returns 1 in the format's class.
func (f Format) one() uint32 {
	if f.Class() == ClassFloat {
		return oneBits
	}
	return 1
}

// Border returns what a read outside of an image gives: zeros, with an alpha of
// one where the format has no alpha.
func (f Format) Border() Texel {
	if f.hasBorderAlpha() {
		return Texel{}
	}
	return Texel{3: f.one()}
}

// Decode returns the element at the start of p, which has at least f.Bytes()
// bytes, by the rules of the OpenCL C specification, section 8.3: normalized
// integers are divided with one rounding to nearest even, components that the
// format does not have are 0, alpha 1.
func (f Format) Decode(p []byte) Texel {
	t := Texel{3: f.one()}
	if pk, ok := packedOf(f.Type); ok {
		word := uint32(binary.LittleEndian.Uint16(p))
		if pk.bytes == 4 {
			word = binary.LittleEndian.Uint32(p)
		}
		for c, n := range pk.bits {
			if n != 0 {
				most := uint32(1)<<n - 1
				t[c] = unorm(word>>pk.shift[c]&most, float32(most))
			}
		}
		return t
	}
	size := channelBytes[f.Type]
	srgb := f.srgb()
	for i, c := range channels[f.Order] {
		if c == noComponent {
			continue
		}
		if srgb && c < 3 {
			t[c] = srgbToLinear[p[i]]
			continue
		}
		t[c] = decodeChannel(f.Type, p[i*size:])
	}
	switch f.Order {
	case OrderIntensity:
		t = Texel{t[0], t[0], t[0], t[0]}
	case OrderLuminance:
		t = Texel{t[0], t[0], t[0], t[3]}
	}
	return t
}

// DecodeOdd is Decode for a read of halves: a quotient that is no float is rounded to odd, which keeps it from being the
// middle of two halves that it is not. Rounding it to half then is the only rounding (Boldo and Melquiond, 2008).
// Colours in sRGB's curve are the floats that Decode gives; none is the middle of two halves.
func (f Format) DecodeOdd(p []byte) Texel {
	t := f.Decode(p)
	for i, scale := range f.scales() {
		if scale == 1 || f.Class() != ClassFloat {
			continue
		}
		v := float64(math.Float32frombits(t[i]))
		rest := math.RoundToEven(v*scale) - v*scale // both exact: 24 bits by 16
		if rest != 0 && t[i]&1 == 0 {
			t[i] = math.Float32bits(math.Nextafter32(float32(v), float32(math.Copysign(2, rest))))
		}
	}
	return t
}

// packedOf is the entry of packed without the map's price.
func packedOf(t ChannelType) (packedType, bool) {
	if channelBytes[t] != 0 {
		return packedType{}, false
	}
	pk, ok := packed[t]
	return pk, ok
}

func unorm(v uint32, most float32) uint32 { return math.Float32bits(float32(v) / most) }

func snorm(v int32, most float32) uint32 {
	return math.Float32bits(max(float32(v)/most, -1))
}

func decodeChannel(t ChannelType, p []byte) uint32 {
	switch t {
	case UnormInt8:
		return unorm(uint32(p[0]), 255)
	case UnormInt16:
		return unorm(uint32(binary.LittleEndian.Uint16(p)), 65535)
	case SnormInt8:
		return snorm(int32(int8(p[0])), 127)
	case SnormInt16:
		return snorm(int32(int16(binary.LittleEndian.Uint16(p))), 32767)
	case SignedInt8:
		return uint32(int8(p[0]))
	case SignedInt16:
		return uint32(int16(binary.LittleEndian.Uint16(p)))
	case UnsignedInt8:
		return uint32(p[0])
	case UnsignedInt16:
		return uint32(binary.LittleEndian.Uint16(p))
	case HalfFloat:
		return halfToFloat(binary.LittleEndian.Uint16(p))
	}
	return binary.LittleEndian.Uint32(p) // SignedInt32, UnsignedInt32, Float
}

// Encode stores an element at the start of p, which has at least f.Bytes()
// bytes, by the rules of the OpenCL C specification, section 8.3: a float is
// multiplied in single precision, rounded to nearest even and saturated; an
// integer saturates; a NaN becomes the integer 0. Padding is stored as zero.
func (f Format) Encode(p []byte, t Texel) {
	if pk, ok := packedOf(f.Type); ok {
		word := uint32(0)
		for c, n := range pk.bits {
			if n != 0 {
				word |= toUnorm(t[c], uint32(1)<<n-1) << pk.shift[c]
			}
		}
		if pk.bytes == 4 {
			binary.LittleEndian.PutUint32(p, word)
		} else {
			binary.LittleEndian.PutUint16(p, uint16(word))
		}
		return
	}
	size := channelBytes[f.Type]
	srgb := f.srgb()
	for i, c := range channels[f.Order] {
		switch {
		case c == noComponent:
			p[i] = 0
		case srgb && c < 3:
			p[i] = linearToSRGB(math.Float32frombits(t[c]))
		default:
			encodeChannel(f.Type, p[i*size:], t[c])
		}
	}
}

// toUnorm and toSnorm round a float to a normalized integer, saturating.
func toUnorm(bits, most uint32) uint32 {
	v := float64(float32(math.Float32frombits(bits) * float32(most)))
	switch {
	case !(v > 0): // NaN too
		return 0
	case v >= float64(most):
		return most
	}
	return uint32(math.RoundToEven(v))
}

// toSnorm saturates where the type ends, so that -1 and less differ: the
// smallest integer stands for less than -1.
func toSnorm(bits uint32, most int32) int32 {
	v := float64(float32(math.Float32frombits(bits) * float32(most)))
	switch {
	case v != v:
		return 0
	case v >= float64(most):
		return most
	case v <= float64(-most-1):
		return -most - 1
	}
	return int32(math.RoundToEven(v))
}

func encodeChannel(t ChannelType, p []byte, bits uint32) {
	switch t {
	case UnormInt8:
		p[0] = uint8(toUnorm(bits, 255))
	case UnormInt16:
		binary.LittleEndian.PutUint16(p, uint16(toUnorm(bits, 65535)))
	case SnormInt8:
		p[0] = uint8(toSnorm(bits, 127))
	case SnormInt16:
		binary.LittleEndian.PutUint16(p, uint16(toSnorm(bits, 32767)))
	case SignedInt8:
		p[0] = uint8(min(max(int32(bits), -128), 127))
	case SignedInt16:
		binary.LittleEndian.PutUint16(p, uint16(min(max(int32(bits), -32768), 32767)))
	case UnsignedInt8:
		p[0] = uint8(min(bits, 255))
	case UnsignedInt16:
		binary.LittleEndian.PutUint16(p, uint16(min(bits, 65535)))
	case HalfFloat:
		binary.LittleEndian.PutUint16(p, halfFromFloat(bits))
	default:
		binary.LittleEndian.PutUint32(p, bits)
	}
}

// linearToSRGB returns the sRGB value nearest to a linear one.
func linearToSRGB(v float32) uint8 {
	if !(v > 0) { // NaN too
		return 0
	}
	// The number of thresholds that v reaches.
	lo, hi := 0, len(srgbThresholds)
	bits := math.Float32bits(v)
	for lo < hi {
		mid := (lo + hi) / 2
		if srgbThresholds[mid] <= bits {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint8(lo)
}

// halfToFloat returns the float with the value of a half; a NaN keeps its
// payload.
func halfToFloat(h uint16) uint32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch {
	case exp == 31:
		return sign | 0x7f800000 | frac<<13
	case exp != 0:
		return sign | (exp+112)<<23 | frac<<13
	}
	// A subnormal half is a multiple of 2^-24, which a float holds exactly.
	return sign | math.Float32bits(float32(frac)*(1.0/(1<<24)))
}

// halfFromFloat rounds a float to the nearest half, ties to even. A NaN stays
// one, with the upper bits of its payload, and becomes quiet.
func halfFromFloat(bits uint32) uint16 {
	sign := uint16(bits >> 16 & 0x8000)
	bits &= 0x7fffffff
	switch {
	case bits > 0x7f800000:
		return sign | 0x7e00 | uint16(bits>>13&0x1ff)
	case bits >= 0x477ff000: // 65520 and more
		return sign | 0x7c00
	case bits < 0x38800000: // below the smallest normal half: a multiple of 2^-24
		v := float64(math.Float32frombits(bits)) * (1 << 24)
		return sign | uint16(math.RoundToEven(v))
	}
	v := bits - 112<<23
	return sign | uint16((v+0xfff+v>>13&1)>>13)
}
