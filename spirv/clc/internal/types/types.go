// Package types has the types of OpenCL C: what they are, how large they are, how they are written.
//
// Types are made by a [Table], which has one value for each type, so that == compares. Structures, unions and
// enumerations are as many types as there are declarations. The package knows sizes, alignments and offsets for
// 32- and 64-bit devices; it knows no expressions and no SPIR-V.
package types

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
)

// Kind is the kind of a type.
type Kind uint8

// The kinds. Those from BoolKind to DoubleKind are scalars, in the order of their conversion ranks.
const (
	Invalid Kind = iota // the type of what is wrong already; it goes with everything
	VoidKind
	BoolKind
	CharKind
	UCharKind
	ShortKind
	UShortKind
	IntKind
	UIntKind
	LongKind
	ULongKind
	HalfKind
	FloatKind
	DoubleKind
	EnumKind
	VectorKind
	PointerKind
	ArrayKind
	StructKind // unions too
	FunctionKind
	ImageKind
	SamplerKind
	EventKind
	ReserveIDKind
	PipeKind
	QueueKind    // queue_t, clk_event_t, ndrange_t: named, and refused where they are used
	NullPtrKind  // the type of no expression; reserved
	BuiltinSet   // the type of the name of a built-in function
	NumTypeKinds // the number of kinds
)

// Space is an address space.
type Space uint8

// The address spaces. Private is also that of what has none written (function-scope variables, values).
const (
	Private Space = iota
	Global
	Local
	Constant
	Generic
)

// String returns the qualifier as OpenCL C writes it: "__global".
func (s Space) String() string {
	return [...]string{"__private", "__global", "__local", "__constant", "__generic"}[s]
}

// Quals are the qualifiers of a type.
type Quals uint16

// The qualifiers, beside the address space, which has the bits from spaceShift on.
const (
	Const Quals = 1 << iota
	Volatile
	Restrict
	Atomic
	Explicit // the address space was written, not a default

	spaceShift       = 8
	spaceMask  Quals = 7 << spaceShift
)

// Space returns the address space.
func (q Quals) Space() Space { return Space(q & spaceMask >> spaceShift) }

// In returns the qualifiers with another address space.
func (q Quals) In(s Space) Quals { return q&^spaceMask | Quals(s)<<spaceShift }

// CVR returns const, volatile, restrict and atomic alone.
func (q Quals) CVR() Quals { return q & (Const | Volatile | Restrict | Atomic) }

// Qual is a type with its qualifiers. Explicit never differs between two Quals that are to be compared: Same
// leaves it out.
type Qual struct {
	*Type
	Q Quals
}

// Unqual returns a type without qualifiers.
func (t Qual) Unqual() Qual { return Qual{Type: t.Type} }

// With returns the type with more qualifiers.
func (t Qual) With(q Quals) Qual { return Qual{t.Type, t.Q | q} }

// In returns the type in another address space.
func (t Qual) In(s Space) Qual { return Qual{t.Type, t.Q.In(s)} }

// Space returns the address space.
func (t Qual) Space() Space { return t.Q.Space() }

// Same reports whether two types, with qualifiers and address spaces, are the same.
func (t Qual) Same(u Qual) bool { return t.Type == u.Type && (t.Q^u.Q)&^Explicit == 0 }

// Type is an unqualified type. Fields that a kind does not name are zero.
type Type struct {
	Kind Kind

	// Elem is the element of a vector or array, the pointee of a pointer, the packet of a pipe, the result of a
	// function.
	Elem Qual
	// Len is the number of components of a vector or of elements of an array; -1 is an array without a size.
	Len int64

	Struct *Struct // StructKind
	Enum   *Enum   // EnumKind
	Image  *Image  // ImageKind
	Access Access  // of a pipe

	Params   []Qual // of a function
	Variadic bool
	NoProto  bool // declared with ()

	// Name is how OpenCL C calls a scalar or opaque type: "uint", "image2d_t".
	Name string
	// ID numbers the types of a Table in the order in which they were made, from 1. Generated code may keep what
	// belongs to a type in a slice.
	ID int

	derived derived // pointers, arrays and vectors of this type
}

// Access is an access qualifier of an image or a pipe.
type Access uint8

// The access qualifiers.
const (
	ReadOnly Access = iota
	WriteOnly
	ReadWrite
)

// String returns the qualifier as OpenCL C writes it: "read_only".
func (a Access) String() string { return [...]string{"read_only", "write_only", "read_write"}[a] }

// Image says which image an image type is for.
type Image struct {
	Dim    int // 1, 2 or 3 coordinates
	Array  bool
	Depth  bool
	MSAA   bool
	Buffer bool // image1d_buffer_t
	Access Access
}

