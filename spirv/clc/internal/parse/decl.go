package parse

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/sema"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// external reads an external declaration.
func (p *parser) external() {
	if p.diags.Stopped() {
		p.stop()
		return
	}
	switch p.tok.Kind {
	case token.Semi:
		p.next()
		return
	case token.Pragma:
		p.externalPragma()
		return
	case token.StaticAssert:
		p.staticAssert()
		return
	case token.RBrace:
		p.errorf(p.tok.Pos, "extraneous closing brace ('}')")
		p.next()
		p.failed = false
		return
	case token.Asm:
		p.errorf(p.tok.Pos, "'%s' is not supported in OpenCL C", p.tok.Name.Text)
		p.recoverExternal()
		return
	case token.Extension:
		p.next()
		return
	}
	var s sema.Spec
	p.specs(&s)
	if s.Empty() && p.tok.Kind != token.Ident && p.tok.Kind != token.Star && p.tok.Kind != token.LParen {
		p.errorf(p.tok.Pos, "expected identifier or '('")
		p.next()
		p.recoverExternal()
		return
	}
	p.c.FinishSpec(&s)
	if p.tok.Kind == token.Semi && !p.failed {
		p.c.EmptyDeclaration(&s)
		p.next()
		return
	}
	p.externalDeclarators(&s)
}

// externalPragma handles a pragma at program scope.
func (p *parser) externalPragma() {
	if sema.IsLoopPragma(p.tok.Text) {
		p.diags.Errorf(p.tok.Pos, "unexpected '#pragma %s'; it belongs before a loop", p.tok.Text)
	} else {
		p.c.Pragma(p.tok.Text, p.tok.Pos, true)
	}
	p.next()
}

// externalDeclarators reads the declarators of an external declaration, or the body of a function.
func (p *parser) externalDeclarators(s *sema.Spec) {
	for first := true; ; first = false {
		mark := len(p.chunks)
		var d sema.Declarator
		p.declarator(&d, named)
		if p.failed {
			p.chunks = p.chunks[:mark]
			p.recoverExternal()
			return
		}
		if first && p.isDefinition(&d) {
			p.function(s, &d)
			p.chunks = p.chunks[:mark]
			return
		}
		p.declare(s, &d, false)
		p.chunks = p.chunks[:mark]
		if p.failed {
			p.recoverExternal()
			return
		}
		if !p.accept(token.Comma) {
			break
		}
	}
	if p.tok.Kind == token.Semi {
		p.next()
		return
	}
	p.errorf(p.prevEnd, "expected ';' after top level declarator").Suggest(";")
	if p.tok.Flags&token.FirstOnLine != 0 && p.startsExternal() {
		p.failed = false
		return
	}
	p.recoverExternal()
}

// startsExternal reports whether a new external declaration seems to begin.
func (p *parser) startsExternal() bool {
	switch p.tok.Kind {
	case token.Kernel, token.Typedef, token.Extern, token.Static, token.Inline, token.Attribute, token.Pragma:
		return true
	}
	return p.isType(&p.tok)
}

// isDefinition reports whether a function's body follows a declarator, perhaps behind the declarations of its
// parameters in the style of K&R.
func (p *parser) isDefinition(d *sema.Declarator) bool {
	ch := d.Function()
	if ch == nil {
		return false
	}
	return p.tok.Kind == token.LBrace || len(ch.Idents) > 0 && p.isType(&p.tok)
}

// function reads the body of a function.
func (p *parser) function(s *sema.Spec, d *sema.Declarator) {
	if ch := d.Function(); ch != nil && len(ch.Idents) > 0 {
		p.oldParams(d, ch)
	}
	f := p.c.StartFunction(s, d)
	contract := p.c.Contract()
	body := p.block(false)
	p.c.FinishFunction(f, body)
	p.c.SetContract(contract)
	p.failed = false
	p.nesting, p.bodies, p.ops = 0, 0, 0
}

// oldParams reads the declarations of parameters between a list of their names and the body.
func (p *parser) oldParams(d *sema.Declarator, ch *sema.Chunk) {
	p.c.PushPrototype()
	var list []*tree.Var
	for p.tok.Kind != token.LBrace && p.tok.Kind != token.EOF && !p.failed {
		var s sema.Spec
		p.specs(&s)
		if s.Empty() {
			p.errorf(p.tok.Pos, "expected function body after function declarator")
			break
		}
		p.c.FinishSpec(&s)
		for {
			mark := len(p.chunks)
			var pd sema.Declarator
			p.declarator(&pd, named)
			if !p.failed {
				list = append(list, p.c.Param(&s, &pd))
			}
			p.chunks = p.chunks[:mark]
			if p.failed || !p.accept(token.Comma) {
				break
			}
		}
		p.semi("at end of declaration")
	}
	p.c.PopScope()
	p.c.OldParams(d, ch, list)
}

