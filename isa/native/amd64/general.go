package amd64

import "math"

// Gen is an operation of [Assembler.G] on general registers. Operations that only exist under a VEX prefix
// (SHLX, ANDN …) belong to [Op].
type Gen uint8

// The operations on general registers. All but moves, LEA, NOT and the conditional ones set the flags as the
// processor does.
const (
	noGen Gen = iota

	// Two operands: register ← register, memory or number; memory ← register or number.

	ADD
	OR
	ADC
	SBB
	AND
	SUB
	XOR
	CMP
	TEST
	MOV // a number of 64 bits goes to registers only

	// Register ← register or memory.

	MOVZX8  // zero extension of 8 bits
	MOVZX16 // of 16 bits; MOV of 32 bits extends to 64 by itself
	MOVSX8  // sign extension
	MOVSX16
	MOVSX32
	LEA
	IMUL // two operands, or three with a number
	POPCNT
	LZCNT
	TZCNT

	// One operand, register or memory.

	INC
	DEC
	NEG
	NOT
	MUL  // rdx:rax ← rax * operand, unsigned
	DIV  // rax, rdx ← rdx:rax / operand, unsigned
	IDIV // signed

	// Shifts: the second operand is a number or RCX (its low 8 bits).

	ROL
	ROR
	SHL
	SHR
	SAR

	// Bits: register or memory, then a number or a register. A register with memory would address bits beyond
	// the operand; that form is left out.

	BT
	BTS
	BTR
	BTC

	// Memory ← register, of 32 or 64 bits, as one step for other processors, too.

	XCHG    // register ← memory as well
	XADD    // memory ← memory + register; register ← memory
	CMPXCHG // if memory is rax, memory ← register; rax ← memory

	// Without operands.

	RET
	CDQ // edx:eax ← eax (32 bits), rdx:rax ← rax (64 bits)
	INT3
	MFENCE
	PAUSE

	// Memory.

	PREFETCHT0
	PREFETCHT1
	PREFETCHT2
	PREFETCHNTA
	PREFETCHW

	// Jump to the address in a register or memory, 64 bits.

	JMPR

	numGen
)

var genNames = [numGen]string{
	ADD: "add", OR: "or", ADC: "adc", SBB: "sbb", AND: "and", SUB: "sub", XOR: "xor", CMP: "cmp", TEST: "test", MOV: "mov",
	MOVZX8: "movzx", MOVZX16: "movzx", MOVSX8: "movsx", MOVSX16: "movsx", MOVSX32: "movsxd", LEA: "lea", IMUL: "imul",
	POPCNT: "popcnt", LZCNT: "lzcnt", TZCNT: "tzcnt",
	INC: "inc", DEC: "dec", NEG: "neg", NOT: "not", MUL: "mul", DIV: "div", IDIV: "idiv",
	ROL: "rol", ROR: "ror", SHL: "shl", SHR: "shr", SAR: "sar", BT: "bt", BTS: "bts", BTR: "btr", BTC: "btc",
	XCHG: "xchg", XADD: "lock xadd", CMPXCHG: "lock cmpxchg",
	RET: "ret", CDQ: "cdq", INT3: "int3", MFENCE: "mfence", PAUSE: "pause",
	PREFETCHT0: "prefetcht0", PREFETCHT1: "prefetcht1", PREFETCHT2: "prefetcht2", PREFETCHNTA: "prefetchnta",
	PREFETCHW: "prefetchw", JMPR: "jmp",
}

// String is the name of the operation as assemblers write it.
func (op Gen) String() string {
	if op == noGen || op >= numGen {
		return "Gen(?)"
	}
	return genNames[op]
}

// legacy is an instruction without VEX or EVEX prefix on its way into the buffer.
type legacy struct {
	prefix byte // 0x66, 0xF2, 0xF3 or 0
	wide   bool // REX.W
	esc    bool // opcode in map 0F
	op     byte
	reg    uint8
	rm     Operand
	imm    []byte
	byteRM bool // rm is an 8-bit register: SPL to DIL need a REX prefix
	byteR  bool // reg likewise
}

