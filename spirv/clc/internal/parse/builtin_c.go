package parse

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// ofC reads the operands of a function of clang's that takes types or chooses between expressions; nil for
// other names.
func (p *parser) ofC(t *token.Token) tree.Expr {
	var read func() tree.Expr
	switch t.Name.Text {
	case "__builtin_offsetof":
		return p.offsetof(t)
	case "__builtin_astype", "__builtin_convertvector":
		read = func() tree.Expr {
			x := p.assignment()
			p.expect(token.Comma)
			q := p.typeName()
			if t.Name.Text == "__builtin_astype" {
				return p.c.AsType(t.Pos, x, q, p.tok.End())
			}
			return p.c.ConvertVector(t.Pos, x, q, p.tok.End())
		}
	case "__builtin_types_compatible_p":
		read = func() tree.Expr {
			q := p.typeName()
			p.expect(token.Comma)
			return p.c.TypesCompatible(t.Pos, q, p.typeName(), p.tok.End())
		}
	case "__builtin_choose_expr":
		read = func() tree.Expr {
			q := p.assignment()
			p.expect(token.Comma)
			a := p.assignment()
			p.expect(token.Comma)
			return p.c.Choose(t.Pos, q, a, p.assignment(), p.tok.End())
		}
	default:
		return nil
	}
	lparen := p.open()
	x := read()
	p.close(token.RParen, token.LParen, lparen)
	if p.failed {
		return p.c.Bad(t.Pos, p.prevEnd)
	}
	return x
}
