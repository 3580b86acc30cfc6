package ssa

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Span is what a value can be: the numbers from lo to hi. A value of 64 bits
// counts as a signed number, a narrower one as an unsigned number.
type Span struct{ Lo, Hi int64 }

// WholeSpan is all that a value of type t can be.
func WholeSpan(t isa.Type) Span {
	if n := t.Bits(); n < 64 {
		return Span{0, 1<<n - 1}
	}
	return Span{math.MinInt64, math.MaxInt64}
}

// Within says whether all numbers are from lo to hi.
func (s Span) Within(lo, hi int64) bool { return s.Lo >= lo && s.Hi <= hi }

// Natural says whether no number is negative.
func (s Span) Natural() bool { return s.Lo >= 0 }

// Unsigned32 says whether the numbers are unsigned ones of 32 bits.
func (s Span) Unsigned32() bool { return s.Within(0, math.MaxUint32) }

// Signed32 says whether the numbers are signed ones of 32 bits.
func (s Span) Signed32() bool { return s.Within(math.MinInt32, math.MaxInt32) }

func (s Span) join(o Span) Span { return Span{min(s.Lo, o.Lo), max(s.Hi, o.Hi)} }

// Ranges finds the spans of a kernel's values, each behind those of its operands. There is one at a time, as Func has them.
type Ranges struct {
	f    *Func
	reqd [3]uint32 // the local size that the module requires, or zeros
}

// ValueSpan is the span of a value.
type ValueSpan struct {
	v *Value
	Span
}

// NewRanges begins to find spans, and forgets those that were found before.
func NewRanges(f *Func) *Ranges {
	f.spans = f.spans[:0]
	return &Ranges{f: f, reqd: f.Kernel.ReqdLocalSize}
}

// known returns the span that has been found of v; nil for none.
func (r *Ranges) known(v *Value) *Span {
	if l := int(v.Live); l < len(r.f.spans) && r.f.spans[l].v == v {
		return &r.f.spans[l].Span
	}
	return nil
}

// Of returns what v can be, as far as it has been found.
func (r *Ranges) Of(v *Value) Span {
	if v.IsConst() {
		return Span{int64(v.Imm), int64(v.Imm)}
	}
	if s := r.known(v); s != nil {
		return *s
	}
	return WholeSpan(v.Type)
}

// Note finds the span of v, whose operands have theirs, unless it is known.
func (r *Ranges) Note(v *Value) {
	if v.Type == isa.Void || v.Type == isa.B1 || r.known(v) != nil {
		return
	}
	r.Set(v, r.Find(v))
}

// Set notes the span of v.
func (r *Ranges) Set(v *Value, s Span) {
	if k := r.known(v); k != nil {
		*k = s
		return
	}
	v.Live = int32(len(r.f.spans))
	r.f.spans = Append(r.f.spans, ValueSpan{v, s})
}

