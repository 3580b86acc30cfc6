package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Unary is an operator in front of its operand: + - ~ ! & *.
func (c *Checker) Unary(op token.Kind, pos source.Pos, x tree.Expr) tree.Expr {
	if isBad(x) {
		return c.bad(pos, pos, x.Info().To)
	}
	if op != token.And && isAtomic(x) {
		return c.badOperand(op, pos, x)
	}
	switch op {
	case token.And:
		return c.address(pos, x)
	case token.Star:
		return c.dereference(pos, x)
	case token.Not:
		return c.not(pos, x)
	}
	x = c.Value(x)
	i := x.Info()
	t := i.Type.Type
	to := i.To
	ok := t.IsArithmetic() || t.IsVector()
	if op == token.Tilde {
		ok = t.HasInteger() && (ok || t.IsInteger())
	}
	if !ok || isBad(x) {
		return c.badOperand(op, pos, x)
	}
	x = c.promote(x)
	t = x.Info().Type.Type
	var y tree.Expr
	switch op {
	case token.Plus:
		y = c.fold1(tree.Plus, pos, t, x)
	case token.Minus:
		y = c.fold1(tree.Neg, pos, t, x)
	default:
		y = c.fold1(tree.BitNot, pos, t, x)
	}
	n := y.Info()
	n.Pos, n.From, n.To, n.Paren = pos, pos, to, false
	return y
}

// fold1 returns an operation with one operand, computed if the operand is a constant.
func (c *Checker) fold1(op tree.UnaryOp, pos source.Pos, t *types.Type, x tree.Expr) tree.Expr {
	switch lit := x.(type) {
	case *tree.IntLit:
		if v, _, ok := unaryInt(op, lit.Value, t); ok {
			y := c.intLit(v, t, x)
			y.Folded = tree.Computed
			return y
		}
	case *tree.FloatLit:
		switch op {
		case tree.Plus:
			return c.floatLit(lit.Value, t, x)
		case tree.Neg:
			return c.floatLit(-lit.Value, t, x)
		}
	}
	return c.unary(op, pos, t, x)
}

// badOperand says that an operator does not take its operand.
func (c *Checker) badOperand(op token.Kind, pos source.Pos, x tree.Expr) tree.Expr {
	i := x.Info()
	if !isBad(x) {
		c.Diags.Errorf(pos, "the operator '%s' does not take '%s'", op, i.Type).Range(i.From, i.To)
	}
	return c.bad(pos, pos, i.To)
}

// not is !x: an int, or for a vector a vector of 0 and -1.
func (c *Checker) not(pos source.Pos, x tree.Expr) tree.Expr {
	x = c.Value(x)
	i := x.Info()
	t := i.Type.Type
	old := c.Opts.Version < lang.CL12
	switch {
	case isBad(x), !t.IsScalar() && !t.IsVector(), old && t.HasFloat():
		return c.badOperand(token.Not, pos, x)
	}
	switch lit := x.(type) {
	case *tree.IntLit:
		return at(c.intLit(oneIf(lit.Value == 0), c.Types.Int, x), pos, pos, i.To)
	case *tree.FloatLit:
		return at(c.intLit(oneIf(lit.Value == 0), c.Types.Int, x), pos, pos, i.To)
	}
	return at(c.unary(tree.LogNot, pos, c.Types.BoolVector(t), x), pos, pos, i.To)
}

// at gives an expression that was just made its place.
func at(x tree.Expr, pos, from, to source.Pos) tree.Expr {
	i := x.Info()
	i.Pos, i.From, i.To, i.Paren = pos, from, to, false
	return x
}

func oneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// address is &x.
func (c *Checker) address(pos source.Pos, x tree.Expr) tree.Expr {
	i := x.Info()
	fail := func(format string, args ...any) tree.Expr {
		c.Diags.Errorf(pos, format, args...).Range(i.From, i.To)
		return c.bad(pos, pos, i.To)
	}
	switch i.Type.Kind {
	case types.FunctionKind, types.BuiltinSet:
		c.functionUsed(x)
		return c.bad(pos, pos, i.To)
	}
	if !i.LValue {
		if _, ok := x.(*tree.Swizzle); ok {
			return fail("the address of a vector's components cannot be taken")
		}
		return fail("the address of a value cannot be taken; this has type '%s' and is no variable", i.Type)
	}
	switch n := x.(type) {
	case *tree.Swizzle, *tree.VectorIndex:
		return fail("the address of a vector's component cannot be taken")
	case *tree.Member:
		if n.X.Info().Type.Struct.Fields[n.Field].Bits >= 0 {
			return fail("the address of a bit-field cannot be taken")
		}
	case *tree.VarRef:
		switch n.Type.Kind {
		case types.ImageKind, types.SamplerKind, types.PipeKind:
			return fail("the address of '%s', which has type '%s', cannot be taken", n.Var.Name, n.Type)
		}
	case *tree.Unary:
		if n.Op == tree.Deref {
			// &*p is p.
			return at(c.convert(tree.NoOp, n.X.Info().Type.Type, n.X), pos, pos, i.To)
		}
	}
	if v := variableOf(x); v != nil {
		v.Used, v.Taken = true, true
	}
	return at(c.unary(tree.Addr, pos, c.Types.Pointer(i.Type), x), pos, pos, i.To)
}

// dereference is *x.
func (c *Checker) dereference(pos source.Pos, x tree.Expr) tree.Expr {
	x = c.Value(x)
	if isBad(x) {
		return c.bad(pos, pos, x.Info().To)
	}
	i := x.Info()
	if !i.Type.IsPointer() {
		c.Diags.Errorf(pos, "the operator '*' needs a pointer, but this has type '%s'", i.Type).Range(i.From, i.To)
		return c.bad(pos, pos, i.To)
	}
	return at(c.deref(pos, x), pos, pos, i.To)
}

// deref returns the lvalue that a pointer leads to.
func (c *Checker) deref(pos source.Pos, x tree.Expr) *tree.Unary {
	n := c.unary(tree.Deref, pos, nil, x)
	n.Type, n.LValue = x.Info().Type.Elem, true
	return n
}

// IncDec is ++ or --, in front of its operand or behind.
func (c *Checker) IncDec(op token.Kind, pos source.Pos, prefix bool, x tree.Expr) tree.Expr {
	i := x.Info()
	from, to := i.From, c.Files.End(pos, 2)
	if prefix {
		from, to = pos, i.To
	}
	if isBad(x) {
		return c.bad(pos, from, to)
	}
	t := i.Type.Type
	if isAtomic(x) {
		c.badOperand(op, pos, x)
		return c.bad(pos, from, to)
	}
	word := map[bool]string{true: "incremented", false: "decremented"}[op == token.Inc]
	switch {
	case t.IsPointer():
		if !c.pointerArithmetic(pos, t, x) {
			return c.bad(pos, from, to)
		}
	case t.IsArithmetic(), t.IsVector() && t.HasInteger():
	default:
		c.Diags.Errorf(pos, "a value of type '%s' cannot be %s", i.Type.Unqual(), word).Range(i.From, i.To)
		return c.bad(pos, from, to)
	}
	if !c.modifiable(x, pos, word) {
		return c.bad(pos, from, to)
	}
	if t.Kind == types.HalfKind && !c.halfAllowed() {
		c.Value(x)
		return c.bad(pos, from, to)
	}
	k := tree.PostInc
	switch {
	case prefix && op == token.Inc:
		k = tree.PreInc
	case prefix:
		k = tree.PreDec
	case op == token.Dec:
		k = tree.PostDec
	}
	return at(c.unary(k, pos, t, x), pos, from, to)
}

// SizeofType is sizeof(T). Like the others here, it ends in front of end.
func (c *Checker) SizeofType(pos source.Pos, t types.Qual, end source.Pos) tree.Expr {
	return c.sizeof(pos, t, end)
}

