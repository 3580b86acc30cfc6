package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Cast is (T)x. The result is a value of the unqualified type.
func (c *Checker) Cast(lparen source.Pos, t types.Qual, rparen source.Pos, x tree.Expr) tree.Expr {
	to := t.Type
	k := x.Info().Type.Kind
	if to.Kind != types.VoidKind || k == types.FunctionKind || k == types.BuiltinSet {
		x = c.Value(x)
	} else {
		c.used(x)
	}
	i := x.Info()
	end := i.To
	if isBad(x) || to.Kind == types.Invalid {
		return c.bad(lparen, lparen, end)
	}
	y := c.cast(lparen, to, x)
	if y == x {
		// The cast changes nothing, but what it gives has been cast.
		switch lit := x.(type) {
		case *tree.IntLit:
			y = c.intLit(lit.Value, to, x)
			y.Info().Folded = tree.Computed
		case *tree.FloatLit:
			y = c.floatLit(lit.Value, to, x)
		case *tree.NullLit:
			y = null(to, x)
		default:
			y = c.convert(tree.NoOp, to, x)
		}
	}
	n := y.Info()
	n.Pos, n.From, n.To, n.Paren = lparen, lparen, end, false
	if v, ok := y.(*tree.Convert); ok {
		v.Explicit = true
	}
	return y
}

// cast converts a value as a cast does.
func (c *Checker) cast(pos source.Pos, to *types.Type, x tree.Expr) tree.Expr {
	i := x.Info()
	from := i.Type.Type
	fail := func(format string, args ...any) tree.Expr {
		c.Diags.Errorf(pos, format, args...).Range(i.From, i.To)
		return c.badAt(x)
	}
	switch {
	case to.Kind == types.VoidKind:
		return c.convert(tree.Void, to, x)
	case to.Kind == types.EventKind:
		if lit, ok := x.(*tree.IntLit); ok && from.IsInteger() {
			if lit.Value == 0 {
				return null(to, x)
			}
			return fail("only 0 can be cast to 'event_t'")
		}
		return fail("'%s' cannot be cast to 'event_t'", from)
	case to.Kind == types.StructKind && from.Kind == types.StructKind && to == from:
		return x
	case to.Kind == types.StructKind && to.Struct.Union:
		return c.castToUnion(pos, to, x)
	case !to.IsScalar() && !to.IsVector():
		return fail("'%s' cannot be cast to '%s', which is neither a number nor a vector nor a pointer", from, to)
	case !from.IsScalar() && !from.IsVector():
		return fail("'%s' cannot be cast to '%s': it is neither a number nor a vector nor a pointer", from, to)
	case to.IsVector():
		return c.castToVector(pos, to, x)
	case from.IsVector():
		d := c.Diags.Errorf(pos, "the vector '%s' cannot be cast to '%s'", from, to).Range(i.From, i.To)
		d.Note(i.Pos, "a component is chosen with .x or .s0; as_%s() keeps the bits", to)
		return c.badAt(x)
	case to.IsPointer():
		return c.castToPointer(pos, to, x)
	case from.IsPointer():
		return c.castFromPointer(pos, to, x)
	}
	if to.Kind == types.HalfKind && !c.halfAllowed() || from.Kind == types.HalfKind && !c.halfAllowed() {
		return fail("a cast of or to 'half' needs cl_khr_fp16")
	}
	return c.number(x, to)
}

// castToUnion is the GNU extension (union U)x, for the first member that has the type of x.
func (c *Checker) castToUnion(pos source.Pos, to *types.Type, x tree.Expr) tree.Expr {
	i := x.Info()
	for k, f := range to.Struct.Fields {
		if f.Type.Type == i.Type.Type && f.Bits < 0 {
			l := &tree.InitList{Base: *i, Items: []tree.InitItem{{Index: int64(k), Last: int64(k), Value: x}}}
			l.Type, l.LValue = qual(to), false
			return l
		}
	}
	c.Diags.Errorf(pos, "'%s' cannot be cast to '%s', which has no member of that type", i.Type,
		to).Range(i.From, i.To)
	return c.badAt(x)
}

func (c *Checker) castToVector(pos source.Pos, to *types.Type, x tree.Expr) tree.Expr {
	i := x.Info()
	from := i.Type.Type
	switch {
	case from == to:
		return x
	case from.IsVector():
		d := c.Diags.Errorf(pos, "the vector '%s' cannot be cast to '%s'", from, to).Range(i.From, i.To)
		if from.Len == to.Len {
			d.Note(pos, "convert_%s() converts the components", to)
		} else if c.Types.SizeOf(from) == c.Types.SizeOf(to) {
			d.Note(pos, "as_%s() keeps the bits", to)
		}
		return c.badAt(x)
	case from.IsPointer():
		c.Diags.Errorf(pos, "the pointer '%s' cannot be cast to the vector '%s'", from, to).Range(i.From, i.To)
		return c.badAt(x)
	}
	return c.splat(x, to)
}

