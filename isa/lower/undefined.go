package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// What is undefined is zero, unless Options.Poison says otherwise. Kernels for checks have a value of its own for it,
// which no pass can take for a number.

// undefined returns the scalars of an OpUndef.
func (b *builder) undefined(in spirv.Inst, t *typ) []*ssa.Value {
	if t.flat > maxFlat {
		b.fail("a value of more than %d scalars does not fit in registers", maxFlat)
	}
	out := make([]*ssa.Value, 0, t.flat)
	t.leaves(0, func(l leaf) {
		s := l.t.scalar()
		if s == isa.Void || l.t.kind == kindEvent {
			out = append(out, b.imm(max(s, isa.I64), 0))
			return
		}
		v := b.undefinedScalar(s, in)
		if l.t.odd() {
			v = b.norm(l.t, v)
		}
		out = append(out, v)
	})
	return out
}

// undefinedScalar returns what an instruction leaves undefined.
func (b *builder) undefinedScalar(s isa.Type, in spirv.Inst) *ssa.Value {
	switch {
	case b.constants:
	case b.m.checked:
		at, ok := b.undefAt[in.ResultID()]
		if !ok {
			if b.undefAt == nil {
				b.undefAt = map[spirv.ID]int32{}
			}
			loc := uint32(0)
			if b.in.Offset == in.Offset { // otherwise it stands outside functions
				loc = b.place()
			}
			at = b.newUndefined(isa.Undefined{Name: b.m.names[in.ResultID()], Loc: loc})
			b.undefAt[in.ResultID()] = at
		}
		return b.undefinedValue(s, at)
	case b.m.opt.Poison != 0:
		return b.imm(s, poison(b.m.opt.Poison, uint64(in.Offset)))
	}
	return b.imm(s, 0)
}

// undefinedPart returns what a private variable holds at an offset before it is written.
func (b *builder) undefinedPart(s isa.Type, variable int, off, n uint64) *ssa.Value {
	a := &b.k.Private[variable]
	switch {
	case b.m.checked:
		key := undefinedVariable{variable, a.Pads(off, n)}
		at, ok := b.undefVars[key]
		if !ok {
			if b.undefVars == nil {
				b.undefVars = map[undefinedVariable]int32{}
			}
			at = b.newUndefined(isa.Undefined{Name: a.Name, Elem: a.Elem, Loc: a.Loc, Padding: key.padding})
			b.undefVars[key] = at
		}
		return b.undefinedValue(s, at)
	case b.m.opt.Poison != 0:
		return b.imm(s, poison(b.m.opt.Poison, uint64(variable)<<32|off))
	}
	return b.imm(s, 0)
}

// undefinedVariable is a private variable, or its padding.
type undefinedVariable struct {
	variable int
	padding  bool
}

func (b *builder) newUndefined(u isa.Undefined) int32 {
	b.k.Undefined = append(b.k.Undefined, u)
	return int32(len(b.k.Undefined) - 1)
}

func (b *builder) undefinedValue(s isa.Type, at int32) *ssa.Value {
	v := b.f.NewValue(ssa.OpUndef, s, s)
	v.Index = at
	return v
}

// poison returns the bits of an undefined value by seed and number.
func poison(seed, n uint64) uint64 {
	x := (seed ^ n*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>29) * 0x94d049bb133111eb
	return x ^ x>>32
}

// maxPadding bounds the stretches of padding that are told of a type.
const maxPadding = 64

// padding returns what no member has of the elements of a variable, in kernels for checks.
func (b *builder) padding(t *typ) []isa.Padding {
	if !b.m.checked {
		return nil
	}
	if t.kind == kindArray && t.elem != nil {
		t = t.elem
	}
	var out []isa.Padding
	at := uint64(0)
	gap := func(to uint64) {
		if to > at && len(out) <= maxPadding {
			out = append(out, isa.Padding{From: at, To: to})
		}
		at = max(at, to)
	}
	if t.flat > maxFlat {
		return nil
	}
	t.occupied(0, func(off, size uint64) {
		gap(off)
		at = max(at, off+size)
	})
	gap(t.size)
	if len(out) > maxPadding {
		return nil
	}
	return out
}

// occupied calls f for each scalar of a type, with its offset and size, but for those that only stand for padding.
func (t *typ) occupied(off uint64, f func(off, size uint64)) {
	if t.flat == 0 {
		return // however many nothings there are
	}
	switch t.kind {
	case kindVector, kindArray, kindMatrix:
		if t.nibbles {
			f(off, t.count/2)
			return
		}
		for i := range t.count {
			t.elem.occupied(off+i*t.elem.size, f)
		}
	case kindStruct:
		for i, e := range t.members {
			if !t.fills(i) {
				e.occupied(off+t.offsets[i], f)
			}
		}
	default:
		f(off, t.size)
	}
}

// fills says whether a member of a structure is bytes that make no difference to where the others are. Translators from
// LLVM write padding so.
func (t *typ) fills(i int) bool {
	e := t.members[i]
	if i == 0 || e.kind != kindArray || e.elem.kind != kindInt || e.elem.bits != 8 {
		return false
	}
	next, align := t.size, t.align
	if i+1 < len(t.members) {
		next, align = t.offsets[i+1], t.members[i+1].align
	}
	end := t.offsets[i-1] + t.members[i-1].size
	return align != 0 && (end+align-1)/align*align == next
}
