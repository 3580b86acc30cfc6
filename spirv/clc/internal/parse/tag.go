package parse

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/sema"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// tagged reads struct, union or enum with its tag and members.
func (p *parser) tagged(s *sema.Spec) {
	kw := p.tok
	p.next()
	var attrs []sema.Attr
	for p.tok.Kind == token.Attribute {
		attrs = p.attributes(attrs)
	}
	var name *token.Name
	pos := kw.Pos
	if p.tok.Kind == token.Ident {
		name, pos = p.tok.Name, p.tok.Pos
		p.next()
		for p.tok.Kind == token.Attribute {
			attrs = p.attributes(attrs)
		}
	}
	use := sema.TagReference
	var base types.Qual
	if kw.Kind == token.Enum && p.tok.Kind == token.Colon {
		p.next()
		base = p.typeName()
	}
	switch {
	case p.tok.Kind == token.LBrace:
		use = sema.TagDefinition
	case name == nil:
		p.errorf(p.tok.Pos, "expected identifier or '{'")
		return
	case p.tok.Kind == token.Semi && kw.Kind != token.Enum:
		use = sema.TagForward
	}
	t := p.c.Tag(kw.Kind, name, pos, use)
	if use == sema.TagDefinition {
		if kw.Kind == token.Enum {
			p.c.FixEnum(t, base, pos)
			p.enumerators(t, attrs)
		} else {
			p.members(t, attrs)
		}
	}
	p.c.AddTag(s, &kw, types.Qual{Type: t}, use == sema.TagDefinition)
}

// members reads the members of a structure or union, and the attributes behind them.
func (p *parser) members(t *types.Type, attrs []sema.Attr) {
	lbrace := p.open()
	p.c.StartStruct(t)
	for p.tok.Kind != token.RBrace && p.tok.Kind != token.EOF {
		switch p.tok.Kind {
		case token.Semi:
			p.diags.Warnf("extra-semi", p.tok.Pos, "extra ';' inside a struct")
			p.next()
		case token.Pragma:
			p.c.Pragma(p.tok.Text, p.tok.Pos, false)
			p.next()
		case token.StaticAssert:
			p.staticAssert()
		default:
			p.member(t)
		}
	}
	p.close(token.RBrace, token.LBrace, lbrace)
	for p.tok.Kind == token.Attribute {
		attrs = p.attributes(attrs)
	}
	p.c.FinishStruct(t, attrs)
}

// member reads a declaration of members.
func (p *parser) member(t *types.Type) {
	var s sema.Spec
	p.specs(&s)
	if s.Empty() {
		if !p.failed {
			p.errorf(p.tok.Pos, "expected member name or ';' after declaration specifiers")
		}
		if p.tok.Kind != token.Semi && p.tok.Kind != token.RBrace {
			p.next()
		}
		p.recover()
		return
	}
	p.c.FinishSpec(&s)
	if p.tok.Kind == token.Semi && !p.failed {
		if s.Type.IsStruct() && s.Tag {
			p.c.AnonymousField(t, &s)
		} else {
			p.c.EmptyDeclaration(&s)
		}
		p.next()
		return
	}
	for !p.failed {
		mark := len(p.chunks)
		var d sema.Declarator
		if p.tok.Kind != token.Colon {
			p.declarator(&d, named)
		} else {
			d.Pos = p.tok.Pos
		}
		var colon source.Pos
		var bits tree.Expr
		if p.tok.Kind == token.Colon && !p.failed {
			colon = p.tok.Pos
			p.next()
			bits = p.constant()
			for p.tok.Kind == token.Attribute {
				d.Attrs = p.attributes(d.Attrs)
			}
		}
		if !p.failed {
			p.c.Field(t, &s, &d, colon, bits)
		}
		p.chunks = p.chunks[:mark]
		if !p.accept(token.Comma) {
			break
		}
	}
	if p.tok.Kind == token.RBrace && !p.failed {
		p.diags.Warnf("", p.prevEnd, "expected ';' at end of declaration list").Suggest(";")
		return
	}
	p.semi("at end of declaration list")
}