func (c *Checker) castToPointer(pos source.Pos, to *types.Type, x tree.Expr) tree.Expr {
	i := x.Info()
	from := i.Type.Type
	switch {
	case from.IsInteger():
		if lit, ok := x.(*tree.IntLit); ok && lit.Value == 0 {
			return null(to, x)
		}
		if _, lit := x.(*tree.IntLit); !lit && from.Bits() < c.Types.Config.AddressBits {
			c.Diags.Warnf("int-to-pointer-cast", pos, "'%s' has fewer bits than the pointer '%s'", from, to).
				Range(i.From, i.To)
		}
		return c.convert(tree.IntToPointer, to, c.number(x, c.Types.UIntPtr))
	case from.IsFloat():
		c.Diags.Errorf(pos, "'%s' cannot be cast to a pointer", from).Range(i.From, i.To)
		return c.badAt(x)
	}
	a, b := from.Elem.Space(), to.Elem.Space()
	if !overlaps(a, b) {
		c.Diags.Errorf(pos, "'%s' cannot be cast to '%s': the address spaces have nothing in common", from, to).
			Range(i.From, i.To)
		return c.badAt(x)
	}
	f, t := from.Elem, to.Elem
	for f.IsPointer() && t.IsPointer() {
		f, t = f.Elem, t.Elem
		if f.Space() != t.Space() {
			c.Diags.Warnf("incompatible-pointer-types-discards-qualifiers", pos,
				"the cast from '%s' to '%s' changes an address space further inside", from, to).Range(i.From, i.To)
			break
		}
	}
	return c.pointer(x, to)
}

func (c *Checker) castFromPointer(pos source.Pos, to *types.Type, x tree.Expr) tree.Expr {
	i := x.Info()
	from := i.Type.Type
	switch {
	case to.Kind == types.BoolKind:
		return c.convert(tree.ToBool, to, x)
	case to.IsFloat():
		c.Diags.Errorf(pos, "the pointer '%s' cannot be cast to '%s'", from, to).Range(i.From, i.To)
		return c.badAt(x)
	case to.Bits() < c.Types.Config.AddressBits:
		c.Diags.Warnf("pointer-to-int-cast", pos, "'%s' has fewer bits than the pointer '%s'", to, from).
			Range(i.From, i.To)
	}
	if _, ok := x.(*tree.NullLit); ok {
		return c.intLit(0, to, x)
	}
	return c.number(c.convert(tree.PointerToInt, c.Types.UIntPtr, x), to)
}

// VectorLiteral is (T)(a, b, ...) for a vector T: as many components together as T has, or one number for
// all. It ends in front of end.
func (c *Checker) VectorLiteral(lparen source.Pos, t types.Qual, rparen source.Pos, elems []tree.Expr,
	end source.Pos) tree.Expr {
	to := t.Type
	if len(elems) == 1 {
		return c.oneElement(lparen, to, elems[0], end)
	}
	have, wrong := int64(0), false
	list := make([]tree.Expr, 0, len(elems))
	for _, x := range elems {
		x = c.vectorElement(to, x)
		if isBad(x) {
			wrong = true
			continue
		}
		have += int64(x.Info().Type.Lanes())
		list = append(list, x)
	}
	bad := func() tree.Expr { return c.bad(lparen, lparen, end) }
	switch {
	case wrong:
		return bad()
	case have != to.Len:
		c.Diags.Errorf(lparen, "'%s' needs %d components, but these are %d", to, to.Len, have).Range(lparen, end)
		return bad()
	}
	return &tree.VectorLit{Base: tree.Base{Type: qual(to), Pos: lparen, From: lparen, To: end}, Elems: list}
}

// oneElement is (T)(x): a number for all components, or a vector of type T.
func (c *Checker) oneElement(lparen source.Pos, to *types.Type, x tree.Expr, end source.Pos) tree.Expr {
	x = c.Value(x)
	if isBad(x) {
		return c.bad(lparen, lparen, end)
	}
	from := x.Info().Type.Type
	if from.IsScalar() {
		// Here, true is 1.
		x = c.cast(lparen, to.Elem.Type, x)
		if isBad(x) {
			return x
		}
		x = c.convert(tree.Splat, to, x)
	} else {
		y := c.cast(lparen, to, x)
		if y == x {
			y = c.convert(tree.NoOp, to, x)
		}
		x = y
	}
	i := x.Info()
	i.Pos, i.From, i.To, i.Paren = lparen, lparen, end, false
	return x
}

// vectorElement converts one element of a vector literal: a number, or a vector of the same component type.
func (c *Checker) vectorElement(to *types.Type, x tree.Expr) tree.Expr {
	x = c.Value(x)
	if isBad(x) {
		return x
	}
	i := x.Info()
	from := i.Type
	elem := to.Elem.Type
	switch {
	case from.IsVector() && from.Elem.Type == elem:
		return x
	case from.IsVector():
		c.Diags.Errorf(i.Pos, "'%s' cannot be part of a '%s': its components are of another type", from, to).
			Range(i.From, i.To).Note(i.Pos, "convert_%s() converts them", c.Types.Vector(elem, from.Lanes()))
		return c.badAt(x)
	case !from.IsArithmetic():
		c.Diags.Errorf(i.Pos, "'%s' cannot be a component of '%s'", from, to).Range(i.From, i.To)
		return c.badAt(x)
	}
	c.warnImplicit(x, elem, i.Pos, false)
	return c.number(x, elem)
}
