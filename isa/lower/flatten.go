package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// flatten rewrites accesses whose pointer is a vector of pointers into one
// object, base + i*s, with a further index: one base for all lanes and one
// 64-bit index is what engines are fast at. A row of an array in LDS is the
// usual case: tile[ly][lx].
//
// Two steps become one only where that makes no difference to a pointer that the
// first carries further than offsets reach: nothing leads back from there. So it
// does not get there, or the second step is too short to lead inside again.
func flatten(f *fn) {
	f.guessDivergence()
	var list []*value
	fl := &flattener{f: f}
	for _, blk := range f.blocks {
		insts := list[:0]
		for _, v := range blk.insts {
			switch v.op {
			case isa.OpPtrAdd, isa.OpLoad, isa.OpStore, isa.OpAtomic, isa.OpBlockLoad, isa.OpBlockStore:
				insts = fl.access(v, insts)
			}
			insts = append(insts, v)
		}
		if list = insts; len(insts) > len(blk.insts) {
			blk.insts = slices.Clone(insts)
		}
	}
}

// flattener has the ranges of the values, once something has to be known of them.
type flattener struct {
	f *fn
	r *ranges
}

func (fl *flattener) ranges() *ranges {
	if fl.r == nil {
		fl.r = newRanges(fl.f)
		for _, blk := range fl.f.blocks {
			for _, list := range [2][]*value{blk.phis, blk.insts} {
				for _, v := range list {
					fl.r.note(v)
				}
			}
		}
	}
	return fl.r
}

// access appends to insts what v needs ahead of it, when v can be rewritten.
func (fl *flattener) access(v *value, insts []*value) []*value {
	f, p := fl.f, v.args[0]
	if v.idx == isa.IdxNone || p.op != isa.OpPtrAdd || p.idx == isa.IdxNone || !p.div || p.args[0].div ||
		v.scale == 0 || p.scale%v.scale != 0 || !fits(int64(v.disp)+int64(p.disp)) {
		return insts
	}
	r, ratio := fl.ranges(), int64(p.scale/v.scale)
	second, ok := r.step(v)
	short := ok && second.within(-maxStep, maxStep)
	if _, known := r.offset(p, 4); !short && !known {
		return insts
	}
	_, whole := mulSpans(r.index(p.args[1], p.idx), span{ratio, ratio})
	add := func(op isa.Op, elem isa.Type, args ...*value) *value {
		n := f.newValue(op, isa.I64, elem, args...)
		if s := f.simplify(n); s != nil {
			return s
		}
		n.blk, n.loc, n.div = v.blk, v.loc, true
		r.note(n)
		insts = append(insts, n)
		return n
	}
	wide := func(x *value, t isa.IdxType) *value {
		switch t {
		case isa.IdxS32:
			return add(isa.OpSExt, isa.I32, x)
		case isa.IdxU32:
			return add(isa.OpZExt, isa.I32, x)
		}
		return x
	}
	i := wide(p.args[1], p.idx)
	if !whole {
		most := outOfReach/int64(p.scale) + 1
		i = add(isa.OpMinS, isa.I64, i, f.constant(isa.I64, uint64(most)))
		i = add(isa.OpMaxS, isa.I64, i, f.constant(isa.I64, uint64(-most)))
	}
	i = add(isa.OpMul, isa.I64, i, f.constant(isa.I64, uint64(ratio)))
	i = add(isa.OpAdd, isa.I64, i, wide(v.args[1], v.idx))
	v.args[0], v.args[1] = p.args[0], i
	v.idx = isa.Idx64
	v.disp += p.disp
	return insts
}
