package gen

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// value emits what computes an expression and returns its value: OpTypeBool for bool, the address for structures, 0
// for void.
func (f *fn) value(e tree.Expr) spirv.ID {
	t := e.Info().Type.Type
	switch e := e.(type) {
	case *tree.IntLit:
		if t.Kind == types.SamplerKind {
			return f.samplerConst(e.Value)
		}
		return f.intConst(t, e.Value)
	case *tree.FloatLit:
		return f.floatConst(t, e.Value)
	case *tree.NullLit:
		return f.null(f.typeOf(t))
	case *tree.Convert:
		return f.convert(e)
	case *tree.Unary:
		return f.unary(e)
	case *tree.Binary:
		return f.binary(e)
	case *tree.Assign:
		p, v := f.assign(e)
		if byPointer(t) {
			return f.pointer(&p)
		}
		return v
	case *tree.CompoundAssign:
		_, v := f.compound(e)
		return v
	case *tree.Cond:
		return f.conditional(e)
	case *tree.Select:
		c := f.value(e.C)
		ct := e.C.Info().Type.Type
		c = f.op(spirv.OpSLessThan, f.boolType(ct.Lanes()), c, f.null(f.typeOf(ct)))
		a := f.value(e.A)
		return f.op(spirv.OpSelect, f.typeOf(t), c, a, f.value(e.B))
	case *tree.VectorLit:
		return f.vectorLit(e)
	case *tree.Swizzle:
		if _, ok := e.X.(*tree.Convert); ok || !e.X.Info().LValue {
			return f.components(f.value(e.X), e.X.Info().Type.Type, e.Comps)
		}
	case *tree.VectorIndex:
		if !e.X.Info().LValue {
			v := f.value(e.X)
			return f.op(spirv.OpVectorExtractDynamic, f.typeOf(t), v, f.value(e.Index))
		}
	case *tree.Call:
		return f.call(e)
	case *tree.CallBuiltin:
		f.at(e.Pos)
		return f.builtin(e)
	case *tree.StmtExpr:
		return f.stmtExpr(e)
	case *tree.InitList:
		// The value of a structure in braces: memory that is initialized.
		p := place{base: f.temp(t), typ: types.Qual{Type: t}, align: f.types.AlignOf(t)}
		f.initialize(p, e)
		return f.pointer(&p)
	case *tree.FuncRef:
		f.fail(e.Pos, "a function is used as a value")
		return f.undef(f.typeOf(f.types.Int))
	case *tree.Bad:
		f.fail(e.Pos, "internal: an expression that is wrong reached code generation")
		return f.undef(f.typeOf(f.types.Int))
	}
	// What is left are lvalues whose value is asked for without a conversion: members of structures that are values.
	return f.load(f.place(e))
}

// discard emits what an expression does, without its value.
func (f *fn) discard(e tree.Expr) {
	switch e := e.(type) {
	case *tree.Unary:
		switch e.Op {
		case tree.PreInc, tree.PreDec, tree.PostInc, tree.PostDec:
			f.incDec(e)
			return
		}
	case *tree.Convert:
		if e.Kind == tree.Void || e.Kind == tree.Load && e.X.Info().Type.Q&types.Volatile == 0 {
			f.discard(e.X)
			return
		}
	case *tree.VarRef, *tree.StringLit:
		return
	case *tree.Member:
		f.discard(e.X)
		return
	case *tree.Assign:
		f.assign(e)
		return
	case *tree.StmtExpr:
		f.stmt(e.Body)
		return
	}
	if e.Info().LValue {
		p := f.place(e)
		if p.typ.Q&types.Volatile != 0 {
			f.load(p)
		}
		return
	}
	f.value(e)
}

func (f *fn) vectorLit(e *tree.VectorLit) spirv.ID {
	if isConstant(e) {
		return f.constantVector(e.Type.Type, e)
	}
	var list [16]spirv.ID
	parts := list[:0]
	for _, x := range e.Elems {
		parts = append(parts, f.value(x))
	}
	return f.op(spirv.OpCompositeConstruct, f.typeOf(e.Type.Type), parts...)
}

