package gen

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// place is where an lvalue is: an address, of which a part may be meant that has no address of its own.
type place struct {
	// base is a pointer to an object; first, if not 0, moves it by elements, and path leads into its parts.
	base  spirv.ID
	first spirv.ID
	path  [6]spirv.ID
	n     int

	typ   types.Qual  // of the object, with the address space that base leads to
	align int64       // of its address
	comps []uint8     // of a swizzle: the components meant; typ is the vector
	index spirv.ID    // of v[i]: the component meant; typ is the vector
	bits  *fieldPlace // of a bit-field: typ is its declared type, the address that of its member or of the union
}

// pointer returns the address of a place, as a pointer to its type.
func (f *fn) pointer(p *place) spirv.ID {
	if p.first == 0 && p.n == 0 {
		return p.base
	}
	return f.chain(p, f.pointerTo(p.typ))
}

// chain emits the steps that a place's address still lacks.
func (f *fn) chain(p *place, typ spirv.ID) spirv.ID {
	var operands [8]spirv.ID
	list := append(operands[:0], p.base)
	op := spirv.OpInBoundsAccessChain
	if p.first != 0 {
		op = spirv.OpInBoundsPtrAccessChain
		list = append(list, p.first)
	}
	list = append(list, p.path[:p.n]...)
	p.base, p.first, p.n = f.op(op, typ, list...), 0, 0
	return p.base
}

// into leads a place into a part of its object; typ is the part's type and align what is known of its address.
func (f *fn) into(p *place, index spirv.ID, typ types.Qual, align int64) {
	if p.n == len(p.path) {
		f.pointer(p)
	}
	p.path[p.n] = index
	p.n++
	p.typ, p.align = typ.In(p.typ.Space()), align
}

// place returns where an lvalue is.
func (f *fn) place(e tree.Expr) place {
	switch e := e.(type) {
	case *tree.VarRef:
		return f.variablePlace(e.Var)
	case *tree.Unary:
		if e.Op == tree.Deref {
			return f.deref(e.X)
		}
		if e.Op == tree.PreInc || e.Op == tree.PreDec {
			f.incDec(e)
			return f.place(e.X)
		}
	case *tree.Member:
		return f.member(e)
	case *tree.Swizzle:
		return f.swizzlePlace(e)
	case *tree.VectorIndex:
		p := f.place(e.X)
		p.index = f.value(e.Index)
		return p
	case *tree.StringLit:
		return place{base: f.stringVar(e), typ: e.Type.In(types.Constant), align: 1}
	case *tree.CompoundLit:
		if e.Var.Storage == tree.AutoVar {
			f.variable(e.Var)
			f.initialize(f.variablePlace(e.Var), e.Var.Init)
		}
		return f.variablePlace(e.Var)
	case *tree.Binary:
		if e.Op == tree.Comma {
			f.discard(e.L)
			return f.place(e.R)
		}
	case *tree.Assign:
		p, _ := f.assign(e)
		return p
	case *tree.CompoundAssign:
		p, _ := f.compound(e)
		return p
	case *tree.Convert:
		if e.Kind == tree.NoOp || e.Kind == tree.Bits {
			p := f.place(e.X)
			ptr := f.pointer(&p)
			if t := e.Type.In(p.typ.Space()); f.memoryType(t.Type) != f.memoryType(p.typ.Type) {
				ptr = f.op(spirv.OpBitcast, f.pointerTo(t), ptr)
			}
			return place{base: ptr, typ: e.Type.In(p.typ.Space()), align: p.align}
		}
	}
	// A structure that is no lvalue, of which a member is asked for, has memory all the same.
	return place{base: f.value(e), typ: e.Info().Type.Unqual(), align: f.types.AlignOf(e.Info().Type.Type)}
}

