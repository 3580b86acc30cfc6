package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// What is undefined is zero, unless Options.Poison says otherwise. Kernels for checks have a value of its own for it,
// which no pass can take for a number.

// undefined returns the scalars of an OpUndef.
func (b *Builder) undefined(in spirv.Inst, t *Type) []*ssa.Value {
	if t.Flat > MaxFlat {
		b.Fail("a value of more than %d scalars does not fit in registers", MaxFlat)
	}
	out := make([]*ssa.Value, 0, t.Flat)
	t.leaves(0, func(l leaf) {
		s := l.t.Scalar()
		if s == isa.Void || l.t.Kind == KindEvent {
			out = append(out, b.Imm(max(s, isa.I64), 0))
			return
		}
		v := b.undefinedScalar(s, in)
		if l.t.Odd() {
			v = b.Norm(l.t, v)
		}
		out = append(out, v)
	})
	return out
}

// undefinedScalar returns what an instruction leaves undefined.
func (b *Builder) undefinedScalar(s isa.Type, in spirv.Inst) *ssa.Value {
	switch {
	case b.constants:
	case b.Module.Checked:
		at, ok := b.undefAt[in.ResultID()]
		if !ok {
			if b.undefAt == nil {
				b.undefAt = map[spirv.ID]int32{}
			}
			loc := uint32(0)
			if b.In.Offset == in.Offset { // otherwise it stands outside functions
				loc = b.Place()
			}
			at = b.newUndefined(isa.Undefined{Name: b.Module.Names[in.ResultID()], Loc: loc})
			b.undefAt[in.ResultID()] = at
		}
		return b.undefinedValue(s, at)
	case b.Module.Options.Poison != 0:
		return b.Imm(s, poison(b.Module.Options.Poison, uint64(in.Offset)))
	}
	return b.Imm(s, 0)
}

// UndefinedPart returns what a private variable holds at an offset before it is written.
func (b *Builder) UndefinedPart(s isa.Type, variable int, off, n uint64) *ssa.Value {
	a := &b.Kernel.Private[variable]
	switch {
	case b.Module.Checked:
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
	case b.Module.Options.Poison != 0:
		return b.Imm(s, poison(b.Module.Options.Poison, uint64(variable)<<32|off))
	}
	return b.Imm(s, 0)
}

// undefinedVariable is a private variable, or its padding.
type undefinedVariable struct {
	variable int
	padding  bool
}

func (b *Builder) newUndefined(u isa.Undefined) int32 {
	b.Kernel.Undefined = append(b.Kernel.Undefined, u)
	return int32(len(b.Kernel.Undefined) - 1)
}

func (b *Builder) undefinedValue(s isa.Type, at int32) *ssa.Value {
	v := b.Func.NewValue(ssa.OpUndef, s, s)
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
func (b *Builder) padding(t *Type) []isa.Padding {
	if !b.Module.Checked {
		return nil
	}
	if t.Kind == KindArray && t.Elem != nil {
		t = t.Elem
	}
	var out []isa.Padding
	at := uint64(0)
	gap := func(to uint64) {
		if to > at && len(out) <= maxPadding {
			out = append(out, isa.Padding{From: at, To: to})
		}
		at = max(at, to)
	}
	if t.Flat > MaxFlat {
		return nil
	}
	t.occupied(0, func(off, size uint64) {
		gap(off)
		at = max(at, off+size)
	})
	gap(t.Size)
	if len(out) > maxPadding {
		return nil
	}
	return out
}

// occupied calls f for each scalar of a type, with its offset and size, but for those that only stand for padding.
func (t *Type) occupied(off uint64, f func(off, size uint64)) {
	if t.Flat == 0 {
		return // however many nothings there are
	}
	switch t.Kind {
	case KindVector, KindArray, KindMatrix:
		if t.nibbles {
			f(off, t.Count/2)
			return
		}
		for i := range t.Count {
			t.Elem.occupied(off+i*t.Elem.Size, f)
		}
	case KindStruct:
		for i, e := range t.Members {
			if !t.fills(i) {
				e.occupied(off+t.offsets[i], f)
			}
		}
	default:
		f(off, t.Size)
	}
}

// fills says whether a member of a structure is bytes that make no difference to where the others are. Translators from
// LLVM write padding so.
func (t *Type) fills(i int) bool {
	e := t.Members[i]
	if i == 0 || e.Kind != KindArray || e.Elem.Kind != KindInt || e.Elem.Bits != 8 {
		return false
	}
	next, align := t.Size, t.Align
	if i+1 < len(t.Members) {
		next, align = t.offsets[i+1], t.Members[i+1].Align
	}
	end := t.offsets[i-1] + t.Members[i-1].Size
	return align != 0 && (end+align-1)/align*align == next
}
