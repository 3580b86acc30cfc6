package builtin

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// clang is a row of a function that C compilers have in every language.
func clang(name, sig string, e Emit, help string) Def {
	return Def{Name: "__builtin_" + name, Sig: sig, Emit: e, Ext: "clang", Help: help}
}

// libm are the functions of C's mathematics, which are those of OpenCL C for float and for double.
var libm = []struct {
	name, params string
	inst         uint16
}{
	{"fabs", "T", spirv.OpenCLStdFabs}, {"sqrt", "T", spirv.OpenCLStdSqrt}, {"floor", "T", spirv.OpenCLStdFloor},
	{"ceil", "T", spirv.OpenCLStdCeil}, {"trunc", "T", spirv.OpenCLStdTrunc}, {"rint", "T", spirv.OpenCLStdRint},
	{"round", "T", spirv.OpenCLStdRound}, {"exp", "T", spirv.OpenCLStdExp}, {"exp2", "T", spirv.OpenCLStdExp2},
	{"log", "T", spirv.OpenCLStdLog}, {"log2", "T", spirv.OpenCLStdLog2}, {"log10", "T", spirv.OpenCLStdLog10},
	{"sin", "T", spirv.OpenCLStdSin}, {"cos", "T", spirv.OpenCLStdCos}, {"pow", "T, T", spirv.OpenCLStdPow},
	{"fmin", "T, T", spirv.OpenCLStdFmin}, {"fmax", "T, T", spirv.OpenCLStdFmax},
	{"copysign", "T, T", spirv.OpenCLStdCopysign}, {"fma", "T, T, T", spirv.OpenCLStdFma},
}

// libmRows returns the rows of libm.
func libmRows() []Def {
	var out []Def
	for _, x := range libm {
		f := clang(x.name+"f", "T("+x.params+")", std(x.inst), x.name+" of float.")
		f.Over = Over{Of: floats, N: n1}
		d := clang(x.name, f.Sig, f.Emit, x.name+" of double.")
		d.Over = Over{Of: doubles, N: n1}
		out = append(out, f, d)
	}
	return out
}

// arm is a row of ARM's dot products.
func arm(name, sig, ext, help string) Def {
	return Def{Name: name, Sig: sig, Emit: code(), Since: lang.CL12, Ext: "cl_arm_integer_dot_product_" + ext, Help: help}
}

// clangRows are those of clang's functions that kernels use, of any language and of ARM's extensions.
var clangRows = join(libmRows(), []Def{
	arm("arm_dot", "uint(uchar4, uchar4); int(char4, char4)", "int8", "The dot product of bytes."),
	arm("arm_dot_acc", "uint(uchar4, uchar4, uint); int(char4, char4, int)", "accumulate_int8",
		"The dot product of bytes, added to a value."),
	arm("arm_dot_acc", "uint(ushort2, ushort2, uint); int(short2, short2, int)", "accumulate_int16",
		"The dot product of pairs, added to a value."),
	arm("arm_dot_acc_sat", "uint(uchar4, uchar4, uint); int(char4, char4, int)", "accumulate_saturate_int8",
		"The dot product of bytes, added to a value with saturation."),
	clang("expect", "long(long, long)", code(), "The first value, which is mostly the second."),
	clang("unreachable", "void()", code(), "Says that control never comes here."),
	clang("assume", "void(bool)", Emit{Kind: None}, "Says that a condition holds."),
	clang("{inff,huge_valf}", "float()", code(), "Infinity."),
	clang("nanf", "float(constant const char*)", code(), "A NaN, whatever the text says."),
	clang("nan", "double(constant const char*)", code(), "A NaN as a double, whatever the text says."),
	clang("{inf,huge_val}", "double()", code(), "Infinity, as a double."),
	clang("{popcount,clz,ctz}", "int(uint)", code(),
		"Counts bits: those that are one, or the zeros above or below them."),
	clang("{popcountl,clzl,ctzl}", "int(ulong)", code(), "Counts bits of a long."),
	clang("bswap16", "ushort(ushort)", code(), "The bytes in the opposite order."),
	clang("bswap32", "uint(uint)", code(), "The bytes in the opposite order."),
	clang("bswap64", "ulong(ulong)", code(), "The bytes in the opposite order."),
})
