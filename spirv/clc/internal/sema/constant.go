package sema

import (
	"math"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Constants are computed on trees: the value of an expression is an IntLit, FloatLit or NullLit, a VectorLit
// of as many literals as it has components, an InitList of such values, or an address. The forms of an
// address are
//
//	Addr of an object, Decay of an array that is an object
//	PtrAdd of an address and an IntLit
//	Convert of an address: Pointer, Space, NoOp, and PointerToInt to an integer as wide as a pointer
//	Convert of an IntLit: IntToPointer
//
// and an object is a VarRef of a variable that is not in a function's private memory, a StringLit, a
// CompoundLit at program scope, a Member of an object, or Deref of an address.

// Limits of what a constant may cost.
const (
	constantDepth = 2000
	constantSteps = 1 << 22
)

// FoldInt returns the value of an integer constant expression, extended to 64 bits as its type says. It
// computes what C asks for and what compilers take for it beyond: comma operators, and const variables with
// constant values.
func (c *Checker) FoldInt(x tree.Expr) (v uint64, ok bool) {
	if lit, ok := x.(*tree.IntLit); ok {
		return lit.Value, true
	}
	if isBad(x) || !x.Info().Type.IsInteger() {
		return 0, false
	}
	if i := x.Info(); i.LValue {
		x = c.convert(tree.Load, i.Type.Type, x)
	}
	if lit, ok := c.compute(x, true).(*tree.IntLit); ok {
		return lit.Value, true
	}
	return 0, false
}

// Constant computes the value of an expression for a variable that lives as long as the program; false if it
// is not known before the program runs.
func (c *Checker) Constant(x tree.Expr) (tree.Expr, bool) {
	switch n := x.(type) {
	case *tree.IntLit, *tree.FloatLit, *tree.NullLit, *tree.Bad:
		return x, true
	case *tree.StringLit:
		return x, true // the value of an array of characters
	case *tree.CompoundLit:
		// Its value, not the object.
		if n.Var.Init != nil && n.Type.Kind != types.ArrayKind {
			return c.Constant(n.Var.Init)
		}
	}
	y := c.compute(x, false)
	return y, y != nil
}

// compute returns the value of an expression, nil if it has none before the program runs. strict is for
// integer constant expressions, which read no floating variables.
func (c *Checker) compute(x tree.Expr, strict bool) tree.Expr {
	return c.computeWithin(x, strict, constantSteps)
}

// computeWithin is compute with a limit of steps.
func (c *Checker) computeWithin(x tree.Expr, strict bool, steps int) tree.Expr {
	c.evalSteps = constantSteps - steps
	e := evaluator{c: c, strict: strict}
	y := e.value(x)
	if y == nil {
		return nil
	}
	if y != x {
		i, n := x.Info(), y.Info()
		n.Pos, n.From, n.To = i.Pos, i.From, i.To
	}
	return y
}

type evaluator struct {
	c      *Checker
	strict bool
}

// enter counts a step; false if there were too many, or too many inside of each other.
func (e *evaluator) enter() bool {
	c := e.c
	c.evalSteps++
	c.nesting++
	return c.evalSteps < constantSteps && c.nesting < constantDepth
}

// value computes an expression; nil if it is not constant.
func (e *evaluator) value(x tree.Expr) tree.Expr {
	ok := e.enter()
	defer func() { e.c.nesting-- }()
	if !ok {
		return nil
	}
	switch n := x.(type) {
	case *tree.IntLit, *tree.FloatLit, *tree.NullLit:
		return x
	case *tree.StringLit:
		return x
	case *tree.Convert:
		return e.conversion(n)
	case *tree.Unary:
		return e.unary(n)
	case *tree.Binary:
		return e.binary(n)
	case *tree.Cond:
		return e.cond(n)
	case *tree.VectorLit:
		return e.vectorLit(n)
	case *tree.InitList:
		return e.initList(n)
	case *tree.Member:
		return e.memberOfValue(n)
	case *tree.CompoundLit:
		if n.Var.Init != nil {
			return e.value(n.Var.Init)
		}
	case *tree.StmtExpr:
		return e.elvis(n)
	}
	return nil
}

// elvis computes what Conditional makes of q ?: b.
func (e *evaluator) elvis(n *tree.StmtExpr) tree.Expr {
	if len(n.Body.List) != 2 {
		return nil
	}
	d, ok := n.Body.List[0].(*tree.DeclStmt)
	if !ok || len(d.Vars) != 1 || d.Vars[0].Name != "" || d.Vars[0].Init == nil {
		return nil
	}
	s, ok := n.Body.List[1].(*tree.ExprStmt)
	if !ok {
		return nil
	}
	cond, ok := s.X.(*tree.Cond)
	if !ok {
		return nil
	}
	q := e.value(d.Vars[0].Init)
	if q == nil {
		return nil
	}
	v, ok := truth(q)
	switch {
	case !ok:
		return nil
	case !v:
		return e.value(cond.B)
	}
	// The value of A is a conversion of the variable's.
	if a, ok := cond.A.(*tree.Convert); ok && a.Kind != tree.Load {
		return e.convertValue(a, q)
	}
	return q
}

func (e *evaluator) cond(n *tree.Cond) tree.Expr {
	q := e.value(n.C)
	if q == nil {
		return nil
	}
	v, ok := e.truth(q)
	switch {
	case !ok:
		return nil
	case v:
		return e.value(n.A)
	}
	return e.value(n.B)
}

// truth is truth of constants, addresses of objects among them.
func (e *evaluator) truth(x tree.Expr) (v, ok bool) {
	if v, ok = truth(x); ok {
		return v, ok
	}
	if x.Info().Type.IsPointer() {
		if b, off, ok := e.c.addressOf(x); ok && off == 0 && b != nil {
			return true, true
		}
	}
	return false, false
}

func (e *evaluator) unary(n *tree.Unary) tree.Expr {
	if n.Op == tree.Addr {
		if o := e.object(n.X); o != nil {
			if o == n.X {
				return n
			}
			y := e.c.unary(tree.Addr, n.Pos, n.Type.Type, o)
			return y
		}
		return nil
	}
	if n.Op > tree.LogNot {
		return nil
	}
	x := e.value(n.X)
	if x == nil {
		return nil
	}
	y := e.each(n.Type.Type, x, nil, func(x, _ tree.Expr, t *types.Type) tree.Expr {
		switch lit := x.(type) {
		case *tree.IntLit:
			if v, _, ok := unaryInt(n.Op, lit.Value, lit.Type.Type); ok {
				return e.c.intLit(v, t, lit)
			}
		case *tree.FloatLit:
			switch n.Op {
			case tree.Neg:
				return e.c.floatLit(-lit.Value, t, lit)
			case tree.Plus:
				return e.c.floatLit(lit.Value, t, lit)
			case tree.LogNot:
				return e.c.intLit(oneIf(lit.Value == 0), t, lit)
			}
		case *tree.NullLit:
			if n.Op == tree.LogNot {
				return e.c.intLit(1, t, lit)
			}
		default:
			if v, ok := e.truth(x); ok && n.Op == tree.LogNot {
				return e.c.intLit(oneIf(!v), t, x)
			}
		}
		return nil
	})
	if n.Op == tree.LogNot {
		allOnes(y)
	}
	return y
}

// each applies f to a number, or to each component of a vector. t is the result's type. Comparisons of
// vectors give 1 for true in f, and -1 in the result.
func (e *evaluator) each(t *types.Type, x, y tree.Expr,
	f func(x, y tree.Expr, t *types.Type) tree.Expr) tree.Expr {
	v, ok := x.(*tree.VectorLit)
	if !ok {
		return f(x, y, t)
	}
	var w *tree.VectorLit
	if y != nil {
		if w, ok = y.(*tree.VectorLit); !ok || len(w.Elems) != len(v.Elems) {
			return nil
		}
	}
	if len(v.Elems) != t.Lanes() {
		return nil
	}
	out := &tree.VectorLit{Base: v.Base, Elems: make([]tree.Expr, len(v.Elems))}
	out.Type = qual(t)
	for k := range v.Elems {
		var other tree.Expr
		if w != nil {
			other = w.Elems[k]
		}
		if out.Elems[k] = f(v.Elems[k], other, t.Elem.Type); out.Elems[k] == nil {
			return nil
		}
	}
	return out
}

// allOnes turns the 1 of a comparison or a logical operation of vectors into -1.
func allOnes(x tree.Expr) {
	if v, ok := x.(*tree.VectorLit); ok {
		for _, k := range v.Elems {
			if lit, ok := k.(*tree.IntLit); ok && lit.Value == 1 {
				lit.Value = math.MaxUint64
			}
		}
	}
}

func (e *evaluator) binary(n *tree.Binary) tree.Expr {
	switch n.Op {
	case tree.Comma:
		if e.value(n.L) == nil && n.L.Info().Type.Kind != types.VoidKind {
			return nil
		}
		return e.value(n.R)
	case tree.PtrAdd, tree.PtrSub:
		return e.pointerAdd(n)
	case tree.LogAnd, tree.LogOr:
		if !n.Type.IsVector() {
			return e.shortCircuit(n)
		}
	}
	l := e.value(n.L)
	if l == nil {
		return nil
	}
	r := e.value(n.R)
	if r == nil {
		return nil
	}
	if n.Op == tree.PtrDiff || n.L.Info().Type.IsPointer() {
		return e.comparePointers(n, l, r)
	}
	if _, ok := l.(*tree.VectorLit); ok && n.R.Info().Type.IsArithmetic() {
		r = splatLit(r, n.L.Info().Type.Type) // the count of a shift
	}
	y := e.each(n.Type.Type, l, r, func(x, y tree.Expr, t *types.Type) tree.Expr {
		switch a := x.(type) {
		case *tree.IntLit:
			if b, ok := y.(*tree.IntLit); ok {
				if v, _, ok := binaryInt(n.Op, a.Value, b.Value, a.Type.Type); ok {
					return e.c.intLit(v, t, x)
				}
			}
		case *tree.FloatLit:
			if b, ok := y.(*tree.FloatLit); ok {
				if v, ok := binaryFloat(n.Op, a.Value, b.Value, t); ok {
					return e.c.floatLit(v, t, x)
				}
				if v, ok := compareFloat(n.Op, a.Value, b.Value); ok {
					return e.c.intLit(oneIf(v), t, x)
				}
			}
		}
		return nil
	})
	if y != nil && n.Op >= tree.Lt && n.Op <= tree.LogOr {
		allOnes(y)
	}
	return y
}

// splatLit returns a vector of one constant.
func splatLit(x tree.Expr, like *types.Type) tree.Expr {
	out := &tree.VectorLit{Base: *x.Info(), Elems: make([]tree.Expr, like.Lanes())}
	out.Type = qual(like)
	for k := range out.Elems {
		out.Elems[k] = x
	}
	return out
}

func (e *evaluator) shortCircuit(n *tree.Binary) tree.Expr {
	l := e.value(n.L)
	if l == nil {
		return nil
	}
	v, ok := e.truth(l)
	if !ok {
		return nil
	}
	if v == (n.Op == tree.LogAnd) {
		r := e.value(n.R)
		if r == nil {
			return nil
		}
		if v, ok = e.truth(r); !ok {
			return nil
		}
	}
	return e.c.intLit(oneIf(v), n.Type.Type, l)
}

func (e *evaluator) vectorLit(n *tree.VectorLit) tree.Expr {
	flat := true
	for _, x := range n.Elems {
		flat = flat && isConstant(x)
	}
	if flat {
		return n
	}
	out := &tree.VectorLit{Base: n.Base, Elems: make([]tree.Expr, 0, n.Type.Lanes())}
	for _, x := range n.Elems {
		switch y := e.value(x).(type) {
		case nil:
			return nil
		case *tree.VectorLit:
			out.Elems = append(out.Elems, y.Elems...)
		case *tree.IntLit, *tree.FloatLit:
			out.Elems = append(out.Elems, y)
		default:
			return nil
		}
	}
	return out
}

func (e *evaluator) initList(n *tree.InitList) tree.Expr {
	var out *tree.InitList
	for k := range n.Items {
		item := &n.Items[k]
		y := e.value(item.Value)
		if y == nil {
			return nil
		}
		if y == item.Value {
			continue
		}
		if out == nil {
			out = &tree.InitList{Base: n.Base, Items: append([]tree.InitItem(nil), n.Items...)}
		}
		out.Items[k].Value = y
	}
	if out == nil {
		return n
	}
	return out
}

// memberOfValue is a member of a structure that is no object.
func (e *evaluator) memberOfValue(n *tree.Member) tree.Expr {
	if n.LValue {
		return nil
	}
	list, ok := e.value(n.X).(*tree.InitList)
	if !ok {
		return nil
	}
	return e.part(list, int64(n.Field), n.Type.Type, n)
}

// part returns a part of an InitList, zero if it does not have it.
func (e *evaluator) part(list *tree.InitList, k int64, t *types.Type, at tree.Expr) tree.Expr {
	for _, item := range list.Items {
		if item.Index <= k && k <= item.Last {
			return item.Value
		}
	}
	return e.zero(t, at)
}

// zero returns the value of a type whose bits are all 0.
func (e *evaluator) zero(t *types.Type, at tree.Expr) tree.Expr {
	switch {
	case t.IsInteger():
		return e.c.intLit(0, t, at)
	case t.IsFloat():
		return e.c.floatLit(0, t, at)
	case t.IsVector():
		return splatLit(e.zero(t.Elem.Type, at), t)
	case t.IsPointer():
		return null(t, at)
	}
	return nil
}
