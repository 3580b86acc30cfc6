package parse

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/sema"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Precedences of operators with two operands.
const (
	precComma uint8 = iota + 1
	precAssign
	precCond
	precLogOr
	precLogAnd
	precOr
	precXor
	precAnd
	precEqual
	precLess
	precShift
	precAdd
	precMul
)

// precedence has the precedence of each operator, 0 for tokens that are none.
var precedence = [token.NumKinds]uint8{
	token.Comma:  precComma,
	token.Assign: precAssign, token.MulAssign: precAssign, token.DivAssign: precAssign, token.RemAssign: precAssign,
	token.AddAssign: precAssign, token.SubAssign: precAssign, token.ShlAssign: precAssign, token.ShrAssign: precAssign,
	token.AndAssign: precAssign, token.XorAssign: precAssign, token.OrAssign: precAssign,
	token.Question: precCond,
	token.OrOr:     precLogOr, token.AndAnd: precLogAnd, token.Or: precOr, token.Caret: precXor, token.And: precAnd,
	token.EqEq: precEqual, token.NotEq: precEqual,
	token.Lt: precLess, token.Gt: precLess, token.Le: precLess, token.Ge: precLess,
	token.Shl: precShift, token.Shr: precShift,
	token.Plus: precAdd, token.Minus: precAdd,
	token.Star: precMul, token.Slash: precMul, token.Percent: precMul,
}

// expr reads an expression, commas included.
func (p *parser) expr() tree.Expr { return p.operators(p.unary(), precComma) }

// assignment reads an expression without commas.
func (p *parser) assignment() tree.Expr { return p.operators(p.unary(), precAssign) }

// constant reads an expression that is to be constant: without commas and assignments.
func (p *parser) constant() tree.Expr { return p.operators(p.unary(), precCond) }

// operators reads what stands behind an operand: operators of precedence least and above, with their operands.
func (p *parser) operators(left tree.Expr, least uint8) tree.Expr {
	for n := 1; ; n++ {
		prec := precedence[p.tok.Kind]
		if prec < least || prec == 0 || p.long(n) {
			return left
		}
		op, pos := p.tok.Kind, p.tok.Pos
		p.next()
		switch prec {
		case precCond:
			left = p.conditional(left, pos)
			continue
		case precAssign:
			ops := p.ops
			p.deeper()
			right := p.operators(p.unary(), precAssign)
			p.ops = ops
			left = p.c.Assign(op, pos, left, right)
			continue
		}
		right := p.unary()
		if precedence[p.tok.Kind] > prec {
			right = p.operators(right, prec+1)
		}
		left = p.c.Binary(op, pos, left, right)
	}
}

// conditional reads what stands behind the question mark.
func (p *parser) conditional(cond tree.Expr, question source.Pos) tree.Expr {
	var a tree.Expr
	ops := p.ops
	p.deeper()
	if p.tok.Kind != token.Colon {
		a = p.expr()
	}
	colon := p.tok.Pos
	if p.tok.Kind == token.Colon {
		p.next()
	} else {
		p.errorf(p.tok.Pos, "expected ':'").Note(question, "to match this '?'")
		p.ops = ops
		return p.c.Bad(cond.Info().From, p.prevEnd)
	}
	b := p.operators(p.unary(), precCond)
	p.ops = ops
	return p.c.Conditional(question, colon, cond, a, b)
}

// isType reports whether a token begins the name of a type.
func (p *parser) isType(t *token.Token) bool {
	switch t.Kind {
	case token.Ident:
		return p.c.IsType(t.Name)
	case token.Const, token.Volatile, token.Restrict, token.Void, token.CharKw, token.Short, token.IntKw, token.Long,
		token.Signed, token.Unsigned, token.FloatKw, token.Double, token.Half, token.Bool, token.Struct, token.Union,
		token.Enum, token.Global, token.Local, token.Constant, token.Private, token.Generic, token.ReadOnly,
		token.WriteOnly, token.ReadWrite, token.Pipe, token.Typeof, token.Complex, token.Imaginary:
		return true
	}
	return false
}

// unary reads an operand: prefix operators and casts with what they apply to.
func (p *parser) unary() tree.Expr {
	pos := p.tok.Pos
	switch k := p.tok.Kind; k {
	case token.Ident, token.Int, token.Float:
		return p.postfix(p.primary())
	case token.LParen:
		return p.parenthesis()
	case token.Inc, token.Dec:
		p.next()
		return p.c.IncDec(k, pos, true, p.operand())
	case token.And, token.Star, token.Plus, token.Minus, token.Tilde, token.Not:
		p.next()
		return p.c.Unary(k, pos, p.operand())
	case token.Sizeof:
		return p.sizeof()
	case token.Alignof:
		return p.alignof()
	case token.Extension:
		p.next()
		return p.operand()
	case token.AndAnd:
		p.errorf(pos, "addresses of labels are not supported in OpenCL C")
		return p.c.Bad(pos, p.tok.End())
	}
	return p.postfix(p.primary())
}