// convert emits a conversion.
func (f *fn) convert(e *tree.Convert) spirv.ID {
	to, from := e.Type.Type, e.X.Info().Type.Type
	switch e.Kind {
	case tree.Load:
		if v, ok := e.X.(*tree.VarRef); ok && v.Var.Type.Kind == types.SamplerKind && v.Var.Storage != tree.ParamVar {
			return f.sampler(v.Var)
		}
		p := f.place(e.X)
		if _, ok := e.X.(*tree.VarRef); !ok {
			f.at(e.Pos)
		}
		return f.load(p)
	case tree.Decay:
		if p, ok := f.elementPlace(e); ok {
			return f.pointer(&p)
		}
		f.fail(e.Pos, "a function is used as a value")
		return f.undef(f.typeOf(to))
	case tree.Void:
		f.discard(e.X)
		return 0
	case tree.ToBool:
		return f.cond(e.X)
	}
	v := f.value(e.X)
	switch e.Kind {
	case tree.NoOp:
		return v
	case tree.Splat:
		return f.splat(v, to, isConstant(e.X))
	case tree.Bits:
		return f.reinterpret(v, from, to)
	case tree.Pointer:
		if f.typeOf(from) == f.typeOf(to) {
			return v
		}
		return f.op(spirv.OpBitcast, f.typeOf(to), v)
	case tree.Space:
		return f.convertSpace(v, from, to)
	case tree.PointerToInt:
		if to.Base().Kind == types.BoolKind {
			return f.isNotNull(v, from)
		}
		return f.op(spirv.OpConvertPtrToU, f.typeOf(to), v)
	case tree.IntToPointer:
		v = f.resize(v, from.Base(), f.types.Size)
		return f.op(spirv.OpConvertUToPtr, f.typeOf(to), v)
	}
	return f.number(v, from, to)
}

// number converts numbers, or vectors of them.
func (f *fn) number(v spirv.ID, from, to *types.Type) spirv.ID {
	a, b := from.Component(), to.Component()
	typ := f.typeOf(to)
	switch {
	case b.Kind == types.BoolKind:
		return f.isNot0(v, from)
	case a.Kind == types.BoolKind && b.IsInteger():
		return f.boolToInt(v, to)
	case a.Kind == types.BoolKind:
		one, zero := f.floatConst(b, 1), f.floatConst(b, 0)
		n := to.Lanes()
		return f.op(spirv.OpSelect, typ, v, f.splatConst(typ, one, n), f.splatConst(typ, zero, n))
	case a.IsInteger() && b.IsInteger():
		return f.resizeVector(v, from, to)
	case a.IsInteger():
		if a.IsSigned() {
			return f.op(spirv.OpConvertSToF, typ, v)
		}
		return f.op(spirv.OpConvertUToF, typ, v)
	case b.IsInteger():
		if b.IsSigned() {
			return f.op(spirv.OpConvertFToS, typ, v)
		}
		return f.op(spirv.OpConvertFToU, typ, v)
	case a.Kind == b.Kind:
		return v
	}
	return f.op(spirv.OpFConvert, typ, v)
}

func (f *fn) resizeVector(v spirv.ID, from, to *types.Type) spirv.ID {
	switch {
	case from.Bits() == to.Bits():
		return v
	case from.IsSigned():
		return f.op(spirv.OpSConvert, f.typeOf(to), v)
	}
	return f.op(spirv.OpUConvert, f.typeOf(to), v)
}

// boolToInt returns 1 or 0, component by component.
func (f *fn) boolToInt(v spirv.ID, to *types.Type) spirv.ID {
	one, zero := f.intConst(to.Component(), 1), f.intConst(to.Component(), 0)
	n := to.Lanes()
	typ := f.typeOf(to)
	return f.op(spirv.OpSelect, typ, v, f.splatConst(typ, one, n), f.splatConst(typ, zero, n))
}

// boolToMask returns -1 or 0, component by component, as comparisons of vectors do.
func (f *fn) boolToMask(v spirv.ID, to *types.Type) spirv.ID {
	typ := f.typeOf(to)
	ones := f.splatConst(typ, f.intConst(to.Component(), 1<<64-1), to.Lanes())
	return f.op(spirv.OpSelect, typ, v, ones, f.null(typ))
}

// isNot0 returns whether a number differs from 0, component by component.
func (f *fn) isNot0(v spirv.ID, t *types.Type) spirv.ID {
	switch {
	case t.Component().Kind == types.BoolKind:
		return v
	case t.Kind == types.PointerKind:
		return f.isNotNull(v, t)
	case t.HasFloat():
		return f.op(spirv.OpFUnordNotEqual, f.boolType(t.Lanes()), v, f.null(f.typeOf(t)))
	}
	return f.op(spirv.OpINotEqual, f.boolType(t.Lanes()), v, f.null(f.typeOf(t)))
}

