package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// binaryOps has the tree's operators; PtrAdd and its kin are chosen by the operands.
var binaryOps = [token.NumKinds]tree.BinaryOp{
	token.Star: tree.Mul, token.Slash: tree.Div, token.Percent: tree.Rem,
	token.Plus: tree.Add, token.Minus: tree.Sub,
	token.Shl: tree.Shl, token.Shr: tree.Shr, token.And: tree.And, token.Or: tree.Or, token.Caret: tree.Xor,
	token.Lt: tree.Lt, token.Gt: tree.Gt, token.Le: tree.Le, token.Ge: tree.Ge, token.EqEq: tree.Eq,
	token.NotEq: tree.Ne, token.AndAnd: tree.LogAnd, token.OrOr: tree.LogOr, token.Comma: tree.Comma,
}

// Binary is an operator between two operands, but for assignments.
func (c *Checker) Binary(op token.Kind, pos source.Pos, l, r tree.Expr) tree.Expr {
	if op == token.Comma {
		return c.comma(pos, l, r)
	}
	if isBad(l) || isBad(r) {
		return c.badBetween(pos, l, r)
	}
	if isAtomic(l) || isAtomic(r) {
		return c.badOperands(op, pos, l, r)
	}
	c.warnPrecedence(op, pos, l, r)
	if op >= token.Lt && op <= token.NotEq {
		c.warnSelfCompare(op, pos, l, r)
	}
	l, r = c.Value(l), c.Value(r)
	if isBad(l) || isBad(r) {
		return c.badBetween(pos, l, r)
	}
	k := binaryOps[op]
	switch op {
	case token.Plus, token.Minus:
		return c.additive(op, k, pos, l, r)
	case token.Star, token.Slash, token.Percent, token.And, token.Or, token.Caret:
		return c.arith(op, k, pos, l, r)
	case token.Shl, token.Shr:
		return c.shift(op, k, pos, l, r)
	case token.AndAnd, token.OrOr:
		return c.logical(op, k, pos, l, r)
	}
	return c.compare(op, k, pos, l, r)
}

// isAtomic reports whether x is an atomic object, with which only built-in functions work.
func isAtomic(x tree.Expr) bool {
	i := x.Info()
	return i.LValue && i.Type.Q&types.Atomic != 0 && i.Type.Kind != types.ArrayKind
}

func (c *Checker) badBetween(pos source.Pos, l, r tree.Expr) tree.Expr {
	return c.bad(pos, l.Info().From, r.Info().To)
}

// badOperands says that an operator does not take its operands.
func (c *Checker) badOperands(op token.Kind, pos source.Pos, l, r tree.Expr) tree.Expr {
	li, ri := l.Info(), r.Info()
	c.Diags.Errorf(pos, "the operator '%s' does not take '%s' and '%s'", op, li.Type, ri.Type).
		Range(li.From, li.To).Range(ri.From, ri.To)
	return c.badBetween(pos, l, r)
}

// comma is l, r.
func (c *Checker) comma(pos source.Pos, l, r tree.Expr) tree.Expr {
	c.warnCommaLeft(l)
	if !isBad(l) {
		l = c.discardQuietly(l)
	}
	r = c.Value(r)
	if isBad(l) || isBad(r) {
		return c.badBetween(pos, l, r)
	}
	if onlyForCalls(l.Info().Type.Kind) || onlyForCalls(r.Info().Type.Kind) {
		return c.badOperands(token.Comma, pos, l, r)
	}
	return c.binary(tree.Comma, pos, r.Info().Type.Type, l, r)
}

// onlyForCalls reports whether values of a kind can only be arguments of built-in functions.
func onlyForCalls(k types.Kind) bool {
	return k == types.ImageKind || k == types.SamplerKind || k == types.PipeKind
}

// discardQuietly is Discard without warnings.
func (c *Checker) discardQuietly(x tree.Expr) tree.Expr {
	i := x.Info()
	if i.LValue || i.Type.Kind == types.FunctionKind || i.Type.Kind == types.BuiltinSet {
		return c.Value(x)
	}
	return x
}

