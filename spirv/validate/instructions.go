package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// checkInstructions checks the operand types of every instruction in a function (section 3.3).
func (c *checker) checkInstructions() {
	for _, f := range c.functions {
		for _, b := range f.blocks {
			for at := b.first + 1; at < b.last; at++ {
				c.checkInstruction(c.insts[at])
			}
		}
	}
}

// checkInstruction checks one instruction, or the operation of an OpSpecConstantOp in its stead.
func (c *checker) checkInstruction(in spirv.Inst) {
	const rule = "operand-type"
	op := in.Op()
	if c.encoded {
		c.checkEncoded(in)
	}
	if sig := signatureOf(op); sig != "" {
		c.checkSignature(rule, in, sig, c.idRefs(in))
	}
	switch op {
	case spirv.OpBitcast:
		c.checkBitcast(in)
	case spirv.OpConvertPtrToU, spirv.OpConvertUToPtr, spirv.OpPtrEqual, spirv.OpPtrNotEqual:
		if c.typeOf(in.ResultType()).vector() {
			c.pass(in, "the operand is a vector of pointers, but must be one pointer")
		}
	case spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr, spirv.OpGenericCastToPtrExplicit:
		c.checkGenericCast(in)
	case spirv.OpSelect:
		c.checkSelect(in)
	case spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended:
		c.checkPairResult(in)
	case spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic, spirv.OpVectorShuffle, spirv.OpCompositeConstruct,
		spirv.OpCompositeExtract, spirv.OpCompositeInsert:
		c.checkComposite(in)
	case spirv.OpCooperativeMatrixLoadKHR, spirv.OpCooperativeMatrixStoreKHR, spirv.OpCooperativeMatrixMulAddKHR, spirv.OpMatrixTimesScalar:
		c.checkMatrix(in)
	case spirv.OpLoad, spirv.OpStore, spirv.OpCopyMemory, spirv.OpCopyMemorySized:
		c.checkAccess(in)
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain,
		spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR, spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		c.checkAccessChain(in)
	case spirv.OpGroupAsyncCopy, spirv.OpUntypedGroupAsyncCopyKHR:
		c.checkAsyncCopy(in)
	case spirv.OpExtInst:
		c.checkExtInst(in)
	case spirv.OpImageSampleExplicitLod, spirv.OpImageSampleImplicitLod, spirv.OpImageFetch, spirv.OpImageRead, spirv.OpImageWrite,
		spirv.OpImageQuerySize, spirv.OpImageQuerySizeLod:
		c.checkImage(in)
	case spirv.OpReadPipe, spirv.OpWritePipe, spirv.OpReservedReadPipe, spirv.OpReservedWritePipe, spirv.OpReserveReadPipePackets,
		spirv.OpReserveWritePipePackets, spirv.OpCommitReadPipe, spirv.OpCommitWritePipe, spirv.OpGroupReserveReadPipePackets,
		spirv.OpGroupReserveWritePipePackets, spirv.OpGroupCommitReadPipe, spirv.OpGroupCommitWritePipe,
		spirv.OpReadPipeBlockingALTERA, spirv.OpWritePipeBlockingALTERA:
		c.checkPipe(in)
	case spirv.OpCreatePipeFromPipeStorage:
		c.checkCreatePipe(in)
	case spirv.OpSizeOf:
		c.checkSizeOf(in)
	case spirv.OpSampledImage:
		if c.typeOf(in.ResultType()).op != spirv.OpTypeSampledImage {
			return // the signature has said so
		}
		if ids := c.idRefs(in); !sameType(c.typeOf(in.ResultType()).elem, c.valueType(ids[0])) {
			c.fail(rule, in, "the image type of the result differs from that of operand %%%d", ids[0])
		}
	}
	if atomic(op) {
		c.checkAtomic(in)
	}
}

// idRefs gives the IdRef operands of an instruction. The slice is good until the next call.
func (c *checker) idRefs(in spirv.Inst) []spirv.ID {
	c.ids = c.ids[:0]
	if ids, f, ok := plain(in); ok {
		for i, id := range ids {
			if f.kind(i) == spirv.KindIdRef {
				c.ids = append(c.ids, spirv.ID(id))
			}
		}
		return c.ids
	}
	for _, o := range c.parse(in) {
		if o.Kind == spirv.KindIdRef {
			c.ids = append(c.ids, o.ID())
		}
	}
	return c.ids
}

// signatureOf gives the signature of an instruction, empty when its types are checked elsewhere or are
// not those of the OpenCL environment.
func signatureOf(op spirv.Op) signature {
	if s := arithmeticSignature(op); s != "" {
		return s
	}
	if s := relationalSignature(op); s != "" {
		return s
	}
	if s := groupSignature(op); s != "" {
		return s
	}
	return otherSignature(op)
}

