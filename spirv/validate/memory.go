package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// checkBitcast checks OpBitcast: as many bits on both sides, pointers only from and to pointers and
// integers as wide. Optimizers cast between a vector of Booleans and an integer with a bit for each of
// them, which the level Load takes.
func (c *checker) checkBitcast(in spirv.Inst) {
	to, from := c.typeOf(in.ResultType()), c.valueType(spirv.ID(in.Operand(0)))
	bits := func(t *typ) int {
		switch {
		case t == nil || t.class == classNone:
			return 0
		case t.class == classBool:
			return t.count
		}
		return t.width * t.count
	}
	if n := bits(to); n == 0 || n != bits(from) {
		c.fail("operand-type", in, "%%%d has type %%%d with %d bits, but the result type %%%d has %d bits", in.Operand(0), typeID(from), bits(from), to.id, n)
		return
	}
	if to.class == classPointer && from.class == classFloat || to.class == classFloat && from.class == classPointer {
		c.fail("operand-type", in, "a pointer cannot be converted to or from a floating-point number")
	}
	switch {
	case to.class != classBool && from.class != classBool:
	case to.class != classInt && from.class != classInt:
		c.fail("operand-type", in, "Booleans can be cast only to or from integers")
	default:
		c.pass(in, "Booleans cannot be cast to or from integers")
	}
}

// checkGenericCast checks the casts between Generic and the storage classes that it stands for.
func (c *checker) checkGenericCast(in spirv.Inst) {
	to, from := c.typeOf(in.ResultType()), c.valueType(spirv.ID(in.Operand(0)))
	if !to.pointer() || !from.pointer() {
		c.fail("operand-type", in, "the cast is from type %%%d to type %%%d, but both must be pointer types", typeID(from), to.id)
		return
	}
	generic, named := to, from
	if in.Op() != spirv.OpPtrCastToGeneric {
		generic, named = from, to
	}
	switch named.storage {
	case spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup, spirv.StorageClassFunction:
	default:
		c.fail("operand-type", in, "a pointer of storage class %s cannot be made generic", named.storage)
	}
	if generic.storage != spirv.StorageClassGeneric {
		c.fail("operand-type", in, "the generic pointer has storage class %s, but must have Generic", generic.storage)
	}
	if in.Op() == spirv.OpGenericCastToPtrExplicit && spirv.StorageClass(in.Operand(1)) != named.storage {
		c.fail("operand-type", in, "the instruction names the storage class %s, but the result type has %s", spirv.StorageClass(in.Operand(1)), named.storage)
	}
	if !to.untyped() && !from.untyped() && !sameType(c.typeOf(to.pointee), c.typeOf(from.pointee)) {
		c.fail("operand-type", in, "the cast changes the pointee type from %%%d to %%%d", from.pointee, to.pointee)
	}
}

// checkSelect checks OpSelect: a Boolean for the whole, or one for each component.
func (c *checker) checkSelect(in spirv.Inst) {
	ids := c.idRefs(in)
	result, cond := c.typeOf(in.ResultType()), c.valueType(ids[0])
	if !result.sized {
		c.fail("operand-type", in, "no value can have the type %%%d", result.id)
	}
	if cond == nil || cond.class != classBool || cond.count > 1 && (!result.vector() || cond.count != result.count) {
		c.fail("operand-type", in, "the condition %%%d is neither a Boolean nor a vector with a Boolean for each component", ids[0])
	}
	for _, id := range ids[1:] {
		if t := c.valueType(id); !sameType(t, result) {
			c.fail("operand-type", in, "%%%d has type %%%d, but the result has type %%%d", id, typeID(t), result.id)
		}
	}
}

// checkSizeOf checks OpSizeOf: the size of what a pointer points to, as an integer of 32 bits. The operand
// is a pointer or, as SPIRV-Tools take it, the type of one.
func (c *checker) checkSizeOf(in spirv.Inst) {
	id := spirv.ID(in.Operand(0))
	p := c.typeOf(id)
	if p == nil {
		p = c.valueType(id)
	}
	switch {
	case !c.ofClass(c.typeOf(in.ResultType()), 'u'):
		c.fail("operand-type", in, "the result type %%%d is not %s", in.ResultType(), className('u'))
	case !p.pointer() || p.untyped() || !c.typeOf(p.pointee).sized:
		c.fail("operand-type", in, "%%%d is not a pointer to a type with a size", id)
	}
}