// variablePlace returns where a variable is.
func (f *fn) variablePlace(v *tree.Var) place {
	align := max(v.Align, f.types.AlignOf(v.Type.Type))
	if v.ID != 0 {
		return place{base: spirv.ID(v.ID), typ: v.Type, align: align}
	}
	if v.Gen != 0 {
		f.use(f.module.vars[v.Gen-1])
		return place{base: f.module.vars[v.Gen-1], typ: v.Type, align: align}
	}
	// A jump passed its declaration.
	f.variable(v)
	return place{base: spirv.ID(v.ID), typ: v.Type, align: align}
}

// deref returns where a pointer leads.
func (f *fn) deref(x tree.Expr) place {
	elem := x.Info().Type.Elem
	align := f.types.AlignOf(elem.Type)
	if p, ok := f.elementPlace(x); ok {
		return p
	}
	return place{base: f.value(x), typ: elem, align: align}
}

// elementPlace returns where a pointer leads that is the sum of a pointer and an index, or an array.
func (f *fn) elementPlace(x tree.Expr) (place, bool) {
	for {
		c, ok := x.(*tree.Convert)
		if !ok || c.Kind != tree.NoOp && (c.Kind != tree.Pointer || f.typeOf(c.Type.Type) != f.typeOf(c.X.Info().Type.Type)) {
			break
		}
		x = c.X
	}
	switch e := x.(type) {
	case *tree.Convert:
		if e.Kind == tree.Decay && e.X.Info().Type.IsArray() {
			p := f.place(e.X)
			f.into(&p, f.bitsConst(32, 0), e.Type.Elem, f.elementAlign(p.align, e.Type.Elem.Type))
			return p, true
		}
	case *tree.Binary:
		if e.Op != tree.PtrAdd && e.Op != tree.PtrSub {
			break
		}
		elem := e.Type.Elem
		if d, ok := e.L.(*tree.Convert); ok && d.Kind == tree.Decay && d.X.Info().Type.IsArray() {
			p := f.place(d.X)
			i := f.indexOf(e)
			f.into(&p, i, elem, f.elementAlign(p.align, elem.Type))
			return p, true
		}
		base := f.value(e.L)
		return place{base: base, first: f.indexOf(e), typ: elem, align: f.types.AlignOf(elem.Type)}, true
	}
	return place{}, false
}

// elementAlign returns the alignment of elements of an array whose beginning has an alignment.
func (f *fn) elementAlign(align int64, elem *types.Type) int64 {
	return min(align, f.types.AlignOf(elem))
}

// indexOf returns the index that a sum of pointer and integer adds, as wide as an address.
func (f *fn) indexOf(e *tree.Binary) spirv.ID {
	if lit, ok := e.R.(*tree.IntLit); ok {
		v := lit.Value
		if e.Op == tree.PtrSub {
			v = -v
		}
		return f.intConst(f.types.Size, v)
	}
	i := f.value(e.R)
	i = f.resize(i, e.R.Info().Type.Base(), f.types.Size)
	if e.Op == tree.PtrSub {
		i = f.op(spirv.OpSNegate, f.typeOf(f.types.Size), i)
	}
	return i
}

// resize converts an integer to the width of another type, as its own sign says.
func (f *fn) resize(v spirv.ID, from, to *types.Type) spirv.ID {
	switch {
	case from.Component().Kind == types.BoolKind:
		return f.boolToInt(v, to)
	case from.Bits() == to.Bits():
		return v
	case from.IsSigned():
		return f.op(spirv.OpSConvert, f.typeOf(to), v)
	}
	return f.op(spirv.OpUConvert, f.typeOf(to), v)
}

// member returns where a member of a structure or union is.
func (f *fn) member(e *tree.Member) place {
	p := f.place(e.X)
	f.memoryType(e.X.Info().Type.Type)
	return f.fieldPlaceOf(p, e.X.Info().Type.Struct, e.Field, e.Type)
}

