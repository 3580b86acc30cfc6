package builtin

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

const (
	integerSection    = "6.15.3"
	relationalSection = "6.15.6"
)

var integer = Over{Of: integers, N: anyN}

// whole is a row for integers of any width.
func whole(name, sig string, e Emit, help string) Def {
	return Def{Name: name, Sig: sig, Over: integer, Emit: e, Section: integerSection, Help: help}
}

// dot8 is a row of the integer dot products.
func dot8(name, sig, help string) Def {
	return Def{Name: name, Sig: sig, Emit: code(), Since: lang.CL20, Ext: "cl_khr_integer_dot_product",
		Help: help}
}

// bitOp is a row of the extended bit operations.
func bitOp(name, sig string, e Emit, help string) Def {
	e.Ext, e.Caps = "SPV_KHR_bit_instructions", []spirv.Capability{spirv.CapabilityBitInstructions}
	return Def{Name: name, Sig: sig, Over: integer, Emit: e, Since: lang.CL20,
		Ext: "cl_khr_extended_bit_ops", Help: help}
}

var integerRows = []Def{
	whole("abs", "U(T)", stdInt(spirv.OpenCLStdSAbs, spirv.OpenCLStdUAbs), "The absolute value, unsigned."),
	whole("abs_diff", "U(T, T)", stdInt(spirv.OpenCLStdSAbsDiff, spirv.OpenCLStdUAbsDiff),
		"The distance of two values, unsigned."),
	whole("add_sat", "T(T, T)", stdInt(spirv.OpenCLStdSAddSat, spirv.OpenCLStdUAddSat),
		"The sum, or the limit that it exceeds."),
	whole("hadd", "T(T, T)", stdInt(spirv.OpenCLStdSHadd, spirv.OpenCLStdUHadd),
		"The mean without overflow, rounded down."),
	whole("rhadd", "T(T, T)", stdInt(spirv.OpenCLStdSRhadd, spirv.OpenCLStdURhadd),
		"The mean without overflow, rounded up."),
	whole("clz", "T(T)", std(spirv.OpenCLStdClz), "How many zero bits are above the highest one."),
	{Name: "ctz", Sig: "T(T)", Over: integer, Emit: std(spirv.OpenCLStdCtz), Since: lang.CL20,
		Section: integerSection,
		Help:    "How many zero bits are below the lowest one."},
	whole("mad_hi", "T(T, T, T)", stdInt(spirv.OpenCLStdSMadHi, spirv.OpenCLStdUMadHi), "mul_hi(a, b) + c."),
	whole("mad_sat", "T(T, T, T)", stdInt(spirv.OpenCLStdSMadSat, spirv.OpenCLStdUMadSat),
		"a * b + c, or the limit that it exceeds."),
	whole("mul_hi", "T(T, T)", stdInt(spirv.OpenCLStdSMulHi, spirv.OpenCLStdUMulHi),
		"The upper half of a product of twice the width."),
	whole("rotate", "T(T, T)", std(spirv.OpenCLStdRotate),
		"Shifts to the left, and what leaves comes in on the right."),
	whole("sub_sat", "T(T, T)", stdInt(spirv.OpenCLStdSSubSat, spirv.OpenCLStdUSubSat),
		"The difference, or the limit that it exceeds."),
	{Name: "upsample", Sig: "W(T, U)", Over: Over{Of: octets | words | dwords, N: anyN},
		Section: integerSection,
		Emit:    stdInt(spirv.OpenCLStdSUpsample, spirv.OpenCLStdUUpsample),
		Help:    "One value of twice the width of an upper and a lower half."},
	{Name: "popcount", Sig: "T(T)", Over: integer, Emit: std(spirv.OpenCLStdPopcount), Since: lang.CL12,
		Section: integerSection,
		Help:    "How many bits are one."},
	{Name: "mad24", Sig: "T(T, T, T)", Over: Over{Of: dwords, N: anyN}, Section: integerSection,
		Emit: stdInt(spirv.OpenCLStdSMad24, spirv.OpenCLStdUMad24),
		Help: "a * b + c for factors of 24 bits."},
	{Name: "mul24", Sig: "T(T, T)", Over: Over{Of: dwords, N: anyN}, Section: integerSection,
		Emit: stdInt(spirv.OpenCLStdSMul24, spirv.OpenCLStdUMul24),
		Help: "The product of factors of 24 bits."},

	bitOp("bitfield_insert", "T(T, T, uint, uint)", op(spirv.OpBitFieldInsert),
		"The first value with bits of the second from an offset on."),
	bitOp("bitfield_extract_signed", "I(T, uint, uint)", op(spirv.OpBitFieldSExtract),
		"Bits from an offset on, sign-extended."),
	bitOp("bitfield_extract_unsigned", "U(T, uint, uint)", op(spirv.OpBitFieldUExtract),
		"Bits from an offset on, zero-extended."),
	bitOp("bit_reverse", "T(T)", op(spirv.OpBitReverse), "The bits in the opposite order."),

	dot8("dot", "uint(uchar4, uchar4); int(char4, char4); int(uchar4, char4); int(char4, uchar4)",
		"The dot product of bytes."),
	dot8("dot_acc_sat", "uint(uchar4, uchar4, uint); int(char4, char4, int); int(uchar4, char4, int); int(char4, uchar4, int)",
		"The dot product of bytes, added to a value with saturation."),
	dot8("dot_4x8packed_uu_uint", "uint(uint, uint)",
		"The dot product of the four bytes of two values, unsigned."),
	dot8("dot_4x8packed_{ss,us,su}_int", "int(uint, uint)",
		"The dot product of the four bytes of two values; s are signed."),
	dot8("dot_acc_sat_4x8packed_uu_uint", "uint(uint, uint, uint)",
		"dot_4x8packed, added to a value with saturation, unsigned."),
	dot8("dot_acc_sat_4x8packed_{ss,us,su}_int", "int(uint, uint, int)",
		"dot_4x8packed, added to a value with saturation; s are signed."),
}