// operand reads the operand of a prefix operator.
func (p *parser) operand() tree.Expr {
	ops := p.ops
	p.deeper()
	x := p.unary()
	p.ops = ops
	return x
}

// parenthesis reads what begins with a parenthesis: an expression in parentheses, a cast, a literal of a vector, a
// compound literal, or a statement expression.
func (p *parser) parenthesis() tree.Expr {
	ahead := p.peek()
	if ahead.Kind == token.LBrace {
		return p.postfix(p.stmtExpr())
	}
	if !p.isType(ahead) {
		ops := p.ops
		p.ops = 0
		lparen := p.open()
		x := p.expr()
		rparen := p.close(token.RParen, token.LParen, lparen)
		p.ops = ops
		return p.postfix(p.c.Paren(lparen, x, rparen))
	}
	lparen := p.open()
	t := p.typeName()
	rparen := p.close(token.RParen, token.LParen, lparen)
	switch {
	case p.failed:
		return p.c.Bad(lparen, p.prevEnd)
	case p.tok.Kind == token.LBrace:
		return p.postfix(p.compound(lparen, t))
	case p.tok.Kind == token.LParen && t.IsVector() && p.isType(p.peek()):
		// (float4)(int)x is a cast of a cast, but what stands behind belongs to the whole.
		return p.postfix(p.c.Cast(lparen, t, rparen, p.operand()))
	case p.tok.Kind == token.LParen && t.IsVector():
		return p.postfix(p.vectorLiteral(lparen, t, rparen))
	}
	return p.c.Cast(lparen, t, rparen, p.operand())
}

// vectorLiteral reads the components of (float4)(a, b, c, d).
func (p *parser) vectorLiteral(lparen source.Pos, t types.Qual, rparen source.Pos) tree.Expr {
	ops := p.ops
	p.ops = 0
	inner := p.open()
	mark := len(p.exprs)
	if p.tok.Kind != token.RParen {
		p.exprList()
	} else {
		p.errorf(p.tok.Pos, "expected expression")
	}
	end := p.close(token.RParen, token.LParen, inner)
	p.ops = ops
	elems := p.cutExprs(mark)
	if p.failed || len(elems) == 0 {
		return p.c.Bad(lparen, p.prevEnd)
	}
	return p.c.VectorLiteral(lparen, t, rparen, elems, p.c.Files.End(end, 1))
}

// exprList pushes expressions, separated by commas, onto the stack.
func (p *parser) exprList() {
	for {
		p.exprs = append(p.exprs, p.assignment())
		if p.tok.Kind != token.Comma || p.failed {
			return
		}
		p.next()
	}
}

// compound reads the braces of a compound literal.
func (p *parser) compound(lparen source.Pos, t types.Qual) tree.Expr {
	in := p.initList()
	if p.failed {
		return p.c.Bad(lparen, p.prevEnd)
	}
	return p.c.CompoundLiteral(lparen, t, in)
}

// stmtExpr reads ({ ... }).
func (p *parser) stmtExpr() tree.Expr {
	lparen := p.open()
	if !p.c.InFunction() {
		p.errorf(lparen, "statement expression not allowed at file scope")
		p.skipBraces()
		p.close(token.RParen, token.LParen, lparen)
		p.failed = false
		return p.c.Bad(lparen, p.prevEnd)
	}
	ops, valueAt := p.ops, p.valueAt
	p.ops, p.valueAt = 0, p.nesting+1
	x := p.block(true)
	p.valueAt = valueAt
	rparen := p.close(token.RParen, token.LParen, lparen)
	p.ops = ops
	return p.c.StmtExpr(lparen, x, rparen)
}

