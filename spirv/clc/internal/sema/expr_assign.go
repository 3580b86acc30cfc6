package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// assignOps has the operator of each compound assignment.
var assignOps = [token.NumKinds]token.Kind{
	token.MulAssign: token.Star, token.DivAssign: token.Slash, token.RemAssign: token.Percent,
	token.AddAssign: token.Plus, token.SubAssign: token.Minus,
	token.ShlAssign: token.Shl, token.ShrAssign: token.Shr,
	token.AndAssign: token.And, token.XorAssign: token.Caret, token.OrAssign: token.Or,
}

// modifiable reports whether x is an lvalue that can be changed, and says why if not. It notes that the
// variable is.
func (c *Checker) modifiable(x tree.Expr, pos source.Pos, done string) bool {
	i := x.Info()
	fail := func(format string, args ...any) bool {
		c.Diags.Errorf(pos, format, args...).Range(i.From, i.To)
		return false
	}
	if !i.LValue {
		switch n := x.(type) {
		case *tree.Bad:
			return false
		case *tree.Swizzle:
			if duplicates(n.Comps) {
				return fail("a component occurs twice: '%s' cannot be %s", i.Type.Unqual(), done)
			}
		}
		return fail("this is a value, not a variable: it cannot be %s", done)
	}
	if n, ok := x.(*tree.VarRef); ok {
		n.Var.Assigned = true
	} else {
		c.used(x)
	}
	t := i.Type
	switch {
	case t.IsArray():
		return fail("an array cannot be %s", done)
	case t.IsFunction():
		return fail("a function cannot be %s", done)
	case t.Space() == types.Constant:
		return fail("%s in constant memory cannot be %s", describe(x), done)
	case t.Q&types.Const != 0:
		ok := fail("%s is const: it cannot be %s", describe(x), done)
		c.noteConst(x)
		return ok
	case t.Kind == types.VoidKind || !t.Complete():
		return fail("a value of type '%s' cannot be %s: the type is incomplete", t.Unqual(), done)
	case t.IsStruct():
		if f := constField(t.Struct, 0); f != nil {
			return fail("'%s' cannot be %s: its member '%s' is const", t.Unqual(), done, f.Name)
		}
	}
	return true
}

// describe names an lvalue.
func describe(x tree.Expr) string {
	switch n := x.(type) {
	case *tree.VarRef:
		return "the variable '" + n.Var.Name + "'"
	case *tree.Member:
		return "the member '" + n.X.Info().Type.Struct.Fields[n.Field].Name + "'"
	}
	return "what has type '" + x.Info().Type.String() + "'"
}

// noteConst shows where a variable is declared const, under the last error.
func (c *Checker) noteConst(x tree.Expr) {
	if v := variableOf(x); v != nil && v.Type.Q&types.Const != 0 && v.Pos != 0 && len(c.Diags.List) > 0 {
		c.Diags.List[len(c.Diags.List)-1].Note(v.Pos, "'%s' is declared const here", v.Name)
	}
}

// constField returns a member that is const, at any depth; nil if there is none.
func constField(s *types.Struct, depth int) *types.Field {
	for k := range s.Fields {
		f := &s.Fields[k]
		if f.Type.Q&types.Const != 0 {
			return f
		}
		t := f.Type.Type
		for t.IsArray() {
			t = t.Elem.Type
		}
		if t.IsStruct() && depth < 256 {
			if g := constField(t.Struct, depth+1); g != nil {
				return g
			}
		}
	}
	return nil
}

// Assign is l = r, or l op= r.
func (c *Checker) Assign(op token.Kind, pos source.Pos, l, r tree.Expr) tree.Expr {
	from, to := l.Info().From, r.Info().To
	if isBad(l) || isBad(r) {
		return c.bad(pos, from, to)
	}
	switch t := l.Info().Type; t.Kind {
	case types.ImageKind, types.SamplerKind, types.PipeKind, types.FunctionKind, types.BuiltinSet:
		if t.Kind >= types.ImageKind && t.Kind <= types.QueueKind {
			c.Diags.Errorf(pos, "a value of type '%s' cannot be assigned", t.Unqual()).Range(from, l.Info().To)
		} else {
			c.functionUsed(l)
		}
		return c.bad(pos, from, to)
	}
	if isAtomic(l) || isAtomic(r) {
		d := c.Diags.Errorf(pos, "the operator '%s' does not take atomic objects", op).Range(from, to)
		d.Note(pos, "atomic_init, atomic_store and atomic_load work with them")
		return c.bad(pos, from, to)
	}
	if op == token.Assign {
		if !c.modifiable(l, pos, "assigned") {
			return c.bad(pos, from, to)
		}
		t := l.Info().Type
		c.warnSelfAssign(pos, l, r)
		c.warnBitField(l, r)
		r = c.Coerce(Context{Kind: Assigning}, t, r)
		if isBad(r) {
			return c.bad(pos, from, to)
		}
		if t.Kind == types.HalfKind && !c.halfAllowed() {
			c.Value(l)
			return c.bad(pos, from, to)
		}
		n := c.Unit.Arena.Assigns.Next()
		*n = tree.Assign{Base: tree.Base{Type: t.Unqual(), Pos: pos, From: from, To: to}, L: l, R: r}
		return n
	}
	return c.compound(op, pos, l, r, from, to)
}

