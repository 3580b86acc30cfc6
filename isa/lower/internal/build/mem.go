package build

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Offset moves a pointer by a constant number of bytes.
func (b *Builder) Offset(p *ssa.Value, d int64) *ssa.Value {
	for {
		if d == 0 {
			return p
		}
		if p.Op == isa.OpPtrAdd && p.Idx == isa.IdxNone && opt.Mergeable(p, d) {
			d += int64(p.Disp)
			p = p.Args[0]
			continue
		}
		break
	}
	if !ssa.FitsDisp(d) {
		v := b.Func.NewValue(isa.OpPtrAdd, isa.I64, isa.I64, p, b.Imm(isa.I64, uint64(d)))
		v.Idx, v.Scale = isa.Idx64, 1
		return b.Add(v)
	}
	v := b.Func.NewValue(isa.OpPtrAdd, isa.I64, isa.I64, p)
	v.Disp = int32(d)
	return b.Add(v)
}

// bytesOf returns n elements of size bytes each, or a number that is as far from all offsets where 64 bits do
// not hold the product.
func bytesOf(n int64, size uint64) int64 {
	const most = 1 << 62
	m := uint64(n)
	if n < 0 {
		m = -m
	}
	hi, lo := bits.Mul64(m, size)
	if hi != 0 {
		lo = most
	}
	if n < 0 {
		return -int64(min(lo, most))
	}
	return int64(min(lo, most))
}

// clamp returns the integer of 64 bits from -most to most that is next to i.
func (b *Builder) clamp(i *ssa.Value, most int64) *ssa.Value {
	i = b.Bin(isa.OpMinS, isa.I64, i, b.Imm(isa.I64, uint64(most)))
	return b.Bin(isa.OpMaxS, isa.I64, i, b.Imm(isa.I64, uint64(-most)))
}

// Index moves a pointer by i elements of size bytes. i is a signed integer of
// type t.
func (b *Builder) Index(p, i *ssa.Value, t *Type, size uint64) *ssa.Value {
	if i.IsConst() {
		n := i.Signed()
		if t.Odd() {
			n = int64(i.Imm<<(64-t.Bits)) >> (64 - t.Bits)
		}
		return b.Offset(p, bytesOf(n, size))
	}
	if size == 0 {
		return p
	}
	i = b.Signed(t, i)
	x := isa.Idx64
	switch s := t.Scalar(); s {
	case isa.I8, isa.I16:
		i = b.Conv(isa.OpSExt, isa.I32, s, i)
		x = isa.IdxS32
	case isa.I32:
		x = isa.IdxS32
	}
	if size > math.MaxUint32 {
		if x == isa.IdxS32 {
			i = b.Conv(isa.OpSExt, isa.I64, isa.I32, i)
			x = isa.Idx64
		}
		i = b.Bin(isa.OpMul, isa.I64, b.clamp(i, ssa.OutOfReach/int64(size)+1), b.Imm(isa.I64, size))
		size = 1
	}
	// A constant ahead of the index moves behind it, where accesses take it in.
	disp := int32(0)
	if p.Op == isa.OpPtrAdd && p.Idx == isa.IdxNone {
		disp, p = p.Disp, p.Args[0]
	}
	v := b.Func.NewValue(isa.OpPtrAdd, isa.I64, isa.I64, p, i)
	v.Idx, v.Scale, v.Disp = x, uint32(size), disp
	return b.Add(v)
}

// chain follows the indexes of an access chain from a pointer to t.
func (b *Builder) chain(p *ssa.Value, t *Type, indexes []uint32) (*ssa.Value, *Type) {
	for _, w := range indexes {
		i, it := b.One(spirv.ID(w))
		switch t.Kind {
		case KindStruct:
			if !i.IsConst() {
				b.Fail("the index %%%d into a structure is not a constant", w)
			}
			e, off, _, ok := t.step(i.Imm)
			if !ok {
				b.Fail("index %d is out of range", i.Imm)
			}
			p, t = b.Offset(p, int64(off)), e
		case KindArray, KindVector, KindMatrix:
			if t.nibbles {
				b.Fail("a component of 4 bits has no address")
			}
			t = t.Elem
			p = b.Index(p, i, it, t.Size)
		default:
			b.Fail("index %%%d goes into a %s", w, t.Op)
		}
	}
	return p, t
}

