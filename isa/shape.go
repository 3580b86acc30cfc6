package isa

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
	ShapeClock    // dst.I64
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
	numShapes
)

// slot is a field of [Inst] with an operand.
type slot uint8

const (
	slotA slot = iota
	slotB
	slotC
	slotD
)

// register returns what stands in a slot.
func (in *Inst) register(s slot) Reg {
	switch s {
	case slotA:
		return in.A
	case slotB:
		return in.B
	case slotC:
		return in.C
	}
	return in.D
}

// role says which type an operand or a result has.
type role uint8

const (
	roleNone  role = iota
	roleT          // Inst.Type
	roleT2         // Inst.Type2
	roleB1         //
	roleI32        //
	roleI64        //
	roleIndex      // that of Inst.Idx
	rolePipe       // that of the entry in Kernel.PipeAccesses
)

// roleTypes has the types of roles, a byte each.
type roleTypes uint64

// types returns the types that roles stand for in an instruction, but rolePipe.
func (in *Inst) types() roleTypes {
	const fixed = roleTypes(B1)<<(8*roleB1) | roleTypes(I32)<<(8*roleI32) | roleTypes(I64)<<(8*roleI64)
	t := fixed | roleTypes(in.Type)<<(8*roleT) | roleTypes(in.Type2)<<(8*roleT2)
	if in.Idx != IdxNone {
		t |= roleTypes(in.Idx.Type()) << (8 * roleIndex)
	}
	return t
}

func (t roleTypes) of(r role) Type { return Type(t >> (8 * (r & 7))) }

// typeOf returns the type that a role stands for in an instruction.
func (k *Kernel) typeOf(in *Inst, r role) Type {
	if r == rolePipe {
		return k.PipeAccesses[in.Imm].Op.Result()
	}
	return in.types().of(r)
}

// presence says which instructions of a shape have an operand.
type presence uint8

const (
	always        presence = iota
	whenIndexed            // addresses with an index
	whenB                  // those that have a register in slot B
	whenValue              // atomic operations but loads
	whenComparand          // compare and exchange
)

// has says whether an instruction has an operand.
func (in *Inst) has(p presence) bool {
	switch p {
	case whenIndexed:
		return in.Idx != IdxNone
	case whenB:
		return in.B != None
	case whenValue:
		return AtomicOp(in.Imm2) != AtomicLoad
	case whenComparand:
		return AtomicOp(in.Imm2) == AtomicCmpXchg
	}
	return true
}

// operandRow is an operand that instructions of a shape have.
type operandRow struct {
	slot slot
	role role
	name string   // in messages
	when presence // which instructions have it
}

// shape describes the instructions of a shape.
type shape struct {
	result   role
	optional bool // the result may be absent
	operands []operandRow
	// check says what is wrong with the other fields of an instruction. It runs before anything looks at regs.
	check func(*Kernel, *Inst) error
	// regs calls a function for each register that the instruction's entry in a table of the kernel has.
	regs func(*Kernel, *Inst, func(r *Reg, t Type, what string))
	// text is the text form behind the result: see printer.
	text string
}

func operands(list ...operandRow) []operandRow { return list }

// unary to quad, and the operands of a selection.
var (
	arithOperands  = operands(operandRow{slotA, roleT, "operand", always}, operandRow{slotB, roleT, "operand", always}, operandRow{slotC, roleT, "operand", always}, operandRow{slotD, roleT, "operand", always})
	pointerOperand = operandRow{slotA, roleI64, "pointer", always}
	indexOperand   = operandRow{slotB, roleIndex, "index", whenIndexed}
	valueOperand   = operandRow{slotC, roleT, "value", always}
	laneValue      = operandRow{slotA, roleT, "value", always}
)

// shapes has the description of each shape.
var shapes [numShapes]shape