// legacy appends i (Intel SDM volume 2, 2.1 and 2.2.1).
func (a *Assembler) legacy(i legacy) {
	m, isMem := i.rm.(Mem)
	if isMem {
		reason := m.refuses()
		switch {
		case m.kind == memVec:
			reason = "a vector index"
		case m.bcast:
			reason = "an embedded broadcast"
		}
		if reason != "" {
			a.fail("memory operand %s of a general instruction: %s", m, reason)
			return
		}
	}
	if r, ok := i.rm.(Reg); ok && (r == NoReg || r > R15) {
		a.fail("general instruction on %s", r)
		return
	}
	if i.prefix != 0 {
		a.buf = append(a.buf, i.prefix)
	}
	x, b, _ := extend(i.rm)
	if !isMem {
		x = 0
	}
	rex := i.reg>>3<<2 | x<<1 | b
	if i.wide {
		rex |= 8
	}
	low := func(n uint8) bool { return n >= 4 && n < 8 }
	if rex != 0 || i.byteRM && !isMem && low(number(i.rm)) || i.byteR && low(i.reg) {
		a.buf = append(a.buf, 0x40|rex)
	}
	if i.esc {
		a.buf = append(a.buf, 0x0F)
	}
	a.buf = append(a.buf, i.op)
	a.modrm(i.reg, i.rm, 1, len(i.imm))
	a.buf = append(a.buf, i.imm...)
	a.grown()
}

// sized is an instruction whose operand has s bits: op for 8 bits, op+1 otherwise.
func sized(s Size, op byte, reg uint8, rm Operand) legacy {
	i := legacy{op: op, reg: reg, rm: rm, wide: s == B64, byteRM: s == B8}
	if s != B8 {
		i.op++
	}
	if s == B16 {
		i.prefix = 0x66
	}
	return i
}

// number32 is v in the bytes that an immediate of s bits has, at most 32.
func number32(s Size, v Imm) []byte {
	switch s {
	case B8:
		return []byte{byte(v)}
	case B16:
		return []byte{byte(v), byte(v >> 8)}
	}
	return []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}
}

// fitsImm reports whether v is a number of s bits, signed or unsigned; of 64 bits only what 32 extend to with
// their sign.
func fitsImm(s Size, v Imm) bool {
	switch s {
	case B8:
		return -128 <= v && v <= 255
	case B16:
		return math.MinInt16 <= v && v <= math.MaxUint16
	case B32:
		return math.MinInt32 <= v && v <= math.MaxUint32
	}
	return math.MinInt32 <= v && v <= math.MaxInt32
}

// signed is v as a number of s bits with its sign.
func signed(s Size, v Imm) Imm {
	shift := 64 - s
	return v << shift >> shift
}

// G appends an instruction on general registers of s bits. Operands are registers, memory and numbers, in the
// order of Intel's manuals.
//
//	a.G(amd64.ADD, amd64.B64, amd64.RSI, amd64.Imm(64))
func (a *Assembler) G(op Gen, s Size, operands ...Operand) {
	if a.err != nil {
		return
	}
	switch s {
	case B8, B16, B32, B64:
	default:
		a.fail("%s of %d bits", op, s)
		return
	}
	for _, o := range operands {
		ok := true
		switch o := o.(type) {
		case Reg:
			ok = o != NoReg && o <= R15
		case Mem, Imm:
		default:
			ok = false
		}
		if !ok {
			a.fail("%s: operand %v", op, o)
			return
		}
	}
	if a.list != nil {
		a.noteInst(generalText(op, s, operands), operands)
	}
	if !a.general(op, s, operands) {
		a.fail("%s of %d bits with operands %v", op, s, operands)
	}
}

