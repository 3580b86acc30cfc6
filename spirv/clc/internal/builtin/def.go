package builtin

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Def is a row of the table.
type Def struct {
	// Name has the names, separated by blanks; {a,b} stands for each of its parts, which may be empty.
	Name string
	// Sig is the pattern of the overloads: "T(T, @T*)". Its words are explained at parsePattern. Several are
	// separated by semicolons.
	Sig  string
	Over Over // what T stands for, in all patterns
	// Spaces are the address spaces of the pointers that the pattern writes with @.
	Spaces Spaces
	Emit   Emit

	Since, Until lang.Version // the first version that has it, and the first that has it no more; 0 for none
	Ext          string       // the extension or feature that it belongs to
	Section      string       // of the OpenCL C specification; empty for extensions
	Special      bool         // the parameters are of any type: Table.Special
	Secondary    bool         // overloads that no call means whose arguments another row takes, by conversions
	Refused      string       // why a program cannot use it; empty for what works
	Help         string       // one sentence

	patterns []pattern
}

// Over is what a row's generic type T stands for: each of the component types Of with each number of components N.
// If Images is not empty, T is each of the image types instead.
type Over struct {
	Of     kinds
	N      lanes
	M      lanes // numbers of components for the words that end in _m
	Images images
	Access access
}

// kinds is a set of scalar types, lanes one of numbers of components, images one of image types, access one of
// access qualifiers.
type (
	kinds  uint32
	lanes  uint8
	images uint32
	access uint8
)

const (
	chars   kinds = 1 << types.CharKind
	uchars  kinds = 1 << types.UCharKind
	shorts  kinds = 1 << types.ShortKind
	ushorts kinds = 1 << types.UShortKind
	ints    kinds = 1 << types.IntKind
	uints   kinds = 1 << types.UIntKind
	longs   kinds = 1 << types.LongKind
	ulongs  kinds = 1 << types.ULongKind
	halfs   kinds = 1 << types.HalfKind
	floats  kinds = 1 << types.FloatKind
	doubles kinds = 1 << types.DoubleKind

	octets   = chars | uchars
	words    = shorts | ushorts
	dwords   = ints | uints
	qwords   = longs | ulongs
	signed   = chars | shorts | ints | longs
	unsigned = uchars | ushorts | uints | ulongs
	integers = signed | unsigned
	reals    = halfs | floats | doubles
	scalars  = integers | reals
	wide     = dwords | qwords | reals // what work-groups and sub-groups exchange without extensions
)

const (
	n1 lanes = 1 << iota
	n2
	n3
	n4
	n8
	n16

	vectors = n2 | n3 | n4 | n8 | n16
	anyN    = n1 | vectors
	evenN   = n2 | n4 | n8 | n16
)

// laneCounts has the numbers of the bits of lanes.
var laneCounts = [...]int{1, 2, 3, 4, 8, 16}

const (
	img1D images = 1 << iota
	img1DBuffer
	img1DArray
	img2D
	img2DArray
	img3D
	img2DDepth
	img2DArrayDepth
	img2DMSAA
	img2DArrayMSAA
	img2DMSAADepth
	img2DArrayMSAADepth

	imgPlain   = img1D | img1DBuffer | img1DArray | img2D | img2DArray | img3D
	imgDepth   = img2DDepth | img2DArrayDepth
	imgSamples = img2DMSAA | img2DArrayMSAA
	imgMSAA    = imgSamples | img2DMSAADepth | img2DArrayMSAADepth
	imgAll     = imgPlain | imgDepth | imgMSAA
)

// imageTypes has the bits of images.
var imageTypes = [...]types.Image{
	{Dim: 1}, {Dim: 1, Buffer: true}, {Dim: 1, Array: true}, {Dim: 2}, {Dim: 2, Array: true}, {Dim: 3},
	{Dim: 2, Depth: true}, {Dim: 2, Array: true, Depth: true}, {Dim: 2, MSAA: true}, {Dim: 2, Array: true,
		MSAA: true},
	{Dim: 2, MSAA: true, Depth: true}, {Dim: 2, Array: true, MSAA: true, Depth: true},
}

const (
	readOnly access = 1 << iota
	writeOnly
	readWrite
	anyAccess = readOnly | writeOnly | readWrite
)

