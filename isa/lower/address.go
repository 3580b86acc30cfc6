package lower

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// addresses folds pointer arithmetic into the accesses that use it, and finds
// out where generic pointers lead.
func addresses(f *fn) {
	r := newRanges(f)
	changed := !f.simple
	for _, blk := range f.blocks {
		for _, v := range blk.phis {
			r.note(v)
		}
		for _, v := range blk.insts {
			switch v.op {
			case isa.OpPtrAdd, isa.OpLoad, isa.OpStore, isa.OpAtomic, isa.OpBlockLoad, isa.OpBlockStore:
				changed = foldAddress(v, r) || changed
			}
			r.note(v)
		}
	}
	most := 1<<20 + 16*f.nvals
	o := &origins{f: f, left: most, known: map[*value]isa.Space{}}
	for _, blk := range f.blocks {
		for _, v := range blk.insts {
			switch v.op {
			case isa.OpLoad, isa.OpStore, isa.OpAtomic, isa.OpPtrAdd, isa.OpBlockLoad, isa.OpBlockStore:
				if v.space == isa.SpaceGeneric {
					v.space = o.of(v.args[0], 0)
				}
			}
		}
	}
	f.steps += most - o.left
	if changed {
		f.dropDead()
	}
}

// constantSteps follows constant steps back from p to the pointer that they begin at, and adds them up. So
// few of them (maxChain) lead less than maxStep away: what has gone further may not come back.
func constantSteps(p *value) (base *value, off int64) {
	for n := 0; p.op == isa.OpPtrAdd && p.idx == isa.IdxNone && n < maxChain; n++ {
		off += int64(p.disp)
		p = p.args[0]
	}
	return p, off
}

// mergeable says whether the constant step d from p, a constant step itself, may be one with that: the sum
// has to fit, and a way back must not hide how far such steps have led before.
func mergeable(p *value, d int64) bool {
	const most = 1 << 32
	if !fits(int64(p.disp) + d) {
		return false
	}
	if p.disp < 0 == (d < 0) {
		return true // as far away in the end
	}
	off := int64(0)
	for range maxChain {
		if p.op != isa.OpPtrAdd || p.idx != isa.IdxNone {
			return true
		}
		if off += int64(p.disp); off < -most || off > most {
			return false
		}
		p = p.args[0]
	}
	return false
}

// rest returns the arguments of an access behind its address.
func rest(v *value) []*value {
	n := 1
	if v.idx != isa.IdxNone {
		n = 2
	}
	return v.args[n:]
}

// foldAddress takes additions to the pointer and arithmetic on the index into
// the address of v. It says whether it changed that.
func foldAddress(v *value, r *ranges) (changed bool) {
	for ; ; changed = true {
		p := v.args[0]
		if p.op == isa.OpPtrAdd && p.idx == isa.IdxNone && mergeable(p, int64(v.disp)) {
			v.disp += p.disp
			v.args[0] = p.args[0]
			continue
		}
		if p.op == isa.OpPtrAdd && p.idx != isa.IdxNone && v.idx == isa.IdxNone && fits(int64(v.disp)+int64(p.disp)) {
			tail := rest(v)
			args := append([]*value{p.args[0], p.args[1]}, tail...)
			v.args = args
			v.idx, v.scale = p.idx, p.scale
			v.disp += p.disp
			continue
		}
		if v.idx == isa.IdxNone {
			return changed
		}
		x := v.args[1]
		switch {
		case x.isConst():
			n := x.sext()
			if v.idx == isa.IdxU32 {
				n = int64(x.imm)
			}
			d := n * int64(v.scale)
			if n != 0 && (d/n != int64(v.scale) || !fits(int64(v.disp)+d)) {
				return changed
			}
			v.args = append([]*value{v.args[0]}, rest(v)...)
			v.idx, v.scale = isa.IdxNone, 0
			v.disp += int32(d)
		case v.idx == isa.Idx64 && x.op == isa.OpSExt && x.elem == isa.I32:
			v.args[1], v.idx = x.args[0], isa.IdxS32
		case v.idx == isa.Idx64 && x.op == isa.OpZExt && x.elem == isa.I32:
			v.args[1], v.idx = x.args[0], isa.IdxU32
		case addsConst(x):
			d := x.args[1].sext()
			if !exact(v, x, d, r) || !fits(d) || !fits(int64(v.disp)+d*int64(v.scale)) {
				return changed
			}
			v.disp += int32(d * int64(v.scale))
			v.args[1] = x.args[0]
		case (x.op == isa.OpMul || x.op == isa.OpShl) && x.args[1].isConst():
			m := x.args[1].imm
			if x.op == isa.OpShl {
				if m >= 32 {
					return changed
				}
				m = 1 << m
			}
			hi, lo := bits.Mul64(m, uint64(v.scale))
			if hi != 0 || lo == 0 || lo > 1<<31 || !exact(v, x, x.args[1].sext(), r) {
				return changed
			}
			v.scale = uint32(lo)
			v.args[1] = x.args[0]
		default:
			return changed
		}
	}
}

// addsConst says whether x is the sum of its operands, the second one a
// constant. A disjunction is one where the operands have no bit in common.
func addsConst(x *value) bool {
	if len(x.args) != 2 || !x.args[1].isConst() || x.op != isa.OpAdd && x.op != isa.OpOr {
		return false
	}
	return x.op == isa.OpAdd || x.args[1].imm>>zeroBits(x.args[0]) == 0
}