// general appends the instruction and reports whether there is one.
func (a *Assembler) general(op Gen, s Size, args []Operand) bool {
	switch {
	case op >= RET && op <= PAUSE:
		return len(args) == 0 && a.nullary(op, s)
	case len(args) == 1:
		return a.unary(op, s, args[0])
	case len(args) == 2:
		return a.binary(op, s, args[0], args[1])
	case len(args) == 3 && op == IMUL:
		r, ok1 := args[0].(Reg)
		v, ok2 := args[2].(Imm)
		_, isImm := args[1].(Imm)
		if !ok1 || !ok2 || isImm || s == B8 || !fitsImm(s, v) {
			return false
		}
		i := sized(s, 0x68, number(r), args[1])
		i.imm = number32(s, v)
		if v := signed(s, v); v == Imm(int8(v)) {
			i.op, i.imm = 0x6B, []byte{byte(v)}
		}
		a.legacy(i)
		return true
	}
	return false
}

func (a *Assembler) nullary(op Gen, s Size) bool {
	switch op {
	case RET:
		a.buf = append(a.buf, 0xC3)
	case CDQ:
		switch s {
		case B32:
			a.buf = append(a.buf, 0x99)
		case B64:
			a.buf = append(a.buf, 0x48, 0x99)
		default:
			return false
		}
	case INT3:
		a.buf = append(a.buf, 0xCC)
	case MFENCE:
		a.buf = append(a.buf, 0x0F, 0xAE, 0xF0)
	case PAUSE:
		a.buf = append(a.buf, 0xF3, 0x90)
	default:
		return false
	}
	return true
}

func (a *Assembler) unary(op Gen, s Size, o Operand) bool {
	if _, ok := o.(Imm); ok {
		return false
	}
	_, isMem := o.(Mem)
	var opcode byte
	var digit uint8
	switch op {
	case INC:
		opcode, digit = 0xFE, 0
	case DEC:
		opcode, digit = 0xFE, 1
	case NOT:
		opcode, digit = 0xF6, 2
	case NEG:
		opcode, digit = 0xF6, 3
	case MUL:
		opcode, digit = 0xF6, 4
	case DIV:
		opcode, digit = 0xF6, 6
	case IDIV:
		opcode, digit = 0xF6, 7
	case PREFETCHNTA, PREFETCHT0, PREFETCHT1, PREFETCHT2, PREFETCHW:
		if !isMem {
			return false
		}
		i := legacy{esc: true, op: 0x18, rm: o}
		switch op {
		case PREFETCHT0:
			i.reg = 1
		case PREFETCHT1:
			i.reg = 2
		case PREFETCHT2:
			i.reg = 3
		case PREFETCHW:
			i.op, i.reg = 0x0D, 1
		}
		a.legacy(i)
		return true
	case JMPR:
		if s != B64 {
			return false
		}
		a.legacy(legacy{op: 0xFF, reg: 4, rm: o})
		return true
	default:
		return false
	}
	a.legacy(sized(s, opcode, digit, o))
	return true
}

