package gen

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// cond returns whether an expression differs from 0, as OpTypeBool, or a vector of these.
func (f *fn) cond(e tree.Expr) spirv.ID {
	t := e.Info().Type.Type
	switch x := e.(type) {
	case *tree.IntLit:
		return f.boolConst(x.Value != 0)
	case *tree.Convert:
		switch {
		case x.Kind == tree.ToBool:
			return f.cond(x.X)
		case x.Kind == tree.Integer && x.X.Info().Type.Bits() <= t.Bits() && x.X.Info().Type.IsInteger():
			return f.cond(x.X)
		}
	case *tree.Unary:
		if x.Op == tree.LogNot {
			c := f.cond(x.X)
			return f.op(spirv.OpLogicalNot, f.boolType(x.X.Info().Type.Lanes()), c)
		}
	case *tree.Binary:
		switch x.Op {
		case tree.Lt, tree.Gt, tree.Le, tree.Ge, tree.Eq, tree.Ne:
			return f.compare(x)
		case tree.LogAnd, tree.LogOr:
			if t.IsVector() {
				op := spirv.OpLogicalAnd
				if x.Op == tree.LogOr {
					op = spirv.OpLogicalOr
				}
				l := f.cond(x.L)
				return f.op(op, f.boolType(t.Lanes()), l, f.cond(x.R))
			}
			return f.shortCircuit(x)
		}
	}
	return f.isNot0(f.value(e), t)
}

// compare emits a comparison.
func (f *fn) compare(e *tree.Binary) spirv.ID {
	t := e.L.Info().Type.Type
	l := f.value(e.L)
	r := f.value(e.R)
	f.at(e.Pos)
	if t.Kind == types.PointerKind {
		l = f.op(spirv.OpConvertPtrToU, f.typeOf(f.types.Size), l)
		r = f.op(spirv.OpConvertPtrToU, f.typeOf(f.types.Size), r)
		t = f.types.Size
	}
	typ := f.boolType(t.Lanes())
	k := e.Op - tree.Lt // Lt, Gt, Le, Ge, Eq, Ne
	switch {
	case t.Component().Kind == types.BoolKind:
		l, r = f.boolToInt(l, f.types.UChar), f.boolToInt(r, f.types.UChar)
		fallthrough
	case !t.HasFloat() && !t.IsSigned():
		return f.op([...]spirv.Op{spirv.OpULessThan, spirv.OpUGreaterThan, spirv.OpULessThanEqual,
			spirv.OpUGreaterThanEqual, spirv.OpIEqual, spirv.OpINotEqual}[k], typ, l, r)
	case t.HasFloat():
		return f.op([...]spirv.Op{spirv.OpFOrdLessThan, spirv.OpFOrdGreaterThan, spirv.OpFOrdLessThanEqual,
			spirv.OpFOrdGreaterThanEqual, spirv.OpFOrdEqual, spirv.OpFUnordNotEqual}[k], typ, l, r)
	}
	return f.op([...]spirv.Op{spirv.OpSLessThan, spirv.OpSGreaterThan, spirv.OpSLessThanEqual,
		spirv.OpSGreaterThanEqual, spirv.OpIEqual, spirv.OpINotEqual}[k], typ, l, r)
}

// shortCircuit is && or || of scalars: the right operand is evaluated only if it decides.
func (f *fn) shortCircuit(e *tree.Binary) spirv.ID {
	op := spirv.OpLogicalAnd
	if e.Op == tree.LogOr {
		op = spirv.OpLogicalOr
	}
	if cheap(e.R, 4) {
		l := f.cond(e.L)
		return f.op(op, f.boolType(1), l, f.cond(e.R))
	}
	right, end := f.module.id(), f.module.id()
	l := f.cond(e.L)
	f.ensure()
	from := f.block
	if e.Op == tree.LogAnd {
		f.branchOn(l, right, end)
	} else {
		f.branchOn(l, end, right)
	}
	f.begin(right)
	r := f.cond(e.R)
	f.ensure()
	last := f.block
	f.begin(end)
	return f.op(spirv.OpPhi, f.boolType(1), f.boolConst(e.Op == tree.LogOr), from, r, last)
}