// primary reads an operand without prefix and postfix operators.
func (p *parser) primary() tree.Expr {
	t := p.tok
	switch t.Kind {
	case token.Ident:
		p.next()
		if p.tok.Kind == token.LParen {
			switch t.Name.Text {
			case "vec_step":
				if p.c.Lookup(t.Name) == nil {
					return p.vecStep(&t)
				}
			default:
				if x := p.ofC(&t); x != nil {
					return x
				}
			}
			return p.c.Ident(t, true)
		}
		return p.c.Ident(t, false)
	case token.Int:
		p.next()
		return p.c.IntConst(t)
	case token.Float:
		p.next()
		return p.c.FloatConst(t)
	case token.Char:
		p.next()
		return p.c.CharConst(t)
	case token.String:
		return p.c.StringConst(p.strings())
	case token.LParen:
		lparen := p.open()
		x := p.expr()
		return p.c.Paren(lparen, x, p.close(token.RParen, token.LParen, lparen))
	case token.Caret:
		p.errorf(t.Pos, "blocks are not supported: there is no device-side enqueue")
		return p.c.Bad(t.Pos, t.End())
	case token.GenericSelection:
		return p.generic()
	}
	p.errorf(t.Pos, "expected expression")
	return p.c.Bad(t.Pos, t.End())
}

// strings reads string literals that stand next to each other.
func (p *parser) strings() []token.Token {
	var list []token.Token
	for p.tok.Kind == token.String {
		list = append(list, p.tok)
		p.next()
	}
	return list
}

// postfix reads the operators behind an operand.
func (p *parser) postfix(x tree.Expr) tree.Expr {
	for n := 1; ; n++ {
		pos := p.tok.Pos
		switch k := p.tok.Kind; k {
		case token.LBrack:
			ops := p.ops
			p.ops = 0
			p.open()
			i := p.expr()
			rbrack := p.close(token.RBrack, token.LBrack, pos)
			p.ops = ops
			x = p.c.Index(x, i, pos, rbrack)
		case token.LParen:
			x = p.call(x)
		case token.Dot, token.Arrow:
			p.next()
			name := p.tok
			if name.Kind != token.Ident {
				p.errorf(name.Pos, "expected identifier")
				return p.c.Bad(x.Info().From, p.prevEnd)
			}
			p.next()
			x = p.c.Member(x, k == token.Arrow, pos, name)
		case token.Inc, token.Dec:
			p.next()
			x = p.c.IncDec(k, pos, false, x)
		default:
			return x
		}
		if p.long(n) {
			return x
		}
	}
}

// call reads the arguments of a call.
func (p *parser) call(f tree.Expr) tree.Expr {
	ops := p.ops
	p.ops = 0
	lparen := p.open()
	mark := len(p.exprs)
	if p.tok.Kind != token.RParen {
		p.exprList()
	}
	rparen := p.close(token.RParen, token.LParen, lparen)
	p.ops = ops
	args := p.cutExprs(mark)
	if p.failed {
		if p.recoverTo(token.RParen) { // go on behind the call, so that what follows is looked at
			p.next()
		} else {
			p.failed = true
		}
		return p.c.Bad(f.Info().From, p.prevEnd)
	}
	return p.c.Call(f, lparen, args, rparen)
}

// sizeof reads sizeof with a type in parentheses or an expression.
func (p *parser) sizeof() tree.Expr {
	pos := p.tok.Pos
	p.next()
	if p.tok.Kind == token.LParen && p.isType(p.peek()) {
		lparen := p.open()
		t := p.typeName()
		p.close(token.RParen, token.LParen, lparen)
		if p.failed {
			return p.c.Bad(pos, p.prevEnd)
		}
		if p.tok.Kind == token.LBrace {
			x := p.postfix(p.compound(lparen, t))
			return p.c.SizeofExpr(pos, x, p.prevEnd)
		}
		return p.c.SizeofType(pos, t, p.prevEnd)
	}
	p.c.StartUnevaluated()
	x := p.operand()
	p.c.EndUnevaluated()
	return p.c.SizeofExpr(pos, x, p.prevEnd)
}

// alignof reads __alignof__ with a type in parentheses or an expression.
func (p *parser) alignof() tree.Expr {
	pos := p.tok.Pos
	p.next()
	if p.tok.Kind == token.LParen && p.isType(p.peek()) {
		lparen := p.open()
		t := p.typeName()
		p.close(token.RParen, token.LParen, lparen)
		if p.failed {
			return p.c.Bad(pos, p.prevEnd)
		}
		return p.c.AlignofType(pos, t, p.prevEnd)
	}
	p.c.StartUnevaluated()
	x := p.operand()
	p.c.EndUnevaluated()
	return p.c.AlignofExpr(pos, x, p.prevEnd)
}

// vecStep reads the operand of vec_step: a type or an expression.
func (p *parser) vecStep(t *token.Token) tree.Expr {
	lparen := p.open()
	if p.isType(&p.tok) {
		q := p.typeName()
		p.close(token.RParen, token.LParen, lparen)
		if p.failed {
			return p.c.Bad(t.Pos, p.prevEnd)
		}
		return p.c.VecStep(t.Pos, q, nil, p.prevEnd)
	}
	p.c.StartUnevaluated()
	x := p.expr()
	p.c.EndUnevaluated()
	p.close(token.RParen, token.LParen, lparen)
	return p.c.VecStep(t.Pos, types.Qual{}, x, p.prevEnd)
}

