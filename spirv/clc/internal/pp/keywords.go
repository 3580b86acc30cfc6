package pp

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// keyword is a spelling of a keyword, and the first version of the language that has it.
type keyword struct {
	name  string
	kind  token.Kind
	since lang.Version
}

// keywords are those of C99 (6.4.1), of OpenCL C (section 6.1.9) and of GNU C, as far as they stand for more than a
// type's name. Spellings of GNU C without underscores (typeof, asm) are names that programs may use.
var keywords = []keyword{
	{"auto", token.Auto, 0}, {"break", token.Break, 0}, {"case", token.Case, 0}, {"char", token.CharKw, 0},
	{"const", token.Const, 0}, {"__const", token.Const, 0}, {"__const__", token.Const, 0},
	{"continue", token.Continue, 0}, {"default", token.Default, 0}, {"do", token.Do, 0}, {"double", token.Double, 0},
	{"else", token.Else, 0}, {"enum", token.Enum, 0}, {"extern", token.Extern, 0}, {"float", token.FloatKw, 0},
	{"for", token.For, 0}, {"goto", token.Goto, 0}, {"if", token.If, 0},
	{"inline", token.Inline, 0}, {"__inline", token.Inline, 0}, {"__inline__", token.Inline, 0},
	{"int", token.IntKw, 0}, {"long", token.Long, 0}, {"register", token.Register, 0},
	{"restrict", token.Restrict, 0}, {"__restrict", token.Restrict, 0}, {"__restrict__", token.Restrict, 0},
	{"return", token.Return, 0}, {"short", token.Short, 0},
	{"signed", token.Signed, 0}, {"__signed", token.Signed, 0}, {"__signed__", token.Signed, 0},
	{"sizeof", token.Sizeof, 0}, {"static", token.Static, 0}, {"struct", token.Struct, 0}, {"switch", token.Switch, 0},
	{"typedef", token.Typedef, 0}, {"union", token.Union, 0}, {"unsigned", token.Unsigned, 0}, {"void", token.Void, 0},
	{"volatile", token.Volatile, 0}, {"__volatile", token.Volatile, 0}, {"__volatile__", token.Volatile, 0},
	{"while", token.While, 0}, {"_Bool", token.Bool, 0}, {"bool", token.Bool, 0},
	{"half", token.Half, 0}, {"__half", token.Half, 0},
	{"kernel", token.Kernel, 0}, {"__kernel", token.Kernel, 0},
	{"global", token.Global, 0}, {"__global", token.Global, 0},
	{"local", token.Local, 0}, {"__local", token.Local, 0},
	{"constant", token.Constant, 0}, {"__constant", token.Constant, 0},
	{"private", token.Private, 0}, {"__private", token.Private, 0},
	{"generic", token.Generic, 0}, {"__generic", token.Generic, 0}, // reserved before 2.0
	{"read_only", token.ReadOnly, 0}, {"__read_only", token.ReadOnly, 0},
	{"write_only", token.WriteOnly, 0}, {"__write_only", token.WriteOnly, 0},
	{"read_write", token.ReadWrite, 0}, {"__read_write", token.ReadWrite, 0},
	{"pipe", token.Pipe, lang.CL20},
	{"__attribute", token.Attribute, 0}, {"__attribute__", token.Attribute, 0},
	{"_Alignof", token.Alignof, 0}, {"__alignof", token.Alignof, 0}, {"__alignof__", token.Alignof, 0},
	{"_Alignas", token.Alignas, 0}, {"__typeof", token.Typeof, 0}, {"__typeof__", token.Typeof, 0},
	{"_Atomic", token.Atomic, 0}, {"_Complex", token.Complex, 0}, {"__complex", token.Complex, 0},
	{"__complex__", token.Complex, 0}, {"_Imaginary", token.Imaginary, 0},
	{"__asm", token.Asm, 0}, {"__asm__", token.Asm, 0}, {"_Static_assert", token.StaticAssert, 0},
	{"_Noreturn", token.Noreturn, 0}, {"_Generic", token.GenericSelection, 0}, {"__extension__", token.Extension, 0},
}