// arith is an operator with numbers, or vectors component by component: * / % & | ^, and + and - of numbers.
func (c *Checker) arith(op token.Kind, k tree.BinaryOp, pos source.Pos, l, r tree.Expr) tree.Expr {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	integral := k == tree.Rem || k >= tree.And
	switch {
	case lt.IsVector() || rt.IsVector():
		if integral && !(lt.HasInteger() && rt.HasInteger()) {
			return c.badOperands(op, pos, l, r)
		}
		l, r, t := c.vectors(op.String(), pos, l, r)
		if t == nil {
			return c.badBetween(pos, l, r)
		}
		return c.binary(k, pos, t, l, r)
	case !lt.IsArithmetic(), !rt.IsArithmetic(), integral && (lt.IsFloat() || rt.IsFloat()):
		return c.badOperands(op, pos, l, r)
	}
	from, to := l.Info().From, r.Info().To
	l, r, t := c.arithmetic(l, r, pos)
	return at(c.fold2(k, pos, t, l, r), pos, from, to)
}

// vectors converts two operands, at least one of which is a vector, to one vector type: a number becomes a
// vector if the component type can have all its values. The type is nil if they have nothing in common.
func (c *Checker) vectors(op string, pos source.Pos, l, r tree.Expr) (tree.Expr, tree.Expr, *types.Type) {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	if lt == rt {
		return l, r, lt
	}
	li, ri := l.Info(), r.Info()
	if lt.IsVector() && rt.IsVector() {
		d := c.Diags.Errorf(pos,
			"'%s' has the operands '%s' and '%s': vectors are not converted without being asked",
			op, lt, rt).Range(li.From, li.To).Range(ri.From, ri.To)
		if lt.Len == rt.Len {
			d.Note(ri.Pos, "convert_%s() converts the components, as_%s() keeps the bits", lt, lt)
		}
		return l, r, nil
	}
	v, s, scalar := lt, rt, r
	if rt.IsVector() {
		v, s, scalar = rt, lt, l
	}
	if !s.IsArithmetic() {
		c.Diags.Errorf(pos, "'%s' has the operands '%s' and '%s': only a number goes with a vector", op, lt, rt).
			Range(li.From, li.To).Range(ri.From, ri.To)
		return l, r, nil
	}
	if !c.widensTo(s, v.Elem.Type) {
		d := c.Diags.Errorf(pos,
			"'%s' has the operands '%s' and '%s': '%s' has a higher rank than the vector's components",
			op, lt, rt, s).Range(li.From, li.To).Range(ri.From, ri.To)
		d.Note(scalar.Info().Pos, "a cast to '%s' or '%s' makes it fit", v.Elem.Type, v)
		return l, r, nil
	}
	c.warnImplicit(scalar, v.Elem.Type, pos, true)
	// Here, true is 1: only a conversion to a vector makes it -1.
	wide := c.convert(tree.Splat, v, c.number(scalar, v.Elem.Type))
	if scalar == r {
		return l, wide, v
	}
	return wide, r, v
}

// widensTo reports whether a number becomes a vector of a component type in an expression: it may have no
// higher rank.
func (c *Checker) widensTo(s, elem *types.Type) bool {
	s = s.Base()
	switch {
	case elem.IsFloat() && s.IsFloat():
		return s.Kind <= elem.Kind
	case elem.IsFloat():
		return true
	case s.IsFloat():
		return false
	}
	return s.Kind <= elem.Kind // the kinds are in the order of ranks, unsigned behind signed
}

// fold2 returns an operation with two operands, computed if both are constants.
func (c *Checker) fold2(k tree.BinaryOp, pos source.Pos, t *types.Type, l, r tree.Expr) tree.Expr {
	switch y := r.(type) {
	case *tree.IntLit:
		if (k == tree.Div || k == tree.Rem) && y.Value == 0 && t.IsInteger() {
			if c.unevaluated > 0 {
				break
			}
			i := r.Info()
			c.Diags.Warnf("division-by-zero", pos, "division by 0 has no result").Range(i.From, i.To)
			break
		}
		if x, ok := l.(*tree.IntLit); ok {
			return c.foldInts(k, pos, t, x, y)
		}
	case *tree.FloatLit:
		if x, ok := l.(*tree.FloatLit); ok {
			return c.foldFloats(k, pos, t, x, y)
		}
	}
	return c.binary(k, pos, t, l, r)
}

