package opt

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Narrow makes 32-bit arithmetic of 64-bit arithmetic where that gives the same
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
func Narrow(f *ssa.Func) {
	n := &narrower{f: f, r: ssa.NewRanges(f)}
	n.f.GuessDivergence()
	for _, blk := range n.f.Blocks {
		for _, v := range blk.Phis {
			n.r.Note(v)
		}
		n.blk, n.insts = blk, nil
		for i, v := range blk.Insts {
			for j, a := range v.Args {
				if a.Repl != nil {
					v.Args[j] = a.Root()
				}
			}
			n.at = i
			n.inst(v)
			if v.Repl != nil {
				n.rewrite()
				continue
			}
			if n.insts != nil {
				n.insts = append(n.insts, v)
			}
			n.r.Note(v)
		}
		if n.insts != nil {
			blk.Insts = n.insts
		}
		if blk.Cond != nil {
			blk.Cond = blk.Cond.Root()
		}
	}
	if n.changed {
		n.f.Simplified = false
		n.f.ReplaceAll()
	}
}

type narrower struct {
	f       *ssa.Func
	r       *ssa.Ranges
	changed bool
	blk     *ssa.Block   // at hand
	at      int          // the instruction at hand
	insts   []*ssa.Value // what the block gets; nil as long as it keeps its own
	loc     uint32
}

// rewrite gives the block at hand other instructions than its own: those ahead of the one at hand, for now.
func (n *narrower) rewrite() {
	n.changed = true
	if n.insts == nil {
		own := n.blk.Insts
		n.insts = append(make([]*ssa.Value, 0, len(own)+4), own[:n.at]...)
	}
}

// add puts an instruction ahead of the one at hand, or returns what it amounts to.
func (n *narrower) add(op isa.Op, typ, elem isa.Type, args ...*ssa.Value) *ssa.Value {
	v := n.f.NewValue(op, typ, elem, args...)
	if s := SimplifyValue(n.f, v); s != nil {
		return s
	}
	v.Block, v.Loc = n.blk, n.loc
	for _, a := range v.Args {
		v.Varying = v.Varying || a.Varying
	}
	if v.Op == isa.OpBuiltin {
		v.Varying = n.f.LanesDiffer(v)
	}
	n.rewrite()
	n.insts = append(n.insts, v)
	n.r.Note(v)
	return v
}

// inst rewrites v in place, or says what stands in for it.
func (n *narrower) inst(v *ssa.Value) {
	n.loc = v.Loc
	if x, op := lowHalf(v); x != nil {
		n.changed = true
		v.Op, v.Elem, v.Args = op, isa.I32, []*ssa.Value{n.truncate(x)}
		return
	}
	n.unsigned(v)
	switch {
	case v.Repl != nil:
	case v.Op == isa.OpTruncate && v.Type == isa.I32 && v.Elem == isa.I64:
		v.Repl = n.demand(v.Args[0])
	case indexed(v):
		n.index(v)
	case !v.Varying:
	case v.Op.Info().Shape == isa.ShapeCompare && v.Elem == isa.I64:
		n.compare(v)
	case v.Type == isa.I64 && v.Elem == isa.I64:
		n.fitting(v)
	}
}

// unsigned makes an unsigned division of a signed one of numbers that are not negative, which may be a shift or a mask.
func (n *narrower) unsigned(v *ssa.Value) {
	op := v.Op
	switch op {
	case isa.OpDivS:
		op = isa.OpDivU
	case isa.OpRemS, isa.OpModS:
		op = isa.OpRemU
	default:
		return
	}
	for _, a := range v.Args {
		if s := n.r.Of(a); !s.Natural() || v.Elem.Bits() < 64 && s.Hi >= 1<<(v.Elem.Bits()-1) {
			return
		}
	}
	n.changed = true
	v.Op = op
	v.Repl = SimplifyValue(n.f, v)
}

// truncate returns the low half of x.
func (n *narrower) truncate(x *ssa.Value) *ssa.Value {
	if l := n.demand(x); l != nil {
		return l
	}
	return n.add(isa.OpTruncate, isa.I32, isa.I64, x)
}

