package amd64

// Operand is what an instruction works on: a register, a place in memory, a number, or a modifier of the
// whole instruction (a predicate, a rounding). Operands come in the order of Intel's manuals, destination
// first; modifiers may stand anywhere.
type Operand interface{ operand() }

// Reg is a general register. Which part of it is meant (8 to 64 bits) is up to the instruction.
type Reg uint8

// The general registers. The zero value is no register, so that a [Mem] literal has no index unless it says
// so.
const (
	NoReg Reg = iota
	RAX
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Vec is the number of a vector register, 0 to 31. Whether it is xmm, ymm or zmm follows from the instruction
// and its [Width]. Numbers from 16 on exist for AVX-512 alone.
type Vec uint32

// Mask is one of the mask registers of AVX-512. As a predicate ([Merge], [Zero]) K0 cannot be used.
type Mask uint32

// The mask registers.
const (
	K0 Mask = iota
	K1
	K2
	K3
	K4
	K5
	K6
	K7
)

// Imm is a number in the instruction.
type Imm int64

// Mem is a place in memory: Base + Index*Scale + Disp, or a place in the code ([Assembler.At],
// [Assembler.Const]). For gathers and scatters, where the index is a vector, see [VMem].
type Mem struct {
	Base  Reg   // NoReg: none
	Index Reg   // NoReg: none; RSP cannot be an index
	Scale uint8 // 1, 2, 4 or 8; 0 means 1
	Disp  int32 // bytes

	vec   Vec
	kind  memKind
	bcast bool
	id    int32 // of a label or a constant
}

type memKind uint8

const (
	memPlain memKind = iota
	memVec           // the index is a vector
	memLabel         // relative to the instruction pointer, at a label
	memConst         // relative to the instruction pointer, in the constant pool
)

// Bcast is m read as one element that is given to all lanes: AVX-512's embedded broadcast.
func (m Mem) Bcast() Mem {
	m.bcast = true
	return m
}

// Plus is m, disp bytes further on. A sum that leaves 32 bits wraps.
func (m Mem) Plus(disp int32) Mem {
	m.Disp += disp
	return m
}

// VMem is the operand of gathers and scatters: lane i is at base + index[i]*scale + disp, where index[i] is
// signed.
func VMem(base Reg, index Vec, scale uint8, disp int32) Mem {
	return Mem{Base: base, Scale: scale, Disp: disp, vec: index, kind: memVec}
}

// Pred says which lanes of a vector instruction are written; see [Merge] and [Zero].
type Pred struct {
	k    Mask
	zero bool
}

// Merge lets an instruction write the lanes of k and keep the others as they are.
func Merge(k Mask) Pred { return Pred{k: k} }

// Zero lets an instruction write the lanes of k and set the others to zero.
func Zero(k Mask) Pred { return Pred{k: k, zero: true} }

// Rounding overrides MXCSR for one instruction, and raises no exceptions. AVX-512 has it where all operands
// are registers, for scalars and the full width only.
type Rounding uint8

// The roundings. SAE suppresses exceptions only, for instructions that do not round or say how in an
// immediate.
const (
	RoundNearest Rounding = iota + 1
	RoundDown
	RoundUp
	RoundZero
	SAE
)

// Width is the length of vectors. An instruction that changes the size of elements has the width of its wider
// side: VCVTPS2PD of Z goes from ymm to zmm.
type Width uint8

// The widths: xmm, ymm and zmm.
const (
	X Width = iota // 128 bits
	Y              // 256 bits
	Z              // 512 bits
)

// Bytes is the size of a vector.
func (w Width) Bytes() int { return 16 << w }

// Size is the size of a general operand in bits.
type Size uint8

// The sizes.
const (
	B8  Size = 8
	B16 Size = 16
	B32 Size = 32
	B64 Size = 64
)

// Cond is a condition of jumps, conditional moves and SETcc, with the processor's numbers.
type Cond uint8

// The conditions. Below and above compare unsigned, less and greater signed numbers.
const (
	Overflow Cond = iota
	NotOverflow
	Below
	AboveEqual
	Equal
	NotEqual
	BelowEqual
	Above
	Sign
	NotSign
	ParityEven // also: a comparison of floats that is unordered
	ParityOdd
	Less
	GreaterEqual
	LessEqual
	Greater

	Carry    = Below
	NotCarry = AboveEqual
	IsZero   = Equal
	NotZero  = NotEqual
)

// Not is the opposite condition.
func (c Cond) Not() Cond { return c ^ 1 }

func (Reg) operand()      {}
func (Vec) operand()      {}
func (Mask) operand()     {}
func (Imm) operand()      {}
func (Mem) operand()      {}
func (Pred) operand()     {}
func (Rounding) operand() {}