// Memory reads the instructions that make, move and use pointers.
func (b *Builder) Memory(in spirv.Inst) {
	ops := in.Operands()
	switch in.Op() {
	case spirv.OpVariable, spirv.OpUntypedVariableKHR:
		t := b.variableType(in)
		if t.Size > math.MaxInt32 {
			b.Fail("a private variable of %d bytes is too large", t.Size)
		}
		v := b.privateVar(b.Module.Names[in.ResultID()], t, b.alignOf(in.ResultID(), t))
		b.beginVariable(v)
		init := spirv.ID(in.Operand(1))
		if in.Op() == spirv.OpUntypedVariableKHR {
			init = spirv.ID(in.Operand(2))
		}
		if init != 0 {
			if d, ok := b.Module.Index.Def(init); ok && d.Op() == spirv.OpConstantNull && t.Flat > MaxFlat {
				b.Fail("the initializer of a private variable has more than %d scalars", MaxFlat)
			}
			b.Store(v, t, b.Typed(init, t), Access{Space: isa.SpacePrivate})
		}
		b.SetOne(in, v)
	case spirv.OpLoad:
		p, pt := b.One(spirv.ID(ops[0]))
		t := b.Module.TypeOf(in.ResultType())
		if t.Flat > MaxFlat {
			b.Fail("a value of more than %d scalars does not fit in registers", MaxFlat)
		}
		if base, _, ok := InputOf(p); ok && t.Kind == KindVector {
			b.inputs[in.ResultID()] = spirv.BuiltIn(base.Index)
		}
		b.checkBounds(spirv.ID(ops[0]))
		a := MemoryAccess(pt, ops[1:])
		if _, _, input := InputOf(p); t.Scalar() != isa.Void && !input {
			b.SetOne(in, b.LoadScalar(p, t, a.Part(0, t.Size, t.Align)))
			return
		}
		b.Set(in, b.Load(p, t, a)...)
	case spirv.OpStore:
		p, pt := b.One(spirv.ID(ops[0]))
		v, t := b.Vals(spirv.ID(ops[1]))
		b.checkBounds(spirv.ID(ops[0]))
		b.Store(p, t, v, MemoryAccess(pt, ops[2:]))
	case spirv.OpCopyMemory:
		dst, dt := b.One(spirv.ID(ops[0]))
		src, st := b.One(spirv.ID(ops[1]))
		b.checkBounds(spirv.ID(ops[0]))
		b.checkBounds(spirv.ID(ops[1]))
		t := b.Module.Pointee(dt)
		if t == nil {
			t = b.Module.Pointee(st)
		}
		if t == nil {
			b.Fail("copies between untyped pointers, so that the size is unknown")
		}
		b.copyConst(dst, src, t.Size, copyAccesses(dt, st, ops[2:], t.Align))
	case spirv.OpCopyMemorySized:
		dst, dt := b.One(spirv.ID(ops[0]))
		src, st := b.One(spirv.ID(ops[1]))
		n, nt := b.One(spirv.ID(ops[2]))
		a := copyAccesses(dt, st, ops[3:], 1)
		if n.IsConst() {
			b.copyConst(dst, src, n.Imm, a)
			return
		}
		b.unfit = true
		b.memCopy(dst, src, b.Resize(n, nt.Scalar(), isa.I64), a)
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		p, pt := b.One(spirv.ID(ops[0]))
		b.boundsOf(in, spirv.ID(ops[0]), b.typeAt(pt), nil, ops[1:])
		p, _ = b.chain(p, b.typeAt(pt), ops[1:])
		b.SetOne(in, p)
	case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		p, pt := b.One(spirv.ID(ops[0]))
		b.boundsOf(in, spirv.ID(ops[0]), b.typeAt(pt), ops[1:2], ops[2:])
		b.SetOne(in, b.ptrChain(p, b.typeAt(pt), ops[1:]))
	case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
		p, _ := b.One(spirv.ID(ops[1]))
		b.boundsOf(in, spirv.ID(ops[1]), b.Module.TypeOf(spirv.ID(ops[0])), nil, ops[2:])
		p, _ = b.chain(p, b.Module.TypeOf(spirv.ID(ops[0])), ops[2:])
		b.SetOne(in, p)
	case spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		p, _ := b.One(spirv.ID(ops[1]))
		b.boundsOf(in, spirv.ID(ops[1]), b.Module.TypeOf(spirv.ID(ops[0])), ops[2:3], ops[3:])
		b.SetOne(in, b.ptrChain(p, b.Module.TypeOf(spirv.ID(ops[0])), ops[2:]))
	case spirv.OpPtrDiff:
		x, pt := b.One(spirv.ID(ops[0]))
		y, _ := b.One(spirv.ID(ops[1]))
		t := b.Module.TypeOf(in.ResultType())
		b.SetOne(in, b.Norm(t, b.Resize(b.pointerDistance(x, y, b.typeAt(pt).Size), isa.I64, t.Scalar())))
	case spirv.OpGenericPtrMemSemantics:
		// The semantics bit of the memory that the pointer leads to (SPIR-V 3.25).
		p, _ := b.One(spirv.ID(ops[0]))
		tag := b.Bin(isa.OpShrU, isa.I64, p, b.Imm(isa.I64, 60))
		r := b.Imm(isa.I32, 0)
		for _, x := range []struct{ tag, sem uint64 }{{uint64(isa.SpaceGlobal), 0x200}, {uint64(isa.SpaceLocal), 0x100}} {
			r = b.Sel(isa.I32, b.Cmp(isa.OpEq, isa.I64, tag, b.Imm(isa.I64, x.tag)), b.Imm(isa.I32, x.sem), r)
		}
		b.SetOne(in, r)
	}
}

