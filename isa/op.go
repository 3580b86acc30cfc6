package isa

import "fmt"

// Op is an opcode.
type Op uint16

// The opcodes. Unless a comment says otherwise an operation has the signature
// dst.T = op(a.T, b.T, …) with T the instruction's Type.
const (
	OpInvalid Op = iota

	// Moves.
	OpMov       // dst = a; a scalar a is broadcast to a vector dst
	OpReadFirst // scalar dst = a of the first active lane; a is a vector
	OpSelect    // dst = a.b1 ? b : c

	// Integers. Shifts take the amount (b, of type T) modulo the width.
	// The quotient and the remainder of a division by zero have all bits set;
	// the quotient of the most negative value by -1 is that value again, its
	// remainder 0.
	OpAdd
	OpSub
	OpMul
	OpMad // a*b + c
	OpMulHiS
	OpMulHiU
	OpDivS
	OpDivU
	OpRemS // sign of the dividend
	OpRemU
	OpModS // sign of the divisor
	OpAnd  // also B1
	OpOr   // also B1
	OpXor  // also B1
	OpNot  // also B1
	OpNeg
	OpAbs // absolute value as an unsigned number
	OpShl
	OpShrU
	OpShrS
	OpRotl
	OpMinS
	OpMaxS
	OpMinU
	OpMaxU
	OpAddSatS
	OpAddSatU
	OpSubSatS
	OpSubSatU
	OpHAddS // (a+b)>>1 without overflow
	OpHAddU
	OpRHAddS // (a+b+1)>>1 without overflow
	OpRHAddU
	OpAbsDiffS // |a-b| as an unsigned number
	OpAbsDiffU
	OpClz      // width for 0
	OpCtz      // width for 0
	OpPopCount //
	OpBitReverse
	OpBitInsert   // dst = a with bits [c, c+d) replaced by the low bits of b; c, d of type T
	OpBitExtractS // dst = bits [b, b+c) of a, sign-extended; b, c of type T
	OpBitExtractU // dst = bits [b, b+c) of a, zero-extended

	// Floats (F32, F64), IEEE 754, round to nearest even, denormals kept. A NaN
	// result is the quiet NaN 0x7fc00000 / 0x7ff8000000000000, so that bits do
	// not depend on the machine below; FNeg, FAbs and CopySign only touch the
	// sign bit, and moves keep every bit.
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpFRem    // C fmod: sign of the dividend
	OpFMod    // floor modulus: sign of the divisor
	OpFMulAdd // a*b rounded, then + c rounded: two roundings
	OpFma     // a*b + c with one rounding
	OpFNeg
	OpFAbs
	OpFMin // OpenCL fmin: a NaN operand loses
	OpFMax
	OpCopySign
	OpSqrt
	OpFloor
	OpCeil
	OpTrunc
	OpRint  // round half to even
	OpRound // round half away from zero
	// Functions of OpenCL.std: Imm&0xff is the clmath.Func. Imm&MathStored asks
	// for what a function of two results stores (the cosine of sincos, the
	// exponent of frexp), Imm&MathHalf for half precision. Integers among operands and results (the second
	// operand of ldexp, pown and rootn; the results of ilogb and the stored
	// ones of frexp, lgamma_r and remquo; the operand of nan) are signed
	// integers of the type's width.
	OpMath1
	OpMath2
	OpMath3

	// Comparisons: dst.b1 = a.T ? b.T. O is ordered, U unordered or.
	OpEq // also B1
	OpNe // also B1
	OpLtS
	OpLeS
	OpLtU
	OpLeU
	OpFOEq
	OpFONe
	OpFOLt
	OpFOLe
	OpFUEq
	OpFUNe
	OpFULt
	OpFULe
	OpFOrd
	OpFUno

	// Conversions: dst.T = conv(a.T2). Rounding and saturation are in Flags.
	OpTruncate // to a narrower integer
	OpSExt
	OpZExt
	OpSToF
	OpUToF
	OpFToS // out of range without FlagSat: the low bits of the saturated value; NaN gives 0
	OpFToU
	OpFToF

	// Pointers. The address of every memory operation is a + b*Scale + Disp:
	// a is a pointer (I64), b an index (IdxType, may be absent). The sum and the
	// product are those of numbers without end. Where their offset is none that a
	// pointer can have, or that of a is memory.FarOffset, that is the address's too,
	// and outside of all memory: nothing leads back.
	OpPtrAdd      // dst.i64 = that address, kept inside its allocation's number
	OpPtrDiff     // dst.i64 = a - b in bytes (memory.Pointer.Minus)
	OpPtrPack32   // dst.i32 = the 32-bit form that a Physical32 module keeps in memory
	OpPtrUnpack32 // dst.i64 = the pointer that a.i32 stands for
	OpPtrAddress  // dst.i64 = what a is in memory: the host's address where it leads to memory that the host shares, else a
	OpPtrAt       // dst.i64 = the pointer whose OpPtrAddress is a

	// Memory.
	OpLoad    // dst.T = memory
	OpStore   // memory = c.T
	OpAtomic  // dst.T = old value (dst may be absent); c.T value, d.T comparand; Imm2 = AtomicOp
	OpMemCopy // copies c.i64 bytes to pointer a from pointer b, in each lane; Imm2, Imm = AlignCode of each
	OpFence   // memory barrier; Imm2 = scope and semantics

	// The work-item's place.
	OpBuiltin // dst.T = Builtin Imm, I32 or I64

	// Across the lanes of a sub-group, which are named by their sub-group local
	// id. Those that run the instruction at the same time take part. A lane that
	// does not take part, or does not exist, has the value 0.
	OpShuffle        // dst.T = a.T of lane b.i32
	OpShuffle2       // dst.T = a.T of lane c.i32, b.T of lane c-S for c from S to 2S, where S is the maximum sub-group size
	OpBallot         // dst.i32 = bits 32*Imm to 32*Imm+31 of the set of lanes with a.b1
	OpVote           // dst.b1 = Vote Imm of a.T
	OpElect          // dst.b1 = this is the lowest lane
	OpBroadcastFirst // dst.T = a.T of the lowest lane
	OpScan           // dst.T = a.T combined as ScanOf says, in clusters of Scale lanes (0: all), or, where b is there, of lanes of equal b.i32
	OpMatch          // dst.i32 = bits 32*Imm to 32*Imm+31 of the set of lanes whose a.T has the same bits as this one's
	// A block is up to 16 components of consecutive elements for each lane:
	// component Imm of lane l is element Imm*S + l behind the address of the lowest lane.
	OpBlockLoad  // dst.T
	OpBlockStore // c.T

	// Asynchronous copies (package dma).
	OpGroupCopy  // dst.i64 = event of GroupCopies[Imm], which the work-group makes
	OpGroupWait  // the work-group waits for event a.i64; 0 is no event
	OpLaneCopy   // LaneCopies[Imm], by each lane
	OpAsyncScope // a function body begins: the lanes' sequence Imm of async marks becomes empty
	OpAsyncMark  // appends an async mark to the lanes' sequence Imm
	OpAsyncWait  // waits until at most Scale marks of the lanes' sequence Imm are outstanding

	// Images. Each has an entry in Kernel.ImageAccesses, Imm; a read, query or
	// block read gives one component, Imm2.
	OpImageQuery // dst.i32
	OpImageRead  // dst.T (may be absent); T is F32 or I32
	OpImageWrite
	OpImageBlockRead // dst.T; across the lanes of a sub-group
	OpImageBlockWrite

	// Pipes.
	OpPipe // PipeAccesses[Imm]; dst has the type of PipeOp.Result (may be absent)

	// OpClock reads the logical clock: dst.i64 = the ticks of the launch so far. What it returns depends on when it
	// runs, so that it stays where it is.
	OpClock

	// Output.
	OpPrintf // Printfs[Imm]; dst.i32 = 0 for success (may be absent)

	// OpCheck asks something of its operands, a finding where it does not hold: Checks[Imm]. Kernels that are
	// lowered for launches with checks have it, and only isa/interp does it.
	OpCheck

	// Terminators. Targets are block numbers.
	OpBr      // Target0
	OpBrCond  // a.b1 ? Target0 : Target1; a scalar or vector
	OpSwitch  // a.T in Switches[Imm]
	OpBarrier // wait for the work-group (or the sub-group: Scope), then Target0
	OpRet     // the lane ends
	OpTrap    // reaching this is a finding; Imm = TrapKind

	NumOps
)