// checkEncoded checks that floating-point numbers of other encodings than IEEE 754's are moved and converted only, and
// that bfloat16 has dot products besides (SPV_KHR_bfloat16 and SPV_EXT_float8, "Universal Validation Rules").
func (c *checker) checkEncoded(in spirv.Inst) {
	op := in.Op()
	info, _ := op.Info()
	switch info.Class {
	case "Constant-Creation", "Memory", "Function", "Conversion", "Composite", "Miscellaneous":
		return
	}
	switch op {
	case spirv.OpSelect, spirv.OpPhi, spirv.OpReturnValue, spirv.OpLifetimeStart, spirv.OpLifetimeStop, spirv.OpFreezeKHR, spirv.OpExpectKHR,
		spirv.OpCooperativeMatrixMulAddKHR:
		return
	case spirv.OpDot:
		if c.capabilities[spirv.CapabilityBFloat16DotProductKHR] {
			return
		}
	}
	bad := c.typeOf(in.ResultType())
	for _, id := range c.idRefs(in) {
		if t := c.valueType(id); t != nil && t.encoded {
			bad = t
		}
	}
	if bad != nil && bad.encoded {
		c.fail("operand-type", in, "type %%%d has an encoding of its own: its values can be moved and converted, and nothing else", bad.id)
	}
}

// arithmeticSignature covers sections 3.3.11, 3.3.13 and 3.3.14: conversion, arithmetic, bits.
func arithmeticSignature(op spirv.Op) signature {
	switch op {
	case spirv.OpSNegate, spirv.OpNot, spirv.OpBitReverse, spirv.OpUCountLeadingZerosINTEL, spirv.OpUCountTrailingZerosINTEL:
		return "i i="
	case spirv.OpIAdd, spirv.OpISub, spirv.OpIMul, spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpSRem, spirv.OpSMod,
		spirv.OpBitwiseOr, spirv.OpBitwiseXor, spirv.OpBitwiseAnd, spirv.OpIAddSatINTEL, spirv.OpUAddSatINTEL,
		spirv.OpIAverageINTEL, spirv.OpUAverageINTEL, spirv.OpIAverageRoundedINTEL, spirv.OpUAverageRoundedINTEL,
		spirv.OpISubSatINTEL, spirv.OpUSubSatINTEL, spirv.OpIMul32x16INTEL, spirv.OpUMul32x16INTEL,
		spirv.OpAbsISubINTEL, spirv.OpAbsUSubINTEL:
		return "i i= i="
	case spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic, spirv.OpShiftLeftLogical:
		return "i i= ic"
	case spirv.OpFNegate, spirv.OpQuantizeToF16:
		return "f f="
	case spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFDiv, spirv.OpFRem, spirv.OpFMod:
		return "f f= f="
	case spirv.OpFmaKHR:
		return "f f= f= f="
	case spirv.OpBitwiseFunctionINTEL:
		return "i i= i= i= I."
	case spirv.OpVectorTimesScalar:
		return "f f= Fk"
	case spirv.OpDot:
		return "F fe f1"
	case spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertFToBF16INTEL:
		return "i fc"
	case spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpConvertBF16ToFINTEL:
		return "f ic"
	case spirv.OpUConvert, spirv.OpSConvert, spirv.OpSatConvertSToU, spirv.OpSatConvertUToS, spirv.OpBitCount:
		return "i ic"
	case spirv.OpFConvert:
		return "f fc"
	case spirv.OpConvertPtrToU:
		return "i Qc" // translators give it vectors of pointers
	case spirv.OpConvertUToPtr:
		return "Q ic"
	case spirv.OpBitFieldInsert:
		return "i i= i= I. I."
	case spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		return "i i= I. I."
	case spirv.OpSDot, spirv.OpUDot:
		return "I i. i1"
	case spirv.OpSUDot:
		return "I i. i2"
	case spirv.OpSDotAccSat, spirv.OpUDotAccSat:
		return "I i. i1 I="
	case spirv.OpSUDotAccSat:
		return "I i. i2 I="
	}
	return ""
}