// typeAt returns what a typed pointer points to.
func (b *Builder) typeAt(pt *Type) *Type {
	t := b.Module.Pointee(pt)
	if t == nil {
		b.Fail("the base has no type to index")
	}
	return t
}

func (b *Builder) ptrChain(p *ssa.Value, t *Type, indexes []uint32) *ssa.Value {
	i, it := b.One(spirv.ID(indexes[0]))
	p = b.Index(p, i, it, t.Size)
	p, _ = b.chain(p, t, indexes[1:])
	return p
}

// Access is how memory is accessed: what the memory operands of an
// instruction say, and where the pointer leads.
type Access struct {
	Space isa.Space
	flags isa.Flags
	Align uint64 // that the module promises, 0 for that of the type
	// wide is the access that a load or store makes an element of; zero where it makes all of it.
	wide isa.WideAccess
}

// MemoryAccess reads the memory operands of an access through a pointer of
// type pt (SPIR-V 3.26).
func MemoryAccess(pt *Type, ops []uint32) Access {
	a, _ := memoryOperands(ops)
	a.Space = pt.Space()
	return a
}

// memoryOperands reads a mask of memory operands with what belongs to it, and returns the operands behind.
func memoryOperands(ops []uint32) (a Access, rest []uint32) {
	if len(ops) == 0 {
		return a, nil
	}
	mask, rest := ops[0], ops[1:]
	if mask&uint32(spirv.MemoryAccessVolatile) != 0 {
		a.flags = isa.FlagVolatile
	}
	for _, m := range [...]spirv.MemoryAccess{spirv.MemoryAccessAligned, spirv.MemoryAccessMakePointerAvailable,
		spirv.MemoryAccessMakePointerVisible, spirv.MemoryAccessAliasScopeINTELMask, spirv.MemoryAccessNoAliasINTELMask} {
		if mask&uint32(m) == 0 || len(rest) == 0 {
			continue
		}
		if n := uint64(rest[0]); m == spirv.MemoryAccessAligned && n&(n-1) == 0 {
			a.Align = n
		}
		rest = rest[1:]
	}
	return a, rest
}

// copyAccesses reads the memory operands of a copy: one mask for the target and one for
// the source, or one for both (SPIR-V 3.49.8). natural is the alignment where they do not say.
func copyAccesses(dt, st *Type, ops []uint32, natural uint64) (a [2]Access) {
	dst, rest := memoryOperands(ops)
	src := dst
	if len(rest) > 0 {
		src, _ = memoryOperands(rest)
	}
	dst.flags, src.flags = 0, 0
	dst.Space, src.Space = dt.Space(), st.Space()
	dst.Align, src.Align = cmp.Or(dst.Align, natural), cmp.Or(src.Align, natural)
	return [2]Access{dst, src}
}

// Part returns the access to an element at a byte offset of an object of so many bytes, whose
// alignment is natural where the module does not say.
func (a Access) Part(offset, bytes, natural uint64) Access {
	a.wide = isa.WideAccess{Offset: offset, Bytes: bytes, Align: cmp.Or(a.Align, natural)}
	return a
}

// use gives a load or store what is known of its access.
func (b *Builder) use(v *ssa.Value, a Access) {
	v.Space, v.Flags = a.Space, a.flags
	n := uint64(v.Elem.Bytes())
	w := a.wide
	if w.Bytes == 0 {
		w = isa.WideAccess{Bytes: n, Align: cmp.Or(a.Align, n)}
	}
	if w.Align == 1 || w.Bytes == n && w.Align <= n {
		v.Imm2 = isa.AlignCode(uint32(w.Align))
		return
	}
	b.Wides = append(b.Wides, w)
	v.Imm = uint64(len(b.Wides))
}

// Load reads an object of type t.
func (b *Builder) Load(p *ssa.Value, t *Type, a Access) []*ssa.Value {
	if base, off, ok := InputOf(p); ok {
		return b.loadInput(base, off, p, t)
	}
	if b.inWords(t, a) {
		return b.loadWords(p, t, a)
	}
	out := make([]*ssa.Value, 0, t.Flat)
	t.leaves(0, func(l leaf) {
		a := a.Part(l.offset, t.Size, t.Align)
		if l.half == 0 {
			out = append(out, b.LoadScalar(b.Offset(p, int64(l.offset)), l.t, a))
			return
		}
		whole := b.LoadScalar(b.Offset(p, int64(l.offset)), byteType, a)
		out = append(out, b.nibble(l, whole))
	})
	return out
}

