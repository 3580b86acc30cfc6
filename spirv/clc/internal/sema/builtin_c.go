package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// The functions of clang's that are for any type: their names begin with __builtin_, and some take types.
// Package builtin has their rows, which are Special.

// callOfC calls such a function. The arguments are values.
func (c *Checker) callOfC(f *builtinRef, base tree.Base, args []tree.Expr, rparen source.Pos) tree.Expr {
	bad := func() tree.Expr { return c.bad(base.Pos, base.From, base.To) }
	want, more := map[string]int{"__builtin_constant_p": 1, "__builtin_nontemporal_load": 1, "__builtin_nontemporal_store": 2,
		"__builtin_shufflevector": 4}[f.name], f.name == "__builtin_shufflevector"
	if want == 0 {
		want = 3 // memcpy, memmove, memset
	}
	if !c.countArgs(f.name, 0, want, more, args, rparen, base) {
		return bad()
	}
	switch f.name {
	case "__builtin_constant_p":
		_, known := c.constantNumber(args[0])
		return at(c.intLit(oneIf(known), c.Types.Int, args[0]), base.Pos, base.From, base.To)
	case "__builtin_nontemporal_load":
		if !c.isPointerArg(f.name, args[0]) {
			return bad()
		}
		x := c.Value(c.Unary(token.Star, base.Pos, args[0]))
		return at(x, base.Pos, base.From, base.To)
	case "__builtin_nontemporal_store":
		if !c.isPointerArg(f.name, args[1]) {
			return bad()
		}
		x := c.Assign(token.Assign, base.Pos, c.Unary(token.Star, base.Pos, args[1]), args[0])
		if isBad(x) {
			return bad()
		}
		return at(c.convert(tree.Void, c.Types.Void, x), base.Pos, base.From, base.To)
	case "__builtin_shufflevector":
		return c.shuffleVector(f, base, args)
	}
	return c.memoryCall(f, base, args)
}

// constantNumber returns the value of an expression, if it is a number that the compiler can compute.
func (c *Checker) constantNumber(x tree.Expr) (tree.Expr, bool) {
	if !x.Info().Type.IsArithmetic() || x.Info().Type.IsVector() {
		return nil, false
	}
	switch y := c.compute(x, true).(type) {
	case *tree.IntLit:
		return y, true
	case *tree.FloatLit:
		return y, true
	}
	return nil, false
}

// isPointerArg reports whether an argument is a pointer to something with a size, and says so if not.
func (c *Checker) isPointerArg(name string, x tree.Expr) bool {
	i := x.Info()
	if i.Type.IsPointer() && i.Type.Elem.Kind != types.VoidKind && i.Type.Elem.Kind != types.FunctionKind {
		return true
	}
	c.Diags.Errorf(i.Pos, "'%s' takes a pointer to a value, not '%s'", name, i.Type.Unqual()).Range(i.From, i.To)
	return false
}

// memoryCall calls memcpy, memmove or memset. Pointers lead into any address space, as clang has it.
func (c *Checker) memoryCall(f *builtinRef, base tree.Base, args []tree.Expr) tree.Expr {
	sig := &builtin.Sig{Name: f.name, Def: c.builtins().Def(f.name)}
	for k, x := range args[:2] {
		i := x.Info()
		if k == 1 && f.name == "__builtin_memset" {
			sig.Params = append(sig.Params, qual(c.Types.Int))
			continue
		}
		if !i.Type.IsPointer() {
			c.Diags.Errorf(i.Pos, "'%s' takes a pointer, not '%s'", f.name, i.Type.Unqual()).Range(i.From, i.To)
			return c.bad(base.Pos, base.From, base.To)
		}
		if to := i.Type.Elem; k == 0 && (to.Space() == types.Constant || to.Q&types.Const != 0) {
			c.Diags.Errorf(i.Pos, "'%s' cannot write to '%s'", f.name, i.Type.Unqual()).Range(i.From, i.To)
			return c.bad(base.Pos, base.From, base.To)
		}
		sig.Params = append(sig.Params, i.Type.Unqual())
	}
	sig.Params = append(sig.Params, qual(c.Types.Size))
	to := args[0].Info().Type.Elem
	sig.Result = qual(c.Types.Pointer(qual(c.Types.Void).In(to.Space())))
	return c.coerceBuiltin(sig, base, args)
}