// SizeofExpr is sizeof x. x is not evaluated.
func (c *Checker) SizeofExpr(pos source.Pos, x tree.Expr, end source.Pos) tree.Expr {
	i := x.Info()
	switch {
	case isBad(x):
		return c.bad(pos, pos, i.To)
	case i.Type.Kind == types.FunctionKind, i.Type.Kind == types.BuiltinSet:
		c.functionUsed(x)
		return c.bad(pos, pos, i.To)
	}
	c.used(x)
	if m, ok := x.(*tree.Member); ok && m.X.Info().Type.Struct.Fields[m.Field].Bits >= 0 {
		c.Diags.Errorf(pos, "'sizeof' does not take a bit-field").Range(i.From, i.To)
		return c.bad(pos, pos, i.To)
	}
	if v, ok := x.(*tree.VarRef); ok && v.Var.WasArray {
		c.Diags.Warnf("sizeof-array-argument", pos, "the parameter '%s' is a pointer: this is the size of '%s'",
			v.Var.Name,
			v.Type).Range(i.From, i.To)
	}
	if cv, ok := x.(*tree.Convert); ok && cv.Kind == tree.Decay {
		i = cv.X.Info()
	}
	return c.sizeof(pos, i.Type, end)
}

func (c *Checker) sizeof(pos source.Pos, t types.Qual, to source.Pos) tree.Expr {
	bad := c.bad(pos, pos, to)
	switch {
	case t.Kind == types.Invalid:
		return bad
	case t.Kind == types.VoidKind:
		c.Diags.Errorf(pos, "'void' has no size").Range(pos, to)
		return bad
	case t.Kind == types.FunctionKind:
		c.Diags.Errorf(pos, "a function has no size").Range(pos, to)
		return bad
	case !t.Complete():
		c.Diags.Errorf(pos, "the size of '%s' is not known: the type is incomplete", t).Range(pos, to)
		return bad
	}
	return at(c.intLit(uint64(c.Types.SizeOf(t.Type)), c.Types.Size, bad), pos, pos, to)
}

// AlignofType is __alignof__(T).
func (c *Checker) AlignofType(pos source.Pos, t types.Qual, end source.Pos) tree.Expr {
	to := end
	bad := c.bad(pos, pos, to)
	elem := t
	for elem.IsArray() {
		elem = elem.Elem
	}
	switch {
	case t.Kind == types.Invalid:
		return bad
	case !elem.Complete() && elem.Kind != types.VoidKind:
		c.Diags.Errorf(pos, "the alignment of '%s' is not known: the type is incomplete", t).Range(pos, to)
		return bad
	}
	return at(c.intLit(uint64(c.Types.AlignOf(t.Type)), c.Types.Size, bad), pos, pos, to)
}

// AlignofExpr is __alignof__ x, a GNU extension. x is not evaluated.
func (c *Checker) AlignofExpr(pos source.Pos, x tree.Expr, end source.Pos) tree.Expr {
	i := x.Info()
	switch {
	case isBad(x):
		return c.bad(pos, pos, i.To)
	case i.Type.Kind == types.FunctionKind, i.Type.Kind == types.BuiltinSet:
		c.functionUsed(x)
		return c.bad(pos, pos, i.To)
	}
	c.used(x)
	align := c.Types.AlignOf(i.Type.Type)
	switch n := x.(type) {
	case *tree.VarRef:
		align = max(align, n.Var.Align)
	case *tree.Member:
		f := &n.X.Info().Type.Struct.Fields[n.Field]
		if f.Bits >= 0 {
			c.Diags.Errorf(pos, "'__alignof__' does not take a bit-field").Range(i.From, i.To)
			return c.bad(pos, pos, i.To)
		}
		align = max(align, f.Align)
	}
	if !i.Type.Complete() && i.Type.Kind != types.VoidKind {
		return c.AlignofType(pos, i.Type, i.To)
	}
	return at(c.intLit(uint64(align), c.Types.Size, x), pos, pos, i.To)
}

// VecStep is vec_step(T) or, if x is not nil, vec_step x: the number of components; 4 for vectors of 3.
func (c *Checker) VecStep(pos source.Pos, t types.Qual, x tree.Expr, end source.Pos) tree.Expr {
	to := end
	if x != nil {
		t = x.Info().Type
		c.used(x)
	}
	bad := c.bad(pos, pos, to)
	n := uint64(1)
	switch {
	case t.Kind == types.Invalid:
		return bad
	case t.IsVector():
		if n = uint64(t.Len); n == 3 {
			n = 4
		}
	case !t.IsArithmetic() && t.Kind != types.VoidKind || t.Kind == types.EnumKind:
		c.Diags.Errorf(pos, "'vec_step' takes a number or a vector, not '%s'", t).Range(pos, to)
		return bad
	}
	return at(c.intLit(n, c.Types.Size, bad), pos, pos, to)
}
