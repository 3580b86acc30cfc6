package lower

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// offset moves a pointer by a constant number of bytes.
func (b *builder) offset(p *ssa.Value, d int64) *ssa.Value {
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
		v := b.f.NewValue(isa.OpPtrAdd, isa.I64, isa.I64, p, b.imm(isa.I64, uint64(d)))
		v.Idx, v.Scale = isa.Idx64, 1
		return b.add(v)
	}
	v := b.f.NewValue(isa.OpPtrAdd, isa.I64, isa.I64, p)
	v.Disp = int32(d)
	return b.add(v)
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
func (b *builder) clamp(i *ssa.Value, most int64) *ssa.Value {
	i = b.bin(isa.OpMinS, isa.I64, i, b.imm(isa.I64, uint64(most)))
	return b.bin(isa.OpMaxS, isa.I64, i, b.imm(isa.I64, uint64(-most)))
}

// index moves a pointer by i elements of size bytes. i is a signed integer of
// type t.
func (b *builder) index(p, i *ssa.Value, t *typ, size uint64) *ssa.Value {
	if i.IsConst() {
		n := i.Signed()
		if t.odd() {
			n = int64(i.Imm<<(64-t.bits)) >> (64 - t.bits)
		}
		return b.offset(p, bytesOf(n, size))
	}
	if size == 0 {
		return p
	}
	i = b.signed(t, i)
	x := isa.Idx64
	switch s := t.scalar(); s {
	case isa.I8, isa.I16:
		i = b.conv(isa.OpSExt, isa.I32, s, i)
		x = isa.IdxS32
	case isa.I32:
		x = isa.IdxS32
	}
	if size > math.MaxUint32 {
		if x == isa.IdxS32 {
			i = b.conv(isa.OpSExt, isa.I64, isa.I32, i)
			x = isa.Idx64
		}
		i = b.bin(isa.OpMul, isa.I64, b.clamp(i, ssa.OutOfReach/int64(size)+1), b.imm(isa.I64, size))
		size = 1
	}
	// A constant ahead of the index moves behind it, where accesses take it in.
	disp := int32(0)
	if p.Op == isa.OpPtrAdd && p.Idx == isa.IdxNone {
		disp, p = p.Disp, p.Args[0]
	}
	v := b.f.NewValue(isa.OpPtrAdd, isa.I64, isa.I64, p, i)
	v.Idx, v.Scale, v.Disp = x, uint32(size), disp
	return b.add(v)
}

// chain follows the indexes of an access chain from a pointer to t.
func (b *builder) chain(p *ssa.Value, t *typ, indexes []uint32) (*ssa.Value, *typ) {
	for _, w := range indexes {
		i, it := b.one(spirv.ID(w))
		switch t.kind {
		case kindStruct:
			if !i.IsConst() {
				b.fail("the index %%%d into a structure is not a constant", w)
			}
			e, off, _, ok := t.step(i.Imm)
			if !ok {
				b.fail("index %d is out of range", i.Imm)
			}
			p, t = b.offset(p, int64(off)), e
		case kindArray, kindVector, kindMatrix:
			if t.nibbles {
				b.fail("a component of 4 bits has no address")
			}
			t = t.elem
			p = b.index(p, i, it, t.size)
		default:
			b.fail("index %%%d goes into a %s", w, t.op)
		}
	}
	return p, t
}

