package validate

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// checkHeader checks section 2.3, physical layout.
func (c *checker) checkHeader() {
	if c.m.Bound == 0 {
		c.failModule("header", "the id bound is 0")
	}
	if c.m.Schema != 0 {
		c.failModule("header", "the instruction schema is %d, but must be 0", c.m.Schema)
	}
}

// checkGrammar checks that every instruction is known and has the operands of the grammar, with values
// that the grammar names. Debug information is exempt: producers put odd values there, for instance a
// storage class of 2^32-1 for none, and nothing hangs on it.
func (c *checker) checkGrammar() {
	for i, in := range c.insts {
		if !in.Op().Known() {
			c.fail("instruction-unknown", in, "no version of SPIR-V and no registered extension has this opcode")
			continue
		}
		if in.Op() == spirv.OpExtInst {
			if c.checkExtInstNumber(in); c.effectless(in) {
				continue
			}
		}
		if _, _, ok := plain(in); ok {
			continue
		}
		ops, err := c.parser.Parse(c.operands[:0], in)
		if err != nil {
			reason := err.Error()
			if de, ok := err.(*spirv.DecodeError); ok {
				reason = de.Reason
			}
			if n := in.Op().MinWords(); in.Op() == spirv.OpConstantNull && len(in.Words) > n {
				// clang 22 leaves words behind the null of some types. The rules that
				// follow see the instruction without them.
				c.pass(in, "%s", reason)
				if !c.trimmed {
					c.insts, c.trimmed = slices.Clone(c.insts), true
				}
				in.Words = in.Words[:n:n]
				c.insts[i] = in
				continue
			}
			c.fail("grammar", in, "%s", reason)
			continue
		}
		c.operands = ops
		for _, o := range ops {
			c.checkEnumerant(in, o)
		}
	}
}

// checkEnumerant checks that the grammar names a value, or each bit of a mask.
func (c *checker) checkEnumerant(in spirv.Inst, o spirv.ParsedOperand) {
	switch o.Kind.Category() {
	case spirv.CategoryValueEnum:
		if _, ok := o.Kind.Value(o.Words[0]); !ok && o.Kind == spirv.KindSourceLanguage {
			// Languages are registered all the time, and kernels do not depend on them.
			c.pass(in, "%d is not a value of %s", o.Words[0], o.Kind)
		} else if !ok {
			c.fail("enumerant", in, "%d is not a value of %s", o.Words[0], o.Kind)
		}
	case spirv.CategoryBitEnum:
		for bit := range 32 {
			if mask := uint32(1) << bit; o.Words[0]&mask != 0 {
				if _, ok := o.Kind.Value(mask); !ok {
					c.fail("enumerant", in, "bit %#x is not a bit of %s", mask, o.Kind)
				}
			}
		}
	}
}

// checkIDs checks that ids are within the bound, defined once, and defined at all (section 2.16.1).
func (c *checker) checkIDs() {
	inBound := func(in spirv.Inst, id spirv.ID) bool {
		if id == 0 || uint32(id) >= c.m.Bound {
			c.fail("id-bound", in, "id %%%d is outside of 1 to %d, the ids that the header's bound allows", id, c.m.Bound-1)
			return false
		}
		return true
	}
	check := func(i int, in spirv.Inst, kind spirv.OperandKind, id spirv.ID) {
		if !inBound(in, id) {
			return
		}
		at := c.index.At(id)
		switch {
		case kind == spirv.KindIdResult && at != i:
			c.fail("id-unique", in, "the instruction at word %[2]d defines %%%[1]d already", id, c.insts[at].Offset)
		case at < 0:
			c.fail("id-defined", in, "no instruction defines %%%d", id)
		case kind == spirv.KindIdResultType && !isType(c.insts[at].Op()):
			c.fail("id-kind", in, "the result type %%%d must be a type, but is the result of %s", id, c.insts[at].Op())
		}
	}
	for i, in := range c.insts {
		if ids, f, ok := plain(in); ok {
			for k, id := range ids {
				check(i, in, f.kind(k), spirv.ID(id))
			}
			continue
		}
		if extended(in.Op()) && c.effectless(in) {
			check(i, in, spirv.KindIdResultType, spirv.ID(in.Words[1]))
			check(i, in, spirv.KindIdResult, spirv.ID(in.Words[2]))
			continue
		}
		for _, o := range c.parse(in) {
			if o.Kind.Category() == spirv.CategoryID {
				check(i, in, o.Kind, o.ID())
			}
		}
	}
}

// isType reports whether an instruction declares a type.
func isType(op spirv.Op) bool {
	if !op.HasResult() || op.HasResultType() {
		return false
	}
	info, ok := op.Info()
	return ok && len(info.Name) > 6 && info.Name[:6] == "OpType"
}