// staticAssert reads _Static_assert(x, "message");
func (p *parser) staticAssert() {
	pos := p.tok.Pos
	p.next()
	if p.tok.Kind != token.LParen {
		p.errorf(p.tok.Pos, "expected '(' after '_Static_assert'")
		p.recover()
		return
	}
	lparen := p.open()
	x := p.constant()
	var message *token.Token
	var text []byte
	if p.accept(token.Comma) && !p.failed {
		t := p.tok
		if t.Kind != token.String {
			p.errorf(t.Pos, "expected string literal for diagnostic message in static_assert")
		} else {
			message = &t
			if s, ok := p.c.StringConst(p.strings()).(*tree.StringLit); ok {
				text = s.Value
			}
		}
	}
	p.close(token.RParen, token.LParen, lparen)
	if !p.failed {
		p.c.StaticAssert(pos, x, message, text)
	}
	p.semi("after '_Static_assert'")
}

// declare declares what a declarator names, and reads its initializer. It pushes a variable onto the stack if keep
// says so.
func (p *parser) declare(s *sema.Spec, d *sema.Declarator, keep bool) {
	v, ok := p.c.DeclareName(s, d).(*tree.Var)
	if p.tok.Kind == token.Assign {
		at := p.tok.Pos
		p.next()
		if !ok {
			p.c.NotInitialized(d, at)
			p.initializer()
			return
		}
		in := p.initializer()
		if p.failed {
			p.c.Spoil(v)
		} else {
			p.c.InitVar(v, in)
		}
	} else if ok {
		p.c.NoInit(v)
	}
	if ok && keep {
		p.vars = append(p.vars, v)
	}
}

// specs reads declaration specifiers, qualifiers and attributes.
func (p *parser) specs(s *sema.Spec) {
	for {
		t := &p.tok
		switch t.Kind {
		case token.Typedef, token.Extern, token.Static, token.Auto, token.Register:
			p.c.AddStorage(s, t)
		case token.Inline:
			s.Inline = t.Pos
		case token.Noreturn:
			s.NoReturn = t.Pos
		case token.Kernel:
			s.Kernel = t.Pos
		case token.Const, token.Volatile, token.Restrict, token.Global, token.Local, token.Constant, token.Private,
			token.Generic:
			s.Quals = p.c.AddQual(s.Quals, t)
			if s.QualsPos == 0 {
				s.QualsPos = t.Pos
			}
		case token.ReadOnly, token.WriteOnly, token.ReadWrite:
			p.c.AddAccess(s, t)
		case token.Pipe:
			s.Pipe = t.Pos
		case token.Void, token.Bool, token.CharKw, token.Short, token.IntKw, token.Long, token.Signed, token.Unsigned,
			token.FloatKw, token.Double, token.Half, token.Complex, token.Imaginary:
			p.c.AddKeyword(s, t)
		case token.Ident:
			if s.HasType() {
				return
			}
			if !p.c.IsType(t.Name) {
				if !p.unknownType(s) {
					return
				}
				p.c.AddUnknown(s, t)
				break
			}
			p.c.AddTypedef(s, t)
		case token.Struct, token.Union, token.Enum:
			p.begin(s)
			p.tagged(s)
			s.End = p.prevEnd
			continue
		case token.Typeof:
			p.begin(s)
			p.typeof(s)
			s.End = p.prevEnd
			continue
		case token.Attribute:
			p.begin(s)
			s.Attrs = p.attributes(s.Attrs)
			continue
		case token.Extension:
		case token.Atomic:
			p.errorf(t.Pos, "unknown type name '_Atomic': write atomic_int and its kin")
			return
		default:
			return
		}
		p.begin(s)
		p.next()
		s.End = p.prevEnd
		if p.failed {
			return
		}
	}
}

// begin notes where specifiers begin.
func (p *parser) begin(s *sema.Spec) {
	if s.Pos == 0 {
		s.Pos = p.tok.Pos
	}
}

