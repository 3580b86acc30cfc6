package debug

import (
	"strconv"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Type is a type of the source.
type Type struct {
	Kind    isa.DebugKind
	Name    string // of a number, structure, typedef or qualifier
	Size    uint64 // bytes
	Elem    *Type
	Count   uint64
	Space   isa.Space // of what a pointer leads to
	Members []Member
	Const   bool // of a pointer's Elem, in a constant address space; for people
	// Enumerators are the names of values of an enumeration, which has the kind of the integers that it is.
	Enumerators []Enumerator
}

// Enumerator is a name of a value of an enumeration.
type Enumerator struct {
	Name  string
	Value uint64 // in as many bits as the enumeration has
}

// Member is a member of a structure or union.
type Member struct {
	Name string
	Type *Type
	Bit  Bits
}

// Bits is where a member is, in bits from the start of the structure. Size is 0 for that of the type.
type Bits struct{ Offset, Bits uint64 }

// maxTypeDepth bounds how deep types are followed. Debug information may lead to itself.
const maxTypeDepth = 64

// makeTypes makes the types of the kernel's table.
func (i *info) makeTypes() {
	i.base = newBaseTypes()
	d := i.kernel.Debug
	if d == nil {
		return
	}
	i.types = make([]*Type, len(d.Types))
	for n := range d.Types {
		i.types[n] = &Type{}
	}
	for n := range d.Types {
		from, t := &d.Types[n], i.types[n]
		*t = Type{Kind: from.Kind, Name: from.Name, Size: from.Size, Elem: i.types[from.Elem], Count: from.Count, Space: from.Space}
		switch {
		case from.Kind == isa.DebugEnum:
			i.makeEnum(t, from)
			continue
		case !t.sized():
			*t = Type{Name: from.Name, Size: from.Size}
			continue
		}
		for _, m := range from.Members {
			t.Members = append(t.Members, Member{m.Name, i.types[m.Type], Bits{m.Offset, m.Bits}})
		}
	}
}

// sized says whether a number, a pointer or a vector has a size that it can have. Debug information may lie.
func (t *Type) sized() bool {
	switch t.Kind {
	case isa.DebugBool, isa.DebugSigned, isa.DebugUnsigned:
		return t.Size == 1 || t.Size == 2 || t.Size == 4 || t.Size == 8
	case isa.DebugFloat:
		return t.Size == 2 || t.Size == 4 || t.Size == 8
	case isa.DebugPointer:
		return t.Size == 4 || t.Size == 8
	case isa.DebugVector:
		return t.Count <= 16
	}
	return true
}

// makeEnum makes an enumeration.
func (i *info) makeEnum(t *Type, from *isa.DebugType) {
	d := i.kernel.Debug
	base := &d.Types[from.Elem]
	for n := 0; base.Kind == isa.DebugAlias && n < maxTypeDepth; n++ {
		base = &d.Types[base.Elem]
	}
	t.Elem, t.Name, t.Kind = nil, "enum "+from.Name, isa.DebugSigned
	if from.Name == "" {
		t.Name = "enum {…}"
	}
	if base.Kind == isa.DebugUnsigned {
		t.Kind = base.Kind
	}
	if !t.sized() {
		t.Size = 4
	}
	mask := ^uint64(0) >> (64 - 8*t.Size)
	for _, m := range from.Members {
		t.Enumerators = append(t.Enumerators, Enumerator{m.Name, m.Offset & mask})
	}
}

// enumerator returns the name of a value of an enumeration, "" for none.
func (t *Type) enumerator(x uint64) string {
	for _, e := range t.Enumerators {
		if e.Value == x {
			return e.Name
		}
	}
	return ""
}

// enumerator returns the value of a name of an enumeration of the source.
func (i *info) enumerator(name string) (Value, bool) {
	for _, t := range i.types {
		for _, e := range t.Enumerators {
			if e.Name == name {
				return integer(t, e.Value), true
			}
		}
	}
	return Value{}, false
}

// strip returns the type behind typedefs and qualifiers.
func (t *Type) strip() *Type {
	for n := 0; t.Kind == isa.DebugAlias && t.Elem != nil && n < maxTypeDepth; n++ {
		t = t.Elem
	}
	return t
}

// String returns the type as a declaration has it: "global float*".
func (t *Type) String() string { return t.text(0) }

func (t *Type) text(depth int) string {
	if t == nil || depth > maxTypeDepth {
		return "…"
	}
	depth++
	switch t.Kind {
	case isa.DebugPointer:
		s := ""
		if t.Space != isa.SpaceGeneric {
			s = t.Space.String() + " "
		}
		if t.Elem == nil || t.Elem.Kind == isa.DebugUnknown {
			return s + "void*"
		}
		return s + t.Elem.text(depth) + "*"
	case isa.DebugVector:
		return t.Elem.text(depth) + strconv.FormatUint(t.Count, 10)
	case isa.DebugArray:
		dims, e := "", t
		for ; e.Kind == isa.DebugArray && depth < maxTypeDepth; e, depth = e.Elem, depth+1 {
			dims += "[" + strconv.FormatUint(e.Count, 10) + "]"
		}
		return e.text(depth) + dims
	case isa.DebugStruct, isa.DebugUnion:
		word := "struct "
		if t.Kind == isa.DebugUnion {
			word = "union "
		}
		if t.Name == "" {
			return word + "{…}"
		}
		return word + t.Name
	case isa.DebugAlias:
		switch t.Name {
		case "const", "volatile", "restrict", "atomic":
			if t.strip().Kind == isa.DebugPointer {
				return t.Elem.text(depth) + " " + t.Name
			}
			return t.Name + " " + t.Elem.text(depth)
		}
		return t.Name
	case isa.DebugUnknown:
		return "unknown"
	}
	return t.Name
}

// Declaration returns the declaration of a name with the type, as the source has it: "int table[2][3]".
func (t *Type) Declaration(name string) string {
	dims := ""
	for n := 0; t.Kind == isa.DebugArray && t.Elem != nil && n < maxTypeDepth; t, n = t.Elem, n+1 {
		dims += "[" + strconv.FormatUint(t.Count, 10) + "]"
	}
	return t.String() + " " + name + dims
}

// isInt says whether a stripped type is an integer, with bool.
func (t *Type) isInt() bool {
	return t.Kind == isa.DebugSigned || t.Kind == isa.DebugUnsigned || t.Kind == isa.DebugBool
}

// isNumber says whether a stripped type is a number.
func (t *Type) isNumber() bool { return t.isInt() || t.Kind == isa.DebugFloat }

// isComposite says whether a stripped type has parts.
func (t *Type) isComposite() bool {
	switch t.Kind {
	case isa.DebugVector, isa.DebugArray, isa.DebugStruct, isa.DebugUnion:
		return true
	}
	return false
}

// baseTypes are the types that expressions name.
type baseTypes struct {
	byName                                                   map[string]*Type
	boolean, integer, uint, long, ulong, float, double, half *Type
}

func newBaseTypes() baseTypes {
	b := baseTypes{byName: map[string]*Type{}}
	add := func(kind isa.DebugKind, size uint64, names ...string) *Type {
		t := &Type{Kind: kind, Name: names[0], Size: size}
		for _, n := range names {
			b.byName[n] = t
		}
		return t
	}
	b.boolean = add(isa.DebugBool, 1, "bool")
	add(isa.DebugSigned, 1, "char")
	add(isa.DebugUnsigned, 1, "uchar")
	add(isa.DebugSigned, 2, "short")
	add(isa.DebugUnsigned, 2, "ushort")
	b.integer = add(isa.DebugSigned, 4, "int")
	b.uint = add(isa.DebugUnsigned, 4, "uint", "unsigned")
	b.long = add(isa.DebugSigned, 8, "long", "ptrdiff_t", "intptr_t")
	b.ulong = add(isa.DebugUnsigned, 8, "ulong", "size_t", "uintptr_t")
	b.float = add(isa.DebugFloat, 4, "float")
	b.double = add(isa.DebugFloat, 8, "double")
	b.half = add(isa.DebugFloat, 2, "half")
	add(isa.DebugVoid, 0, "void")
	return b
}

// vector returns a vector type.
func vector(elem *Type, n uint64) *Type {
	room := n
	if n == 3 {
		room = 4
	}
	return &Type{Kind: isa.DebugVector, Elem: elem, Count: n, Size: elem.Size * room}
}

// named returns the type of a name as expressions have it: "float4", a structure, a typedef; nil for none.
func (i *info) named(name string) *Type {
	if t := i.base.byName[name]; t != nil {
		return t
	}
	for n := len(name) - 1; n > 0 && n >= len(name)-2; n-- {
		switch name[n:] {
		case "2", "3", "4", "8", "16":
			if t := i.base.byName[name[:n]]; t != nil && t.isNumber() && t.Kind != isa.DebugBool {
				count, _ := strconv.ParseUint(name[n:], 10, 8)
				return vector(t, count)
			}
		}
	}
	for _, t := range i.types {
		if t.Name == name && t.Kind == isa.DebugAlias && !t.qualifier() {
			return t
		}
	}
	for _, tag := range [...]string{"struct", "union", "enum"} { // the source's names are one kind of name for a person
		if t := i.tagged(tag, name); t != nil {
			return t
		}
	}
	return nil
}

// tagged returns a structure, a union or an enumeration by its tag; nil for none.
func (i *info) tagged(tag, name string) *Type {
	for _, t := range i.types {
		switch {
		case tag == "struct" && t.Kind == isa.DebugStruct && t.Name == name,
			tag == "union" && t.Kind == isa.DebugUnion && t.Name == name,
			tag == "enum" && len(t.Enumerators) > 0 && t.Name == "enum "+name:
			return t
		}
	}
	return nil
}
