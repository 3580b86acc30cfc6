package lower

import "github.com/lockstep-gpu/lockstep/isa"

// narrow makes 32-bit arithmetic of 64-bit arithmetic where that gives the same
// bits: a vector of 64-bit elements costs twice as much, and an index of 32 bits
// half an index.
//
//   - What is truncated is computed in 32 bits, as far as what it is made of has
//     its low half at hand.
//   - What fits in 32 bits, going by the ranges of its operands (ranges.go), is
//     computed there and extended; accesses take the extension in.
//   - Comparisons of what fits in 32 bits are made there.
//   - Masks and pairs of shifts that keep the low half become extensions.
//   - Signed divisions of what is not negative become unsigned ones, going by the ranges as well.
//
// What is the same for all lanes is computed once a wave and stays as it is.
func narrow(f *fn) {
	n := &narrower{f: f, r: newRanges(f)}
	n.f.guessDivergence()
	for _, blk := range n.f.blocks {
		for _, v := range blk.phis {
			n.r.note(v)
		}
		n.blk, n.insts = blk, nil
		for i, v := range blk.insts {
			for j, a := range v.args {
				if a.repl != nil {
					v.args[j] = a.root()
				}
			}
			n.at = i
			n.inst(v)
			if v.repl != nil {
				n.rewrite()
				continue
			}
			if n.insts != nil {
				n.insts = append(n.insts, v)
			}
			n.r.note(v)
		}
		if n.insts != nil {
			blk.insts = n.insts
		}
		if blk.cond != nil {
			blk.cond = blk.cond.root()
		}
	}
	if n.changed {
		n.f.simple = false
		n.f.replaceAll()
	}
}

type narrower struct {
	f       *fn
	r       *ranges
	changed bool
	blk     *block   // at hand
	at      int      // the instruction at hand
	insts   []*value // what the block gets; nil as long as it keeps its own
	loc     uint32
}

// rewrite gives the block at hand other instructions than its own: those ahead of the one at hand, for now.
func (n *narrower) rewrite() {
	n.changed = true
	if n.insts == nil {
		own := n.blk.insts
		n.insts = append(make([]*value, 0, len(own)+4), own[:n.at]...)
	}
}

// add puts an instruction ahead of the one at hand, or returns what it amounts to.
func (n *narrower) add(op isa.Op, typ, elem isa.Type, args ...*value) *value {
	v := n.f.newValue(op, typ, elem, args...)
	if s := n.f.simplify(v); s != nil {
		return s
	}
	v.blk, v.loc = n.blk, n.loc
	for _, a := range v.args {
		v.div = v.div || a.div
	}
	if v.op == isa.OpBuiltin {
		v.div = n.f.lanesDiffer(v)
	}
	n.rewrite()
	n.insts = append(n.insts, v)
	n.r.note(v)
	return v
}

// inst rewrites v in place, or says what stands in for it.
func (n *narrower) inst(v *value) {
	n.loc = v.loc
	if x, op := lowHalf(v); x != nil {
		n.changed = true
		v.op, v.elem, v.args = op, isa.I32, []*value{n.truncate(x)}
		return
	}
	n.unsigned(v)
	switch {
	case v.repl != nil:
	case v.op == isa.OpTruncate && v.typ == isa.I32 && v.elem == isa.I64:
		v.repl = n.demand(v.args[0])
	case indexed(v):
		n.index(v)
	case !v.div:
	case v.op.Info().Shape == isa.ShapeCompare && v.elem == isa.I64:
		n.compare(v)
	case v.typ == isa.I64 && v.elem == isa.I64:
		n.fitting(v)
	}
}

// unsigned makes an unsigned division of a signed one of numbers that are not negative, which may be a shift or a mask.
func (n *narrower) unsigned(v *value) {
	op := v.op
	switch op {
	case isa.OpDivS:
		op = isa.OpDivU
	case isa.OpRemS, isa.OpModS:
		op = isa.OpRemU
	default:
		return
	}
	for _, a := range v.args {
		if s := n.r.of(a); !s.natural() || v.elem.Bits() < 64 && s.hi >= 1<<(v.elem.Bits()-1) {
			return
		}
	}
	n.changed = true
	v.op = op
	v.repl = n.f.simplify(v)
}