// zeroBits returns the number of low bits that are known to be zero.
func zeroBits(x *value) int {
	if len(x.args) != 2 || !x.args[1].isConst() {
		return 0
	}
	switch last := x.typ.Bits() - 1; x.op {
	case isa.OpMul:
		return min(bits.TrailingZeros64(x.args[1].imm), last)
	case isa.OpShl:
		return int(x.args[1].imm & uint64(last))
	}
	return 0
}

// exact says whether the index x of v, which adds, multiplies by or shifts by the
// constant c, is the same as a number: it must not wrap, ahead of its extension if
// it has 32 bits, which the module promises or ranges tell. A sum of 64 bits that
// wraps is as far away on the other side.
func exact(v, x *value, c int64, r *ranges) bool {
	if x.op == isa.OpOr || v.idx == isa.Idx64 && x.op == isa.OpAdd {
		return true
	}
	if x.op == isa.OpMul && c < 0 {
		return false // scales are positive
	}
	if v.idx != isa.IdxU32 && x.wraps&noSignedWrap != 0 || v.idx == isa.IdxU32 && x.wraps&noUnsignedWrap != 0 && c >= 0 {
		return true
	}
	s := r.of(x.args[0])
	if v.idx == isa.IdxS32 && s.hi > math.MaxInt32 {
		return false // some are negative, and this is not known of a part of them
	}
	ok := true
	switch x.op {
	case isa.OpAdd:
		s = span{s.lo + c, s.hi + c}
	case isa.OpMul:
		s, ok = mulSpans(s, span{c, c})
	case isa.OpShl:
		s, ok = mulSpans(s, span{1 << c, 1 << c})
	}
	switch v.idx {
	case isa.Idx64:
		return ok
	case isa.IdxS32:
		return ok && s.signed32()
	}
	return ok && s.unsigned32()
}

// origins finds out where pointers lead.
type origins struct {
	f     *fn
	left  int                  // steps
	known map[*value]isa.Space // of phis and selections that an access uses
}

// of finds the address space that a pointer's value comes from, or
// SpaceGeneric when that cannot be told, or it would take too long.
func (o *origins) of(p *value, depth int) isa.Space {
	for p.op == isa.OpPtrAdd {
		// An addition that was looked at knows where it leads.
		if p.space != isa.SpaceGeneric && depth == 0 {
			return p.space
		}
		if o.left--; o.left < 0 {
			return isa.SpaceGeneric
		}
		p = p.args[0]
	}
	if depth == 0 && (p.op == irPhi || p.op == isa.OpSelect) {
		s, ok := o.known[p]
		if !ok {
			s = o.find(p, 0)
			o.known[p] = s
		}
		return s
	}
	return o.find(p, depth)
}

func (o *origins) find(p *value, depth int) isa.Space {
	switch p.op {
	case irGlobal:
		return isa.SpaceGlobal
	case irPriv:
		return isa.SpacePrivate
	case irLocal:
		return isa.SpaceLocal
	case irParam:
		switch o.f.kernel.Params[p.index].Kind {
		case isa.ParamGlobal:
			return isa.SpaceGlobal
		case isa.ParamLocal:
			return isa.SpaceLocal
		}
	case irPhi, isa.OpSelect:
		if depth > 4 {
			return isa.SpaceGeneric
		}
		args := p.args
		if p.op == isa.OpSelect {
			args = args[1:]
		}
		sp := isa.SpaceGeneric
		for _, a := range args {
			if a == p || a.op == isa.OpPtrAdd && a.args[0] == p {
				continue // a pointer that moves along
			}
			if o.left--; o.left < 0 {
				return isa.SpaceGeneric
			}
			s := o.of(a, depth+1)
			if s == isa.SpaceGeneric || sp != isa.SpaceGeneric && s != sp {
				return isa.SpaceGeneric
			}
			sp = s
		}
		return sp
	}
	return isa.SpaceGeneric
}

// fuse joins a multiplication with the addition that is its only user. Two
// roundings stay two roundings.
func fuse(f *fn) {
	fused := false
	for _, blk := range f.blocks {
		for _, v := range blk.insts {
			mul, to := isa.OpMul, isa.OpMad
			switch v.op {
			case isa.OpAdd:
			case isa.OpFAdd:
				mul, to = isa.OpFMul, isa.OpFMulAdd
			default:
				continue
			}
			for i, m := range v.args {
				if m.op == mul && m.uses == 1 && m.blk == blk && m.elem == v.elem {
					v.op, fused = to, true
					v.args = []*value{m.args[0], m.args[1], v.args[1-i]}
					break
				}
			}
		}
	}
	if fused {
		f.dropDead()
	}
}

// hoist moves computations out of loops in which their operands do not change.
func hoist(f *fn) {
	if f.once {
		return // the way into a loop may run for one work-item only
	}
	f.loopEntries(false)
	// Inner loops come first, so that what leaves one may leave the next: it stands in a block of that one then.
	passed := map[*loop][]*block{} // blocks of inner loops that nothing could leave
	for _, l := range f.nest {
		blocks := l.own
		if more := passed[l]; more != nil {
			blocks = append(slices.Clone(blocks), more...)
			slices.SortFunc(blocks, func(a, b *block) int { return a.rpo - b.rpo })
			delete(passed, l)
		}
		pre := f.preheader(l)
		if pre == nil {
			if l.parent != nil {
				passed[l.parent] = append(passed[l.parent], blocks...)
			}
			continue
		}
		for _, blk := range blocks {
			insts := blk.insts[:0]
			for _, v := range blk.insts {
				if v.movable() && l.invariant(v) {
					v.blk = pre
					pre.insts = append(pre.insts, v)
					continue
				}
				insts = append(insts, v)
			}
			blk.insts = insts
		}
	}
}