// Typedef is a name by which the source writes a type, for debug information: types themselves are the same by any name.
type Typedef struct {
	Name string
	Type Qual
	Pos  source.Pos
	Of   *Typedef // the name by which Type is written; nil for none
}

// Struct is a structure or union.
type Struct struct {
	Tag      string // empty for none
	Alias    string // the typedef that names a structure without a tag
	Depth    int    // the number of structures inside of each other, this one included; set when it is complete
	Pos      source.Pos
	Union    bool
	Complete bool
	Packed   bool
	MinAlign int64 // from attributes; 0 for none
	MaxAlign int64 // of members, from #pragma pack; 0 for none
	Fields   []Field
	Size     int64 // bytes; set by Table.Layout
	Align    int64
	Flexible bool // the last field is an array without a size
}

// Field is a member of a structure or union.
type Field struct {
	Name   string // empty for anonymous structures, unions and bit-fields
	Type   Qual
	Pos    source.Pos
	Bits   int   // width of a bit-field; -1 for other fields
	Align  int64 // from attributes; 0 for none
	Packed bool
	// SizeDependent says that the type is written with size_t or its kin.
	SizeDependent bool
	Written       *Typedef // the name that Type, or what it is made of, is written by; nil for none

	Offset int64 // bytes; of a bit-field, of the unit of its type that has it
	Shift  int   // the number of the lowest bit of a bit-field in its unit
	Unit   int64 // bytes of the unit of a bit-field, 0 for other fields
}

// Enum is an enumeration.
type Enum struct {
	Tag      string
	Alias    string // the typedef that names an enumeration without a tag
	Pos      source.Pos
	Complete bool
	Base     *Type // the integer type it has
	Fixed    bool  // Base is written: enum E : uchar
	Names    []Enumerator
}

// Enumerator is a constant of an enumeration.
type Enumerator struct {
	Name  string
	Value uint64 // with its sign
}

// Config is what the sizes of types depend on.
type Config struct {
	AddressBits int // 32 or 64
}

// Table makes types.
type Table struct {
	Config Config

	Invalid, Void, Bool                                *Type
	Char, UChar, Short, UShort, Int, UInt, Long, ULong *Type
	Half, Float, Double                                *Type
	Sampler, Event, ReserveID                          *Type
	Queue, ClkEvent, NDRange                           *Type
	Builtin                                            *Type // of names of built-in functions

	// Size, PtrDiff, IntPtr and UIntPtr are what size_t and its kin stand for.
	Size, PtrDiff, IntPtr, UIntPtr *Type

	all   []*Type
	funcs map[string]*Type
	imgs  map[Image]*Type
}

// key is what a type is derived with: kind, qualifiers of the element, length, access.
type key struct {
	kind   Kind
	q      Quals
	len    int64
	access Access
}

// derived has the types that are derived from one: the first ones in a list, which is faster than a map.
type derived struct {
	keys []key
	list []*Type // beside keys
	more map[key]*Type
}

const maxDerivedList = 8

func (d *derived) find(k key) *Type {
	for i := range d.keys {
		if d.keys[i] == k {
			return d.list[i]
		}
	}
	return d.more[k]
}

func (d *derived) add(k key, t *Type) {
	switch {
	case len(d.keys) < maxDerivedList:
		d.keys, d.list = append(d.keys, k), append(d.list, t)
	case d.more == nil:
		d.more = map[key]*Type{k: t}
	default:
		d.more[k] = t
	}
}

// NewTable returns a table with the scalar and opaque types.
func NewTable(c Config) *Table {
	t := &Table{Config: c, funcs: map[string]*Type{}, imgs: map[Image]*Type{}}
	for _, s := range []struct {
		to   **Type
		kind Kind
		name string
	}{
		{&t.Invalid, Invalid, "<invalid>"}, {&t.Void, VoidKind, "void"}, {&t.Bool, BoolKind, "bool"},
		{&t.Char, CharKind, "char"}, {&t.UChar, UCharKind, "uchar"},
		{&t.Short, ShortKind, "short"}, {&t.UShort, UShortKind, "ushort"},
		{&t.Int, IntKind, "int"}, {&t.UInt, UIntKind, "uint"},
		{&t.Long, LongKind, "long"}, {&t.ULong, ULongKind, "ulong"},
		{&t.Half, HalfKind, "half"}, {&t.Float, FloatKind, "float"}, {&t.Double, DoubleKind, "double"},
		{&t.Sampler, SamplerKind, "sampler_t"}, {&t.Event, EventKind, "event_t"},
		{&t.ReserveID, ReserveIDKind, "reserve_id_t"}, {&t.Queue, QueueKind, "queue_t"},
		{&t.ClkEvent, QueueKind, "clk_event_t"}, {&t.NDRange, QueueKind, "ndrange_t"},
		{&t.Builtin, BuiltinSet, "<builtin fn type>"},
	} {
		*s.to = t.add(&Type{Kind: s.kind, Name: s.name})
	}
	t.Size, t.PtrDiff, t.IntPtr, t.UIntPtr = t.ULong, t.Long, t.Long, t.ULong
	if c.AddressBits == 32 {
		t.Size, t.PtrDiff, t.IntPtr, t.UIntPtr = t.UInt, t.Int, t.Int, t.UInt
	}
	return t
}