// truncate returns the low half of x.
func (n *narrower) truncate(x *value) *value {
	if l := n.demand(x); l != nil {
		return l
	}
	return n.add(isa.OpTruncate, isa.I32, isa.I64, x)
}

// wrapping says whether the low half of an operation's result depends on the low
// halves of its operands alone.
func wrapping(v *value) bool {
	switch v.op {
	case isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpNot, isa.OpNeg:
		return true
	case isa.OpShl:
		return v.args[1].isConst() && v.args[1].imm < 32
	}
	return false
}

// cheapLow says whether the low half of x is at hand, or is computed once a wave.
func cheapLow(x *value) bool {
	return !x.div || (x.op == isa.OpZExt || x.op == isa.OpSExt) && x.elem.IsInt()
}

// low returns the low half of a value for which cheapLow holds.
func (n *narrower) low(x *value) *value {
	switch {
	case x.isConst():
		return n.f.constant(isa.I32, x.imm)
	case (x.op == isa.OpZExt || x.op == isa.OpSExt) && x.elem == isa.I32:
		return x.args[0]
	case (x.op == isa.OpZExt || x.op == isa.OpSExt) && x.elem.IsInt():
		return n.add(x.op, isa.I32, x.elem, x.args[0])
	}
	return n.add(isa.OpTruncate, isa.I32, isa.I64, x)
}

// demand returns the low half of x, computed from the low halves of what x is
// made of; nil where that is no gain.
func (n *narrower) demand(x *value) *value {
	switch {
	case x.div && cheapLow(x):
		return n.low(x)
	case !wrapping(x):
		return nil
	}
	// Each operand that needs a truncation of its own makes up for the one that goes.
	// An operation that others need in 64 bits stays, beside that of 32.
	if steep := truncations(x, x.div, 0); steep > 1 || steep > 0 && x.uses > 1 {
		return nil
	}
	return n.build(x, 0)
}

const deepestDemand = 4

// through says whether build goes on into operand i of x.
func through(x *value, i, depth int) bool {
	a := x.args[i]
	return depth < deepestDemand && a.uses == 1 && wrapping(a)
}

// truncations counts those that build makes; not those that are made once a wave
// to have a result for each lane.
func truncations(x *value, div bool, depth int) int {
	t := 0
	for i, a := range x.args {
		switch {
		case x.op == isa.OpShl && i == 1, a.isConst(), (a.div || div) && cheapLow(a):
		case through(x, i, depth):
			t += truncations(a, div, depth+1)
		default:
			t++
		}
	}
	return t
}

// build computes the low half of x, which is wrapping.
func (n *narrower) build(x *value, depth int) *value {
	var args [2]*value
	for i, a := range x.args {
		switch {
		case x.op == isa.OpShl && i == 1:
			args[i] = n.f.constant(isa.I32, a.imm)
		case a.div && cheapLow(a):
			args[i] = n.low(a)
		case through(x, i, depth):
			args[i] = n.build(a, depth+1)
		default:
			args[i] = n.low(a)
		}
	}
	return n.add(x.op, isa.I32, isa.I32, args[:len(x.args)]...)
}