// checkPairResult checks the operations whose result is a structure of two integers.
func (c *checker) checkPairResult(in spirv.Inst) {
	result := c.typeOf(in.ResultType())
	members := result.in.Operands()
	if result.op != spirv.OpTypeStruct || len(members) != 2 || !sameType(c.typeOf(spirv.ID(members[0])), c.typeOf(spirv.ID(members[1]))) {
		c.fail("operand-type", in, "the result type %%%d is not a structure with two members of the same type", result.id)
		return
	}
	m := c.typeOf(spirv.ID(members[0]))
	if m.class != classInt {
		c.fail("operand-type", in, "the members of the result type %%%d are not integers", result.id)
	}
	for _, id := range c.idRefs(in) {
		if t := c.valueType(id); !sameType(t, m) {
			c.fail("operand-type", in, "%%%d has type %%%d, but the members of the result have type %%%d", id, typeID(t), m.id)
		}
	}
}

// pointee gives the type behind a pointer operand; ok is false, and an error is noted, when the operand
// is no pointer. The type is nil for an untyped pointer.
func (c *checker) pointeeOf(in spirv.Inst, id spirv.ID) (t *typ, ok bool) {
	p := c.valueType(id)
	if !p.pointer() {
		c.fail("operand-type", in, "%%%d has type %%%d, which is not a pointer type", id, typeID(p))
		return nil, false
	}
	if p.untyped() {
		return nil, true
	}
	t = c.typeOf(p.pointee)
	if !t.sized {
		c.fail("operand-type", in, "the pointer %%%d points to a type without a size", id)
		return nil, false
	}
	return t, true
}

// checkAccess checks OpLoad, OpStore, OpCopyMemory and OpCopyMemorySized (section 3.3.8).
func (c *checker) checkAccess(in spirv.Inst) {
	ids := c.idRefs(in)
	target, ok := c.pointeeOf(in, ids[0])
	if !ok {
		return
	}
	mismatch := func(t *typ) {
		c.fail("operand-type", in, "%%%d points to type %%%d, but must point to type %%%d", ids[0], target.id, typeID(t))
	}
	switch in.Op() {
	case spirv.OpLoad:
		if result := c.typeOf(in.ResultType()); !result.sized {
			c.fail("operand-type", in, "no value can have the type %%%d", result.id)
		} else if target != nil && !sameType(target, result) {
			mismatch(result)
		}
	case spirv.OpStore:
		if t := c.valueType(ids[1]); t == nil || !t.sized {
			c.fail("operand-type", in, "%%%d is not a value that can be stored", ids[1])
		} else if target != nil && !sameType(target, t) {
			mismatch(t)
		}
		c.checkWritable(in, ids[0])
	case spirv.OpCopyMemory:
		source, ok := c.pointeeOf(in, ids[1])
		if ok && source == nil && target == nil {
			c.fail("operand-type", in, "neither pointer has a pointee type, so that the size of the copy is unknown")
		} else if ok && source != nil && target != nil && !sameType(source, target) {
			mismatch(source)
		}
		c.checkWritable(in, ids[0])
	case spirv.OpCopyMemorySized:
		c.pointeeOf(in, ids[1])
		if t := c.valueType(ids[2]); !t.scalar() || t.class != classInt {
			c.fail("operand-type", in, "the size %%%d is not an integer", ids[2])
		}
		c.checkWritable(in, ids[0])
	}
}

// checkWritable refuses writes to memory that cannot change.
func (c *checker) checkWritable(in spirv.Inst, pointer spirv.ID) {
	switch t := c.valueType(pointer); t.storage {
	case spirv.StorageClassUniformConstant, spirv.StorageClassInput:
		c.fail("storage-write", in, "the instruction writes to storage class %s, which is read-only", t.storage)
	}
}

