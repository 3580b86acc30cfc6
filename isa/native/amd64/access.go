package amd64

// Virtual is the first number of virtual registers: an allocator (package vm) has [Vec] and [Mask] from there
// on stand for registers that it has not chosen yet. The assembler takes none.
const Virtual = 32

// Access says what an instruction does with a register.
type Access uint8

// The kinds of access. An instruction that changes a part of a register reads and writes it.
const (
	Read Access = 1 << iota
	Written
)

// MaxOperands is how many operands an instruction of [Assembler.V] has at most, predicate and rounding
// counted.
const MaxOperands = 6

// Accesses says what a vector instruction does with each of its operands that is a vector or mask register.
// Of an operand in memory it says so for the index, of a predicate for its mask.
//
// An exclusive or of a register with itself, and the like, is none that reads it.
func Accesses(op Op, operands []Operand) (list [MaxOperands]Access) {
	if op == 0 || int(op) >= len(table) || len(operands) > MaxOperands {
		return list
	}
	forms := table[op]
	f := forms[len(forms)-1].flags | forms[0].flags&gather
	merges := false
	for i, o := range operands {
		switch o := o.(type) {
		case Pred:
			list[i] = Read
			if f&mustK != 0 {
				list[i] |= Written
			}
			_, vector := operands[0].(Vec) // a comparison clears what it is not for
			merges = merges || !o.zero && vector && !blends(op)
		case Vec, Mask, Mem:
			list[i] = Read
		}
	}
	switch operands[0].(type) {
	case Vec, Mask:
	default:
		return list
	}
	if f&noDst != 0 {
		return list
	}
	list[0] = Written
	if f&rw != 0 || f&gather != 0 || merges {
		list[0] |= Read
	}
	if f&gather != 0 && len(operands) == 3 {
		if _, ok := operands[2].(Vec); ok {
			list[2] |= Written
		}
	}
	if !merges && len(operands) >= 3 && operands[0] == operands[1] && operands[1] == operands[2] && ignores(op, operands) {
		list[0], list[1], list[2] = Written, 0, 0
	}
	return list
}

// blends says whether a predicate of the operation chooses between two sources, and all of the destination is
// written.
func blends(op Op) bool {
	switch op {
	case VPBLENDMB, VPBLENDMW, VPBLENDMD, VPBLENDMQ, VBLENDMPS, VBLENDMPD:
		return true
	}
	return false
}

// ignores says whether the result of an operation on the same register, several times, is the same whatever
// that holds.
func ignores(op Op, operands []Operand) bool {
	switch op {
	case VPXORD, VPXORQ, VXORPS, VXORPD, VPSUBB, VPSUBW, VPSUBD, VPSUBQ, VPANDND, VPANDNQ,
		VPCMPEQB, VPCMPEQW, VPCMPEQD, VPCMPEQQ, KXORB, KXORW, KXORD, KXORQ, KXNORB, KXNORW, KXNORD, KXNORQ:
		return true
	case VPTERNLOGD, VPTERNLOGQ:
		n, ok := operands[len(operands)-1].(Imm)
		return ok && len(operands) == 4 && (n == 0 || n&0xff == 0xff)
	}
	return false
}

// Copies says whether an instruction does nothing but copy a vector register to another one, as wide as w
// says.
func Copies(op Op, operands []Operand) bool {
	switch op {
	case VMOVDQA32, VMOVDQA64, VMOVDQU32, VMOVDQU64, VMOVAPS, VMOVAPD, VMOVUPS, VMOVUPD:
	default:
		return false
	}
	if len(operands) != 2 {
		return false
	}
	_, to := operands[0].(Vec)
	_, from := operands[1].(Vec)
	return to && from
}

// VectorIndex returns the vector register that is the index of m, as of [VMem].
func (m Mem) VectorIndex() (x Vec, ok bool) { return m.vec, m.kind == memVec }

// WithVectorIndex is m with another vector register as its index.
func (m Mem) WithVectorIndex(x Vec) Mem {
	m.vec = x
	return m
}

// Constant says whether m is in the constant pool.
func (m Mem) Constant() bool { return m.kind == memConst }

// Broadcasts says whether m is read as one element for all lanes, as of [Mem.Bcast].
func (m Mem) Broadcasts() bool { return m.bcast }

// Mask is the mask register of the predicate.
func (p Pred) Mask() Mask { return p.k }

// With is the predicate with another mask register.
func (p Pred) With(k Mask) Pred {
	p.k = k
	return p
}

// Zeroes says whether lanes that the predicate does not have become zero.
func (p Pred) Zeroes() bool { return p.zero }

// Label is the place in the code that m is at, as of [Assembler.At].
func (m Mem) Label() (l Label, ok bool) { return Label(m.id), m.kind == memLabel }

// Plain is a constant's memory from its beginning, without a broadcast: what [Assembler.Const] returned.
func (m Mem) Plain() Mem { return Mem{kind: m.kind, id: m.id} }

// Contents returns what a constant holds, and of a table where its entries lead.
func (a *Assembler) Contents(m Mem) (data []byte, labels []Label) {
	if m.kind != memConst || int(m.id) >= len(a.consts) {
		return nil, nil
	}
	return []byte(a.consts[m.id].data), a.consts[m.id].labels
}