func (f *fn) isNotNull(v spirv.ID, t *types.Type) spirv.ID {
	size := f.types.Size
	a := f.op(spirv.OpConvertPtrToU, f.typeOf(size), v)
	return f.op(spirv.OpINotEqual, f.boolType(1), a, f.intConst(size, 0))
}

// reinterpret is as_type: the same bits in another type. Vectors of 3 and 4 components become each other.
func (f *fn) reinterpret(v spirv.ID, from, to *types.Type) spirv.ID {
	if from == to || f.typeOf(from) == f.typeOf(to) {
		return v
	}
	if from.Kind == types.BoolKind {
		v, from = f.boolToInt(v, f.types.UChar), f.types.UChar
	}
	a, b := from.Lanes(), to.Lanes()
	switch {
	case a == 3 && b != 3:
		wide := f.types.Vector(from.Elem.Type, 4)
		v = f.shuffle(v, from, []uint8{0, 1, 2, 3})
		return f.reinterpret(v, wide, to)
	case b == 3 && a != 3:
		wide := f.types.Vector(to.Elem.Type, 4)
		v = f.reinterpret(v, from, wide)
		return f.shuffle(v, wide, []uint8{0, 1, 2})
	}
	return f.op(spirv.OpBitcast, f.typeOf(to), v)
}

// convertSpace converts pointers between address spaces (3.42.11).
func (f *fn) convertSpace(v spirv.ID, from, to *types.Type) spirv.ID {
	a, b := from.Elem.Space(), to.Elem.Space()
	if from.Elem.Type != to.Elem.Type && f.memoryType(from.Elem.Type) != f.memoryType(to.Elem.Type) {
		same := f.pointerTo(types.Qual{Type: to.Elem.Type}.In(a))
		v = f.op(spirv.OpBitcast, same, v)
	}
	switch {
	case a == b:
		return v
	case b == types.Generic:
		return f.op(spirv.OpPtrCastToGeneric, f.typeOf(to), v)
	case a == types.Generic:
		return f.op(spirv.OpGenericCastToPtr, f.typeOf(to), v)
	}
	// Between two named spaces: what C calls a cast of the bits.
	n := f.op(spirv.OpConvertPtrToU, f.typeOf(f.types.Size), v)
	return f.op(spirv.OpConvertUToPtr, f.typeOf(to), n)
}

func (f *fn) unary(e *tree.Unary) spirv.ID {
	t := e.Type.Type
	switch e.Op {
	case tree.Addr:
		p := f.place(e.X)
		if len(p.comps) == 1 {
			f.into(&p, f.bitsConst(32, uint64(p.comps[0])), p.typ.Elem, 1)
			p.comps = nil
		} else if p.index != 0 {
			i := p.index
			p.index = 0
			f.into(&p, i, p.typ.Elem, 1)
		}
		ptr := f.pointer(&p)
		if want := f.typeOf(t); want != f.pointerTo(p.typ) {
			ptr = f.op(spirv.OpBitcast, want, ptr)
		}
		return ptr
	case tree.Deref:
		return f.load(f.deref(e.X))
	case tree.PreInc, tree.PreDec, tree.PostInc, tree.PostDec:
		return f.incDec(e)
	case tree.Plus:
		return f.value(e.X)
	case tree.LogNot:
		c := f.cond(e)
		if t.IsVector() {
			return f.boolToMask(c, t)
		}
		return f.boolToInt(c, t)
	}
	v := f.value(e.X)
	switch {
	case e.Op == tree.BitNot:
		return f.op(spirv.OpNot, f.typeOf(t), v)
	case t.HasFloat():
		return f.op(spirv.OpFNegate, f.typeOf(t), v)
	}
	return f.noWrap(t, f.op(spirv.OpSNegate, f.typeOf(t), v))
}

