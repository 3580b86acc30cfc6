package lower

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
)

// span is what a value can be: the numbers from lo to hi. A value of 64 bits
// counts as a signed number, a narrower one as an unsigned number.
type span struct{ lo, hi int64 }

// wholeSpan is all that a value of type t can be.
func wholeSpan(t isa.Type) span {
	if n := t.Bits(); n < 64 {
		return span{0, 1<<n - 1}
	}
	return span{math.MinInt64, math.MaxInt64}
}

func (s span) within(lo, hi int64) bool { return s.lo >= lo && s.hi <= hi }

func (s span) natural() bool { return s.lo >= 0 }

// unsigned32 and signed32 say whether the numbers are those of 32 bits.
func (s span) unsigned32() bool { return s.within(0, math.MaxUint32) }
func (s span) signed32() bool   { return s.within(math.MinInt32, math.MaxInt32) }

func (s span) join(o span) span { return span{min(s.lo, o.lo), max(s.hi, o.hi)} }

// ranges finds the spans of a kernel's values, each behind those of its operands. There is one at a time, as fn has them.
type ranges struct {
	f    *fn
	reqd [3]uint32 // the local size that the module requires, or zeros
}

type valueSpan struct {
	v *value
	span
}

func newRanges(f *fn) *ranges {
	f.spans = f.spans[:0]
	return &ranges{f: f, reqd: f.kernel.ReqdLocalSize}
}

// known returns the span that has been found of v; nil for none.
func (r *ranges) known(v *value) *span {
	if l := int(v.live); l < len(r.f.spans) && r.f.spans[l].v == v {
		return &r.f.spans[l].span
	}
	return nil
}

// of returns what v can be, as far as it has been found.
func (r *ranges) of(v *value) span {
	if v.isConst() {
		return span{int64(v.imm), int64(v.imm)}
	}
	if s := r.known(v); s != nil {
		return *s
	}
	return wholeSpan(v.typ)
}

// note finds the span of v, whose operands have theirs, unless it is known.
func (r *ranges) note(v *value) {
	if v.typ == isa.Void || v.typ == isa.B1 || r.known(v) != nil {
		return
	}
	r.set(v, r.find(v))
}

func (r *ranges) set(v *value, s span) {
	if k := r.known(v); k != nil {
		*k = s
		return
	}
	v.live = int32(len(r.f.spans))
	r.f.spans = push(r.f.spans, valueSpan{v, s})
}