// fieldPlaceOf returns where a field of the structure or union at p is.
func (f *fn) fieldPlaceOf(p place, st *types.Struct, i int, typ types.Qual) place {
	field := &st.Fields[i]
	fp := &f.structs[st].fields[i]
	space := p.typ.Space()
	typ = typ.In(space)
	align := p.align
	if field.Offset%align != 0 {
		align = field.Offset & -field.Offset
	}
	switch {
	case fp.bits >= 0 && fp.bytes > 8:
		f.fail(field.Pos, "bit-field %s lies in more than eight bytes, which is not supported", field.Name)
		return p
	case fp.bits >= 0 && fp.member >= 0:
		f.into(&p, f.bitsConst(32, uint64(fp.member)), typ, 1)
		ptr := f.chain(&p, f.pointerType(f.structs[st].members[fp.member].typ, class(space)))
		return place{base: ptr, typ: typ, bits: fp, align: 1}
	case fp.bits >= 0:
		ptr := f.op(spirv.OpBitcast, f.pointerType(f.intType(8), class(space)), f.pointer(&p))
		return place{base: ptr, typ: typ, bits: fp, align: 1}
	case fp.member >= 0:
		f.into(&p, f.bitsConst(32, uint64(fp.member)), typ, align)
		return p
	}
	from := f.pointerTo(p.typ)
	ptr := f.pointer(&p)
	if field.Offset != 0 {
		from = f.pointerType(f.intType(8), class(space))
		ptr = f.op(spirv.OpBitcast, from, ptr)
		ptr = f.op(spirv.OpInBoundsPtrAccessChain, from, ptr, f.intConst(f.types.Size, uint64(field.Offset)))
	}
	if to := f.pointerTo(typ); to != from {
		ptr = f.op(spirv.OpBitcast, to, ptr)
	}
	return place{base: ptr, typ: typ, align: align}
}

// swizzlePlace returns where components of a vector are.
func (f *fn) swizzlePlace(e *tree.Swizzle) place {
	p := f.place(e.X)
	if p.comps == nil {
		p.comps = e.Comps
		return p
	}
	comps := make([]uint8, len(e.Comps))
	for i, c := range e.Comps {
		comps[i] = 3
		if int(c) < len(p.comps) {
			comps[i] = p.comps[c]
		}
	}
	p.comps = comps
	return p
}

// memoryOperands returns the operands that say how an access goes (3.26).
func (f *fn) memoryOperands(p *place) (mask, align spirv.ID) {
	m := spirv.MemoryAccessAligned
	if p.typ.Q&types.Volatile != 0 {
		m |= spirv.MemoryAccessVolatile
	}
	return spirv.ID(m), spirv.ID(p.align)
}

// load returns the value at a place. Structures are their address.
func (f *fn) load(p place) spirv.ID {
	switch {
	case p.bits != nil:
		return f.loadBits(&p)
	case p.index != 0:
		return f.op(spirv.OpVectorExtractDynamic, f.typeOf(p.typ.Elem.Type), f.loadWhole(&p), p.index)
	case len(p.comps) == 1 && p.typ.Elem.Type.Bits() >= 32 && int(p.comps[0]) < p.typ.Lanes():
		f.intoComponent(&p)
		return f.loadWhole(&p)
	case p.comps != nil:
		return f.components(f.loadWhole(&p), p.typ.Type, p.comps)
	case byPointer(p.typ.Type):
		return f.pointer(&p)
	}
	return f.loadWhole(&p)
}

// intoComponent leads a place of one component to that, which has an address of its own.
func (f *fn) intoComponent(p *place) {
	align := p.align
	if offset := int64(p.comps[0]) * f.types.SizeOf(p.typ.Elem.Type); offset%align != 0 {
		align = offset & -offset
	}
	f.into(p, f.bitsConst(32, uint64(p.comps[0])), p.typ.Elem, align)
	p.comps = nil
}

