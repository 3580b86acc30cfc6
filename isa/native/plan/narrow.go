package plan

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Elements of 64 bits take twice the room, so that twice as many instructions are needed for the lanes of a
// wave. Most of them are indices, which have less than 32 bits wherever an access is inside its allocation. A
// hyperblock computes the lower halves alone where it can be told from the operations that indices fit then,
// or from what little remains to be looked at when it is entered: that ids and scalars are small, or that sums
// and products of them are (Term).

// bounds are the least and the greatest value of a number, as far as is known.
type bounds struct{ low, high int64 }

var (
	anything   = bounds{math.MinInt64, math.MaxInt64}
	wordBounds = bounds{0, math.MaxUint32}
	small      = bounds{0, math.MaxInt32}
)

func (b bounds) in(c bounds) bool { return b.low >= c.low && b.high <= c.high }

// narrower rewrites a hyperblock.
type narrower struct {
	*hyperMaker
	guess bool // that scalars are small
	// bounded says that the bounds of terms are checked instead of those of scalars.
	bounded bool
	// Of what registers of 64 and 32 bits hold now. Those of 64 bits
	// have no entry before they are written.
	wide, word           map[int]bounds
	wideTerms, wordTerms map[int]*Term
	idTerms              map[isa.Builtin]*Term
	half                 map[int]isa.Reg // of those of 64 bits
	order                []int           // its keys
	double               map[int]bool    // those that hold doubles now, which stay as they are
	doubles              bool            // there are such
	mixed                bool            // a double is read as something else
	read                 map[int]bool    // the keys of what is read before it is written
	ids                  [3]bool
	smalls               []isa.Reg
	terms                []*Term
	code                 []isa.Inst
}

// narrow has the hyperblock compute in 32 bits instead of 64, if all of it can be (type shrinking).
func (m *hyperMaker) narrow() {
	wide := false
	for i := range m.code {
		d, t := m.kernel.Operands(&m.code[i], func(r isa.Reg, t isa.Type) { wide = wide || r.IsVector() && t.Bank() == isa.Bank64 })
		wide = wide || d.IsVector() && t.Bank() == isa.Bank64
	}
	if !wide {
		return
	}
	taken := m.taken
	for _, guess := range [...]struct{ small, bounded bool }{{}, {small: true}, {bounded: true}} {
		h := &narrower{
			hyperMaker: m, guess: guess.small, bounded: guess.bounded, wide: map[int]bounds{}, word: map[int]bounds{},
			wideTerms: map[int]*Term{}, wordTerms: map[int]*Term{}, idTerms: map[isa.Builtin]*Term{},
			half: map[int]isa.Reg{}, read: map[int]bool{}, double: map[int]bool{},
		}
		if h.rewrite() {
			return
		}
		m.taken = taken
	}
}

// rewrite says whether it could be done.
func (h *narrower) rewrite() bool {
	for i := range h.hyperMaker.code {
		in := h.hyperMaker.code[i]
		if !h.instruction(&in) || h.mixed {
			return false
		}
		h.code = append(h.code, in)
	}
	live := h.behind()
	var widen []Narrowed
	for _, n := range h.order {
		written, ok := h.wide[n]
		if !ok || !live[isa.VectorReg{Bank: isa.Bank64, Index: n}] {
			continue
		}
		if !written.in(wordBounds) && !h.require(h.wideTerms[n], true) {
			return false
		}
		dense := true
		for i := range h.hyperMaker.code {
			in := &h.hyperMaker.code[i]
			if d, t := h.kernel.Operands(in, func(isa.Reg, isa.Type) {}); d == isa.V(n) && t.Bank() == isa.Bank64 {
				dense = dense && in.Flags&isa.FlagDense != 0
			}
		}
		widen = append(widen, Narrowed{Wide: isa.V(n), Half: h.half[n], Dense: dense})
	}
	if h.doubles && len(widen)+len(h.read) > 0 {
		return false // with doubles, machine code has groups of lanes for which it does neither
	}
	for _, n := range h.order {
		if h.read[n] {
			h.h.Narrow = append(h.h.Narrow, Narrowed{Wide: isa.V(n), Half: h.half[n]})
		}
	}
	h.hyperMaker.code, h.h.Ids, h.h.Small, h.h.Terms, h.h.Widen = h.code, h.ids, h.smalls, h.terms, widen
	return true
}

// lower returns the register with the lower half of one of 64 bits.
func (h *narrower) lower(r isa.Reg) isa.Reg {
	n := r.Index()
	x, ok := h.half[n]
	if !ok {
		x = h.virtual(isa.Bank32)
		h.half[n] = x
		h.order = append(h.order, n)
	}
	return x
}

// operand replaces an operand of 64 bits by its lower half, and returns what is known of it.
func (h *narrower) operand(x *isa.Reg) bounds {
	r := *x
	if r.IsVector() {
		h.mixed = h.mixed || h.double[r.Index()]
		*x = h.lower(r)
		b, ok := h.wide[r.Index()]
		if !ok {
			h.read[r.Index()] = true
			return small
		}
		return b
	}
	if v, ok := h.constant(r); ok {
		return bounds{int64(v), int64(v)}
	}
	if !h.guess || h.negated(r) {
		return anything
	}
	for _, s := range h.smalls {
		if s == r {
			return small
		}
	}
	h.smalls = append(h.smalls, r)
	return small
}