func (c *Checker) foldInts(k tree.BinaryOp, pos source.Pos, t *types.Type, x, y *tree.IntLit) tree.Expr {
	v, over, ok := binaryInt(k, x.Value, y.Value, x.Type.Type)
	if !ok {
		return c.binary(k, pos, t, x, y)
	}
	if over {
		c.warnOverflow(pos, x, v, t)
	}
	n := c.intLit(v, t, x)
	n.Folded = 1 + uint8(k)
	return n
}

func (c *Checker) foldFloats(k tree.BinaryOp, pos source.Pos, t *types.Type, x, y *tree.FloatLit) tree.Expr {
	if v, ok := binaryFloat(k, x.Value, y.Value, t); ok {
		n := c.floatLit(v, t, x)
		n.Folded = 1 + uint8(k)
		return n
	}
	if v, ok := compareFloat(k, x.Value, y.Value); ok {
		n := c.intLit(oneIf(v), t, x)
		n.Folded = 1 + uint8(k)
		return n
	}
	return c.binary(k, pos, t, x, y)
}

// warnOverflow says that a constant expression has a value that its type does not have.
func (c *Checker) warnOverflow(pos source.Pos, x tree.Expr, v uint64, t *types.Type) {
	c.Diags.Warnf("integer-overflow", pos, "the value does not fit into '%s': it becomes %s", t,
		formatInt(truncate(v, t), t))
}

// pointerArithmetic reports whether pointers of a type can be moved by elements, and says why if not.
func (c *Checker) pointerArithmetic(pos source.Pos, p *types.Type, x tree.Expr) bool {
	i := x.Info()
	switch {
	case p.Elem.Kind == types.VoidKind:
		c.Diags.Warnf("gnu-pointer-arith", pos, "arithmetic with a pointer to 'void' is an extension").Range(i.From,
			i.To)
	case p.Elem.Kind == types.FunctionKind, !p.Elem.Complete():
		c.Diags.Errorf(pos, "the pointer '%s' has no elements whose size is known: the type is incomplete", p).
			Range(i.From, i.To)
		return false
	}
	return true
}

// additive is + and -.
func (c *Checker) additive(op token.Kind, k tree.BinaryOp, pos source.Pos, l, r tree.Expr) tree.Expr {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	if !lt.IsPointer() && !rt.IsPointer() || lt.IsVector() || rt.IsVector() {
		return c.arith(op, k, pos, l, r)
	}
	from, to := l.Info().From, r.Info().To
	switch {
	case k == tree.Sub && lt.IsPointer() && rt.IsPointer():
		return c.pointerDifference(pos, l, r)
	case lt.IsPointer() && rt.IsInteger():
	case k == tree.Add && lt.IsInteger() && rt.IsPointer():
		l, r, lt = r, l, rt
	default:
		return c.badOperands(op, pos, l, r)
	}
	if !c.pointerArithmetic(pos, lt, l) {
		return c.bad(pos, from, to)
	}
	if k == tree.Add {
		k = tree.PtrAdd
	} else {
		k = tree.PtrSub
	}
	return at(c.binary(k, pos, lt, l, c.index(r)), pos, from, to)
}

func (c *Checker) pointerDifference(pos source.Pos, l, r tree.Expr) tree.Expr {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	li, ri := l.Info(), r.Info()
	switch {
	case !c.compatible(lt.Elem.Type, rt.Elem.Type):
		c.Diags.Errorf(pos, "the pointers '%s' and '%s' have no difference: they point to different types", lt, rt).
			Range(li.From, li.To).Range(ri.From, ri.To)
		return c.badBetween(pos, l, r)
	case !overlaps(lt.Elem.Space(), rt.Elem.Space()):
		c.disjoint(pos, l, r)
		return c.badBetween(pos, l, r)
	case !c.pointerArithmetic(pos, lt, l):
		return c.badBetween(pos, l, r)
	}
	l, r = c.commonSpace(l, r)
	return c.binary(tree.PtrDiff, pos, c.Types.PtrDiff, l, r)
}

