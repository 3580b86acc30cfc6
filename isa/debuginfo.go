package isa

import "fmt"

// DebugInfo is what a debugger knows of a kernel that was lowered for it: variables with their types and
// scopes. Element 0 of Types and Scopes stands for what is not known. It says nothing about what the kernel
// does.
type DebugInfo struct {
	Types  []DebugType
	Scopes []DebugScope
	Vars   []DebugVar
	// LocScopes has the scope of each of Kernel.Locs. Places beyond its end have none.
	LocScopes []uint32
}

// DebugKind is the kind of a type of the source.
type DebugKind uint8

// The kinds.
const (
	DebugUnknown DebugKind = iota // bytes
	DebugVoid
	DebugBool
	DebugSigned
	DebugUnsigned
	DebugFloat
	DebugPointer // to Elem
	DebugVector  // of Count Elem
	DebugArray   // of Count Elem
	DebugStruct
	DebugUnion
	DebugHandle // an image, a sampler, an event, a pipe
	DebugAlias  // another name of Elem, or Elem with the qualifier Name
	DebugEnum   // a number of the type Elem; each of Members is a name, and its Offset the value
	NumDebugKinds
)

// DebugType is a type of the source.
type DebugType struct {
	Kind    DebugKind
	Name    string
	Size    uint64 // bytes; 0 where that is not known
	Elem    uint32 // in DebugInfo.Types
	Count   uint64
	Space   Space // of what a pointer leads to
	Members []DebugMember
}

// DebugMember is a member of a structure or union. Offset is in bits, and so is Bits, the size, which is 0
// for that of the type.
type DebugMember struct {
	Name   string
	Type   uint32
	Offset uint64
	Bits   uint64
}

// DebugScope is a function or a block of the source.
type DebugScope struct {
	Name         string // of a function; "" for a block
	File         uint32 // in Program.Files
	Line, Column uint32
	Parent       uint32 // the scope around it, of a lower number; 0 for none
}

// DebugWhere says where a variable is.
type DebugWhere uint8

// The places.
const (
	DebugPrivate DebugWhere = iota // byte Offset of Kernel.Private[Index]
	DebugLocal                     // likewise of Kernel.Local
	DebugGlobal                    // likewise of Program.Globals
	// DebugShadow is a variable that has values and no memory, as optimizing compilers leave it.
	// Kernel.Private[Index] has a copy of what it was given last, for a type of n bytes: the value, n bytes with
	// the states of its bytes (DebugState) and, from the next multiple of 8 on, a pointer.
	DebugShadow
	// DebugNowhere is a variable of which nothing is left.
	DebugNowhere
	NumDebugWheres
)

// DebugState says what is known of a byte of a variable that has values and no memory.
type DebugState uint8

// The states.
const (
	DebugUnset    DebugState = iota // nothing has been given yet
	DebugKept                       // the copy has it
	DebugLost                       // optimized out
	DebugInMemory                   // where the pointer leads
)

// DebugShadowSize returns the size of the copy of a variable of n bytes, and where the pointer is in it.
func DebugShadowSize(n uint64) (size, pointer uint64) {
	pointer = (2*n + 7) &^ 7
	return pointer + 8, pointer
}

// DebugVar is a variable or a parameter of the source.
type DebugVar struct {
	Name  string
	Type  uint32 // in DebugInfo.Types
	Scope uint32 // in DebugInfo.Scopes; 0 for everywhere
	File  uint32 // in Program.Files
	Line  uint32
	Arg   uint32 // 1 + the number of a parameter; 0 for other variables
	// At is the index into Kernel.Locs of the inlined call to which a variable of a function belongs; 0 for the
	// kernel's own. It says nothing where nothing is left of the variable.
	At     uint32
	Where  DebugWhere
	Index  uint32
	Offset uint64
}

// verify checks that all numbers lead somewhere.
func (d *DebugInfo) verify(p *Program, k *Kernel) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("kernel %s: debug information: %s: %w", k.Name, fmt.Sprintf(format, args...), ErrMalformed)
	}
	if len(d.Types) == 0 || len(d.Scopes) == 0 {
		return bad("type 0 or scope 0 is missing")
	}
	typ := func(t uint32) bool { return uint64(t) < uint64(len(d.Types)) }
	for i := range d.Types {
		t := &d.Types[i]
		if t.Kind >= NumDebugKinds || !typ(t.Elem) || t.Space >= NumSpaces {
			return bad("type %d", i)
		}
		for _, m := range t.Members {
			if !typ(m.Type) {
				return bad("member %q has type %d of %d", m.Name, m.Type, len(d.Types))
			}
		}
	}
	file := func(f uint32) bool { return f == 0 || uint64(f) < uint64(len(p.Files)) }
	for i := range d.Scopes {
		s := &d.Scopes[i]
		if i > 0 && s.Parent >= uint32(i) || i == 0 && s.Parent != 0 || !file(s.File) {
			return bad("scope %d", i)
		}
	}
	for i := range d.Vars {
		v := &d.Vars[i]
		n := 0
		switch v.Where {
		case DebugPrivate, DebugShadow:
			n = len(k.Private)
		case DebugLocal:
			n = len(k.Local)
		case DebugGlobal:
			n = len(p.Globals)
		case DebugNowhere:
			n = 1
		}
		if !typ(v.Type) || uint64(v.Scope) >= uint64(len(d.Scopes)) || !file(v.File) || uint64(v.Index) >= uint64(n) ||
			uint64(v.Arg) > uint64(len(k.Params)) && v.At == 0 && v.Scope != 0 || v.At != 0 && uint64(v.At) >= uint64(len(k.Locs)) {
			return bad("variable %q", v.Name)
		}
	}
	if len(d.LocScopes) > max(len(k.Locs), 1) {
		return bad("%d scopes of %d places", len(d.LocScopes), len(k.Locs))
	}
	for i, s := range d.LocScopes {
		if uint64(s) >= uint64(len(d.Scopes)) {
			return bad("place %d has scope %d of %d", i, s, len(d.Scopes))
		}
	}
	return nil
}