// unknownType reports whether an identifier that is no type stands where only a type makes sense: before the name
// that is declared.
func (p *parser) unknownType(s *sema.Spec) bool {
	next := p.peek()
	switch next.Kind {
	case token.Ident:
		return true
	case token.Star:
		// foo *p; as a declaration, unless foo is something.
		if k := p.peek2().Kind; k == token.Ident && p.c.Lookup(p.tok.Name) == nil {
			return !s.Empty() || !p.c.InFunction()
		}
	}
	return false
}

// typeof reads __typeof__ with a type or an expression.
func (p *parser) typeof(s *sema.Spec) {
	t := p.tok
	p.next()
	if p.tok.Kind != token.LParen {
		p.errorf(p.tok.Pos, "expected '(' after '%s'", t.Name.Text)
		return
	}
	lparen := p.open()
	var q types.Qual
	if p.isType(&p.tok) {
		q = p.typeName()
	} else {
		p.c.StartUnevaluated()
		q = p.c.TypeOfExpr(p.expr())
		p.c.EndUnevaluated()
	}
	p.close(token.RParen, token.LParen, lparen)
	p.c.AddTag(s, &t, q, false)
}

// typeName reads the name of a type, as in casts.
func (p *parser) typeName() types.Qual {
	var s sema.Spec
	p.specs(&s)
	p.c.FinishSpec(&s)
	mark := len(p.chunks)
	var d sema.Declarator
	p.declarator(&d, abstract)
	t := p.c.AbstractType(&s, &d)
	p.chunks = p.chunks[:mark]
	return t
}

// nameUse says whether a declarator has a name.
type nameUse uint8

const (
	named    nameUse = iota
	abstract         // none
	either
)

// declarator reads a declarator. Its chunks are on the stack, and stay there until the caller takes them off.
func (p *parser) declarator(d *sema.Declarator, use nameUse) {
	start := len(p.chunks)
	p.declaratorParts(d, use)
	d.Chunks = p.chunks[start:len(p.chunks):len(p.chunks)]
	d.End = p.prevEnd
	if p.tok.Kind == token.Asm {
		p.asmLabel(d)
	}
	for p.tok.Kind == token.Attribute {
		d.Attrs = p.attributes(d.Attrs)
	}
}

// asmLabel reads __asm("name") behind a declarator: the name that a function or variable has in the module.
func (p *parser) asmLabel(d *sema.Declarator) {
	p.next()
	if !p.expect(token.LParen) {
		return
	}
	var parts []token.Token
	for p.tok.Kind == token.String {
		parts = append(parts, p.tok)
		p.next()
	}
	if len(parts) == 0 {
		p.errorf(p.tok.Pos, "the name in '__asm' is a string")
	} else {
		if s, ok := p.c.StringConst(parts).(*tree.StringLit); ok {
			d.Label = strings.TrimSuffix(string(s.Value), "\x00")
		}
	}
	p.expect(token.RParen)
}

// declaratorParts reads pointers, and what they apply to.
func (p *parser) declaratorParts(d *sema.Declarator, use nameUse) {
	type pointer struct {
		pos   source.Pos
		quals types.Quals
	}
	var buf [4]pointer
	ptrs := buf[:0]
	for p.tok.Kind == token.Star || p.tok.Kind == token.Caret {
		if p.tok.Kind == token.Caret {
			p.errorf(p.tok.Pos, "blocks are not supported: there is no device-side enqueue")
			return
		}
		pos := p.tok.Pos
		p.next()
		ptrs = append(ptrs, pointer{pos, p.qualifiers(d)})
		if len(ptrs) > maxNesting {
			p.errorf(pos, "declarator has more than %d pointers", maxNesting)
			return
		}
	}
	if p.tok.Kind == token.Attribute {
		d.Attrs = p.attributes(d.Attrs)
	}
	p.direct(d, use)
	for i := len(ptrs) - 1; i >= 0; i-- {
		p.chunks = append(p.chunks, sema.Chunk{Kind: sema.PointerChunk, Pos: ptrs[i].pos, Quals: ptrs[i].quals})
	}
}

// qualifiers reads qualifiers behind a * or in brackets.
func (p *parser) qualifiers(d *sema.Declarator) types.Quals {
	var q types.Quals
	for {
		switch p.tok.Kind {
		case token.Const, token.Volatile, token.Restrict, token.Global, token.Local, token.Constant, token.Private,
			token.Generic:
			q = p.c.AddQual(q, &p.tok)
			p.next()
		case token.Attribute:
			d.Attrs = p.attributes(d.Attrs)
		default:
			return q
		}
	}
}

