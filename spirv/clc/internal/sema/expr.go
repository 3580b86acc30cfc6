package sema

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// The actions for expressions take operands as the parser has them, lvalues among them, and return a new
// expression with its type. An operand that is wrong already makes the result wrong, and nothing more is said
// about it.

// exprState is what expressions need to remember.
type exprState struct {
	builtinRefs tree.Slab[builtinRef]

	table    *builtin.Table
	resolved map[callKey]*builtin.Sig // calls of overloaded built-in functions
	caller   *tree.Func               // whose callees are in callees
	callees  map[*tree.Func]bool
	argTypes []types.Qual // scratch for calls
	warn     warnCache
	folded   map[foldedVar]tree.Expr // what variables with constant values have; nil while that is found out
	// comparing and compounding say that operands of a comparison, or of a compound assignment, are converted:
	// some warnings are not for them.
	comparing, compounding bool

	suggestions int
	evalSteps   int // of the constant that is computed
	nesting     int
}

// HasBuiltin reports whether there is a built-in function of a name, for __has_builtin.
func (*Checker) HasBuiltin(name string) bool { return builtin.Known(name) }

// builtins returns the table of built-in functions.
func (c *Checker) builtins() *builtin.Table {
	if c.table == nil {
		c.table = builtin.NewTable(c.Types, c.Opts)
	}
	return c.table
}

// overloads is the name of overloadable functions where it is no expression: in front of the arguments of a
// call.
type overloads struct {
	tree.Base
	fns *Functions
}

// builtinRef is the name of a built-in function in front of the arguments of a call.
type builtinRef struct {
	tree.Base
	name string
	fns  *Functions // functions of the program that have the name too
}

func qual(t *types.Type) types.Qual { return types.Qual{Type: t} }

// bad returns an expression that is wrong.
func (c *Checker) bad(pos, from, to source.Pos) tree.Expr {
	return &tree.Bad{Base: tree.Base{Type: qual(c.Types.Invalid), Pos: pos, From: from, To: to}}
}

// badAt is bad at the place of another expression.
func (c *Checker) badAt(x tree.Expr) tree.Expr {
	i := x.Info()
	return c.bad(i.Pos, i.From, i.To)
}

func isBad(x tree.Expr) bool { return x.Info().Type.Kind == types.Invalid }

// convert returns a conversion of x. It does not look whether there is something to convert.
func (c *Checker) convert(kind tree.ConvertKind, to *types.Type, x tree.Expr) *tree.Convert {
	i := x.Info()
	n := c.Unit.Arena.Converts.Next()
	*n = tree.Convert{Base: tree.Base{Type: qual(to), Pos: i.Pos, From: i.From, To: i.To, Paren: i.Paren}, Kind: kind, X: x}
	return n
}

// intLit returns an integer constant in the place of x. The value is cut to the type.
func (c *Checker) intLit(v uint64, t *types.Type, x tree.Expr) *tree.IntLit {
	i := x.Info()
	n := c.Unit.Arena.Ints.Next()
	*n = tree.IntLit{Base: tree.Base{Type: qual(t), Pos: i.Pos, From: i.From, To: i.To, Paren: i.Paren, Folded: i.Folded},
		Value: truncate(v, t)}
	return n
}

// floatLit returns a floating constant in the place of x. The value is rounded to the type.
func (c *Checker) floatLit(v float64, t *types.Type, x tree.Expr) *tree.FloatLit {
	i := x.Info()
	n := c.Unit.Arena.Floats.Next()
	*n = tree.FloatLit{Base: tree.Base{Type: qual(t), Pos: i.Pos, From: i.From, To: i.To, Paren: i.Paren, Folded: i.Folded},
		Value: roundTo(v, t)}
	return n
}

// null returns a null of type t in the place of x.
func null(t *types.Type, x tree.Expr) tree.Expr {
	i := x.Info()
	return &tree.NullLit{Base: tree.Base{Type: qual(t), Pos: i.Pos, From: i.From, To: i.To, Paren: i.Paren}}
}

// unary returns an operation with one operand.
func (c *Checker) unary(op tree.UnaryOp, pos source.Pos, t *types.Type, x tree.Expr) *tree.Unary {
	i := x.Info()
	n := c.Unit.Arena.Unaries.Next()
	*n = tree.Unary{Base: tree.Base{Type: qual(t), Pos: pos, From: min(pos, i.From), To: i.To}, Op: op, X: x}
	if pos.IsMacro() != i.From.IsMacro() {
		n.From = pos
	}
	return n
}

// binary returns an operation with two operands.
func (c *Checker) binary(op tree.BinaryOp, pos source.Pos, t *types.Type, l, r tree.Expr) *tree.Binary {
	n := c.Unit.Arena.Binaries.Next()
	*n = tree.Binary{Base: tree.Base{Type: qual(t), Pos: pos, From: l.Info().From, To: r.Info().To}, Op: op, L: l, R: r}
	return n
}

