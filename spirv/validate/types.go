package validate

import (
	"encoding/binary"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// class is the class of a type's components, for types that have any.
type class uint8

const (
	classNone class = iota
	classInt
	classFloat
	classBool
	classPointer
)

func (k class) String() string {
	return [...]string{"other", "integer", "floating-point", "Boolean", "pointer"}[k]
}

// typ is a type. Scalars, vectors and cooperative matrices have a class, a width and a count.
type typ struct {
	in      spirv.Inst
	id      spirv.ID
	canon   spirv.ID // the first declaration of the same type
	op      spirv.Op
	class   class
	width   int // bits of a component
	count   int // components, 1 for a scalar; elements of a matrix
	elem    *typ
	storage spirv.StorageClass // of a pointer
	pointee spirv.ID           // of a typed pointer
	length  uint64             // of an array; 0 when its length is not known before specialization
	sized   bool               // values of the type have a place in memory
	encoded bool               // a floating-point type of another encoding than IEEE 754's, or a vector of such
}

func (t *typ) scalar() bool { return t != nil && t.class != classNone && t.count == 1 && !t.matrix() }

// matrix says whether the type is that of cooperative matrices.
func (t *typ) matrix() bool { return t != nil && t.op == spirv.OpTypeCooperativeMatrixKHR }

func (t *typ) vector() bool {
	return t != nil && (t.op == spirv.OpTypeVector || t.op == spirv.OpTypeVectorIdEXT)
}

func (t *typ) pointer() bool { return t != nil && t.class == classPointer && t.count == 1 }

func (t *typ) untyped() bool { return t != nil && t.op == spirv.OpTypeUntypedPointerKHR }

// sameType reports whether two types are the same. Integers count as the same whatever their signedness
// says, which has no meaning in OpenCL modules.
func sameType(a, b *typ) bool {
	if a == nil || b == nil {
		return false
	}
	if a.canon == b.canon {
		return true
	}
	if a.matrix() || b.matrix() {
		return a.matrix() && b.matrix() && sameType(a.elem, b.elem) && slices.Equal(a.in.Operands()[1:], b.in.Operands()[1:])
	}
	return a.class == classInt && b.class == classInt && a.width == b.width && a.count == b.count
}

// checkTypes checks the type declarations (section 3.3.6) and fills c.types.
func (c *checker) checkTypes() {
	n := 0
	for i, in := range c.insts {
		if isType(in.Op()) {
			n = i + 1
		}
	}
	c.types = make([]*typ, n)
	canon := map[string]spirv.ID{}
	forward := map[spirv.ID]spirv.Inst{}
	for _, in := range c.insts {
		if in.Op() == spirv.OpTypeForwardPointer {
			id := spirv.ID(in.Operand(0))
			forward[id] = in
			if target, _ := c.index.Def(id); target.Op() != spirv.OpTypePointer || target.Operand(0) != in.Operand(1) {
				c.fail("type-forward", in, "%%%d is not a pointer type of storage class %s", id, spirv.StorageClass(in.Operand(1)))
			}
			continue
		}
		if !isType(in.Op()) {
			continue
		}
		t := &typ{in: in, id: in.ResultID(), canon: in.ResultID(), op: in.Op(), sized: true, count: 1}
		c.types[c.index.At(t.id)] = t
		c.declare(t, forward)
		if key, ok := c.typeKey(t); ok {
			if first, dup := canon[key]; dup {
				t.canon = first
			} else {
				canon[key] = t.id
			}
		}
	}
	if len(c.errs) > 0 {
		return
	}
	// Pointees may be declared after their pointers.
	for _, in := range c.insts {
		if in.Op() == spirv.OpTypePointer && c.typeOf(spirv.ID(in.Operand(1))) == nil {
			c.fail("id-kind", in, "the pointee %%%d is not a type", in.Operand(1))
		}
	}
}

// typeKey gives equal texts for equal types; ok is false for types of which several distinct ones may
// look alike (section 2.8), and where something is not yet known.
func (c *checker) typeKey(t *typ) (key string, ok bool) {
	switch t.op {
	case spirv.OpTypeStruct, spirv.OpTypeArray, spirv.OpTypeRuntimeArray:
		return "", false
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(t.op))
	for i, w := range t.in.Operands() {
		part := c.typeOf(spirv.ID(w))
		typePart := t.op == spirv.OpTypeFunction || t.op == spirv.OpTypePointer && i == 1 ||
			i == 0 && (t.vector() || t.matrix() || t.op == spirv.OpTypeImage || t.op == spirv.OpTypeSampledImage)
		if typePart {
			if part == nil {
				return "", false
			}
			w = uint32(part.canon)
		}
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(b), true
}

// part gives the declared type that a type is made of. It must stand before: a type that contains
// itself would have no size. Pointers announced by OpTypeForwardPointer are the exception.
func (c *checker) part(t *typ, id spirv.ID, forward map[spirv.ID]spirv.Inst) *typ {
	if p := c.typeOf(id); p != nil && p != t {
		return p
	}
	def, _ := c.index.Def(id)
	switch {
	case !isType(def.Op()):
		c.fail("id-kind", t.in, "%%%d must be a type, but is the result of %s", id, def.Op())
	case forward[id].Words != nil && def.Op() == spirv.OpTypePointer:
		return &typ{in: def, id: id, canon: id, op: spirv.OpTypePointer, class: classPointer, width: c.addressBits, count: 1, sized: true}
	default:
		c.fail("type-recursion", t.in, "the type %%%d is declared after the type that contains it", id)
	}
	return nil
}

// declare fills a type from its declaration.
func (c *checker) declare(t *typ, forward map[spirv.ID]spirv.Inst) {
	in := t.in
	switch t.op {
	case spirv.OpTypeVoid:
		t.sized = false
	case spirv.OpTypeBool:
		t.class = classBool
		t.width = 1
	case spirv.OpTypeInt:
		t.class, t.width = classInt, int(in.Operand(0))
		if t.width < 1 || t.width > 64 {
			c.fail("int-width", in, "the integer type has %d bits, but lockstep supports 1 to 64", in.Operand(0))
		}
		if in.Operand(1) > 1 {
			c.fail("int-width", in, "the signedness is %d, but must be 0 or 1", in.Operand(1))
		}
	case spirv.OpTypeFloat:
		t.class, t.width = classFloat, int(in.Operand(0))
		if t.encoded = len(in.Operands()) > 1; t.encoded {
			c.encoded = true
		} else if t.width != 16 && t.width != 32 && t.width != 64 {
			c.fail("float-width", in, "the floating-point type has %d bits, but must have 16, 32 or 64", in.Operand(0))
		}
	case spirv.OpTypeVector, spirv.OpTypeVectorIdEXT:
		t.elem = c.part(t, spirv.ID(in.Operand(0)), forward)
		n := c.vectorLength(in)
		if t.elem == nil {
			return
		}
		if !t.elem.scalar() {
			c.fail("type-vector", in, "the component type %%%d is not a scalar type", t.elem.id)
		}
		most := uint64(16)
		if c.capabilities[spirv.CapabilityLongVectorEXT] {
			most = 1 << 12 // as many as registers hold of a value
		}
		if n < 1 || n > most {
			c.fail("type-vector", in, "the vector type has %s, but lockstep supports 2 to %d", count(int(min(n, 1<<31-1)), "component"), most)
			n = 1
		}
		t.class, t.width, t.count, t.encoded = t.elem.class, t.elem.width, int(n), t.elem.encoded
	case spirv.OpTypeCooperativeMatrixKHR:
		c.matrixType(t, forward)
	case spirv.OpTypeArray:
		t.elem = c.element(t, forward)
		c.arrayLength(t)
	case spirv.OpTypeRuntimeArray:
		t.elem = c.element(t, forward)
		t.sized = false
	case spirv.OpTypeStruct:
		for _, id := range in.Operands() {
			if m := c.part(t, spirv.ID(id), forward); m != nil && !m.sized {
				c.fail("type-member", in, "the member type %%%d has no size", m.id)
			}
		}
	case spirv.OpTypePointer:
		t.class, t.width, t.storage, t.pointee = classPointer, c.addressBits, spirv.StorageClass(in.Operand(0)), spirv.ID(in.Operand(1))
		c.checkStorageClass(in, t.storage)
	case spirv.OpTypeUntypedPointerKHR:
		t.class, t.width, t.storage = classPointer, c.addressBits, spirv.StorageClass(in.Operand(0))
		c.checkStorageClass(in, t.storage)
	case spirv.OpTypeFunction:
		t.sized = false
		for i, id := range in.Operands() {
			p := c.part(t, spirv.ID(id), forward)
			if p != nil && !p.sized && !(i == 0 && p.op == spirv.OpTypeVoid) {
				c.fail("type-function", in, "no result and no parameter can have the type %%%d", id)
			}
		}
	case spirv.OpTypeImage:
		c.imageType(t, forward)
	case spirv.OpTypeSampledImage:
		t.elem = c.part(t, spirv.ID(in.Operand(0)), forward)
		if t.elem != nil && t.elem.op != spirv.OpTypeImage {
			c.fail("type-image", in, "%%%d is not an image type", t.elem.id)
		}
	}
}

// element gives the element type of an array.
func (c *checker) element(t *typ, forward map[spirv.ID]spirv.Inst) *typ {
	e := c.part(t, spirv.ID(t.in.Operand(0)), forward)
	if e != nil && !e.sized {
		c.fail("type-array", t.in, "the element type %%%d has no size", e.id)
	}
	return e
}

// arrayLength checks that an array has at least one element.
func (c *checker) arrayLength(t *typ) {
	id := spirv.ID(t.in.Operand(1))
	def, _ := c.index.Def(id)
	n, known := c.index.Constant(id)
	lt := c.typeOf(def.ResultType())
	switch {
	case !isConstant(def.Op()) || !lt.scalar() || lt.class != classInt:
		c.fail("type-array", t.in, "the length %%%d is not an integer constant", id)
	case def.Op() == spirv.OpSpecConstant || def.Op() == spirv.OpSpecConstantOp:
		// The length is known when the module is specialized.
	case !known || n == 0 || lt.in.Operand(1) != 0 && int64(n) < 0:
		c.fail("type-array", t.in, "the length %%%d must be at least 1", id)
	default:
		t.length = n
	}
}

// checkStorageClass checks the storage classes of OpenCL (environment specification, section 2.5).
func (c *checker) checkStorageClass(in spirv.Inst, s spirv.StorageClass) {
	switch s {
	case spirv.StorageClassUniformConstant, spirv.StorageClassInput, spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup,
		spirv.StorageClassPrivate, spirv.StorageClassFunction, spirv.StorageClassGeneric, spirv.StorageClassImage,
		spirv.StorageClassCodeSectionINTEL, spirv.StorageClassDeviceOnlyALTERA, spirv.StorageClassHostOnlyALTERA:
		return
	}
	c.fail("storage-class", in, "OpenCL has no storage class %s", s)
}

// imageType checks OpTypeImage as the OpenCL environment has it (environment specification, section 2.4).
func (c *checker) imageType(t *typ, forward map[spirv.ID]spirv.Inst) {
	in := t.in
	t.elem = c.part(t, spirv.ID(in.Operand(0)), forward)
	if t.elem != nil && t.elem.op != spirv.OpTypeVoid && (!t.elem.scalar() || t.elem.class != classInt && t.elem.class != classFloat) {
		c.fail("type-image", in, "the sampled type %%%d must be void or a number", t.elem.id)
	}
	switch d := spirv.Dim(in.Operand(1)); d {
	case spirv.Dim1D, spirv.Dim2D, spirv.Dim3D, spirv.DimBuffer:
	default:
		c.fail("type-image", in, "OpenCL has no images of dimension %s", d)
	}
	if in.Operand(2) > 2 || in.Operand(3) > 1 || in.Operand(4) > 1 || in.Operand(5) > 2 {
		c.fail("type-image", in, "the image type has depth %d, arrayed %d, multisampled %d, sampled %d, one of which is out of range", in.Operand(2), in.Operand(3), in.Operand(4), in.Operand(5))
	}
}

// vectorLength gives the number of components of a vector type; for one that depends on a specialization constant, the
// number that is the constant's default.
func (c *checker) vectorLength(in spirv.Inst) uint64 {
	if in.Op() == spirv.OpTypeVector {
		return uint64(in.Operand(1))
	}
	id := spirv.ID(in.Operand(1))
	def, _ := c.index.Def(id)
	if lt := c.typeOf(def.ResultType()); !isConstant(def.Op()) || !lt.scalar() || lt.class != classInt {
		c.fail("type-vector", in, "the length %%%d is not an integer constant", id)
		return 1
	}
	if n, known := c.index.Constant(id); known {
		return n
	}
	return 2 // computed from specialization constants
}
