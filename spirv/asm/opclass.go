package asm

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// isType reports whether an instruction defines a type. OpTypeForwardPointer
// does not: it announces one.
func isType(op spirv.Op) bool {
	return op.HasResult() && !op.HasResultType() && strings.HasPrefix(op.String(), "OpType")
}

// specConstantOps are the instructions that OpSpecConstantOp can carry out,
// section 3.3.7 and the extensions that add to it.
var specConstantOps = map[spirv.Op]bool{}

func init() {
	for _, op := range []spirv.Op{
		spirv.OpSConvert, spirv.OpFConvert, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertFToU,
		spirv.OpConvertUToF, spirv.OpUConvert, spirv.OpConvertPtrToU, spirv.OpConvertUToPtr,
		spirv.OpGenericCastToPtr, spirv.OpPtrCastToGeneric, spirv.OpBitcast, spirv.OpQuantizeToF16,
		spirv.OpSNegate, spirv.OpNot, spirv.OpIAdd, spirv.OpISub, spirv.OpIMul, spirv.OpUDiv, spirv.OpSDiv,
		spirv.OpUMod, spirv.OpSRem, spirv.OpSMod, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic,
		spirv.OpShiftLeftLogical, spirv.OpBitwiseOr, spirv.OpBitwiseAnd, spirv.OpBitwiseXor, spirv.OpFNegate,
		spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFDiv, spirv.OpFRem, spirv.OpFMod,
		spirv.OpVectorShuffle, spirv.OpCompositeExtract, spirv.OpCompositeInsert,
		spirv.OpLogicalOr, spirv.OpLogicalAnd, spirv.OpLogicalNot, spirv.OpLogicalEqual, spirv.OpLogicalNotEqual,
		spirv.OpSelect, spirv.OpIEqual, spirv.OpINotEqual, spirv.OpULessThan, spirv.OpSLessThan,
		spirv.OpUGreaterThan, spirv.OpSGreaterThan, spirv.OpULessThanEqual, spirv.OpSLessThanEqual,
		spirv.OpUGreaterThanEqual, spirv.OpSGreaterThanEqual,
		spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain,
		spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR,
		spirv.OpUntypedInBoundsPtrAccessChainKHR,
		spirv.OpCooperativeMatrixLengthNV, spirv.OpCooperativeMatrixLengthKHR,
	} {
		specConstantOps[op] = true
	}
}

// isDecoration reports whether an instruction belongs to the annotations of a
// module.
func isDecoration(op spirv.Op) bool {
	switch op {
	case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpMemberDecorate, spirv.OpGroupDecorate,
		spirv.OpGroupMemberDecorate, spirv.OpDecorateString, spirv.OpMemberDecorateString:
		return true
	}
	return false
}

// isDebug reports whether an instruction belongs to the debug information of a
// module.
func isDebug(op spirv.Op) bool {
	switch op {
	case spirv.OpName, spirv.OpMemberName, spirv.OpSource, spirv.OpSourceContinued, spirv.OpSourceExtension,
		spirv.OpString, spirv.OpLine, spirv.OpNoLine, spirv.OpModuleProcessed:
		return true
	}
	return false
}
