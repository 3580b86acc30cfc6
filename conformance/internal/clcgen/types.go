package clcgen

import (
	"fmt"
	"strings"
)

type kind uint8

const (
	integer kind = iota
	floating
	boolean
	enumeration
	vector
	record
	union
	array
	pointer
)

// typ is a type of the language.
type typ struct {
	kind   kind
	name   string // of scalars, vectors, records, unions, enumerations
	bits   int    // of a scalar
	signed bool
	elem   *typ // of vectors, arrays, pointers
	n      int  // elements of a vector or an array; elements in bounds behind a pointer
	fields []field
	consts []string // of an enumeration
	// space and readonly are of what a pointer points to.
	space    string
	readonly bool
	size     int  // bytes, at least; of what stands in memory
	host     bool // may be a kernel's argument
	packed   bool // members can stand at odd places
}

type field struct {
	name string
	t    *typ
}

var (
	ints = []*typ{
		scalar(integer, "char", 8, true), scalar(integer, "uchar", 8, false),
		scalar(integer, "short", 16, true), scalar(integer, "ushort", 16, false),
		scalar(integer, "int", 32, true), scalar(integer, "uint", 32, false),
		scalar(integer, "long", 64, true), scalar(integer, "ulong", 64, false),
	}
	floats  = []*typ{scalar(floating, "float", 32, true), scalar(floating, "double", 64, true)}
	halfT   = scalar(floating, "half", 16, true)
	boolT   = &typ{kind: boolean, name: "bool", bits: 1, size: 1}
	intT    = ints[4]
	uintT   = ints[5]
	ulongT  = ints[7]
	lengths = []int{2, 3, 4, 8, 16}
	vectors = map[string]*typ{} // by name, of all scalars
)

func init() {
	for _, s := range append(append([]*typ{halfT}, ints...), floats...) {
		for _, n := range lengths {
			name := fmt.Sprint(s.name, n)
			vectors[name] = &typ{kind: vector, name: name, elem: s, n: n, size: s.bits / 8 * (n + n&1), host: true}
		}
	}
}

func scalar(k kind, name string, bits int, signed bool) *typ {
	return &typ{kind: k, name: name, bits: bits, signed: signed, size: bits / 8, host: true}
}

// vec returns the vector of n elements, the scalar itself for 1.
func vec(elem *typ, n int) *typ {
	if n == 1 {
		return elem
	}
	return vectors[fmt.Sprint(elem.name, n)]
}

// count is how many elements a scalar or a vector has, and base is their type.
func (t *typ) count() int {
	if t.kind == vector {
		return t.n
	}
	return 1
}

func (t *typ) base() *typ {
	if t.kind == vector {
		return t.elem
	}
	return t
}

func (t *typ) isFloat() bool { return t.base().kind == floating }

// intOf returns the integer type of a width.
func intOf(bits int, signed bool) *typ {
	for _, t := range ints {
		if t.bits == bits && t.signed == signed {
			return t
		}
	}
	panic("clcgen: no integer of that width")
}

// class is the class of an expression of type t.
func (t *typ) class() string {
	switch t.kind {
	case integer, boolean, enumeration:
		return "i"
	case floating:
		return "f"
	}
	return t.name
}

// declare writes a declaration of name.
func (t *typ) declare(name string) string {
	switch t.kind {
	case array:
		dims := ""
		for t.kind == array {
			dims += fmt.Sprintf("[%d]", t.n)
			t = t.elem
		}
		return t.name + " " + name + dims
	case pointer:
		q := t.space
		if t.readonly {
			q += " const"
		}
		return strings.TrimSpace(q+" "+t.elem.name) + " *" + name
	}
	return t.name + " " + name
}

// leafy reports whether values of t are scalars or vectors.
func (t *typ) leafy() bool { return t.kind <= vector }

func arrayOf(elem *typ, n int) *typ {
	return &typ{kind: array, elem: elem, n: n, size: elem.size * n, host: elem.host}
}

func pointerTo(elem *typ, n int, space string, readonly bool) *typ {
	return &typ{kind: pointer, elem: elem, n: n, space: space, readonly: readonly}
}
