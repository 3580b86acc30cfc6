package isa

import "fmt"

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

// Props are properties of an opcode that hold whatever its operands are.
type Props uint16

// The properties.
const (
	// PropFunction says that the result is a function of the operands and the fields of the instruction, lane by
	// lane: neither memory, nor the place of the lane, nor the lanes that run take part.
	PropFunction Props = 1 << iota
	// PropPure says that the instruction has no effect but its result, and never ends in a fault: it may be
	// dropped, moved and shared. A division is not, for its divisor may be 0.
	PropPure
	// PropFaults says that a fault is possible.
	PropFaults
	// PropCommutes says that the first two operands may be exchanged without a change of any bit of the result.
	// NaNs that floats make are canonical, so that floats commute, too.
	PropCommutes
	// PropBitwise says that a bit of the result depends on the same bit of the operands of the instruction's type alone.
	PropBitwise
	// PropLow says the same of a bit and those below it.
	PropLow
	// PropSigned says that the operands are signed numbers where unsigned ones give another result.
	PropSigned
	// PropRounds says that the result is one of float arithmetic of one rounding or two.
	PropRounds
	// PropDivides says that the instruction divides integers.
	PropDivides
	// PropCrosses says that the result of a lane, or what it does, depends on values of other lanes.
	PropCrosses
	// PropConvergent says that the result depends on which lanes run the instruction together.
	PropConvergent
	// PropAsync marks instructions of asynchronous copies.
	PropAsync
	// PropTerminator says that the instruction ends its block.
	PropTerminator
)

// function are the properties of arithmetic that cannot fail.
const function = PropFunction | PropPure

var propNames = [...]string{"function", "pure", "faults", "commutes", "bitwise", "low", "signed", "rounds", "divides", "crosses",
	"convergent", "async", "terminator"}

// String lists the properties.
func (p Props) String() string {
	s := ""
	for i, n := range propNames {
		if p>>i&1 != 0 {
			s += "," + n
		}
	}
	return s[min(1, len(s)):]
}

// OpInfo describes an opcode.
type OpInfo struct {
	Name  string  // mnemonic in the text form, without the type
	Shape Shape   // operands
	Types TypeSet // what Inst.Type may be; 0 where the type is not used
	Src   TypeSet // what Inst.Type2 may be, for conversions
	Props Props   // what holds whatever the operands are
}