// onDoubles leaves an instruction on doubles as it is, but for an index, which has 32 bits. It says whether
// its operands are doubles.
func (h *narrower) onDoubles(in *isa.Inst) bool {
	if in.Type != isa.F64 {
		return false
	}
	ok := true
	d, t := h.kernel.Operands(in, func(r isa.Reg, t isa.Type) {
		if !r.IsVector() || t.Bank() != isa.Bank64 {
			return
		}
		if _, written := h.wide[r.Index()]; t != isa.F64 || written || h.read[r.Index()] {
			ok = false
		}
		h.double[r.Index()] = true
	})
	if !ok {
		return false
	}
	h.doubles = true
	switch {
	case !d.IsVector():
	case t == isa.F64:
		h.double[d.Index()] = true
		delete(h.wide, d.Index())
		delete(h.wideTerms, d.Index())
	case t.Bank() == isa.Bank64:
		return false
	case t.Bank() == isa.Bank32:
		h.word[d.Index()] = wordBounds
		delete(h.wordTerms, d.Index())
	}
	return true
}

// negated says whether a scalar is less than zero if the number is small that it is made from.
func (h *narrower) negated(r isa.Reg) bool {
	for i := range h.h.Scalars {
		if in := h.h.Scalars[i].Scalar; in.Dst == r {
			return in.Op == isa.OpNeg || in.Op == isa.OpSExt && h.negated(in.A)
		}
	}
	return false
}

// wordOperand is operand for one that must be within 32 bits, with a sign or without, which is checked on
// entry where it has to be. It says whether it is.
func (h *narrower) wordOperand(x *isa.Reg) (bounds, bool) {
	r := *x
	b := h.operand(x)
	switch {
	case b.in(signed) || b.in(wordBounds):
		return b, true
	case h.bounded && h.require(h.termOf(r, isa.I64), false):
		if r.IsVector() {
			h.wide[r.Index()] = signed
		}
		return signed, true
	}
	return b, false
}

// compare rewrites a comparison of numbers of 64 bits. It says whether that is possible.
func (h *narrower) compare(in *isa.Inst) bool {
	a, ok := h.wordOperand(&in.A)
	b, ok2 := h.wordOperand(&in.B)
	if !ok || !ok2 {
		return false
	}
	in.Type = isa.I32
	if a.in(signed) && b.in(signed) {
		return true // numbers without a sign are in the same order
	}
	switch in.Op {
	case isa.OpLtS:
		in.Op = isa.OpLtU
	case isa.OpLeS:
		in.Op = isa.OpLeU
	}
	return a.in(wordBounds) && b.in(wordBounds)
}

// ofWord returns what is known of an operand of 32 bits, as an unsigned number.
func (h *narrower) ofWord(r isa.Reg) bounds {
	if r.IsVector() {
		if b, ok := h.word[r.Index()]; ok {
			return b
		}
	} else if v, ok := h.constant(r); ok {
		return bounds{int64(uint32(v)), int64(uint32(v))}
	}
	return wordBounds
}

// instruction rewrites an instruction, if it has to do with elements of 64 bits. It says whether that is
// possible.
func (h *narrower) instruction(in *isa.Inst) bool {
	if in.Op == isa.OpLoad || in.Op == isa.OpStore {
		if in.Idx == isa.Idx64 && in.B.IsVector() {
			b, ok := h.wordOperand(&in.B)
			if !ok {
				return false
			}
			if in.Idx = isa.IdxS32; b.in(wordBounds) {
				in.Idx = isa.IdxU32
			}
		}
		if in.Type.Bank() == isa.Bank64 {
			return h.onDoubles(in)
		}
		if in.Dst.IsVector() && in.Type.Bank() == isa.Bank32 {
			h.word[in.Dst.Index()] = wordBounds
			delete(h.wordTerms, in.Dst.Index())
		}
		return true
	}
	wide, term := false, h.term(in)
	d, t := h.kernel.Operands(in, func(r isa.Reg, t isa.Type) { wide = wide || r.IsVector() && t.Bank() == isa.Bank64 })
	if in.Type == isa.F64 && h.onDoubles(in) {
		return true
	}
	if t.Bank() != isa.Bank64 || !d.IsVector() {
		if wide {
			if in.Op.Info().Shape == isa.ShapeCompare && in.Type == isa.I64 {
				return h.compare(in)
			}
			if in.Op != isa.OpTruncate || in.Type != isa.I32 {
				return false
			}
			h.operand(&in.A)
			*in = isa.Inst{Op: isa.OpMov, Type: isa.I32, Flags: in.Flags, Dst: in.Dst, A: in.A, Loc: in.Loc}
		}
		if d.IsVector() && t.Bank() == isa.Bank32 {
			h.word[d.Index()], h.wordTerms[d.Index()] = h.wordOf(in), term
		}
		return true
	}
	b, ok := h.long(in)
	if !ok {
		return false
	}
	in.Dst = h.lower(d)
	h.wide[d.Index()], h.wideTerms[d.Index()] = b, term
	delete(h.double, d.Index())
	h.word[in.Dst.Index()] = wordBounds
	return true
}

