package parse

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/sema"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// block reads { ... }. scope says that it is a scope of its own; that of a function's parameters is also that of the
// body.
func (p *parser) block(scope bool) *tree.Block {
	contract := p.c.Contract()
	lbrace := p.open()
	if scope {
		p.c.PushScope()
	}
	mark := len(p.stmts)
	for p.tok.Kind == token.Pragma && !sema.IsLoopPragma(p.tok.Text) {
		p.c.Pragma(p.tok.Text, p.tok.Pos, true)
		p.next()
	}
	for p.tok.Kind != token.RBrace && p.tok.Kind != token.EOF {
		if s := p.item(); s != nil {
			p.stmts = append(p.stmts, s)
		}
	}
	end := p.tok.Pos
	list := p.cutStmts(mark)
	b := p.c.Block(lbrace, end, list)
	if scope {
		p.c.PopScope()
	}
	p.close(token.RBrace, token.LBrace, lbrace)
	p.c.SetContract(contract)
	return b
}

// item reads a statement or a declaration. It returns nil for declarations of no variables.
func (p *parser) item() tree.Stmt {
	if p.diags.Stopped() {
		p.stop()
		return nil
	}
	if p.isDeclaration() {
		return p.declaration("at end of declaration", nil)
	}
	switch p.tok.Kind {
	case token.StaticAssert:
		p.staticAssert()
		return nil
	case token.Pragma:
		if !sema.IsLoopPragma(p.tok.Text) {
			p.c.Pragma(p.tok.Text, p.tok.Pos, false)
			p.next()
			return nil
		}
	case token.Extension:
		p.next()
		return p.item()
	}
	return p.statement()
}

// isDeclaration reports whether a declaration begins.
func (p *parser) isDeclaration() bool {
	switch p.tok.Kind {
	case token.Typedef, token.Extern, token.Static, token.Auto, token.Register, token.Inline, token.Noreturn:
		return true
	case token.Ident:
		if p.c.IsType(p.tok.Name) {
			return p.peek().Kind != token.Colon
		}
		return p.peek().Kind == token.Ident // an unknown type
	}
	return p.isType(&p.tok)
}

// declaration reads a declaration in a function; after says what ends it.
func (p *parser) declaration(after string, attrs []sema.Attr) tree.Stmt {
	pos := p.tok.Pos
	var s sema.Spec
	s.Attrs = attrs
	p.specs(&s)
	p.c.FinishSpec(&s)
	if p.tok.Kind == token.Semi && !p.failed {
		p.c.EmptyDeclaration(&s)
		p.next()
		return nil
	}
	first := len(p.vars)
	for !p.failed {
		mark := len(p.chunks)
		var d sema.Declarator
		p.declarator(&d, named)
		if p.failed {
			p.chunks = p.chunks[:mark]
			break
		}
		if p.tok.Kind == token.LBrace && d.Function() != nil {
			p.errorf(p.tok.Pos, "function definition is not allowed here")
			p.skipBraces()
			p.failed = false
			p.chunks = p.chunks[:mark]
			p.cutVars(first)
			return nil
		}
		p.declare(&s, &d, true)
		p.chunks = p.chunks[:mark]
		if !p.accept(token.Comma) {
			break
		}
	}
	vars := p.cutVars(first)
	p.semi(after)
	if vars == nil {
		return nil
	}
	return p.c.DeclStmt(pos, vars)
}