// branch goes on at one of two blocks by a condition, whose && and || become branches.
func (f *fn) branch(e tree.Expr, yes, no spirv.ID) {
	for {
		if c, ok := e.(*tree.Convert); ok && c.Kind == tree.ToBool {
			e = c.X
			continue
		}
		break
	}
	switch x := e.(type) {
	case *tree.IntLit:
		if x.Value != 0 {
			f.jump(yes)
		} else {
			f.jump(no)
		}
		f.block = 0
		return
	case *tree.Unary:
		if x.Op == tree.LogNot && !x.X.Info().Type.IsVector() {
			f.branch(x.X, no, yes)
			return
		}
	case *tree.Binary:
		if (x.Op == tree.LogAnd || x.Op == tree.LogOr) && !cheap(x.R, 4) {
			right := f.module.id()
			if x.Op == tree.LogAnd {
				f.branch(x.L, right, no)
			} else {
				f.branch(x.L, yes, right)
			}
			f.begin(right)
			f.branch(x.R, yes, no)
			return
		}
	}
	c := f.cond(e)
	f.at(e.Info().Pos)
	f.branchOn(c, yes, no)
}

// cheap reports whether an expression may be evaluated where C would not: it does nothing but compute, from
// variables of the function and constants, in a few steps, and cannot fail.
func cheap(e tree.Expr, steps int) bool {
	if steps == 0 {
		return false
	}
	switch e := e.(type) {
	case *tree.IntLit, *tree.FloatLit, *tree.NullLit:
		return true
	case *tree.Convert:
		switch e.Kind {
		case tree.Load:
			v, ok := e.X.(*tree.VarRef)
			return ok && (v.Var.Storage == tree.AutoVar || v.Var.Storage == tree.ParamVar) &&
				v.Type.Q&types.Volatile == 0 && v.Type.Kind != types.StructKind
		case tree.Integer, tree.IntToFloat, tree.FloatToFloat, tree.ToBool, tree.NoOp:
			return cheap(e.X, steps-1)
		}
	case *tree.Unary:
		switch e.Op {
		case tree.Neg, tree.Plus, tree.BitNot, tree.LogNot:
			return cheap(e.X, steps-1)
		}
	case *tree.Binary:
		switch e.Op {
		case tree.Add, tree.Sub, tree.And, tree.Or, tree.Xor, tree.Lt, tree.Gt, tree.Le, tree.Ge, tree.Eq, tree.Ne,
			tree.LogAnd, tree.LogOr, tree.Shl, tree.Shr:
			return cheap(e.L, steps-1) && cheap(e.R, steps-1)
		}
	}
	return false
}

// conditional is C ? A : B.
func (f *fn) conditional(e *tree.Cond) spirv.ID {
	t := e.Type.Type
	if lit, ok := e.C.(*tree.IntLit); ok {
		x := e.A
		if lit.Value == 0 {
			x = e.B
		}
		if t.IsVoid() {
			f.discard(x)
			return 0
		}
		return f.value(x)
	}
	if !t.IsVoid() && !byPointer(t) && !t.IsOpaque() && cheap(e.A, 2) && cheap(e.B, 2) {
		c := f.cond(e.C)
		a := f.value(e.A)
		b := f.value(e.B)
		if n := t.Lanes(); n > 1 && version(f.opts) < 0x00010400 {
			c = f.splat(c, f.types.Vector(f.types.Bool, n), false)
		}
		return f.op(spirv.OpSelect, f.typeOf(t), c, a, b)
	}
	yes, no, end := f.module.id(), f.module.id(), f.module.id()
	var temp place
	if byPointer(t) {
		temp = place{base: f.temp(t), typ: types.Qual{Type: t}, align: f.types.AlignOf(t)}
	}
	f.branch(e.C, yes, no)
	side := func(label spirv.ID, x tree.Expr) (v, last spirv.ID) {
		f.begin(label)
		switch {
		case t.IsVoid():
			f.discard(x)
		case byPointer(t):
			p := temp
			f.copyStruct(&p, f.value(x))
		default:
			v = f.value(x)
		}
		f.ensure()
		last = f.block
		f.jump(end)
		return v, last
	}
	a, fromA := side(yes, e.A)
	b, fromB := side(no, e.B)
	f.begin(end)
	switch {
	case t.IsVoid():
		return 0
	case byPointer(t):
		return temp.base
	}
	return f.op(spirv.OpPhi, f.typeOf(t), a, fromA, b, fromB)
}