// checkAccessChain walks the type of the base along the indices (section 3.3.8, OpAccessChain).
func (c *checker) checkAccessChain(in spirv.Inst) {
	result := c.typeOf(in.ResultType())
	ids := c.idRefs(in)
	untyped, element := false, false
	switch in.Op() {
	case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
		untyped = true
	case spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		untyped, element = true, true
	case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		element = true
	}
	var t *typ
	if untyped {
		t = c.typeOf(ids[0])
		ids = ids[1:]
	}
	base := c.valueType(ids[0])
	if !base.pointer() || !result.pointer() {
		c.fail("operand-type", in, "the base has type %%%d and the result type %%%d, but both must be pointer types", typeID(base), result.id)
		return
	}
	if base.storage != result.storage {
		c.fail("operand-type", in, "the result type has storage class %s, but the base has %s", result.storage, base.storage)
	}
	switch {
	case untyped != result.untyped():
		c.fail("operand-type", in, "the result type %%%d is not the kind of pointer that this instruction makes", result.id)
		return
	case !untyped && base.untyped():
		c.fail("operand-type", in, "the base %%%d has no pointee type", ids[0])
		return
	case !untyped:
		t = c.typeOf(base.pointee)
	}
	indices := ids[1:]
	for i, id := range indices {
		if it := c.valueType(id); !it.scalar() || it.class != classInt {
			c.fail("operand-type", in, "the index %%%d is not an integer", id)
			return
		}
		if element && i == 0 {
			if !t.sized {
				c.fail("operand-type", in, "the element type %%%d has no size", t.id)
			}
			continue
		}
		if t = c.member(in, t, id); t == nil {
			return
		}
	}
	if !untyped && !sameType(t, c.typeOf(result.pointee)) {
		c.pass(in, "the indices lead to type %%%d, but the result points to %%%d", t.id, result.pointee)
	}
}

// member gives the type of a part of a composite that an index id selects, nil after an error.
func (c *checker) member(in spirv.Inst, t *typ, index spirv.ID) *typ {
	switch t.op {
	case spirv.OpTypeVector, spirv.OpTypeVectorIdEXT, spirv.OpTypeArray, spirv.OpTypeRuntimeArray, spirv.OpTypeCooperativeMatrixKHR:
		return t.elem
	case spirv.OpTypeStruct:
		n, ok := c.index.Constant(index)
		if !ok {
			c.fail("operand-type", in, "the index %%%d into structure %%%d is not a constant", index, t.id)
			return nil
		}
		return c.structMember(in, t, n)
	}
	c.fail("operand-type", in, "type %%%d has no members that the index %%%d could select", t.id, index)
	return nil
}

func (c *checker) structMember(in spirv.Inst, t *typ, n uint64) *typ {
	members := t.in.Operands()
	if n >= uint64(len(members)) {
		c.fail("operand-type", in, "structure %%%d has no member %d", t.id, n)
		return nil
	}
	return c.typeOf(spirv.ID(members[n]))
}

// atomic reports whether an instruction is an atomic one (section 3.3.18).
func atomic(op spirv.Op) bool {
	switch op {
	case spirv.OpAtomicLoad, spirv.OpAtomicStore, spirv.OpAtomicExchange, spirv.OpAtomicCompareExchange,
		spirv.OpAtomicCompareExchangeWeak, spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement, spirv.OpAtomicIAdd,
		spirv.OpAtomicISub, spirv.OpAtomicSMin, spirv.OpAtomicUMin, spirv.OpAtomicSMax, spirv.OpAtomicUMax, spirv.OpAtomicAnd,
		spirv.OpAtomicOr, spirv.OpAtomicXor, spirv.OpAtomicFlagTestAndSet, spirv.OpAtomicFlagClear, spirv.OpAtomicFAddEXT,
		spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT:
		return true
	}
	return false
}

