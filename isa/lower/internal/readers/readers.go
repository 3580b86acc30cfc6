package readers

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// readers has the reader of each opcode that function bodies may have, phis and terminators apart; nil for the others.
// [Support] tells from it which instructions run.
var readers []build.Reader

// Of returns the reader of an opcode, or nil.
func Of(op spirv.Op) build.Reader {
	if int(op) >= len(readers) {
		return nil
	}
	return readers[op]
}

// nothing is the reader of what only makes other code faster, or says what no one has to know.
func nothing(*build.Builder, spirv.Inst) {}

// unary returns the reader of an instruction on each component of its operand, which has the type of the result.
func unary(f func(b *build.Builder, ct *build.Type, x *ssa.Value) *ssa.Value) build.Reader {
	return func(b *build.Builder, in spirv.Inst) {
		b.Each(in, func(ct *build.Type, a []*ssa.Value) *ssa.Value { return f(b, ct, a[0]) })
	}
}

// logical returns the reader of an instruction on Booleans.
func logical(op isa.Op, not bool) build.Reader {
	return func(b *build.Builder, in spirv.Inst) {
		b.Each(in, func(_ *build.Type, a []*ssa.Value) *ssa.Value {
			x := b.Bin(op, isa.B1, a[0], a[1])
			if not {
				return b.Not(x)
			}
			return x
		})
	}
}

// ofOperand returns the reader of an instruction whose components depend on the type of the operand.
func ofOperand(f func(b *build.Builder, op spirv.Op, ct, ot *build.Type, x *ssa.Value) *ssa.Value) build.Reader {
	return func(b *build.Builder, in spirv.Inst) {
		ot := b.OperandType(in, 0)
		b.Each(in, func(ct *build.Type, a []*ssa.Value) *ssa.Value { return f(b, in.Op(), ct, ot, a[0]) })
	}
}

// read enters a reader for opcodes.
func read(r build.Reader, list ...spirv.Op) {
	for _, op := range list {
		if int(op) >= len(readers) {
			readers = append(readers, make([]build.Reader, int(op)+1-len(readers))...)
		}
		readers[op] = r
	}
}

func init() {
	for op := range build.IntBin {
		read((*build.Builder).Arith, op)
	}
	for op := range build.FloatBin {
		read((*build.Builder).Arith, op)
	}
	for op := range build.IntCmp {
		read((*build.Builder).Arith, op)
	}
	for op := range build.FloatCmp {
		read((*build.Builder).Arith, op)
	}
	for op := range groupArith {
		read(group, op)
	}
	for op := range build.AtomicOps {
		read((*build.Builder).Atomic, op)
	}
	readPlain()
	readArithmetic()
	readMemory()
	readExtensions()
	read(group, groupOps...)
}

// readPlain enters what moves values, and what has no effect.
func readPlain() {
	read(nothing, spirv.OpNop, spirv.OpLoopMerge, spirv.OpSelectionMerge, spirv.OpAssumeTrueKHR,
		spirv.OpUntypedPrefetchKHR)
	read(func(b *build.Builder, in spirv.Inst) {
		b.Line = isa.Loc{File: b.Module.File(spirv.ID(in.Operand(0))), Line: in.Operand(1), Column: in.Operand(2)}
	}, spirv.OpLine)
	read(func(b *build.Builder, _ spirv.Inst) { b.Line = isa.Loc{} }, spirv.OpNoLine)
	read(func(b *build.Builder, in spirv.Inst) { b.Lifetime(isa.CheckLive, spirv.ID(in.Operand(0))) }, spirv.OpLifetimeStart)
	read(func(b *build.Builder, in spirv.Inst) { b.Lifetime(isa.CheckDead, spirv.ID(in.Operand(0))) }, spirv.OpLifetimeStop)
	read((*build.Builder).Undef, spirv.OpUndef)
	read(abortMessage, spirv.OpAbortKHR)
	// The call changes the instruction at hand; its result belongs to in.
	read(func(b *build.Builder, in spirv.Inst) { b.Set(in, b.Call(in)...) }, spirv.OpFunctionCall)
	read(extInst, spirv.OpExtInst)
	read((*build.Builder).Composite, spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic, spirv.OpVectorShuffle,
		spirv.OpCompositeConstruct, spirv.OpCompositeExtract, spirv.OpCompositeInsert, spirv.OpCopyObject, spirv.OpCopyLogical,
		spirv.OpFreezeKHR, spirv.OpExpectKHR)
	read((*build.Builder).SelectInst, spirv.OpSelect)
	read(convert, spirv.OpConvertFToU, spirv.OpConvertFToS, spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpUConvert,
		spirv.OpSConvert, spirv.OpFConvert, spirv.OpSatConvertSToU, spirv.OpSatConvertUToS, spirv.OpConvertPtrToU,
		spirv.OpConvertUToPtr, spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr, spirv.OpBitcast,
		spirv.OpGenericCastToPtrExplicit, spirv.OpQuantizeToF16)
}

