package lower

import (
	"github.com/lockstep-gpu/lockstep/spirv"
)

// smallFloat is an encoding.
type smallFloat struct {
	name     string
	bits     int    // of a value
	mantissa int    // bits of the mantissa
	bias     int    // of the exponent
	largest  uint64 // the largest number
	over     uint64 // what is above that: infinity, or NaN where there is none
	nan      uint64
	// finiteOnly says that there are neither infinities nor NaN: what is too large becomes the largest number, and NaN too.
	finiteOnly bool
}

// smallFloats has the encodings (SPV_KHR_bfloat16, SPV_EXT_float8, SPV_EXT_ocp_microscaling_types).
var smallFloats = map[spirv.FPEncoding]*smallFloat{
	spirv.FPEncodingBFloat16KHR:   {name: "bfloat16", bits: 16, mantissa: 7, bias: 127, largest: 0x7f7f, over: 0x7f80, nan: 0x7fc0},
	spirv.FPEncodingFloat8E4M3EXT: {name: "float8e4m3", bits: 8, mantissa: 3, bias: 7, largest: 0x7e, over: 0x7f, nan: 0x7f},
	spirv.FPEncodingFloat8E5M2EXT: {name: "float8e5m2", bits: 8, mantissa: 2, bias: 15, largest: 0x7b, over: 0x7c, nan: 0x7e},

	spirv.FPEncodingFloat6E2M3EXT: {name: "float6e2m3", bits: 6, mantissa: 3, bias: 1, largest: 0x1f, over: 0x1f, finiteOnly: true},
	spirv.FPEncodingFloat6E3M2EXT: {name: "float6e3m2", bits: 6, mantissa: 2, bias: 3, largest: 0x1f, over: 0x1f, finiteOnly: true},
	spirv.FPEncodingFloat4E2M1EXT: {name: "float4e2m1", bits: 4, mantissa: 1, bias: 1, largest: 0x7, over: 0x7, finiteOnly: true},

	spirv.FPEncodingFloat8UnsignedE8M0EXT: scale8,
	spirv.FPEncodingMXInt8EXT:             mxInt8,
}

var bfloat16 = smallFloats[spirv.FPEncodingBFloat16KHR]

// finite says whether the encoding has no infinities.
func (f *smallFloat) finite() bool { return f.finiteOnly || f.over == f.nan }

// Two encodings of the "OCP Microscaling Formats (MX)" specification that are no floats with a sign, an exponent and a
// mantissa (SPV_EXT_ocp_microscaling_types).
var (
	// scale8 is E8M0: a power of two from 2^-127 to 2^127, or NaN.
	scale8 = &smallFloat{name: "float8e8m0", bits: 8, bias: 127, largest: 0xfe, over: 0xfe, nan: 0xff}
	// mxInt8 is a two's complement integer of 8 bits, in units of 1/64.
	mxInt8 = &smallFloat{name: "mxint8", bits: 8, largest: 0x7f, over: 0x7f, finiteOnly: true}
)
