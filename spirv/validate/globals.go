package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// checkGlobals checks constants and variables (sections 3.3.7 and 3.3.8), those in functions too.
func (c *checker) checkGlobals() {
	inFunction := false
	for i, in := range c.insts {
		switch in.Op() {
		case spirv.OpFunction:
			inFunction = true
		case spirv.OpFunctionEnd:
			inFunction = false
		case spirv.OpVariable, spirv.OpUntypedVariableKHR:
			c.checkVariable(in, inFunction)
		case spirv.OpUndef:
			if t := c.typeOf(in.ResultType()); !t.sized {
				c.fail("constant-type", in, "no value can have the type %%%d", t.id)
			}
		default:
			if isConstant(in.Op()) {
				c.checkConstant(i, in)
			}
		}
	}
}

// checkConstant checks the type of a constant, and that its parts stand before it.
func (c *checker) checkConstant(at int, in spirv.Inst) {
	t := c.typeOf(in.ResultType())
	bad := func(what string) { c.fail("constant-type", in, "the result type %%%d is not a %s", t.id, what) }
	switch in.Op() {
	case spirv.OpConstantTrue, spirv.OpConstantFalse, spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse:
		if !t.scalar() || t.class != classBool {
			bad("Boolean type")
		}
	case spirv.OpConstant, spirv.OpSpecConstant:
		if !t.scalar() || t.class != classInt && t.class != classFloat {
			bad("scalar number")
		}
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite:
		if c.constantParts(at, in, in.Operands()) {
			c.checkConstruct("constant-type", in, t, in.Operands(), false)
		}
	case spirv.OpConstantSampler:
		if t.op != spirv.OpTypeSampler {
			bad("sampler type")
		}
	case spirv.OpConstantPipeStorage:
		if t.op != spirv.OpTypePipeStorage {
			bad("pipe storage type")
		}
		c.checkPipeStorage(in)
	case spirv.OpConstantNull:
		switch t.op {
		case spirv.OpTypeVoid, spirv.OpTypeFunction, spirv.OpTypeRuntimeArray, spirv.OpTypeImage, spirv.OpTypeSampledImage, spirv.OpTypePipe, spirv.OpTypePipeStorage:
			bad("type that has a null value")
		}
	case spirv.OpSpecConstantOp:
		c.checkSpecConstantOp(at, in)
	}
}

// constantParts checks that ids are constants or module-scope variables, and that constants stand before
// the one that they are part of, so that none contains itself.
func (c *checker) constantParts(at int, in spirv.Inst, ids []uint32) bool {
	ok := true
	for _, w := range ids {
		i := c.index.At(spirv.ID(w))
		def := c.insts[i]
		switch {
		case c.moduleVariable(def) && (i < at || spirv.StorageClass(def.Operand(0)) != spirv.StorageClassFunction):
		case !isConstant(def.Op()):
			c.fail("constant-operand", in, "%%%d is neither a constant nor a module-scope variable", w)
			ok = false
		case i >= at:
			c.fail("constant-operand", in, "the constant %%%d is defined after the constant that uses it", w)
			ok = false
		}
	}
	return ok
}

// checkSpecConstantOp checks the operation with the rules of the instruction that it stands for.
func (c *checker) checkSpecConstantOp(at int, in spirv.Inst) {
	op := spirv.Op(in.Operand(0))
	if !specConstantOps(op) {
		c.fail("constant-operation", in, "OpSpecConstantOp cannot have the operation %s", op)
		return
	}
	var ids []uint32
	for _, o := range c.parse(in) {
		if o.Kind == spirv.KindIdRef {
			ids = append(ids, uint32(o.ID()))
		}
	}
	switch op {
	case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		if len(ids) > 0 {
			if c.typeOf(spirv.ID(ids[0])) == nil {
				c.fail("id-kind", in, "%%%d is not a type", ids[0])
				return
			}
			ids = ids[1:]
		}
	}
	if !c.constantParts(at, in, ids) {
		return
	}
	words := append([]uint32{uint32(len(in.Words)-1)<<16 | uint32(op), in.Words[1], in.Words[2]}, in.Words[4:]...)
	c.checkInstruction(spirv.Inst{Words: words, Offset: in.Offset})
}

// specConstantOps are the operations of OpSpecConstantOp for Kernel modules (section 3.3.7).
func specConstantOps(op spirv.Op) bool {
	switch op {
	case spirv.OpSConvert, spirv.OpUConvert, spirv.OpFConvert, spirv.OpSNegate, spirv.OpNot, spirv.OpIAdd, spirv.OpISub,
		spirv.OpIMul, spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpSRem, spirv.OpSMod, spirv.OpShiftRightLogical,
		spirv.OpShiftRightArithmetic, spirv.OpShiftLeftLogical, spirv.OpBitwiseOr, spirv.OpBitwiseXor, spirv.OpBitwiseAnd,
		spirv.OpVectorShuffle, spirv.OpCompositeExtract, spirv.OpCompositeInsert, spirv.OpLogicalOr, spirv.OpLogicalAnd,
		spirv.OpLogicalNot, spirv.OpLogicalEqual, spirv.OpLogicalNotEqual, spirv.OpSelect, spirv.OpIEqual, spirv.OpINotEqual,
		spirv.OpULessThan, spirv.OpSLessThan, spirv.OpUGreaterThan, spirv.OpSGreaterThan, spirv.OpULessThanEqual,
		spirv.OpSLessThanEqual, spirv.OpUGreaterThanEqual, spirv.OpSGreaterThanEqual, spirv.OpQuantizeToF16,
		spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertFToU, spirv.OpConvertUToF, spirv.OpConvertPtrToU,
		spirv.OpConvertUToPtr, spirv.OpGenericCastToPtr, spirv.OpPtrCastToGeneric, spirv.OpBitcast, spirv.OpFNegate,
		spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFDiv, spirv.OpFRem, spirv.OpFMod, spirv.OpAccessChain,
		spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain,
		spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR,
		spirv.OpUntypedInBoundsPtrAccessChainKHR, spirv.OpPtrEqual, spirv.OpPtrNotEqual, spirv.OpPtrDiff:
		return true
	}
	return false
}