// Find returns the span of v as that of its operands has it.
func (r *Ranges) Find(v *Value) Span {
	all := WholeSpan(v.Type)
	if v.Op == OpPhi {
		s := r.Of(v.Args[0])
		for _, a := range v.Args[1:] {
			s = s.join(r.Of(a))
		}
		return s
	}
	if v.Op == isa.OpBuiltin {
		if n := r.below(isa.Builtin(v.Imm)); n != 0 && n-1 <= uint64(all.Hi) {
			return Span{0, int64(n - 1)}
		}
		return all
	}
	if v.Elem.IsFloat() || v.Elem == isa.B1 || len(v.Args) == 0 {
		return all
	}
	x := r.Of(v.Args[0])
	var y Span
	shift := -1 // by a constant
	if len(v.Args) > 1 {
		y = r.Of(v.Args[1])
		if v.Args[1].IsConst() {
			shift = int(v.Args[1].Imm & uint64(v.Elem.Bits()-1))
		}
	}
	half := int64(1) << ((v.Elem.Bits() - 1) & 63) // where narrow numbers become negative
	plain := v.Elem.Bits() == 64 || x.Hi < half && y.Hi < half
	s, ok := all, true
	switch v.Op {
	case isa.OpSelect:
		return y.join(r.Of(v.Args[2]))
	case isa.OpZExt:
		return x // of fewer than 64 bits
	case isa.OpSExt:
		switch {
		case x.Hi < half:
			return x
		case v.Type.Bits() == 64:
			return Span{-half, half - 1}
		}
	case isa.OpTruncate:
		s = x
	case isa.OpAdd:
		s, ok = Span{x.Lo + y.Lo, x.Hi + y.Hi}, !AddOverflows(x.Lo, y.Lo) && !AddOverflows(x.Hi, y.Hi)
	case isa.OpSub:
		s, ok = Span{x.Lo - y.Hi, x.Hi - y.Lo}, !SubOverflows(x.Lo, y.Hi) && !SubOverflows(x.Hi, y.Lo)
	case isa.OpMul:
		s, ok = MulSpans(x, y)
	case isa.OpShl:
		if ok = shift >= 0 && shift < 63; ok {
			s, ok = MulSpans(x, Span{1 << shift, 1 << shift})
		}
	case isa.OpAnd:
		switch {
		case x.Natural() && y.Natural():
			s = Span{0, min(x.Hi, y.Hi)}
		case x.Natural():
			s = Span{0, x.Hi}
		case y.Natural():
			s = Span{0, y.Hi}
		}
	case isa.OpOr, isa.OpXor:
		if x.Natural() && y.Natural() {
			s = Span{0, int64(1)<<bits.Len64(uint64(max(x.Hi, y.Hi))) - 1}
		}
	case isa.OpShrU:
		switch {
		case shift < 0:
		case x.Natural():
			s = Span{x.Lo >> shift, x.Hi >> shift}
		case shift > 0:
			s = Span{0, int64(uint64(math.MaxUint64) >> shift)}
		}
	case isa.OpShrS:
		if plain && shift >= 0 {
			s = Span{x.Lo >> shift, x.Hi >> shift}
		}
	case isa.OpDivU:
		if y.Lo > 0 && x.Natural() {
			s = Span{x.Lo / y.Hi, x.Hi / y.Lo}
		}
	case isa.OpRemU:
		if y.Lo > 0 {
			s = Span{0, y.Hi - 1}
			if x.Natural() {
				s.Hi = min(s.Hi, x.Hi)
			}
		}
	case isa.OpMinU, isa.OpMinS:
		if x.Natural() && y.Natural() && plain || v.Op == isa.OpMinS && v.Elem.Bits() == 64 || v.Op == isa.OpMinU && v.Elem.Bits() < 64 {
			s = Span{min(x.Lo, y.Lo), min(x.Hi, y.Hi)}
		}
	case isa.OpMaxU, isa.OpMaxS:
		if x.Natural() && y.Natural() && plain || v.Op == isa.OpMaxS && v.Elem.Bits() == 64 || v.Op == isa.OpMaxU && v.Elem.Bits() < 64 {
			s = Span{max(x.Lo, y.Lo), max(x.Hi, y.Hi)}
		}
	case isa.OpCtz, isa.OpClz, isa.OpPopCount:
		s = Span{0, int64(v.Elem.Bits())}
	}
	if !ok || !s.Within(all.Lo, all.Hi) {
		return all
	}
	return s
}

// below returns one more than the largest value of a built-in, 0 when there is
// none below 2^64. Ids and sizes of the whole range have no bound but those of a
// specialized kernel.
func (r *Ranges) below(b isa.Builtin) uint64 {
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
	if k := r.f.Known; k != nil {
		if m := k.Below[b]; m != 0 && (n == 0 || m < n) {
			n = m
		}
	}
	return n
}

// AddOverflows says whether x + y does not fit.
func AddOverflows(x, y int64) bool { s := x + y; return (x^s)&(y^s) < 0 }

// SubOverflows says whether x - y does not fit.
func SubOverflows(x, y int64) bool { d := x - y; return (x^y)&(x^d) < 0 }

// MulSpans multiplies two spans; false when a product does not fit in 64 bits.
func MulSpans(x, y Span) (Span, bool) {
	s := Span{math.MaxInt64, math.MinInt64}
	for _, a := range [2]int64{x.Lo, x.Hi} {
		for _, b := range [2]int64{y.Lo, y.Hi} {
			p := a * b
			if a != 0 && (p/a != b || a == -1 && b == math.MinInt64) {
				return Span{}, false
			}
			s = Span{min(s.Lo, p), max(s.Hi, p)}
		}
	}
	return s, true
}