func (a *Assembler) binary(op Gen, s Size, dst, src Operand) bool {
	r, dstReg := dst.(Reg)
	rs, srcReg := src.(Reg)
	v, srcImm := src.(Imm)
	if _, ok := dst.(Imm); ok {
		return false
	}
	switch op {
	case ADD, OR, ADC, SBB, AND, SUB, XOR, CMP:
		base := byte(op-ADD) << 3
		switch {
		case srcReg:
			i := sized(s, base, number(rs), dst)
			i.byteR = s == B8
			a.legacy(i)
		case dstReg && !srcImm:
			i := sized(s, base+2, number(r), src)
			i.byteR, i.byteRM = s == B8, false
			a.legacy(i)
		case srcImm:
			return a.withNumber(s, byte(op-ADD), dst, v)
		default:
			return false
		}
		return true
	case TEST:
		switch {
		case srcReg:
			i := sized(s, 0x84, number(rs), dst)
			i.byteR = s == B8
			a.legacy(i)
		case srcImm && fitsImm(s, v):
			if dstReg && r == RAX {
				a.accumulator(s, 0xA8, v)
				return true
			}
			i := sized(s, 0xF6, 0, dst)
			i.imm = number32(s, v)
			a.legacy(i)
		default:
			return false
		}
		return true
	case MOV:
		return a.mov(s, dst, src)
	case XCHG, XADD, CMPXCHG:
		if dstReg || !srcReg || s != B32 && s != B64 {
			return false
		}
		i := legacy{prefix: 0xF0, esc: true, op: 0xB1, reg: number(rs), rm: dst, wide: s == B64}
		switch op {
		case XADD:
			i.op = 0xC1
		case XCHG: // which does so without being told
			i.prefix, i.esc, i.op = 0, false, 0x87
		}
		a.legacy(i)
		return true
	case MOVZX8, MOVZX16, MOVSX8, MOVSX16, MOVSX32, LEA, IMUL, POPCNT, LZCNT, TZCNT:
		if !dstReg || srcImm {
			return false
		}
		return a.toRegister(op, s, r, src)
	case ROL, ROR, SHL, SHR, SAR:
		digit := map[Gen]uint8{ROL: 0, ROR: 1, SHL: 4, SHR: 5, SAR: 7}[op]
		switch {
		case srcImm && v == 1:
			a.legacy(sized(s, 0xD0, digit, dst))
		case srcImm && 0 <= v && v < Imm(s):
			i := sized(s, 0xC0, digit, dst)
			i.imm = []byte{byte(v)}
			a.legacy(i)
		case srcReg && rs == RCX:
			a.legacy(sized(s, 0xD2, digit, dst))
		default:
			return false
		}
		return true
	case BT, BTS, BTR, BTC:
		digit := uint8(op-BT) + 4
		if s == B8 {
			return false
		}
		switch {
		case srcImm && 0 <= v && v < Imm(s):
			i := sized(s, 0xB9, digit, dst) // 0F BA
			i.esc, i.imm = true, []byte{byte(v)}
			a.legacy(i)
		case srcReg && dstReg:
			i := sized(s, 0x82|digit<<3, number(rs), dst) // 0F A3, AB, B3, BB
			i.esc = true
			a.legacy(i)
		default:
			return false
		}
		return true
	}
	return false
}

// withNumber is ADD, OR … with a number: in one byte with its sign, where that does.
func (a *Assembler) withNumber(s Size, digit uint8, dst Operand, v Imm) bool {
	if !fitsImm(s, v) {
		return false
	}
	short := signed(s, v)
	switch {
	case s != B8 && short == Imm(int8(short)):
		i := sized(s, 0x82, digit, dst)
		i.imm = []byte{byte(v)}
		a.legacy(i)
	case dst == Operand(RAX):
		a.accumulator(s, digit<<3|4, v)
	default:
		i := sized(s, 0x80, digit, dst)
		i.imm = number32(s, v)
		a.legacy(i)
	}
	return true
}

// accumulator is the short form of an instruction on RAX and a number.
func (a *Assembler) accumulator(s Size, op byte, v Imm) {
	switch s {
	case B16:
		a.buf = append(a.buf, 0x66)
	case B64:
		a.buf = append(a.buf, 0x48)
	}
	if s != B8 {
		op++
	}
	a.buf = append(a.buf, op)
	a.buf = append(a.buf, number32(s, v)...)
}

