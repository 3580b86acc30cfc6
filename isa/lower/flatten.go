package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// flatten rewrites accesses whose pointer is a vector of pointers into one
// object, base + i*s, with a further index: one base for all lanes and one
// 64-bit index is what engines are fast at. A row of an array in LDS is the
// usual case: tile[ly][lx].
func flatten(b *builder) {
	f := b.f
	f.guessDivergence()
	var list []*value
	for _, blk := range f.blocks {
		insts := list[:0]
		for _, v := range blk.insts {
			switch v.op {
			case isa.OpLoad, isa.OpStore, isa.OpAtomic, isa.OpBlockLoad, isa.OpBlockStore:
				insts = f.flattenAccess(v, insts)
			}
			insts = append(insts, v)
		}
		if list = insts; len(insts) > len(blk.insts) {
			blk.insts = slices.Clone(insts)
		}
	}
}

// guessDivergence marks what surely differs by lane, as far as operands tell.
// It decides between forms that are both right, so control flow may be ignored, and
// what has not been found after some rounds.
func (f *fn) guessDivergence() {
	for _, b := range f.blocks {
		for _, v := range b.phis {
			v.div = false
		}
		for _, v := range b.insts {
			v.div = f.lanesDiffer(v)
		}
	}
	const rounds = 16
	changed := true
	for round := 0; changed && round < rounds; round++ {
		changed = false
		for _, b := range f.blocks {
			for _, list := range [2][]*value{b.phis, b.insts} {
				for _, v := range list {
					for _, a := range v.args {
						if a.div && !v.div {
							v.div, changed = true, true
						}
					}
				}
			}
		}
	}
}

// flattenAccess appends to insts what v needs ahead of it, when v can be
// rewritten.
func (f *fn) flattenAccess(v *value, insts []*value) []*value {
	p := v.args[0]
	if v.idx == isa.IdxNone || p.op != isa.OpPtrAdd || p.idx == isa.IdxNone || !p.div || p.args[0].div ||
		p.scale%v.scale != 0 || !fits(int64(v.disp)+int64(p.disp)) {
		return insts
	}
	add := func(op isa.Op, elem isa.Type, args ...*value) *value {
		n := f.newValue(op, isa.I64, elem, args...)
		if s := f.simplify(n); s != nil {
			return s
		}
		n.blk, n.loc, n.div = v.blk, v.loc, true
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
	i := add(isa.OpMul, isa.I64, wide(p.args[1], p.idx), f.constant(isa.I64, uint64(p.scale/v.scale)))
	i = add(isa.OpAdd, isa.I64, i, wide(v.args[1], v.idx))
	v.args[0], v.args[1] = p.args[0], i
	v.idx = isa.Idx64
	v.disp += p.disp
	return insts
}