func init() {
	shapes = [numShapes]shape{
		ShapeNone:    {text: "{op}"},
		ShapeUnary:   {result: roleT, operands: arithOperands[:1], text: "{op}.T{function} {a}"},
		ShapeBinary:  {result: roleT, operands: arithOperands[:2], text: "{op}.T{function} {a}, {b}"},
		ShapeTernary: {result: roleT, operands: arithOperands[:3], text: "{op}.T{function} {a}, {b}, {c}"},
		ShapeQuad:    {result: roleT, operands: arithOperands[:4], text: "{op}.T {a}, {b}, {c}, {d}"},
		ShapeSelect: {result: roleT, operands: operands(operandRow{slotA, roleB1, "condition", always}, operandRow{slotB, roleT, "operand", always}, operandRow{slotC, roleT, "operand", always}),
			text: "{op}.T {a} ? {b} : {c}"},
		ShapeCompare: {result: roleB1, operands: arithOperands[:2], text: "{op}.T {a}, {b}"},
		ShapeConvert: {result: roleT, operands: operands(operandRow{slotA, roleT2, "operand", always}), text: "{op}.T.T2 {a}"},

		ShapePtrAdd:  {result: roleI64, operands: operands(pointerOperand, indexOperand), check: checkAddress, text: "{op} {address}"},
		ShapePtrDiff: {result: roleI64, operands: operands(pointerOperand, operandRow{slotB, roleI64, "pointer", always}), text: "{op} {a}, {b}"},
		ShapeLoad:    {result: roleT, operands: operands(pointerOperand, indexOperand), check: checkAccess, text: "{op}.T {address}"},
		ShapeStore:   {operands: operands(pointerOperand, indexOperand, valueOperand), check: checkAccess, text: "{op}.T {address}, {c}"},
		ShapeAtomic: {result: roleT, optional: true, check: checkAtomic, text: "{op}.T {atomic} {address}{+c}{+d}{order}",
			operands: operands(pointerOperand, indexOperand,
				operandRow{slotC, roleT, "value", whenValue},
				operandRow{slotD, roleT, "comparand", whenComparand})},
		ShapeMemCopy: {operands: operands(operandRow{slotA, roleI64, "destination", always}, operandRow{slotB, roleI64, "source", always}, operandRow{slotC, roleI64, "size", always}),
			text: "{op} [{a}], [{b}], {c} bytes"},
		ShapeFence:   {check: checkOrder, text: "{op}{order}"},
		ShapeBuiltin: {result: roleT, check: checkBuiltin, text: "{op}.T {builtin}"},
		ShapePrintf:  {result: roleI32, optional: true, check: checkPrintf, regs: printfRegs, text: "{op} #{imm}{printf}"},
		ShapeCheck: {operands: operands(operandRow{slotA, roleT, "operand", always}, operandRow{slotB, roleT, "operand", whenB}), check: checkCheck,
			text: "{op}.T {a}{+b} {check}"},

		ShapeShuffle:    {result: roleT, operands: operands(laneValue, operandRow{slotB, roleI32, "lane", always}), text: "{op}.T {a}, lane {b}{shuffle}"},
		ShapeShuffle2:   {result: roleT, operands: operands(laneValue, operandRow{slotB, roleT, "value", always}, operandRow{slotC, roleI32, "lane", always}), text: "{op}.T {a}, {b}, lane {c}{shuffle}"},
		ShapeBallot:     {result: roleI32, operands: operands(laneValue), check: checkBallot, text: "{op}.T {a}, word {imm}"},
		ShapeVote:       {result: roleB1, operands: operands(laneValue), check: checkVote, text: "{op}.T {vote} {a}"},
		ShapeElect:      {result: roleB1, text: "{op}"},
		ShapeClock:      {result: roleI64, text: "{op}"},
		ShapeScan:       {result: roleT, operands: operands(laneValue, operandRow{slotB, roleI32, "part", whenB}), check: checkScan, text: "{op}.T {scan} {a}{clusters}{part}"},
		ShapeBlockLoad:  {result: roleT, operands: operands(pointerOperand, indexOperand), check: checkBlock, text: "{op}.T {address}, component {imm}"},
		ShapeBlockStore: {operands: operands(pointerOperand, indexOperand, valueOperand), check: checkBlock, text: "{op}.T {address}, component {imm}, {c}"},

		ShapeGroupCopy: {result: roleI64, check: checkGroupCopy, text: "{op} {groupcopy}{regs}",
			regs: func(k *Kernel, in *Inst, f func(*Reg, Type, string)) { k.GroupCopies[in.Imm].Regs(f) }},
		ShapeGroupWait: {operands: operands(operandRow{slotA, roleI64, "event", always}), text: "{op} {a}"},
		ShapeLaneCopy: {check: checkLaneCopy, text: "{op} {lanecopy}{regs}",
			regs: func(k *Kernel, in *Inst, f func(*Reg, Type, string)) { k.LaneCopies[in.Imm].Regs(f) }},
		ShapeAsync: {check: checkMarks, text: "{op}{marks} sequence {imm}"},
		ShapeImage: {result: roleT, optional: true, check: checkImage, text: "{op}.T {image}{regs}",
			regs: func(k *Kernel, in *Inst, f func(*Reg, Type, string)) { k.ImageAccesses[in.Imm].Regs(f) }},
		ShapePipe: {result: rolePipe, optional: true, check: checkPipe, text: "{op} {pipe}{regs}",
			regs: func(k *Kernel, in *Inst, f func(*Reg, Type, string)) { k.PipeAccesses[in.Imm].Regs(f) }},

		ShapeBr:      {check: checkTargets, text: "{op} b{target0}"},
		ShapeBrCond:  {operands: operands(operandRow{slotA, roleB1, "condition", always}), check: checkBranch, text: "{op} {a} ? b{target0} : b{target1}{wait}"},
		ShapeSwitch:  {operands: operands(operandRow{slotA, roleT, "selector", always}), check: checkSwitch, text: "{op}.T {a}, table {imm}"},
		ShapeBarrier: {check: checkTargets, text: "{op}.{scope} then b{target0}{schedule}{order}"},
		ShapeRet:     {text: "{op}"},
		ShapeTrap:    {text: "{op} {imm}"},
	}
}
