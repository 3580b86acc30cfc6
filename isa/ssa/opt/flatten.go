package opt

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Flatten rewrites accesses whose pointer is a vector of pointers into one
// object, base + i*s, with a further index: one base for all lanes and one
// 64-bit index is what engines are fast at. A row of an array in LDS is the
// usual case: tile[ly][lx].
//
// Two steps become one only where that makes no difference to a pointer that the
// first carries further than offsets reach: nothing leads back from there. So it
// does not get there, or the second step is too short to lead inside again.
func Flatten(f *ssa.Func) {
	f.GuessDivergence()
	var list []*ssa.Value
	fl := &flattener{f: f}
	for _, blk := range f.Blocks {
		insts := list[:0]
		for _, v := range blk.Insts {
			switch v.Op {
			case isa.OpLoad, isa.OpStore, isa.OpAtomic, isa.OpBlockLoad, isa.OpBlockStore:
				insts = fl.access(v, insts)
			}
			insts = append(insts, v)
		}
		if list = insts; len(insts) > len(blk.Insts) {
			blk.Insts = slices.Clone(insts)
		}
	}
}

// flattener has the ranges of the values, once something has to be known of them.
type flattener struct {
	f *ssa.Func
	r *ssa.Ranges
}

func (fl *flattener) ranges() *ssa.Ranges {
	if fl.r == nil {
		fl.r = ssa.NewRanges(fl.f)
		for _, blk := range fl.f.Blocks {
			for _, list := range [2][]*ssa.Value{blk.Phis, blk.Insts} {
				for _, v := range list {
					fl.r.Note(v)
				}
			}
		}
	}
	return fl.r
}

// access appends to insts what v needs ahead of it, when v can be rewritten.
func (fl *flattener) access(v *ssa.Value, insts []*ssa.Value) []*ssa.Value {
	f, p := fl.f, v.Args[0]
	if v.Idx == isa.IdxNone || p.Op != isa.OpPtrAdd || p.Idx == isa.IdxNone || !p.Varying || p.Args[0].Varying ||
		v.Scale == 0 || p.Scale%v.Scale != 0 || !ssa.FitsDisp(int64(v.Disp)+int64(p.Disp)) {
		return insts
	}
	r, ratio := fl.ranges(), int64(p.Scale/v.Scale)
	second, ok := r.Step(v)
	short := ok && second.Within(-ssa.MaxStep, ssa.MaxStep)
	if _, known := r.Offset(p, 4); !short && !known {
		return insts
	}
	_, whole := ssa.MulSpans(r.Index(p.Args[1], p.Idx), ssa.Span{Lo: ratio, Hi: ratio})
	add := func(op isa.Op, elem isa.Type, args ...*ssa.Value) *ssa.Value {
		n := f.NewValue(op, isa.I64, elem, args...)
		if s := SimplifyValue(f, n); s != nil {
			return s
		}
		n.Block, n.Loc, n.Varying = v.Block, v.Loc, true
		insts = append(insts, n)
		return n
	}
	wide := func(x *ssa.Value, t isa.IdxType) *ssa.Value {
		switch t {
		case isa.IdxS32:
			return add(isa.OpSExt, isa.I32, x)
		case isa.IdxU32:
			return add(isa.OpZExt, isa.I32, x)
		}
		return x
	}
	i := wide(p.Args[1], p.Idx)
	if !whole {
		most := ssa.OutOfReach/int64(p.Scale) + 1
		i = add(isa.OpMinS, isa.I64, i, f.Constant(isa.I64, uint64(most)))
		i = add(isa.OpMaxS, isa.I64, i, f.Constant(isa.I64, uint64(-most)))
	}
	i = add(isa.OpMul, isa.I64, i, f.Constant(isa.I64, uint64(ratio)))
	i = add(isa.OpAdd, isa.I64, i, wide(v.Args[1], v.Idx))
	v.Args[0], v.Args[1] = p.Args[0], i
	v.Idx = isa.Idx64
	v.Disp += p.Disp
	return insts
}