// elemQual returns the element type of an array, or what a pointer leads to, with all qualifiers. Those of an
// array are those of its elements.
func elemQual(t types.Qual) types.Qual {
	if t.Kind == types.ArrayKind {
		return types.Qual{Type: t.Elem.Type, Q: t.Elem.Q | t.Q}
	}
	return t.Elem
}

// Paren is an expression in parentheses.
func (c *Checker) Paren(lparen source.Pos, x tree.Expr, rparen source.Pos) tree.Expr {
	i := x.Info()
	i.From, i.To, i.Paren = lparen, c.Files.End(rparen, 1), true
	return x
}

// Value turns an lvalue into the value that it has: a Load, or for arrays the address of the first element.
func (c *Checker) Value(x tree.Expr) tree.Expr {
	i := x.Info()
	switch i.Type.Kind {
	case types.Invalid:
		return x
	case types.ArrayKind:
		if _, ok := x.(*tree.InitList); ok {
			return x
		}
		c.used(x)
		return c.convert(tree.Decay, c.Types.Pointer(elemQual(i.Type)), x)
	case types.FunctionKind, types.BuiltinSet:
		return c.functionUsed(x)
	}
	if !i.LValue {
		return x
	}
	switch i.Type.Kind {
	case types.VoidKind:
		return c.convert(tree.Void, c.Types.Void, x)
	case types.StructKind:
		if !i.Type.Struct.Complete {
			c.Diags.Errorf(i.Pos, "the value of type '%s' cannot be used: the type is incomplete", i.Type).
				Range(i.From, i.To)
			return c.badAt(x)
		}
	case types.HalfKind:
		if !c.halfAllowed() {
			c.Diags.Errorf(i.Pos,
				"reading a value of type 'half' needs cl_khr_fp16; without it, vload_half reads halves").
				Range(i.From, i.To)
			return c.badAt(x)
		}
	}
	c.used(x)
	return c.convert(tree.Load, i.Type.Type, x)
}

// used notes that the variable which an lvalue is part of is read. Ident has noted what it could not know.
func (c *Checker) used(x tree.Expr) {
	if v := variableOf(x); v != nil {
		v.Used = true
	}
}

// variableOf returns the variable that an lvalue is, or is a part of without a pointer between; nil if there
// is none.
func variableOf(x tree.Expr) *tree.Var {
	for {
		switch n := x.(type) {
		case *tree.VarRef:
			return n.Var
		case *tree.Member:
			x = n.X
		case *tree.Swizzle:
			x = n.X
		case *tree.VectorIndex:
			x = n.X
		default:
			return nil
		}
	}
}

// functionUsed says that the name of a function stands where no call is.
func (c *Checker) functionUsed(x tree.Expr) tree.Expr {
	i := x.Info()
	name := ""
	switch n := x.(type) {
	case *tree.FuncRef:
		name = n.Func.Name
	case *overloads:
		name = n.fns.Name
	case *builtinRef:
		name = n.name
	}
	c.Diags.Errorf(i.Pos, "the function '%s' can only be called: OpenCL C has no pointers to functions", name).
		Range(i.From, i.To)
	return c.badAt(x)
}

// Condition turns the expression into a scalar value that a statement or operator tests. what says where it
// stands.
func (c *Checker) Condition(x tree.Expr, what string) tree.Expr {
	if isBad(x) {
		return x
	}
	c.warnCondition(x)
	x = c.Value(x)
	if i := x.Info(); !i.Type.IsScalar() && !isBad(x) {
		d := c.Diags.Errorf(i.Pos, "the condition of '%s' has type '%s'; it must be a number or a pointer", what,
			i.Type).
			Range(i.From, i.To)
		if i.Type.IsVector() {
			d.Note(i.Pos, "any() and all() test the components of a vector")
		}
		return c.badAt(x)
	}
	return x
}

// Switchable turns the expression into a promoted integer value.
func (c *Checker) Switchable(x tree.Expr) tree.Expr {
	x = c.Value(x)
	if isBad(x) {
		return x
	}
	i := x.Info()
	if !i.Type.IsInteger() {
		c.Diags.Errorf(i.Pos, "switch needs an integer, but this has type '%s'", i.Type).Range(i.From, i.To)
		return c.badAt(x)
	}
	if i.Type.Kind == types.BoolKind || knownBool(x) {
		c.Diags.Warnf("switch-bool", i.Pos, "the value that switch tests is never more than 1").Range(i.From, i.To)
	}
	return c.promote(x)
}

// Discard is the expression of an expression statement, or what stands before a comma.
func (c *Checker) Discard(x tree.Expr) tree.Expr {
	if isBad(x) {
		return x
	}
	switch x.Info().Type.Kind {
	case types.FunctionKind, types.BuiltinSet:
		return c.functionUsed(x)
	}
	c.warnUnusedValue(x)
	if i := x.Info(); i.LValue && !i.Type.IsArray() {
		// Volatile objects are read; reading others does no harm.
		if i.Type.Kind == types.StructKind && !i.Type.Struct.Complete || i.Type.Kind == types.HalfKind {
			return x
		}
		return c.Value(x)
	}
	return x
}