// relationalSignature covers section 3.3.15.
func relationalSignature(op spirv.Op) signature {
	switch op {
	case spirv.OpAny, spirv.OpAll:
		return "B j." // the SPIR-V back end of clang gives them integers, of which the sign bit counts
	case spirv.OpIsNan, spirv.OpIsInf, spirv.OpIsFinite, spirv.OpIsNormal, spirv.OpSignBitSet:
		return "b fc"
	case spirv.OpLessOrGreater, spirv.OpOrdered, spirv.OpUnordered, spirv.OpFOrdEqual, spirv.OpFUnordEqual, spirv.OpFOrdNotEqual,
		spirv.OpFUnordNotEqual, spirv.OpFOrdLessThan, spirv.OpFUnordLessThan, spirv.OpFOrdGreaterThan, spirv.OpFUnordGreaterThan,
		spirv.OpFOrdLessThanEqual, spirv.OpFUnordLessThanEqual, spirv.OpFOrdGreaterThanEqual, spirv.OpFUnordGreaterThanEqual:
		return "b fc f1"
	case spirv.OpLogicalEqual, spirv.OpLogicalNotEqual, spirv.OpLogicalOr, spirv.OpLogicalAnd:
		return "b b= b="
	case spirv.OpLogicalNot:
		return "b b="
	case spirv.OpIEqual, spirv.OpINotEqual, spirv.OpUGreaterThan, spirv.OpSGreaterThan, spirv.OpUGreaterThanEqual,
		spirv.OpSGreaterThanEqual, spirv.OpULessThan, spirv.OpSLessThan, spirv.OpULessThanEqual, spirv.OpSLessThanEqual:
		return "b ic i1"
	case spirv.OpPtrEqual, spirv.OpPtrNotEqual:
		return "b Qc Qc"
	case spirv.OpPtrDiff:
		return "I p. p."
	}
	return ""
}

// groupSignature covers sections 3.3.21 and 3.3.24, with SPV_INTEL_subgroups.
func groupSignature(op spirv.Op) signature {
	switch op {
	case spirv.OpGroupAll, spirv.OpGroupAny, spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny, spirv.OpSubgroupAllKHR,
		spirv.OpSubgroupAnyKHR, spirv.OpSubgroupAllEqualKHR:
		return "B B."
	case spirv.OpGroupBroadcast:
		return "x x= i."
	case spirv.OpGroupIAdd, spirv.OpGroupUMin, spirv.OpGroupSMin, spirv.OpGroupUMax, spirv.OpGroupSMax, spirv.OpGroupIMulKHR,
		spirv.OpGroupBitwiseAndKHR, spirv.OpGroupBitwiseOrKHR, spirv.OpGroupBitwiseXorKHR:
		return "i i="
	case spirv.OpGroupFAdd, spirv.OpGroupFMin, spirv.OpGroupFMax, spirv.OpGroupFMulKHR:
		return "f f="
	case spirv.OpGroupLogicalAndKHR, spirv.OpGroupLogicalOrKHR, spirv.OpGroupLogicalXorKHR:
		return "b b="
	case spirv.OpGroupWaitEvents:
		return "- I. pE"
	case spirv.OpSubgroupBallotKHR, spirv.OpGroupNonUniformBallot:
		return "4 B."
	case spirv.OpSubgroupFirstInvocationKHR, spirv.OpGroupNonUniformBroadcastFirst:
		return "a a="
	case spirv.OpSubgroupReadInvocationKHR, spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformShuffle,
		spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown,
		spirv.OpSubgroupShuffleINTEL, spirv.OpSubgroupShuffleXorINTEL, spirv.OpGroupNonUniformQuadBroadcast, spirv.OpGroupNonUniformQuadSwap:
		return "a a= I."
	case spirv.OpSubgroupShuffleDownINTEL, spirv.OpSubgroupShuffleUpINTEL:
		return "a a= a= I."
	case spirv.OpGroupNonUniformElect:
		return "B"
	case spirv.OpGroupNonUniformAllEqual:
		return "B a."
	case spirv.OpGroupNonUniformInverseBallot:
		return "B 4."
	case spirv.OpGroupNonUniformBallotBitExtract:
		return "B 4. I."
	case spirv.OpGroupNonUniformBallotBitCount, spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		return "I 4."
	case spirv.OpGroupNonUniformIAdd, spirv.OpGroupNonUniformIMul, spirv.OpGroupNonUniformSMin, spirv.OpGroupNonUniformUMin,
		spirv.OpGroupNonUniformSMax, spirv.OpGroupNonUniformUMax, spirv.OpGroupNonUniformBitwiseAnd,
		spirv.OpGroupNonUniformBitwiseOr, spirv.OpGroupNonUniformBitwiseXor:
		return "i i= W.?"
	case spirv.OpGroupNonUniformFAdd, spirv.OpGroupNonUniformFMul, spirv.OpGroupNonUniformFMin, spirv.OpGroupNonUniformFMax:
		return "f f= W.?"
	case spirv.OpGroupNonUniformLogicalAnd, spirv.OpGroupNonUniformLogicalOr, spirv.OpGroupNonUniformLogicalXor:
		return "b b= W.?"
	case spirv.OpGroupNonUniformRotateKHR:
		return "a a= I. I.?"
	case spirv.OpGroupNonUniformQuadAllKHR, spirv.OpGroupNonUniformQuadAnyKHR:
		return "B B."
	case spirv.OpGroupNonUniformPartitionEXT:
		return "4 a."
	case spirv.OpGroupIAddNonUniformAMD, spirv.OpGroupUMinNonUniformAMD, spirv.OpGroupSMinNonUniformAMD, spirv.OpGroupUMaxNonUniformAMD,
		spirv.OpGroupSMaxNonUniformAMD:
		return "i i="
	case spirv.OpGroupFAddNonUniformAMD, spirv.OpGroupFMinNonUniformAMD, spirv.OpGroupFMaxNonUniformAMD:
		return "f f="
	case spirv.OpSubgroupBlockReadINTEL:
		return "n p."
	case spirv.OpSubgroupBlockWriteINTEL:
		return "- p. n."
	case spirv.OpSubgroupImageBlockReadINTEL:
		return "n g. i."
	case spirv.OpSubgroupImageBlockWriteINTEL:
		return "- g. i. n."
	case spirv.OpSubgroupImageMediaBlockReadINTEL:
		return "n g. i. I. I."
	case spirv.OpSubgroupImageMediaBlockWriteINTEL:
		return "- g. i. I. I. n."
	}
	return ""
}