// checkVariable checks storage class, pointer type and initializer of a variable (section 3.3.8).
func (c *checker) checkVariable(in spirv.Inst, inFunction bool) {
	t := c.typeOf(in.ResultType())
	storage := spirv.StorageClass(in.Operand(0))
	if !t.pointer() || t.untyped() != (in.Op() == spirv.OpUntypedVariableKHR) {
		c.fail("variable-type", in, "the result type %%%d is not a pointer type for this kind of variable", t.id)
		return
	}
	if t.storage != storage {
		c.fail("variable-storage", in, "the variable has storage class %s, but its pointer type has %s", storage, t.storage)
	}
	if storage == spirv.StorageClassGeneric {
		c.fail("variable-storage", in, "a variable cannot have the storage class Generic")
	}
	if inFunction && storage != spirv.StorageClassFunction {
		c.fail("variable-storage", in, "a variable in a function must have the storage class Function, not %s", storage)
	}
	if !inFunction && storage == spirv.StorageClassFunction {
		const msg = "a variable outside functions cannot have the storage class Function"
		// Translators make it of a constant that a variable of a function begins with.
		if hasInitializer(in) {
			c.pass(in, msg)
		} else {
			c.fail("variable-storage", in, msg)
		}
	}
	pointee := c.typeOf(t.pointee)
	rest := in.Operands()[1:]
	if t.untyped() {
		pointee = nil
		if len(rest) > 0 {
			pointee = c.typeOf(spirv.ID(rest[0]))
			rest = rest[1:]
		}
	}
	if pointee != nil && !pointee.sized {
		c.fail("variable-type", in, "the type %%%d of the variable has no size", pointee.id)
	}
	if len(rest) > 0 && pointee != nil {
		c.checkInitializer(in, spirv.ID(rest[0]), pointee)
	}
	c.checkBuiltIn(in, pointee)
}

// moduleVariable reports whether an instruction makes a variable outside functions. Those of storage class
// Function that checkVariable lets pass have an initializer.
func (c *checker) moduleVariable(def spirv.Inst) bool {
	if def.Op() != spirv.OpVariable && def.Op() != spirv.OpUntypedVariableKHR {
		return false
	}
	return spirv.StorageClass(def.Operand(0)) != spirv.StorageClassFunction || hasInitializer(def)
}

// hasInitializer reports whether a variable has one.
func hasInitializer(in spirv.Inst) bool {
	if in.Op() == spirv.OpUntypedVariableKHR {
		return len(in.Operands()) > 2
	}
	return len(in.Operands()) > 1
}

func (c *checker) checkInitializer(in spirv.Inst, id spirv.ID, pointee *typ) {
	def, _ := c.index.Def(id)
	if !isConstant(def.Op()) && !c.moduleVariable(def) {
		c.fail("variable-initializer", in, "the initializer %%%d is neither a constant nor a module-scope variable", id)
		return
	}
	if it := c.valueType(id); !sameType(it, pointee) {
		c.fail("variable-initializer", in, "the initializer %%%d has type %%%d, but the variable has type %%%d", id, typeID(it), pointee.id)
	}
}

// typeID is the id of a type for messages, 0 when there is none.
func typeID(t *typ) spirv.ID {
	if t == nil {
		return 0
	}
	return t.id
}

// checkBuiltIn checks the shape of built-in variables (environment specification, section 2.9): three
// components or one, of 32-bit integers or of the width of addresses.
func (c *checker) checkBuiltIn(in spirv.Inst, pointee *typ) {
	params, ok := c.decorations.Get(in.ResultID(), spirv.DecorationBuiltIn)
	if !ok || len(params) == 0 {
		return
	}
	builtin := spirv.BuiltIn(params[0])
	components := 1
	switch builtin {
	case spirv.BuiltInGlobalInvocationId, spirv.BuiltInLocalInvocationId, spirv.BuiltInWorkgroupId, spirv.BuiltInNumWorkgroups,
		spirv.BuiltInWorkgroupSize, spirv.BuiltInGlobalSize, spirv.BuiltInEnqueuedWorkgroupSize, spirv.BuiltInGlobalOffset:
		components = 3
	case spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask,
		spirv.BuiltInSubgroupLtMask:
		components = 4
	}
	if pointee == nil || pointee.class != classInt || pointee.count != components || pointee.width != 32 && pointee.width != 64 {
		c.fail("builtin-type", in, "the built-in variable %s must have %s, integers of 32 or 64 bits", builtin, count(components, "component"))
	}
	// Older producers made them UniformConstant, and those for SYCL CrossWorkgroup.
	switch s := spirv.StorageClass(in.Operand(0)); s {
	case spirv.StorageClassInput, spirv.StorageClassUniformConstant:
	case spirv.StorageClassCrossWorkgroup:
		c.pass(in, "the built-in variable %s has the storage class %s, but must have Input", builtin, s)
	default:
		c.fail("builtin-type", in, "the built-in variable %s has the storage class %s, but must have Input", builtin, s)
	}
}
