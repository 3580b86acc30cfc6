// Package parse reads the tokens of an OpenCL C translation unit by recursive descent, and calls the actions of
// package sema while it reads, which make the tree.
//
// The package knows the grammar: what is a declaration, an expression or a statement, and where reading goes on behind
// an error. It knows no types beyond the question whether an identifier names one, and makes no trees itself.
package parse

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/sema"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// Limits that keep trees shallow, because functions that walk over a tree do so by recursion.
const (
	maxNesting   = 256     // brackets, braces and parentheses inside of each other
	maxBodies    = 1 << 10 // statements that are bodies of others, with or without braces
	maxOperators = 1 << 12 // prefix operators and right operands that are not in parentheses, inside of each other
	maxChain     = 1 << 14 // operands of operators of one precedence, steps of x.y[z]..., links of else if
)

// Tokens is where tokens come from. Behind the last one, Read sets t to EOF for ever.
type Tokens interface{ Read(t *token.Token) }

// Unit reads a translation unit. It returns the unit also if there are errors.
func Unit(toks Tokens, c *sema.Checker) *tree.Unit {
	p := &parser{toks: toks, c: c, diags: c.Diags}
	toks.Read(&p.tok)
	for p.tok.Kind != token.EOF {
		p.external()
	}
	return c.Finish()
}

// parser is the state of reading.
type parser struct {
	toks  Tokens
	c     *sema.Checker
	diags *diag.Bag

	tok     token.Token // the one at hand
	ahead   [2]token.Token
	nAhead  int
	prevEnd source.Pos // behind the last token that was read

	failed  bool // there was an error of syntax, from which the parser has not recovered yet
	stopped bool // nothing more is read
	nesting int
	bodies  int
	ops     int
	valueAt int // nesting of the innermost statement expression's block, whose last statement is its value; 0 for none

	// Stacks on which lists grow.
	init   sema.Init // an initializer that is an expression
	chunks []sema.Chunk
	exprs  []tree.Expr
	stmts  []tree.Stmt
	vars   []*tree.Var
}

// next goes on to the next token.
func (p *parser) next() {
	p.prevEnd = p.tok.End()
	if p.nAhead > 0 {
		p.tok = p.ahead[0]
		p.ahead[0] = p.ahead[1]
		p.nAhead--
		return
	}
	if p.stopped {
		p.tok = token.Token{Kind: token.EOF, Pos: p.tok.Pos}
		return
	}
	p.toks.Read(&p.tok)
}

// peek returns the token behind the one at hand.
func (p *parser) peek() *token.Token {
	if p.nAhead == 0 {
		p.toks.Read(&p.ahead[0])
		p.nAhead = 1
	}
	return &p.ahead[0]
}

// peek2 returns the second token behind the one at hand.
func (p *parser) peek2() *token.Token {
	p.peek()
	if p.nAhead == 1 {
		p.toks.Read(&p.ahead[1])
		p.nAhead = 2
	}
	return &p.ahead[1]
}

// stop ends the reading: all further tokens are EOF.
func (p *parser) stop() {
	p.stopped, p.failed = true, true
	p.nAhead = 0
	p.tok = token.Token{Kind: token.EOF, Pos: p.tok.Pos}
}

// accept reads a token if it is of a kind.
func (p *parser) accept(k token.Kind) bool {
	if p.tok.Kind != k {
		return false
	}
	p.next()
	return true
}

// errorf reports an error of syntax, unless one has been reported from which the parser has not recovered. The
// result accepts notes in both cases.
func (p *parser) errorf(pos source.Pos, format string, args ...any) *diag.Diagnostic {
	if p.failed {
		return nil
	}
	p.failed = true
	return p.diags.Errorf(pos, format, args...)
}

// expect reads a token of a kind, or reports that it is missing. It reads nothing then.
func (p *parser) expect(k token.Kind) bool {
	if p.tok.Kind == k {
		p.next()
		return true
	}
	p.errorf(p.tok.Pos, "expected '%s'", k)
	return false
}

// open reads an opening bracket, and counts how many are open.
func (p *parser) open() source.Pos {
	pos := p.tok.Pos
	p.nesting++
	if p.nesting > maxNesting && !p.stopped {
		p.diags.Fatalf(pos, "bracket nesting level exceeded maximum of %d", maxNesting)
		p.stop()
		return pos
	}
	p.next()
	return pos
}

// close reads the bracket that goes with one at pos, or reports that it is missing.
func (p *parser) close(k token.Kind, open token.Kind, pos source.Pos) source.Pos {
	p.nesting--
	at := p.tok.Pos
	if p.tok.Kind == k {
		p.next()
		return at
	}
	p.errorf(at, "expected '%s'", k).Note(pos, "to match this '%s'", open)
	return at
}

