package sema

import (
	"math"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Call is f(args...).
func (c *Checker) Call(f tree.Expr, lparen source.Pos, args []tree.Expr, rparen source.Pos) tree.Expr {
	i := f.Info()
	base := tree.Base{Pos: i.From, From: i.From, To: c.Files.End(rparen, 1)}
	bad := func() tree.Expr { return c.bad(base.Pos, base.From, base.To) }
	if isBad(f) {
		for _, x := range args {
			c.used(x)
		}
		return bad()
	}
	ok := true
	for k, x := range args {
		if args[k] = c.Value(x); isBad(args[k]) {
			ok = false
		}
	}
	switch n := f.(type) {
	case *tree.FuncRef:
		n.Func.Used = true
		if !ok {
			return bad()
		}
		return c.callFunc(n.Func, base, args, rparen)
	case *overloads:
		if !ok {
			return bad()
		}
		cands := make([]candidate, 0, len(n.fns.List))
		for _, fn := range n.fns.List {
			cands = append(cands, c.funcCandidate(fn))
		}
		if len(cands) == 1 {
			return c.callFunc(cands[0].fn, base, args, rparen)
		}
		k := c.resolve(n.fns.Name, base.Pos, cands, args)
		if k < 0 {
			return bad()
		}
		return c.callFunc(cands[k].fn, base, args, rparen)
	case *builtinRef:
		if !ok {
			return bad()
		}
		return c.callBuiltin(n, base, args, rparen)
	}
	c.Diags.Errorf(lparen, "what is called has type '%s': it is no function", i.Type).Range(i.From, i.To)
	return bad()
}

// callFunc calls a function of the program. The arguments are values.
func (c *Checker) callFunc(f *tree.Func, base tree.Base, args []tree.Expr, rparen source.Pos) tree.Expr {
	t := f.Type
	f.Used = true
	bad := func() tree.Expr { return c.bad(base.Pos, base.From, base.To) }
	if !c.countArgs(f.Name, f.Pos, len(t.Params), t.Variadic, args, rparen, base) {
		return bad()
	}
	ok := true
	for k, p := range t.Params {
		ctx := Context{Kind: Passing, Param: k + 1, Func: f.Name}
		if k < len(f.Params) && f.Params[k] != nil {
			ctx.Decl = f.Params[k].Pos
		}
		args[k] = c.Coerce(ctx, p, args[k])
		ok = ok && !isBad(args[k])
	}
	for k := len(t.Params); k < len(args); k++ {
		args[k] = c.promoteArg(args[k])
	}
	if !ok {
		return bad()
	}
	result := t.Elem.Type
	if result.Kind != types.VoidKind && !result.Complete() {
		c.Diags.Errorf(base.Pos, "'%s' returns '%s', which is incomplete", f.Name, result).Range(base.From, base.To)
		return bad()
	}
	if f.Attrs.Deprecated {
		c.Diags.Warnf("deprecated-declarations", base.Pos, "'%s' is deprecated", f.Name).Note(f.Pos,
			"it is declared here")
	}
	c.noteCall(f, base.Pos)
	n := c.Unit.Arena.Calls.Next()
	base.Type = qual(result)
	*n = tree.Call{Base: base, Func: f, Args: args}
	return n
}

// noteCall notes that the function at hand calls another one.
func (c *Checker) noteCall(f *tree.Func, pos source.Pos) {
	g := c.fn
	if g == nil || c.unevaluated > 0 {
		return
	}
	if f.Kernel {
		f.KernelCalled = true
	}
	if c.caller != g || c.callees == nil {
		c.caller = g
		c.callees = map[*tree.Func]bool{}
		for _, s := range g.Calls {
			c.callees[s.Func] = true
		}
	}
	if !c.callees[f] {
		c.callees[f] = true
		g.Calls = append(g.Calls, tree.CallSite{Func: f, Pos: pos})
	}
}

// countArgs reports whether a call has as many arguments as there are parameters, and says so if not.
func (c *Checker) countArgs(name string, decl source.Pos, params int, variadic bool, args []tree.Expr,
	rparen source.Pos,
	base tree.Base) bool {
	have := len(args)
	if have == params || variadic && have > params {
		return true
	}
	pos, few := rparen, "few"
	if have > params {
		pos, few = args[params].Info().Pos, "many"
	}
	least := ""
	if variadic {
		least = "at least "
	}
	d := c.Diags.Errorf(pos, "too %s arguments for '%s': it takes %s%s, but there are %d", few, name, least,
		count(params),
		have).Range(base.From, base.To)
	if decl != 0 {
		d.Note(decl, "'%s' is declared here", name)
	}
	return false
}

// promoteArg does the default argument promotions: integers, and floats to double where there are doubles.
func (c *Checker) promoteArg(x tree.Expr) tree.Expr {
	t := x.Info().Type.Type
	switch {
	case t.IsInteger():
		return c.promote(x)
	case t.Kind == types.HalfKind && !c.doubleAllowed():
		return c.number(x, c.Types.Float)
	case (t.Kind == types.HalfKind || t.Kind == types.FloatKind) && c.doubleAllowed():
		return c.number(x, c.Types.Double)
	}
	return x
}

// callKey is a call of a built-in function: name, and the types of up to four arguments with what else
// matters.
type callKey struct {
	name string
	args [4]uint32
	n    uint8
}

// keyOf returns the key of a call; false if more than types decides what it means.
func keyOf(name string, args []tree.Expr) (k callKey, ok bool) {
	if len(args) > len(k.args) {
		return k, false
	}
	k.name, k.n = name, uint8(len(args))
	for i, x := range args {
		v := uint32(x.Info().Type.ID) << 2
		switch n := x.(type) {
		case *tree.IntLit:
			v |= 1
			if n.Value == 0 {
				v |= 2
			}
		case *tree.NullLit:
			v |= 3
		default:
			// Constants that are no literals may be null pointers; bit-fields have promotions of their own.
			if x.Info().Type.IsInteger() {
				if _, field := bitField(x); field || mayBeConstant(x, 8) {
					return k, false
				}
			}
		}
		k.args[i] = v
	}
	return k, true
}

// mayBeConstant reports whether an integer that is no literal may have a value that is known. It looks at a
// few operations only.
func mayBeConstant(x tree.Expr, depth int) bool {
	for ; depth > 0; depth-- {
		switch n := x.(type) {
		case *tree.Call, *tree.CallBuiltin, *tree.Assign, *tree.CompoundAssign, *tree.Swizzle:
			return false
		case *tree.VarRef:
			return n.Type.Q&types.Const != 0 || n.Type.Space() == types.Constant
		case *tree.Convert:
			x = n.X
		case *tree.Unary:
			if n.Op >= tree.Deref {
				return false
			}
			x = n.X
		case *tree.Binary:
			if !mayBeConstant(n.L, depth-1) {
				return false
			}
			x = n.R
		default:
			return true
		}
	}
	return true
}

// callBuiltin calls a built-in function, or an overloadable one of the program of the same name.
func (c *Checker) callBuiltin(f *builtinRef, base tree.Base, args []tree.Expr, rparen source.Pos) tree.Expr {
	bad := func() tree.Expr { return c.bad(base.Pos, base.From, base.To) }
	table := c.builtins()
	def := table.Def(f.name)
	if f.fns == nil {
		switch {
		case def.Refused != "":
			c.Diags.Errorf(base.Pos, "'%s' cannot be used: %s", f.name, def.Refused).Range(base.From, base.To)
			return bad()
		case def.Special:
			if strings.HasPrefix(f.name, "__builtin_") {
				return c.callOfC(f, base, args, rparen)
			}
			return c.callSpecial(f, base, args)
		}
	}
	c.argTypes = c.argTypes[:0]
	for _, x := range args {
		c.argTypes = append(c.argTypes, x.Info().Type)
	}
	if f.fns == nil {
		if sig := table.Exact(f.name, c.argTypes); sig != nil {
			return c.builtinCall(sig, base, args)
		}
	}
	key, keyed := keyOf(f.name, args)
	if keyed && f.fns == nil {
		if sig := c.resolved[key]; sig != nil {
			return c.coerceBuiltin(sig, base, args)
		}
	}
	sigs := table.Overloads(f.name)
	if f.fns == nil && len(sigs) == 1 {
		sig := sigs[0]
		if !c.countArgs(f.name, 0, len(sig.Params), sig.Variadic, args, rparen, base) {
			return bad()
		}
		return c.coerceBuiltin(sig, base, args)
	}
	cands := make([]candidate, 0, len(sigs)+1)
	if f.fns != nil {
		for _, fn := range f.fns.List {
			cands = append(cands, c.funcCandidate(fn))
		}
	}
	for _, s := range sigs {
		cands = append(cands, sigCandidate(s))
	}
	k := c.resolve(f.name, base.Pos, cands, args)
	switch {
	case k < 0:
		return bad()
	case cands[k].fn != nil:
		return c.callFunc(cands[k].fn, base, args, rparen)
	}
	if keyed && f.fns == nil {
		if c.resolved == nil {
			c.resolved = map[callKey]*builtin.Sig{}
		}
		c.resolved[key] = cands[k].sig
	}
	return c.coerceBuiltin(cands[k].sig, base, args)
}

// coerceBuiltin calls a built-in function whose parameters the arguments may have to be converted to.
func (c *Checker) coerceBuiltin(sig *builtin.Sig, base tree.Base, args []tree.Expr) tree.Expr {
	ok := true
	for k, p := range sig.Params {
		args[k] = c.Coerce(Context{Kind: Passing, Param: k + 1, Func: sig.Name}, p, args[k])
		ok = ok && !isBad(args[k])
	}
	for k := len(sig.Params); k < len(args); k++ {
		args[k] = c.promoteArg(args[k])
	}
	if !ok {
		return c.bad(base.Pos, base.From, base.To)
	}
	return c.builtinCall(sig, base, args)
}

// builtinCall makes the call of a built-in function.
func (c *Checker) builtinCall(sig *builtin.Sig, base tree.Base, args []tree.Expr) tree.Expr {
	if sig.Variadic && sig.Name == "printf" {
		c.checkFormat(args)
	}
	switch sig.Name { // those that stand in constants
	case "__builtin_inf", "__builtin_inff", "__builtin_huge_val", "__builtin_huge_valf":
		base.Type = sig.Result.Unqual()
		return &tree.FloatLit{Base: base, Value: math.Inf(1)}
	case "__builtin_expect_with_probability":
		if _, ok := c.constantNumber(args[2]); !ok {
			i := args[2].Info()
			c.Diags.Errorf(i.Pos, "the probability is no constant").Range(i.From, i.To)
		}
	case "__builtin_nan", "__builtin_nanf":
		base.Type = sig.Result.Unqual()
		return &tree.FloatLit{Base: base, Value: math.NaN()}
	}
	n := c.Unit.Arena.BuiltinCalls.Next()
	base.Type = sig.Result.Unqual()
	*n = tree.CallBuiltin{Base: base, Sig: sig, Args: args}
	return n
}

// callSpecial calls a built-in function whose parameters are of any type.
func (c *Checker) callSpecial(f *builtinRef, base tree.Base, args []tree.Expr) tree.Expr {
	c.argTypes = c.argTypes[:0]
	for _, x := range args {
		c.argTypes = append(c.argTypes, x.Info().Type)
	}
	sig, problem := c.builtins().Special(f.name, c.argTypes)
	if problem != nil {
		pos := base.Pos
		if problem.Arg >= 0 && problem.Arg < len(args) {
			pos = args[problem.Arg].Info().Pos
		}
		c.Diags.Errorf(pos, "%s", problem.Message).Range(base.From, base.To)
		return c.bad(base.Pos, base.From, base.To)
	}
	if strings.HasPrefix(f.name, "as_") {
		x := c.convert(tree.Bits, sig.Result.Type, args[0])
		x.Base, x.Type, x.Explicit = base, sig.Result.Unqual(), true
		if y := c.foldBits(x); y != nil {
			return y
		}
		return x
	}
	return c.coerceBuiltin(sig, base, args)
}

// foldBits computes as_type of a constant number.
func (c *Checker) foldBits(x *tree.Convert) tree.Expr {
	switch x.X.(type) {
	case *tree.IntLit, *tree.FloatLit:
		if !x.Type.IsArithmetic() {
			return nil
		}
		e := evaluator{c: c}
		if y := e.reinterpret(x.X, x.Type.Type); y != nil {
			return at(y, x.Pos, x.From, x.To)
		}
	}
	return nil
}