// incDec emits ++ and --, and returns the value that the operator has.
func (f *fn) incDec(e *tree.Unary) spirv.ID {
	p := f.place(e.X)
	f.at(e.Pos)
	t := p.typ.Type
	if p.comps != nil || p.index != 0 {
		t = e.X.Info().Type.Type
	} else if p.bits == nil {
		p.base = f.pointer(&p)
		p.first, p.n = 0, 0
	}
	old := f.load(p)
	down := e.Op == tree.PreDec || e.Op == tree.PostDec
	var v spirv.ID
	switch c := t.Component(); {
	case t.Kind == types.PointerKind:
		step := uint64(1)
		if down {
			step = 1<<64 - 1
		}
		v = f.op(spirv.OpInBoundsPtrAccessChain, f.typeOf(t), old, f.intConst(f.types.Size, step))
	case c.IsFloat():
		step := 1.0
		if down {
			step = -1
		}
		v = f.floatOp(spirv.OpFAdd, f.typeOf(t), old, f.splatConst(f.typeOf(t), f.floatConst(c, step), t.Lanes()))
	case c.Kind == types.BoolKind:
		if v = f.boolConst(true); down {
			v = f.op(spirv.OpLogicalNot, f.boolType(1), old)
		}
	default:
		op := spirv.OpIAdd
		if down {
			op = spirv.OpISub
		}
		v = f.noWrap(t, f.op(op, f.typeOf(t), old, f.splatConst(f.typeOf(t), f.intConst(c, 1), t.Lanes())))
	}
	f.storeTo(p, v)
	if e.Op == tree.PostInc || e.Op == tree.PostDec {
		return old
	}
	if p.bits != nil {
		return f.loadBits(&p)
	}
	return v
}

// assign stores, and returns the place and the value that is there then.
func (f *fn) assign(e *tree.Assign) (place, spirv.ID) {
	v := f.value(e.R)
	p := f.place(e.L)
	f.at(e.Pos)
	if p.bits == nil && p.comps == nil && p.index == 0 {
		f.pointer(&p)
	}
	f.storeTo(p, v)
	if p.bits != nil {
		v = f.loadBits(&p)
	}
	return p, v
}

// compound is L op= R.
func (f *fn) compound(e *tree.CompoundAssign) (place, spirv.ID) {
	mulA, mulB, fused := f.factors(e.R, e.Op, e.Compute.Type)
	var r spirv.ID
	if !fused {
		r = f.value(e.R)
	}
	p := f.place(e.L)
	f.at(e.Pos)
	if p.bits == nil && (p.n > 0 || p.first != 0) {
		whole := p
		f.pointer(&whole)
		p.base, p.first, p.n = whole.base, 0, 0
	}
	lt := e.L.Info().Type.Type
	old := f.load(p)
	var v spirv.ID
	switch {
	case e.Op == tree.PtrAdd || e.Op == tree.PtrSub:
		i := f.resize(r, e.R.Info().Type.Base(), f.types.Size)
		if e.Op == tree.PtrSub {
			i = f.op(spirv.OpSNegate, f.typeOf(f.types.Size), i)
		}
		v = f.op(spirv.OpInBoundsPtrAccessChain, f.typeOf(lt), old, i)
	case fused:
		x := f.convertTo(old, lt, e.Compute.Type)
		v = f.mad(mulA, mulB, x, e.Op == tree.Sub, e.Compute.Type)
		v = f.convertTo(v, e.Compute.Type, lt)
	default:
		x := f.convertTo(old, lt, e.Compute.Type)
		v = f.arithmetic(e.Op, e.Compute.Type, x, r, e.R.Info().Type.Type)
		v = f.convertTo(v, e.Compute.Type, lt)
	}
	f.storeTo(p, v)
	if p.bits != nil {
		v = f.loadBits(&p)
	}
	return p, v
}

// convertTo converts between arithmetic types as an assignment does: scalars to vectors too.
func (f *fn) convertTo(v spirv.ID, from, to *types.Type) spirv.ID {
	if from == to {
		return v
	}
	if from.IsVector() || !to.IsVector() {
		return f.number(v, from, to)
	}
	return f.splat(f.number(v, from, to.Component()), to, false)
}