// checkAtomic checks the pointer, the value and the result of an atomic instruction.
func (c *checker) checkAtomic(in spirv.Inst) {
	op := in.Op()
	ids := c.idRefs(in)
	target, ok := c.pointeeOf(in, ids[0])
	if !ok {
		return
	}
	switch s := c.valueType(ids[0]).storage; s {
	case spirv.StorageClassFunction, spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric,
		spirv.StorageClassPrivate, spirv.StorageClassImage:
	default:
		c.fail("atomic-storage", in, "atomic instructions cannot access storage class %s", s)
	}
	// The type of the memory is the type of the value or result where the pointer does not say.
	value := c.typeOf(in.ResultType())
	switch op {
	case spirv.OpAtomicFlagTestAndSet, spirv.OpAtomicFlagClear:
		if op == spirv.OpAtomicFlagTestAndSet && (!value.scalar() || value.class != classBool) {
			c.fail("operand-type", in, "the result type %%%d is not Boolean", value.id)
		}
		if target != nil && (!target.scalar() || target.class != classInt || target.width != 32) {
			c.fail("operand-type", in, "%%%d does not point to a 32-bit integer", ids[0])
		}
		return
	case spirv.OpAtomicStore:
		value = c.valueType(ids[1])
	}
	if target != nil && !sameType(target, value) {
		c.fail("operand-type", in, "%%%d points to type %%%d, but must point to type %%%d", ids[0], target.id, typeID(value))
	}
	for _, id := range ids[1:] {
		if t := c.valueType(id); !sameType(t, value) {
			c.fail("operand-type", in, "%%%d has type %%%d, but the pointer points to type %%%d", id, typeID(t), typeID(value))
		}
	}
	if !value.scalar() || !atomicClass(op, value.class) {
		c.fail("operand-type", in, "the instruction does not work on type %%%d", typeID(value))
	}
}

func atomicClass(op spirv.Op, k class) bool {
	switch op {
	case spirv.OpAtomicFAddEXT, spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT:
		return k == classFloat
	case spirv.OpAtomicLoad, spirv.OpAtomicStore, spirv.OpAtomicExchange:
		return k == classInt || k == classFloat
	}
	return k == classInt
}

// checkAsyncCopy checks OpGroupAsyncCopy: between Workgroup and CrossWorkgroup, elements of one type or,
// with untyped pointers (SPV_KHR_untyped_pointers), of the size that an operand gives.
// The SPIR-V back end of clang emits counts of 32 bits with any addressing model.
func (c *checker) checkAsyncCopy(in spirv.Inst) {
	ids := c.idRefs(in)
	errs := len(c.errs)
	sig, sizes := signature("e p. p. I. I. e."), 2
	if in.Op() == spirv.OpUntypedGroupAsyncCopyKHR {
		sig, sizes = "e p. p. I. I. I. e.", 3
		ids = ids[1:] // the scope is an operand like others in the grammar
	}
	c.checkSignature("operand-type", in, sig, ids)
	if len(c.errs) > errs {
		return
	}
	for _, id := range ids[2 : 2+sizes] {
		switch w := c.valueType(id).width; w {
		case c.addressBits:
		case 32:
			c.pass(in, "the operand %%%d has %d bits, but addresses have %d", id, w, c.addressBits)
		default:
			c.fail("operand-type", in, "the operand %%%d has %d bits, but addresses have %d", id, w, c.addressBits)
		}
	}
	dst, src := c.valueType(ids[0]), c.valueType(ids[1])
	c.checkAsyncPair(in, dst, src)
	if !dst.untyped() && !src.untyped() && !sameType(c.typeOf(dst.pointee), c.typeOf(src.pointee)) {
		c.fail("operand-type", in, "the destination points to type %%%d, but the source points to type %%%d", dst.pointee, src.pointee)
	}
}

// checkAsyncPair checks the direction of an asynchronous copy.
func (c *checker) checkAsyncPair(in spirv.Inst, dst, src *typ) {
	w, x := spirv.StorageClassWorkgroup, spirv.StorageClassCrossWorkgroup
	if !(dst.storage == w && src.storage == x || dst.storage == x && src.storage == w) {
		c.fail("async-copy", in, "the copy is from %s to %s, but must be between Workgroup and CrossWorkgroup", src.storage, dst.storage)
	}
}