// wrapping says whether the low half of an operation's result depends on the low
// halves of its operands alone.
func wrapping(v *ssa.Value) bool {
	switch v.Op {
	case isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpNot, isa.OpNeg:
		return true
	case isa.OpShl:
		return v.Args[1].IsConst() && v.Args[1].Imm < 32
	}
	return false
}

// cheapLow says whether the low half of x is at hand, or is computed once a wave.
func cheapLow(x *ssa.Value) bool {
	return !x.Varying || (x.Op == isa.OpZExt || x.Op == isa.OpSExt) && x.Elem.IsInt()
}

// low returns the low half of a value for which cheapLow holds.
func (n *narrower) low(x *ssa.Value) *ssa.Value {
	switch {
	case x.IsConst():
		return n.f.Constant(isa.I32, x.Imm)
	case (x.Op == isa.OpZExt || x.Op == isa.OpSExt) && x.Elem == isa.I32:
		return x.Args[0]
	case (x.Op == isa.OpZExt || x.Op == isa.OpSExt) && x.Elem.IsInt():
		return n.add(x.Op, isa.I32, x.Elem, x.Args[0])
	}
	return n.add(isa.OpTruncate, isa.I32, isa.I64, x)
}

// demand returns the low half of x, computed from the low halves of what x is
// made of; nil where that is no gain.
func (n *narrower) demand(x *ssa.Value) *ssa.Value {
	switch {
	case x.Varying && cheapLow(x):
		return n.low(x)
	case !wrapping(x):
		return nil
	}
	// Each operand that needs a truncation of its own makes up for the one that goes.
	// An operation that others need in 64 bits stays, beside that of 32.
	if steep := truncations(x, x.Varying, 0); steep > 1 || steep > 0 && x.Uses > 1 {
		return nil
	}
	return n.build(x, 0)
}

const deepestDemand = 4

// through says whether build goes on into operand i of x.
func through(x *ssa.Value, i, depth int) bool {
	a := x.Args[i]
	return depth < deepestDemand && a.Uses == 1 && wrapping(a)
}

// truncations counts those that build makes; not those that are made once a wave
// to have a result for each lane.
func truncations(x *ssa.Value, div bool, depth int) int {
	t := 0
	for i, a := range x.Args {
		switch {
		case x.Op == isa.OpShl && i == 1, a.IsConst(), (a.Varying || div) && cheapLow(a):
		case through(x, i, depth):
			t += truncations(a, div, depth+1)
		default:
			t++
		}
	}
	return t
}

// build computes the low half of x, which is wrapping.
func (n *narrower) build(x *ssa.Value, depth int) *ssa.Value {
	var args [2]*ssa.Value
	for i, a := range x.Args {
		switch {
		case x.Op == isa.OpShl && i == 1:
			args[i] = n.f.Constant(isa.I32, a.Imm)
		case a.Varying && cheapLow(a):
			args[i] = n.low(a)
		case through(x, i, depth):
			args[i] = n.build(a, depth+1)
		default:
			args[i] = n.low(a)
		}
	}
	return n.add(x.Op, isa.I32, isa.I32, args[:len(x.Args)]...)
}