// Spaces says in which address spaces the pointers of a pattern are.
type Spaces uint8

// The families of address spaces.
const (
	NoSpaces   Spaces = iota
	AnySpace          // one that can be written: all of them by name, or generic where there is that
	OwnSpace          // private, or generic where there is that
	ReadSpace         // one that can be read: as AnySpace, and constant
	Shared            // global or local
	AtomSpace         // an atomic object: generic, and from OpenCL C 3.0 on also global and local
	AtomSpaces        // an atomic object and a pointer beside it
	CopySpaces        // local from global, or global from local
	SharedAny         // global, local or generic
)

// Kind says how a module says a function.
type Kind uint8

// The kinds.
const (
	// Special functions have code of their own in package gen, by their name.
	Code Kind = iota
	// Std is an instruction of OpenCL.std with the arguments as operands: Float, Signed or Unsigned by the type of
	// the first argument.
	Std
	// Op is an instruction of the core, Float, Signed or Unsigned by the type of the first argument, with the
	// arguments as operands.
	Op
	// Relation is a comparison or classification, Float, whose Boolean becomes 0 and 1, or 0 and -1 in vectors.
	Relation
	// Group is an instruction with Scope, Operation (if that is not NoOperation) and the arguments.
	Group
	// Vote is a Group of Booleans: the first argument is compared with 0.
	Vote
	// WorkItem reads the built-in variable Float; with an argument, its component, or Other outside 0 to 2.
	WorkItem
	// Atomic is an atomic instruction, Float, Signed or Unsigned.
	Atomic
	// Import is a call of a function that the module imports by the name that OpenCL C's mangling gives.
	Import
	// None does nothing.
	None
)

// NoOperation says that a Group has no group operation.
const NoOperation = ^spirv.GroupOperation(0)

// Emit says how a module says a function.
type Emit struct {
	Kind                    Kind
	Float, Signed, Unsigned uint16
	Scope                   spirv.Scope
	Operation               spirv.GroupOperation
	Caps                    []spirv.Capability
	Ext                     string // the extension of SPIR-V that the instruction needs
	Other                   uint64 // WorkItem: the value for dimensions that there are not
}

// std is one instruction of OpenCL.std for all types.
func std(n uint16) Emit { return Emit{Kind: Std, Float: n, Signed: n, Unsigned: n} }

// stdInt is an instruction of OpenCL.std by the sign of the arguments.
func stdInt(s, u uint16) Emit { return Emit{Kind: Std, Signed: s, Unsigned: u} }

// stdAll is an instruction of OpenCL.std for floats, signed and unsigned integers.
func stdAll(f, s, u uint16) Emit { return Emit{Kind: Std, Float: f, Signed: s, Unsigned: u} }

// op is an instruction of the core.
func op(o spirv.Op, caps ...spirv.Capability) Emit {
	return Emit{Kind: Op, Float: uint16(o), Signed: uint16(o), Unsigned: uint16(o), Caps: caps}
}

// relation is a comparison.
func relation(o spirv.Op) Emit { return Emit{Kind: Relation, Float: uint16(o)} }

// code is a function with code of its own.
func code() Emit { return Emit{} }

// workItem reads a built-in variable.
func workItem(b spirv.BuiltIn, other uint64) Emit {
	return Emit{Kind: WorkItem, Float: uint16(b), Other: other}
}

// atomic is an atomic instruction.
func atomic(f, s, u spirv.Op) Emit {
	return Emit{Kind: Atomic, Float: uint16(f), Signed: uint16(s), Unsigned: uint16(u)}
}

// group is an instruction of a group.
func group(scope spirv.Scope, operation spirv.GroupOperation, f, s, u spirv.Op,
	caps ...spirv.Capability) Emit {
	return Emit{Kind: Group, Scope: scope, Operation: operation, Float: uint16(f), Signed: uint16(s),
		Unsigned: uint16(u), Caps: caps}
}

// vote is an instruction of a group of Booleans.
func vote(scope spirv.Scope, operation spirv.GroupOperation, o spirv.Op, caps ...spirv.Capability) Emit {
	e := group(scope, operation, o, o, o, caps...)
	e.Kind = Vote
	return e
}