// memory reads the instructions that make, move and use pointers.
func (b *builder) memory(in spirv.Inst) {
	ops := in.Operands()
	switch in.Op() {
	case spirv.OpVariable, spirv.OpUntypedVariableKHR:
		t := b.variableType(in)
		if t.size > math.MaxInt32 {
			b.fail("a private variable of %d bytes is too large", t.size)
		}
		v := b.privateVar(b.m.names[in.ResultID()], t, b.alignOf(in.ResultID(), t))
		b.beginVariable(v)
		init := spirv.ID(in.Operand(1))
		if in.Op() == spirv.OpUntypedVariableKHR {
			init = spirv.ID(in.Operand(2))
		}
		if init != 0 {
			if d, ok := b.m.x.Def(init); ok && d.Op() == spirv.OpConstantNull && t.flat > maxFlat {
				b.fail("the initializer of a private variable has more than %d scalars", maxFlat)
			}
			b.store(v, t, b.typed(init, t), access{space: isa.SpacePrivate})
		}
		b.set1(in, v)
	case spirv.OpLoad:
		p, pt := b.one(spirv.ID(ops[0]))
		t := b.m.typeOf(in.ResultType())
		if t.flat > maxFlat {
			b.fail("a value of more than %d scalars does not fit in registers", maxFlat)
		}
		if base, _, ok := inputOf(p); ok && t.kind == kindVector {
			b.inputs[in.ResultID()] = spirv.BuiltIn(base.Index)
		}
		b.checkBounds(spirv.ID(ops[0]))
		a := memoryAccess(pt, ops[1:])
		if _, _, input := inputOf(p); t.scalar() != isa.Void && !input {
			b.set1(in, b.loadScalar(p, t, a.part(0, t.size, t.align)))
			return
		}
		b.set(in, b.load(p, t, a)...)
	case spirv.OpStore:
		p, pt := b.one(spirv.ID(ops[0]))
		v, t := b.vals(spirv.ID(ops[1]))
		b.checkBounds(spirv.ID(ops[0]))
		b.store(p, t, v, memoryAccess(pt, ops[2:]))
	case spirv.OpCopyMemory:
		dst, dt := b.one(spirv.ID(ops[0]))
		src, st := b.one(spirv.ID(ops[1]))
		b.checkBounds(spirv.ID(ops[0]))
		b.checkBounds(spirv.ID(ops[1]))
		t := b.m.pointee(dt)
		if t == nil {
			t = b.m.pointee(st)
		}
		if t == nil {
			b.fail("copies between untyped pointers, so that the size is unknown")
		}
		b.copyConst(dst, src, t.size, copyAccesses(dt, st, ops[2:], t.align))
	case spirv.OpCopyMemorySized:
		dst, dt := b.one(spirv.ID(ops[0]))
		src, st := b.one(spirv.ID(ops[1]))
		n, nt := b.one(spirv.ID(ops[2]))
		a := copyAccesses(dt, st, ops[3:], 1)
		if n.IsConst() {
			b.copyConst(dst, src, n.Imm, a)
			return
		}
		b.unfit = true
		b.memCopy(dst, src, b.resize(n, nt.scalar(), isa.I64), a)
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		p, pt := b.one(spirv.ID(ops[0]))
		b.boundsOf(in, spirv.ID(ops[0]), b.typeAt(pt), nil, ops[1:])
		p, _ = b.chain(p, b.typeAt(pt), ops[1:])
		b.set1(in, p)
	case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		p, pt := b.one(spirv.ID(ops[0]))
		b.boundsOf(in, spirv.ID(ops[0]), b.typeAt(pt), ops[1:2], ops[2:])
		b.set1(in, b.ptrChain(p, b.typeAt(pt), ops[1:]))
	case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
		p, _ := b.one(spirv.ID(ops[1]))
		b.boundsOf(in, spirv.ID(ops[1]), b.m.typeOf(spirv.ID(ops[0])), nil, ops[2:])
		p, _ = b.chain(p, b.m.typeOf(spirv.ID(ops[0])), ops[2:])
		b.set1(in, p)
	case spirv.OpUntypedPtrAccessChainKHR, spirv.OpUntypedInBoundsPtrAccessChainKHR:
		p, _ := b.one(spirv.ID(ops[1]))
		b.boundsOf(in, spirv.ID(ops[1]), b.m.typeOf(spirv.ID(ops[0])), ops[2:3], ops[3:])
		b.set1(in, b.ptrChain(p, b.m.typeOf(spirv.ID(ops[0])), ops[2:]))
	case spirv.OpPtrDiff:
		x, pt := b.one(spirv.ID(ops[0]))
		y, _ := b.one(spirv.ID(ops[1]))
		t := b.m.typeOf(in.ResultType())
		b.set1(in, b.norm(t, b.resize(b.pointerDistance(x, y, b.typeAt(pt).size), isa.I64, t.scalar())))
	case spirv.OpGenericPtrMemSemantics:
		// The semantics bit of the memory that the pointer leads to (SPIR-V 3.25).
		p, _ := b.one(spirv.ID(ops[0]))
		tag := b.bin(isa.OpShrU, isa.I64, p, b.imm(isa.I64, 60))
		r := b.imm(isa.I32, 0)
		for _, x := range []struct{ tag, sem uint64 }{{uint64(isa.SpaceGlobal), 0x200}, {uint64(isa.SpaceLocal), 0x100}} {
			r = b.sel(isa.I32, b.cmp(isa.OpEq, isa.I64, tag, b.imm(isa.I64, x.tag)), b.imm(isa.I32, x.sem), r)
		}
		b.set1(in, r)
	}
}

