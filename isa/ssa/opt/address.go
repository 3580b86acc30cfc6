package opt

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Addresses folds pointer arithmetic into the accesses that use it, and finds
// out where generic pointers lead.
func Addresses(f *ssa.Func) {
	r := ssa.NewRanges(f)
	changed := !f.Simplified
	for _, blk := range f.Blocks {
		for _, v := range blk.Phis {
			r.Note(v)
		}
		for _, v := range blk.Insts {
			switch v.Op {
			case isa.OpPtrAdd, isa.OpLoad, isa.OpStore, isa.OpAtomic, isa.OpBlockLoad, isa.OpBlockStore:
				changed = foldAddress(v, r) || changed
			}
			r.Note(v)
		}
	}
	most := 1<<20 + 16*f.NumValues
	o := &origins{f: f, left: most, known: map[*ssa.Value]isa.Space{}}
	for _, blk := range f.Blocks {
		for _, v := range blk.Insts {
			switch v.Op {
			case isa.OpLoad, isa.OpStore, isa.OpAtomic, isa.OpPtrAdd, isa.OpBlockLoad, isa.OpBlockStore:
				if v.Space == isa.SpaceGeneric {
					v.Space = o.of(v.Args[0], 0)
				}
			}
		}
	}
	f.Steps += most - o.left
	if changed {
		dropDead(f)
	}
}

// ConstantSteps follows constant steps back from p to the pointer that they begin at, and adds them up. So
// few of them (MaxChain) lead less than MaxStep away: what has gone further may not come back.
func ConstantSteps(p *ssa.Value) (base *ssa.Value, off int64) {
	for n := 0; p.Op == isa.OpPtrAdd && p.Idx == isa.IdxNone && n < ssa.MaxChain; n++ {
		off += int64(p.Disp)
		p = p.Args[0]
	}
	return p, off
}

// Mergeable says whether the constant step d from p, a constant step itself, may be one with that: the sum
// has to fit, and a way back must not hide how far such steps have led before.
func Mergeable(p *ssa.Value, d int64) bool {
	const most = 1 << 32
	if !ssa.FitsDisp(int64(p.Disp) + d) {
		return false
	}
	if p.Disp < 0 == (d < 0) {
		return true // as far away in the end
	}
	off := int64(0)
	for range ssa.MaxChain {
		if p.Op != isa.OpPtrAdd || p.Idx != isa.IdxNone {
			return true
		}
		if off += int64(p.Disp); off < -most || off > most {
			return false
		}
		p = p.Args[0]
	}
	return false
}

// Rest returns the arguments of an access behind its address.
func Rest(v *ssa.Value) []*ssa.Value {
	n := 1
	if v.Idx != isa.IdxNone {
		n = 2
	}
	return v.Args[n:]
}

