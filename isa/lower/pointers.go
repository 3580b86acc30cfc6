package lower

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
)

// maxChain is the number of additions to a pointer that are followed one by one. Additions of constants become one as
// long as their sum is small.
const maxChain = 64

// fits says whether a displacement fits in an instruction.
func fits(d int64) bool { return d >= math.MinInt32 && d <= math.MaxInt32 }

// privateRoot returns the private variable that a pointer leads to, -1 for none. value.pos of an addition to a pointer
// has that plus one, while those who ask look at the kernel in the order of its blocks.
func privateRoot(p *value) int32 {
	switch p.op {
	case isa.OpPtrAdd:
		return p.pos - 1
	case irPriv:
		return p.index
	}
	return -1
}

// ownAddress says whether a pointer is the same in registers and in memory, since nothing shares what it leads to: a variable,
// or nothing.
func ownAddress(p *value) bool {
	for n := 0; p.op == isa.OpPtrAdd && n < maxChain; n++ {
		p = p.args[0]
	}
	switch p.op {
	case irPriv, irGlobal, irLocal, irInput, irPipe, irUndef:
		return true
	case irConst:
		return p.imm == 0
	}
	return false
}

// Steps in bytes. A step of up to maxStep bytes (memory.MaxSize) from inside of an object leads to an offset
// that a pointer can have, and one back from where no pointer can be does not lead inside. No step of
// outOfReach bytes leads from one such offset to another, nor is it undone by one of maxStep.
const (
	maxStep    = 1 << 38
	outOfReach = 1 << 41
)

// step returns how many bytes the address of v is behind its pointer; false if that has more than 64 bits.
func (r *ranges) step(v *value) (span, bool) {
	s := span{}
	if v.idx != isa.IdxNone {
		s = r.index(v.args[1], v.idx)
	}
	s, ok := mulSpans(s, span{int64(v.scale), int64(v.scale)})
	d := int64(v.disp)
	return span{s.lo + d, s.hi + d}, ok && !addOverflows(s.lo, d) && !addOverflows(s.hi, d)
}

// index returns what an index is.
func (r *ranges) index(x *value, t isa.IdxType) span {
	s := r.of(x)
	if t == isa.IdxS32 && s.hi > math.MaxInt32 {
		return span{math.MinInt32, math.MaxInt32}
	}
	return s
}

// offset returns the offsets that a pointer can have, as far as is known, in few steps.
func (r *ranges) offset(p *value, steps int) (span, bool) {
	switch p.op {
	case irGlobal, irPriv, irLocal:
		return span{}, true
	case irParam:
		if k := r.f.kernel.Params[p.index].Kind; k == isa.ParamGlobal || k == isa.ParamLocal {
			return span{0, maxStep}, true
		}
	case isa.OpPtrAdd:
		if steps == 0 {
			break
		}
		s, ok := r.step(p)
		from, known := r.offset(p.args[0], steps-1)
		if ok && known && s.within(-outOfReach, outOfReach) {
			s = span{from.lo + s.lo, from.hi + s.hi}
			return s, s.within(1-2*maxStep, 2*maxStep-1)
		}
	}
	return span{}, false
}