// enumerators reads the enumerators of an enumeration, and the attributes behind them.
func (p *parser) enumerators(t *types.Type, attrs []sema.Attr) {
	lbrace := p.open()
	var b sema.EnumBuilder
	if p.tok.Kind == token.RBrace {
		p.errorf(p.tok.Pos, "use of empty enum")
		p.failed = false
	}
	for p.tok.Kind != token.RBrace && p.tok.Kind != token.EOF {
		if p.tok.Kind != token.Ident {
			p.errorf(p.tok.Pos, "expected identifier")
			break
		}
		name := p.tok
		p.next()
		if p.tok.Kind == token.Attribute {
			p.attributes(nil)
		}
		var x tree.Expr
		if p.accept(token.Assign) {
			x = p.constant()
		}
		if p.failed {
			break
		}
		p.c.Enumerator(&b, name.Name, name.Pos, x)
		if !p.accept(token.Comma) {
			break
		}
	}
	p.close(token.RBrace, token.LBrace, lbrace)
	if p.failed && p.recoverTo(token.RBrace) {
		p.next()
	}
	for p.tok.Kind == token.Attribute {
		attrs = p.attributes(attrs)
	}
	p.c.FinishEnum(t, &b, attrs)
}

// attributes reads __attribute__((...)) and appends what it knows to a list.
func (p *parser) attributes(list []sema.Attr) []sema.Attr {
	p.next()
	if p.tok.Kind != token.LParen {
		p.errorf(p.tok.Pos, "expected '(' after 'attribute'")
		return list
	}
	outer := p.open()
	if p.tok.Kind != token.LParen {
		p.errorf(p.tok.Pos, "expected '(' after '('")
		p.nesting--
		return list
	}
	inner := p.open()
	for p.tok.Kind != token.RParen && p.tok.Kind != token.EOF && !p.failed {
		if p.accept(token.Comma) {
			continue
		}
		if p.tok.Name == nil {
			p.errorf(p.tok.Pos, "expected ')'").Note(inner, "to match this '('")
			break
		}
		list = p.attribute(list)
		if p.tok.Kind != token.Comma {
			break
		}
	}
	p.close(token.RParen, token.LParen, inner)
	p.close(token.RParen, token.LParen, outer)
	return list
}

// attribute reads one attribute and appends it to a list, unless it has no meaning.
func (p *parser) attribute(list []sema.Attr) []sema.Attr {
	a := sema.Attr{Name: sema.AttrName(p.tok.Name.Text), Pos: p.tok.Pos}
	p.next()
	shape := sema.Shape(a.Name)
	if shape == sema.UnknownAttr {
		p.c.UnknownAttribute(a.Name, a.Pos)
	}
	if p.tok.Kind == token.LParen {
		if shape == sema.UnknownAttr || shape == sema.IgnoredAttr {
			p.skipParens()
		} else {
			lparen := p.open()
			for p.tok.Kind != token.RParen && !p.failed {
				arg := sema.AttrArg{Pos: p.tok.Pos}
				if shape == sema.TypeAttr && p.isType(&p.tok) {
					arg.Type = p.typeName()
				} else {
					arg.X = p.assignment()
				}
				a.Args = append(a.Args, arg)
				if !p.accept(token.Comma) {
					break
				}
			}
			p.close(token.RParen, token.LParen, lparen)
		}
	}
	if shape == sema.UnknownAttr || shape == sema.IgnoredAttr || p.failed {
		return list
	}
	return append(list, a)
}

// skipParens reads what is in parentheses without looking at it.
func (p *parser) skipParens() {
	depth := 0
	for p.tok.Kind != token.EOF {
		switch p.tok.Kind {
		case token.LParen:
			depth++
		case token.RParen:
			depth--
		}
		p.next()
		if depth == 0 {
			return
		}
	}
}
