package build

import (
	"github.com/lockstep-gpu/lockstep/spirv"
)

// SmallFloat is an encoding.
type SmallFloat struct {
	name     string
	Bits     int    // of a value
	Mantissa int    // bits of the mantissa
	Bias     int    // of the exponent
	Largest  uint64 // the largest number
	Over     uint64 // what is above that: infinity, or NaN where there is none
	NaN      uint64
	// FiniteOnly says that there are neither infinities nor NaN: what is too large becomes the largest number, and NaN too.
	FiniteOnly bool
}

// smallFloats has the encodings (SPV_KHR_bfloat16, SPV_EXT_float8, SPV_EXT_ocp_microscaling_types).
var smallFloats = map[spirv.FPEncoding]*SmallFloat{
	spirv.FPEncodingBFloat16KHR:   {name: "bfloat16", Bits: 16, Mantissa: 7, Bias: 127, Largest: 0x7f7f, Over: 0x7f80, NaN: 0x7fc0},
	spirv.FPEncodingFloat8E4M3EXT: {name: "float8e4m3", Bits: 8, Mantissa: 3, Bias: 7, Largest: 0x7e, Over: 0x7f, NaN: 0x7f},
	spirv.FPEncodingFloat8E5M2EXT: {name: "float8e5m2", Bits: 8, Mantissa: 2, Bias: 15, Largest: 0x7b, Over: 0x7c, NaN: 0x7e},

	spirv.FPEncodingFloat6E2M3EXT: {name: "float6e2m3", Bits: 6, Mantissa: 3, Bias: 1, Largest: 0x1f, Over: 0x1f, FiniteOnly: true},
	spirv.FPEncodingFloat6E3M2EXT: {name: "float6e3m2", Bits: 6, Mantissa: 2, Bias: 3, Largest: 0x1f, Over: 0x1f, FiniteOnly: true},
	spirv.FPEncodingFloat4E2M1EXT: {name: "float4e2m1", Bits: 4, Mantissa: 1, Bias: 1, Largest: 0x7, Over: 0x7, FiniteOnly: true},

	spirv.FPEncodingFloat8UnsignedE8M0EXT: Scale8,
	spirv.FPEncodingMXInt8EXT:             MXInt8,
}

// BFloat16 is the encoding of bfloat16.
var BFloat16 = smallFloats[spirv.FPEncodingBFloat16KHR]

// Finite says whether the encoding has no infinities.
func (f *SmallFloat) Finite() bool { return f.FiniteOnly || f.Over == f.NaN }

// Two encodings of the "OCP Microscaling Formats (MX)" specification that are no floats with a sign, an exponent and a
// mantissa (SPV_EXT_ocp_microscaling_types).
var (
	// Scale8 is E8M0: a power of two from 2^-127 to 2^127, or NaN.
	Scale8 = &SmallFloat{name: "float8e8m0", Bits: 8, Bias: 127, Largest: 0xfe, Over: 0xfe, NaN: 0xff}
	// MXInt8 is a two's complement integer of 8 bits, in units of 1/64.
	MXInt8 = &SmallFloat{name: "mxint8", Bits: 8, Largest: 0x7f, Over: 0x7f, FiniteOnly: true}
)
