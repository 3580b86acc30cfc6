package argspec

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/npy"
)

// Type is the type of one element of an argument.
type Type uint8

// The element types. Integers are two's complement, floating-point types are the
// IEEE 754 interchange formats.
const (
	I8 Type = iota
	U8
	I16
	U16
	I32
	U32
	I64
	U64
	F16
	F32
	F64
)

var types = [...]struct {
	name   string
	size   int
	signed bool
	float  bool
	npy    npy.DType
}{
	I8:  {"i8", 1, true, false, npy.I8},
	U8:  {"u8", 1, false, false, npy.U8},
	I16: {"i16", 2, true, false, npy.I16},
	U16: {"u16", 2, false, false, npy.U16},
	I32: {"i32", 4, true, false, npy.I32},
	U32: {"u32", 4, false, false, npy.U32},
	I64: {"i64", 8, true, false, npy.I64},
	U64: {"u64", 8, false, false, npy.U64},
	F16: {"f16", 2, true, true, npy.F16},
	F32: {"f32", 4, true, true, npy.F32},
	F64: {"f64", 8, true, true, npy.F64},
}

// String returns the name of the type in a SPEC: "i8" … "f64".
func (t Type) String() string {
	if int(t) >= len(types) {
		return "invalid"
	}
	return types[t].name
}

// Size returns the bytes of one element.
func (t Type) Size() int { return types[t].size }

// Float reports whether t is a floating-point type.
func (t Type) Float() bool { return types[t].float }

// Signed reports whether t has negative values.
func (t Type) Signed() bool { return types[t].signed }

// NPY returns the element type of a .npy file that holds elements of type t.
func (t Type) NPY() npy.DType { return types[t].npy }

// ParseType returns the type with this name.
func ParseType(name string) (Type, bool) {
	for t := range types {
		if types[t].name == name {
			return Type(t), true
		}
	}
	return 0, false
}

// typeNames lists the types, for error messages.
func typeNames() string {
	names := make([]string, len(types))
	for i := range types {
		names[i] = types[i].name
	}
	return strings.Join(names, " ")
}

// fromNPY returns the type of the elements of a .npy file, and how many of them
// make one element of the file: complex numbers are pairs, as in OpenCL, where a
// program keeps them in vectors of two.
func fromNPY(d npy.DType) (t Type, per int) {
	switch d {
	case npy.Bool:
		return U8, 1
	case npy.C64:
		return F32, 2
	case npy.C128:
		return F64, 2
	}
	for t := range types {
		if types[t].npy == d {
			return Type(t), 1
		}
	}
	return U8, d.Size()
}