// foldAddress takes additions to the pointer and arithmetic on the index into
// the address of v. It says whether it changed that.
func foldAddress(v *ssa.Value, r *ssa.Ranges) (changed bool) {
	for ; ; changed = true {
		p := v.Args[0]
		if p.Op == isa.OpPtrAdd && p.Idx == isa.IdxNone && Mergeable(p, int64(v.Disp)) {
			v.Disp += p.Disp
			v.Args[0] = p.Args[0]
			continue
		}
		if p.Op == isa.OpPtrAdd && p.Idx != isa.IdxNone && v.Idx == isa.IdxNone && ssa.FitsDisp(int64(v.Disp)+int64(p.Disp)) {
			tail := Rest(v)
			args := append([]*ssa.Value{p.Args[0], p.Args[1]}, tail...)
			v.Args = args
			v.Idx, v.Scale = p.Idx, p.Scale
			v.Disp += p.Disp
			continue
		}
		if v.Idx == isa.IdxNone {
			return changed
		}
		x := v.Args[1]
		switch {
		case x.IsConst():
			n := x.Signed()
			if v.Idx == isa.IdxU32 {
				n = int64(x.Imm)
			}
			d := n * int64(v.Scale)
			if n != 0 && (d/n != int64(v.Scale) || !ssa.FitsDisp(int64(v.Disp)+d)) {
				return changed
			}
			v.Args = append([]*ssa.Value{v.Args[0]}, Rest(v)...)
			v.Idx, v.Scale = isa.IdxNone, 0
			v.Disp += int32(d)
		case v.Idx == isa.Idx64 && x.Op == isa.OpSExt && x.Elem == isa.I32:
			v.Args[1], v.Idx = x.Args[0], isa.IdxS32
		case v.Idx == isa.Idx64 && x.Op == isa.OpZExt && x.Elem == isa.I32:
			v.Args[1], v.Idx = x.Args[0], isa.IdxU32
		case addsConst(x):
			d := x.Args[1].Signed()
			if !exact(v, x, d, r) || !ssa.FitsDisp(d) || !ssa.FitsDisp(int64(v.Disp)+d*int64(v.Scale)) {
				return changed
			}
			v.Disp += int32(d * int64(v.Scale))
			v.Args[1] = x.Args[0]
		case (x.Op == isa.OpMul || x.Op == isa.OpShl) && x.Args[1].IsConst():
			m := x.Args[1].Imm
			if x.Op == isa.OpShl {
				if m >= 32 {
					return changed
				}
				m = 1 << m
			}
			hi, lo := bits.Mul64(m, uint64(v.Scale))
			if hi != 0 || lo == 0 || lo > 1<<31 || !exact(v, x, x.Args[1].Signed(), r) {
				return changed
			}
			v.Scale = uint32(lo)
			v.Args[1] = x.Args[0]
		default:
			return changed
		}
	}
}

// addsConst says whether x is the sum of its operands, the second one a
// constant. A disjunction is one where the operands have no bit in common.
func addsConst(x *ssa.Value) bool {
	if len(x.Args) != 2 || !x.Args[1].IsConst() || x.Op != isa.OpAdd && x.Op != isa.OpOr {
		return false
	}
	return x.Op == isa.OpAdd || x.Args[1].Imm>>zeroBits(x.Args[0]) == 0
}

// zeroBits returns the number of low bits that are known to be zero.
func zeroBits(x *ssa.Value) int {
	if len(x.Args) != 2 || !x.Args[1].IsConst() {
		return 0
	}
	switch last := x.Type.Bits() - 1; x.Op {
	case isa.OpMul:
		return min(bits.TrailingZeros64(x.Args[1].Imm), last)
	case isa.OpShl:
		return int(x.Args[1].Imm & uint64(last))
	}
	return 0
}

// exact says whether the index x of v, which adds, multiplies by or shifts by the
// constant c, is the same as a number: it must not wrap, ahead of its extension if
// it has 32 bits, which the module promises or ranges tell. A sum of 64 bits that
// wraps is as far away on the other side.
func exact(v, x *ssa.Value, c int64, r *ssa.Ranges) bool {
	if x.Op == isa.OpOr || v.Idx == isa.Idx64 && x.Op == isa.OpAdd {
		return true
	}
	if x.Op == isa.OpMul && c < 0 {
		return false // scales are positive
	}
	if v.Idx != isa.IdxU32 && x.Wraps&ssa.NoSignedWrap != 0 || v.Idx == isa.IdxU32 && x.Wraps&ssa.NoUnsignedWrap != 0 && c >= 0 {
		return true
	}
	s := r.Of(x.Args[0])
	if v.Idx == isa.IdxS32 && s.Hi > math.MaxInt32 {
		return false // some are negative, and this is not known of a part of them
	}
	ok := true
	switch x.Op {
	case isa.OpAdd:
		s = ssa.Span{Lo: s.Lo + c, Hi: s.Hi + c}
	case isa.OpMul:
		s, ok = ssa.MulSpans(s, ssa.Span{Lo: c, Hi: c})
	case isa.OpShl:
		s, ok = ssa.MulSpans(s, ssa.Span{Lo: 1 << c, Hi: 1 << c})
	}
	switch v.Idx {
	case isa.Idx64:
		return ok
	case isa.IdxS32:
		return ok && s.Signed32()
	}
	return ok && s.Unsigned32()
}