// byteType is the type of bytes that two components share.
var byteType = &Type{Kind: KindInt, Bits: 8, Flat: 1, Size: 1, Align: 1}

// nibble returns the half of a byte that a leaf is.
func (b *Builder) nibble(l leaf, whole *ssa.Value) *ssa.Value {
	if l.half == 2 {
		return b.Bin(isa.OpShrU, isa.I8, whole, b.Imm(isa.I8, 4))
	}
	return b.Bin(isa.OpAnd, isa.I8, whole, b.Imm(isa.I8, 15))
}

// LoadScalar adds a load of one scalar.
func (b *Builder) LoadScalar(p *ssa.Value, t *Type, a Access) *ssa.Value {
	access := func(s isa.Type) *ssa.Value {
		v := b.Func.NewValue(isa.OpLoad, s, s, p)
		b.use(v, a)
		return b.Add(v)
	}
	switch {
	case t.Kind == KindBool:
		return b.Cmp(isa.OpNe, isa.I8, access(isa.I8), b.Imm(isa.I8, 0))
	case t.Kind == KindPointer && b.Module.PtrSize == 4:
		return b.Conv(isa.OpPtrUnpack32, isa.I64, isa.I32, access(isa.I32))
	case t.Op == spirv.OpTypeMatrix:
		b.Fail("matrices are not supported: kernels have vectors (the capability Matrix belongs to shaders)")
	case b.Module.sharedPointer(t):
		return b.AtAddress(access(isa.I64))
	case t.Scalar() == isa.Void:
		b.Fail("values of type %s cannot be loaded", t.Op)
	}
	return b.Norm(t, access(t.Scalar()))
}

// Store writes the scalars v of type t.
func (b *Builder) Store(p *ssa.Value, t *Type, v []*ssa.Value, a Access) {
	if t.Scalar() != isa.Void {
		b.StoreScalar(p, t, v[0], a.Part(0, t.Size, t.Align))
		return
	}
	if b.inWords(t, a) {
		b.storeWords(p, t, v, a)
		return
	}
	i := 0
	t.leaves(0, func(l leaf) {
		i++
		a := a.Part(l.offset, t.Size, t.Align)
		switch l.half {
		case 0:
			b.StoreScalar(b.Offset(p, int64(l.offset)), l.t, v[i-1], a)
		case 2: // with the half before it
			high := b.Bin(isa.OpShl, isa.I8, v[i-1], b.Imm(isa.I8, 4))
			b.StoreScalar(b.Offset(p, int64(l.offset)), byteType, b.Bin(isa.OpOr, isa.I8, v[i-2], high), a)
		}
	})
}

// StoreScalar adds a store of one scalar.
func (b *Builder) StoreScalar(p *ssa.Value, t *Type, x *ssa.Value, a Access) {
	s := t.Scalar()
	switch {
	case t.Kind == KindBool:
		s = isa.I8
		x = b.Sel(isa.I8, x, b.Imm(isa.I8, 1), b.Imm(isa.I8, 0))
	case t.Kind == KindPointer && b.Module.PtrSize == 4:
		s = isa.I32
		x = b.Conv(isa.OpPtrPack32, isa.I32, isa.I64, x)
	case b.Module.sharedPointer(t):
		x = b.AddressOf(x)
	case s == isa.Void:
		b.Fail("values of type %s cannot be stored", t.Op)
	}
	v := b.Func.NewValue(isa.OpStore, isa.Void, s, p, x)
	b.use(v, a)
	b.Add(v)
}

// InputOf returns the built-in variable that a pointer leads to and the byte
// offset; dynamic offsets are found in the pointer itself.
//
// While a kernel is built, Value.Pos of an addition to a pointer says whether it leads to such a variable, so that nobody
// walks along a chain of additions for each of them.
func InputOf(p *ssa.Value) (base *ssa.Value, off int64, ok bool) {
	for p.Op == isa.OpPtrAdd {
		if p.Pos == 0 {
			return nil, 0, false
		}
		off += int64(p.Disp)
		p = p.Args[0]
	}
	return p, off, p.Op == ssa.OpInput
}