func (t *Table) add(x *Type) *Type {
	t.all = append(t.all, x)
	x.ID = len(t.all)
	return x
}

// Types returns how many types there are: the greatest Type.ID.
func (t *Table) Types() int { return len(t.all) }

// ByID returns the type of a number.
func (t *Table) ByID(id int) *Type { return t.all[id-1] }

// Scalar returns the type of a scalar kind.
func (t *Table) Scalar(k Kind) *Type {
	return [...]*Type{Invalid: t.Invalid, VoidKind: t.Void, BoolKind: t.Bool, CharKind: t.Char, UCharKind: t.UChar,
		ShortKind: t.Short, UShortKind: t.UShort, IntKind: t.Int, UIntKind: t.UInt, LongKind: t.Long,
		ULongKind: t.ULong, HalfKind: t.Half, FloatKind: t.Float, DoubleKind: t.Double}[k]
}

func (t *Table) derive(elem Qual, k key) *Type {
	elem.Q &^= Explicit
	k.q = elem.Q
	if x := elem.derived.find(k); x != nil {
		return x
	}
	x := t.add(&Type{Kind: k.kind, Elem: elem, Len: k.len, Access: k.access})
	elem.derived.add(k, x)
	return x
}

// Pointer returns the type of pointers to elem, whose address space is that of what they point to.
func (t *Table) Pointer(elem Qual) *Type { return t.derive(elem, key{kind: PointerKind}) }

// Array returns the type of arrays of n elements, -1 for arrays without a size.
func (t *Table) Array(elem Qual, n int64) *Type { return t.derive(elem, key{kind: ArrayKind, len: n}) }

// Vector returns the type of vectors of n components (2, 3, 4, 8 or 16) of a scalar type; of one, the scalar.
// Vectors of other lengths and of BoolKind, which no program can name, are possible too.
func (t *Table) Vector(elem *Type, n int) *Type {
	if n == 1 {
		return elem
	}
	return t.derive(Qual{Type: elem}, key{kind: VectorKind, len: int64(n)})
}

// Pipe returns the type of pipes of packets.
func (t *Table) Pipe(packet Qual, a Access) *Type {
	return t.derive(packet, key{kind: PipeKind, access: a})
}

// ImageType returns the type of images.
func (t *Table) ImageType(i Image) *Type {
	if x := t.imgs[i]; x != nil {
		return x
	}
	c := i
	x := t.add(&Type{Kind: ImageKind, Image: &c, Name: i.name()})
	t.imgs[i] = x
	return x
}

// Function returns a function's type. Qualifiers of parameters themselves are left out, as in C.
func (t *Table) Function(result Qual, params []Qual, variadic, noProto bool) *Type {
	b := make([]byte, 0, 64)
	number := func(q Qual) {
		for v := uint64(q.ID)<<16 | uint64(q.Q&^Explicit); ; v >>= 7 {
			b = append(b, byte(v&127)|128)
			if v < 128 {
				b[len(b)-1] &= 127
				break
			}
		}
	}
	number(result)
	for _, p := range params {
		number(p.Unqual())
	}
	switch {
	case variadic:
		b = append(b, 1, 0)
	case noProto:
		b = append(b, 2, 0)
	}
	if x := t.funcs[string(b)]; x != nil {
		return x
	}
	x := t.add(&Type{Kind: FunctionKind, Elem: result, Variadic: variadic, NoProto: noProto})
	for _, p := range params {
		x.Params = append(x.Params, p.Unqual())
	}
	t.funcs[string(b)] = x
	return x
}

// NewStruct returns a new structure or union, without fields yet.
func (t *Table) NewStruct(s *Struct) *Type { return t.add(&Type{Kind: StructKind, Struct: s}) }

// NewEnum returns a new enumeration.
func (t *Table) NewEnum(e *Enum) *Type { return t.add(&Type{Kind: EnumKind, Enum: e}) }
