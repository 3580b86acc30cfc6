package pp

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// specialNames are names that the preprocessor itself knows.
type specialNames struct {
	defined, vaArgs, vaOpt, hasInclude, hasIncludeNext *token.Name
}

// commandLine returns the directives for macros of the command line.
func commandLine(defines []Define) string {
	var b strings.Builder
	for _, d := range defines {
		text, _, _ := strings.Cut(d.Text, "\n") // what is behind the end of a line cannot be part of a macro
		if d.Undef {
			b.WriteString("#undef " + text + "\n")
			continue
		}
		name, value, given := strings.Cut(text, "=")
		if !given {
			value = "1"
		}
		b.WriteString("#define " + name + " " + value + "\n")
	}
	return b.String()
}

// macroName reads the name of a macro behind a directive's name. After an error it returns nil.
func (p *Preprocessor) macroName(t *token.Token, change bool) *token.Name {
	p.lex(p.lx, t)
	switch {
	case t.Kind == token.Newline:
		p.diags.Errorf(t.Pos, "macro name missing")
	case t.Kind != token.Ident:
		p.diags.Errorf(t.Pos, "macro name must be an identifier")
	case change && t.Name == p.special.defined:
		p.diags.Errorf(t.Pos, "'defined' cannot be used as a macro name")
	default:
		return t.Name
	}
	return nil
}

// defineDirective does #define.
func (p *Preprocessor) defineDirective() {
	var t token.Token
	name := p.macroName(&t, true)
	if name == nil {
		p.rest(&t)
		return
	}
	m := &Macro{name: name, pos: t.Pos, id: -1}
	if name.Keyword != token.Ident && p.diags.Enabled("keyword-macro") {
		p.diags.Warnf("keyword-macro", t.Pos, "keyword is hidden by macro definition")
	}
	// The list of parameters begins right behind the name.
	c, _ := peek(p.lx.text, p.lx.pos)
	switch {
	case c == '(':
		p.lex(p.lx, &t)
		m.function = true
		if !p.parameters(m, &t) {
			p.rest(&t)
			return
		}
		p.lex(p.lx, &t)
	case c == 0, class[c] == classSpace, class[c] == classNewline, c == '/':
		p.lex(p.lx, &t)
	default:
		p.lex(p.lx, &t)
		p.diags.Warnf("c99-extensions", t.Pos, "ISO C99 requires whitespace after the macro name")
	}
	if !p.body(m, &t) {
		p.rest(&t)
		return
	}
	p.install(name, m)
}

// parameters reads the parameters of a macro behind the left parenthesis.
func (p *Preprocessor) parameters(m *Macro, t *token.Token) bool {
	for {
		p.lex(p.lx, t)
		switch t.Kind {
		case token.RParen:
			if len(m.params) == 0 {
				return true
			}
			p.diags.Errorf(t.Pos, "expected identifier in macro parameter list")
			return false
		case token.Ellipsis:
			m.variadic = true
			m.params = append(m.params, p.special.vaArgs)
			if p.lex(p.lx, t); t.Kind != token.RParen {
				p.diags.Errorf(t.Pos, "missing ')' in macro parameter list")
				return false
			}
			return true
		case token.Newline:
			p.diags.Errorf(t.Pos, "missing ')' in macro parameter list")
			return false
		case token.Ident:
		default:
			p.diags.Errorf(t.Pos, "invalid token in macro parameter list")
			return false
		}
		for _, x := range m.params {
			if x == t.Name {
				p.diags.Errorf(t.Pos, "duplicate macro parameter name '%s'", t.Name.Text)
				return false
			}
		}
		if t.Name == p.special.vaArgs {
			p.diags.Errorf(t.Pos, "__VA_ARGS__ can only appear in the expansion of a C99 variadic macro")
			return false
		}
		m.params = append(m.params, t.Name)
		if len(m.params) > maxParams {
			p.diags.Errorf(t.Pos, "a macro can have at most %d parameters", maxParams)
			return false
		}
		p.lex(p.lx, t)
		if t.Kind == token.Ellipsis { // NAME... of GNU C
			m.variadic, m.gnu = true, true
			p.lex(p.lx, t)
		}
		switch {
		case t.Kind == token.RParen:
			return true
		case t.Kind == token.Newline, m.gnu:
			p.diags.Errorf(t.Pos, "missing ')' in macro parameter list")
			return false
		case t.Kind != token.Comma:
			p.diags.Errorf(t.Pos, "expected comma in macro parameter list")
			return false
		}
	}
}