// MathStored in Inst.Imm selects the second result of a mathematical function.
const MathStored = 1 << 8

// MathHalf in Inst.Imm says that a mathematical function on F32 is one of
// halves: its operands have values of F16, and its result is such that
// rounding it to F16 gives the correctly rounded half (clmath.UnaryHalf32 and
// its kin).
const MathHalf = 1 << 9

// AtomicOp is what an atomic instruction does to its memory.
type AtomicOp uint8

// The atomic operations. The result is always the value before the operation.
const (
	AtomicLoad    AtomicOp = iota
	AtomicStore            // no result
	AtomicXchg             //
	AtomicCmpXchg          // memory = memory == d ? c : memory
	AtomicAdd
	AtomicSub
	AtomicMinS
	AtomicMaxS
	AtomicMinU
	AtomicMaxU
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicFAdd
	AtomicFMin
	AtomicFMax
	NumAtomicOps
)

var atomicNames = [NumAtomicOps]string{"load", "store", "xchg", "cmpxchg", "add", "sub", "min.s", "max.s",
	"min.u", "max.u", "and", "or", "xor", "fadd", "fmin", "fmax"}

// String returns the operation's name in the text form.
func (a AtomicOp) String() string {
	if a < NumAtomicOps {
		return atomicNames[a]
	}
	return fmt.Sprintf("atomic(%d)", uint8(a))
}