// isConstant reports whether an instruction makes a constant (section 2.2.1, constant instruction, with
// OpUndef, which may stand in for one).
func isConstant(op spirv.Op) bool {
	switch op {
	case spirv.OpConstantTrue, spirv.OpConstantFalse, spirv.OpConstant, spirv.OpConstantComposite, spirv.OpConstantSampler,
		spirv.OpConstantNull, spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse, spirv.OpSpecConstant,
		spirv.OpSpecConstantComposite, spirv.OpSpecConstantOp, spirv.OpConstantPipeStorage, spirv.OpUndef,
		spirv.OpConstantFunctionPointerINTEL, spirv.OpConstantCompositeReplicateEXT, spirv.OpSpecConstantCompositeReplicateEXT,
		spirv.OpConstantDataKHR, spirv.OpSpecConstantDataKHR,
		spirv.OpConstantCompositeContinuedINTEL, spirv.OpSpecConstantCompositeContinuedINTEL:
		return true
	}
	return false
}

// place says where an instruction may stand (section 2.4).
type place uint8

const (
	placeBody     place = iota // in a block
	placeModule                // outside functions
	placeAnywhere              // debug lines and the like
	placeBoth                  // outside functions and in blocks
	placeFrame                 // OpFunction, OpFunctionParameter, OpFunctionEnd, OpLabel
)

func placeOf(op spirv.Op) place {
	switch op {
	case spirv.OpFunction, spirv.OpFunctionParameter, spirv.OpFunctionEnd, spirv.OpLabel:
		return placeFrame
	case spirv.OpLine, spirv.OpNoLine, spirv.OpNop, spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		return placeAnywhere
	case spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpUndef:
		return placeBoth
	case spirv.OpCapability, spirv.OpExtension, spirv.OpExtInstImport, spirv.OpMemoryModel, spirv.OpEntryPoint,
		spirv.OpExecutionMode, spirv.OpExecutionModeId, spirv.OpString, spirv.OpSource, spirv.OpSourceContinued,
		spirv.OpSourceExtension, spirv.OpName, spirv.OpMemberName, spirv.OpModuleProcessed, spirv.OpDecorate,
		spirv.OpDecorateId, spirv.OpDecorateString, spirv.OpMemberDecorate, spirv.OpMemberDecorateString,
		spirv.OpDecorationGroup, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate, spirv.OpTypeForwardPointer,
		spirv.OpConditionalExtensionINTEL, spirv.OpConditionalEntryPointINTEL, spirv.OpConditionalCapabilityINTEL,
		spirv.OpAsmTargetINTEL, spirv.OpAsmINTEL, spirv.OpAliasDomainDeclINTEL, spirv.OpAliasScopeDeclINTEL,
		spirv.OpAliasScopeListDeclINTEL, spirv.OpTypeStructContinuedINTEL:
		return placeModule
	}
	if isType(op) || isConstant(op) {
		return placeModule
	}
	return placeBody
}

// isTerminator reports whether an instruction ends a block (section 2.2.4).
func isTerminator(op spirv.Op) bool {
	switch op {
	case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpReturn, spirv.OpReturnValue, spirv.OpUnreachable,
		spirv.OpKill, spirv.OpTerminateInvocation, spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR,
		spirv.OpEmitMeshTasksEXT, spirv.OpAbortKHR:
		return true
	}
	return false
}

// checkPlacement checks the frame of functions and blocks (section 2.4): instructions of the module
// stand outside functions, others in a block; a block starts with OpLabel and ends in a terminator.
func (c *checker) checkPlacement() {
	const (
		outside = iota
		head    // after OpFunction or a parameter
		block
		between // after a terminator
	)
	state := outside
	var open spirv.Inst // OpFunction or OpLabel
	for _, in := range c.insts {
		op := in.Op()
		if of, ok := op.Continues(); ok {
			c.fail("placement", in, "the instruction must follow %s, whose words it continues, in a module with the capability LongCompositesINTEL", of)
			continue
		}
		switch where := placeOf(op); {
		case op == spirv.OpFunction:
			if state != outside {
				c.fail("function-frame", in, "the function before it, at word %d, has no OpFunctionEnd", open.Offset)
			}
			state, open = head, in
		case op == spirv.OpFunctionParameter:
			if state != head {
				c.fail("function-frame", in, "a parameter must follow OpFunction or another parameter")
			}
		case op == spirv.OpFunctionEnd:
			switch state {
			case outside:
				c.fail("function-frame", in, "no function is open")
			case block:
				c.fail("block-terminator", in, "the block at word %d does not end in a branch, a return or OpUnreachable", open.Offset)
			}
			state = outside
		case op == spirv.OpLabel:
			switch state {
			case outside:
				c.fail("function-frame", in, "a block must be inside a function")
			case block:
				c.fail("block-terminator", in, "the block before it, at word %d, does not end in a branch, a return or OpUnreachable", open.Offset)
			}
			state, open = block, in
		case where == placeAnywhere:
		case where == placeModule && state != outside:
			c.fail("placement", in, "the instruction must be outside of functions")
		case (where == placeBody || where == placeBoth && state != outside) && state != block:
			c.fail("placement", in, "the instruction must be in a block")
		case isTerminator(op):
			state = between
		}
	}
	if state != outside {
		c.fail("function-frame", open, "the module ends before the function does")
	}
}
