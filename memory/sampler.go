package memory

import (
	"fmt"
	"math"
)

// Sampler says how an image is read: how coordinates are taken, what is read outside of the image, and how
// elements are mixed. It is the state itself and no handle; every value of it is a sampler. Registers hold
// it.
//
// Bit 0 says that coordinates are normalized, bits 1 to 3 are the [Addressing], bit 4 is the filter and bit 5
// that between levels of detail. Bits 8 to 31 are the lowest level of detail and bits 32 to 55 the highest,
// both with 16 bits behind the point.
type Sampler uint64

// Addressing says what stands for elements outside of an image. The numbers are those of SPIR-V (3.2.10).
type Addressing uint8

// The addressing modes.
const (
	AddressNone        Addressing = iota // coordinates are always inside
	AddressClampToEdge                   // the element at the edge
	AddressClamp                         // the border, see [Format.Border]
	AddressRepeat                        // the image again and again
	AddressMirroredRepeat
	NumAddressings
)

var addressingNames = [NumAddressings]string{"none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat"}

// String returns the mode's name in lower case: "clamp_to_edge".
func (a Addressing) String() string {
	if a < NumAddressings {
		return addressingNames[a]
	}
	return fmt.Sprintf("addressing(%d)", uint8(a))
}

// SamplerState is what a [Sampler] holds.
type SamplerState struct {
	Normalized bool
	Addressing Addressing
	// Linear mixes the nearest elements; otherwise the nearest one is read. MipLinear does so with levels.
	Linear, MipLinear bool
	// MinLod and MaxLod bound the level of detail. A bound of 255 and more is none.
	MinLod, MaxLod float32
}

const (
	lodBits = 24
	lodMask = 1<<lodBits - 1
	lodUnit = 1 << 16
)

// packLod rounds a bound to 16 bits behind the point.
func packLod(v float32) uint64 {
	if !(v > 0) { // NaN too
		return 0
	}
	return uint64(min(math.RoundToEven(float64(v)*lodUnit), lodMask))
}

// Pack returns the sampler with a state.
func (s SamplerState) Pack() Sampler {
	bit := func(b bool, n int) uint64 {
		if b {
			return 1 << n
		}
		return 0
	}
	return Sampler(bit(s.Normalized, 0) | uint64(s.Addressing&7)<<1 | bit(s.Linear, 4) | bit(s.MipLinear, 5) |
		packLod(s.MinLod)<<8 | packLod(s.MaxLod)<<32)
}

// State returns what the sampler holds.
func (s Sampler) State() SamplerState {
	return SamplerState{
		Normalized: s.normalized(), Addressing: s.addressing(), Linear: s.linear(), MipLinear: s>>5&1 != 0,
		MinLod: float32(s>>8&lodMask) / lodUnit, MaxLod: float32(s>>32&lodMask) / lodUnit,
	}
}

func (s Sampler) normalized() bool       { return s&1 != 0 }
func (s Sampler) addressing() Addressing { return Addressing(s >> 1 & 7) }
func (s Sampler) linear() bool           { return s>>4&1 != 0 }

// String returns the sampler as SPECs of arguments have it: "linear,repeat,normalized".
func (s Sampler) String() string {
	t := "nearest"
	if s.linear() {
		t = "linear"
	}
	t += "," + s.addressing().String()
	if s.normalized() {
		t += ",normalized"
	} else {
		t += ",unnormalized"
	}
	if s>>5&1 != 0 {
		t += ",mip_linear"
	}
	return t
}

// Levels returns the levels of an image that a read at a level of detail takes: low, and, with the share high
// of the result, the one behind it. OpenCL leaves the choice to OpenGL (version 4.6, section 8.14.3): the
// nearest level, of two the lower one.
func (s Sampler) Levels(im *Image, lod float32) (low uint32, high float64) {
	if im.Levels <= 1 {
		return 0, 0
	}
	v := float64(lod)
	if v != v {
		v = 0
	}
	v = max(v, float64(s>>8&lodMask)/lodUnit)
	if most := s >> 32 & lodMask; most != lodMask {
		v = min(v, float64(most)/lodUnit)
	}
	v = min(max(v, 0), float64(im.Levels-1))
	if s>>5&1 == 0 {
		return uint32(math.Ceil(v+0.5) - 1), 0
	}
	low = uint32(v)
	return low, v - float64(low)
}

// Odd says why OpenCL leaves open what a read gives, "" when it does not (OpenCL C 6.15.15.1 and 6.15.15.3).
func (s Sampler) Odd(f Format, integers bool) string {
	switch a := s.addressing(); {
	case a >= NumAddressings:
		return "a sampler with an addressing mode that there is not"
	case (a == AddressRepeat || a == AddressMirroredRepeat) && !s.normalized():
		return fmt.Sprintf("a sampler that addresses with %s, but whose coordinates are not normalized", a)
	case integers && s.normalized():
		return "integer coordinates, with a sampler whose coordinates are normalized"
	case integers && s.linear():
		return "integer coordinates, with a sampler that filters linearly"
	case f.Class() != ClassFloat && s.linear():
		return fmt.Sprintf("an image of integers (%s), with a sampler that filters linearly", f)
	}
	return ""
}