// offsetof reads the operands of __builtin_offsetof: a type, and a member's name.
func (p *parser) offsetof(t *token.Token) tree.Expr {
	lparen := p.open()
	q := p.typeName()
	p.expect(token.Comma)
	x := p.c.StartOffset(t.Pos, q)
	name := p.tok
	if name.Kind == token.Ident {
		p.next()
		x = p.c.Member(x, false, name.Pos, name)
		x = p.postfix(x)
	} else {
		p.errorf(name.Pos, "expected identifier")
	}
	p.close(token.RParen, token.LParen, lparen)
	if p.failed {
		return p.c.Bad(t.Pos, p.prevEnd)
	}
	return p.c.Offset(t.Pos, x, p.prevEnd)
}

// generic reads _Generic(x, type: a, default: b).
func (p *parser) generic() tree.Expr {
	pos := p.tok.Pos
	p.next()
	if p.tok.Kind != token.LParen {
		p.errorf(p.tok.Pos, "expected '('")
		return p.c.Bad(pos, p.prevEnd)
	}
	lparen := p.open()
	p.c.StartUnevaluated()
	x := p.assignment()
	p.c.EndUnevaluated()
	g := p.c.StartGeneric(pos, x)
	for p.tok.Kind == token.Comma {
		p.next()
		var t types.Qual
		at := p.tok.Pos
		if !p.accept(token.Default) {
			t = p.typeName()
		}
		p.expect(token.Colon)
		if p.failed {
			break
		}
		p.c.Association(g, at, t, p.assignment())
	}
	p.close(token.RParen, token.LParen, lparen)
	if p.failed {
		return p.c.Bad(pos, p.prevEnd)
	}
	return p.c.FinishGeneric(g, p.prevEnd)
}

// initializer reads what stands behind the = of a declaration.
func (p *parser) initializer() *sema.Init {
	if p.tok.Kind == token.LBrace {
		return p.initList()
	}
	x := p.assignment()
	p.init = sema.Init{X: x}
	return &p.init
}

// initList reads an initializer in braces.
func (p *parser) initList() *sema.Init {
	in := &sema.Init{Pos: p.open()}
	for p.tok.Kind != token.RBrace && p.tok.Kind != token.EOF {
		var e sema.InitElem
		if k := p.tok.Kind; k == token.Dot || k == token.LBrack {
			e.Desig = p.designators()
		} else if k == token.Ident && p.peek().Kind == token.Colon {
			// name: value, the old form of .name = value.
			e.Desig = []sema.Designator{{Name: p.tok.Name, Pos: p.tok.Pos, End: p.tok.End()}}
			p.next()
			p.next()
		}
		if p.failed {
			break
		}
		if p.tok.Kind == token.LBrace {
			e.List = p.initList()
		} else {
			e.X = p.assignment()
		}
		in.List = append(in.List, e)
		if p.tok.Kind != token.Comma || p.failed {
			break
		}
		p.next()
	}
	p.close(token.RBrace, token.LBrace, in.Pos)
	if p.failed && p.recoverTo(token.RBrace) {
		p.next()
		p.failed = true
	}
	in.End = p.prevEnd
	return in
}

// designators reads .a[3].b = in front of an element.
func (p *parser) designators() []sema.Designator {
	var list []sema.Designator
	for {
		d := sema.Designator{Pos: p.tok.Pos}
		switch p.tok.Kind {
		case token.Dot:
			p.next()
			if p.tok.Kind != token.Ident {
				p.errorf(p.tok.Pos, "expected a field designator, such as '.field = 4'")
				return list
			}
			d.Name, d.Pos = p.tok.Name, p.tok.Pos
			p.next()
		case token.LBrack:
			lbrack := p.open()
			d.Low = p.constant()
			if p.accept(token.Ellipsis) {
				d.High = p.constant()
			}
			p.close(token.RBrack, token.LBrack, lbrack)
		case token.Assign:
			p.next()
			return list
		default:
			if len(list) == 1 && list[0].Name == nil {
				return list // [3] value, an old form of GNU C
			}
			p.errorf(p.tok.Pos, "expected '=' or another designator")
			return list
		}
		if p.failed {
			return list
		}
		d.End = p.prevEnd
		list = append(list, d)
		if p.long(len(list) * (maxChain / maxNesting)) {
			return list
		}
	}
}