// typeAt returns what a typed pointer points to.
func (b *builder) typeAt(pt *typ) *typ {
	t := b.m.pointee(pt)
	if t == nil {
		b.fail("the base has no type to index")
	}
	return t
}

func (b *builder) ptrChain(p *ssa.Value, t *typ, indexes []uint32) *ssa.Value {
	i, it := b.one(spirv.ID(indexes[0]))
	p = b.index(p, i, it, t.size)
	p, _ = b.chain(p, t, indexes[1:])
	return p
}

// access is how memory is accessed: what the memory operands of an
// instruction say, and where the pointer leads.
type access struct {
	space isa.Space
	flags isa.Flags
	align uint64 // that the module promises, 0 for that of the type
	// wide is the access that a load or store makes an element of; zero where it makes all of it.
	wide isa.WideAccess
}

// memoryAccess reads the memory operands of an access through a pointer of
// type pt (SPIR-V 3.26).
func memoryAccess(pt *typ, ops []uint32) access {
	a, _ := memoryOperands(ops)
	a.space = pt.space()
	return a
}

// memoryOperands reads a mask of memory operands with what belongs to it, and returns the operands behind.
func memoryOperands(ops []uint32) (a access, rest []uint32) {
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
			a.align = n
		}
		rest = rest[1:]
	}
	return a, rest
}

// copyAccesses reads the memory operands of a copy: one mask for the target and one for
// the source, or one for both (SPIR-V 3.49.8). natural is the alignment where they do not say.
func copyAccesses(dt, st *typ, ops []uint32, natural uint64) (a [2]access) {
	dst, rest := memoryOperands(ops)
	src := dst
	if len(rest) > 0 {
		src, _ = memoryOperands(rest)
	}
	dst.flags, src.flags = 0, 0
	dst.space, src.space = dt.space(), st.space()
	dst.align, src.align = cmp.Or(dst.align, natural), cmp.Or(src.align, natural)
	return [2]access{dst, src}
}

// part returns the access to an element at a byte offset of an object of so many bytes, whose
// alignment is natural where the module does not say.
func (a access) part(offset, bytes, natural uint64) access {
	a.wide = isa.WideAccess{Offset: offset, Bytes: bytes, Align: cmp.Or(a.align, natural)}
	return a
}

// use gives a load or store what is known of its access.
func (b *builder) use(v *ssa.Value, a access) {
	v.Space, v.Flags = a.space, a.flags
	n := uint64(v.Elem.Bytes())
	w := a.wide
	if w.Bytes == 0 {
		w = isa.WideAccess{Bytes: n, Align: cmp.Or(a.align, n)}
	}
	if w.Align == 1 || w.Bytes == n && w.Align <= n {
		v.Imm2 = isa.AlignCode(uint32(w.Align))
		return
	}
	b.wides = append(b.wides, w)
	v.Imm = uint64(len(b.wides))
}

