package build

import (
	"fmt"

	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

type kind uint8

const (
	KindVoid kind = iota
	KindBool
	KindInt
	KindFloat
	KindVector
	KindArray
	KindStruct
	KindPointer
	kindFunction
	KindEvent // a handle as wide as a pointer; 64 bits in instructions
	KindImage // held as a handle
	kindPipe  // an end of a pipe, held as a handle
	KindPipeStorage
	kindReserveID
	KindSampler      // the 64 bits of its state
	KindSampledImage // an image and a sampler, two scalars
	KindMatrix       // the components of a cooperative matrix that a lane has
	kindOpaque       // queues …: known by name, not lowered
)

// maxObject is the size in bytes of the largest type that has a layout.
const maxObject = 1 << 38

// MaxFlat is the number of scalars of the largest value that lives in
// registers. What is larger lives in memory.
const MaxFlat = 1 << 12

// Type is a SPIR-V type with its layout in memory as OpenCL has it (OpenCL C
// 6.1.5: natural alignment, a vector of three takes the room of four).
type Type struct {
	ID      spirv.ID
	Op      spirv.Op
	Kind    kind
	Bits    int // of an integer (any width up to 64), float or event
	Elem    *Type
	elemID  spirv.ID    // pointee; resolved when asked for, as types may be recursive through pointers
	Count   uint64      // of a vector or array
	Small   *SmallFloat // of a float that is none of IEEE 754
	nibbles bool        // of a vector: two components share a byte (SPV_INTEL_int4)
	Rows    uint64      // of a cooperative matrix
	Columns uint64
	Members []*Type
	offsets []uint64
	flats   []int // of a structure: the number of scalars ahead of each member
	Storage spirv.StorageClass
	// anywhere says of a pointer of storage class Function that it may lead to a constant outside functions,
	// see Module.functionConstants.
	anywhere bool
	Size     uint64 // bytes; 0 for void, function and opaque types
	Align    uint64
	Flat     int // number of scalars
}

// Scalar returns the bytecode type that holds a scalar of type t: integers of
// odd widths are kept zero-extended in the next wider one.
func (t *Type) Scalar() isa.Type {
	switch t.Kind {
	case KindBool:
		return isa.B1
	case KindInt:
		switch {
		case t.Bits <= 8:
			return isa.I8
		case t.Bits <= 16:
			return isa.I16
		case t.Bits <= 32:
			return isa.I32
		}
		return isa.I64
	case KindFloat:
		if t.Small != nil {
			return isa.IntOf(max(t.Bits, 8))
		}
		return isa.FloatOf(t.Bits)
	case KindPointer, KindImage, kindPipe, KindPipeStorage, kindReserveID, KindSampler:
		return isa.I64
	case KindEvent:
		return isa.IntOf(t.Bits)
	}
	return isa.Void
}

// Stride is how many elements a vector of n takes in memory: the next power of two, as three take the room of four.
func Stride(n int) int { return 1 << bits.Len(uint(n-1)) }

// Component returns the type of the components of a vector or of a cooperative matrix, or the type itself.
func (t *Type) Component() *Type {
	if t.Kind == KindVector || t.Kind == KindMatrix {
		return t.Elem
	}
	return t
}

// Odd says whether t is an integer whose width is not that of its register.
func (t *Type) Odd() bool { return t.Kind == KindInt && t.Bits != t.Scalar().Bits() }

// TypeOf returns the type with the given id.
func (m *Module) TypeOf(id spirv.ID) *Type {
	at := m.Index.At(id)
	if at < 0 {
		m.failID(id, "type is not defined")
	}
	in := m.Source.Insts[at]
	if at >= len(m.types) {
		m.fail(in, "is no type")
	}
	if t := m.types[at]; t != nil {
		return t
	}
	if m.TypeDepth++; m.TypeDepth > 256 {
		m.fail(in, "types are nested more than 256 deep")
	}
	user := m.at
	m.at = in
	t := m.newType(in)
	m.at = user
	m.TypeDepth--
	m.types[at] = t
	return t
}

// TypeMakers has what fills in the type that an instruction declares. Types of other instructions are known by name
// only.
var TypeMakers map[spirv.Op]func(*Module, spirv.Inst, *Type)

func init() {
	TypeMakers = map[spirv.Op]func(*Module, spirv.Inst, *Type){
		spirv.OpTypeVoid: func(_ *Module, _ spirv.Inst, t *Type) {
			t.Kind = KindVoid
		},
		spirv.OpTypeBool: func(_ *Module, _ spirv.Inst, t *Type) {
			t.Kind, t.Size, t.Flat = KindBool, 1, 1
		},
		spirv.OpTypeInt:                  (*Module).intType,
		spirv.OpTypeFloat:                (*Module).floatType,
		spirv.OpTypeVector:               (*Module).vectorType,
		spirv.OpTypeVectorIdEXT:          (*Module).vectorType,
		spirv.OpTypeArray:                (*Module).arrayType,
		spirv.OpTypeCooperativeMatrixKHR: (*Module).matrixType,
		spirv.OpTypeStruct:               (*Module).structType,
		spirv.OpTypePointer:              (*Module).pointerType,
		spirv.OpTypeUntypedPointerKHR:    (*Module).pointerType,
		spirv.OpTypeEvent: func(m *Module, _ spirv.Inst, t *Type) {
			t.Kind, t.Flat, t.Size = KindEvent, 1, m.PtrSize
			t.Bits, t.Align = int(8*t.Size), t.Size
		},
		spirv.OpTypeImage: func(_ *Module, _ spirv.Inst, t *Type) {
			// A handle has 8 bytes, whatever pointers have.
			t.Kind, t.Flat, t.Size, t.Align = KindImage, 1, 8, 8
		},
		spirv.OpTypePipe: func(_ *Module, _ spirv.Inst, t *Type) {
			t.Kind, t.Flat, t.Size, t.Align = kindPipe, 1, 8, 8
		},
		spirv.OpTypePipeStorage: func(_ *Module, _ spirv.Inst, t *Type) {
			t.Kind, t.Flat, t.Size, t.Align = KindPipeStorage, 1, 8, 8
		},
		spirv.OpTypeSampler: func(_ *Module, _ spirv.Inst, t *Type) {
			t.Kind, t.Flat, t.Size, t.Align = KindSampler, 1, 8, 8
		},
		spirv.OpTypeSampledImage: func(m *Module, in spirv.Inst, t *Type) {
			// No program may store it (3.2.6); a size keeps types that hold it in order.
			t.Kind, t.Flat, t.Size, t.Align, t.Elem = KindSampledImage, 2, 16, 8, m.TypeOf(spirv.ID(in.Operand(0)))
		},
		spirv.OpTypeReserveId: func(_ *Module, _ spirv.Inst, t *Type) {
			t.Kind, t.Flat, t.Size, t.Align = kindReserveID, 1, 8, 8
		},
		spirv.OpTypeNamedBarrier: func(_ *Module, _ spirv.Inst, t *Type) {
			t.Kind, t.Flat = kindOpaque, 1
		},
		spirv.OpTypeFunction: func(_ *Module, _ spirv.Inst, t *Type) {
			t.Kind = kindFunction
		},
	}
}

func (m *Module) newType(in spirv.Inst) *Type {
	t := &Type{ID: in.ResultID(), Op: in.Op(), Align: 1}
	if f := TypeMakers[in.Op()]; f != nil {
		f(m, in, t)
	} else {
		t.Kind, t.Flat = kindOpaque, 1
	}
	return t
}

// intType reads OpTypeInt.
func (m *Module) intType(in spirv.Inst, t *Type) {
	t.Kind, t.Bits, t.Flat = KindInt, int(in.Operand(0)), 1
	if t.Bits < 1 || t.Bits > 64 {
		m.fail(in, "integers of %d bits are not supported", t.Bits)
	}
	t.Size = uint64(t.Scalar().Bytes())
	t.Align = t.Size
}

// floatType reads OpTypeFloat.
func (m *Module) floatType(in spirv.Inst, t *Type) {
	t.Kind, t.Bits, t.Flat = KindFloat, int(in.Operand(0)), 1
	if len(in.Operands()) > 1 {
		if t.Small = smallFloats[spirv.FPEncoding(in.Operand(1))]; t.Small == nil || t.Small.Bits != t.Bits {
			m.fail(in, "floats of %d bits and encoding %s are not supported", t.Bits, spirv.FPEncoding(in.Operand(1)))
		}
	} else if isa.FloatOf(t.Bits) == isa.Void {
		m.fail(in, "floats of %d bits are not supported", t.Bits)
	}
	t.Size = uint64(max(t.Bits, 8) / 8)
	t.Align = t.Size
}

// vectorType reads OpTypeVector and OpTypeVectorIdEXT, whose number of components is a constant.
func (m *Module) vectorType(in spirv.Inst, t *Type) {
	t.Kind, t.Elem, t.Count = KindVector, m.TypeOf(spirv.ID(in.Operand(0))), uint64(in.Operand(1))
	if in.Op() == spirv.OpTypeVectorIdEXT {
		t.Count = m.ConstUint(spirv.ID(in.Operand(1)))
	}
	if t.Count < 1 || t.Count > MaxFlat || t.Elem.Scalar() == isa.Void {
		m.fail(in, "vectors of %d components are not supported", t.Count)
	}
	t.Flat = int(t.Count)
	t.Size = uint64(Stride(int(t.Count))) * t.Elem.Size
	if t.nibbles = m.int4 && t.Elem.Kind == KindInt && t.Elem.Bits == 4 && t.Count%2 == 0; t.nibbles {
		t.Size /= 2
	}
	t.Align = min(t.Size, maxVectorAlign)
}

// maxVectorAlign is the alignment of long vectors (SPV_EXT_long_vector), which is that of the longest vectors of OpenCL C.
const maxVectorAlign = 16 * 8

// arrayType reads OpTypeArray.
func (m *Module) arrayType(in spirv.Inst, t *Type) {
	t.Kind, t.Elem = KindArray, m.TypeOf(spirv.ID(in.Operand(0)))
	t.Count = m.ConstUint(spirv.ID(in.Operand(1)))
	t.Align = t.Elem.Align
	if t.Elem.Size != 0 && t.Count > maxObject/t.Elem.Size {
		m.fail(in, "the array's size of %d times %d bytes is out of range", t.Count, t.Elem.Size)
	}
	t.Size = t.Count * t.Elem.Size
	t.Flat = MaxFlat + 1
	if t.Count <= MaxFlat || t.Elem.Flat == 0 {
		t.Flat = int(min(t.Count*uint64(t.Elem.Flat), MaxFlat+1))
	}
}

// structType reads OpTypeStruct.
func (m *Module) structType(in spirv.Inst, t *Type) {
	t.Kind = KindStruct
	packed := m.Decorated(t.ID, spirv.DecorationCPacked)
	for _, w := range in.Operands() {
		e := m.TypeOf(spirv.ID(w))
		a := e.Align
		if packed {
			a = 1
		}
		t.Size = (t.Size + a - 1) &^ (a - 1)
		t.offsets = append(t.offsets, t.Size)
		t.flats = append(t.flats, t.Flat)
		t.Members = append(t.Members, e)
		t.Size += e.Size
		t.Align = max(t.Align, a)
		t.Flat = min(t.Flat+e.Flat, MaxFlat+1)
		if t.Size > maxObject {
			m.fail(in, "the structure's size is out of range")
		}
	}
	t.Size = (t.Size + t.Align - 1) &^ (t.Align - 1)
}

// pointerType reads OpTypePointer and OpTypeUntypedPointerKHR.
func (m *Module) pointerType(in spirv.Inst, t *Type) {
	t.Kind, t.Flat = KindPointer, 1
	t.Storage = spirv.StorageClass(in.Operand(0))
	t.anywhere = m.functionConstants && t.Storage == spirv.StorageClassFunction
	if in.Op() == spirv.OpTypePointer {
		t.elemID = spirv.ID(in.Operand(1))
	}
	t.Size = m.PtrSize
	t.Align = t.Size
}

// Pointee returns what a typed pointer points to.
func (m *Module) Pointee(t *Type) *Type {
	if t.elemID == 0 {
		return nil
	}
	if t.Elem == nil {
		t.Elem = m.TypeOf(t.elemID)
	}
	return t.Elem
}

// Space returns the address space of a storage class.
func Space(sc spirv.StorageClass) isa.Space {
	switch sc {
	case spirv.StorageClassUniformConstant, spirv.StorageClassCrossWorkgroup,
		spirv.StorageClassDeviceOnlyALTERA, spirv.StorageClassHostOnlyALTERA:
		return isa.SpaceGlobal
	case spirv.StorageClassWorkgroup:
		return isa.SpaceLocal
	case spirv.StorageClassFunction, spirv.StorageClassPrivate:
		return isa.SpacePrivate
	}
	return isa.SpaceGeneric
}

// Space returns the address space of accesses through pointers of type t.
func (t *Type) Space() isa.Space {
	if t.anywhere {
		return isa.SpaceGeneric
	}
	return Space(t.Storage)
}

// leaf is a scalar inside an object in memory.
type leaf struct {
	offset uint64
	half   uint8 // of the byte there: 0 for all of it, 1 for the low bits and 2 for the high ones
	t      *Type // bool, int, float, pointer, event or a kind of handle
}

// leaves calls f for each scalar of t in order; t.flat tells how many there are.
func (t *Type) leaves(offset uint64, f func(leaf)) {
	if t.Flat == 0 {
		return // however many nothings there are
	}
	switch t.Kind {
	case KindVector, KindArray, KindMatrix:
		if t.nibbles {
			for i := range t.Count {
				f(leaf{offset: offset + i/2, half: uint8(1 + i%2), t: t.Elem})
			}
			return
		}
		for i := uint64(0); i < t.Count; i++ {
			t.Elem.leaves(offset+i*t.Elem.Size, f)
		}
	case KindStruct:
		for i, e := range t.Members {
			e.leaves(offset+t.offsets[i], f)
		}
	case KindSampledImage:
		f(leaf{offset: offset, t: t.Elem})
		f(leaf{offset: offset + 8, t: samplerType})
	case KindVoid, kindFunction:
	default:
		f(leaf{offset: offset, t: t})
	}
}

// constituents returns how many components, elements or members a type has.
func (t *Type) constituents() int {
	if t.Kind == KindStruct {
		return len(t.Members)
	}
	return int(min(t.Count, MaxFlat+1))
}

// samplerType is the type of the sampler in a sampled image.
var samplerType = &Type{Op: spirv.OpTypeSampler, Kind: KindSampler, Flat: 1, Size: 8, Align: 8}

// step returns the type of component i of t, its byte offset and the number of
// scalars ahead of it.
func (t *Type) step(i uint64) (e *Type, offset uint64, flat int, ok bool) {
	switch t.Kind {
	case KindVector, KindArray, KindMatrix:
		if i >= t.Count {
			return nil, 0, 0, false
		}
		return t.Elem, i * t.Elem.Size, int(i) * t.Elem.Flat, true
	case KindStruct:
		if i >= uint64(len(t.Members)) {
			return nil, 0, 0, false
		}
		return t.Members[i], t.offsets[i], t.flats[i], true
	}
	return nil, 0, 0, false
}

// imageName returns what OpenCL C calls an image type: "image2d_t", "image3d_t",
// "image2d_array_t".
func (m *Module) imageName(t *Type) string {
	in, _ := m.Index.Def(t.ID)
	name, ok := map[spirv.Dim]string{spirv.Dim1D: "image1d", spirv.Dim2D: "image2d", spirv.Dim3D: "image3d", spirv.DimBuffer: "image1d_buffer"}[spirv.Dim(in.Operand(1))]
	if !ok {
		return "image of dimension " + spirv.Dim(in.Operand(1)).String()
	}
	for _, i := range [...]int{3, 4, 2} { // the order of OpenCL C
		if in.Operand(i) == 1 {
			name += [...]string{2: "_depth", 3: "_array", 4: "_msaa"}[i]
		}
	}
	return name + "_t"
}

// ImageParam returns what an image type says, or fails for one that there is no
// support for.
func (m *Module) ImageParam(t *Type) isa.ImageParam {
	in, _ := m.Index.Def(t.ID)
	array, depth := in.Operand(3) != 0, in.Operand(2) == 1
	ok := in.Operand(4) == 0
	switch spirv.Dim(in.Operand(1)) {
	case spirv.Dim1D:
		ok = ok && !depth
	case spirv.Dim2D:
	case spirv.Dim3D, spirv.DimBuffer:
		ok = ok && !depth && !array
	default:
		ok = false
	}
	if !ok {
		m.failFeature(in, "images of type "+m.imageName(t)+" are not supported")
	}
	access := spirv.AccessQualifierReadOnly
	if len(in.Operands()) > 7 {
		access = spirv.AccessQualifier(in.Operand(7))
	}
	return isa.ImageParam{Dim: isa.ImageDim(in.Operand(1)), Array: array, Depth: depth,
		Reads: access != spirv.AccessQualifierWriteOnly, Writes: access != spirv.AccessQualifierReadOnly}
}

// matrixType reads OpTypeCooperativeMatrixKHR.
func (m *Module) matrixType(in spirv.Inst, t *Type) {
	t.Kind, t.Elem = KindMatrix, m.TypeOf(spirv.ID(in.Operand(0)))
	if t.Elem.Kind != KindInt && t.Elem.Kind != KindFloat {
		m.fail(in, "the components of a cooperative matrix are %s, not numbers", t.Elem.Op)
	}
	if s := spirv.Scope(m.ConstUint(spirv.ID(in.Operand(1)))); s != spirv.ScopeSubgroup {
		m.failFeature(in, fmt.Sprintf("cooperative matrices of scope %s are not supported; the scope may be Subgroup", s))
	}
	if m.Subgroup == 0 {
		m.fail(in, "the size of sub-groups is not known, on which the components of a lane depend")
	}
	m.matrices = true
	t.Rows, t.Columns = m.ConstUint(spirv.ID(in.Operand(2))), m.ConstUint(spirv.ID(in.Operand(3)))
	s := uint64(m.Subgroup)
	if t.Rows == 0 || t.Columns == 0 || t.Rows > maxObject || t.Columns > maxObject || t.Rows*t.Columns > MaxFlat*s {
		m.fail(in, "cooperative matrices of %d rows and %d columns are not supported; a lane may have %d components", t.Rows, t.Columns, MaxFlat)
	}
	t.Count = (t.Rows*t.Columns + s - 1) / s
	t.Flat, t.Size, t.Align = int(t.Count), t.Count*t.Elem.Size, t.Elem.Align
}

// forSubgroups makes the module that of a kernel whose whole sub-groups have so many lanes. Cooperative matrices of
// another size are other types.
func (m *Module) forSubgroups(lanes int) {
	if lanes == m.Subgroup {
		return
	}
	m.Subgroup = lanes
	if m.matrices {
		clear(m.types)
		clear(m.consts)
		m.matrices = false
	}
}