// fitting makes an extension of a 64-bit operation whose result fits in 32 bits.
func (n *narrower) fitting(v *ssa.Value) {
	s := n.r.Find(v)
	ext := isa.OpZExt
	if !s.Unsigned32() {
		if !s.Signed32() {
			return
		}
		ext = isa.OpSExt
	}
	args := v.Args
	switch v.Op {
	case isa.OpShrU, isa.OpShrS, isa.OpDivU, isa.OpRemU:
		// The high half of the operand takes part, unless it is zero.
		if !n.r.Of(args[0]).Unsigned32() || !args[1].IsConst() || n.r.Of(args[1]).Lo < 0 ||
			(v.Op == isa.OpDivU || v.Op == isa.OpRemU) && (args[1].Imm == 0 || args[1].Imm>>32 != 0) ||
			(v.Op == isa.OpShrU || v.Op == isa.OpShrS) && args[1].Imm > 31 {
			return
		}
	case isa.OpMinU, isa.OpMaxU, isa.OpMinS, isa.OpMaxS:
		if !n.r.Of(args[0]).Unsigned32() || !n.r.Of(args[1]).Unsigned32() {
			return
		}
	case isa.OpSelect:
	default:
		if !wrapping(v) {
			return
		}
	}
	from := 0
	if v.Op == isa.OpSelect {
		from = 1
	}
	for _, a := range args[from:] {
		if !cheapLow(a) {
			return
		}
	}
	op := v.Op
	switch op {
	case isa.OpShrS:
		op = isa.OpShrU // of what is not negative
	case isa.OpMinS:
		op = isa.OpMinU
	case isa.OpMaxS:
		op = isa.OpMaxU
	}
	var to [3]*ssa.Value
	copy(to[:], args[:from])
	for i, a := range args[from:] {
		to[from+i] = n.low(a)
	}
	x := n.add(op, isa.I32, isa.I32, to[:len(args)]...)
	n.changed = true
	v.Op, v.Elem, v.Args = ext, isa.I32, []*ssa.Value{x}
	n.r.Set(v, s)
}

// compare compares the low halves of what fits in 32 bits.
func (n *narrower) compare(v *ssa.Value) {
	x, y := v.Args[0], v.Args[1]
	if !cheapLow(x) || !cheapLow(y) {
		return
	}
	sx, sy := n.r.Of(x), n.r.Of(y)
	op := v.Op
	switch {
	case sx.Unsigned32() && sy.Unsigned32():
		// Numbers that are not negative have one order.
		switch op {
		case isa.OpLtS:
			op = isa.OpLtU
		case isa.OpLeS:
			op = isa.OpLeU
		}
	case sx.Signed32() && sy.Signed32() && op != isa.OpLtU && op != isa.OpLeU:
	default:
		return
	}
	switch op {
	case isa.OpEq, isa.OpNe, isa.OpLtU, isa.OpLeU, isa.OpLtS, isa.OpLeS:
		n.changed = true
		v.Op, v.Elem, v.Args = op, isa.I32, []*ssa.Value{n.low(x), n.low(y)}
	}
}

// indexed says whether v has an address with an index of 64 bits.
func indexed(v *ssa.Value) bool {
	switch v.Op.Info().Shape {
	case isa.ShapePtrAdd, isa.ShapeLoad, isa.ShapeStore, isa.ShapeAtomic, isa.ShapeBlockLoad, isa.ShapeBlockStore:
		return v.Idx == isa.Idx64
	}
	return false
}

// index makes an index that is extended from fewer than 32 bits one of 32.
func (n *narrower) index(v *ssa.Value) {
	x := v.Args[1]
	if !x.Varying || !x.Elem.IsInt() || x.Elem.Bits() >= 32 {
		return
	}
	switch x.Op {
	case isa.OpZExt:
		v.Idx = isa.IdxU32
	case isa.OpSExt:
		v.Idx = isa.IdxS32
	default:
		return
	}
	n.changed = true
	v.Args[1] = n.low(x)
}

// lowHalf returns x when v is x's low half, zero- or sign-extended.
func lowHalf(v *ssa.Value) (x *ssa.Value, op isa.Op) {
	if v.Type != isa.I64 || len(v.Args) != 2 || !v.Args[1].IsConst() {
		return nil, 0
	}
	x, c := v.Args[0], v.Args[1].Imm
	switch {
	case v.Op == isa.OpAnd && c == 1<<32-1:
		return x, isa.OpZExt
	case (v.Op == isa.OpShrS || v.Op == isa.OpShrU) && c == 32 && x.Op == isa.OpShl && x.Args[1].IsConst() && x.Args[1].Imm == 32:
		if v.Op == isa.OpShrS {
			return x.Args[0], isa.OpSExt
		}
		return x.Args[0], isa.OpZExt
	}
	return nil, 0
}