// MaxGroupItems is the number of work-items of a work-group at most. Kernels rely
// on it: local ids and sizes stay below or at it.
const MaxGroupItems = 1 << 24

// Builtin is a value that a lane or its group gets from its place in the launch.
type Builtin uint8

// The built-ins. Those with three dimensions are followed by the ones for
// dimensions 1 and 2: BuiltinLocalID+1 is the local id in y.
const (
	BuiltinLocalID              Builtin = 0  // differs by lane
	BuiltinGlobalID             Builtin = 3  // differs by lane; offset included
	BuiltinGroupID              Builtin = 6  //
	BuiltinNumGroups            Builtin = 9  //
	BuiltinLocalSize            Builtin = 12 // of this group: a last one may be smaller
	BuiltinEnqueuedSize         Builtin = 15 // the local size of the launch
	BuiltinGlobalSize           Builtin = 18 //
	BuiltinGlobalOffset         Builtin = 21 //
	BuiltinWorkDim              Builtin = 24 // from here on one value each
	BuiltinGlobalLinearID       Builtin = 25 // differs by lane; without the offset
	BuiltinLocalLinearID        Builtin = 26 // differs by lane
	BuiltinSubgroupSize         Builtin = 27 // of this sub-group; differs by lane (a wave may end in a partial one)
	BuiltinSubgroupMaxSize      Builtin = 28 //
	BuiltinNumSubgroups         Builtin = 29 //
	BuiltinNumEnqueuedSubgroups Builtin = 30 //
	BuiltinSubgroupID           Builtin = 31 // differs by lane (a wave may hold several)
	BuiltinSubgroupLocalID      Builtin = 32 // differs by lane
	NumBuiltins                 Builtin = 33
)

var builtinNames = [NumBuiltins]string{
	"local_id.x", "local_id.y", "local_id.z", "global_id.x", "global_id.y", "global_id.z",
	"group_id.x", "group_id.y", "group_id.z", "num_groups.x", "num_groups.y", "num_groups.z",
	"local_size.x", "local_size.y", "local_size.z", "enqueued_size.x", "enqueued_size.y", "enqueued_size.z",
	"global_size.x", "global_size.y", "global_size.z", "global_offset.x", "global_offset.y", "global_offset.z",
	"work_dim", "global_linear_id", "local_linear_id", "subgroup_size", "subgroup_max_size", "num_subgroups",
	"num_enqueued_subgroups", "subgroup_id", "subgroup_local_id",
}

// String returns the built-in's name in the text form.
func (b Builtin) String() string {
	if b < NumBuiltins {
		return builtinNames[b]
	}
	return fmt.Sprintf("builtin(%d)", uint8(b))
}

// PerLane says whether the built-in may differ between the lanes of a wave.
func (b Builtin) PerLane() bool {
	switch {
	case b < BuiltinGroupID:
		return true
	case b == BuiltinGlobalLinearID, b == BuiltinLocalLinearID, b == BuiltinSubgroupID,
		b == BuiltinSubgroupLocalID, b == BuiltinSubgroupSize:
		return true
	}
	return false
}