// deeper counts an operator inside of another one.
func (p *parser) deeper() {
	p.ops++
	if p.ops > maxOperators && !p.stopped {
		p.diags.Fatalf(p.tok.Pos, "expression is nested more than %d operators deep", maxOperators)
		p.stop()
	}
}

// long reports a chain of operators that is too long.
func (p *parser) long(n int) bool {
	if n <= maxChain || p.stopped {
		return false
	}
	p.diags.Fatalf(p.tok.Pos, "more than %d operators in a row", maxChain)
	p.stop()
	return true
}

// semi reads the semicolon at the end of something.
func (p *parser) semi(after string) {
	if p.tok.Kind == token.Semi {
		p.next()
		if p.failed {
			p.failed = false
		}
		return
	}
	if p.failed {
		p.recover()
		return
	}
	pos := p.prevEnd
	p.errorf(pos, "expected ';' %s", after).Suggest(";")
	if p.tok.Kind == token.RBrace || p.tok.Flags&token.FirstOnLine != 0 && p.tok.Kind != token.EOF {
		p.failed = false // as if it stood there
		return
	}
	p.recover()
}

// recover goes on behind the next semicolon, or before the brace that closes the block at hand.
func (p *parser) recover() {
	braces := 0
	for {
		switch p.tok.Kind {
		case token.EOF:
			p.failed = false
			return
		case token.Semi:
			if braces == 0 {
				p.next()
				p.failed = false
				return
			}
		case token.LBrace:
			braces++
		case token.RBrace:
			if braces == 0 {
				p.failed = false
				return
			}
			braces--
			if braces == 0 && p.peek().Flags&token.FirstOnLine != 0 {
				// The end of a block that belonged to what was wrong.
				p.next()
				p.failed = false
				return
			}
		}
		p.next()
	}
}

// recoverTo skips tokens up to one of the kinds, or to the end of the statement at hand; it reads none of these.
// It reports whether it found one of the kinds.
func (p *parser) recoverTo(kinds ...token.Kind) bool {
	depth := 0
	for {
		k := p.tok.Kind
		if depth == 0 {
			for _, want := range kinds {
				if k == want {
					p.failed = false
					return true
				}
			}
		}
		switch k {
		case token.EOF:
			return false
		case token.Semi, token.RBrace:
			if depth == 0 || k == token.RBrace {
				return false
			}
		case token.LBrace:
			p.skipBraces()
			continue
		case token.LParen, token.LBrack:
			depth++
		case token.RParen, token.RBrack:
			if depth == 0 {
				return false
			}
			depth--
		}
		p.next()
	}
}

// skipBraces reads a block without looking at it.
func (p *parser) skipBraces() {
	depth := 0
	for p.tok.Kind != token.EOF {
		switch p.tok.Kind {
		case token.LBrace:
			depth++
		case token.RBrace:
			depth--
		}
		p.next()
		if depth == 0 {
			return
		}
	}
}

// recoverExternal goes on with the next external declaration: behind a semicolon, or behind a block.
func (p *parser) recoverExternal() {
	for {
		switch p.tok.Kind {
		case token.EOF:
			p.failed = false
			return
		case token.Semi:
			p.next()
			p.failed = false
			return
		case token.LBrace:
			p.skipBraces()
			if p.tok.Kind == token.Semi {
				p.next()
			}
			p.failed = false
			return
		case token.RBrace:
			p.next()
			p.failed = false
			return
		}
		p.next()
	}
}

// cutExprs returns a slice of its own of the expressions on the stack from mark on, and takes them off.
func (p *parser) cutExprs(mark int) []tree.Expr {
	n := len(p.exprs) - mark
	if n == 0 {
		return nil
	}
	list := p.c.Unit.Arena.ExprList.Take(n)
	copy(list, p.exprs[mark:])
	clear(p.exprs[mark:])
	p.exprs = p.exprs[:mark]
	return list
}

// cutStmts does for statements what cutExprs does for expressions.
func (p *parser) cutStmts(mark int) []tree.Stmt {
	n := len(p.stmts) - mark
	if n == 0 {
		return nil
	}
	list := p.c.Unit.Arena.StmtList.Take(n)
	copy(list, p.stmts[mark:])
	clear(p.stmts[mark:])
	p.stmts = p.stmts[:mark]
	return list
}

// cutVars does for variables what cutExprs does for expressions.
func (p *parser) cutVars(mark int) []*tree.Var {
	n := len(p.vars) - mark
	if n == 0 {
		return nil
	}
	list := p.c.Unit.Arena.VarList.Take(n)
	copy(list, p.vars[mark:])
	clear(p.vars[mark:])
	p.vars = p.vars[:mark]
	return list
}
