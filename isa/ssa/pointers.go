package ssa

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
)

// MaxChain is the number of additions to a pointer that are followed one by one. Additions of constants become one as
// long as their sum is small.
const MaxChain = 64

// FitsDisp says whether a displacement fits in an instruction.
func FitsDisp(d int64) bool { return d >= math.MinInt32 && d <= math.MaxInt32 }

// PrivateRoot returns the private variable that a pointer leads to, -1 for none. Value.Pos of an addition to a pointer
// has that plus one, while those who ask look at the kernel in the order of its blocks.
func PrivateRoot(p *Value) int32 {
	switch p.Op {
	case isa.OpPtrAdd:
		return p.Pos - 1
	case OpPrivate:
		return p.Index
	}
	return -1
}

// OwnAddress says whether a pointer is the same in registers and in memory, since nothing shares what it leads to: a variable,
// or nothing.
func OwnAddress(p *Value) bool {
	for n := 0; p.Op == isa.OpPtrAdd && n < MaxChain; n++ {
		p = p.Args[0]
	}
	switch p.Op {
	case OpPrivate, OpGlobal, OpLocal, OpInput, OpPipeHandle, OpUndef:
		return true
	case OpConst:
		return p.Imm == 0
	}
	return false
}

// Steps in bytes. A step of up to MaxStep bytes (memory.MaxSize) from inside of an object leads to an offset
// that a pointer can have, and one back from where no pointer can be does not lead inside. No step of
// OutOfReach bytes leads from one such offset to another, nor is it undone by one of MaxStep.
const (
	MaxStep    = 1 << 38
	OutOfReach = 1 << 41
)

// Step returns how many bytes the address of v is behind its pointer; false if that has more than 64 bits.
func (r *Ranges) Step(v *Value) (Span, bool) {
	s := Span{}
	if v.Idx != isa.IdxNone {
		s = r.Index(v.Args[1], v.Idx)
	}
	s, ok := MulSpans(s, Span{int64(v.Scale), int64(v.Scale)})
	d := int64(v.Disp)
	return Span{s.Lo + d, s.Hi + d}, ok && !AddOverflows(s.Lo, d) && !AddOverflows(s.Hi, d)
}

// Index returns what an index is.
func (r *Ranges) Index(x *Value, t isa.IdxType) Span {
	s := r.Of(x)
	if t == isa.IdxS32 && s.Hi > math.MaxInt32 {
		return Span{math.MinInt32, math.MaxInt32}
	}
	return s
}

// Offset returns the offsets that a pointer can have, as far as is known, in few steps.
func (r *Ranges) Offset(p *Value, steps int) (Span, bool) {
	switch p.Op {
	case OpGlobal, OpPrivate, OpLocal:
		return Span{}, true
	case OpParam:
		if k := r.f.Kernel.Params[p.Index].Kind; k == isa.ParamGlobal || k == isa.ParamLocal {
			return Span{0, MaxStep}, true
		}
	case isa.OpPtrAdd:
		if steps == 0 {
			break
		}
		s, ok := r.Step(p)
		from, known := r.Offset(p.Args[0], steps-1)
		if ok && known && s.Within(-OutOfReach, OutOfReach) {
			s = Span{from.Lo + s.Lo, from.Hi + s.Hi}
			return s, s.Within(1-2*MaxStep, 2*MaxStep-1)
		}
	}
	return Span{}, false
}