func (f *fn) loadWhole(p *place) spirv.ID {
	if p.typ.IsOpaque() && !storable(p.typ.Type) {
		return p.base
	}
	ptr := f.pointer(p)
	mask, align := f.memoryOperands(p)
	v := f.op(spirv.OpLoad, f.memoryType(p.typ.Type), ptr, mask, align)
	if p.typ.Base().Kind == types.BoolKind {
		v = f.op(spirv.OpINotEqual, f.boolType(1), v, f.bitsConst(8, 0))
	}
	return v
}

// components returns components of a vector, as a scalar or a vector.
func (f *fn) components(v spirv.ID, t *types.Type, comps []uint8) spirv.ID {
	if len(comps) == 1 {
		if int(comps[0]) >= t.Lanes() {
			return f.undef(f.typeOf(t.Elem.Type))
		}
		return f.op(spirv.OpCompositeExtract, f.typeOf(t.Elem.Type), v, spirv.ID(comps[0]))
	}
	return f.shuffle(v, t, comps)
}

// shuffle is OpVectorShuffle of one vector; components that it lacks are not defined.
func (f *fn) shuffle(v spirv.ID, t *types.Type, comps []uint8) spirv.ID {
	var list [18]spirv.ID
	operands := append(list[:0], v, v)
	for _, c := range comps {
		x := spirv.ID(c)
		if int(c) >= t.Lanes() {
			x = 0xffffffff
		}
		operands = append(operands, x)
	}
	return f.op(spirv.OpVectorShuffle, f.vectorType(f.typeOf(t.Elem.Type), len(comps)), operands...)
}

// storeTo stores a value at a place. Structures are given by their address.
func (f *fn) storeTo(p place, v spirv.ID) {
	switch {
	case p.bits != nil:
		f.storeBits(&p, v)
		return
	case p.index != 0:
		old := p
		v = f.op(spirv.OpVectorInsertDynamic, f.typeOf(p.typ.Type), f.loadWhole(&old), v, p.index)
		p = old
	case len(p.comps) == 1:
		f.intoComponent(&p)
	case p.comps != nil:
		old := p
		v = f.insert(f.loadWhole(&old), v, p.typ.Type, p.comps)
		p = old
	case byPointer(p.typ.Type):
		f.copyStruct(&p, v)
		return
	}
	if p.typ.Base().Kind == types.BoolKind {
		v = f.op(spirv.OpSelect, f.intType(8), v, f.bitsConst(8, 1), f.bitsConst(8, 0))
	}
	ptr := f.pointer(&p)
	mask, align := f.memoryOperands(&p)
	f.do(spirv.OpStore, ptr, v, mask, align)
}

// insert returns a vector with some components replaced.
func (f *fn) insert(old, v spirv.ID, t *types.Type, comps []uint8) spirv.ID {
	var list [18]spirv.ID
	operands := append(list[:0], old, v)
	for i := range t.Lanes() {
		x := spirv.ID(i)
		for k, c := range comps {
			if int(c) == i {
				x = spirv.ID(t.Lanes() + k)
			}
		}
		operands = append(operands, x)
	}
	return f.op(spirv.OpVectorShuffle, f.typeOf(t), operands...)
}

// copyStruct copies a structure to a place.
func (f *fn) copyStruct(p *place, from spirv.ID) {
	if size := f.types.SizeOf(p.typ.Type); size != 0 {
		to := f.pointer(p)
		mask, align := f.memoryOperands(p)
		f.do(spirv.OpCopyMemorySized, to, from, f.intConst(f.types.Size, uint64(size)), mask, align)
	}
}

// bitsOf returns the value of the bytes that have a bit-field, and the type it has.
func (f *fn) bitsOf(p *place) (v spirv.ID, bits int) {
	b := p.bits
	if b.whole {
		bits = int(8 * b.bytes)
		return f.op(spirv.OpLoad, f.intType(bits), p.base, spirv.ID(spirv.MemoryAccessAligned), spirv.ID(b.bytes)), bits
	}
	bits = 8
	for bits < int(8*b.bytes) {
		bits *= 2
	}
	for i := range b.bytes {
		c := f.op(spirv.OpLoad, f.intType(8), f.bytePointer(p, i), spirv.ID(spirv.MemoryAccessAligned), 1)
		if bits > 8 {
			c = f.op(spirv.OpUConvert, f.intType(bits), c)
		}
		if i > 0 {
			c = f.op(spirv.OpShiftLeftLogical, f.intType(bits), c, f.bitsConst(bits, uint64(8*i)))
			c = f.op(spirv.OpBitwiseOr, f.intType(bits), v, c)
		}
		v = c
	}
	return v, bits
}

