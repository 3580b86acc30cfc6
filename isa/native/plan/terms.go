package plan

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
)

// MaxTerms bounds the terms of a hyperblock.
const MaxTerms = 16

// Term is a sum or product of ids and scalars, of which a hyperblock works out the bounds when it is entered:
// the exact number, however many bits it takes. A register of 32 bits has its lower half. So where the bounds
// have 32 bits, the register has the number.
type Term struct {
	// Op is OpBuiltin for an id, OpMov for a scalar, OpAdd, OpSub, OpMul or OpShl, or OpSExt or OpZExt: those
	// are of a term whose register has 32 bits, and have its bounds.
	Op isa.Op
	// ID is the id.
	ID isa.Builtin
	// Scalar is the scalar, and Type its type: that of 32 bits has a sign.
	Scalar isa.Reg
	Type   isa.Type
	// A and B are the operands of an operation. OpShl is by Shift.
	A, B  *Term
	Shift uint64
	// Word says that the bounds must be within 32 bits with a sign, and Natural that they must not be
	// negative besides.
	Word, Natural bool

	listed bool
}

var signed = bounds{math.MinInt32, math.MaxInt32}

// scalarTerm returns a scalar as a term.
func scalarTerm(r isa.Reg, t isa.Type) *Term { return &Term{Op: isa.OpMov, Scalar: r, Type: t} }

// termOf returns the term that an operand is, or nil.
func (h *narrower) termOf(r isa.Reg, t isa.Type) *Term {
	switch {
	case r.IsScalar():
		return scalarTerm(r, t)
	case t == isa.I64:
		return h.wideTerms[r.Index()]
	}
	return h.wordTerms[r.Index()]
}

// term returns the term that the result of an instruction is, of 32 or 64 bits, or nil.
func (h *narrower) term(in *isa.Inst) *Term {
	if !h.bounded || in.Type != isa.I32 && in.Type != isa.I64 {
		return nil
	}
	of := func(r isa.Reg) *Term { return h.termOf(r, in.Type) }
	binary := func(op isa.Op, a, b *Term) *Term {
		if a == nil || b == nil {
			return nil
		}
		return &Term{Op: op, A: a, B: b}
	}
	switch in.Op {
	case isa.OpBuiltin:
		if b := isa.Builtin(in.Imm); b < isa.BuiltinGroupID { // local and global ids
			if h.idTerms[b] == nil {
				h.idTerms[b] = &Term{Op: isa.OpBuiltin, ID: b}
			}
			return h.idTerms[b]
		}
	case isa.OpMov:
		return of(in.A)
	case isa.OpAdd, isa.OpSub, isa.OpMul:
		return binary(in.Op, of(in.A), of(in.B))
	case isa.OpMad:
		return binary(isa.OpAdd, binary(isa.OpMul, of(in.A), of(in.B)), of(in.C))
	case isa.OpShl:
		if n, ok := h.constant(in.B); ok && n <= 30 && of(in.A) != nil {
			return &Term{Op: isa.OpShl, A: of(in.A), Shift: n}
		}
	case isa.OpSExt, isa.OpZExt:
		a := h.termOf(in.A, isa.I32)
		if in.Type2 != isa.I32 || a == nil {
			return nil
		}
		return &Term{Op: in.Op, A: a}
	case isa.OpTruncate:
		if in.Type == isa.I32 && in.Type2 == isa.I64 {
			return h.termOf(in.A, isa.I64)
		}
	}
	return nil
}

// require has the hyperblock check on entry that a term is within 32 bits with a sign, and not negative if
// it is to be a natural number. It says whether there is room for that.
func (h *narrower) require(t *Term, natural bool) bool {
	if t == nil || !h.list(t) {
		return false
	}
	t = t.Base()
	t.Word, t.Natural = true, t.Natural || natural
	return true
}

// extends says whether a term is one of 32 bits that is extended.
func (t *Term) extends() bool { return t.Op == isa.OpSExt || t.Op == isa.OpZExt }

// Base returns the term that has the bounds, which is one that is not extended.
func (t *Term) Base() *Term {
	for t.extends() {
		t = t.A
	}
	return t
}

// list lists a term behind its operands.
func (h *narrower) list(t *Term) bool {
	switch {
	case t.listed:
		return true
	case t.extends():
		t.listed = h.require(t.A, t.Op == isa.OpZExt)
		return t.listed
	}
	for _, o := range [...]*Term{t.A, t.B} {
		if o != nil && !h.list(o) {
			return false
		}
	}
	t.listed = true
	h.terms = append(h.terms, t)
	return len(h.terms) <= MaxTerms
}