// maxParams is the number of parameters that a macro may have: each is compared with each other.
const maxParams = 1024

// body reads what a macro stands for, from t on.
func (p *Preprocessor) body(m *Macro, t *token.Token) bool {
	opt := optional{}
	for ; t.Kind != token.Newline; p.lex(p.lx, t) {
		x, o := *t, op{}
		switch {
		case t.Kind == token.Hash && m.function:
			p.lex(p.lx, t)
			o.arg, o.kind = m.param(t), opString
			if m.variadic && t.Kind == token.Ident && t.Name == p.special.vaOpt {
				o.arg, o.kind = 0, opOptString
			}
			if o.arg < 0 {
				p.diags.Errorf(x.Pos, "'#' is not followed by a macro parameter")
				return false
			}
			x.Len = uint32(t.Pos-x.Pos) + t.Len
			x.Name = t.Name
			x.Flags |= t.Flags & token.SpaceBefore << hashSpace
		case t.Kind == token.HashHash:
			o.kind = opPaste
			m.pastes = true
			if len(m.body) == 0 {
				p.diags.Errorf(x.Pos, "'##' cannot appear at start of macro expansion")
				return false
			}
		case t.Kind == token.Ident:
			if o.arg = m.param(t); o.arg >= 0 {
				o.kind = opParam
			} else if o.arg = 0; t.Name == p.special.vaOpt && m.variadic {
				o.kind = opOpt
			} else if t.Name == p.special.vaOpt {
				p.diags.Warnf("variadic-macros", t.Pos, "__VA_OPT__ can only appear in the expansion of a variadic macro")
			} else if t.Name == p.special.vaArgs && p.diags.Enabled("pedantic") {
				p.diags.Warnf("pedantic", t.Pos, "__VA_ARGS__ can only appear in the expansion of a C99 variadic macro")
			}
		case t.Kind == token.Invalid && t.Text != "" && (t.Text[0] == '"' || t.Text[0] == '\''):
			if t.Text == "''" {
				p.diags.Warnf("invalid-pp-token", t.Pos, "empty character constant")
			} else {
				p.diags.Warnf("invalid-pp-token", t.Pos, "missing terminating %c character", t.Text[0])
			}
		}
		if !p.optionalToken(&opt, m, &x, &o) {
			return false
		}
		if len(m.body) == 0 {
			x.Flags &^= spacing
		}
		if o.kind != opToken && m.ops == nil {
			m.ops = make([]op, len(m.body), len(m.body)+8)
		}
		m.body = append(m.body, x)
		if m.ops != nil {
			m.ops = append(m.ops, o)
		}
	}
	if opt.start > 0 {
		p.diags.Errorf(t.Pos, "missing ')' behind __VA_OPT__")
		return false
	}
	if n := len(m.body); n > 0 && m.ops != nil && m.ops[n-1].kind == opPaste {
		p.diags.Errorf(m.body[n-1].Pos, "'##' cannot appear at end of macro expansion")
		return false
	}
	return true
}

// optional is the __VA_OPT__ whose operand is being read.
type optional struct {
	start int // 1 + the index of the token behind its name, which is the parenthesis; 0 for none
	depth int // of parentheses
}