// direct reads a name, or a declarator in parentheses, and the arrays and parameters behind it.
func (p *parser) direct(d *sema.Declarator, use nameUse) {
	if d.Pos == 0 {
		d.Pos = p.tok.Pos
	}
	switch {
	case p.tok.Kind == token.Ident && use != abstract:
		d.Name, d.Pos = p.tok.Name, p.tok.Pos
		p.next()
	case p.tok.Kind == token.LParen && (use == named || p.grouped(use)):
		lparen := p.open()
		p.declaratorParts(d, use)
		p.close(token.RParen, token.LParen, lparen)
		if p.failed {
			return
		}
	case use == named:
		if p.tok.Kind == token.Ident || p.tok.Name == nil {
			p.errorf(p.tok.Pos, "expected identifier or '('")
		} else {
			p.errorf(p.tok.Pos, "expected identifier or '('; '%s' is a keyword", p.tok.Name.Text)
		}
		return
	}
	for !p.failed {
		switch p.tok.Kind {
		case token.LBrack:
			p.array(d)
		case token.LParen:
			p.params(d)
		default:
			return
		}
	}
}

// grouped reports whether a parenthesis groups a declarator without a name, and is not that of parameters.
func (p *parser) grouped(use nameUse) bool {
	t := p.peek()
	switch t.Kind {
	case token.Star, token.Caret, token.LParen, token.LBrack, token.Attribute:
		return true
	case token.Ident:
		return use == either && !p.isType(t)
	}
	return false
}

// array reads [n].
func (p *parser) array(d *sema.Declarator) {
	ch := sema.Chunk{Kind: sema.ArrayChunk, Pos: p.open()}
	for {
		if p.tok.Kind == token.Static {
			ch.Static = p.tok.Pos
			p.next()
			continue
		}
		q := p.qualifiers(d)
		if q == 0 {
			break
		}
		ch.Quals |= q
	}
	switch {
	case p.tok.Kind == token.RBrack:
	case p.tok.Kind == token.Star && p.peek().Kind == token.RBrack:
		ch.Star = true
		p.next()
	default:
		ch.Size = p.assignment()
	}
	p.close(token.RBrack, token.LBrack, ch.Pos)
	ch.End = p.prevEnd
	p.chunks = append(p.chunks, ch)
}

// params reads the parameters of a function.
func (p *parser) params(d *sema.Declarator) {
	ch := sema.Chunk{Kind: sema.FunctionChunk, Pos: p.open()}
	switch {
	case p.tok.Kind == token.RParen:
		ch.NoProto = true
	case p.tok.Kind == token.Ident && !p.isType(&p.tok) &&
		(p.peek().Kind == token.Comma || p.peek().Kind == token.RParen):
		p.identifierList(&ch)
	default:
		p.c.PushPrototype()
		p.paramList(&ch)
		ch.Declared = p.c.PopPrototype()
	}
	p.close(token.RParen, token.LParen, ch.Pos)
	ch.End = p.prevEnd
	p.chunks = append(p.chunks, ch)
}

// identifierList reads the names of parameters in the style of K&R.
func (p *parser) identifierList(ch *sema.Chunk) {
	for p.tok.Kind == token.Ident {
		t := p.tok
		ch.Idents = append(ch.Idents, &t)
		p.next()
		if !p.accept(token.Comma) {
			return
		}
	}
	p.errorf(p.tok.Pos, "expected identifier")
}

// paramList reads the declarations of parameters.
func (p *parser) paramList(ch *sema.Chunk) {
	mark := len(p.vars)
	for {
		if p.tok.Kind == token.Ellipsis {
			ch.Variadic = p.tok.Pos
			p.next()
			break
		}
		var s sema.Spec
		p.specs(&s)
		if s.Empty() {
			p.errorf(p.tok.Pos, "expected parameter declarator")
			break
		}
		p.c.FinishSpec(&s)
		start := len(p.chunks)
		var d sema.Declarator
		p.declarator(&d, either)
		if p.failed {
			p.chunks = p.chunks[:start]
			break
		}
		v := p.c.Param(&s, &d)
		p.chunks = p.chunks[:start]
		p.vars = append(p.vars, v)
		if !p.accept(token.Comma) {
			break
		}
	}
	ch.Params = p.c.Params(p.cutVars(mark))
}