// opInfos has everything that is known of an opcode. What depends on its operands alone is in shapes.
var opInfos = [NumOps]OpInfo{
	OpMov:       {"mov", ShapeUnary, SetAll, 0, function | PropBitwise},
	OpReadFirst: {"readfirst", ShapeUnary, SetAll, 0, 0},
	OpSelect:    {"select", ShapeSelect, SetAll, 0, function | PropBitwise},

	OpAdd:         {"add", ShapeBinary, SetInt, 0, function | PropCommutes | PropLow},
	OpSub:         {"sub", ShapeBinary, SetInt, 0, function | PropLow},
	OpMul:         {"mul", ShapeBinary, SetInt, 0, function | PropCommutes | PropLow},
	OpMad:         {"mad", ShapeTernary, SetInt, 0, function | PropCommutes | PropLow},
	OpMulHiS:      {"mulhi.s", ShapeBinary, SetInt, 0, function | PropCommutes | PropSigned},
	OpMulHiU:      {"mulhi.u", ShapeBinary, SetInt, 0, function | PropCommutes},
	OpDivS:        {"div.s", ShapeBinary, SetInt, 0, PropFunction | PropFaults | PropDivides | PropSigned},
	OpDivU:        {"div.u", ShapeBinary, SetInt, 0, PropFunction | PropFaults | PropDivides},
	OpRemS:        {"rem.s", ShapeBinary, SetInt, 0, PropFunction | PropFaults | PropDivides | PropSigned},
	OpRemU:        {"rem.u", ShapeBinary, SetInt, 0, PropFunction | PropFaults | PropDivides},
	OpModS:        {"mod.s", ShapeBinary, SetInt, 0, PropFunction | PropFaults | PropDivides | PropSigned},
	OpAnd:         {"and", ShapeBinary, SetInt | SetBool, 0, function | PropCommutes | PropBitwise},
	OpOr:          {"or", ShapeBinary, SetInt | SetBool, 0, function | PropCommutes | PropBitwise},
	OpXor:         {"xor", ShapeBinary, SetInt | SetBool, 0, function | PropCommutes | PropBitwise},
	OpNot:         {"not", ShapeUnary, SetInt | SetBool, 0, function | PropBitwise},
	OpNeg:         {"neg", ShapeUnary, SetInt, 0, function | PropLow},
	OpAbs:         {"abs", ShapeUnary, SetInt, 0, function | PropSigned},
	OpShl:         {"shl", ShapeBinary, SetInt, 0, function},
	OpShrU:        {"shr.u", ShapeBinary, SetInt, 0, function},
	OpShrS:        {"shr.s", ShapeBinary, SetInt, 0, function | PropSigned},
	OpRotl:        {"rotl", ShapeBinary, SetInt, 0, function},
	OpMinS:        {"min.s", ShapeBinary, SetInt, 0, function | PropCommutes | PropSigned},
	OpMaxS:        {"max.s", ShapeBinary, SetInt, 0, function | PropCommutes | PropSigned},
	OpMinU:        {"min.u", ShapeBinary, SetInt, 0, function | PropCommutes},
	OpMaxU:        {"max.u", ShapeBinary, SetInt, 0, function | PropCommutes},
	OpAddSatS:     {"addsat.s", ShapeBinary, SetInt, 0, function | PropCommutes | PropSigned},
	OpAddSatU:     {"addsat.u", ShapeBinary, SetInt, 0, function | PropCommutes},
	OpSubSatS:     {"subsat.s", ShapeBinary, SetInt, 0, function | PropSigned},
	OpSubSatU:     {"subsat.u", ShapeBinary, SetInt, 0, function},
	OpHAddS:       {"hadd.s", ShapeBinary, SetInt, 0, function | PropCommutes | PropSigned},
	OpHAddU:       {"hadd.u", ShapeBinary, SetInt, 0, function | PropCommutes},
	OpRHAddS:      {"rhadd.s", ShapeBinary, SetInt, 0, function | PropCommutes | PropSigned},
	OpRHAddU:      {"rhadd.u", ShapeBinary, SetInt, 0, function | PropCommutes},
	OpAbsDiffS:    {"absdiff.s", ShapeBinary, SetInt, 0, function | PropCommutes | PropSigned},
	OpAbsDiffU:    {"absdiff.u", ShapeBinary, SetInt, 0, function | PropCommutes},
	OpClz:         {"clz", ShapeUnary, SetInt, 0, function},
	OpCtz:         {"ctz", ShapeUnary, SetInt, 0, function},
	OpPopCount:    {"popcount", ShapeUnary, SetInt, 0, function},
	OpBitReverse:  {"bitreverse", ShapeUnary, SetInt, 0, function},
	OpBitInsert:   {"bitinsert", ShapeQuad, SetInt, 0, function},
	OpBitExtractS: {"bitextract.s", ShapeTernary, SetInt, 0, function | PropSigned},
	OpBitExtractU: {"bitextract.u", ShapeTernary, SetInt, 0, function},

	OpFAdd:     {"fadd", ShapeBinary, SetFloat, 0, function | PropCommutes | PropRounds},
	OpFSub:     {"fsub", ShapeBinary, SetFloat, 0, function | PropRounds},
	OpFMul:     {"fmul", ShapeBinary, SetFloat, 0, function | PropCommutes | PropRounds},
	OpFDiv:     {"fdiv", ShapeBinary, SetFloat, 0, function | PropRounds},
	OpFRem:     {"frem", ShapeBinary, SetFloat, 0, function},
	OpFMod:     {"fmod", ShapeBinary, SetFloat, 0, function},
	OpFMulAdd:  {"fmuladd", ShapeTernary, SetFloat, 0, function | PropCommutes | PropRounds},
	OpFma:      {"fma", ShapeTernary, SetFloat, 0, function | PropCommutes | PropRounds},
	OpFNeg:     {"fneg", ShapeUnary, SetFloats, 0, function},
	OpFAbs:     {"fabs", ShapeUnary, SetFloats, 0, function},
	OpFMin:     {"fmin", ShapeBinary, SetFloat, 0, function | PropCommutes},
	OpFMax:     {"fmax", ShapeBinary, SetFloat, 0, function | PropCommutes},
	OpCopySign: {"copysign", ShapeBinary, SetFloats, 0, function},
	OpSqrt:     {"sqrt", ShapeUnary, SetFloat, 0, function | PropRounds},
	OpFloor:    {"floor", ShapeUnary, SetFloat, 0, function},
	OpCeil:     {"ceil", ShapeUnary, SetFloat, 0, function},
	OpTrunc:    {"trunc", ShapeUnary, SetFloat, 0, function},
	OpRint:     {"rint", ShapeUnary, SetFloat, 0, function},
	OpRound:    {"round", ShapeUnary, SetFloat, 0, function},
	OpMath1:    {"math1", ShapeUnary, SetFloat, 0, function},
	OpMath2:    {"math2", ShapeBinary, SetFloat, 0, function},
	OpMath3:    {"math3", ShapeTernary, SetFloat, 0, function},

	OpEq:   {"eq", ShapeCompare, SetInt | SetBool, 0, function | PropCommutes},
	OpNe:   {"ne", ShapeCompare, SetInt | SetBool, 0, function | PropCommutes},
	OpLtS:  {"lt.s", ShapeCompare, SetInt, 0, function | PropSigned},
	OpLeS:  {"le.s", ShapeCompare, SetInt, 0, function | PropSigned},
	OpLtU:  {"lt.u", ShapeCompare, SetInt, 0, function},
	OpLeU:  {"le.u", ShapeCompare, SetInt, 0, function},
	OpFOEq: {"foeq", ShapeCompare, SetFloat, 0, function | PropCommutes},
	OpFONe: {"fone", ShapeCompare, SetFloat, 0, function | PropCommutes},
	OpFOLt: {"folt", ShapeCompare, SetFloat, 0, function},
	OpFOLe: {"fole", ShapeCompare, SetFloat, 0, function},
	OpFUEq: {"fueq", ShapeCompare, SetFloat, 0, function | PropCommutes},
	OpFUNe: {"fune", ShapeCompare, SetFloat, 0, function | PropCommutes},
	OpFULt: {"fult", ShapeCompare, SetFloat, 0, function},
	OpFULe: {"fule", ShapeCompare, SetFloat, 0, function},
	OpFOrd: {"ford", ShapeCompare, SetFloat, 0, function | PropCommutes},
	OpFUno: {"funo", ShapeCompare, SetFloat, 0, function | PropCommutes},

	OpTruncate: {"truncate", ShapeConvert, SetInt, SetInt, function},
	OpSExt:     {"sext", ShapeConvert, SetInt, SetInt, function | PropSigned},
	OpZExt:     {"zext", ShapeConvert, SetInt, SetInt, function},
	OpSToF:     {"stof", ShapeConvert, SetFloats, SetInt, function | PropSigned},
	OpUToF:     {"utof", ShapeConvert, SetFloats, SetInt, function},
	OpFToS:     {"ftos", ShapeConvert, SetInt, SetFloats, function | PropSigned},
	OpFToU:     {"ftou", ShapeConvert, SetInt, SetFloats, function},
	OpFToF:     {"ftof", ShapeConvert, SetFloats, SetFloats, function},

	OpPtrAdd:      {"ptradd", ShapePtrAdd, SetPtr, 0, function},
	OpPtrDiff:     {"ptrdiff", ShapePtrDiff, SetPtr, 0, function},
	OpPtrPack32:   {"ptrpack32", ShapeConvert, 1 << I32, SetPtr, PropPure},
	OpPtrUnpack32: {"ptrunpack32", ShapeConvert, SetPtr, 1 << I32, PropPure},
	OpPtrAddress:  {"ptraddress", ShapeConvert, SetPtr, SetPtr, PropPure},
	OpPtrAt:       {"ptrat", ShapeConvert, SetPtr, SetPtr, PropPure},

	OpLoad:    {"load", ShapeLoad, SetMem, 0, PropFaults},
	OpStore:   {"store", ShapeStore, SetMem, 0, PropFaults},
	OpAtomic:  {"atomic", ShapeAtomic, 1<<I32 | 1<<I64 | SetFloats, 0, PropFaults},
	OpMemCopy: {"memcopy", ShapeMemCopy, 0, 0, PropFaults},
	OpFence:   {"fence", ShapeFence, 0, 0, 0},

	OpBuiltin: {"builtin", ShapeBuiltin, 1<<I32 | 1<<I64, 0, PropPure},
	OpClock:   {"clock", ShapeClock, 0, 0, 0},
	OpPrintf:  {"printf", ShapePrintf, 0, 0, PropFaults},
	OpCheck:   {"check", ShapeCheck, SetInt | SetFloats, 0, PropFaults},

	OpShuffle:        {"shuffle", ShapeShuffle, SetAll, 0, PropCrosses | PropConvergent},
	OpShuffle2:       {"shuffle2", ShapeShuffle2, SetAll, 0, PropCrosses | PropConvergent},
	OpBallot:         {"ballot", ShapeBallot, SetBool, 0, PropCrosses | PropConvergent},
	OpVote:           {"vote", ShapeVote, SetAll, 0, PropCrosses | PropConvergent},
	OpElect:          {"elect", ShapeElect, 0, 0, PropCrosses | PropConvergent},
	OpBroadcastFirst: {"broadcastfirst", ShapeUnary, SetAll, 0, PropCrosses | PropConvergent},
	OpScan:           {"scan", ShapeScan, SetAll, 0, PropCrosses | PropConvergent},
	OpMatch:          {"match", ShapeBallot, SetAll, 0, PropCrosses | PropConvergent},
	OpBlockLoad:      {"blockload", ShapeBlockLoad, SetMem, 0, PropCrosses | PropConvergent | PropFaults},
	OpBlockStore:     {"blockstore", ShapeBlockStore, SetMem, 0, PropCrosses | PropConvergent | PropFaults},

	OpImageQuery:      {"imagequery", ShapeImage, 1 << I32, 0, PropPure},
	OpImageRead:       {"imageread", ShapeImage, 1<<I32 | 1<<F32, 0, PropFaults},
	OpImageWrite:      {"imagewrite", ShapeImage, 1<<I32 | 1<<F32, 0, PropFaults},
	OpImageBlockRead:  {"imageblockread", ShapeImage, SetInt, 0, PropCrosses | PropConvergent | PropFaults},
	OpImageBlockWrite: {"imageblockwrite", ShapeImage, SetInt, 0, PropCrosses | PropConvergent | PropFaults},

	OpPipe: {"pipe", ShapePipe, 0, 0, PropFaults},

	OpGroupCopy:  {"groupcopy", ShapeGroupCopy, 0, 0, PropAsync | PropFaults},
	OpGroupWait:  {"groupwait", ShapeGroupWait, 0, 0, PropAsync},
	OpLaneCopy:   {"lanecopy", ShapeLaneCopy, 0, 0, PropAsync | PropFaults},
	OpAsyncScope: {"asyncscope", ShapeAsync, 0, 0, PropAsync},
	OpAsyncMark:  {"asyncmark", ShapeAsync, 0, 0, PropAsync},
	OpAsyncWait:  {"wait.asyncmark", ShapeAsync, 0, 0, PropAsync},

	OpBr:      {"br", ShapeBr, 0, 0, PropTerminator},
	OpBrCond:  {"brcond", ShapeBrCond, 0, 0, PropTerminator},
	OpSwitch:  {"switch", ShapeSwitch, SetInt, 0, PropTerminator},
	OpBarrier: {"barrier", ShapeBarrier, 0, 0, PropTerminator | PropConvergent},
	OpRet:     {"ret", ShapeRet, 0, 0, PropTerminator},
	OpTrap:    {"trap", ShapeTrap, 0, 0, PropFaults | PropTerminator},
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
func (op Op) IsTerminator() bool { return op.Is(PropTerminator) }

// Is says whether op has one of the properties.
func (op Op) Is(p Props) bool { return op < NumOps && opInfos[op].Props&p != 0 }