// readArithmetic enters arithmetic that the tables of IntBin and its kin do not have.
func readArithmetic() {
	read((*build.Builder).Negate, spirv.OpSNegate)
	read(unary(func(b *build.Builder, ct *build.Type, x *ssa.Value) *ssa.Value {
		return b.Norm(ct, b.Un(isa.OpNot, ct.Scalar(), x))
	}), spirv.OpNot)
	read(unary(func(b *build.Builder, ct *build.Type, x *ssa.Value) *ssa.Value {
		return b.FOp(isa.OpFNeg, ct.Scalar(), x)
	}), spirv.OpFNegate)
	read(unary(func(b *build.Builder, _ *build.Type, x *ssa.Value) *ssa.Value { return b.Not(x) }), spirv.OpLogicalNot)
	read(logical(isa.OpAnd, false), spirv.OpLogicalAnd)
	read(logical(isa.OpOr, false), spirv.OpLogicalOr)
	read(logical(isa.OpXor, false), spirv.OpLogicalNotEqual)
	read(logical(isa.OpXor, true), spirv.OpLogicalEqual)
	read((*build.Builder).Shift, spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic)
	read(ofOperand(func(b *build.Builder, _ spirv.Op, ct, ot *build.Type, x *ssa.Value) *ssa.Value {
		return b.Resize(b.Un(isa.OpPopCount, ot.Scalar(), x), ot.Scalar(), ct.Scalar())
	}), spirv.OpBitCount)
	read(unary(func(b *build.Builder, ct *build.Type, x *ssa.Value) *ssa.Value {
		s := ct.Scalar()
		return b.Bin(isa.OpShrU, s, b.Un(isa.OpBitReverse, s, x), b.Imm(s, uint64(s.Bits()-ct.Bits)))
	}), spirv.OpBitReverse)
	read((*build.Builder).BitField, spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract)
	read((*build.Builder).Extended, spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended)
	read((*build.Builder).VectorTimesScalar, spirv.OpVectorTimesScalar)
	read(func(b *build.Builder, in spirv.Inst) {
		x, t := b.Vals(spirv.ID(in.Operand(0)))
		y, _ := b.Vals(spirv.ID(in.Operand(1)))
		if f := t.Component().Small; f != nil {
			b.SetOne(in, dotSmall(b, f, x, y))
			return
		}
		b.SetOne(in, b.Dot(t.Component().Scalar(), x, y))
	}, spirv.OpDot)
	read(bfloatInteger, spirv.OpConvertFToBF16INTEL, spirv.OpConvertBF16ToFINTEL)
	read(matrixLength, spirv.OpCooperativeMatrixLengthKHR)
	read(mulAdd, spirv.OpCooperativeMatrixMulAddKHR)
	read(timesScalar, spirv.OpMatrixTimesScalar)
	read(dotInst, spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat)
	read((*build.Builder).SizeOf, spirv.OpSizeOf)
	read((*build.Builder).AnyAll, spirv.OpAny, spirv.OpAll)
	read(ofOperand(func(b *build.Builder, _ spirv.Op, _, ot *build.Type, x *ssa.Value) *ssa.Value {
		return b.FCmp(isa.OpFUno, ot.Scalar(), x, x)
	}), spirv.OpIsNan)
	read(ofOperand(func(b *build.Builder, op spirv.Op, _, ot *build.Type, x *ssa.Value) *ssa.Value {
		return b.Classify(op, ot.Scalar(), x)
	}), spirv.OpIsInf, spirv.OpIsFinite, spirv.OpIsNormal, spirv.OpSignBitSet)
}