func (f *fn) binary(e *tree.Binary) spirv.ID {
	t := e.Type.Type
	switch e.Op {
	case tree.Comma:
		f.discard(e.L)
		return f.value(e.R)
	case tree.PtrAdd, tree.PtrSub:
		p, _ := f.elementPlace(e)
		return f.pointer(&p)
	case tree.PtrDiff:
		a := f.value(e.L)
		b := f.value(e.R)
		f.at(e.Pos)
		return f.ptrDiff(e, a, b)
	case tree.LogAnd, tree.LogOr, tree.Lt, tree.Gt, tree.Le, tree.Ge, tree.Eq, tree.Ne:
		c := f.cond(e)
		switch {
		case t.IsVector():
			return f.boolToMask(c, t)
		case t.Kind == types.BoolKind:
			return c
		}
		return f.boolToInt(c, t)
	}
	if a, b, ok := f.factors(e.L, e.Op, t); ok { // a * b ± R
		r := f.value(e.R)
		f.at(e.Pos)
		if e.Op == tree.Sub {
			r = f.op(spirv.OpFNegate, f.typeOf(t), r)
		}
		return f.ext(spirv.OpenCLStdMad, f.typeOf(t), a, b, r)
	}
	l := f.value(e.L)
	if a, b, ok := f.factors(e.R, e.Op, t); ok { // L ± a * b
		f.at(e.Pos)
		return f.mad(a, b, l, e.Op == tree.Sub, t)
	}
	r := f.value(e.R)
	f.at(e.Pos)
	return f.arithmetic(e.Op, t, l, r, e.R.Info().Type.Type)
}

// factors emits the operands of a product that is the operand of a sum or difference, so that the two can be one
// operation. OpenCL C lets an implementation contract expressions (FP_CONTRACT is on), and what clang contracts is
// contracted here: a product that is directly an operand, the left one first.
func (f *fn) factors(e tree.Expr, op tree.BinaryOp, t *types.Type) (a, b spirv.ID, ok bool) {
	m, isMul := e.(*tree.Binary)
	if !isMul || m.Op != tree.Mul || op != tree.Add && op != tree.Sub || !t.HasFloat() || m.Type.Type != t || f.noContract {
		return 0, 0, false
	}
	a = f.value(m.L)
	return a, f.value(m.R), true
}

// mad returns c + a*b, or c - a*b.
func (f *fn) mad(a, b, c spirv.ID, negative bool, t *types.Type) spirv.ID {
	if negative {
		a = f.op(spirv.OpFNegate, f.typeOf(t), a)
	}
	return f.ext(spirv.OpenCLStdMad, f.typeOf(t), a, b, c)
}

// noWrap promises of a sum, difference, product or negative number of type t that it is the number that it would be without a limit:
// a signed result that has no room is undefined (C99 6.5). Narrow types are computed as int and converted, and vectors
// wrap, as with clang.
func (f *fn) noWrap(t *types.Type, v spirv.ID) spirv.ID {
	if !t.IsVector() && t.IsSigned() && t.Bits() >= 32 && version(f.opts) >= 0x00010400 {
		f.decorate(v, spirv.DecorationNoSignedWrap)
	}
	return v
}

// arithmetic emits an operator of numbers or vectors of them; only shifts have a right operand of another type.
func (f *fn) arithmetic(op tree.BinaryOp, t *types.Type, l, r spirv.ID, rt *types.Type) spirv.ID {
	typ := f.typeOf(t)
	if t.HasFloat() {
		return f.floatOp([...]spirv.Op{tree.Mul: spirv.OpFMul, tree.Div: spirv.OpFDiv, tree.Rem: spirv.OpFRem,
			tree.Add: spirv.OpFAdd, tree.Sub: spirv.OpFSub}[op], typ, l, r)
	}
	signed := t.IsSigned()
	choose := func(s, u spirv.Op) spirv.ID {
		if signed {
			return f.op(s, typ, l, r)
		}
		return f.op(u, typ, l, r)
	}
	switch op {
	case tree.Mul:
		return f.noWrap(t, f.op(spirv.OpIMul, typ, l, r))
	case tree.Add:
		return f.noWrap(t, f.op(spirv.OpIAdd, typ, l, r))
	case tree.Sub:
		return f.noWrap(t, f.op(spirv.OpISub, typ, l, r))
	case tree.Div:
		return choose(spirv.OpSDiv, spirv.OpUDiv)
	case tree.Rem:
		return choose(spirv.OpSRem, spirv.OpUMod)
	case tree.And:
		return f.op(spirv.OpBitwiseAnd, typ, l, r)
	case tree.Or:
		return f.op(spirv.OpBitwiseOr, typ, l, r)
	case tree.Xor:
		return f.op(spirv.OpBitwiseXor, typ, l, r)
	}
	r = f.shiftCount(t, r, rt)
	if op == tree.Shl {
		return f.op(spirv.OpShiftLeftLogical, typ, l, r)
	}
	return choose(spirv.OpShiftRightArithmetic, spirv.OpShiftRightLogical)
}