// fitting makes an extension of a 64-bit operation whose result fits in 32 bits.
func (n *narrower) fitting(v *value) {
	s := n.r.find(v)
	ext := isa.OpZExt
	if !s.unsigned32() {
		if !s.signed32() {
			return
		}
		ext = isa.OpSExt
	}
	args := v.args
	switch v.op {
	case isa.OpShrU, isa.OpShrS, isa.OpDivU, isa.OpRemU:
		// The high half of the operand takes part, unless it is zero.
		if !n.r.of(args[0]).unsigned32() || !args[1].isConst() || n.r.of(args[1]).lo < 0 ||
			(v.op == isa.OpDivU || v.op == isa.OpRemU) && (args[1].imm == 0 || args[1].imm>>32 != 0) ||
			(v.op == isa.OpShrU || v.op == isa.OpShrS) && args[1].imm > 31 {
			return
		}
	case isa.OpMinU, isa.OpMaxU, isa.OpMinS, isa.OpMaxS:
		if !n.r.of(args[0]).unsigned32() || !n.r.of(args[1]).unsigned32() {
			return
		}
	case isa.OpSelect:
	default:
		if !wrapping(v) {
			return
		}
	}
	from := 0
	if v.op == isa.OpSelect {
		from = 1
	}
	for _, a := range args[from:] {
		if !cheapLow(a) {
			return
		}
	}
	op := v.op
	switch op {
	case isa.OpShrS:
		op = isa.OpShrU // of what is not negative
	case isa.OpMinS:
		op = isa.OpMinU
	case isa.OpMaxS:
		op = isa.OpMaxU
	}
	var to [3]*value
	copy(to[:], args[:from])
	for i, a := range args[from:] {
		to[from+i] = n.low(a)
	}
	x := n.add(op, isa.I32, isa.I32, to[:len(args)]...)
	n.changed = true
	v.op, v.elem, v.args = ext, isa.I32, []*value{x}
	n.r.set(v, s)
}

// compare compares the low halves of what fits in 32 bits.
func (n *narrower) compare(v *value) {
	x, y := v.args[0], v.args[1]
	if !cheapLow(x) || !cheapLow(y) {
		return
	}
	sx, sy := n.r.of(x), n.r.of(y)
	op := v.op
	switch {
	case sx.unsigned32() && sy.unsigned32():
		// Numbers that are not negative have one order.
		switch op {
		case isa.OpLtS:
			op = isa.OpLtU
		case isa.OpLeS:
			op = isa.OpLeU
		}
	case sx.signed32() && sy.signed32() && op != isa.OpLtU && op != isa.OpLeU:
	default:
		return
	}
	switch op {
	case isa.OpEq, isa.OpNe, isa.OpLtU, isa.OpLeU, isa.OpLtS, isa.OpLeS:
		n.changed = true
		v.op, v.elem, v.args = op, isa.I32, []*value{n.low(x), n.low(y)}
	}
}

// indexed says whether v has an address with an index of 64 bits.
func indexed(v *value) bool {
	switch v.op.Info().Shape {
	case isa.ShapePtrAdd, isa.ShapeLoad, isa.ShapeStore, isa.ShapeAtomic, isa.ShapeBlockLoad, isa.ShapeBlockStore:
		return v.idx == isa.Idx64
	}
	return false
}

// index makes an index that is extended from fewer than 32 bits one of 32.
func (n *narrower) index(v *value) {
	x := v.args[1]
	if !x.div || !x.elem.IsInt() || x.elem.Bits() >= 32 {
		return
	}
	switch x.op {
	case isa.OpZExt:
		v.idx = isa.IdxU32
	case isa.OpSExt:
		v.idx = isa.IdxS32
	default:
		return
	}
	n.changed = true
	v.args[1] = n.low(x)
}

// lowHalf returns x when v is x's low half, zero- or sign-extended.
func lowHalf(v *value) (x *value, op isa.Op) {
	if v.typ != isa.I64 || len(v.args) != 2 || !v.args[1].isConst() {
		return nil, 0
	}
	x, c := v.args[0], v.args[1].imm
	switch {
	case v.op == isa.OpAnd && c == 1<<32-1:
		return x, isa.OpZExt
	case (v.op == isa.OpShrS || v.op == isa.OpShrU) && c == 32 && x.op == isa.OpShl && x.args[1].isConst() && x.args[1].imm == 32:
		if v.op == isa.OpShrS {
			return x.args[0], isa.OpSExt
		}
		return x.args[0], isa.OpZExt
	}
	return nil, 0
}