func (a *Assembler) mov(s Size, dst, src Operand) bool {
	r, dstReg := dst.(Reg)
	rs, srcReg := src.(Reg)
	v, srcImm := src.(Imm)
	switch {
	case srcReg:
		i := sized(s, 0x88, number(rs), dst)
		i.byteR = s == B8
		a.legacy(i)
	case dstReg && !srcImm:
		i := sized(s, 0x8A, number(r), src)
		i.byteR, i.byteRM = s == B8, false
		a.legacy(i)
	case dstReg && s == B64 && !fitsImm(s, v):
		n := number(r)
		a.buf = append(a.buf, 0x48|n>>3, 0xB8|n&7)
		for shift := 0; shift < 64; shift += 8 {
			a.buf = append(a.buf, byte(v>>shift))
		}
	case !fitsImm(s, v):
		return false
	case dstReg && s != B64:
		n := number(r)
		if s == B16 {
			a.buf = append(a.buf, 0x66)
		}
		switch {
		case n >= 8:
			a.buf = append(a.buf, 0x41)
		case n >= 4 && s == B8:
			a.buf = append(a.buf, 0x40)
		}
		op := byte(0xB8)
		if s == B8 {
			op = 0xB0
		}
		a.buf = append(a.buf, op|n&7)
		a.buf = append(a.buf, number32(s, v)...)
	case srcImm:
		i := sized(s, 0xC6, 0, dst)
		i.imm = number32(s, v)
		a.legacy(i)
	default:
		return false
	}
	return true
}

// toRegister are the operations whose destination is a register and whose source is not a number.
func (a *Assembler) toRegister(op Gen, s Size, r Reg, src Operand) bool {
	_, srcReg := src.(Reg)
	i := legacy{reg: number(r), rm: src, wide: s == B64, esc: true}
	if s == B16 {
		i.prefix = 0x66
	}
	if s == B8 {
		return false
	}
	switch op {
	case MOVZX8:
		i.op, i.byteRM = 0xB6, true
	case MOVSX8:
		i.op, i.byteRM = 0xBE, true
	case MOVZX16:
		i.op = 0xB7
	case MOVSX16:
		i.op = 0xBF
	case MOVSX32:
		i.op, i.esc = 0x63, false
		if s != B64 {
			return false
		}
	case LEA:
		i.op, i.esc = 0x8D, false
		if srcReg {
			return false
		}
	case IMUL:
		i.op = 0xAF
	case POPCNT, LZCNT, TZCNT:
		i.op = map[Gen]byte{POPCNT: 0xB8, LZCNT: 0xBD, TZCNT: 0xBC}[op]
		if s == B16 {
			return false
		}
		i.prefix = 0xF3
	}
	if (op == MOVZX16 || op == MOVSX16) && s == B16 {
		return false
	}
	a.legacy(i)
	return true
}

// CMov appends r ← src if c holds. Of 32 bits, r's upper half is cleared even if c does not hold.
func (a *Assembler) CMov(c Cond, s Size, r Reg, src Operand) {
	if a.err != nil {
		return
	}
	_, isReg := src.(Reg)
	_, isMem := src.(Mem)
	if c > Greater || s != B32 && s != B64 || r == NoReg || r > R15 || !isReg && !isMem {
		a.fail("cmov%s of %d bits, %s, %v", c, s, r, src)
		return
	}
	if a.list != nil {
		a.noteInst(operandsText("cmov"+c.String(), [3]Size{s, s}, []Operand{r, src}), []Operand{src})
	}
	a.legacy(legacy{esc: true, op: 0x40 | byte(c), reg: number(r), rm: src, wide: s == B64})
}

// Set appends the byte dst ← 1 if c holds, 0 if not.
func (a *Assembler) Set(c Cond, dst Operand) {
	if a.err != nil {
		return
	}
	_, isReg := dst.(Reg)
	_, isMem := dst.(Mem)
	if c > Greater || !isReg && !isMem {
		a.fail("set%s %v", c, dst)
		return
	}
	if a.list != nil {
		a.noteInst(operandsText("set"+c.String(), [3]Size{B8}, []Operand{dst}), []Operand{dst})
	}
	a.legacy(legacy{esc: true, op: 0x90 | byte(c), rm: dst, byteRM: true})
}