// optionalToken looks at a token of a body that may be the name of __VA_OPT__ or part of its operand. After
// an error it returns false.
func (p *Preprocessor) optionalToken(opt *optional, m *Macro, x *token.Token, o *op) bool {
	n := len(m.body)
	named := o.kind == opOpt || o.kind == opOptString
	switch {
	case opt.start == 0:
		if named {
			opt.start, opt.depth = n+2, 0
		}
	case n == opt.start-1:
		if x.Kind != token.LParen {
			p.diags.Errorf(x.Pos, "missing '(' following __VA_OPT__")
			return false
		}
		o.kind, opt.depth = opOptOpen, 1
	case named:
		p.diags.Errorf(x.Pos, "__VA_OPT__ cannot be nested within its own operand")
		return false
	case x.Kind == token.LParen:
		opt.depth++
	case x.Kind == token.RParen:
		if opt.depth--; opt.depth > 0 {
			break
		}
		if m.ops[n-1].kind == opPaste {
			p.diags.Errorf(m.body[n-1].Pos, "'##' cannot appear at end of __VA_OPT__ argument")
			return false
		}
		o.kind = opOptEnd
		m.ops[opt.start-2].arg = int32(n)
		opt.start = 0
	case n == opt.start:
		if o.kind == opPaste {
			p.diags.Errorf(x.Pos, "'##' cannot appear at start of __VA_OPT__ argument")
			return false
		}
	}
	return true
}

// hashSpace shifts SpaceBefore of a parameter behind # to a bit of its own, which only same looks at.
const hashSpace = 4

// param returns which parameter a token is, -1 if it is none.
func (m *Macro) param(t *token.Token) int32 {
	if t.Kind == token.Ident {
		for i, x := range m.params {
			if x == t.Name {
				return int32(i)
			}
		}
	}
	return -1
}

// install makes m the definition of a name, and warns if there is another (C99 6.10.3).
func (p *Preprocessor) install(name *token.Name, m *Macro) {
	if name.Macro == nil {
		name.Macro = m
		return
	}
	old := name.Macro.(*Macro)
	if old.builtin != 0 {
		p.diags.Warnf("builtin-macro-redefined", m.pos, "redefining builtin macro")
	} else {
		if old.lazy != nil {
			p.define(old)
		}
		if !same(old, m) {
			p.diags.Warnf("macro-redefined", m.pos, "'%s' macro redefined", name.Text).Note(old.pos, "previous definition is here")
		}
	}
	name.Macro = m
}

// same reports whether two definitions are equivalent: the same tokens, with white space in the same places.
func same(a, b *Macro) bool {
	if a.function != b.function || a.variadic != b.variadic || a.gnu != b.gnu ||
		len(a.params) != len(b.params) || len(a.body) != len(b.body) {
		return false
	}
	for i := range a.params {
		if a.params[i] != b.params[i] {
			return false
		}
	}
	for i := range a.body {
		x, y := &a.body[i], &b.body[i]
		if x.Kind != y.Kind || x.Flags != y.Flags || x.Name != y.Name || x.Text != y.Text {
			return false
		}
	}
	return true
}

// undefDirective does #undef.
func (p *Preprocessor) undefDirective() {
	var t token.Token
	name := p.macroName(&t, true)
	if name == nil {
		p.rest(&t)
		return
	}
	p.lineEnd("undef")
	if m, ok := name.Macro.(*Macro); ok {
		if m.builtin != 0 {
			p.diags.Warnf("builtin-macro-redefined", t.Pos, "undefining builtin macro")
		}
		name.Macro = nil
	}
}

// rest passes over what is left of a directive, if t was not its end.
func (p *Preprocessor) rest(t *token.Token) {
	if t.Kind == token.Newline || !p.lx.directive {
		return
	}
	p.mute++
	for p.lx.directive {
		p.lex(p.lx, t)
	}
	p.mute--
}

// lineEnd warns if there is more in a directive's line, and passes over it.
func (p *Preprocessor) lineEnd(directive string) {
	if !p.lx.directive {
		return
	}
	var t token.Token
	if p.lex(p.lx, &t); t.Kind == token.Newline {
		return
	}
	p.diags.Warnf("extra-tokens", t.Pos, "extra tokens at end of #%s directive", directive)
	p.rest(&t)
}