// disjoint says that two pointers cannot have to do with each other.
func (c *Checker) disjoint(pos source.Pos, l, r tree.Expr) {
	li, ri := l.Info(), r.Info()
	c.Diags.Errorf(pos, "'%s' and '%s' point into address spaces that have nothing in common", li.Type, ri.Type).
		Range(li.From, li.To).Range(ri.From, ri.To)
}

// commonSpace converts two pointers of overlapping address spaces to the larger one, and the right one to the
// left one's type.
func (c *Checker) commonSpace(l, r tree.Expr) (tree.Expr, tree.Expr) {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	switch {
	case lt == rt:
		return l, r
	case includes(lt.Elem.Space(), rt.Elem.Space()):
		return l, c.pointer(r, lt)
	}
	return c.pointer(l, rt), r
}

// shift is << and >>. The operands keep their types; the count is taken modulo the width.
func (c *Checker) shift(op token.Kind, k tree.BinaryOp, pos source.Pos, l, r tree.Expr) tree.Expr {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	li, ri := l.Info(), r.Info()
	from, to := li.From, ri.To
	if !lt.HasInteger() || !rt.HasInteger() {
		return c.badOperands(op, pos, l, r)
	}
	switch {
	case rt.IsVector() && !lt.IsVector():
		c.Diags.Errorf(pos, "'%s' of '%s' by the vector '%s': the left operand must be a vector too", op, lt, rt).
			Range(li.From, li.To).Range(ri.From, ri.To)
		return c.badBetween(pos, l, r)
	case rt.IsVector() && lt.Len != rt.Len:
		c.Diags.Errorf(pos, "'%s' has the operands '%s' and '%s': they differ in the number of components", op, lt,
			rt).
			Range(li.From, li.To).Range(ri.From, ri.To)
		return c.badBetween(pos, l, r)
	case lt.IsVector():
		if !rt.IsVector() {
			r = c.promote(r)
		}
		return at(c.binary(k, pos, lt, l, r), pos, from, to)
	}
	l, r = c.promote(l), c.promote(r)
	return at(c.fold2(k, pos, l.Info().Type.Type, l, r), pos, from, to)
}

// logical is && and ||.
func (c *Checker) logical(op token.Kind, k tree.BinaryOp, pos source.Pos, l, r tree.Expr) tree.Expr {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	old := c.Opts.Version < lang.CL12
	if old && (lt.HasFloat() || rt.HasFloat()) {
		return c.badOperands(op, pos, l, r)
	}
	if lt.IsVector() || rt.IsVector() {
		l, r, t := c.vectors(op.String(), pos, l, r)
		if t == nil {
			return c.badBetween(pos, l, r)
		}
		return c.binary(k, pos, c.Types.BoolVector(t), l, r)
	}
	if !lt.IsScalar() || !rt.IsScalar() {
		return c.badOperands(op, pos, l, r)
	}
	// What the left operand decides alone is not folded here: the right one may have to be complained about.
	a, aok := truth(l)
	b, bok := truth(r)
	from, to := l.Info().From, r.Info().To
	if aok && bok {
		v := a && b
		if k == tree.LogOr {
			v = a || b
		}
		return at(c.intLit(oneIf(v), c.Types.Int, l), pos, from, to)
	}
	return c.binary(k, pos, c.Types.Int, l, r)
}

// truth returns whether a constant differs from 0.
func truth(x tree.Expr) (v, ok bool) {
	switch n := x.(type) {
	case *tree.IntLit:
		return n.Value != 0, true
	case *tree.FloatLit:
		return n.Value != 0, true
	case *tree.NullLit:
		return false, n.Type.IsPointer()
	}
	return false, false
}