// statement reads a statement.
func (p *parser) statement() tree.Stmt {
	pos := p.tok.Pos
	switch p.tok.Kind {
	case token.LBrace:
		return p.block(true)
	case token.Semi:
		p.next()
		return &tree.Null{At: tree.At{Pos: pos}}
	case token.If:
		return p.ifs()
	case token.For:
		return p.forLoop(0)
	case token.While:
		return p.whileLoop(0)
	case token.Do:
		return p.doLoop(0)
	case token.Switch:
		return p.switches()
	case token.Case, token.Default:
		return p.labels()
	case token.Break:
		p.next()
		s := p.c.Break(pos)
		p.semi("after break statement")
		return s
	case token.Continue:
		p.next()
		s := p.c.Continue(pos)
		p.semi("after continue statement")
		return s
	case token.Goto:
		return p.gotos()
	case token.Return:
		p.next()
		var x tree.Expr
		if p.tok.Kind != token.Semi {
			x = p.expr()
		}
		s := p.c.Return(pos, x)
		p.semi("after return statement")
		return s
	case token.Pragma, token.Attribute:
		return p.annotated()
	case token.Ident:
		if p.peek().Kind == token.Colon {
			return p.labels()
		}
	case token.Asm:
		p.errorf(pos, "'%s' is not supported in OpenCL C", p.tok.Name.Text)
		p.recover()
		return &tree.Null{At: tree.At{Pos: pos}}
	case token.Else:
		p.errorf(pos, "expected expression")
		p.next()
		p.failed = false
		return p.statement()
	}
	if p.isDeclaration() {
		p.errorf(pos, "expected expression: a declaration may not stand here without braces around it")
		p.failed = false
		if s := p.declaration("at end of declaration", nil); s != nil {
			return s
		}
		return &tree.Null{At: tree.At{Pos: pos}}
	}
	x := p.expr()
	if p.failed && p.tok.Kind != token.Semi && p.tok.Kind != token.RBrace && p.tok.Pos == pos {
		p.next() // what begins no statement
	}
	p.semi("after expression")
	if p.valueAt == p.nesting && p.tok.Kind == token.RBrace {
		return p.c.ValueStmt(pos, x)
	}
	return p.c.ExprStmt(pos, x)
}

// condition reads the expression in parentheses behind if, while and switch.
func (p *parser) condition(what string) tree.Expr {
	if p.tok.Kind != token.LParen {
		p.errorf(p.tok.Pos, "expected '(' after '%s'", what)
		return p.c.Bad(p.tok.Pos, p.tok.Pos)
	}
	lparen := p.open()
	x := p.expr()
	p.closeHead(lparen)
	return x
}

// closeHead reads the parenthesis that ends the head of a statement. If it is missing, the body is read all the same.
func (p *parser) closeHead(lparen source.Pos) {
	p.close(token.RParen, token.LParen, lparen)
	if !p.failed || p.stopped {
		return
	}
	if p.tok.Kind == token.LBrace {
		p.failed = false
	} else if p.recoverTo(token.RParen, token.LBrace) {
		p.accept(token.RParen)
	}
}

// body reads the statement that belongs to another one.
func (p *parser) body() tree.Stmt {
	if p.failed {
		pos := p.tok.Pos
		p.recover()
		return &tree.Null{At: tree.At{Pos: pos}}
	}
	if p.tok.Kind == token.RBrace || p.tok.Kind == token.EOF {
		p.errorf(p.tok.Pos, "expected statement")
		p.failed = false
		return &tree.Null{At: tree.At{Pos: p.tok.Pos}}
	}
	valueAt := p.valueAt
	p.valueAt = 0
	p.bodies++
	if p.bodies > maxBodies && !p.stopped {
		p.diags.Fatalf(p.tok.Pos, "statements are nested more than %d levels deep", maxBodies)
		p.stop()
	}
	s := p.statement()
	p.bodies--
	p.valueAt = valueAt
	return s
}

