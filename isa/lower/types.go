package lower

import (
	"fmt"

	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

type kind uint8

const (
	kindVoid kind = iota
	kindBool
	kindInt
	kindFloat
	kindVector
	kindArray
	kindStruct
	kindPointer
	kindFunction
	kindEvent // a handle as wide as a pointer; 64 bits in instructions
	kindImage // held as a handle
	kindPipe  // an end of a pipe, held as a handle
	kindPipeStorage
	kindReserveID
	kindSampler      // the 64 bits of its state
	kindSampledImage // an image and a sampler, two scalars
	kindMatrix       // the components of a cooperative matrix that a lane has
	kindOpaque       // queues …: known by name, not lowered
)

// maxObject is the size in bytes of the largest type that has a layout.
const maxObject = 1 << 38

// maxFlat is the number of scalars of the largest value that lives in
// registers. What is larger lives in memory.
const maxFlat = 1 << 12

// typ is a SPIR-V type with its layout in memory as OpenCL has it (OpenCL C
// 6.1.5: natural alignment, a vector of three takes the room of four).
type typ struct {
	id      spirv.ID
	op      spirv.Op
	kind    kind
	bits    int // of an integer (any width up to 64), float or event
	elem    *typ
	elemID  spirv.ID    // pointee; resolved when asked for, as types may be recursive through pointers
	count   uint64      // of a vector or array
	small   *smallFloat // of a float that is none of IEEE 754
	nibbles bool        // of a vector: two components share a byte (SPV_INTEL_int4)
	rows    uint64      // of a cooperative matrix
	columns uint64
	members []*typ
	offsets []uint64
	flats   []int // of a structure: the number of scalars ahead of each member
	storage spirv.StorageClass
	// anywhere says of a pointer of storage class Function that it may lead to a constant outside functions,
	// see module.functionConstants.
	anywhere bool
	size     uint64 // bytes; 0 for void, function and opaque types
	align    uint64
	flat     int // number of scalars
}

// scalar returns the bytecode type that holds a scalar of type t: integers of
// odd widths are kept zero-extended in the next wider one.
func (t *typ) scalar() isa.Type {
	switch t.kind {
	case kindBool:
		return isa.B1
	case kindInt:
		switch {
		case t.bits <= 8:
			return isa.I8
		case t.bits <= 16:
			return isa.I16
		case t.bits <= 32:
			return isa.I32
		}
		return isa.I64
	case kindFloat:
		if t.small != nil {
			return isa.IntOf(max(t.bits, 8))
		}
		return isa.FloatOf(t.bits)
	case kindPointer, kindImage, kindPipe, kindPipeStorage, kindReserveID, kindSampler:
		return isa.I64
	case kindEvent:
		return isa.IntOf(t.bits)
	}
	return isa.Void
}

// stride is how many elements a vector of n takes in memory: the next power of two, as three take the room of four.
func stride(n int) int { return 1 << bits.Len(uint(n-1)) }

// component returns the type of the components of a vector or of a cooperative matrix, or the type itself.
func (t *typ) component() *typ {
	if t.kind == kindVector || t.kind == kindMatrix {
		return t.elem
	}
	return t
}

// odd says whether t is an integer whose width is not that of its register.
func (t *typ) odd() bool { return t.kind == kindInt && t.bits != t.scalar().Bits() }

// typeOf returns the type with the given id.
func (m *module) typeOf(id spirv.ID) *typ {
	at := m.x.At(id)
	if at < 0 {
		m.failID(id, "type is not defined")
	}
	in := m.src.Insts[at]
	if at >= len(m.types) {
		m.fail(in, "is no type")
	}
	if t := m.types[at]; t != nil {
		return t
	}
	if m.typeDepth++; m.typeDepth > 256 {
		m.fail(in, "types are nested more than 256 deep")
	}
	user := m.at
	m.at = in
	t := m.newType(in)
	m.at = user
	m.typeDepth--
	m.types[at] = t
	return t
}

// typeMakers has what fills in the type that an instruction declares. Types of other instructions are known by name
// only.
var typeMakers map[spirv.Op]func(*module, spirv.Inst, *typ)

func init() {
	typeMakers = map[spirv.Op]func(*module, spirv.Inst, *typ){
		spirv.OpTypeVoid: func(_ *module, _ spirv.Inst, t *typ) {
			t.kind = kindVoid
		},
		spirv.OpTypeBool: func(_ *module, _ spirv.Inst, t *typ) {
			t.kind, t.size, t.flat = kindBool, 1, 1
		},
		spirv.OpTypeInt:                  (*module).intType,
		spirv.OpTypeFloat:                (*module).floatType,
		spirv.OpTypeVector:               (*module).vectorType,
		spirv.OpTypeVectorIdEXT:          (*module).vectorType,
		spirv.OpTypeArray:                (*module).arrayType,
		spirv.OpTypeCooperativeMatrixKHR: (*module).matrixType,
		spirv.OpTypeStruct:               (*module).structType,
		spirv.OpTypePointer:              (*module).pointerType,
		spirv.OpTypeUntypedPointerKHR:    (*module).pointerType,
		spirv.OpTypeEvent: func(m *module, _ spirv.Inst, t *typ) {
			t.kind, t.flat, t.size = kindEvent, 1, m.ptrSize
			t.bits, t.align = int(8*t.size), t.size
		},
		spirv.OpTypeImage: func(_ *module, _ spirv.Inst, t *typ) {
			// A handle has 8 bytes, whatever pointers have.
			t.kind, t.flat, t.size, t.align = kindImage, 1, 8, 8
		},
		spirv.OpTypePipe: func(_ *module, _ spirv.Inst, t *typ) {
			t.kind, t.flat, t.size, t.align = kindPipe, 1, 8, 8
		},
		spirv.OpTypePipeStorage: func(_ *module, _ spirv.Inst, t *typ) {
			t.kind, t.flat, t.size, t.align = kindPipeStorage, 1, 8, 8
		},
		spirv.OpTypeSampler: func(_ *module, _ spirv.Inst, t *typ) {
			t.kind, t.flat, t.size, t.align = kindSampler, 1, 8, 8
		},
		spirv.OpTypeSampledImage: func(m *module, in spirv.Inst, t *typ) {
			// No program may store it (3.2.6); a size keeps types that hold it in order.
			t.kind, t.flat, t.size, t.align, t.elem = kindSampledImage, 2, 16, 8, m.typeOf(spirv.ID(in.Operand(0)))
		},
		spirv.OpTypeReserveId: func(_ *module, _ spirv.Inst, t *typ) {
			t.kind, t.flat, t.size, t.align = kindReserveID, 1, 8, 8
		},
		spirv.OpTypeNamedBarrier: func(_ *module, _ spirv.Inst, t *typ) {
			t.kind, t.flat = kindOpaque, 1
		},
		spirv.OpTypeFunction: func(_ *module, _ spirv.Inst, t *typ) {
			t.kind = kindFunction
		},
	}
}

func (m *module) newType(in spirv.Inst) *typ {
	t := &typ{id: in.ResultID(), op: in.Op(), align: 1}
	if f := typeMakers[in.Op()]; f != nil {
		f(m, in, t)
	} else {
		t.kind, t.flat = kindOpaque, 1
	}
	return t
}

// intType reads OpTypeInt.
func (m *module) intType(in spirv.Inst, t *typ) {
	t.kind, t.bits, t.flat = kindInt, int(in.Operand(0)), 1
	if t.bits < 1 || t.bits > 64 {
		m.fail(in, "integers of %d bits are not supported", t.bits)
	}
	t.size = uint64(t.scalar().Bytes())
	t.align = t.size
}

// floatType reads OpTypeFloat.
func (m *module) floatType(in spirv.Inst, t *typ) {
	t.kind, t.bits, t.flat = kindFloat, int(in.Operand(0)), 1
	if len(in.Operands()) > 1 {
		if t.small = smallFloats[spirv.FPEncoding(in.Operand(1))]; t.small == nil || t.small.bits != t.bits {
			m.fail(in, "floats of %d bits and encoding %s are not supported", t.bits, spirv.FPEncoding(in.Operand(1)))
		}
	} else if isa.FloatOf(t.bits) == isa.Void {
		m.fail(in, "floats of %d bits are not supported", t.bits)
	}
	t.size = uint64(max(t.bits, 8) / 8)
	t.align = t.size
}

// vectorType reads OpTypeVector and OpTypeVectorIdEXT, whose number of components is a constant.
func (m *module) vectorType(in spirv.Inst, t *typ) {
	t.kind, t.elem, t.count = kindVector, m.typeOf(spirv.ID(in.Operand(0))), uint64(in.Operand(1))
	if in.Op() == spirv.OpTypeVectorIdEXT {
		t.count = m.constUint(spirv.ID(in.Operand(1)))
	}
	if t.count < 1 || t.count > maxFlat || t.elem.scalar() == isa.Void {
		m.fail(in, "vectors of %d components are not supported", t.count)
	}
	t.flat = int(t.count)
	t.size = uint64(stride(int(t.count))) * t.elem.size
	if t.nibbles = m.int4 && t.elem.kind == kindInt && t.elem.bits == 4 && t.count%2 == 0; t.nibbles {
		t.size /= 2
	}
	t.align = min(t.size, maxVectorAlign)
}

// maxVectorAlign is the alignment of long vectors (SPV_EXT_long_vector), which is that of the longest vectors of OpenCL C.
const maxVectorAlign = 16 * 8

// arrayType reads OpTypeArray.
func (m *module) arrayType(in spirv.Inst, t *typ) {
	t.kind, t.elem = kindArray, m.typeOf(spirv.ID(in.Operand(0)))
	t.count = m.constUint(spirv.ID(in.Operand(1)))
	t.align = t.elem.align
	if t.elem.size != 0 && t.count > maxObject/t.elem.size {
		m.fail(in, "the array's size of %d times %d bytes is out of range", t.count, t.elem.size)
	}
	t.size = t.count * t.elem.size
	t.flat = maxFlat + 1
	if t.count <= maxFlat || t.elem.flat == 0 {
		t.flat = int(min(t.count*uint64(t.elem.flat), maxFlat+1))
	}
}

// structType reads OpTypeStruct.
func (m *module) structType(in spirv.Inst, t *typ) {
	t.kind = kindStruct
	packed := m.decorated(t.id, spirv.DecorationCPacked)
	for _, w := range in.Operands() {
		e := m.typeOf(spirv.ID(w))
		a := e.align
		if packed {
			a = 1
		}
		t.size = (t.size + a - 1) &^ (a - 1)
		t.offsets = append(t.offsets, t.size)
		t.flats = append(t.flats, t.flat)
		t.members = append(t.members, e)
		t.size += e.size
		t.align = max(t.align, a)
		t.flat = min(t.flat+e.flat, maxFlat+1)
		if t.size > maxObject {
			m.fail(in, "the structure's size is out of range")
		}
	}
	t.size = (t.size + t.align - 1) &^ (t.align - 1)
}

// pointerType reads OpTypePointer and OpTypeUntypedPointerKHR.
func (m *module) pointerType(in spirv.Inst, t *typ) {
	t.kind, t.flat = kindPointer, 1
	t.storage = spirv.StorageClass(in.Operand(0))
	t.anywhere = m.functionConstants && t.storage == spirv.StorageClassFunction
	if in.Op() == spirv.OpTypePointer {
		t.elemID = spirv.ID(in.Operand(1))
	}
	t.size = m.ptrSize
	t.align = t.size
}

// pointee returns what a typed pointer points to.
func (m *module) pointee(t *typ) *typ {
	if t.elemID == 0 {
		return nil
	}
	if t.elem == nil {
		t.elem = m.typeOf(t.elemID)
	}
	return t.elem
}

// space returns the address space of a storage class.
func space(sc spirv.StorageClass) isa.Space {
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

// space returns the address space of accesses through pointers of type t.
func (t *typ) space() isa.Space {
	if t.anywhere {
		return isa.SpaceGeneric
	}
	return space(t.storage)
}

// leaf is a scalar inside an object in memory.
type leaf struct {
	offset uint64
	half   uint8 // of the byte there: 0 for all of it, 1 for the low bits and 2 for the high ones
	t      *typ  // bool, int, float, pointer, event or a kind of handle
}

// leaves calls f for each scalar of t in order; t.flat tells how many there are.
func (t *typ) leaves(offset uint64, f func(leaf)) {
	if t.flat == 0 {
		return // however many nothings there are
	}
	switch t.kind {
	case kindVector, kindArray, kindMatrix:
		if t.nibbles {
			for i := range t.count {
				f(leaf{offset: offset + i/2, half: uint8(1 + i%2), t: t.elem})
			}
			return
		}
		for i := uint64(0); i < t.count; i++ {
			t.elem.leaves(offset+i*t.elem.size, f)
		}
	case kindStruct:
		for i, e := range t.members {
			e.leaves(offset+t.offsets[i], f)
		}
	case kindSampledImage:
		f(leaf{offset: offset, t: t.elem})
		f(leaf{offset: offset + 8, t: samplerType})
	case kindVoid, kindFunction:
	default:
		f(leaf{offset: offset, t: t})
	}
}

// constituents returns how many components, elements or members a type has.
func (t *typ) constituents() int {
	if t.kind == kindStruct {
		return len(t.members)
	}
	return int(min(t.count, maxFlat+1))
}

// samplerType is the type of the sampler in a sampled image.
var samplerType = &typ{op: spirv.OpTypeSampler, kind: kindSampler, flat: 1, size: 8, align: 8}

// step returns the type of component i of t, its byte offset and the number of
// scalars ahead of it.
func (t *typ) step(i uint64) (e *typ, offset uint64, flat int, ok bool) {
	switch t.kind {
	case kindVector, kindArray, kindMatrix:
		if i >= t.count {
			return nil, 0, 0, false
		}
		return t.elem, i * t.elem.size, int(i) * t.elem.flat, true
	case kindStruct:
		if i >= uint64(len(t.members)) {
			return nil, 0, 0, false
		}
		return t.members[i], t.offsets[i], t.flats[i], true
	}
	return nil, 0, 0, false
}

// imageName returns what OpenCL C calls an image type: "image2d_t", "image3d_t",
// "image2d_array_t".
func (m *module) imageName(t *typ) string {
	in, _ := m.x.Def(t.id)
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

// imageParam returns what an image type says, or fails for one that there is no
// support for.
func (m *module) imageParam(t *typ) isa.ImageParam {
	in, _ := m.x.Def(t.id)
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
func (m *module) matrixType(in spirv.Inst, t *typ) {
	t.kind, t.elem = kindMatrix, m.typeOf(spirv.ID(in.Operand(0)))
	if t.elem.kind != kindInt && t.elem.kind != kindFloat {
		m.fail(in, "the components of a cooperative matrix are %s, not numbers", t.elem.op)
	}
	if s := spirv.Scope(m.constUint(spirv.ID(in.Operand(1)))); s != spirv.ScopeSubgroup {
		m.failFeature(in, fmt.Sprintf("cooperative matrices of scope %s are not supported; the scope may be Subgroup", s))
	}
	if m.subgroup == 0 {
		m.fail(in, "the size of sub-groups is not known, on which the components of a lane depend")
	}
	m.matrices = true
	t.rows, t.columns = m.constUint(spirv.ID(in.Operand(2))), m.constUint(spirv.ID(in.Operand(3)))
	s := uint64(m.subgroup)
	if t.rows == 0 || t.columns == 0 || t.rows > maxObject || t.columns > maxObject || t.rows*t.columns > maxFlat*s {
		m.fail(in, "cooperative matrices of %d rows and %d columns are not supported; a lane may have %d components", t.rows, t.columns, maxFlat)
	}
	t.count = (t.rows*t.columns + s - 1) / s
	t.flat, t.size, t.align = int(t.count), t.count*t.elem.size, t.elem.align
}

// forSubgroups makes the module that of a kernel whose whole sub-groups have so many lanes. Cooperative matrices of
// another size are other types.
func (m *module) forSubgroups(lanes int) {
	if lanes == m.subgroup {
		return
	}
	m.subgroup = lanes
	if m.matrices {
		clear(m.types)
		clear(m.consts)
		m.matrices = false
	}
}
