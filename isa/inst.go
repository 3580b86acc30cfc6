package isa

import "math/bits"

// Inst is one instruction. It is a plain value of fixed size: what an opcode
// does not use is zero. A kernel's operands that do not fit (switch tables,
// printf arguments) live in tables of the [Kernel].
type Inst struct {
	Op    Op
	Type  Type  // what the instruction works on
	Type2 Type  // source type of a conversion
	Flags Flags // rounding, saturation, density, volatility

	Idx   IdxType // how the index of an address is read
	Space Space   // where an address is known to point
	Imm2  uint8   // AtomicOp; scope of a barrier or fence; AlignCode of a load or store; component of an image

	Dst        Reg
	A, B, C, D Reg

	// Scale multiplies the index of an address, in bytes. Target0 of a branch.
	Scale uint32
	// Disp is added to an address, in bytes. Target1 of a conditional branch.
	Disp int32
	// Imm is the built-in, the function, the table index, the trap or the
	// schedule of a barrier; of a load or store 1 + the index into Kernel.WideAccesses, or 0. Atomic operations,
	// fences and barriers of kernels lowered for checks have their MemoryOrder here.
	Imm uint32
	// Loc is the index into Kernel.Locs of where the instruction comes from; 0 is "nowhere".
	Loc uint32
}

// Target0 returns the block that a branch, a taken conditional branch or an
// opened barrier goes to.
func (in *Inst) Target0() int { return int(in.Scale) }

// Target1 returns the block that a conditional branch goes to for a false condition.
func (in *Inst) Target1() int { return int(in.Disp) }

// SetTargets stores the targets of a terminator.
func (in *Inst) SetTargets(t0, t1 int) { in.Scale, in.Disp = uint32(t0), int32(t1) }

// AlignCode returns what Imm2 of a load or store holds when the module
// promises an alignment of n bytes, a power of two, that may be below the
// natural one: its logarithm plus 1. Zero, for any other n too, is natural
// alignment. Imm2 and Imm of a copy of bytes have the alignments of the destination and
// of the source in the same form, where zero promises nothing.
func AlignCode(n uint32) uint8 {
	if n == 0 || n&(n-1) != 0 {
		return 0
	}
	return uint8(bits.TrailingZeros32(n)) + 1
}

// WideAccess is an access of the module of which a load or store of the bytecode makes one element: a vector, an
// aggregate, or a scalar for which the module promises more than the natural alignment. Alignment is a property of the
// whole access, so that an element alone cannot tell whether the access is aligned.
type WideAccess struct {
	Offset uint64 // of the element from the start of the access, in bytes
	Bytes  uint64 // of the whole access
	Align  uint64 // that the module promises or the type has, a power of two
}

// Access returns the access of the module that a load or store is part of.
func (k *Kernel) Access(in *Inst) WideAccess {
	if in.Imm != 0 {
		return k.WideAccesses[in.Imm-1]
	}
	n := uint64(in.Type.Bytes())
	w := WideAccess{Bytes: n, Align: n}
	if in.Imm2 != 0 {
		w.Align = min(n, 1<<min(in.Imm2-1, 30))
	}
	return w
}

// Flags modify an instruction.
type Flags uint8

// The flags.
const (
	// FlagDense says that the destination is not live outside the block, so
	// that lanes which do not run may be overwritten with anything.
	FlagDense Flags = 1 << iota
	// FlagSat makes a conversion to an integer saturate; NaN gives 0.
	FlagSat
	// FlagVolatile keeps an access as it is.
	FlagVolatile
	// The next two bits are the rounding mode of a conversion.
	flagRound0
	flagRound1
	flagRoundSet
	// FlagUniform says that each lane of the sub-group is to run the
	// instruction, and on a barrier that it belongs to an operation of the
	// work-group, which each of its lanes is to run.
	FlagUniform
	// FlagWait marks the conditional branch behind a blocking pipe instruction:
	// lanes for which the condition is false wait until the pipe may have changed,
	// and then go to Target1, the branch's own block, which tries again. Imm is
	// that of the pipe instruction.
	FlagWait
)

// Round is a rounding mode.
type Round uint8

// The rounding modes. RoundDefault is to nearest even for a conversion to a
// float and towards zero for a conversion to an integer.
const (
	RoundDefault Round = iota
	RoundRTE           // to nearest even
	RoundRTZ           // towards zero
	RoundRTP           // towards positive infinity
	RoundRTN           // towards negative infinity
)

var roundNames = [...]string{"", "rte", "rtz", "rtp", "rtn"}

// String returns the mode's name in the text form, "" for the default.
func (r Round) String() string { return roundNames[r] }

// Round returns the rounding mode that the flags hold.
func (f Flags) Round() Round {
	if f&flagRoundSet == 0 {
		return RoundDefault
	}
	return RoundRTE + Round(f/flagRound0&3)
}

// WithRound returns the flags with the rounding mode r.
func (f Flags) WithRound(r Round) Flags {
	f &^= flagRound0 | flagRound1 | flagRoundSet
	if r == RoundDefault {
		return f
	}
	return f | flagRoundSet | Flags(r-RoundRTE)*flagRound0
}

// IdxType says how the index operand of an address is read.
type IdxType uint8

// The index types.
const (
	IdxNone IdxType = iota // no index
	IdxS32                 // an I32 register, sign-extended
	IdxU32                 // an I32 register, zero-extended
	Idx64                  // an I64 register
)

// Type returns the element type of the index register (Void for IdxNone).
func (x IdxType) Type() Type {
	switch x {
	case IdxS32, IdxU32:
		return I32
	case Idx64:
		return I64
	}
	return Void
}

// Space is an address space, as far as it is known when the program is made.
// The values are those of the tag in a pointer (package memory); SpaceGeneric
// means that only the pointer's own tag tells.
type Space uint8

// The address spaces.
const (
	SpaceGeneric Space = iota
	SpaceGlobal        // buffers, program-scope variables and constants
	SpaceLocal         // LDS
	SpacePrivate       // a work-item's own memory
	NumSpaces
)

var spaceNames = [NumSpaces]string{"generic", "global", "local", "private"}

// String returns the space's name in the text form.
func (s Space) String() string { return spaceNames[s&3] }

// Scope of a barrier or fence, with the numbers of SPIR-V.
type Scope uint8

// The scopes (SPIR-V 3.27).
const (
	ScopeCrossDevice Scope = iota
	ScopeDevice
	ScopeWorkgroup
	ScopeSubgroup
	ScopeInvocation
)

// TrapKind says why an OpTrap stands where it stands.
type TrapKind uint8

// The traps.
const (
	TrapUnreachable TrapKind = iota // OpUnreachable was reached
	TrapAbort                       // OpAbortKHR was reached
)

// Loc is where an instruction comes from.
type Loc struct {
	Word   uint32 // word offset of the SPIR-V instruction in its module
	File   uint32 // index into Program.Files; 0 is "unknown"
	Line   uint32 // 1-based; 0 is "unknown"
	Column uint32 // 1-based; 0 is "unknown"
	Func   uint32 // index into Program.Functions: whose body the instruction stands in; 0 is "unknown"
	// At is the index into Kernel.Locs of the call that was inlined, by the
	// module's compiler or by the lowering; 0 for what stands in the kernel itself.
	// It is less than the index of this Loc, so that a chain of calls ends.
	At uint32
}