// loadInput reads a built-in variable (SPIR-V 3.21) or a component of one.
func (b *Builder) loadInput(base *ssa.Value, off int64, p *ssa.Value, t *Type) []*ssa.Value {
	ct := t.Component()
	s := ct.Scalar()
	if !s.IsInt() || s.Bits() < 32 {
		b.Fail("a built-in variable of type %s is not supported", ct.Op)
	}
	var idx *ssa.Value
	for q := p; q.Op == isa.OpPtrAdd; q = q.Args[0] {
		if q.Idx != isa.IdxNone {
			if idx != nil || uint64(q.Scale) != ct.Size {
				b.Fail("the index into a built-in variable is not supported")
			}
			idx = q.Args[1]
			if q.Idx == isa.Idx64 { // any other dimension, if it does not fit
				idx = b.Conv(isa.OpTruncate, isa.I32, isa.I64, b.Bin(isa.OpMinU, isa.I64, idx, b.Imm(isa.I64, 1<<32-1)))
			}
		}
	}
	if off%int64(ct.Size) != 0 {
		b.Fail("an offset of %d bytes into a built-in variable is not supported", off)
	}
	first := int(off) / int(ct.Size)
	if idx == nil {
		out := make([]*ssa.Value, t.Flat)
		for i := range out {
			out[i] = b.Builtin(spirv.BuiltIn(base.Index), first+i, s)
		}
		return out
	}
	r := b.Outside(spirv.BuiltIn(base.Index), s)
	for d := 2; d >= first; d-- {
		r = b.Sel(s, b.Cmp(isa.OpEq, isa.I32, idx, b.Imm(isa.I32, uint64(d-first))), b.Builtin(spirv.BuiltIn(base.Index), d, s), r)
	}
	return []*ssa.Value{r}
}

// Outside is what a built-in gives for a dimension above 2: OpenCL's ids are
// 0 there and its sizes 1.
func (b *Builder) Outside(bi spirv.BuiltIn, s isa.Type) *ssa.Value {
	switch bi {
	case spirv.BuiltInGlobalSize, spirv.BuiltInWorkgroupSize, spirv.BuiltInEnqueuedWorkgroupSize, spirv.BuiltInNumWorkgroups:
		return b.Imm(s, 1)
	}
	return b.Imm(s, 0)
}

// beyond is what a component of a vector is that the vector does not have: that of a
// dimension above 2 for a built-in variable, otherwise undefined, and 0.
func (b *Builder) beyond(vector spirv.ID, s isa.Type) *ssa.Value {
	if bi, ok := b.inputs[vector]; ok {
		return b.Outside(bi, s)
	}
	return b.Imm(s, 0)
}

// Builtin returns component d of a built-in in type s.
func (b *Builder) Builtin(bi spirv.BuiltIn, d int, s isa.Type) *ssa.Value {
	vec := func(x isa.Builtin) isa.Builtin {
		return x + isa.Builtin(d)
	}
	var x isa.Builtin
	switch bi {
	case spirv.BuiltInGlobalInvocationId:
		x = vec(isa.BuiltinGlobalID)
	case spirv.BuiltInLocalInvocationId:
		x = vec(isa.BuiltinLocalID)
	case spirv.BuiltInWorkgroupId:
		x = vec(isa.BuiltinGroupID)
	case spirv.BuiltInNumWorkgroups:
		x = vec(isa.BuiltinNumGroups)
	case spirv.BuiltInWorkgroupSize:
		x = vec(isa.BuiltinLocalSize)
	case spirv.BuiltInEnqueuedWorkgroupSize:
		x = vec(isa.BuiltinEnqueuedSize)
	case spirv.BuiltInGlobalSize:
		x = vec(isa.BuiltinGlobalSize)
	case spirv.BuiltInGlobalOffset:
		x = vec(isa.BuiltinGlobalOffset)
	case spirv.BuiltInWorkDim:
		x = isa.BuiltinWorkDim
	case spirv.BuiltInGlobalLinearId:
		x = isa.BuiltinGlobalLinearID
	case spirv.BuiltInLocalInvocationIndex:
		x = isa.BuiltinLocalLinearID
	case spirv.BuiltInSubgroupSize:
		x = isa.BuiltinSubgroupSize
	case spirv.BuiltInSubgroupMaxSize:
		if n := b.SubgroupSize(); n > 0 {
			b.knowsSubgroups = true
			return b.Imm(s, uint64(n))
		}
		x = isa.BuiltinSubgroupMaxSize
	case spirv.BuiltInNumSubgroups:
		x = isa.BuiltinNumSubgroups
	case spirv.BuiltInNumEnqueuedSubgroups:
		x = isa.BuiltinNumEnqueuedSubgroups
	case spirv.BuiltInSubgroupId:
		x = isa.BuiltinSubgroupID
	case spirv.BuiltInSubgroupLocalInvocationId:
		x = isa.BuiltinSubgroupLocalID
	case spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask,
		spirv.BuiltInSubgroupLtMask:
		return b.Resize(b.LaneMask(bi, d), isa.I32, s)
	default:
		b.Fail("the built-in variable %s is not supported", bi)
	}
	if x < isa.BuiltinWorkDim && d > 2 {
		return b.Outside(bi, s)
	}
	// Everything but global sizes and ids fits in 32 bits and is cheaper there.
	small := isa.I32
	switch {
	case x < isa.BuiltinGlobalID, x >= isa.BuiltinWorkDim && x != isa.BuiltinGlobalLinearID:
	default:
		small = s
	}
	v := b.Func.NewValue(isa.OpBuiltin, small, small)
	v.Imm = uint64(x)
	v.Block, v.Loc = b.Cur, b.Place()
	b.Cur.Insts = append(b.Cur.Insts, v)
	return b.Resize(v, small, s)
}