// origins finds out where pointers lead.
type origins struct {
	f     *ssa.Func
	left  int                      // steps
	known map[*ssa.Value]isa.Space // of phis and selections that an access uses
}

// of finds the address space that a pointer's value comes from, or
// SpaceGeneric when that cannot be told, or it would take too long.
func (o *origins) of(p *ssa.Value, depth int) isa.Space {
	for p.Op == isa.OpPtrAdd {
		// An addition that was looked at knows where it leads.
		if p.Space != isa.SpaceGeneric && depth == 0 {
			return p.Space
		}
		if o.left--; o.left < 0 {
			return isa.SpaceGeneric
		}
		p = p.Args[0]
	}
	if depth == 0 && (p.Op == ssa.OpPhi || p.Op == isa.OpSelect) {
		s, ok := o.known[p]
		if !ok {
			s = o.find(p, 0)
			o.known[p] = s
		}
		return s
	}
	return o.find(p, depth)
}

func (o *origins) find(p *ssa.Value, depth int) isa.Space {
	switch p.Op {
	case ssa.OpGlobal:
		return isa.SpaceGlobal
	case ssa.OpPrivate:
		return isa.SpacePrivate
	case ssa.OpLocal:
		return isa.SpaceLocal
	case ssa.OpParam:
		switch o.f.Kernel.Params[p.Index].Kind {
		case isa.ParamGlobal:
			return isa.SpaceGlobal
		case isa.ParamLocal:
			return isa.SpaceLocal
		}
	case ssa.OpPhi, isa.OpSelect:
		if depth > 4 {
			return isa.SpaceGeneric
		}
		args := p.Args
		if p.Op == isa.OpSelect {
			args = args[1:]
		}
		sp := isa.SpaceGeneric
		for _, a := range args {
			if a == p || a.Op == isa.OpPtrAdd && a.Args[0] == p {
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

// Fuse joins a multiplication with the addition that is its only user. Two
// roundings stay two roundings. A product of integers that is the same for all lanes is computed once a wave, and
// stays by itself where the sum differs between lanes.
func Fuse(f *ssa.Func) {
	fused, guessed := false, false
	for _, blk := range f.Blocks {
		for _, v := range blk.Insts {
			mul, to := isa.OpMul, isa.OpMad
			switch v.Op {
			case isa.OpAdd:
			case isa.OpFAdd:
				mul, to = isa.OpFMul, isa.OpFMulAdd
			default:
				continue
			}
			for i, m := range v.Args {
				if m.Op == mul && m.Uses == 1 && m.Block == blk && m.Elem == v.Elem {
					if mul == isa.OpMul && !guessed {
						f.GuessDivergence()
						guessed = true
					}
					if mul == isa.OpMul && v.Varying && !m.Varying {
						continue
					}
					v.Op, fused = to, true
					v.Args = []*ssa.Value{m.Args[0], m.Args[1], v.Args[1-i]}
					break
				}
			}
		}
	}
	if fused {
		dropDead(f)
	}
}

// Hoist moves computations out of loops in which their operands do not change.
func Hoist(f *ssa.Func) {
	if f.Once {
		return // the way into a loop may run for one work-item only
	}
	f.LoopEntries(false)
	// Inner loops come first, so that what leaves one may leave the next: it stands in a block of that one then.
	passed := map[*ssa.Loop][]*ssa.Block{} // blocks of inner loops that nothing could leave
	for _, l := range f.Loops {
		blocks := l.Own
		if more := passed[l]; more != nil {
			blocks = append(slices.Clone(blocks), more...)
			slices.SortFunc(blocks, func(a, b *ssa.Block) int { return a.RPO - b.RPO })
			delete(passed, l)
		}
		pre := f.Preheader(l)
		if pre == nil {
			if l.Parent != nil {
				passed[l.Parent] = append(passed[l.Parent], blocks...)
			}
			continue
		}
		for _, blk := range blocks {
			insts := blk.Insts[:0]
			for _, v := range blk.Insts {
				if v.Movable() && l.Invariant(v) {
					v.Block = pre
					pre.Insts = append(pre.Insts, v)
					continue
				}
				insts = append(insts, v)
			}
			blk.Insts = insts
		}
	}
}
