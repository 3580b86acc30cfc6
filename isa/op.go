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

// Shape says which operands an opcode has and what types they take.
type Shape uint8

// The shapes. T is Inst.Type, T2 is Inst.Type2.
const (
	ShapeNone    Shape = iota
	ShapeUnary         // dst.T, a.T
	ShapeBinary        // dst.T, a.T, b.T
	ShapeTernary       // dst.T, a.T, b.T, c.T
	ShapeQuad          // dst.T, a.T, b.T, c.T, d.T
	ShapeSelect        // dst.T, a.B1, b.T, c.T
	ShapeCompare       // dst.B1, a.T, b.T
	ShapeConvert       // dst.T, a.T2
	ShapePtrAdd        // dst.I64, address
	ShapePtrDiff       // dst.I64, a.I64, b.I64
	ShapeLoad          // dst.T, address
	ShapeStore         // address, c.T
	ShapeAtomic        // [dst.T], address, [c.T], [d.T]
	ShapeMemCopy       // a.I64, b.I64, c.I64
	ShapeFence
	ShapeBuiltin  // dst.T
	ShapeShuffle  // dst.T, a.T, b.I32
	ShapeShuffle2 // dst.T, a.T, b.T, c.I32
	ShapeBallot   // dst.I32, a.T
	ShapeVote     // dst.B1, a.T
	ShapeElect    // dst.B1
	ShapeScan     // dst.T, a.T, [b.I32]
	ShapeBlockLoad
	ShapeBlockStore
	ShapeGroupCopy // dst.I64
	ShapeGroupWait // a.I64
	ShapeLaneCopy
	ShapeAsync // a sequence of async marks
	ShapeImage // [dst.T], and the registers of Kernel.ImageAccesses[Imm]
	ShapePipe  // [dst], and the registers of Kernel.PipeAccesses[Imm]
	ShapePrintf
	ShapeCheck // a.T, [b.T]
	ShapeBr
	ShapeBrCond
	ShapeSwitch
	ShapeBarrier
	ShapeRet
	ShapeTrap
)

// TypeSet is a set of types that an opcode works on.
type TypeSet uint16

// Sets of types.
const (
	SetBool   TypeSet = 1 << B1
	SetInt    TypeSet = 1<<I8 | 1<<I16 | 1<<I32 | 1<<I64
	SetFloat  TypeSet = 1<<F32 | 1<<F64
	SetFloats TypeSet = 1<<F16 | 1<<F32 | 1<<F64
	SetPtr    TypeSet = 1 << I64
	SetAll            = SetBool | SetInt | SetFloats
	SetMem            = SetInt | SetFloats
)

// Has says whether t is in the set.
func (s TypeSet) Has(t Type) bool { return s>>t&1 != 0 }

// OpInfo describes an opcode.
type OpInfo struct {
	Name  string  // mnemonic in the text form, without the type
	Shape Shape   // operands
	Types TypeSet // what Inst.Type may be; 0 where the type is not used
	Src   TypeSet // what Inst.Type2 may be, for conversions
}

