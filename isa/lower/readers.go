package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// readers has the reader of each opcode that function bodies may have, phis and terminators apart; nil for the others.
// [Support] tells from it which instructions run.
var readers []reader

// readerOf returns the reader of an opcode, or nil.
func readerOf(op spirv.Op) reader {
	if int(op) >= len(readers) {
		return nil
	}
	return readers[op]
}

// nothing is the reader of what only makes other code faster, or says what no one has to know.
func nothing(*builder, spirv.Inst) {}

// unary returns the reader of an instruction on each component of its operand, which has the type of the result.
func unary(f func(b *builder, ct *typ, x *ssa.Value) *ssa.Value) reader {
	return func(b *builder, in spirv.Inst) {
		b.each(in, func(ct *typ, a []*ssa.Value) *ssa.Value { return f(b, ct, a[0]) })
	}
}

// logical returns the reader of an instruction on Booleans.
func logical(op isa.Op, not bool) reader {
	return func(b *builder, in spirv.Inst) {
		b.each(in, func(_ *typ, a []*ssa.Value) *ssa.Value {
			x := b.bin(op, isa.B1, a[0], a[1])
			if not {
				return b.not(x)
			}
			return x
		})
	}
}

// ofOperand returns the reader of an instruction whose components depend on the type of the operand.
func ofOperand(f func(b *builder, op spirv.Op, ct, ot *typ, x *ssa.Value) *ssa.Value) reader {
	return func(b *builder, in spirv.Inst) {
		ot := b.operandType(in, 0)
		b.each(in, func(ct *typ, a []*ssa.Value) *ssa.Value { return f(b, in.Op(), ct, ot, a[0]) })
	}
}

// read enters a reader for opcodes.
func read(r reader, list ...spirv.Op) {
	for _, op := range list {
		if int(op) >= len(readers) {
			readers = append(readers, make([]reader, int(op)+1-len(readers))...)
		}
		readers[op] = r
	}
}

func init() {
	for op := range intBin {
		read((*builder).arith, op)
	}
	for op := range floatBin {
		read((*builder).arith, op)
	}
	for op := range intCmp {
		read((*builder).arith, op)
	}
	for op := range floatCmp {
		read((*builder).arith, op)
	}
	for op := range groupArith {
		read((*builder).group, op)
	}
	for op := range atomicOps {
		read((*builder).atomic, op)
	}
	readPlain()
	readArithmetic()
	readMemory()
	readExtensions()
	read((*builder).group, groupOps...)
}

// readPlain enters what moves values, and what has no effect.
func readPlain() {
	read(nothing, spirv.OpNop, spirv.OpLoopMerge, spirv.OpSelectionMerge, spirv.OpAssumeTrueKHR,
		spirv.OpUntypedPrefetchKHR)
	read(func(b *builder, in spirv.Inst) {
		b.line = isa.Loc{File: b.m.file(spirv.ID(in.Operand(0))), Line: in.Operand(1), Column: in.Operand(2)}
	}, spirv.OpLine)
	read(func(b *builder, _ spirv.Inst) { b.line = isa.Loc{} }, spirv.OpNoLine)
	read(func(b *builder, in spirv.Inst) { b.lifetime(isa.CheckLive, spirv.ID(in.Operand(0))) }, spirv.OpLifetimeStart)
	read(func(b *builder, in spirv.Inst) { b.lifetime(isa.CheckDead, spirv.ID(in.Operand(0))) }, spirv.OpLifetimeStop)
	read((*builder).undef, spirv.OpUndef)
	read((*builder).abortMessage, spirv.OpAbortKHR)
	// The call changes the instruction at hand; its result belongs to in.
	read(func(b *builder, in spirv.Inst) { b.set(in, b.call(in)...) }, spirv.OpFunctionCall)
	read((*builder).extInst, spirv.OpExtInst)
	read((*builder).composite, spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic, spirv.OpVectorShuffle,
		spirv.OpCompositeConstruct, spirv.OpCompositeExtract, spirv.OpCompositeInsert, spirv.OpCopyObject, spirv.OpCopyLogical,
		spirv.OpFreezeKHR, spirv.OpExpectKHR)
	read((*builder).selectInst, spirv.OpSelect)
	read((*builder).convert, spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpUConvert,
		spirv.OpSConvert, spirv.OpFConvert, spirv.OpSatConvertSToU, spirv.OpSatConvertUToS, spirv.OpConvertPtrToU,
		spirv.OpConvertUToPtr, spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr, spirv.OpBitcast,
		spirv.OpGenericCastToPtrExplicit, spirv.OpQuantizeToF16)
}

