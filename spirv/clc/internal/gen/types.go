package gen

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// class returns the storage class of an address space.
func class(s types.Space) spirv.StorageClass {
	return [...]spirv.StorageClass{
		types.Private: spirv.StorageClassFunction, types.Global: spirv.StorageClassCrossWorkgroup,
		types.Local: spirv.StorageClassWorkgroup, types.Constant: spirv.StorageClassUniformConstant,
		types.Generic: spirv.StorageClassGeneric,
	}[s]
}

func (m *module) ids(t *types.Type) *typeIDs {
	if t.ID >= len(m.typeIDs) { // a type that was made during generation
		m.typeIDs = append(m.typeIDs, make([]typeIDs, m.types.Types()+1-len(m.typeIDs))...)
	}
	return &m.typeIDs[t.ID]
}

// typeOf returns the type of values of a type: OpTypeBool for bool.
func (m *module) typeOf(t *types.Type) spirv.ID {
	if id := m.ids(t).value; id != 0 {
		return id
	}
	var id spirv.ID
	switch {
	case t.Kind == types.VoidKind:
		id = m.once(spirv.OpTypeVoid, false)
	case t.Kind == types.BoolKind:
		id = m.boolType(1)
	case t.Kind == types.VectorKind && t.Elem.Kind == types.BoolKind:
		id = m.boolType(int(t.Len))
	case t.Kind == types.FunctionKind:
		m.fail(0, "functions have no values")
	default:
		id = m.memoryType(t)
	}
	m.ids(t).value = id
	return id
}

// boolType returns OpTypeBool, or a vector of n of them.
func (m *module) boolType(n int) spirv.ID {
	id := m.once(spirv.OpTypeBool, false)
	if n > 1 {
		id = m.vectorType(id, n)
	}
	return id
}

func (m *module) vectorType(elem spirv.ID, n int) spirv.ID {
	if n > 4 {
		m.capability(spirv.CapabilityVector16)
	}
	return m.once(spirv.OpTypeVector, false, uint32(elem), uint32(n))
}

// intType returns the type of integers of a width in bits.
func (m *module) intType(bits int) spirv.ID {
	switch bits {
	case 8:
		m.capability(spirv.CapabilityInt8)
	case 16:
		m.capability(spirv.CapabilityInt16)
	case 64:
		m.capability(spirv.CapabilityInt64)
	}
	return m.once(spirv.OpTypeInt, false, uint32(bits), 0)
}

// memoryType returns the type that objects have in memory: bool is a byte there.
func (m *module) memoryType(t *types.Type) spirv.ID {
	if id := m.ids(t).memory; id != 0 {
		return id
	}
	var id spirv.ID
	switch t.Kind {
	case types.BoolKind:
		id = m.intType(8)
	case types.HalfKind:
		m.capability(spirv.CapabilityFloat16Buffer)
		id = m.once(spirv.OpTypeFloat, false, 16)
	case types.FloatKind:
		id = m.once(spirv.OpTypeFloat, false, 32)
	case types.DoubleKind:
		m.capability(spirv.CapabilityFloat64)
		id = m.once(spirv.OpTypeFloat, false, 64)
	case types.VectorKind:
		id = m.vectorType(m.memoryType(t.Elem.Type), int(t.Len))
	case types.PointerKind:
		id = m.pointerTo(t.Elem)
	case types.ArrayKind:
		n := t.Len
		if n < 1 { // [0] and flexible arrays: only their place counts
			n = 1
		}
		id = m.arrayOf(m.memoryType(t.Elem.Type), n)
	case types.StructKind:
		id = m.structType(t)
	case types.ImageKind:
		id = m.imageType(t.Image)
	case types.SamplerKind:
		id = m.once(spirv.OpTypeSampler, false)
	case types.EventKind:
		id = m.once(spirv.OpTypeEvent, false)
	case types.ReserveIDKind:
		m.capability(spirv.CapabilityPipes)
		id = m.once(spirv.OpTypeReserveId, false)
	case types.PipeKind:
		m.capability(spirv.CapabilityPipes)
		id = m.once(spirv.OpTypePipe, false, uint32(t.Access))
	case types.VoidKind: // pointees of void pointers
		id = m.intType(8)
	case types.FunctionKind:
		id = m.intType(8)
	case types.QueueKind:
		m.fail(0, "%s is of device-side enqueue, which is not supported", t.Name)
	default:
		id = m.intType(t.Bits())
	}
	m.ids(t).memory = id
	return id
}

func (m *module) arrayOf(elem spirv.ID, n int64) spirv.ID {
	return m.once(spirv.OpTypeArray, false, uint32(elem), uint32(m.intConst(m.types.ULong, uint64(n))))
}

// pointerTo returns the type of pointers to a type in its address space. In structures that lead to themselves
// pointers are declared before what they point to.
func (m *module) pointerTo(t types.Qual) spirv.ID {
	ids, s := m.ids(t.Type), t.Space()
	if id := ids.pointers[s]; id != 0 {
		return id
	}
	if s == types.Generic {
		m.capability(spirv.CapabilityGenericPointer)
	}
	if t.Kind == types.StructKind {
		if l := m.structs[t.Struct]; l != nil && ids.memory == 0 { // being made
			id := m.id()
			m.globals.op(spirv.OpTypeForwardPointer, uint32(id), uint32(class(s)))
			ids.pointers[s] = id
			l.forward = append(l.forward, s)
			return id
		}
	}
	memory := m.memoryType(t.Type)
	if id := m.ids(t.Type).pointers[s]; id != 0 { // made on the way
		return id
	}
	id := m.pointerType(memory, class(s))
	m.ids(t.Type).pointers[s] = id
	return id
}

// pointerType returns the type of pointers to a type of SPIR-V.
func (m *module) pointerType(pointee spirv.ID, c spirv.StorageClass) spirv.ID {
	return m.once(spirv.OpTypePointer, false, uint32(c), uint32(pointee))
}

// imageType returns the type of images (3.42, OpTypeImage with the access qualifier).
func (m *module) imageType(i *types.Image) spirv.ID {
	var dim spirv.Dim
	switch {
	case i.Buffer:
		dim = spirv.DimBuffer
		m.capability(spirv.CapabilityImageBuffer)
	case i.Dim == 1:
		dim = spirv.Dim1D
		m.capability(spirv.CapabilityImage1D)
		if !i.Array {
			m.capability(spirv.CapabilitySampled1D)
		}
	case i.Dim == 2:
		dim = spirv.Dim2D
	default:
		dim = spirv.Dim3D
	}
	m.capability(spirv.CapabilityImageBasic)
	if i.Access == types.ReadWrite {
		m.capability(spirv.CapabilityImageReadWrite)
	}
	b := func(x bool) uint32 {
		if x {
			return 1
		}
		return 0
	}
	return m.list(spirv.OpTypeImage, false, []uint32{uint32(m.typeOf(m.types.Void)), uint32(dim), b(i.Depth), b(i.Array),
		b(i.MSAA), 0, uint32(spirv.ImageFormatUnknown), uint32(i.Access)})
}