// load reads an object of type t.
func (b *builder) load(p *ssa.Value, t *typ, a access) []*ssa.Value {
	if base, off, ok := inputOf(p); ok {
		return b.loadInput(base, off, p, t)
	}
	if b.inWords(t, a) {
		return b.loadWords(p, t, a)
	}
	out := make([]*ssa.Value, 0, t.flat)
	t.leaves(0, func(l leaf) {
		a := a.part(l.offset, t.size, t.align)
		if l.half == 0 {
			out = append(out, b.loadScalar(b.offset(p, int64(l.offset)), l.t, a))
			return
		}
		whole := b.loadScalar(b.offset(p, int64(l.offset)), byteType, a)
		out = append(out, b.nibble(l, whole))
	})
	return out
}

// byteType is the type of bytes that two components share.
var byteType = &typ{kind: kindInt, bits: 8, flat: 1, size: 1, align: 1}

// nibble returns the half of a byte that a leaf is.
func (b *builder) nibble(l leaf, whole *ssa.Value) *ssa.Value {
	if l.half == 2 {
		return b.bin(isa.OpShrU, isa.I8, whole, b.imm(isa.I8, 4))
	}
	return b.bin(isa.OpAnd, isa.I8, whole, b.imm(isa.I8, 15))
}

func (b *builder) loadScalar(p *ssa.Value, t *typ, a access) *ssa.Value {
	access := func(s isa.Type) *ssa.Value {
		v := b.f.NewValue(isa.OpLoad, s, s, p)
		b.use(v, a)
		return b.add(v)
	}
	switch {
	case t.kind == kindBool:
		return b.cmp(isa.OpNe, isa.I8, access(isa.I8), b.imm(isa.I8, 0))
	case t.kind == kindPointer && b.m.ptrSize == 4:
		return b.conv(isa.OpPtrUnpack32, isa.I64, isa.I32, access(isa.I32))
	case t.op == spirv.OpTypeMatrix:
		b.fail("matrices are not supported: kernels have vectors (the capability Matrix belongs to shaders)")
	case b.m.sharedPointer(t):
		return b.atAddress(access(isa.I64))
	case t.scalar() == isa.Void:
		b.fail("values of type %s cannot be loaded", t.op)
	}
	return b.norm(t, access(t.scalar()))
}

// store writes the scalars v of type t.
func (b *builder) store(p *ssa.Value, t *typ, v []*ssa.Value, a access) {
	if t.scalar() != isa.Void {
		b.storeScalar(p, t, v[0], a.part(0, t.size, t.align))
		return
	}
	if b.inWords(t, a) {
		b.storeWords(p, t, v, a)
		return
	}
	i := 0
	t.leaves(0, func(l leaf) {
		i++
		a := a.part(l.offset, t.size, t.align)
		switch l.half {
		case 0:
			b.storeScalar(b.offset(p, int64(l.offset)), l.t, v[i-1], a)
		case 2: // with the half before it
			high := b.bin(isa.OpShl, isa.I8, v[i-1], b.imm(isa.I8, 4))
			b.storeScalar(b.offset(p, int64(l.offset)), byteType, b.bin(isa.OpOr, isa.I8, v[i-2], high), a)
		}
	})
}

func (b *builder) storeScalar(p *ssa.Value, t *typ, x *ssa.Value, a access) {
	s := t.scalar()
	switch {
	case t.kind == kindBool:
		s = isa.I8
		x = b.sel(isa.I8, x, b.imm(isa.I8, 1), b.imm(isa.I8, 0))
	case t.kind == kindPointer && b.m.ptrSize == 4:
		s = isa.I32
		x = b.conv(isa.OpPtrPack32, isa.I32, isa.I64, x)
	case b.m.sharedPointer(t):
		x = b.addressOf(x)
	case s == isa.Void:
		b.fail("values of type %s cannot be stored", t.op)
	}
	v := b.f.NewValue(isa.OpStore, isa.Void, s, p, x)
	b.use(v, a)
	b.add(v)
}