// readMemory enters what has to do with memory, images and pipes.
func readMemory() {
	read((*build.Builder).Memory, spirv.OpVariable, spirv.OpUntypedVariableKHR, spirv.OpLoad, spirv.OpStore, spirv.OpCopyMemory,
		spirv.OpCopyMemorySized, spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain,
		spirv.OpInBoundsPtrAccessChain, spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR,
		spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR, spirv.OpPtrDiff, spirv.OpGenericPtrMemSemantics)
	read(matrixMemory, spirv.OpCooperativeMatrixLoadKHR, spirv.OpCooperativeMatrixStoreKHR)
	read(sampledImage, spirv.OpSampledImage)
	read(imageOfSampled, spirv.OpImage)
	read(image, spirv.OpImageRead, spirv.OpImageWrite, spirv.OpImageSampleExplicitLod, spirv.OpImageQuerySize,
		spirv.OpImageQuerySizeLod,
		spirv.OpImageQueryFormat, spirv.OpImageQueryOrder, spirv.OpImageQueryLevels, spirv.OpImageQuerySamples,
		spirv.OpSubgroupImageBlockReadINTEL, spirv.OpSubgroupImageBlockWriteINTEL,
		spirv.OpSubgroupImageMediaBlockReadINTEL, spirv.OpSubgroupImageMediaBlockWriteINTEL)
	read((*build.Builder).Barrier, spirv.OpControlBarrier, spirv.OpMemoryBarrier)
	read(readClock, spirv.OpReadClockKHR)
	read(asyncCopy, spirv.OpGroupAsyncCopy, spirv.OpUntypedGroupAsyncCopyKHR)
	read(waitEvents, spirv.OpGroupWaitEvents)
	read(pipe, spirv.OpReadPipe, spirv.OpWritePipe, spirv.OpReservedReadPipe, spirv.OpReservedWritePipe,
		spirv.OpReserveReadPipePackets, spirv.OpReserveWritePipePackets, spirv.OpCommitReadPipe, spirv.OpCommitWritePipe,
		spirv.OpIsValidReserveId, spirv.OpGetNumPipePackets, spirv.OpGetMaxPipePackets, spirv.OpGroupReserveReadPipePackets,
		spirv.OpGroupReserveWritePipePackets, spirv.OpGroupCommitReadPipe, spirv.OpGroupCommitWritePipe,
		spirv.OpCreatePipeFromPipeStorage, spirv.OpReadPipeBlockingALTERA, spirv.OpWritePipeBlockingALTERA)
	read(func(b *build.Builder, in spirv.Inst) {
		n, t := b.One(spirv.ID(in.Operand(0)))
		b.SetOne(in, namedBarrier(b, b.Resize(n, t.Scalar(), isa.I32)))
	}, spirv.OpNamedBarrierInitialize)
	read(func(b *build.Builder, in spirv.Inst) {
		p, _ := b.One(spirv.ID(in.Operand(0)))
		namedWait(b, p)
	}, spirv.OpMemoryNamedBarrier)
	read((*build.Builder).Atomic, spirv.OpAtomicLoad, spirv.OpAtomicStore, spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak,
		spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement, spirv.OpAtomicFlagTestAndSet, spirv.OpAtomicFlagClear)
}