// copyConst copies a constant number of bytes. Small copies become loads and
// stores of the scalars that the object has, so that variables stay in
// registers. a is how the target and the source are accessed.
func (b *Builder) copyConst(dst, src *ssa.Value, n uint64, a [2]Access) {
	if n == 0 {
		return
	}
	const most = 64 // scalars
	parts := b.copyParts(dst, src, n, most)
	if parts == nil {
		b.memCopy(dst, src, b.Imm(isa.I64, n), a)
		return
	}
	// Loads first: source and destination may be the same object.
	vals := make([]*ssa.Value, len(parts))
	for i, l := range parts {
		v := b.Func.NewValue(isa.OpLoad, l.t.Scalar(), l.t.Scalar(), b.Offset(src, int64(l.offset)))
		b.use(v, a[1].Part(l.offset, n, 1))
		vals[i] = b.Add(v)
	}
	for i, l := range parts {
		v := b.Func.NewValue(isa.OpStore, isa.Void, l.t.Scalar(), b.Offset(dst, int64(l.offset)), vals[i])
		b.use(v, a[0].Part(l.offset, n, 1))
		b.Add(v)
	}
}

// copyParts cuts n bytes into scalars that follow the layout of a private
// variable on either side, or of none; nil when there would be more than most.
// Of two layouts the one with the fewer scalars counts: compilers pass objects
// through arrays of bytes, which nobody reads as such.
func (b *Builder) copyParts(dst, src *ssa.Value, n uint64, most int) []leaf {
	var parts []leaf
	for _, p := range []*ssa.Value{dst, src} {
		if l := b.variableParts(p, n, most); l != nil && (parts == nil || len(l) < len(parts)) {
			parts = l
		}
	}
	if parts != nil {
		return parts
	}
	for at := uint64(0); at < n; {
		if len(parts) == most {
			return nil
		}
		size := uint64(4)
		for size > n-at {
			size /= 2
		}
		parts = append(parts, leaf{offset: at, t: words[size]})
		at += size
	}
	return parts
}

// words are the integers that copies move, by size in bytes.
var words = map[uint64]*Type{1: {Kind: KindInt, Bits: 8}, 2: {Kind: KindInt, Bits: 16}, 4: {Kind: KindInt, Bits: 32}, 8: {Kind: KindInt, Bits: 64}}

// variableParts cuts n bytes from p on into the scalars of the private variable
// that p leads to; nil when it leads to none, or there would be more than most.
func (b *Builder) variableParts(p *ssa.Value, n uint64, most int) []leaf {
	p, off := opt.ConstantSteps(p)
	if p.Op != ssa.OpPrivate {
		b.unfit = b.unfit || p.Op == ssa.OpArg
		return nil
	}
	t := b.varTypes[p.Index]
	if t.Flat > MaxFlat || off < 0 {
		return nil
	}
	var parts []leaf
	covered := uint64(0)
	t.leaves(0, func(l leaf) {
		if l.half == 2 {
			return // its byte is there
		}
		if int64(l.offset) < off || l.offset+l.t.Size > uint64(off)+n || len(parts) > most {
			return
		}
		at := l.offset - uint64(off)
		for covered < at && len(parts) <= most { // padding goes along, byte by byte
			parts = append(parts, leaf{offset: covered, t: words[1]})
			covered++
		}
		if covered == at {
			parts = append(parts, leaf{offset: at, t: words[l.t.Size]})
			covered += l.t.Size
		}
	})
	for covered < n && len(parts) <= most {
		parts = append(parts, leaf{offset: covered, t: words[1]})
		covered++
	}
	if len(parts) > most {
		return nil
	}
	return parts
}

func (b *Builder) memCopy(dst, src, n *ssa.Value, a [2]Access) {
	v := b.Func.NewValue(isa.OpMemCopy, isa.Void, isa.Void, dst, src, n)
	v.Imm2, v.Imm = isa.AlignCode(uint32(a[0].Align)), uint64(isa.AlignCode(uint32(a[1].Align)))
	b.Add(v)
}