// otherSignature covers sections 3.3.8, 3.3.10, 3.3.22 and 3.3.23: pointers, images, device-side
// enqueue, pipes.
func otherSignature(op spirv.Op) signature {
	switch op {
	case spirv.OpCopyObject, spirv.OpArithmeticFenceEXT, spirv.OpFPGARegALTERA:
		return "x x="
	case spirv.OpPtrCastToCrossWorkgroupALTERA, spirv.OpCrossWorkgroupCastToPtrALTERA:
		return "p p."
	case spirv.OpPredicatedLoadINTEL:
		return "x p. B. x= *"
	case spirv.OpPredicatedStoreINTEL:
		return "- p. x. B. *"
	case spirv.OpMaskedGatherINTEL:
		return "a Qc bc a="
	case spirv.OpMaskedScatterINTEL:
		return "- a. Q2 b2"
	case spirv.OpGenericPtrMemSemantics:
		return "u p."
	case spirv.OpLifetimeStart, spirv.OpLifetimeStop:
		return "- p."
	case spirv.OpAssumeTrueKHR:
		return "- B."
	case spirv.OpExpectKHR:
		return "a a= a="
	case spirv.OpSampledImage:
		return "G g. m."
	case spirv.OpImageSampleExplicitLod, spirv.OpImageSampleImplicitLod:
		return "n G. n. *"
	case spirv.OpImageFetch, spirv.OpImageRead:
		return "n g. i. *"
	case spirv.OpImageWrite:
		return "- g. i. n. *"
	case spirv.OpImage:
		return "g G."
	case spirv.OpImageQueryFormat, spirv.OpImageQueryOrder, spirv.OpImageQueryLevels, spirv.OpImageQuerySamples:
		return "I g."
	case spirv.OpImageQuerySizeLod:
		return "i g. I."
	case spirv.OpImageQuerySize:
		return "i g."
	case spirv.OpReadPipe, spirv.OpWritePipe:
		return "I P. p. u. u."
	case spirv.OpReadPipeBlockingALTERA, spirv.OpWritePipeBlockingALTERA:
		return "- P. p. u. u."
	case spirv.OpReservedReadPipe, spirv.OpReservedWritePipe:
		return "I P. r. u. p. u. u."
	case spirv.OpReserveReadPipePackets, spirv.OpReserveWritePipePackets, spirv.OpGroupReserveReadPipePackets, spirv.OpGroupReserveWritePipePackets:
		return "r P. u. u. u."
	case spirv.OpCommitReadPipe, spirv.OpCommitWritePipe, spirv.OpGroupCommitReadPipe, spirv.OpGroupCommitWritePipe:
		return "- P. r. u. u."
	case spirv.OpIsValidReserveId:
		return "B r."
	case spirv.OpGetNumPipePackets, spirv.OpGetMaxPipePackets:
		return "I P. u. u."
	case spirv.OpCreatePipeFromPipeStorage:
		return "P x."
	case spirv.OpEnqueueMarker:
		return "u q. u. p. p."
	case spirv.OpEnqueueKernel:
		return "u q. u. x. u. p. p. *"
	case spirv.OpRetainEvent, spirv.OpReleaseEvent:
		return "- d."
	case spirv.OpCreateUserEvent:
		return "d"
	case spirv.OpIsValidEvent:
		return "B d."
	case spirv.OpSetUserEventStatus:
		return "- d. u."
	case spirv.OpCaptureEventProfilingInfo:
		return "- d. u. p."
	case spirv.OpGetDefaultQueue:
		return "q"
	}
	return ""
}
