package spirv

import (
	"fmt"
	"math/bits"
)

// Layout knows the size and alignment in bytes that types have in memory under OpenCL: natural
// alignment, a vector of three takes the room of four, structures are packed only when decorated
// CPacked (OpenCL C specification, section 6.3.5; OpenCL SPIR-V environment specification, section 2.6).
type Layout struct {
	index *Index
	types map[ID]typeLayout
}

type typeLayout struct {
	size, align uint64
	offsets     []uint64 // of the members of a structure
}

// NewLayout lays out every type of the module that has a size. Types that have none (void, functions,
// arrays whose length is no constant, types that name themselves) are left out.
func NewLayout(m *Module, index *Index, decorations *Decorations) *Layout {
	l := &Layout{index: index, types: map[ID]typeLayout{}}
	pointer, int4 := uint64(8), false
	for _, in := range m.Insts {
		int4 = int4 || in.Op() == OpCapability && Capability(in.Operand(0)) == CapabilityInt4TypeINTEL
		if in.Op() == OpMemoryModel && AddressingModel(in.Operand(0)) == AddressingModelPhysical32 {
			pointer = 4
		}
	}
	for _, in := range m.Insts {
		var t typeLayout
		ok := true
		switch in.Op() {
		case OpTypeBool:
			t = typeLayout{size: 1, align: 1}
		case OpTypeInt, OpTypeFloat:
			t, ok = scalarLayout(uint64(in.Operand(0)))
		case OpTypePointer, OpTypeForwardPointer, OpTypeUntypedPointerKHR,
			OpTypeImage, OpTypeSampler, OpTypeSampledImage, OpTypeEvent, OpTypeDeviceEvent, OpTypeReserveId, OpTypeQueue,
			OpTypePipe, OpTypePipeStorage, OpTypeOpaque:
			t = typeLayout{size: pointer, align: pointer}
		case OpTypeVector:
			// LLVM makes vectors of five, too: the room is that of the next power of two.
			n := uint64(1) << bits.Len32(max(1, in.Operand(1))-1)
			t, ok = l.repeat(ID(in.Operand(0)), n)
			if elem, _ := l.index.Def(ID(in.Operand(0))); int4 && in.Operand(1)%2 == 0 && elem.Op() == OpTypeInt && elem.Operand(0) == 4 {
				t.size /= 2 // two components share a byte (SPV_INTEL_int4)
			}
			t.align = min(t.size, maxVectorAlign)
		case OpTypeVectorIdEXT:
			n, constant := l.index.Constant(ID(in.Operand(1)))
			t, ok = l.repeat(ID(in.Operand(0)), 1<<bits.Len64(max(1, min(n, 1<<32))-1))
			t.align = min(t.size, maxVectorAlign)
			ok = ok && constant
		case OpTypeArray:
			n, constant := l.index.Constant(ID(in.Operand(1)))
			t, ok = l.repeat(ID(in.Operand(0)), n)
			ok = ok && constant
		case OpTypeStruct:
			t, ok = l.structure(in, decorations.Has(in.ResultID(), DecorationCPacked))
		default:
			continue
		}
		id := in.ResultID()
		if in.Op() == OpTypeForwardPointer {
			id = ID(in.Operand(0))
		}
		if ok {
			l.types[id] = t
		}
	}
	return l
}

// scalarLayout gives a number the smallest power of two of bytes that holds its bits.
func scalarLayout(width uint64) (typeLayout, bool) {
	if width == 0 || width > 1<<16 {
		return typeLayout{}, false
	}
	n := uint64(1) << bits.Len64((width+7)/8-1)
	return typeLayout{size: n, align: n}, true
}

func (l *Layout) repeat(elem ID, n uint64) (typeLayout, bool) {
	e, ok := l.types[elem]
	if !ok {
		return typeLayout{}, false
	}
	hi, size := bits.Mul64(e.size, n)
	return typeLayout{size: size, align: e.align}, hi == 0
}

func (l *Layout) structure(in Inst, packed bool) (typeLayout, bool) {
	t := typeLayout{align: 1, offsets: make([]uint64, len(in.Operands()))}
	for i, member := range in.Operands() {
		e, ok := l.types[ID(member)]
		if !ok {
			return t, false
		}
		at := t.size
		if !packed {
			if at, ok = roundUp(at, e.align); !ok {
				return t, false
			}
			t.align = max(t.align, e.align)
		}
		t.offsets[i] = at
		size, carry := bits.Add64(at, e.size, 0)
		if carry != 0 {
			return t, false
		}
		t.size = size
	}
	size, ok := roundUp(t.size, t.align)
	t.size = size
	return t, ok
}

// roundUp gives the next multiple of align; ok is false when it does not fit in 64 bits. An alignment
// of 0 comes from a vector without components and asks for nothing.
func roundUp(n, align uint64) (uint64, bool) {
	if align == 0 || n%align == 0 {
		return n, true
	}
	sum, carry := bits.Add64(n, align-n%align, 0)
	return sum, carry == 0
}

// Size gives the size and alignment of a type in bytes. The error says that the type has no size.
func (l *Layout) Size(typ ID) (size, align uint64, err error) {
	t, ok := l.types[typ]
	if !ok {
		return 0, 0, fmt.Errorf("spirv: type %d has no size in memory", typ)
	}
	return t.size, t.align, nil
}

// Offsets gives the byte offsets of the members of a structure type, nil for other types. The slice is
// shared and must not be changed.
func (l *Layout) Offsets(typ ID) []uint64 { return l.types[typ].offsets }

// maxVectorAlign is the alignment of long vectors: that of the longest vectors of OpenCL C.
const maxVectorAlign = 16 * 8

// Constant gives the value of an integer constant of at most 64 bits, the default of a specialization
// constant among them; ok is false for anything else. Signed values are sign-extended.
func (x *Index) Constant(id ID) (value uint64, ok bool) {
	in, _ := x.Def(id)
	typ, _ := x.Def(in.ResultType())
	if typ.Op() != OpTypeInt {
		return 0, false
	}
	switch in.Op() {
	case OpConstantNull:
		return 0, true
	case OpConstant, OpSpecConstant:
		return in.literal(int(typ.Operand(0)), typ.Operand(1) != 0)
	}
	return 0, false
}

// literal reads the number of width bits that the operands of a constant hold (section 2.2.1).
func (in Inst) literal(width int, signed bool) (uint64, bool) {
	if width <= 0 || width > 64 || len(in.Operands()) < (width+31)/32 {
		return 0, false
	}
	v := uint64(in.Operand(0))
	if width > 32 {
		v |= uint64(in.Operand(1)) << 32
	}
	v <<= 64 - width
	if signed {
		return uint64(int64(v) >> (64 - width)), true
	}
	return v >> (64 - width), true
}