// AtomicOps has the read-modify-write instructions with one value operand.
var AtomicOps = map[spirv.Op]isa.AtomicOp{
	spirv.OpAtomicExchange: isa.AtomicXchg, spirv.OpAtomicIAdd: isa.AtomicAdd, spirv.OpAtomicISub: isa.AtomicSub,
	spirv.OpAtomicSMin: isa.AtomicMinS, spirv.OpAtomicUMin: isa.AtomicMinU, spirv.OpAtomicSMax: isa.AtomicMaxS,
	spirv.OpAtomicUMax: isa.AtomicMaxU, spirv.OpAtomicAnd: isa.AtomicAnd, spirv.OpAtomicOr: isa.AtomicOr,
	spirv.OpAtomicXor: isa.AtomicXor, spirv.OpAtomicFAddEXT: isa.AtomicFAdd, spirv.OpAtomicFMinEXT: isa.AtomicFMin,
	spirv.OpAtomicFMaxEXT: isa.AtomicFMax,
}

// Atomic reads an atomic instruction.
func (b *Builder) Atomic(in spirv.Inst) {
	op := in.Op()
	ops := in.Operands()
	var p *ssa.Value
	var sp isa.Space
	var order isa.MemoryOrder
	ptr := func() {
		v, pt := b.One(spirv.ID(ops[0]))
		b.checkBounds(spirv.ID(ops[0]))
		p, sp = v, pt.Space()
		if order = b.memoryOrder(spirv.ID(ops[1]), spirv.ID(ops[2])); op == spirv.OpAtomicCompareExchange || op == spirv.OpAtomicCompareExchangeWeak {
			order |= b.memoryOrder(spirv.ID(ops[1]), spirv.ID(ops[3]))
		}
		order = b.Module.legacyOrder(order)
	}
	emit := func(result, t isa.Type, a isa.AtomicOp, args ...*ssa.Value) *ssa.Value {
		v := b.Func.NewValue(isa.OpAtomic, result, t, append([]*ssa.Value{p}, args...)...)
		v.Imm2, v.Space, v.Imm = uint8(a), sp, uint64(order)
		return b.Add(v)
	}
	width := func(t isa.Type) {
		if t != isa.I32 && t != isa.I64 && !t.IsFloat() {
			b.Fail("atomics on %s are not supported", t)
		}
	}
	if a, ok := AtomicOps[op]; ok {
		ptr()
		v, t := b.One(spirv.ID(ops[3]))
		width(t.Scalar())
		b.SetOne(in, emit(t.Scalar(), t.Scalar(), a, v))
		return
	}
	switch op {
	case spirv.OpAtomicLoad:
		ptr()
		t := b.Module.TypeOf(in.ResultType())
		width(t.Scalar())
		b.SetOne(in, emit(t.Scalar(), t.Scalar(), isa.AtomicLoad))
	case spirv.OpAtomicStore:
		ptr()
		v, t := b.One(spirv.ID(ops[3]))
		width(t.Scalar())
		emit(isa.Void, t.Scalar(), isa.AtomicStore, v)
	case spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak:
		ptr()
		v, t := b.One(spirv.ID(ops[4]))
		c, _ := b.One(spirv.ID(ops[5]))
		width(t.Scalar())
		b.SetOne(in, emit(t.Scalar(), t.Scalar(), isa.AtomicCmpXchg, v, c))
	case spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement:
		ptr()
		t := b.Module.TypeOf(in.ResultType()).Scalar()
		width(t)
		a := isa.AtomicAdd
		if op == spirv.OpAtomicIDecrement {
			a = isa.AtomicSub
		}
		b.SetOne(in, emit(t, t, a, b.Imm(t, 1)))
	case spirv.OpAtomicFlagTestAndSet:
		ptr()
		old := emit(isa.I32, isa.I32, isa.AtomicXchg, b.Imm(isa.I32, 1))
		b.SetOne(in, b.Cmp(isa.OpNe, isa.I32, old, b.Imm(isa.I32, 0)))
	case spirv.OpAtomicFlagClear:
		ptr()
		emit(isa.Void, isa.I32, isa.AtomicStore, b.Imm(isa.I32, 0))
	}
}

// Fence makes a fence. ops are its scope and its semantics.
func (b *Builder) Fence(ops []uint32) {
	v := b.Func.NewValue(isa.OpFence, isa.Void, isa.Void)
	v.Imm2 = uint8(isa.ScopeDevice)
	if d, ok := b.Module.Index.Def(spirv.ID(ops[0])); ok && isConstant(d.Op()) {
		v.Imm2 = uint8(b.Module.ConstUint(spirv.ID(ops[0])))
	}
	v.Imm = uint64(b.orderOfIDs(spirv.ID(ops[0]), spirv.ID(ops[1])))
	b.Add(v)
}