// compare is a row for a relation of floats.
func compare(name, sig string, o spirv.Op, help string) Def {
	return Def{Name: name, Sig: sig, Over: real, Emit: relation(o), Section: relationalSection, Help: help}
}

var relationalRows = []Def{
	compare("isequal", "R(T, T)", spirv.OpFOrdEqual, "Whether x == y."),
	compare("isnotequal", "R(T, T)", spirv.OpFUnordNotEqual, "Whether x != y, which is so if one is a NaN."),
	compare("isgreater", "R(T, T)", spirv.OpFOrdGreaterThan, "Whether x > y."),
	compare("isgreaterequal", "R(T, T)", spirv.OpFOrdGreaterThanEqual, "Whether x >= y."),
	compare("isless", "R(T, T)", spirv.OpFOrdLessThan, "Whether x < y."),
	compare("islessequal", "R(T, T)", spirv.OpFOrdLessThanEqual, "Whether x <= y."),
	compare("islessgreater", "R(T, T)", spirv.OpFOrdNotEqual, "Whether x < y or x > y."),
	compare("isfinite", "R(T)", spirv.OpIsFinite, "Whether x is neither infinite nor a NaN."),
	compare("isinf", "R(T)", spirv.OpIsInf, "Whether x is infinite."),
	compare("isnan", "R(T)", spirv.OpIsNan, "Whether x is a NaN."),
	compare("isnormal", "R(T)", spirv.OpIsNormal, "Whether x is neither 0, denormal, infinite nor a NaN."),
	compare("isordered", "R(T, T)", spirv.OpOrdered, "Whether neither x nor y is a NaN."),
	compare("isunordered", "R(T, T)", spirv.OpUnordered, "Whether x or y is a NaN."),
	compare("signbit", "R(T)", spirv.OpSignBitSet, "Whether the sign bit of x is one."),
	{Name: "any", Sig: "int(T)", Over: Over{Of: signed, N: anyN}, Emit: code(), Section: relationalSection,
		Help: "Whether the sign bit of a component is one."},
	{Name: "all", Sig: "int(T)", Over: Over{Of: signed, N: anyN}, Emit: code(), Section: relationalSection,
		Help: "Whether the sign bits of all components are one."},
	{Name: "bitselect", Sig: "T(T, T, T)", Over: Over{Of: scalars, N: anyN},
		Emit: std(spirv.OpenCLStdBitselect), Section: relationalSection,
		Help: "The bits of b where those of c are one, else those of a."},
	{Name: "select", Sig: "T(T, T, I); T(T, T, U)", Over: Over{Of: scalars, N: anyN}, Emit: code(),
		Section: relationalSection,
		Help:    "b where c is true, else a: scalars ask whether c is 0, vectors for the sign bit of its components."},
}
