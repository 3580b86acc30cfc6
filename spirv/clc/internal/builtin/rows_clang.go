package builtin

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// clang is a row of a function that C compilers have in every language.
func clang(name, sig string, e Emit, help string) Def {
	return Def{Name: "__builtin_" + name, Sig: sig, Emit: e, Ext: "clang", Help: help}
}

// anyType is a row of a function whose parameters are of any type.
func anyType(name, sig, help string) Def {
	d := clang(name, sig, code(), help)
	d.Special = true
	return d
}

// isClass is a row of a comparison or classification of floats.
func isClass(name, sig string, o spirv.Op) Def {
	d := clang(name, sig, relation(o), name+" of a float or double.")
	d.Over = Over{Of: reals, N: n1}
	return d
}

// reversed is a row of the functions that reverse bits.
func reversed(bits, sig string) Def {
	e := op(spirv.OpBitReverse, spirv.CapabilityBitInstructions)
	e.Ext = "SPV_KHR_bit_instructions"
	return clang("bitreverse"+bits, sig, e, "The bits in the opposite order.")
}

// foreign is a row of functions that cannot be used.
func foreign(names, why string) Def {
	return Def{Name: names, Sig: "void()", Emit: code(), Ext: "clang", Refused: why, Help: "Not there: " + why + "."}
}

// unusable is foreign for names that begin with __builtin_.
func unusable(names, why string) Def { return foreign("__builtin_"+names, why) }

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
	clang("{popcountll,clzll,ctzll}", "int(ulong)", code(), "Counts bits of a long."),
	clang("{clzs,ctzs}", "int(ushort)", code(), "Counts zeros of a short."),
	clang("{ffs,parity}", "int(int)", code(), "The place of the lowest one from 1 on, or 0; whether the ones are odd."),
	clang("{ffsl,parityl,ffsll,parityll}", "int(long)", code(), "The same of a long."),
	clang("abs", "int(int)", code(), "The absolute value."),
	clang("{labs,llabs}", "long(long)", code(), "The absolute value."),
	clang("rotate{left,right}8", "uchar(uchar, uchar)", code(), "Bits rotated to the left or right."),
	clang("rotate{left,right}16", "ushort(ushort, ushort)", code(), "Bits rotated to the left or right."),
	clang("rotate{left,right}32", "uint(uint, uint)", code(), "Bits rotated to the left or right."),
	clang("rotate{left,right}64", "ulong(ulong, ulong)", code(), "Bits rotated to the left or right."),
	reversed("8", "uchar(uchar)"), reversed("16", "ushort(ushort)"), reversed("32", "uint(uint)"), reversed("64", "ulong(ulong)"),
	clang("expect_with_probability", "long(long, long, double)", code(), "The first value, which is probably the second."),
	clang("trap", "void()", code(), "Ends the work-item with a finding: control must not come here."),
	clang("printf", "int(constant const char*, ...)", code(), "printf."),
	anyType("memcpy", "void*(void*, const void*, size)", "Copies bytes, which do not overlap, between any address spaces."),
	anyType("memmove", "void*(void*, const void*, size)", "Copies bytes, which may overlap."),
	anyType("memset", "void*(void*, int, size)", "Sets bytes."),
	anyType("shufflevector", "V(T, T, int...)", "Components of two vectors, by constants."),
	anyType("constant_p", "int(T)", "Whether the compiler knows the value."),
	anyType("nontemporal_load", "T(T*)", "What is there, which nobody needs soon again."),
	anyType("nontemporal_store", "void(T, T*)", "Stores what nobody needs soon again."),
	anyType("astype", "T(V, type)", "The same bits as another type."),
	anyType("convertvector", "T(V, type)", "Components converted as C does it."),
	anyType("types_compatible_p", "int(type, type)", "Whether two types are the same."),
	anyType("choose_expr", "T(int, T, T)", "One of two expressions, by a constant."),
	anyType("offsetof", "size(type, member)", "How many bytes a member is behind the beginning of its structure."),
	isClass("isnan", "R(T)", spirv.OpIsNan), isClass("isinf", "R(T)", spirv.OpIsInf), isClass("isfinite", "R(T)", spirv.OpIsFinite),
	isClass("isnormal", "R(T)", spirv.OpIsNormal), isClass("signbit", "R(T)", spirv.OpSignBitSet),
	isClass("isgreater", "R(T, T)", spirv.OpFOrdGreaterThan), isClass("isgreaterequal", "R(T, T)", spirv.OpFOrdGreaterThanEqual),
	isClass("isless", "R(T, T)", spirv.OpFOrdLessThan), isClass("islessequal", "R(T, T)", spirv.OpFOrdLessThanEqual),
	isClass("islessgreater", "R(T, T)", spirv.OpFOrdNotEqual), isClass("isunordered", "R(T, T)", spirv.OpUnordered),
	unusable("alloca", "there is no memory of variable size"),
	unusable("{debugtrap,readcyclecounter,prefetch,frame_address,return_address}", "SPIR-V has nothing for it"),
	unusable("{object_size,assume_aligned,strlen,memcmp,strcmp,powi,powif,LINE,FILE,FUNCTION,COLUMN}", "it is no part of OpenCL C"),
	unusable("elementwise_{abs,max,min,ceil,floor,roundeven,trunc,add_sat,sub_sat}", "OpenCL C has fmax, max, floor and their kin for vectors"),
	unusable("reduce_{max,min,add,mul,and,or,xor}", "OpenCL C has no sums of the components of a vector"),
	unusable("{add,sub,mul}_overflow", "it is no part of OpenCL C; add_sat, sub_sat and mul_hi tell of overflow"),
	foreign("__sync_{synchronize,fetch_and_add,fetch_and_sub,fetch_and_and,fetch_and_or,fetch_and_xor,add_and_fetch,sub_and_fetch,"+
		"val_compare_and_swap,bool_compare_and_swap,lock_test_and_set,lock_release}", "OpenCL C has atomic_add and its kin"),
	foreign("__atomic_{load_n,store_n,exchange_n,compare_exchange_n,fetch_add,fetch_sub,fetch_and,fetch_or,fetch_xor,thread_fence} "+
		"__c11_atomic_{init,load,store,exchange,compare_exchange_strong,compare_exchange_weak,fetch_add,fetch_sub,fetch_and,fetch_or,"+
		"fetch_xor,thread_fence}", "OpenCL C has atomic_load_explicit and its kin"),
	clang("bswap16", "ushort(ushort)", code(), "The bytes in the opposite order."),
	clang("bswap32", "uint(uint)", code(), "The bytes in the opposite order."),
	clang("bswap64", "ulong(ulong)", code(), "The bytes in the opposite order."),
})