// compound is l op= r.
func (c *Checker) compound(op token.Kind, pos source.Pos, l, r tree.Expr, from, to source.Pos) tree.Expr {
	bin := assignOps[op]
	t := l.Info().Type
	if t.IsArray() || !l.Info().LValue {
		c.modifiable(l, pos, "assigned")
		return c.bad(pos, from, to)
	}
	if r = c.Value(r); isBad(r) {
		return c.bad(pos, from, to)
	}
	n := c.Unit.Arena.Compounds.Next()
	*n = tree.CompoundAssign{Base: tree.Base{Type: t.Unqual(), Pos: pos, From: from, To: to}, Op: binaryOps[bin]}
	ok := false
	if t.IsPointer() {
		ok = c.compoundPointer(op, pos, n, l, r)
	} else {
		// What a binary operator makes of the operands says in which type the operation is.
		value := c.quietValue(l)
		ok = !isBad(value) && c.compoundOperands(op, bin, pos, n, value, r)
	}
	if !ok || !c.modifiable(l, pos, "assigned") {
		return c.bad(pos, from, to)
	}
	n.L = l
	return n
}

// quietValue is Value, but does not count as a use of a variable: one that is only counted up is not used.
func (c *Checker) quietValue(x tree.Expr) tree.Expr {
	v, ok := x.(*tree.VarRef)
	if !ok {
		return c.Value(x)
	}
	used := v.Var.Used
	x = c.Value(x)
	v.Var.Used = used
	return x
}

func (c *Checker) compoundPointer(op token.Kind, pos source.Pos, n *tree.CompoundAssign, l,
	r tree.Expr) bool {
	t := l.Info().Type
	if op != token.AddAssign && op != token.SubAssign || !r.Info().Type.IsInteger() {
		c.badOperands(op, pos, l, r)
		return false
	}
	if !c.pointerArithmetic(pos, t.Type, l) {
		return false
	}
	n.Op = tree.PtrAdd
	if op == token.SubAssign {
		n.Op = tree.PtrSub
	}
	n.R, n.Compute = c.index(r), t.Unqual()
	return true
}

// compoundOperands finds the type in which a compound assignment computes, and converts the right operand.
func (c *Checker) compoundOperands(op, bin token.Kind, pos source.Pos, n *tree.CompoundAssign, l,
	r tree.Expr) bool {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	if !lt.IsVector() && rt.IsVector() && lt.IsArithmetic() && bin != token.Shl && bin != token.Shr {
		i := r.Info()
		c.Diags.Errorf(pos, "the vector '%s' cannot be assigned to '%s'", rt, lt).Range(i.From, i.To)
		return false
	}
	if rt.IsPointer() || !lt.IsArithmetic() && !lt.IsVector() || !rt.IsArithmetic() && !rt.IsVector() {
		c.badOperands(op, pos, l, r)
		return false
	}
	// A constant on the left would be folded away.
	var y tree.Expr
	switch k := n.Op; bin {
	case token.Shl, token.Shr:
		y = c.shift(bin, k, pos, l, r)
	default:
		c.compounding = true
		y = c.arith(bin, k, pos, l, r)
		c.compounding = false
	}
	b, ok := y.(*tree.Binary)
	if !ok {
		return false
	}
	n.R, n.Compute = b.R, qual(b.Type.Type)
	if b.Op != n.Op || isBad(y) {
		return false
	}
	if !lt.IsVector() && b.Type.Type != lt {
		c.warnCompound(pos, lt, b.Type.Type, r)
	}
	return true
}

// warnCompound warns where the result of a compound assignment is converted back to a lesser type.
func (c *Checker) warnCompound(pos source.Pos, t, compute *types.Type, r tree.Expr) {
	w := c.warnings()
	i := r.Info()
	switch {
	case compute.IsFloat() && t.IsInteger() && w.floatToInt:
		c.Diags.Warnf("float-conversion", pos, "the result is converted from '%s' to '%s' and loses its fraction",
			compute, t).
			Range(i.From, i.To)
	case compute.IsFloat() && t.IsFloat() && compute.Kind > t.Kind && w.precision:
		c.Diags.Warnf("implicit-float-conversion", pos,
			"the result is converted from '%s' to '%s' and loses precision",
			compute, t).Range(i.From, i.To)
	}
}

// warnBitField warns of a constant that a bit-field does not have.
func (c *Checker) warnBitField(l, r tree.Expr) {
	m, ok := l.(*tree.Member)
	if !ok {
		return
	}
	f := &m.X.Info().Type.Struct.Fields[m.Field]
	lit, ok := r.(*tree.IntLit)
	if !ok || f.Bits <= 0 || f.Bits >= 64 || f.Type.Kind == types.BoolKind {
		return
	}
	v := lit.Value << (64 - f.Bits)
	if f.Type.IsSigned() {
		v = uint64(int64(v) >> (64 - f.Bits))
	} else {
		v >>= 64 - f.Bits
	}
	low := lit.Value & (1<<f.Bits - 1)
	if v == lit.Value || int64(lit.Value) < 0 && int64(lit.Value)>>(f.Bits-1) == -1 && low != 0 {
		return
	}
	i := r.Info()
	c.Diags.Warnf("bitfield-constant-conversion", i.Pos,
		"the bit-field '%s' has %d bits: the value changes from %s to %s",
		f.Name, f.Bits, formatInt(lit.Value, lit.Type.Type), formatInt(v, f.Type.Type)).Range(i.From, i.To)
}
