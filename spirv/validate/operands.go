package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// idKind is what an id operand must name.
type idKind uint8

const (
	idAny idKind = iota
	idValue
	idType
	idLabel
	idFunction
	idString
	idGroup
)

func (k idKind) String() string {
	return [...]string{"id", "value", "type", "label", "function", "string (OpString)", "decoration group"}[k]
}

// checkOperandKinds checks what every id operand names: a value, a type, a label and so on. Types and
// module-scope constants are left to the rules for them, which look closer.
func (c *checker) checkOperandKinds() {
	for _, in := range c.insts {
		if extended(in.Op()) && c.effectless(in) {
			continue
		}
		n := 0
		check := func(kind spirv.OperandKind, id spirv.ID) {
			switch kind {
			case spirv.KindIdRef:
				c.checkKind(in, id, c.expected(in, n))
				n++
			case spirv.KindIdScope, spirv.KindIdMemorySemantics:
				c.checkScope(in, kind, id)
			}
		}
		if ids, f, ok := plain(in); ok {
			for i, id := range ids {
				check(f.kind(i), spirv.ID(id))
			}
			continue
		}
		for _, o := range c.parse(in) {
			if o.Kind.Category() == spirv.CategoryID {
				check(o.Kind, o.ID())
			}
		}
	}
}

// checkScope checks a scope or memory semantics (section 3.2.27). Kernels may compute them.
func (c *checker) checkScope(in spirv.Inst, kind spirv.OperandKind, id spirv.ID) {
	if t := c.valueType(id); !t.scalar() || t.class != classInt || t.width != 32 {
		c.fail("scope-semantics", in, "%%%d is not a 32-bit integer", id)
		return
	}
	v, known := c.index.Constant(id)
	if !known {
		return
	}
	if kind == spirv.KindIdScope {
		if _, ok := spirv.KindScope.Value(uint32(v)); !ok {
			c.fail("scope-semantics", in, "%d is not a scope", v)
		}
		return
	}
	for bit := range 32 {
		if mask := uint32(1) << bit; uint32(v)&mask != 0 {
			if _, ok := spirv.KindMemorySemantics.Value(mask); !ok {
				c.fail("scope-semantics", in, "bit %#x is not a memory semantics", mask)
			}
		}
	}
}

// expected tells what IdRef operand n of an instruction must name, counted among the IdRef operands.
func (c *checker) expected(in spirv.Inst, n int) idKind {
	op := in.Op()
	switch op {
	case spirv.OpBranch, spirv.OpLoopMerge, spirv.OpSelectionMerge:
		return idLabel
	case spirv.OpBranchConditional, spirv.OpSwitch:
		if op == spirv.OpBranchConditional && n > 2 {
			return idAny
		}
		return pick(n == 0, idValue, idLabel)
	case spirv.OpPhi:
		return pick(n%2 == 0, idValue, idLabel)
	case spirv.OpFunction:
		return idType
	case spirv.OpFunctionCall:
		return pick(n == 0, idFunction, idValue)
	case spirv.OpEntryPoint:
		return pick(n == 0, idFunction, idValue)
	case spirv.OpExecutionMode:
		return idFunction
	case spirv.OpExecutionModeId:
		if n == 1 && spirv.ExecutionMode(in.Operand(1)) == spirv.ExecutionModeFPFastMathDefault {
			return idType
		}
		return pick(n == 0, idFunction, idValue)
	case spirv.OpConstantFunctionPointerINTEL:
		return idFunction
	case spirv.OpCooperativeMatrixLengthKHR:
		return idType
	case spirv.OpLine, spirv.OpSource:
		return idString
	case spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
		return pick(n == 0, idGroup, idAny)
	case spirv.OpEnqueueKernel:
		return pick(n == 6, idFunction, idValue)
	case spirv.OpGetKernelNDrangeSubGroupCount, spirv.OpGetKernelNDrangeMaxSubGroupSize, spirv.OpGetKernelLocalSizeForSubgroupCount:
		return pick(n == 1, idFunction, idValue)
	case spirv.OpGetKernelWorkGroupSize, spirv.OpGetKernelPreferredWorkGroupSizeMultiple, spirv.OpGetKernelMaxNumSubgroups:
		return pick(n == 0, idFunction, idValue)
	case spirv.OpUntypedVariableKHR, spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR,
		spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR, spirv.OpUntypedArrayLengthKHR, spirv.OpAbortKHR:
		return pick(n == 0, idType, idValue)
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		return pick(n == 0, idAny, idValue) // the set was checked with the instruction number
	case spirv.OpAsmCallINTEL, spirv.OpSizeOf:
		return idAny
	// What follows these are lists of scopes (SPV_INTEL_memory_access_aliasing), which have no effect.
	case spirv.OpLoad:
		return pick(n == 0, idValue, idAny)
	case spirv.OpStore, spirv.OpCopyMemory:
		return pick(n < 2, idValue, idAny)
	case spirv.OpCopyMemorySized:
		return pick(n < 3, idValue, idAny)
	}
	if isType(op) || isConstant(op) || placeOf(op) == placeModule {
		return idAny
	}
	return idValue
}

func pick(cond bool, a, b idKind) idKind {
	if cond {
		return a
	}
	return b
}

// extended reports whether an instruction is one of an extended set.
func extended(op spirv.Op) bool {
	return op == spirv.OpExtInst || op == spirv.OpExtInstWithForwardRefsKHR
}

// effectless reports whether an OpExtInst carries debug information or the like, whose operands may be
// anything and are not checked.
func (c *checker) effectless(in spirv.Inst) bool {
	id := spirv.ID(in.Operand(0))
	if set, ok := c.parser.Set(id); ok {
		return set.Name == "OpenCL.DebugInfo.100" || spirv.NonSemantic(set.Name)
	}
	return true // an unknown set passes checkImport only when it is non-semantic
}

func (c *checker) checkKind(in spirv.Inst, id spirv.ID, want idKind) {
	def, _ := c.index.Def(id)
	op := def.Op()
	ok := true
	switch want {
	case idValue:
		ok = op.HasResultType() && op != spirv.OpFunction
	case idType:
		ok = isType(op)
	case idLabel:
		ok = op == spirv.OpLabel
	case idFunction:
		ok = op == spirv.OpFunction
	case idString:
		ok = op == spirv.OpString
	case idGroup:
		ok = op == spirv.OpDecorationGroup
	}
	if !ok {
		c.fail("id-kind", in, "%%%d must be a %s, but is the result of %s", id, want, op)
	}
}

// valueType gives the type of a value, nil when id names no value.
func (c *checker) valueType(id spirv.ID) *typ {
	def, _ := c.index.Def(id)
	if def.Op() == spirv.OpFunction {
		return nil
	}
	return c.typeOf(def.ResultType())
}