// wordOf returns what is known of the result of an instruction, of 32 bits.
func (h *narrower) wordOf(in *isa.Inst) bounds {
	switch {
	case in.Op == isa.OpBuiltin:
		return builtinBounds(isa.Builtin(in.Imm), wordBounds)
	case in.Op == isa.OpMov && in.Type == isa.I32:
		return h.ofWord(in.A)
	case in.Op == isa.OpZExt && in.Type2.Bits() < 32:
		return bounds{0, 1<<in.Type2.Bits() - 1}
	case in.Op == isa.OpAnd && in.Type == isa.I32:
		return bounds{0, min(h.ofWord(in.A).high, h.ofWord(in.B).high)}
	}
	return wordBounds
}

// builtinBounds returns what is known of a built-in that is not a global number: those of a group are below
// isa.MaxGroupItems.
func builtinBounds(b isa.Builtin, other bounds) bounds {
	switch b {
	case isa.BuiltinLocalID, isa.BuiltinLocalID + 1, isa.BuiltinLocalID + 2, isa.BuiltinLocalLinearID,
		isa.BuiltinSubgroupID, isa.BuiltinSubgroupLocalID, isa.BuiltinSubgroupSize:
		return bounds{0, isa.MaxGroupItems}
	}
	return other
}

// long rewrites an instruction with a result of 64 bits, apart from where that goes, and returns what is
// known of the result.
func (h *narrower) long(in *isa.Inst) (bounds, bool) {
	switch in.Op {
	case isa.OpBuiltin:
		in.Type = isa.I32
		b := isa.Builtin(in.Imm)
		if b >= isa.BuiltinGlobalID && b < isa.BuiltinGroupID {
			h.ids[b-isa.BuiltinGlobalID] = true
			return small, true
		}
		known := builtinBounds(b, anything)
		return known, known != anything
	case isa.OpZExt, isa.OpSExt:
		if in.Type2 != isa.I32 {
			return anything, false
		}
		b := h.ofWord(in.A)
		if in.Op == isa.OpSExt && b.high > math.MaxInt32 {
			b = bounds{math.MinInt32, math.MaxInt32}
		}
		*in = isa.Inst{Op: isa.OpMov, Type: isa.I32, Flags: in.Flags, Dst: in.Dst, A: in.A, Loc: in.Loc}
		return b, true
	}
	if in.Type != isa.I64 {
		return anything, false
	}
	in.Type = isa.I32
	switch in.Op {
	case isa.OpMov:
		return h.operand(&in.A), true
	case isa.OpAdd:
		return sum(h.operand(&in.A), h.operand(&in.B)), true
	case isa.OpSub:
		a, b := h.operand(&in.A), h.operand(&in.B)
		return difference(a, b), true
	case isa.OpMul:
		return product(h.operand(&in.A), h.operand(&in.B)), true
	case isa.OpMad:
		ab := product(h.operand(&in.A), h.operand(&in.B))
		return sum(ab, h.operand(&in.C)), true
	case isa.OpShl:
		n, ok := h.constant(in.B)
		if !ok || n >= 32 {
			return anything, false
		}
		return product(h.operand(&in.A), bounds{1 << n, 1 << n}), true
	case isa.OpAnd:
		a, b := h.operand(&in.A), h.operand(&in.B)
		switch {
		case a.low >= 0 && b.low >= 0:
			return bounds{0, min(a.high, b.high)}, true
		case a.low >= 0:
			return bounds{0, a.high}, true
		case b.low >= 0:
			return bounds{0, b.high}, true
		}
		return anything, true
	case isa.OpOr, isa.OpXor:
		a, b := h.operand(&in.A), h.operand(&in.B)
		if a.in(small) && b.in(small) {
			return small, true
		}
		return anything, true
	case isa.OpSelect:
		a, b := h.operand(&in.B), h.operand(&in.C)
		return bounds{min(a.low, b.low), max(a.high, b.high)}, true
	}
	return anything, false
}

// far is more than any number that is of use, and less than what overflows.
const far = int64(1) << 40

// sum returns what is known of a sum.
func sum(a, b bounds) bounds {
	if !a.in(bounds{-far, far}) || !b.in(bounds{-far, far}) {
		return anything
	}
	return bounds{a.low + b.low, a.high + b.high}
}

// difference returns what is known of a difference.
func difference(a, b bounds) bounds {
	if !b.in(bounds{-far, far}) {
		return anything
	}
	return sum(a, bounds{-b.high, -b.low})
}

// product returns what is known of a product.
func product(a, b bounds) bounds {
	const most = 1<<31 - 1
	if !a.in(bounds{0, 2 * most}) || !b.in(bounds{0, most}) {
		if !b.in(bounds{0, 2 * most}) || !a.in(bounds{0, most}) {
			return anything
		}
	}
	return bounds{a.low * b.low, a.high * b.high}
}
