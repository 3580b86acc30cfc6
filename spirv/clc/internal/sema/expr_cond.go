package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Conditional is q ? a : b. A nil a is the GNU extension q ?: b, whose value is q if that is not 0.
func (c *Checker) Conditional(question, colon source.Pos, q, a, b tree.Expr) tree.Expr {
	from, to := q.Info().From, b.Info().To
	if isBad(q) || isBad(b) || a != nil && isBad(a) {
		return c.bad(question, from, to)
	}
	c.warnConditional(question, q)
	q = c.Value(q)
	if isBad(q) {
		return c.bad(question, from, to)
	}
	if a == nil {
		return c.elvis(question, q, b, from, to)
	}
	a, b = c.Value(a), c.Value(b)
	if isBad(a) || isBad(b) {
		return c.bad(question, from, to)
	}
	return at(c.conditional(question, q, a, b), question, from, to)
}

// elvis is q ?: b. What q computes must not be computed twice, so that it is kept in a variable.
func (c *Checker) elvis(pos source.Pos, q, b tree.Expr, from, to source.Pos) tree.Expr {
	b = c.Value(b)
	if isBad(b) {
		return c.bad(pos, from, to)
	}
	if c.fn == nil || isConstant(q) {
		return at(c.conditional(pos, q, q, b), pos, from, to)
	}
	i := q.Info()
	v := &tree.Var{Type: i.Type.Unqual(), Pos: i.Pos, Init: q, Func: c.fn, Used: true}
	ref := func() tree.Expr {
		return c.Value(&tree.VarRef{Base: tree.Base{Type: v.Type, Pos: i.Pos, From: i.From, To: i.To, LValue: true},
			Var: v})
	}
	y := at(c.conditional(pos, ref(), ref(), b), pos, from, to)
	if isBad(y) {
		return y
	}
	body := &tree.Block{At: tree.At{Pos: from}, End: to, List: []tree.Stmt{
		&tree.DeclStmt{At: tree.At{Pos: from}, Vars: []*tree.Var{v}},
		&tree.ExprStmt{At: tree.At{Pos: from}, X: y},
	}}
	return &tree.StmtExpr{Base: *y.Info(), Body: body}
}

// isConstant reports whether x is a constant that can stand in a tree twice.
func isConstant(x tree.Expr) bool {
	switch x.(type) {
	case *tree.IntLit, *tree.FloatLit, *tree.NullLit:
		return true
	}
	return false
}

// conditional is q ? a : b of values.
func (c *Checker) conditional(pos source.Pos, q, a, b tree.Expr) tree.Expr {
	qi := q.Info()
	bad := func() tree.Expr { return c.bad(pos, qi.From, b.Info().To) }
	if qi.Type.IsVector() {
		return c.selection(pos, q, a, b)
	}
	switch {
	case qi.Type.IsFloat():
		c.Diags.Errorf(qi.Pos, "the condition of '?:' has type '%s'; it must be an integer or a pointer", qi.Type).
			Range(qi.From, qi.To)
		return bad()
	case !qi.Type.IsScalar():
		c.Diags.Errorf(qi.Pos, "the condition of '?:' has type '%s'; it must be an integer, a pointer or a vector",
			qi.Type).
			Range(qi.From, qi.To)
		return bad()
	}
	at, bt := a.Info().Type.Type, b.Info().Type.Type
	var t *types.Type
	switch {
	case at.IsVector() || bt.IsVector():
		if a, b, t = c.vectors("?:", pos, a, b); t == nil {
			return bad()
		}
	case at.IsArithmetic() && bt.IsArithmetic():
		if at.Kind == types.EnumKind && bt.Kind == types.EnumKind && at != bt {
			c.Diags.Warnf("enum-compare-conditional", pos, "'?:' has values of different enumerations, '%s' and '%s'",
				at, bt).
				Range(a.Info().From, b.Info().To)
		}
		a, b, t = c.arithmetic(a, b, pos)
	case at == bt && !at.IsOpaque():
		t = at
	case at.Kind == types.VoidKind || bt.Kind == types.VoidKind:
		t = c.Types.Void
		a, b = c.toVoid(a), c.toVoid(b)
	case at.IsPointer() || bt.IsPointer():
		if a, b, t = c.conditionalPointers(pos, a, b); t == nil {
			return bad()
		}
	default:
		ai, bi := a.Info(), b.Info()
		c.Diags.Errorf(pos, "'?:' has a '%s' and a '%s', which have no type in common", at, bt).
			Range(ai.From, ai.To).Range(bi.From, bi.To)
		return bad()
	}
	if v, ok := truth(q); ok {
		x := b
		if v {
			x = a
		}
		if isConstant(x) && isConstant(a) && isConstant(b) {
			return c.again(x)
		}
	}
	return &tree.Cond{Base: tree.Base{Type: qual(t)}, C: q, A: a, B: b}
}

// again returns a copy of a constant, so that it can be given another place.
func (c *Checker) again(x tree.Expr) tree.Expr {
	switch n := x.(type) {
	case *tree.IntLit:
		return c.intLit(n.Value, n.Type.Type, x)
	case *tree.FloatLit:
		return c.floatLit(n.Value, n.Type.Type, x)
	}
	return null(x.Info().Type.Type, x)
}