// readArithmetic enters arithmetic that the tables of intBin and its kin do not have.
func readArithmetic() {
	read((*builder).negate, spirv.OpSNegate)
	read(unary(func(b *builder, ct *typ, x *ssa.Value) *ssa.Value { return b.norm(ct, b.un(isa.OpNot, ct.scalar(), x)) }), spirv.OpNot)
	read(unary(func(b *builder, ct *typ, x *ssa.Value) *ssa.Value { return b.fop(isa.OpFNeg, ct.scalar(), x) }), spirv.OpFNegate)
	read(unary(func(b *builder, _ *typ, x *ssa.Value) *ssa.Value { return b.not(x) }), spirv.OpLogicalNot)
	read(logical(isa.OpAnd, false), spirv.OpLogicalAnd)
	read(logical(isa.OpOr, false), spirv.OpLogicalOr)
	read(logical(isa.OpXor, false), spirv.OpLogicalNotEqual)
	read(logical(isa.OpXor, true), spirv.OpLogicalEqual)
	read((*builder).shift, spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic)
	read(ofOperand(func(b *builder, _ spirv.Op, ct, ot *typ, x *ssa.Value) *ssa.Value {
		return b.resize(b.un(isa.OpPopCount, ot.scalar(), x), ot.scalar(), ct.scalar())
	}), spirv.OpBitCount)
	read(unary(func(b *builder, ct *typ, x *ssa.Value) *ssa.Value {
		s := ct.scalar()
		return b.bin(isa.OpShrU, s, b.un(isa.OpBitReverse, s, x), b.imm(s, uint64(s.Bits()-ct.bits)))
	}), spirv.OpBitReverse)
	read((*builder).bitField, spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract)
	read((*builder).extended, spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended)
	read((*builder).vectorTimesScalar, spirv.OpVectorTimesScalar)
	read(func(b *builder, in spirv.Inst) {
		x, t := b.vals(spirv.ID(in.Operand(0)))
		y, _ := b.vals(spirv.ID(in.Operand(1)))
		if f := t.component().small; f != nil {
			b.set1(in, b.dotSmall(f, x, y))
			return
		}
		b.set1(in, b.dot(t.component().scalar(), x, y))
	}, spirv.OpDot)
	read((*builder).bfloatInteger, spirv.OpConvertFToBF16INTEL, spirv.OpConvertBF16ToFINTEL)
	read((*builder).matrixLength, spirv.OpCooperativeMatrixLengthKHR)
	read((*builder).mulAdd, spirv.OpCooperativeMatrixMulAddKHR)
	read((*builder).timesScalar, spirv.OpMatrixTimesScalar)
	read((*builder).dotInst, spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat)
	read((*builder).sizeOf, spirv.OpSizeOf)
	read((*builder).anyAll, spirv.OpAny, spirv.OpAll)
	read(ofOperand(func(b *builder, _ spirv.Op, _, ot *typ, x *ssa.Value) *ssa.Value {
		return b.fcmp(isa.OpFUno, ot.scalar(), x, x)
	}), spirv.OpIsNan)
	read(ofOperand(func(b *builder, op spirv.Op, _, ot *typ, x *ssa.Value) *ssa.Value {
		return b.classify(op, ot.scalar(), x)
	}), spirv.OpIsInf, spirv.OpIsFinite, spirv.OpIsNormal, spirv.OpSignBitSet)
}

// readMemory enters what has to do with memory, images and pipes.
func readMemory() {
	read((*builder).memory, spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpLoad, spirv.OpStore, spirv.OpCopyMemory,
		spirv.OpCopyMemorySized, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain,
		spirv.OpInBoundsPtrAccessChain, spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR,
		spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR, spirv.OpPtrDiff, spirv.OpGenericPtrMemSemantics)
	read((*builder).matrixMemory, spirv.OpCooperativeMatrixLoadKHR, spirv.OpCooperativeMatrixStoreKHR)
	read((*builder).sampledImage, spirv.OpSampledImage)
	read((*builder).imageOfSampled, spirv.OpImage)
	read((*builder).image, spirv.OpImageRead, spirv.OpImageWrite, spirv.OpImageSampleExplicitLod, spirv.OpImageQuerySize,
		spirv.OpImageQuerySizeLod,
		spirv.OpImageQueryFormat, spirv.OpImageQueryOrder, spirv.OpImageQueryLevels, spirv.OpImageQuerySamples,
		spirv.OpSubgroupImageBlockReadINTEL, spirv.OpSubgroupImageBlockWriteINTEL,
		spirv.OpSubgroupImageMediaBlockReadINTEL, spirv.OpSubgroupImageMediaBlockWriteINTEL)
	read((*builder).barrier, spirv.OpControlBarrier, spirv.OpMemoryBarrier)
	read((*builder).readClock, spirv.OpReadClockKHR)
	read((*builder).asyncCopy, spirv.OpGroupAsyncCopy, spirv.OpUntypedGroupAsyncCopyKHR)
	read((*builder).waitEvents, spirv.OpGroupWaitEvents)
	read((*builder).pipe, spirv.OpReadPipe, spirv.OpWritePipe, spirv.OpReservedReadPipe, spirv.OpReservedWritePipe,
		spirv.OpReserveReadPipePackets, spirv.OpReserveWritePipePackets, spirv.OpCommitReadPipe, spirv.OpCommitWritePipe,
		spirv.OpIsValidReserveId, spirv.OpGetNumPipePackets, spirv.OpGetMaxPipePackets, spirv.OpGroupReserveReadPipePackets,
		spirv.OpGroupReserveWritePipePackets, spirv.OpGroupCommitReadPipe, spirv.OpGroupCommitWritePipe,
		spirv.OpCreatePipeFromPipeStorage, spirv.OpReadPipeBlockingALTERA, spirv.OpWritePipeBlockingALTERA)
	read(func(b *builder, in spirv.Inst) {
		n, t := b.one(spirv.ID(in.Operand(0)))
		b.set1(in, b.namedBarrier(b.resize(n, t.scalar(), isa.I32)))
	}, spirv.OpNamedBarrierInitialize)
	read(func(b *builder, in spirv.Inst) {
		p, _ := b.one(spirv.ID(in.Operand(0)))
		b.namedWait(p)
	}, spirv.OpMemoryNamedBarrier)
	read((*builder).atomic, spirv.OpAtomicLoad, spirv.OpAtomicStore, spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak,
		spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement, spirv.OpAtomicFlagTestAndSet, spirv.OpAtomicFlagClear)
}