func (r *ranges) find(v *value) span {
	all := wholeSpan(v.typ)
	if v.op == irPhi {
		s := r.of(v.args[0])
		for _, a := range v.args[1:] {
			s = s.join(r.of(a))
		}
		return s
	}
	if v.op == isa.OpBuiltin {
		if n := r.below(isa.Builtin(v.imm)); n != 0 && n-1 <= uint64(all.hi) {
			return span{0, int64(n - 1)}
		}
		return all
	}
	if v.elem.IsFloat() || v.elem == isa.B1 || len(v.args) == 0 {
		return all
	}
	x := r.of(v.args[0])
	var y span
	shift := -1 // by a constant
	if len(v.args) > 1 {
		y = r.of(v.args[1])
		if v.args[1].isConst() {
			shift = int(v.args[1].imm & uint64(v.elem.Bits()-1))
		}
	}
	half := int64(1) << ((v.elem.Bits() - 1) & 63) // where narrow numbers become negative
	plain := v.elem.Bits() == 64 || x.hi < half && y.hi < half
	s, ok := all, true
	switch v.op {
	case isa.OpSelect:
		return y.join(r.of(v.args[2]))
	case isa.OpZExt:
		return x // of fewer than 64 bits
	case isa.OpSExt:
		switch {
		case x.hi < half:
			return x
		case v.typ.Bits() == 64:
			return span{-half, half - 1}
		}
	case isa.OpTruncate:
		s = x
	case isa.OpAdd:
		s, ok = span{x.lo + y.lo, x.hi + y.hi}, !addOverflows(x.lo, y.lo) && !addOverflows(x.hi, y.hi)
	case isa.OpSub:
		s, ok = span{x.lo - y.hi, x.hi - y.lo}, !subOverflows(x.lo, y.hi) && !subOverflows(x.hi, y.lo)
	case isa.OpMul:
		s, ok = mulSpans(x, y)
	case isa.OpShl:
		if ok = shift >= 0 && shift < 63; ok {
			s, ok = mulSpans(x, span{1 << shift, 1 << shift})
		}
	case isa.OpAnd:
		switch {
		case x.natural() && y.natural():
			s = span{0, min(x.hi, y.hi)}
		case x.natural():
			s = span{0, x.hi}
		case y.natural():
			s = span{0, y.hi}
		}
	case isa.OpOr, isa.OpXor:
		if x.natural() && y.natural() {
			s = span{0, int64(1)<<bits.Len64(uint64(max(x.hi, y.hi))) - 1}
		}
	case isa.OpShrU:
		switch {
		case shift < 0:
		case x.natural():
			s = span{x.lo >> shift, x.hi >> shift}
		case shift > 0:
			s = span{0, int64(uint64(math.MaxUint64) >> shift)}
		}
	case isa.OpShrS:
		if plain && shift >= 0 {
			s = span{x.lo >> shift, x.hi >> shift}
		}
	case isa.OpDivU:
		if y.lo > 0 && x.natural() {
			s = span{x.lo / y.hi, x.hi / y.lo}
		}
	case isa.OpRemU:
		if y.lo > 0 {
			s = span{0, y.hi - 1}
			if x.natural() {
				s.hi = min(s.hi, x.hi)
			}
		}
	case isa.OpMinU, isa.OpMinS:
		if x.natural() && y.natural() && plain || v.op == isa.OpMinS && v.elem.Bits() == 64 || v.op == isa.OpMinU && v.elem.Bits() < 64 {
			s = span{min(x.lo, y.lo), min(x.hi, y.hi)}
		}
	case isa.OpMaxU, isa.OpMaxS:
		if x.natural() && y.natural() && plain || v.op == isa.OpMaxS && v.elem.Bits() == 64 || v.op == isa.OpMaxU && v.elem.Bits() < 64 {
			s = span{max(x.lo, y.lo), max(x.hi, y.hi)}
		}
	case isa.OpCtz, isa.OpClz, isa.OpPopCount:
		s = span{0, int64(v.elem.Bits())}
	}
	if !ok || !s.within(all.lo, all.hi) {
		return all
	}
	return s
}

// below returns one more than the largest value of a built-in, 0 when there is
// none below 2^64. Ids and sizes of the whole range have no bound but those of a
// specialized kernel.
func (r *ranges) below(b isa.Builtin) uint64 {
	n := uint64(0)
	switch {
	case b < isa.BuiltinGlobalID:
		if n = isa.MaxGroupItems; r.reqd != [3]uint32{} {
			n = min(n, uint64(r.reqd[b-isa.BuiltinLocalID]))
		}
	case b >= isa.BuiltinLocalSize && b < isa.BuiltinGlobalSize:
		if n = isa.MaxGroupItems + 1; r.reqd != [3]uint32{} {
			n = min(n, uint64(r.reqd[(b-isa.BuiltinLocalSize)%3])+1)
		}
	case b == isa.BuiltinWorkDim:
		n = 4
	case b == isa.BuiltinLocalLinearID, b == isa.BuiltinSubgroupID, b == isa.BuiltinSubgroupLocalID:
		n = isa.MaxGroupItems
	case b >= isa.BuiltinSubgroupSize && b < isa.NumBuiltins:
		n = isa.MaxGroupItems + 1
	}
	if k := r.f.known; k != nil {
		if m := k.below[b]; m != 0 && (n == 0 || m < n) {
			n = m
		}
	}
	return n
}

func addOverflows(x, y int64) bool { s := x + y; return (x^s)&(y^s) < 0 }
func subOverflows(x, y int64) bool { d := x - y; return (x^y)&(x^d) < 0 }

// mulSpans multiplies two spans; false when a product does not fit in 64 bits.
func mulSpans(x, y span) (span, bool) {
	s := span{math.MaxInt64, math.MinInt64}
	for _, a := range [2]int64{x.lo, x.hi} {
		for _, b := range [2]int64{y.lo, y.hi} {
			p := a * b
			if a != 0 && (p/a != b || a == -1 && b == math.MinInt64) {
				return span{}, false
			}
			s = span{min(s.lo, p), max(s.hi, p)}
		}
	}
	return s, true
}
