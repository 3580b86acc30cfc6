package mangle

import (
	"fmt"
	"strings"
)

// Limits of what is read and written, far beyond every real name.
const (
	maxDepth = 32      // types inside of types
	maxName  = 1 << 10 // bytes of an identifier
	maxText  = 1 << 14 // bytes of a mangled name
)

// Type is the type of a parameter: a [Builtin], [Pointer], [Qualified], [Vector],
// [Scalable], [Atomic] or [Named].
type Type interface {
	fmt.Stringer
	// mangle writes the type, using and noting substitutions.
	mangle(*writer)
	check(depth int) error
}

// Builtin is a type with a code of its own (Itanium C++ ABI, 5.1.5.2).
type Builtin uint8

// The builtin types. Char has no sign of its own; OpenCL C's char is Char, its long and
// ulong are Long and ULong.
const (
	Void Builtin = iota + 1
	Bool
	Char
	SChar
	UChar
	Short
	UShort
	Int
	UInt
	Long
	ULong
	LongLong
	ULongLong
	Int128
	UInt128
	Half
	Float
	Double
	Ellipsis
)

var builtins = [...]struct{ code, name string }{
	Void: {"v", "void"}, Bool: {"b", "bool"}, Char: {"c", "char"}, SChar: {"a", "signed char"}, UChar: {"h", "uchar"},
	Short: {"s", "short"}, UShort: {"t", "ushort"}, Int: {"i", "int"}, UInt: {"j", "uint"}, Long: {"l", "long"}, ULong: {"m", "ulong"},
	LongLong: {"x", "long long"}, ULongLong: {"y", "unsigned long long"}, Int128: {"n", "__int128"}, UInt128: {"o", "unsigned __int128"},
	Half: {"Dh", "half"}, Float: {"f", "float"}, Double: {"d", "double"}, Ellipsis: {"z", "..."},
}

// String returns the type in OpenCL C.
func (b Builtin) String() string {
	if b.check(0) != nil {
		return fmt.Sprintf("Builtin(%d)", uint8(b))
	}
	return builtins[b].name
}

// Pointer is a pointer. The address space that it leads to is a qualifier of what is
// there: Pointer{Qualified{Space: 1, Type: Float}}.
type Pointer struct{ Elem Type }

// String returns "TYPE *".
func (p Pointer) String() string { return fmt.Sprint(p.Elem, " *") }

// Qualified is a type with an address space and qualifiers, at least one of them.
type Qualified struct {
	// Space is the number of the address space; 0, private memory, is not written.
	Space                     uint32
	Restrict, Volatile, Const bool
	Type                      Type
}

// String returns the qualifiers and the type.
func (q Qualified) String() string {
	s := fmt.Sprint(q.Type)
	for _, x := range []struct {
		on   bool
		name string
	}{{q.Restrict, "restrict"}, {q.Volatile, "volatile"}, {q.Const, "const"}, {q.Space != 0, fmt.Sprintf("addrspace(%d)", q.Space)}} {
		if x.on {
			s = x.name + " " + s
		}
	}
	return s
}

// Vector is a vector of Len elements, each a builtin type, or a pointer.
type Vector struct {
	Len  uint32
	Elem Type
}

// String returns "<LEN x TYPE>".
func (v Vector) String() string { return fmt.Sprintf("<%d x %v>", v.Len, v.Elem) }

// Scalable is a vector of a multiple of Min elements that only the device knows.
type Scalable struct {
	Min  uint32
	Elem Type
}

// String returns "<vscale x MIN x TYPE>".
func (v Scalable) String() string { return fmt.Sprintf("<vscale x %d x %v>", v.Min, v.Elem) }

// Atomic is an atomic type of OpenCL C 2.0: atomic_int is Atomic{Int}.
type Atomic struct{ Elem Type }

// String returns "_Atomic(TYPE)".
func (a Atomic) String() string { return fmt.Sprintf("_Atomic(%v)", a.Elem) }

// Named is a structure, or one of OpenCL's opaque types by its name in SPIR:
// "ocl_image2d_ro", "ocl_event", "ocl_sampler".
type Named struct{ Name string }

// String returns the name.
func (n Named) String() string { return n.Name }

func malformed(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...)}
}

func checkElem(what string, t Type, depth int) error {
	if t == nil {
		return malformed("a %s of no type", what)
	}
	if depth >= maxDepth {
		return malformed("types lie more than %d deep in each other", maxDepth)
	}
	return t.check(depth + 1)
}

func (b Builtin) check(int) error {
	if b == 0 || int(b) >= len(builtins) {
		return malformed("there is no builtin type %d", uint8(b))
	}
	return nil
}

func (p Pointer) check(depth int) error {
	if p.Elem == Ellipsis {
		return malformed("a pointer to an ellipsis")
	}
	return checkElem("pointer", p.Elem, depth)
}

func (q Qualified) check(depth int) error {
	if q.Space == 0 && !q.Restrict && !q.Volatile && !q.Const {
		return malformed("a qualified type without a qualifier")
	}
	// Qualifiers of a qualified type are one set, with one way to write them.
	if _, twice := q.Type.(Qualified); twice || q.Type == Ellipsis {
		return malformed("a qualified %v", q.Type)
	}
	return checkElem("qualified type", q.Type, depth)
}

func (v Vector) check(depth int) error   { return checkVector("vector", v.Len, v.Elem, depth) }
func (v Scalable) check(depth int) error { return checkVector("scalable vector", v.Min, v.Elem, depth) }

func checkVector(what string, n uint32, elem Type, depth int) error {
	if n == 0 {
		return malformed("a %s of no elements", what)
	}
	switch e := elem.(type) {
	case Builtin:
		if e == Void || e == Ellipsis {
			return malformed("a %s of %v", what, e)
		}
	case Pointer, nil:
	default:
		return malformed("a %s of %v; elements are builtin types or pointers", what, elem)
	}
	return checkElem(what, elem, depth)
}

func (a Atomic) check(depth int) error {
	switch e := a.Elem.(type) {
	case Qualified, Atomic:
		return malformed("an atomic %v", e)
	case Builtin:
		if e == Void || e == Ellipsis {
			return malformed("an atomic %v", e)
		}
	}
	return checkElem("atomic", a.Elem, depth)
}

func (n Named) check(int) error { return checkName(n.Name) }

// checkName refuses what could not be told from what stands around it.
func checkName(s string) error {
	switch {
	case s == "":
		return malformed("a name without letters")
	case len(s) > maxName:
		return malformed("a name of %d bytes; there may be %d", len(s), maxName)
	case s[0] >= '0' && s[0] <= '9':
		return malformed("the name %q starts with a digit", s)
	}
	if i := strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '$')
	}); i >= 0 {
		return malformed("the name %q has a character that names do not have", s)
	}
	return nil
}
