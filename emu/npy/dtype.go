package npy

import "fmt"

// DType is the type of one array element.
type DType uint8

// The element types that this package reads and writes.
const (
	Invalid DType = iota
	Bool          // one byte, 0 or 1
	I8
	U8
	I16
	U16
	I32
	U32
	I64
	U64
	F16  // IEEE 754 binary16
	F32  // IEEE 754 binary32
	F64  // IEEE 754 binary64
	C64  // two F32: real, imaginary
	C128 // two F64: real, imaginary
)

// dtypes describes each element type: its name here, NumPy's type code without
// the byte order, the bytes of an element, and the bytes of the unit whose order
// the file's byte order turns round (half an element for complex types).
var dtypes = [...]struct {
	name, code string
	size, unit int
}{
	Invalid: {"invalid", "", 0, 0},
	Bool:    {"bool", "b1", 1, 1},
	I8:      {"i8", "i1", 1, 1},
	U8:      {"u8", "u1", 1, 1},
	I16:     {"i16", "i2", 2, 2},
	U16:     {"u16", "u2", 2, 2},
	I32:     {"i32", "i4", 4, 4},
	U32:     {"u32", "u4", 4, 4},
	I64:     {"i64", "i8", 8, 8},
	U64:     {"u64", "u8", 8, 8},
	F16:     {"f16", "f2", 2, 2},
	F32:     {"f32", "f4", 4, 4},
	F64:     {"f64", "f8", 8, 8},
	C64:     {"c64", "c8", 8, 4},
	C128:    {"c128", "c16", 16, 8},
}

// Valid reports whether d is one of the element types listed above.
func (d DType) Valid() bool { return d > Invalid && int(d) < len(dtypes) }

// Size returns the bytes of one element, 0 for an invalid type.
func (d DType) Size() int {
	if !d.Valid() {
		return 0
	}
	return dtypes[d].size
}

// String returns the name of the type as lockstep writes it: "f32", "u8", "bool".
func (d DType) String() string {
	if !d.Valid() {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// descr returns NumPy's array-protocol type string for little-endian elements.
func (d DType) descr() string {
	if dtypes[d].unit == 1 {
		return "|" + dtypes[d].code
	}
	return "<" + dtypes[d].code
}

// parseDescr reads an array-protocol type string such as "<f4". big says that the
// elements are big-endian. reason is empty on success and otherwise says what is
// wrong; unsupported tells a type that NumPy has and this package does not from
// text that is no type at all.
func parseDescr(s string) (d DType, big bool, reason string, unsupported bool) {
	if s == "" {
		return Invalid, false, "the type string is empty", false
	}
	code, order := s, byte('=')
	switch s[0] {
	case '<', '>', '|', '=':
		order, code = s[0], s[1:]
	}
	for i := Bool; i.Valid(); i++ {
		if dtypes[i].code != code {
			continue
		}
		// NumPy writes '|' where byte order has no meaning and always resolves
		// '=' (native) before it writes; both mean little-endian here.
		if order == '|' && dtypes[i].unit > 1 {
			return Invalid, false, fmt.Sprintf("type %q has no byte order", s), false
		}
		return i, order == '>', "", false
	}
	if code == "?" {
		return Bool, false, "", false
	}
	if code == "" {
		return Invalid, false, fmt.Sprintf("type string %q names no type", s), false
	}
	kind := map[byte]string{
		'O': "Python objects", 'S': "byte strings", 'a': "byte strings", 'U': "Unicode strings",
		'V': "raw or structured records", 'M': "dates (datetime64)", 'm': "time spans (timedelta64)",
		'f': "floating-point numbers of this width", 'c': "complex numbers of this width",
		'i': "integers of this width", 'u': "integers of this width", 'b': "booleans of this width",
	}[code[0]]
	if kind == "" {
		return Invalid, false, fmt.Sprintf("unknown type string %q", s), false
	}
	return Invalid, false, fmt.Sprintf("type %q (%s) is not supported", s, kind), true
}
