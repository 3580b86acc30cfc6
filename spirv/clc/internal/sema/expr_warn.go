package sema

import (
	"math"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// knownBool reports whether an integer is 0 or 1 by the way it is computed.
func knownBool(x tree.Expr) bool {
	if x.Info().Type.Kind == types.BoolKind {
		return true
	}
	switch n := x.(type) {
	case *tree.Binary:
		return n.Op >= tree.Lt && n.Op <= tree.LogOr && !n.Type.IsVector()
	case *tree.Unary:
		return n.Op == tree.LogNot && !n.Type.IsVector()
	}
	return false
}

// bare returns an operation that is not in parentheses.
func bare(x tree.Expr) *tree.Binary {
	if n, ok := x.(*tree.Binary); ok && !n.Paren {
		return n
	}
	return nil
}

func isComparison(n *tree.Binary) bool { return n != nil && n.Op >= tree.Lt && n.Op <= tree.Ne }

// operation returns the operator of an operation that is not in parentheses, also if it has been computed.
func operation(x tree.Expr) (op tree.BinaryOp, ok bool) {
	if n := bare(x); n != nil {
		return n.Op, true
	}
	if i := x.Info(); i.Folded != 0 && i.Folded != tree.Computed && !i.Paren {
		return tree.BinaryOp(i.Folded - 1), true
	}
	return 0, false
}

// pureBuiltin reports whether calling a built-in function does nothing but give a result.
func pureBuiltin(n *tree.CallBuiltin) bool {
	switch n.Sig.Def.Emit.Kind {
	case builtin.Std, builtin.Relation, builtin.WorkItem:
	default:
		return false
	}
	for _, p := range n.Sig.Params {
		if p.IsPointer() {
			return false
		}
	}
	return true
}

var opText = [...]string{tree.Mul: "*", tree.Div: "/", tree.Rem: "%", tree.Add: "+", tree.Sub: "-",
	tree.Shl: "<<",
	tree.Shr: ">>", tree.And: "&", tree.Or: "|", tree.Xor: "^",
	tree.Lt: "<", tree.Gt: ">", tree.Le: "<=", tree.Ge: ">=",
	tree.Eq: "==", tree.Ne: "!=", tree.LogAnd: "&&", tree.LogOr: "||", tree.Comma: ",", tree.PtrAdd: "+",
	tree.PtrSub: "-", tree.PtrDiff: "-"}

// warnPrecedence warns of operators whose precedence people mistake.
func (c *Checker) warnPrecedence(op token.Kind, pos source.Pos, l, r tree.Expr) {
	a, aok := operation(l)
	b, bok := operation(r)
	if !aok && !bok {
		c.warnNot(op, l, r)
		return
	}
	compares := func(k tree.BinaryOp, ok bool) bool { return ok && k >= tree.Lt && k <= tree.Ne }
	first := func(flag string, k tree.BinaryOp, x tree.Expr) {
		i := x.Info()
		c.Diags.Warnf(flag, pos, "'%s' comes before '%s' here; parentheses would show what is meant", opText[k],
			op).
			Range(i.From, i.To)
	}
	either := func(flag string, is func(tree.BinaryOp) bool) {
		if aok && is(a) {
			first(flag, a, l)
		}
		if bok && is(b) {
			first(flag, b, r)
		}
	}
	switch op {
	case token.And, token.Or, token.Caret:
		// (a < b) & (c < d) without parentheses is what it looks like; a & b < c is not.
		switch x, y := compares(a, aok), compares(b, bok); {
		case x && !y && !knownBool(r):
			first("parentheses", a, l)
		case y && !x && !knownBool(l):
			first("parentheses", b, r)
		case op != token.And:
			either("bitwise-op-parentheses", func(k tree.BinaryOp) bool {
				return k == tree.And || k == tree.Xor && op == token.Or
			})
		}
	case token.OrOr:
		either("logical-op-parentheses", func(k tree.BinaryOp) bool { return k == tree.LogAnd })
	case token.Shl, token.Shr:
		either("shift-op-parentheses", func(k tree.BinaryOp) bool { return k == tree.Add || k == tree.Sub })
	}
	c.warnNot(op, l, r)
}

// warnNot warns of !a == b and !a & b.
func (c *Checker) warnNot(op token.Kind, l, r tree.Expr) {
	n, ok := l.(*tree.Unary)
	if !ok || n.Op != tree.LogNot || n.Paren || knownBool(r) {
		return
	}
	if op >= token.Lt && op <= token.NotEq || op == token.And {
		if n.X.Info().Type.IsVector() || knownBool(n.X) {
			return
		}
		c.Diags.Warnf("logical-not-parentheses", n.Pos, "'!' is for the left operand of '%s' alone", op).
			Range(n.From, n.To).Note(n.Pos,
			"parentheses around the comparison, or around the '!', would show what is meant")
	}
}

// sameLValue reports whether two expressions name the same object, as far as that can be seen.
func sameLValue(a, b tree.Expr) bool {
	for {
		switch x := a.(type) {
		case *tree.VarRef:
			y, ok := b.(*tree.VarRef)
			return ok && x.Var == y.Var
		case *tree.Member:
			y, ok := b.(*tree.Member)
			if !ok || x.Field != y.Field {
				return false
			}
			a, b = x.X, y.X
		case *tree.Unary:
			y, ok := b.(*tree.Unary)
			if !ok || x.Op != tree.Deref || y.Op != tree.Deref {
				return false
			}
			a, b = x.X, y.X
		case *tree.Convert:
			y, ok := b.(*tree.Convert)
			if !ok || x.Kind != y.Kind || x.Type.Type != y.Type.Type || x.Kind != tree.Load && x.Kind != tree.Decay {
				return false
			}
			a, b = x.X, y.X
		default:
			return false
		}
	}
}

// warnSelfCompare warns of comparisons whose result is always the same, and of those of strings.
func (c *Checker) warnSelfCompare(op token.Kind, pos source.Pos, l, r tree.Expr) {
	if pos.IsMacro() {
		return
	}
	li, ri := l.Info(), r.Info()
	_, ls := l.(*tree.StringLit)
	_, rs := r.(*tree.StringLit)
	null := func(x tree.Expr) bool { v, ok := truth(x); return ok && !v }
	switch {
	case ls && !null(r) || rs && !null(l):
		c.Diags.Warnf("string-compare", pos, "'%s' compares where strings are, not their characters", op).
			Range(li.From, ri.To)
	case li.LValue && ri.LValue && !li.Type.HasFloat() && li.Type.Q&types.Volatile == 0 && sameLValue(l, r):
		result := "false"
		if op == token.EqEq || op == token.Le || op == token.Ge {
			result = "true"
		}
		c.Diags.Warnf("tautological-compare", pos, "something is compared with itself: this is always %s", result).
			Range(li.From, ri.To)
	case li.Type.IsArray() && ri.Type.IsArray() && (op == token.EqEq ||
		op == token.NotEq) && li.LValue && ri.LValue:
		a, b := variableOf(l), variableOf(r)
		if a != nil && b != nil && a != b {
			c.Diags.Warnf("tautological-compare", pos, "the addresses of two arrays are compared: they always differ").
				Range(li.From, ri.To)
		}
	}
}

// warnNullCompare warns of a comparison with null of something that is never null.
func (c *Checker) warnNullCompare(op token.Kind, pos source.Pos, p tree.Expr) {
	if op != token.EqEq && op != token.NotEq || pos.IsMacro() {
		return
	}
	result := map[token.Kind]string{token.EqEq: "false", token.NotEq: "true"}[op]
	i := p.Info()
	switch n := p.(type) {
	case *tree.Convert:
		if v := variableOf(n.X); n.Kind == tree.Decay && v != nil {
			c.Diags.Warnf("tautological-pointer-compare", pos, "the array '%s' is never null: this is always %s",
				v.Name, result).
				Range(i.From, i.To)
		}
	case *tree.Unary:
		if v, ok := n.X.(*tree.VarRef); ok && n.Op == tree.Addr {
			c.Diags.Warnf("tautological-pointer-compare", pos, "the address of '%s' is never null: this is always %s",
				v.Var.Name,
				result).Range(i.From, i.To)
		}
	}
}

// warnFloatEqual is for -Wfloat-equal.
func (c *Checker) warnFloatEqual(op token.Kind, pos source.Pos, l, r tree.Expr) {
	if _, ok := l.(*tree.FloatLit); ok {
		l, r = r, l
	}
	if lit, ok := r.(*tree.FloatLit); ok && lit.Folded == 0 {
		// A number with few digits is exact, and can be meant so.
		unused := map[types.Kind]int{types.HalfKind: 42 + 4, types.FloatKind: 29 + 8,
			types.DoubleKind: 20}[lit.Type.Kind]
		if math.Float64bits(lit.Value)<<(64-unused) == 0 {
			return
		}
	}
	a, aok := l.(*tree.Convert)
	b, bok := r.(*tree.Convert)
	if aok && bok && a.Kind == tree.Load && sameLValue(a, b) {
		return // a test for what is not a number
	}
	c.Diags.Warnf("float-equal", pos, "'%s' of floating numbers depends on how they are rounded", op).
		Range(l.Info().From, r.Info().To)
}

// warnCompare warns of comparisons of integers with other signs, and with constants out of range. n compares
// what l and r have become.
func (c *Checker) warnCompare(op token.Kind, n *tree.Binary, l, r tree.Expr) {
	if !n.L.Info().Type.IsInteger() {
		return
	}
	if c.warnOutOfRange(op, n, l, r) {
		return
	}
	if !c.warnings().signCompare {
		return
	}
	t := n.L.Info().Type.Type
	if t.IsSigned() {
		return
	}
	signedSide := func(x, other tree.Expr) bool {
		xt := x.Info().Type.Type
		if !xt.IsSigned() {
			return false
		}
		if w, nonneg := intRange(x, 0); nonneg || w == 0 {
			return false
		}
		if op == token.EqEq || op == token.NotEq {
			// A value that the signed type has anyway compares as it should.
			if lit, ok := other.(*tree.IntLit); ok && truncate(lit.Value, c.Types.Signed(t)) == lit.Value {
				return false
			}
			if w, nonneg := intRange(other, 0); nonneg && w < t.Bits() {
				return false
			}
		}
		return true
	}
	if signedSide(l, r) || signedSide(r, l) {
		li, ri := l.Info(), r.Info()
		c.Diags.Warnf("sign-compare", n.Pos, "'%s' compares '%s' with '%s', which has no sign", op, li.Type,
			ri.Type).
			Range(li.From, ri.To)
	}
}

// warnOutOfRange warns of a comparison with a constant that the other operand never reaches.
func (c *Checker) warnOutOfRange(op token.Kind, n *tree.Binary, l, r tree.Expr) bool {
	lit, ok := n.R.(*tree.IntLit)
	x := l
	k := n.Op
	if !ok {
		if lit, ok = n.L.(*tree.IntLit); !ok {
			return false
		}
		x = r
		k = map[tree.BinaryOp]tree.BinaryOp{tree.Lt: tree.Gt, tree.Gt: tree.Lt, tree.Le: tree.Ge, tree.Ge: tree.Le,
			tree.Eq: tree.Eq, tree.Ne: tree.Ne}[k]
	}
	from, t := x.Info().Type.Type, lit.Type.Type
	if !from.IsInteger() || n.Pos.IsMacro() {
		return false
	}
	width, nonneg := from.Bits(), !from.IsSigned()
	flag := "tautological-constant-out-of-range-compare"
	switch {
	case knownBool(x):
		width, nonneg = 1, true
	default:
		if w, field := bitField(x); field {
			width = w
		}
	}
	if nonneg && lit.Value == 0 && !t.IsSigned() || nonneg && lit.Value == 0 && width < 64 {
		// x < 0 and x >= 0 of something without a sign.
		if k != tree.Lt && k != tree.Ge {
			return false
		}
		flag = "tautological-unsigned-zero-compare"
		if width == 1 {
			flag = "tautological-constant-compare"
		}
		return c.warnTautology(flag, op, n, lit, x, k == tree.Ge)
	}
	if width >= t.Bits() || !nonneg && !t.IsSigned() {
		return false
	}
	v := int64(lit.Value)
	low, high := int64(-1)<<(width-1), int64(1)<<(width-1)-1
	if nonneg {
		low, high = 0, int64(1)<<width-1
	}
	huge := !t.IsSigned() && v < 0
	var result bool
	switch {
	case huge || v > high:
		result = k == tree.Lt || k == tree.Le || k == tree.Ne
	case v < low:
		result = k == tree.Gt || k == tree.Ge || k == tree.Ne
	default:
		return false
	}
	return c.warnTautology(flag, op, n, lit, x, result)
}

func (c *Checker) warnTautology(flag string, op token.Kind, n *tree.Binary, lit *tree.IntLit, x tree.Expr,
	result bool) bool {
	word := map[bool]string{true: "true", false: "false"}[result]
	c.Diags.Warnf(flag, n.Pos, "'%s' of '%s' and the constant %s is always %s", op, x.Info().Type.Unqual(),
		formatInt(lit.Value, lit.Type.Type), word).Range(n.From, n.To)
	return true
}

// warnSelfAssign warns of a variable that is assigned to itself.
func (c *Checker) warnSelfAssign(pos source.Pos, l, r tree.Expr) {
	if pos.IsMacro() {
		return
	}
	li, ri := l.Info(), r.Info()
	if li.Type.Q&types.Volatile != 0 || !ri.LValue || !sameLValue(l, r) {
		return
	}
	if n, ok := l.(*tree.VarRef); ok {
		c.Diags.Warnf("self-assign", pos, "the variable '%s' is assigned to itself", n.Var.Name).Range(li.From,
			ri.To)
	}
}

// warnCondition warns of conditions that look like a slip.
func (c *Checker) warnCondition(x tree.Expr) {
	i := x.Info()
	switch n := x.(type) {
	case *tree.Assign:
		if !n.Paren {
			c.Diags.Warnf("parentheses", n.Pos, "an assignment is used as a condition").Range(n.From, n.To).
				Note(n.Pos, "'==' compares; parentheses around the assignment show that it is meant")
		}
	case *tree.CompoundAssign:
		if !n.Paren && n.Op == tree.Or {
			c.Diags.Warnf("parentheses", n.Pos, "an assignment is used as a condition").Range(n.From, n.To).
				Note(n.Pos, "'!=' compares; parentheses around the assignment show that it is meant")
		}
	case *tree.Binary:
		if n.Paren && n.Op == tree.Eq && !i.From.IsMacro() && n.L.Info().Type.Kind != types.Invalid && loads(n.L) {
			c.Diags.Warnf("parentheses-equality", n.Pos, "the parentheses around the comparison are superfluous").
				Range(n.From, n.To).Note(n.Pos, "'=' would be an assignment, without the parentheses a comparison")
		}
	}
}

// loads reports whether a value is that of a variable.
func loads(x tree.Expr) bool {
	v, ok := x.(*tree.Convert)
	return ok && (v.Kind == tree.Load || loads(v.X))
}

// warnConditional warns of a + b < c ? d : e, where the condition is a sum and a comparison.
func (c *Checker) warnConditional(pos source.Pos, q tree.Expr) {
	n := bare(q)
	if n == nil || n.Op > tree.Xor {
		return
	}
	if r := n.R; r.Info().Type.IsVector() || !knownBool(unconverted(r)) {
		return
	}
	c.Diags.Warnf("parentheses", pos, "'%s' comes before '?:' here; parentheses would show what is meant",
		opText[n.Op]).
		Range(n.From, n.To)
}

// unconverted returns an operand before it was converted.
func unconverted(x tree.Expr) tree.Expr {
	if v, ok := x.(*tree.Convert); ok && !v.Explicit && v.Kind == tree.Integer {
		return v.X
	}
	return x
}

// warnCommaLeft warns of what stands in front of a comma and does nothing.
func (c *Checker) warnCommaLeft(x tree.Expr) {
	if isBad(x) {
		return
	}
	if culprit, flag, why := c.useless(x, 0); culprit != nil {
		i := culprit.Info()
		if flag == "unused-value" {
			why = "the left operand of ',' does nothing"
		}
		c.Diags.Warnf(flag, i.Pos, "%s", why).Range(i.From, i.To)
	}
}

// warnUnusedValue warns of an expression statement that does nothing.
func (c *Checker) warnUnusedValue(x tree.Expr) {
	if culprit, flag, why := c.useless(x, 0); culprit != nil {
		i := culprit.Info()
		c.Diags.Warnf(flag, i.Pos, "%s", why).Range(i.From, i.To)
	}
}

// useless returns the part of an expression whose value is not used though it does nothing else; nil if there
// is none.
func (c *Checker) useless(x tree.Expr, depth int) (culprit tree.Expr, flag, why string) {
	const plain = "the value is not used"
	if depth > 64 {
		return nil, "", ""
	}
	i := x.Info()
	if i.From.IsMacro() && depth == 0 || i.Type.Kind == types.VoidKind || i.Type.Kind == types.Invalid {
		return nil, "", ""
	}
	switch n := x.(type) {
	case *tree.Assign, *tree.CompoundAssign, *tree.StmtExpr, *tree.Bad:
		return nil, "", ""
	case *tree.Call:
		switch {
		case n.Func.Attrs.MustUse:
			return x, "unused-result", "the result of '" + n.Func.Name + "' is not used"
		case n.Func.Attrs.Pure || n.Func.Attrs.ConstFn:
			return x, "unused-value", "the call of '" + n.Func.Name + "' does nothing, and its result is not used"
		}
		return nil, "", ""
	case *tree.CallBuiltin:
		if n.Sig.Def == nil || !pureBuiltin(n) {
			return nil, "", ""
		}
		return x, "unused-value", "the call of '" + n.Sig.Name + "' does nothing, and its result is not used"
	case *tree.Unary:
		if n.Op >= tree.PreInc || n.Op == tree.Deref && n.Type.Q&types.Volatile != 0 {
			return nil, "", ""
		}
	case *tree.Binary:
		switch {
		case n.Op == tree.Comma:
			return c.useless(n.R, depth+1)
		case n.Op == tree.LogAnd || n.Op == tree.LogOr:
			// The left operand decides whether the right one is evaluated, which may do something.
			if k, _, _ := c.useless(n.R, depth+1); k == nil {
				return nil, "", ""
			}
		case isComparison(n):
			return x, "unused-comparison", "the result of the comparison is not used"
		}
	case *tree.Cond:
		a, flag, why := c.useless(n.A, depth+1)
		b, _, _ := c.useless(n.B, depth+1)
		if a == nil || b == nil {
			return nil, "", ""
		}
		return x, flag, why
	case *tree.Convert:
		if !n.Explicit {
			if n.Kind == tree.Load && n.X.Info().Type.Q&types.Volatile != 0 {
				return nil, "", ""
			}
			return c.useless(n.X, depth+1)
		}
		if n.Kind == tree.Void {
			return nil, "", ""
		}
	}
	if i.LValue && i.Type.Q&types.Volatile != 0 {
		return nil, "", ""
	}
	return x, "unused-value", plain
}

// warnNeverNull warns of an address that becomes a bool: it is always true.
func (c *Checker) warnNeverNull(p tree.Expr) {
	i := p.Info()
	switch n := p.(type) {
	case *tree.Convert:
		if v := variableOf(n.X); n.Kind == tree.Decay && v != nil {
			c.Diags.Warnf("pointer-bool-conversion", i.Pos, "the array '%s' is never null: this is always true",
				v.Name).
				Range(i.From, i.To)
		}
	case *tree.Unary:
		if v, ok := n.X.(*tree.VarRef); ok && n.Op == tree.Addr {
			c.Diags.Warnf("pointer-bool-conversion", i.Pos, "the address of '%s' is never null: this is always true",
				v.Var.Name).
				Range(i.From, i.To)
		}
	}
}