// bytePointer returns the address of a byte of a bit-field.
func (f *fn) bytePointer(p *place, i int64) spirv.ID {
	typ := f.pointerType(f.intType(8), class(p.typ.Space()))
	index := f.intConst(f.types.Size, uint64(p.bits.from+i))
	if p.bits.member < 0 { // base is a pointer to bytes
		return f.op(spirv.OpInBoundsPtrAccessChain, typ, p.base, index)
	}
	return f.op(spirv.OpInBoundsAccessChain, typ, p.base, index)
}

// loadBits returns the value of a bit-field, in its declared type.
func (f *fn) loadBits(p *place) spirv.ID {
	v, bits := f.bitsOf(p)
	t := p.typ.Base()
	if n := bits - p.bits.shift - p.bits.bits; n > 0 {
		v = f.op(spirv.OpShiftLeftLogical, f.intType(bits), v, f.bitsConst(bits, uint64(n)))
	}
	op := spirv.OpShiftRightLogical
	if t.IsSigned() {
		op = spirv.OpShiftRightArithmetic
	}
	if n := bits - p.bits.bits; n > 0 {
		v = f.op(op, f.intType(bits), v, f.bitsConst(bits, uint64(n)))
	}
	if t.Kind == types.BoolKind {
		return f.op(spirv.OpINotEqual, f.boolType(1), v, f.bitsConst(bits, 0))
	}
	if bits != t.Bits() {
		op = spirv.OpUConvert
		if t.IsSigned() {
			op = spirv.OpSConvert
		}
		v = f.op(op, f.typeOf(t), v)
	}
	return v
}

// storeBits stores a bit-field: the bits around it stay.
func (f *fn) storeBits(p *place, v spirv.ID) {
	old, bits := f.bitsOf(p)
	t := p.typ.Base()
	typ := f.intType(bits)
	if t.Kind == types.BoolKind {
		v = f.op(spirv.OpSelect, typ, v, f.bitsConst(bits, 1), f.bitsConst(bits, 0))
	} else if bits != t.Bits() {
		v = f.op(spirv.OpUConvert, typ, v)
	}
	mask := (uint64(1)<<p.bits.bits - 1) << p.bits.shift
	if p.bits.bits == 64 {
		mask = 1<<64 - 1
	}
	if p.bits.shift != 0 {
		v = f.op(spirv.OpShiftLeftLogical, typ, v, f.bitsConst(bits, uint64(p.bits.shift)))
	}
	v = f.op(spirv.OpBitwiseAnd, typ, v, f.bitsConst(bits, mask))
	old = f.op(spirv.OpBitwiseAnd, typ, old, f.bitsConst(bits, ^mask))
	v = f.op(spirv.OpBitwiseOr, typ, old, v)
	if p.bits.whole {
		f.do(spirv.OpStore, p.base, v, spirv.ID(spirv.MemoryAccessAligned), spirv.ID(p.bits.bytes))
		return
	}
	for i := range p.bits.bytes {
		c := v
		if i > 0 {
			c = f.op(spirv.OpShiftRightLogical, typ, v, f.bitsConst(bits, uint64(8*i)))
		}
		if bits > 8 {
			c = f.op(spirv.OpUConvert, f.intType(8), c)
		}
		f.do(spirv.OpStore, f.bytePointer(p, i), c, spirv.ID(spirv.MemoryAccessAligned), 1)
	}
}