// shuffleVector is __builtin_shufflevector(a, b, i, j, ...): components of two vectors of one type, by
// constants; -1 is any value.
func (c *Checker) shuffleVector(f *builtinRef, base tree.Base, args []tree.Expr) tree.Expr {
	bad := func() tree.Expr { return c.bad(base.Pos, base.From, base.To) }
	a, b := args[0].Info(), args[1].Info()
	if !a.Type.IsVector() || a.Type.Type != b.Type.Type {
		c.Diags.Errorf(base.Pos, "first two arguments to '%s' must have the same type", f.name).Range(a.From, b.To)
		return bad()
	}
	n := len(args) - 2
	if n != 2 && n != 3 && n != 4 && n != 8 && n != 16 {
		c.Diags.Errorf(base.Pos, "'%s' makes a vector of %d components, which OpenCL C does not have", f.name, n).
			Range(base.From, base.To)
		return bad()
	}
	sig := &builtin.Sig{Name: f.name, Def: c.builtins().Def(f.name), Params: []types.Qual{a.Type.Unqual(), b.Type.Unqual()},
		Result: qual(c.Types.Vector(a.Type.Elem.Type, n))}
	for k := 2; k < len(args); k++ {
		i := args[k].Info()
		v, ok := c.FoldInt(args[k])
		if !ok {
			c.Diags.Errorf(i.Pos, "index for '%s' must be a constant integer", f.name).Range(i.From, i.To)
			return bad()
		}
		if int64(v) < -1 || int64(v) >= 2*int64(a.Type.Len) {
			c.Diags.Errorf(i.Pos, "index for '%s' must be less than the total number of vector elements", f.name).
				Range(i.From, i.To)
			return bad()
		}
		args[k] = c.intLit(v, c.Types.Int, args[k])
		sig.Params = append(sig.Params, qual(c.Types.Int))
	}
	return c.builtinCall(sig, base, args)
}

// AsType is __builtin_astype(x, T): the bits of x as a T.
func (c *Checker) AsType(pos source.Pos, x tree.Expr, t types.Qual, end source.Pos) tree.Expr {
	x = c.Value(x)
	if isBad(x) || t.IsInvalid() {
		return c.bad(pos, pos, end)
	}
	from, to := x.Info().Type.Unqual(), t.Type
	if to.IsPointer() || to.IsOpaque() {
		return at(c.cast(pos, to, x), pos, pos, end)
	}
	if !builtin.Reinterpretable(from.Type) || !builtin.Reinterpretable(to) || c.Types.SizeOf(from.Type) != c.Types.SizeOf(to) {
		c.Diags.Errorf(pos, "invalid reinterpretation: sizes of '%s' and '%s' must match", to, from).Range(pos, end)
		return c.bad(pos, pos, end)
	}
	y := c.convert(tree.Bits, to, x)
	y.Base, y.Explicit = tree.Base{Type: qual(to), Pos: pos, From: pos, To: end}, true
	if z := c.foldBits(y); z != nil {
		return z
	}
	return y
}

// ConvertVector is __builtin_convertvector(x, T): each component converted as C does it.
func (c *Checker) ConvertVector(pos source.Pos, x tree.Expr, t types.Qual, end source.Pos) tree.Expr {
	x = c.Value(x)
	if isBad(x) || t.IsInvalid() {
		return c.bad(pos, pos, end)
	}
	from, to := x.Info().Type, t.Type
	switch {
	case !from.IsVector() || !to.IsVector():
		c.Diags.Errorf(pos, "'__builtin_convertvector' converts vectors, not '%s' to '%s'", from.Unqual(), to).Range(pos, end)
		return c.bad(pos, pos, end)
	case from.Len != to.Len:
		c.Diags.Errorf(pos, "first two arguments to '__builtin_convertvector' must have the same number of elements").Range(pos, end)
		return c.bad(pos, pos, end)
	}
	return at(c.convert(tree.NoOp, to, c.number(x, to)), pos, pos, end)
}

// TypesCompatible is __builtin_types_compatible_p(T, U): whether they are the same without their qualifiers.
func (c *Checker) TypesCompatible(pos source.Pos, t, u types.Qual, end source.Pos) tree.Expr {
	return at(c.intLit(oneIf(t.Type == u.Type), c.Types.Int, c.bad(pos, pos, end)), pos, pos, end)
}

// Choose is __builtin_choose_expr(q, a, b): a or b, as the constant q says.
func (c *Checker) Choose(pos source.Pos, q, a, b tree.Expr, end source.Pos) tree.Expr {
	v, ok := c.FoldInt(c.Value(q))
	switch {
	case isBad(q):
		return c.bad(pos, pos, end)
	case !ok:
		i := q.Info()
		c.Diags.Errorf(i.Pos, "'__builtin_choose_expr' requires a constant expression").Range(i.From, i.To)
		return c.bad(pos, pos, end)
	case v == 0:
		a = b
	}
	i := a.Info()
	i.From, i.To, i.Paren = pos, end, true
	return a
}