// Barrier reads OpControlBarrier and OpMemoryBarrier.
func (b *Builder) Barrier(in spirv.Inst) {
	ops := in.Operands()
	if in.Op() == spirv.OpMemoryBarrier {
		b.Fence(ops)
		return
	}
	b.ControlBarrier(b.ExecutionScope(spirv.ID(ops[0])), b.orderOfIDs(spirv.ID(ops[1]), spirv.ID(ops[2])))
}

// memoryOrder returns the memory order that ids of a scope and of semantics stand for, in a kernel that is lowered for
// checks; all of it where they are not constant.
func (b *Builder) memoryOrder(scope, semantics spirv.ID) isa.MemoryOrder {
	if !b.Module.Checked {
		return 0
	}
	for _, id := range [...]spirv.ID{scope, semantics} {
		if d, ok := b.Module.Index.Def(id); !ok || !isConstant(d.Op()) {
			return isa.OrderAll
		}
	}
	return isa.OrderOf(isa.Scope(b.Module.ConstUint(scope)), uint32(b.Module.ConstUint(semantics)))
}

// khronosTranslator is the number of the translator between LLVM and SPIR-V in the registry of SPIR-V's generators.
const khronosTranslator = 6

// legacyOrder returns the order of an atomic operation. The translator gives the atomic functions of OpenCL C 1.x, which are
// those of the whole device, the scope of a work-group and, by its version, a relaxed or a sequentially consistent order:
// what hardly anyone asks for with that scope.
func (m *Module) legacyOrder(o isa.MemoryOrder) isa.MemoryOrder {
	legacy := o&isa.OrderSeqCst != 0 || o&(isa.OrderAcquire|isa.OrderRelease) == 0
	if m.Source.Generator>>16 == khronosTranslator && o.Scope() == isa.ScopeWorkgroup && legacy {
		return o.Within(isa.ScopeDevice)
	}
	return o
}

// orderOfIDs is memoryOrder for a barrier or a fence, whose order may come from values.
func (b *Builder) orderOfIDs(scope, semantics spirv.ID) isa.MemoryOrder {
	if !b.Module.Checked {
		return 0
	}
	s, _ := b.One(scope)
	m, _ := b.One(semantics)
	return b.OrderOf(s, m)
}

// OrderOf returns the order of a barrier or a fence. Where it is not constant, a check tells what it is for each work-item.
func (b *Builder) OrderOf(scope, semantics *ssa.Value) isa.MemoryOrder {
	switch {
	case !b.Module.Checked:
		return 0
	case !scope.IsConst() || !semantics.IsConst():
		if scope.Type != isa.I32 || semantics.Type != isa.I32 {
			return isa.OrderAll
		}
		b.check(isa.Check{Kind: isa.CheckOrder}, isa.I32, semantics, scope)
		return isa.OrderKnown | isa.OrderVaries
	}
	return isa.OrderOf(isa.Scope(min(scope.Imm, uint64(isa.ScopeInvocation))), uint32(semantics.Imm))
}

// ControlBarrier ends the block with a barrier.
func (b *Builder) ControlBarrier(s isa.Scope, order isa.MemoryOrder) {
	switch s {
	case isa.ScopeInvocation:
		return
	case isa.ScopeSubgroup, isa.ScopeWorkgroup:
	default:
		b.Fail("a control barrier of execution scope %s is not supported; the scope may be Workgroup or Subgroup", spirv.Scope(s))
	}
	sched := isa.ScheduleUnordered
	if s == isa.ScopeWorkgroup {
		sched = b.schedule()
	}
	b.EndInBarrier(s, sched, order)
}

// EndInBarrier ends the block with a barrier of a scope, a schedule and a memory order.
func (b *Builder) EndInBarrier(s isa.Scope, sched isa.BarrierSchedule, order isa.MemoryOrder) {
	b.Func.Ordered = b.Func.Ordered || sched != isa.ScheduleUnordered
	b.Func.Once = b.Func.Once || sched == isa.ScheduleOnce
	next := b.Func.NewBlock("")
	c := b.Cur
	c.Term, c.Scope, c.Schedule, c.MemoryOrder, c.TermLoc = ssa.TermBarrier, s, sched, order, b.Place()
	ssa.Link(c, next)
	b.Cur = next
}

// ExecutionScope returns the scope of a barrier, a constant: perhaps one that a call has passed.
func (b *Builder) ExecutionScope(id spirv.ID) isa.Scope {
	v, _ := b.One(id)
	if !v.IsConst() {
		b.Fail("the execution scope is no constant, which is not supported; write Workgroup or Subgroup as an OpConstant")
	}
	return isa.Scope(min(v.Imm, 255))
}