func (c *Checker) toVoid(x tree.Expr) tree.Expr {
	if x.Info().Type.Kind == types.VoidKind {
		return x
	}
	return c.convert(tree.Void, c.Types.Void, x)
}

// conditionalPointers finds the type of q ? a : b where one of the values is a pointer.
func (c *Checker) conditionalPointers(pos source.Pos, a, b tree.Expr) (tree.Expr, tree.Expr, *types.Type) {
	ai, bi := a.Info(), b.Info()
	at, bt := ai.Type.Type, bi.Type.Type
	switch {
	case bt.IsPointer() && c.isNull(a):
		return null(bt, a), b, bt
	case at.IsPointer() && c.isNull(b):
		return a, null(at, b), at
	case at.IsPointer() && bt.IsInteger():
		c.warnMixed(pos, a, b)
		return a, c.convert(tree.IntToPointer, at, c.number(b, c.Types.UIntPtr)), at
	case bt.IsPointer() && at.IsInteger():
		c.warnMixed(pos, a, b)
		return c.convert(tree.IntToPointer, bt, c.number(a, c.Types.UIntPtr)), b, bt
	case !at.IsPointer() || !bt.IsPointer():
		c.Diags.Errorf(pos, "'?:' has a '%s' and a '%s', which have no type in common", at, bt).
			Range(ai.From, ai.To).Range(bi.From, bi.To)
		return a, b, nil
	}
	ae, be := at.Elem, bt.Elem
	var space types.Space
	switch {
	case includes(ae.Space(), be.Space()):
		space = ae.Space()
	case includes(be.Space(), ae.Space()):
		space = be.Space()
	default:
		c.disjoint(pos, a, b)
		return a, b, nil
	}
	q := (ae.Q | be.Q).CVR()
	elem := types.Qual{Type: c.Types.Void, Q: q}.In(space)
	switch {
	case c.compatible(ae.Type, be.Type):
		elem.Type = c.Composite(ae.Unqual(), be.Unqual()).Type
	case ae.Kind == types.VoidKind || be.Kind == types.VoidKind:
	default:
		c.Diags.Warnf("pointer-type-mismatch", pos, "'?:' has pointers of different types: '%s' and '%s'", at, bt).
			Range(ai.From, ai.To).Range(bi.From, bi.To)
	}
	t := c.Types.Pointer(elem)
	return c.pointer(a, t), c.pointer(b, t), t
}

func (c *Checker) warnMixed(pos source.Pos, a, b tree.Expr) {
	ai, bi := a.Info(), b.Info()
	c.Diags.Warnf("conditional-type-mismatch", pos, "'?:' has a pointer and an integer: '%s' and '%s'", ai.Type,
		bi.Type).
		Range(ai.From, ai.To).Range(bi.From, bi.To)
}

// selection is q ? a : b with a vector q: component by component.
func (c *Checker) selection(pos source.Pos, q, a, b tree.Expr) tree.Expr {
	qi, ai, bi := q.Info(), a.Info(), b.Info()
	qt := qi.Type.Type
	fail := func(format string, args ...any) tree.Expr {
		c.Diags.Errorf(pos, format, args...).Range(qi.From, qi.To).Range(ai.From, ai.To).Range(bi.From, bi.To)
		return c.bad(pos, qi.From, bi.To)
	}
	if !qt.HasInteger() {
		return fail("the condition of '?:' has type '%s'; a vector of integers is needed", qt)
	}
	at, bt := ai.Type.Type, bi.Type.Type
	var t *types.Type
	if at.IsVector() || bt.IsVector() {
		if a, b, t = c.vectors("?:", pos, a, b); t == nil {
			return c.bad(pos, qi.From, bi.To)
		}
		if t.Len != qt.Len {
			return fail("'?:' has the condition '%s' and values of '%s': they differ in the number of components", qt,
				t)
		}
	} else {
		if !at.IsArithmetic() || !bt.IsArithmetic() {
			return fail("'?:' with the condition '%s' needs numbers or vectors, not '%s' and '%s'", qt, at, bt)
		}
		// The numbers are not promoted.
		s := at.Base()
		switch u := bt.Base(); {
		case s.IsFloat() != u.IsFloat():
			if u.IsFloat() {
				s = u
			}
		case u.Kind > s.Kind:
			s = u
		}
		if s.Kind == types.BoolKind {
			return fail("'?:' with the condition '%s' needs numbers or vectors, not '%s' and '%s'", qt, at, bt)
		}
		t = c.Types.Vector(s, qt.Lanes())
		a, b = c.convert(tree.Splat, t, c.number(a, s)), c.convert(tree.Splat, t, c.number(b, s))
	}
	if t.Bits() != qt.Bits() {
		return fail("'?:' has the condition '%s' and values of '%s': the components differ in size", qt, t)
	}
	return &tree.Select{Base: tree.Base{Type: qual(t)}, C: q, A: a, B: b}
}