// inputOf returns the built-in variable that a pointer leads to and the byte
// offset; dynamic offsets are found in the pointer itself.
//
// While a kernel is built, Value.Pos of an addition to a pointer says whether it leads to such a variable, so that nobody
// walks along a chain of additions for each of them.
func inputOf(p *ssa.Value) (base *ssa.Value, off int64, ok bool) {
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
func (b *builder) loadInput(base *ssa.Value, off int64, p *ssa.Value, t *typ) []*ssa.Value {
	ct := t.component()
	s := ct.scalar()
	if !s.IsInt() || s.Bits() < 32 {
		b.fail("a built-in variable of type %s is not supported", ct.op)
	}
	var idx *ssa.Value
	for q := p; q.Op == isa.OpPtrAdd; q = q.Args[0] {
		if q.Idx != isa.IdxNone {
			if idx != nil || uint64(q.Scale) != ct.size {
				b.fail("the index into a built-in variable is not supported")
			}
			idx = q.Args[1]
			if q.Idx == isa.Idx64 { // any other dimension, if it does not fit
				idx = b.conv(isa.OpTruncate, isa.I32, isa.I64, b.bin(isa.OpMinU, isa.I64, idx, b.imm(isa.I64, 1<<32-1)))
			}
		}
	}
	if off%int64(ct.size) != 0 {
		b.fail("an offset of %d bytes into a built-in variable is not supported", off)
	}
	first := int(off) / int(ct.size)
	if idx == nil {
		out := make([]*ssa.Value, t.flat)
		for i := range out {
			out[i] = b.builtin(spirv.BuiltIn(base.Index), first+i, s)
		}
		return out
	}
	r := b.outside(spirv.BuiltIn(base.Index), s)
	for d := 2; d >= first; d-- {
		r = b.sel(s, b.cmp(isa.OpEq, isa.I32, idx, b.imm(isa.I32, uint64(d-first))), b.builtin(spirv.BuiltIn(base.Index), d, s), r)
	}
	return []*ssa.Value{r}
}

// outside is what a built-in gives for a dimension above 2: OpenCL's ids are
// 0 there and its sizes 1.
func (b *builder) outside(bi spirv.BuiltIn, s isa.Type) *ssa.Value {
	switch bi {
	case spirv.BuiltInGlobalSize, spirv.BuiltInWorkgroupSize, spirv.BuiltInEnqueuedWorkgroupSize, spirv.BuiltInNumWorkgroups:
		return b.imm(s, 1)
	}
	return b.imm(s, 0)
}

// beyond is what a component of a vector is that the vector does not have: that of a
// dimension above 2 for a built-in variable, otherwise undefined, and 0.
func (b *builder) beyond(vector spirv.ID, s isa.Type) *ssa.Value {
	if bi, ok := b.inputs[vector]; ok {
		return b.outside(bi, s)
	}
	return b.imm(s, 0)
}

// builtin returns component d of a built-in in type s.
func (b *builder) builtin(bi spirv.BuiltIn, d int, s isa.Type) *ssa.Value {
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
		if n := b.subgroupSize(); n > 0 {
			b.knowsSubgroups = true
			return b.imm(s, uint64(n))
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
		return b.resize(b.laneMask(bi, d), isa.I32, s)
	default:
		b.fail("the built-in variable %s is not supported", bi)
	}
	if x < isa.BuiltinWorkDim && d > 2 {
		return b.outside(bi, s)
	}
	// Everything but global sizes and ids fits in 32 bits and is cheaper there.
	small := isa.I32
	switch {
	case x < isa.BuiltinGlobalID, x >= isa.BuiltinWorkDim && x != isa.BuiltinGlobalLinearID:
	default:
		small = s
	}
	v := b.f.NewValue(isa.OpBuiltin, small, small)
	v.Imm = uint64(x)
	v.Block, v.Loc = b.cur, b.place()
	b.cur.Insts = append(b.cur.Insts, v)
	return b.resize(v, small, s)
}

// copyConst copies a constant number of bytes. Small copies become loads and
// stores of the scalars that the object has, so that variables stay in
// registers. a is how the target and the source are accessed.
func (b *builder) copyConst(dst, src *ssa.Value, n uint64, a [2]access) {
	if n == 0 {
		return
	}
	const most = 64 // scalars
	parts := b.copyParts(dst, src, n, most)
	if parts == nil {
		b.memCopy(dst, src, b.imm(isa.I64, n), a)
		return
	}
	// Loads first: source and destination may be the same object.
	vals := make([]*ssa.Value, len(parts))
	for i, l := range parts {
		v := b.f.NewValue(isa.OpLoad, l.t.scalar(), l.t.scalar(), b.offset(src, int64(l.offset)))
		b.use(v, a[1].part(l.offset, n, 1))
		vals[i] = b.add(v)
	}
	for i, l := range parts {
		v := b.f.NewValue(isa.OpStore, isa.Void, l.t.scalar(), b.offset(dst, int64(l.offset)), vals[i])
		b.use(v, a[0].part(l.offset, n, 1))
		b.add(v)
	}
}

// copyParts cuts n bytes into scalars that follow the layout of a private
// variable on either side, or of none; nil when there would be more than most.
// Of two layouts the one with the fewer scalars counts: compilers pass objects
// through arrays of bytes, which nobody reads as such.
func (b *builder) copyParts(dst, src *ssa.Value, n uint64, most int) []leaf {
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
var words = map[uint64]*typ{1: {kind: kindInt, bits: 8}, 2: {kind: kindInt, bits: 16}, 4: {kind: kindInt, bits: 32}, 8: {kind: kindInt, bits: 64}}

// variableParts cuts n bytes from p on into the scalars of the private variable
// that p leads to; nil when it leads to none, or there would be more than most.
func (b *builder) variableParts(p *ssa.Value, n uint64, most int) []leaf {
	p, off := opt.ConstantSteps(p)
	if p.Op != ssa.OpPrivate {
		b.unfit = b.unfit || p.Op == ssa.OpArg
		return nil
	}
	t := b.varTypes[p.Index]
	if t.flat > maxFlat || off < 0 {
		return nil
	}
	var parts []leaf
	covered := uint64(0)
	t.leaves(0, func(l leaf) {
		if l.half == 2 {
			return // its byte is there
		}
		if int64(l.offset) < off || l.offset+l.t.size > uint64(off)+n || len(parts) > most {
			return
		}
		at := l.offset - uint64(off)
		for covered < at && len(parts) <= most { // padding goes along, byte by byte
			parts = append(parts, leaf{offset: covered, t: words[1]})
			covered++
		}
		if covered == at {
			parts = append(parts, leaf{offset: at, t: words[l.t.size]})
			covered += l.t.size
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

func (b *builder) memCopy(dst, src, n *ssa.Value, a [2]access) {
	v := b.f.NewValue(isa.OpMemCopy, isa.Void, isa.Void, dst, src, n)
	v.Imm2, v.Imm = isa.AlignCode(uint32(a[0].align)), uint64(isa.AlignCode(uint32(a[1].align)))
	b.add(v)
}

// atomicOps has the read-modify-write instructions with one value operand.
var atomicOps = map[spirv.Op]isa.AtomicOp{
	spirv.OpAtomicExchange: isa.AtomicXchg, spirv.OpAtomicIAdd: isa.AtomicAdd, spirv.OpAtomicISub: isa.AtomicSub,
	spirv.OpAtomicSMin: isa.AtomicMinS, spirv.OpAtomicUMin: isa.AtomicMinU, spirv.OpAtomicSMax: isa.AtomicMaxS,
	spirv.OpAtomicUMax: isa.AtomicMaxU, spirv.OpAtomicAnd: isa.AtomicAnd, spirv.OpAtomicOr: isa.AtomicOr,
	spirv.OpAtomicXor: isa.AtomicXor, spirv.OpAtomicFAddEXT: isa.AtomicFAdd, spirv.OpAtomicFMinEXT: isa.AtomicFMin,
	spirv.OpAtomicFMaxEXT: isa.AtomicFMax,
}

// atomic reads an atomic instruction.
func (b *builder) atomic(in spirv.Inst) {
	op := in.Op()
	ops := in.Operands()
	var p *ssa.Value
	var sp isa.Space
	var order isa.MemoryOrder
	ptr := func() {
		v, pt := b.one(spirv.ID(ops[0]))
		b.checkBounds(spirv.ID(ops[0]))
		p, sp = v, pt.space()
		if order = b.memoryOrder(spirv.ID(ops[1]), spirv.ID(ops[2])); op == spirv.OpAtomicCompareExchange || op == spirv.OpAtomicCompareExchangeWeak {
			order |= b.memoryOrder(spirv.ID(ops[1]), spirv.ID(ops[3]))
		}
		order = b.m.legacyOrder(order)
	}
	emit := func(result, t isa.Type, a isa.AtomicOp, args ...*ssa.Value) *ssa.Value {
		v := b.f.NewValue(isa.OpAtomic, result, t, append([]*ssa.Value{p}, args...)...)
		v.Imm2, v.Space, v.Imm = uint8(a), sp, uint64(order)
		return b.add(v)
	}
	width := func(t isa.Type) {
		if t != isa.I32 && t != isa.I64 && !t.IsFloat() {
			b.fail("atomics on %s are not supported", t)
		}
	}
	if a, ok := atomicOps[op]; ok {
		ptr()
		v, t := b.one(spirv.ID(ops[3]))
		width(t.scalar())
		b.set1(in, emit(t.scalar(), t.scalar(), a, v))
		return
	}
	switch op {
	case spirv.OpAtomicLoad:
		ptr()
		t := b.m.typeOf(in.ResultType())
		width(t.scalar())
		b.set1(in, emit(t.scalar(), t.scalar(), isa.AtomicLoad))
	case spirv.OpAtomicStore:
		ptr()
		v, t := b.one(spirv.ID(ops[3]))
		width(t.scalar())
		emit(isa.Void, t.scalar(), isa.AtomicStore, v)
	case spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak:
		ptr()
		v, t := b.one(spirv.ID(ops[4]))
		c, _ := b.one(spirv.ID(ops[5]))
		width(t.scalar())
		b.set1(in, emit(t.scalar(), t.scalar(), isa.AtomicCmpXchg, v, c))
	case spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement:
		ptr()
		t := b.m.typeOf(in.ResultType()).scalar()
		width(t)
		a := isa.AtomicAdd
		if op == spirv.OpAtomicIDecrement {
			a = isa.AtomicSub
		}
		b.set1(in, emit(t, t, a, b.imm(t, 1)))
	case spirv.OpAtomicFlagTestAndSet:
		ptr()
		old := emit(isa.I32, isa.I32, isa.AtomicXchg, b.imm(isa.I32, 1))
		b.set1(in, b.cmp(isa.OpNe, isa.I32, old, b.imm(isa.I32, 0)))
	case spirv.OpAtomicFlagClear:
		ptr()
		emit(isa.Void, isa.I32, isa.AtomicStore, b.imm(isa.I32, 0))
	}
}

// fence makes a fence. ops are its scope and its semantics.
func (b *builder) fence(ops []uint32) {
	v := b.f.NewValue(isa.OpFence, isa.Void, isa.Void)
	v.Imm2 = uint8(isa.ScopeDevice)
	if d, ok := b.m.x.Def(spirv.ID(ops[0])); ok && isConstant(d.Op()) {
		v.Imm2 = uint8(b.m.constUint(spirv.ID(ops[0])))
	}
	v.Imm = uint64(b.orderOfIDs(spirv.ID(ops[0]), spirv.ID(ops[1])))
	b.add(v)
}

// barrier reads OpControlBarrier and OpMemoryBarrier.
func (b *builder) barrier(in spirv.Inst) {
	ops := in.Operands()
	if in.Op() == spirv.OpMemoryBarrier {
		b.fence(ops)
		return
	}
	b.controlBarrier(b.executionScope(spirv.ID(ops[0])), b.orderOfIDs(spirv.ID(ops[1]), spirv.ID(ops[2])))
}

// memoryOrder returns the memory order that ids of a scope and of semantics stand for, in a kernel that is lowered for
// checks; all of it where they are not constant.
func (b *builder) memoryOrder(scope, semantics spirv.ID) isa.MemoryOrder {
	if !b.m.checked {
		return 0
	}
	for _, id := range [...]spirv.ID{scope, semantics} {
		if d, ok := b.m.x.Def(id); !ok || !isConstant(d.Op()) {
			return isa.OrderAll
		}
	}
	return isa.OrderOf(isa.Scope(b.m.constUint(scope)), uint32(b.m.constUint(semantics)))
}

// khronosTranslator is the number of the translator between LLVM and SPIR-V in the registry of SPIR-V's generators.
const khronosTranslator = 6

// legacyOrder returns the order of an atomic operation. The translator gives the atomic functions of OpenCL C 1.x, which are
// those of the whole device, the scope of a work-group and, by its version, a relaxed or a sequentially consistent order:
// what hardly anyone asks for with that scope.
func (m *module) legacyOrder(o isa.MemoryOrder) isa.MemoryOrder {
	legacy := o&isa.OrderSeqCst != 0 || o&(isa.OrderAcquire|isa.OrderRelease) == 0
	if m.src.Generator>>16 == khronosTranslator && o.Scope() == isa.ScopeWorkgroup && legacy {
		return o.Within(isa.ScopeDevice)
	}
	return o
}

// orderOfIDs is memoryOrder for a barrier or a fence, whose order may come from values.
func (b *builder) orderOfIDs(scope, semantics spirv.ID) isa.MemoryOrder {
	if !b.m.checked {
		return 0
	}
	s, _ := b.one(scope)
	m, _ := b.one(semantics)
	return b.orderOf(s, m)
}

// orderOf returns the order of a barrier or a fence. Where it is not constant, a check tells what it is for each work-item.
func (b *builder) orderOf(scope, semantics *ssa.Value) isa.MemoryOrder {
	switch {
	case !b.m.checked:
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

// controlBarrier ends the block with a barrier.
func (b *builder) controlBarrier(s isa.Scope, order isa.MemoryOrder) {
	switch s {
	case isa.ScopeInvocation:
		return
	case isa.ScopeSubgroup, isa.ScopeWorkgroup:
	default:
		b.fail("a control barrier of execution scope %s is not supported; the scope may be Workgroup or Subgroup", spirv.Scope(s))
	}
	sched := isa.ScheduleUnordered
	if s == isa.ScopeWorkgroup {
		sched = b.schedule()
	}
	b.endInBarrier(s, sched, order)
}

// endInBarrier ends the block with a barrier of a scope, a schedule and a memory order.
func (b *builder) endInBarrier(s isa.Scope, sched isa.BarrierSchedule, order isa.MemoryOrder) {
	b.f.Ordered = b.f.Ordered || sched != isa.ScheduleUnordered
	b.f.Once = b.f.Once || sched == isa.ScheduleOnce
	next := b.f.NewBlock("")
	c := b.cur
	c.Term, c.Scope, c.Schedule, c.MemoryOrder, c.TermLoc = ssa.TermBarrier, s, sched, order, b.place()
	ssa.Link(c, next)
	b.cur = next
}

// executionScope returns the scope of a barrier, a constant: perhaps one that a call has passed.
func (b *builder) executionScope(id spirv.ID) isa.Scope {
	v, _ := b.one(id)
	if !v.IsConst() {
		b.fail("the execution scope is no constant, which is not supported; write Workgroup or Subgroup as an OpConstant")
	}
	return isa.Scope(min(v.Imm, 255))
}