// compare is < > <= >= == and !=.
func (c *Checker) compare(op token.Kind, k tree.BinaryOp, pos source.Pos, l, r tree.Expr) tree.Expr {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	switch {
	case lt.IsVector() || rt.IsVector():
		l, r, t := c.vectors(op.String(), pos, l, r)
		if t == nil {
			return c.badBetween(pos, l, r)
		}
		return c.binary(k, pos, c.Types.BoolVector(t), l, r)
	case lt.IsPointer() && (rt.IsPointer() || rt.IsInteger()), rt.IsPointer() && lt.IsInteger():
		return c.comparePointers(op, k, pos, l, r)
	case !lt.IsArithmetic() || !rt.IsArithmetic():
		return c.badOperands(op, pos, l, r)
	}
	if lt.Kind == types.EnumKind && rt.Kind == types.EnumKind && lt != rt {
		c.Diags.Warnf("enum-compare", pos, "'%s' compares '%s' with another enumeration, '%s'", op, lt, rt).
			Range(l.Info().From, r.Info().To)
	}
	if (lt.IsFloat() || rt.IsFloat()) && (k == tree.Eq || k == tree.Ne) {
		c.warnFloatEqual(op, pos, l, r)
	}
	from, to := l.Info().From, r.Info().To
	c.comparing = true
	a, b, _ := c.arithmetic(l, r, pos)
	c.comparing = false
	y := c.fold2(k, pos, c.Types.Int, a, b)
	if n, ok := y.(*tree.Binary); ok {
		c.warnCompare(op, n, l, r)
	}
	return at(y, pos, from, to)
}

// comparePointers compares pointers with each other or with an integer, of which only 0 is right.
func (c *Checker) comparePointers(op token.Kind, k tree.BinaryOp, pos source.Pos, l, r tree.Expr) tree.Expr {
	li, ri := l.Info(), r.Info()
	lt, rt := li.Type.Type, ri.Type.Type
	from, to := li.From, ri.To
	if !lt.IsPointer() || !rt.IsPointer() {
		p, n, pt := l, r, lt
		if rt.IsPointer() {
			p, n, pt = r, l, rt
		}
		if c.isNull(n) {
			c.warnNullCompare(op, pos, p)
			n = null(pt, n)
		} else {
			flag := "pointer-integer-compare"
			c.Diags.Warnf(flag, pos, "'%s' compares a pointer with an integer: '%s' and '%s'", op, lt, rt).
				Range(from, li.To).Range(ri.From, to)
			n = c.convert(tree.IntToPointer, pt, c.number(n, c.Types.UIntPtr))
		}
		if p == l {
			r = n
		} else {
			l = n
		}
		return at(c.binary(k, pos, c.Types.Int, l, r), pos, from, to)
	}
	le, re := lt.Elem, rt.Elem
	switch {
	case c.nullPointer(l):
		l = null(rt, l)
		c.warnNullCompare(op, pos, r)
	case c.nullPointer(r):
		r = null(lt, r)
		c.warnNullCompare(op, pos, l)
	case !overlaps(le.Space(), re.Space()):
		c.disjoint(pos, l, r)
		return c.bad(pos, from, to)
	case c.compatible(le.Type, re.Type), (k == tree.Eq || k == tree.Ne) && (le.IsVoid() || re.IsVoid()):
		l, r = c.commonSpace(l, r)
	default:
		c.Diags.Warnf("compare-distinct-pointer-types", pos,
			"'%s' compares pointers of different types: '%s' and '%s'", op,
			lt, rt).Range(from, li.To).Range(ri.From, to)
		l, r = c.commonSpace(l, r)
	}
	return at(c.binary(k, pos, c.Types.Int, l, r), pos, from, to)
}

// nullPointer reports whether x is (void *)0.
func (c *Checker) nullPointer(x tree.Expr) bool {
	n, ok := x.(*tree.NullLit)
	return ok && n.Type.IsPointer() && c.isPlainVoid(n.Type.Elem)
}
