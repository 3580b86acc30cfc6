package pp

import (
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// directive does the directive that begins with the # in t. It reports whether the parser is to see it: then t is the
// token for it.
func (p *Preprocessor) directive(t *token.Token) bool {
	l := p.lx
	hash := *t
	inArgs, carry := p.inArgs, p.carry
	p.inArgs, p.carry = 0, 0
	defer func() { p.inArgs, p.carry = inArgs, carry }()
	first := l.first
	l.first = false
	l.directive = true
	p.lex(l, t)
	switch t.Kind {
	case token.Newline:
		return false
	case token.Int:
		p.lineMarker(t)
		return false
	case token.Ident:
	default:
		p.diags.Errorf(t.Pos, "invalid preprocessing directive")
		p.rest(t)
		return false
	}
	if inArgs > 0 && p.diags.Enabled("embedded-directive") {
		p.diags.Warnf("embedded-directive", hash.Pos, "embedding a directive within macro arguments has undefined behavior")
	}
	pos := t.Pos
	switch name := t.Name.Text; name {
	case "define":
		p.defineDirective()
	case "undef":
		p.undefDirective()
	case "if":
		p.ifDirective(pos, first)
	case "ifdef", "ifndef":
		p.ifdefDirective(pos, name, first)
	case "elif", "elifdef", "elifndef", "else":
		p.elseDirective(pos, name)
	case "endif":
		p.endifDirective(pos)
	case "include", "include_next", "import", "pragma":
		if inArgs > 0 {
			p.diags.Errorf(pos, "embedding a #%s directive within macro arguments is not supported", name)
			p.rest(t)
			return false
		}
		if name == "pragma" {
			return p.pragma(t, pos)
		}
		p.includeDirective(pos, name)
	case "line":
		p.lineDirective()
	case "error", "warning":
		p.message(t, name)
	case "ident", "sccs", "assert", "unassert":
		if name == "assert" || name == "unassert" {
			p.diags.Errorf(pos, "#%s is not supported", name)
		}
		p.rest(t)
	default:
		d := p.diags.Errorf(pos, "invalid preprocessing directive")
		if s := diag.Nearest(name, directives); s != "" && d != nil {
			d.Message += ", did you mean '#" + s + "'?"
			d.Suggest(s)
		}
		p.rest(t)
	}
	return false
}

// directives are the names that suggestions are made from.
var directives = []string{
	"define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif", "include", "pragma", "line",
	"error", "warning",
}

// message does #error and #warning: what follows in the line is the message as it is written.
func (p *Preprocessor) message(t *token.Token, name string) {
	l := p.lx
	begin := l.pos
	end := p.skipLine(l.text, begin)
	text := strings.TrimSpace(unsplice(l.text[begin:end]))
	pos := t.Pos
	l.pos = end
	p.lex(l, t) // the end of the line
	if name == "error" {
		p.diags.Errorf(pos, "%s", text)
	} else {
		p.diags.Warnf("#warnings", pos, "%s", text)
	}
}

// lineDirective does #line.
func (p *Preprocessor) lineDirective() {
	var t token.Token
	p.next(&t)
	if t.Kind != token.Int {
		p.diags.Errorf(t.Pos, "#line directive requires a positive integer argument")
		p.rest(&t)
		return
	}
	n, ok := p.lineNumber(&t, "#line directive")
	if !ok {
		p.rest(&t)
		return
	}
	if n == 0 && p.diags.Enabled("pedantic") {
		p.diags.Warnf("pedantic", t.Pos, "#line directive with zero argument is a GNU extension")
	}
	name := ""
	if p.next(&t); t.Kind != token.Newline {
		if t.Kind != token.String {
			p.diags.Errorf(t.Pos, "invalid filename for #line directive")
			p.rest(&t)
			return
		}
		name = unquote(t.Text)
		p.frames = p.frames[:0]
		p.lineEnd("line")
	}
	p.lx.file.SetLine(p.lx.pos, n, name)
}

// lineNumber returns the decimal number in t.
func (p *Preprocessor) lineNumber(t *token.Token, what string) (int, bool) {
	for _, c := range []byte(t.Text) {
		if class[c] != classDigit {
			p.diags.Errorf(t.Pos, "%s requires a simple digit sequence", what)
			return 0, false
		}
	}
	n, err := strconv.ParseInt(t.Text, 10, 32)
	if err != nil {
		p.diags.Errorf(t.Pos, "%s requires a positive integer argument", what)
		return 0, false
	}
	return int(n), true
}

// lineMarker does the lines that preprocessors write: # 12 "file.cl" 2.
func (p *Preprocessor) lineMarker(t *token.Token) {
	n, ok := p.lineNumber(t, "GNU line marker directive")
	if !ok {
		p.rest(t)
		return
	}
	name := ""
	if p.lex(p.lx, t); t.Kind == token.String {
		name = unquote(t.Text)
		for {
			if p.lex(p.lx, t); t.Kind == token.Newline {
				break
			}
			if t.Kind != token.Int || len(t.Text) != 1 || t.Text[0] < '1' || t.Text[0] > '4' {
				p.diags.Errorf(t.Pos, "invalid flag line marker directive")
				p.rest(t)
				break
			}
		}
	} else if t.Kind != token.Newline {
		p.diags.Errorf(t.Pos, "invalid filename for line marker directive")
		p.rest(t)
		return
	}
	p.lx.file.SetLine(p.lx.pos, n, name)
}

// unquote returns the text of a string literal; escapes stand for themselves but for \\ and \".
func unquote(s string) string {
	s = strings.TrimPrefix(s, "L")
	if len(s) < 2 {
		return ""
	}
	s = s[1 : len(s)-1]
	if !strings.Contains(s, `\`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '"') {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}