var opInfos = [NumOps]OpInfo{
	OpMov:       {"mov", ShapeUnary, SetAll, 0},
	OpReadFirst: {"readfirst", ShapeUnary, SetAll, 0},
	OpSelect:    {"select", ShapeSelect, SetAll, 0},

	OpAdd:         {"add", ShapeBinary, SetInt, 0},
	OpSub:         {"sub", ShapeBinary, SetInt, 0},
	OpMul:         {"mul", ShapeBinary, SetInt, 0},
	OpMad:         {"mad", ShapeTernary, SetInt, 0},
	OpMulHiS:      {"mulhi.s", ShapeBinary, SetInt, 0},
	OpMulHiU:      {"mulhi.u", ShapeBinary, SetInt, 0},
	OpDivS:        {"div.s", ShapeBinary, SetInt, 0},
	OpDivU:        {"div.u", ShapeBinary, SetInt, 0},
	OpRemS:        {"rem.s", ShapeBinary, SetInt, 0},
	OpRemU:        {"rem.u", ShapeBinary, SetInt, 0},
	OpModS:        {"mod.s", ShapeBinary, SetInt, 0},
	OpAnd:         {"and", ShapeBinary, SetInt | SetBool, 0},
	OpOr:          {"or", ShapeBinary, SetInt | SetBool, 0},
	OpXor:         {"xor", ShapeBinary, SetInt | SetBool, 0},
	OpNot:         {"not", ShapeUnary, SetInt | SetBool, 0},
	OpNeg:         {"neg", ShapeUnary, SetInt, 0},
	OpAbs:         {"abs", ShapeUnary, SetInt, 0},
	OpShl:         {"shl", ShapeBinary, SetInt, 0},
	OpShrU:        {"shr.u", ShapeBinary, SetInt, 0},
	OpShrS:        {"shr.s", ShapeBinary, SetInt, 0},
	OpRotl:        {"rotl", ShapeBinary, SetInt, 0},
	OpMinS:        {"min.s", ShapeBinary, SetInt, 0},
	OpMaxS:        {"max.s", ShapeBinary, SetInt, 0},
	OpMinU:        {"min.u", ShapeBinary, SetInt, 0},
	OpMaxU:        {"max.u", ShapeBinary, SetInt, 0},
	OpAddSatS:     {"addsat.s", ShapeBinary, SetInt, 0},
	OpAddSatU:     {"addsat.u", ShapeBinary, SetInt, 0},
	OpSubSatS:     {"subsat.s", ShapeBinary, SetInt, 0},
	OpSubSatU:     {"subsat.u", ShapeBinary, SetInt, 0},
	OpHAddS:       {"hadd.s", ShapeBinary, SetInt, 0},
	OpHAddU:       {"hadd.u", ShapeBinary, SetInt, 0},
	OpRHAddS:      {"rhadd.s", ShapeBinary, SetInt, 0},
	OpRHAddU:      {"rhadd.u", ShapeBinary, SetInt, 0},
	OpAbsDiffS:    {"absdiff.s", ShapeBinary, SetInt, 0},
	OpAbsDiffU:    {"absdiff.u", ShapeBinary, SetInt, 0},
	OpClz:         {"clz", ShapeUnary, SetInt, 0},
	OpCtz:         {"ctz", ShapeUnary, SetInt, 0},
	OpPopCount:    {"popcount", ShapeUnary, SetInt, 0},
	OpBitReverse:  {"bitreverse", ShapeUnary, SetInt, 0},
	OpBitInsert:   {"bitinsert", ShapeQuad, SetInt, 0},
	OpBitExtractS: {"bitextract.s", ShapeTernary, SetInt, 0},
	OpBitExtractU: {"bitextract.u", ShapeTernary, SetInt, 0},

	OpFAdd:     {"fadd", ShapeBinary, SetFloat, 0},
	OpFSub:     {"fsub", ShapeBinary, SetFloat, 0},
	OpFMul:     {"fmul", ShapeBinary, SetFloat, 0},
	OpFDiv:     {"fdiv", ShapeBinary, SetFloat, 0},
	OpFRem:     {"frem", ShapeBinary, SetFloat, 0},
	OpFMod:     {"fmod", ShapeBinary, SetFloat, 0},
	OpFMulAdd:  {"fmuladd", ShapeTernary, SetFloat, 0},
	OpFma:      {"fma", ShapeTernary, SetFloat, 0},
	OpFNeg:     {"fneg", ShapeUnary, SetFloats, 0},
	OpFAbs:     {"fabs", ShapeUnary, SetFloats, 0},
	OpFMin:     {"fmin", ShapeBinary, SetFloat, 0},
	OpFMax:     {"fmax", ShapeBinary, SetFloat, 0},
	OpCopySign: {"copysign", ShapeBinary, SetFloats, 0},
	OpSqrt:     {"sqrt", ShapeUnary, SetFloat, 0},
	OpFloor:    {"floor", ShapeUnary, SetFloat, 0},
	OpCeil:     {"ceil", ShapeUnary, SetFloat, 0},
	OpTrunc:    {"trunc", ShapeUnary, SetFloat, 0},
	OpRint:     {"rint", ShapeUnary, SetFloat, 0},
	OpRound:    {"round", ShapeUnary, SetFloat, 0},
	OpMath1:    {"math1", ShapeUnary, SetFloat, 0},
	OpMath2:    {"math2", ShapeBinary, SetFloat, 0},
	OpMath3:    {"math3", ShapeTernary, SetFloat, 0},

	OpEq:   {"eq", ShapeCompare, SetInt | SetBool, 0},
	OpNe:   {"ne", ShapeCompare, SetInt | SetBool, 0},
	OpLtS:  {"lt.s", ShapeCompare, SetInt, 0},
	OpLeS:  {"le.s", ShapeCompare, SetInt, 0},
	OpLtU:  {"lt.u", ShapeCompare, SetInt, 0},
	OpLeU:  {"le.u", ShapeCompare, SetInt, 0},
	OpFOEq: {"foeq", ShapeCompare, SetFloat, 0},
	OpFONe: {"fone", ShapeCompare, SetFloat, 0},
	OpFOLt: {"folt", ShapeCompare, SetFloat, 0},
	OpFOLe: {"fole", ShapeCompare, SetFloat, 0},
	OpFUEq: {"fueq", ShapeCompare, SetFloat, 0},
	OpFUNe: {"fune", ShapeCompare, SetFloat, 0},
	OpFULt: {"fult", ShapeCompare, SetFloat, 0},
	OpFULe: {"fule", ShapeCompare, SetFloat, 0},
	OpFOrd: {"ford", ShapeCompare, SetFloat, 0},
	OpFUno: {"funo", ShapeCompare, SetFloat, 0},

	OpTruncate: {"truncate", ShapeConvert, SetInt, SetInt},
	OpSExt:     {"sext", ShapeConvert, SetInt, SetInt},
	OpZExt:     {"zext", ShapeConvert, SetInt, SetInt},
	OpSToF:     {"stof", ShapeConvert, SetFloats, SetInt},
	OpUToF:     {"utof", ShapeConvert, SetFloats, SetInt},
	OpFToS:     {"ftos", ShapeConvert, SetInt, SetFloats},
	OpFToU:     {"ftou", ShapeConvert, SetInt, SetFloats},
	OpFToF:     {"ftof", ShapeConvert, SetFloats, SetFloats},

	OpPtrAdd:      {"ptradd", ShapePtrAdd, SetPtr, 0},
	OpPtrDiff:     {"ptrdiff", ShapePtrDiff, SetPtr, 0},
	OpPtrPack32:   {"ptrpack32", ShapeConvert, 1 << I32, SetPtr},
	OpPtrUnpack32: {"ptrunpack32", ShapeConvert, SetPtr, 1 << I32},

	OpLoad:    {"load", ShapeLoad, SetMem, 0},
	OpStore:   {"store", ShapeStore, SetMem, 0},
	OpAtomic:  {"atomic", ShapeAtomic, 1<<I32 | 1<<I64 | SetFloat, 0},
	OpMemCopy: {"memcopy", ShapeMemCopy, 0, 0},
	OpFence:   {"fence", ShapeFence, 0, 0},

	OpBuiltin: {"builtin", ShapeBuiltin, 1<<I32 | 1<<I64, 0},
	OpPrintf:  {"printf", ShapePrintf, 0, 0},
	OpCheck:   {"check", ShapeCheck, SetInt | SetFloats, 0},

	OpShuffle:        {"shuffle", ShapeShuffle, SetAll, 0},
	OpShuffle2:       {"shuffle2", ShapeShuffle2, SetAll, 0},
	OpBallot:         {"ballot", ShapeBallot, SetBool, 0},
	OpVote:           {"vote", ShapeVote, SetAll, 0},
	OpElect:          {"elect", ShapeElect, 0, 0},
	OpBroadcastFirst: {"broadcastfirst", ShapeUnary, SetAll, 0},
	OpScan:           {"scan", ShapeScan, SetAll, 0},
	OpMatch:          {"match", ShapeBallot, SetAll, 0},
	OpBlockLoad:      {"blockload", ShapeBlockLoad, SetMem, 0},
	OpBlockStore:     {"blockstore", ShapeBlockStore, SetMem, 0},

	OpImageQuery:      {"imagequery", ShapeImage, 1 << I32, 0},
	OpImageRead:       {"imageread", ShapeImage, 1<<I32 | 1<<F32, 0},
	OpImageWrite:      {"imagewrite", ShapeImage, 1<<I32 | 1<<F32, 0},
	OpImageBlockRead:  {"imageblockread", ShapeImage, SetInt, 0},
	OpImageBlockWrite: {"imageblockwrite", ShapeImage, SetInt, 0},

	OpPipe: {"pipe", ShapePipe, 0, 0},

	OpGroupCopy:  {"groupcopy", ShapeGroupCopy, 0, 0},
	OpGroupWait:  {"groupwait", ShapeGroupWait, 0, 0},
	OpLaneCopy:   {"lanecopy", ShapeLaneCopy, 0, 0},
	OpAsyncScope: {"asyncscope", ShapeAsync, 0, 0},
	OpAsyncMark:  {"asyncmark", ShapeAsync, 0, 0},
	OpAsyncWait:  {"wait.asyncmark", ShapeAsync, 0, 0},

	OpBr:      {"br", ShapeBr, 0, 0},
	OpBrCond:  {"brcond", ShapeBrCond, 0, 0},
	OpSwitch:  {"switch", ShapeSwitch, SetInt, 0},
	OpBarrier: {"barrier", ShapeBarrier, 0, 0},
	OpRet:     {"ret", ShapeRet, 0, 0},
	OpTrap:    {"trap", ShapeTrap, 0, 0},
}

// Info returns the description of op; the zero OpInfo for an unknown one.
func (op Op) Info() *OpInfo {
	if op >= NumOps {
		return &opInfos[OpInvalid]
	}
	return &opInfos[op]
}

// String returns the mnemonic.
func (op Op) String() string {
	if n := op.Info().Name; n != "" {
		return n
	}
	return fmt.Sprintf("op(%d)", uint16(op))
}

// IsTerminator says whether op ends a block.
func (op Op) IsTerminator() bool { return op >= OpBr && op < NumOps }

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
