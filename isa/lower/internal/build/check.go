package build

import (
	"math/bits"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Checks of what the language leaves undefined, in kernels that are lowered for launches with checks. Each is an
// instruction of its own (isa.OpCheck) that stays where it stands: what a source does not execute is not judged.

// speculates says whether the module's compiler may run an instruction that the source does not, as those that
// are made with LLVM do: a sum without room, or a float without an integer, is harmless there where nobody uses it.
// Without optimization LLVM runs what the source says.
func (m *Module) speculates() bool {
	const translator, backend = 6, 43 // registered numbers of generators
	g := m.Source.Generator >> 16
	return (g == translator || g == backend) && !m.unoptimized()
}

// check asks something of operands of type t.
func (b *Builder) check(c isa.Check, t isa.Type, args ...*ssa.Value) {
	v := b.Func.NewValue(isa.OpCheck, isa.Void, t, args...)
	v.Imm = uint64(len(b.Checks))
	if b.holds(v, &c, constantSpan) {
		return
	}
	b.Checks = append(b.Checks, c)
	b.Add(v)
}

// constantSpan is what a value can be as far as it is a constant.
func constantSpan(x *ssa.Value) ssa.Span {
	if x.IsConst() {
		return ssa.Span{Lo: int64(x.Imm), Hi: int64(x.Imm)}
	}
	return ssa.WholeSpan(x.Type)
}

// holds says whether a check is known to hold, going by what its operands can be.
func (b *Builder) holds(v *ssa.Value, c *isa.Check, of func(*ssa.Value) ssa.Span) bool {
	n := v.Elem.Bits()
	// signed returns the span of an operand as signed numbers.
	signed := func(i int) ssa.Span {
		s := of(v.Args[i])
		half := int64(1) << ((n - 1) & 63)
		switch {
		case n == 64 || s.Hi < half:
			return s
		case s.Lo >= half:
			return ssa.Span{Lo: s.Lo - 2*half, Hi: s.Hi - 2*half}
		}
		return ssa.Span{Lo: -half, Hi: half - 1}
	}
	room := ssa.WholeSpan(isa.I64)
	if n < 64 {
		room = ssa.Span{Lo: -1 << (n - 1), Hi: 1<<(n-1) - 1}
	}
	switch c.Kind {
	case isa.CheckIndex, isa.CheckVector:
		s := of(v.Args[0])
		return s.Lo >= 0 && uint64(s.Hi) < c.Limit
	case isa.CheckAdd:
		x, y := signed(0), signed(1)
		return !ssa.AddOverflows(x.Lo, y.Lo) && !ssa.AddOverflows(x.Hi, y.Hi) && x.Lo+y.Lo >= room.Lo && x.Hi+y.Hi <= room.Hi
	case isa.CheckSub:
		x, y := signed(0), signed(1)
		return !ssa.SubOverflows(x.Lo, y.Hi) && !ssa.SubOverflows(x.Hi, y.Lo) && x.Lo-y.Hi >= room.Lo && x.Hi-y.Lo <= room.Hi
	case isa.CheckMul:
		s, ok := ssa.MulSpans(signed(0), signed(1))
		return ok && s.Within(room.Lo, room.Hi)
	case isa.CheckNeg:
		return signed(0).Lo > room.Lo
	case isa.CheckSame:
		return v.Args[0] == v.Args[1]
	}
	return false
}

// Checks drops those checks that are known to hold.
func Checks(b *Builder) {
	if len(b.Checks) == 0 {
		return
	}
	r := ssa.NewRanges(b.Func)
	for _, blk := range b.Func.Blocks {
		for _, v := range blk.Phis {
			r.Note(v)
		}
		insts := blk.Insts[:0]
		for _, v := range blk.Insts {
			if v.Op == isa.OpCheck && b.holds(v, &b.Checks[v.Imm], r.Of) {
				continue
			}
			r.Note(v)
			insts = append(insts, v)
		}
		if len(insts) < len(blk.Insts) {
			b.Func.Simplified = false
		}
		clear(blk.Insts[len(insts):])
		blk.Insts = insts
	}
}

// checkWrap asks whether the result of a signed operation has room, where the module says that it has.
func (b *Builder) checkWrap(op isa.Op, t *Type, w ssa.NoWrap, args ...*ssa.Value) {
	if !b.Module.Checked || w&ssa.NoSignedWrap == 0 || t.Odd() || b.Module.speculates() {
		return
	}
	kinds := map[isa.Op]isa.CheckKind{isa.OpAdd: isa.CheckAdd, isa.OpSub: isa.CheckSub, isa.OpMul: isa.CheckMul,
		isa.OpNeg: isa.CheckNeg, isa.OpShl: isa.CheckShl}
	if k, ok := kinds[op]; ok {
		b.check(isa.Check{Kind: k}, t.Scalar(), args...)
	}
}

// CheckToInt asks whether a float has a place in an integer of type t, which a conversion without saturation takes
// for granted.
func (b *Builder) CheckToInt(op spirv.Op, from isa.Type, t *Type, fl isa.Flags, x *ssa.Value) {
	if !b.Module.Checked || b.Module.speculates() {
		return
	}
	k := isa.CheckToS
	if op == spirv.OpConvertFToU {
		k = isa.CheckToU
	}
	b.check(isa.Check{Kind: k, Limit: uint64(t.Bits), Round: fl.Round()}, from, x)
}

// checkDifference asks whether two pointers lead into one object whose difference in elements in computes. Compilers
// make integers of them, and divide the difference by the size of what they point to, or shift it.
func (b *Builder) checkDifference(in spirv.Inst) {
	if !b.Module.Checked {
		return
	}
	n, ok := b.Module.Index.Def(spirv.ID(in.Operand(1)))
	if !ok || !isConstant(n.Op()) {
		return
	}
	d, ok := b.Module.Index.Def(spirv.ID(in.Operand(0)))
	if !ok || d.Op() != spirv.OpISub {
		return
	}
	size := b.Module.ConstUint(spirv.ID(in.Operand(1)))
	if in.Op() == spirv.OpShiftRightArithmetic {
		size = 1 << min(size, 63)
	}
	var ps [2]*ssa.Value
	for i := range ps {
		c, ok := b.Module.Index.Def(spirv.ID(d.Operand(i)))
		if !ok || c.Op() != spirv.OpConvertPtrToU {
			return
		}
		v, pt := b.One(spirv.ID(c.Operand(0)))
		if e := b.Module.Pointee(pt); e == nil || e.Size != size {
			return
		}
		ps[i] = v
	}
	b.check(isa.Check{Kind: isa.CheckSame}, isa.I64, ps[0], ps[1])
}

// bound is an index that an access chain takes into an array, for the accesses through the pointer that it makes.
// Only these are judged: &a[n] is a pointer that C allows.
type bound struct {
	check isa.Check
	index *ssa.Value
	typ   isa.Type
}

// boundsOf finds the indexes of an access chain into arrays and vectors inside of an object, from type t on. The
// array that is the whole of a variable needs no check, for the accesses outside of it are outside of its memory.
// first is the index of a chain that steps over elements ahead of those, if it does.
func (b *Builder) boundsOf(in spirv.Inst, base spirv.ID, t *Type, first, indexes []uint32) {
	if !b.Module.Checked {
		return
	}
	id := in.ResultID()
	delete(b.bounds, id)
	var found []bound
	name, whole := b.nameOf(base)
	stays := true // no step goes over elements as large as the whole object
	for _, w := range first {
		i, _ := b.One(spirv.ID(w))
		stays = i.IsConst() && i.Imm == 0
	}
	if whole = whole && stays; stays {
		found = append(found, b.bounds[base]...)
	}
	row, zeros := false, true
	for _, w := range indexes {
		i, it := b.One(spirv.ID(w))
		switch t.Kind {
		case KindStruct:
			if !i.IsConst() {
				return
			}
			last := i.Imm+1 == uint64(len(t.Members))
			if member := b.Module.memberName(t, i.Imm); name != "" && member != "" {
				name += "." + member
			} else {
				name = ""
			}
			e, _, _, ok := t.step(i.Imm)
			if !ok {
				return
			}
			// What ends a structure and has one element at most may stand for more.
			t, whole, row, zeros = e, last && e.Kind == KindArray && e.Count <= 1, false, true
			continue
		case KindArray, KindVector:
			// A compiler that merges steps makes one index of those into a row and beyond it, from its start on.
			merged := row && zeros && b.Module.speculates()
			if t.Count > 0 && !merged && (!whole || t.Kind == KindVector) {
				found = append(found, b.bound(t, name, row, i, it))
			}
			zeros = zeros && i.IsConst() && i.Imm == 0
			t, whole, row = t.Elem, false, true
			continue
		}
		return
	}
	if len(found) > 0 {
		b.keepBounds(id, found)
	}
}

// keepBounds notes the indexes that lead to a pointer.
func (b *Builder) keepBounds(id spirv.ID, found []bound) {
	const most = 8
	if len(found) > most {
		found = found[len(found)-most:]
	}
	if b.bounds == nil {
		b.bounds = map[spirv.ID][]bound{}
	}
	b.bounds[id] = found
}

// memberName returns the name of a member of a structure, "" where the module has none.
func (m *Module) memberName(t *Type, i uint64) string {
	if m.memberNames == nil {
		m.memberNames = map[memberKey]string{}
		for _, in := range m.Source.Insts {
			if in.Op() == spirv.OpMemberName {
				m.memberNames[memberKey{spirv.ID(in.Operand(0)), in.Operand(1)}] = in.StringOperand(2)
			}
		}
	}
	return m.memberNames[memberKey{t.ID, uint32(i)}]
}

// bound describes the index i of type it into t, an array or a vector.
func (b *Builder) bound(t *Type, name string, row bool, i *ssa.Value, it *Type) bound {
	c := isa.Check{Kind: isa.CheckIndex, Limit: t.Count, Name: name, Row: row}
	if t.Kind == KindVector {
		c.Kind, c.Row = isa.CheckVector, false
	}
	if e := t.Elem; e.Kind != KindArray {
		c.Elem = b.Module.typeName(e, 0)
	}
	i = b.Signed(it, i)
	switch {
	case i.Op == isa.OpSExt:
		i = i.Args[0]
	case i.Op == isa.OpZExt:
		i, c.Unsigned = i.Args[0], true
	}
	return bound{check: c, index: i, typ: isa.IntOf(i.Type.Bits())}
}

// SameBounds gives a pointer those of another that it is made of.
func (b *Builder) SameBounds(to, from spirv.ID) {
	if !b.Module.Checked {
		return
	}
	delete(b.bounds, to)
	if f := b.bounds[from]; f != nil {
		b.keepBounds(to, f)
	}
}

// checkBounds asks whether the indexes that lead to a pointer are in range, ahead of an access through it.
func (b *Builder) checkBounds(p spirv.ID) {
	if !b.Module.Checked {
		return
	}
	for _, x := range b.bounds[p] {
		c := x.check
		if n := x.typ.Bits(); n < 64 && !c.Unsigned && bits.Len64(c.Limit) >= n {
			// More elements than the index has positive numbers: what is left is a negative one.
			x.index, x.typ = b.Conv(isa.OpSExt, isa.I64, x.typ, x.index), isa.I64
		} else if c.Unsigned && bits.Len64(c.Limit) > n {
			continue
		}
		b.check(c, x.typ, x.index)
	}
}

// checkComponent asks whether a vector of n components has component i.
func (b *Builder) checkComponent(vector spirv.ID, t *Type, i *ssa.Value, it *Type) {
	if !b.Module.Checked {
		return
	}
	if _, ok := b.inputs[vector]; ok {
		return
	}
	x := b.bound(t, "", false, i, it)
	x.check.Unsigned = true // as SPIR-V has it; a negative one is out of range, too
	b.check(x.check, x.typ, x.index)
}

// variableName returns what a variable is called: compilers call local ones KERNEL.VARIABLE.
func (b *Builder) variableName(id spirv.ID) string {
	return strings.TrimPrefix(b.Module.Names[id], b.Kernel.Name+".")
}

// nameOf returns what the object is called that a pointer leads to, and whether it is the pointer to a
// variable.
func (b *Builder) nameOf(p spirv.ID) (name string, variable bool) {
	for range 8 {
		in, ok := b.Module.Index.Def(p)
		if !ok {
			break
		}
		switch in.Op() {
		case spirv.OpVariable, spirv.OpUntypedVariableKHR:
			return b.variableName(p), true
		case spirv.OpFunctionParameter:
			return b.Module.Names[p], false
		case spirv.OpLoad:
			// Through a variable that holds the pointer.
			q := spirv.ID(in.Operand(0))
			if d, ok := b.Module.Index.Def(q); ok && d.Op() == spirv.OpVariable {
				return b.variableName(q), false
			}
			return "", false
		case spirv.OpBitcast, spirv.OpPtrCastToGeneric, spirv.OpGenericCastToPtr, spirv.OpCopyObject:
			p = spirv.ID(in.Operand(0))
		default:
			return "", false
		}
	}
	return "", false
}