// shiftCount returns a count of bits in the type of what is shifted, modulo its width (OpenCL C 6.3.j).
func (f *fn) shiftCount(t *types.Type, r spirv.ID, rt *types.Type) spirv.ID {
	typ := f.typeOf(t)
	mask := f.intConst(t.Component(), uint64(t.Bits()-1))
	if t.IsVector() && !rt.IsVector() {
		r = f.op(spirv.OpBitwiseAnd, f.typeOf(t.Component()), f.resize(r, rt.Base(), t.Component()), mask)
		return f.splat(r, t, false)
	}
	if rt.Component().Kind == types.BoolKind {
		r = f.boolToInt(r, t)
	} else {
		r = f.resizeVector(r, rt.Base(), t)
	}
	return f.op(spirv.OpBitwiseAnd, typ, r, f.splatConst(typ, mask, t.Lanes()))
}

// ptrDiff subtracts pointers.
func (f *fn) ptrDiff(e *tree.Binary, a, b spirv.ID) spirv.ID {
	t := e.Type.Type
	elem := e.L.Info().Type.Elem.Type
	size := max(f.types.SizeOf(elem), 1)
	x := f.op(spirv.OpConvertPtrToU, f.typeOf(t), a)
	y := f.op(spirv.OpConvertPtrToU, f.typeOf(t), b)
	d := f.op(spirv.OpISub, f.typeOf(t), x, y)
	if size == 1 {
		return d
	}
	return f.op(spirv.OpSDiv, f.typeOf(t), d, f.intConst(t, uint64(size)))
}

// call calls a function of the program.
func (f *fn) call(e *tree.Call) spirv.ID {
	if blocking(e.Func) {
		return f.blockingPipe(e)
	}
	var list [16]spirv.ID
	result := e.Func.Type.Elem.Type
	operands := append(list[:0], f.module.funcs[e.Func.Gen-1].id)
	f.called(e.Func)
	var sret spirv.ID
	typ := f.typeOf(f.types.Void)
	if byPointer(result) {
		sret = f.temp(result)
		operands = append(operands, sret)
	} else {
		typ = f.typeOf(result)
	}
	for i, a := range e.Args {
		v := f.value(a)
		if t := e.Func.Params[i].Type.Type; byPointer(t) {
			p := place{base: f.temp(t), typ: types.Qual{Type: t}, align: f.types.AlignOf(t)}
			f.copyStruct(&p, v)
			v = p.base
		}
		operands = append(operands, v)
	}
	f.at(e.Pos)
	v := f.op(spirv.OpFunctionCall, typ, operands...)
	if sret != 0 {
		return sret
	}
	return v
}

// stmtExpr is ({ ... }).
func (f *fn) stmtExpr(e *tree.StmtExpr) spirv.ID {
	list := e.Body.List
	old := f.noContract
	f.noContract = e.Body.NoContract
	defer func() { f.noContract = old }()
	if len(list) > 0 && !e.Type.IsVoid() {
		if last, ok := list[len(list)-1].(*tree.ExprStmt); ok {
			for _, s := range list[:len(list)-1] {
				f.stmt(s)
			}
			return f.value(last.X)
		}
	}
	f.stmt(e.Body)
	return 0
}

// sampler returns the sampler that a variable is initialized with (6.15.15.1 of OpenCL C).
func (f *fn) sampler(v *tree.Var) spirv.ID {
	var bits uint64
	e := v.Init
	for {
		if c, ok := e.(*tree.Convert); ok {
			e = c.X
			continue
		}
		break
	}
	if lit, ok := e.(*tree.IntLit); ok {
		bits = lit.Value
	} else if r, ok := e.(*tree.VarRef); ok {
		return f.sampler(r.Var)
	} else {
		f.fail(v.Pos, "the initializer of sampler %s is not a constant", v.Name)
	}
	return f.samplerConst(bits)
}

// samplerConst returns the sampler of CLK_ flags: addressing in bits 1 to 3, normalized in bit 0, the filter in bits
// 4 and 5, as clang's header defines them.
func (m *module) samplerConst(bits uint64) spirv.ID {
	m.capability(spirv.CapabilityLiteralSampler)
	typ := m.typeOf(m.types.Sampler)
	mode := uint32(bits >> 1 & 7)
	filter := uint32(0)
	if bits>>4&3 == 2 {
		filter = 1
	}
	return m.list(spirv.OpConstantSampler, true, []uint32{uint32(typ), mode, uint32(bits & 1), filter})
}