// ifs reads an if statement. A chain of else if is read without recursion.
func (p *parser) ifs() tree.Stmt {
	type link struct {
		pos, els source.Pos
		cond     tree.Expr
		then     tree.Stmt
	}
	var buf [4]link
	chain := buf[:0]
	var last tree.Stmt
	for {
		l := link{pos: p.tok.Pos}
		p.next()
		l.cond = p.c.Condition(p.condition("if"), "if")
		l.then = p.body()
		if p.tok.Kind != token.Else {
			chain = append(chain, l)
			break
		}
		l.els = p.tok.Pos
		p.next()
		chain = append(chain, l)
		if p.tok.Kind != token.If {
			last = p.body()
			break
		}
		if p.long(len(chain) * 2) {
			break
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		l := &chain[i]
		last = p.c.If(l.pos, l.cond, l.then, last, l.els)
	}
	return last
}

// forLoop reads a for statement.
func (p *parser) forLoop(unroll int64) tree.Stmt {
	l := p.c.Unit.Arena.Loops.Next()
	*l = tree.Loop{At: tree.At{Pos: p.tok.Pos}, For: true, Unroll: unroll}
	p.next()
	if p.tok.Kind != token.LParen {
		p.errorf(p.tok.Pos, "expected '(' after 'for'")
		p.recover()
		return l
	}
	p.c.PushScope()
	lparen := p.open()
	switch {
	case p.tok.Kind == token.Semi:
		p.next()
	case p.isDeclaration():
		l.Init = p.declaration("in 'for' statement specifier", nil)
		p.c.ForInit(l.Init)
	default:
		pos := p.tok.Pos
		l.Init = p.c.ExprStmt(pos, p.expr())
		p.forSemi()
	}
	if p.tok.Kind != token.Semi && !p.failed {
		l.Cond = p.c.Condition(p.expr(), "for")
	}
	p.forSemi()
	if p.tok.Kind != token.RParen && !p.failed {
		l.Post = p.c.Discard(p.expr())
	}
	p.closeHead(lparen)
	p.c.StartLoop()
	l.Body = p.body()
	p.c.FinishLoop()
	l.End = p.prevEnd
	p.c.PopScope()
	return l
}

// forSemi reads a semicolon in the head of a for statement.
func (p *parser) forSemi() {
	if p.tok.Kind != token.Semi {
		p.errorf(p.tok.Pos, "expected ';' in 'for' statement specifier")
		return
	}
	p.next()
}

// whileLoop reads a while statement.
func (p *parser) whileLoop(unroll int64) tree.Stmt {
	l := p.c.Unit.Arena.Loops.Next()
	*l = tree.Loop{At: tree.At{Pos: p.tok.Pos}, Unroll: unroll}
	p.next()
	l.Cond = p.c.Condition(p.condition("while"), "while")
	p.c.StartLoop()
	l.Body = p.body()
	p.c.FinishLoop()
	l.End = p.prevEnd
	return l
}

// doLoop reads a do statement.
func (p *parser) doLoop(unroll int64) tree.Stmt {
	l := p.c.Unit.Arena.Loops.Next()
	*l = tree.Loop{At: tree.At{Pos: p.tok.Pos}, After: true, Unroll: unroll}
	p.next()
	p.c.StartLoop()
	l.Body = p.body()
	p.c.FinishLoop()
	if p.tok.Kind != token.While {
		p.errorf(p.tok.Pos, "expected 'while' in do/while loop").Note(l.Pos, "to match this 'do'")
		l.Cond = p.c.Bad(p.tok.Pos, p.tok.Pos)
		p.recover()
		return l
	}
	p.next()
	if p.tok.Kind != token.LParen {
		p.errorf(p.tok.Pos, "expected '(' after 'while'")
		l.Cond = p.c.Bad(p.tok.Pos, p.tok.Pos)
		p.recover()
		return l
	}
	lparen := p.open()
	l.Cond = p.c.Condition(p.expr(), "do while")
	p.close(token.RParen, token.LParen, lparen)
	l.End = p.prevEnd
	p.semi("after do/while statement")
	return l
}

// switches reads a switch statement.
func (p *parser) switches() tree.Stmt {
	pos := p.tok.Pos
	p.next()
	x := p.condition("switch")
	s := p.c.StartSwitch(pos, x)
	body := p.body()
	p.c.FinishSwitch(s, body)
	return s
}

// gotos reads a goto statement.
func (p *parser) gotos() tree.Stmt {
	pos := p.tok.Pos
	p.next()
	if p.tok.Kind != token.Ident {
		if p.tok.Kind == token.Star {
			p.errorf(p.tok.Pos, "indirect goto is not supported in OpenCL C")
		} else {
			p.errorf(p.tok.Pos, "expected identifier")
		}
		p.recover()
		return &tree.Null{At: tree.At{Pos: pos}}
	}
	s := p.c.Goto(pos, p.tok.Name, p.tok.Pos)
	p.next()
	p.semi("after goto statement")
	return s
}

// labels reads labels, those of switches among them, and the statement behind them.
func (p *parser) labels() tree.Stmt {
	var first tree.Stmt
	var set func(tree.Stmt) // gives the last label its statement
	add := func(s tree.Stmt) {
		if first == nil {
			first = s
		} else {
			set(s)
		}
	}
	for n := 0; ; n++ {
		pos := p.tok.Pos
		switch {
		case p.tok.Kind == token.Case || p.tok.Kind == token.Default:
			c := p.caseLabel()
			add(c)
			set = func(s tree.Stmt) { c.Stmt = s }
		case p.tok.Kind == token.Ident && p.peek().Kind == token.Colon:
			name := p.tok.Name
			p.next()
			p.next()
			var attrs []sema.Attr
			for p.tok.Kind == token.Attribute {
				attrs = p.attributes(attrs)
			}
			l := p.c.Label(name, pos, attrs)
			add(l)
			set = func(s tree.Stmt) { l.Stmt = s }
		case p.failed:
			p.recover()
			set(&tree.Null{At: tree.At{Pos: pos}})
			return first
		case p.tok.Kind == token.RBrace || p.tok.Kind == token.EOF:
			p.errorf(pos, "label at end of compound statement: expected statement").Suggest(";")
			p.failed = false
			set(&tree.Null{At: tree.At{Pos: pos}})
			return first
		default:
			set(p.labelled())
			return first
		}
		if p.long(n) {
			set(&tree.Null{At: tree.At{Pos: pos}})
			return first
		}
	}
}

// labelled reads the statement behind a label, which may not be a declaration.
func (p *parser) labelled() tree.Stmt {
	pos := p.tok.Pos
	if p.tok.Kind == token.Pragma && !sema.IsLoopPragma(p.tok.Text) {
		p.c.Pragma(p.tok.Text, pos, false)
		p.next()
	}
	return p.statement()
}

// caseLabel reads case n: or default:.
func (p *parser) caseLabel() *tree.Case {
	pos := p.tok.Pos
	var c *tree.Case
	if p.accept(token.Default) {
		c = p.c.Default(pos)
	} else {
		p.next()
		lo := p.constant()
		var hi tree.Expr
		if p.accept(token.Ellipsis) {
			hi = p.constant()
		}
		if p.failed {
			if p.recoverTo(token.Colon) {
				p.next()
			}
			return &tree.Case{At: tree.At{Pos: pos}}
		}
		c = p.c.Case(pos, lo, hi)
	}
	if p.tok.Kind == token.Colon {
		p.next()
	} else {
		what := "'case'"
		if c.Default {
			what = "'default'"
		}
		p.errorf(p.prevEnd, "expected ':' after %s", what).Suggest(":")
		p.failed = false
		if p.tok.Kind == token.Semi {
			p.next()
		}
	}
	return c
}

// annotated reads attributes and pragmas in front of a statement, and the statement.
func (p *parser) annotated() tree.Stmt {
	pos := p.tok.Pos
	var attrs []sema.Attr
	var unroll int64
	var pragma source.Pos
	for {
		if p.tok.Kind == token.Attribute {
			attrs = p.attributes(attrs)
		} else if p.tok.Kind == token.Pragma {
			if sema.IsLoopPragma(p.tok.Text) {
				unroll, pragma = p.c.LoopPragma(p.tok.Text, p.tok.Pos, unroll), p.tok.Pos
			} else {
				p.c.Pragma(p.tok.Text, p.tok.Pos, false)
			}
			p.next()
		} else {
			break
		}
	}
	for i := range attrs {
		switch a := &attrs[i]; a.Name {
		case "opencl_unroll_hint":
			if k := p.tok.Kind; k == token.For || k == token.While || k == token.Do {
				unroll = p.c.UnrollHint(a)
			} else if !p.isDeclaration() {
				p.diags.Errorf(a.Pos, "'%s' attribute only applies to 'for', 'while', and 'do' statements", a.Name)
			}
		case "fallthrough":
			if p.tok.Kind == token.Semi {
				s := p.c.Fallthrough(a.Pos)
				p.next()
				return s
			}
		}
	}
	switch p.tok.Kind {
	case token.For:
		return p.forLoop(unroll)
	case token.While:
		return p.whileLoop(unroll)
	case token.Do:
		return p.doLoop(unroll)
	}
	if pragma != 0 {
		p.diags.Errorf(p.tok.Pos, "expected a for, while, or do-while loop to follow '#pragma unroll'")
	}
	if p.tok.Kind == token.RBrace || p.tok.Kind == token.EOF {
		return &tree.Null{At: tree.At{Pos: pos}}
	}
	if p.isDeclaration() {
		if s := p.declaration("at end of declaration", attrs); s != nil {
			return s
		}
		return &tree.Null{At: tree.At{Pos: pos}}
	}
	return p.statement()
}
