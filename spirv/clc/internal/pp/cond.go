package pp

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// cond is an #if without its #endif yet.
type cond struct {
	pos   source.Pos
	taken bool // one of the groups was read, or none may be
	other bool // there was an #else
	outer bool // it stands in a group that is skipped
	guard *token.Name
}

// ifDirective does #if.
func (p *Preprocessor) ifDirective(pos source.Pos, first bool) {
	begin, end := p.lx.pos, p.lx.pos
	if first && p.lx.header != nil {
		end = p.skipLine(p.lx.text, begin)
	}
	v := p.condition()
	c := cond{pos: pos, taken: v}
	if first {
		c.guard = p.notDefined(p.lx.text[begin:end])
	}
	p.open(c, v)
}

// notDefined returns X of the condition "!defined(X)" or "!defined X", and nil for others.
func (p *Preprocessor) notDefined(text string) *token.Name {
	f := strings.Fields(strings.NewReplacer("!", " ! ", "(", " ( ", ")", " ) ").Replace(text))
	var name string
	switch {
	case len(f) == 3 && f[0] == "!" && f[1] == "defined":
		name = f[2]
	case len(f) == 5 && f[0] == "!" && f[1] == "defined" && f[2] == "(" && f[4] == ")":
		name = f[3]
	}
	return p.names.Find(name)
}

// ifdefDirective does #ifdef and #ifndef.
func (p *Preprocessor) ifdefDirective(pos source.Pos, directive string, first bool) {
	var t token.Token
	name := p.macroName(&t, false)
	c := cond{pos: pos}
	if name == nil {
		// As after a condition with an error, nothing up to the #endif is read.
		p.rest(&t)
		c.taken = true
		p.open(c, false)
		return
	}
	p.lineEnd(directive)
	c.taken = (name.Macro != nil) == (directive == "ifdef")
	if first && directive == "ifndef" {
		c.guard = name
	}
	p.open(c, c.taken)
}

// open begins a conditional section whose first group is to be read or not.
func (p *Preprocessor) open(c cond, read bool) {
	l := p.lx
	if c.guard != nil && (l.header == nil || !blank(l.text[:c.offset(l)])) {
		c.guard = nil
	}
	l.conds = append(l.conds, c)
	if !read {
		p.skipGroup()
	}
}

// offset returns where the # of the directive is, roughly: what is before it in its line is white space or a comment.
func (c *cond) offset(l *lexer) int {
	return max(strings.LastIndexByte(l.text[:c.pos-l.base], '#'), 0)
}

// blank reports whether a text is white space and comments.
func blank(s string) bool {
	for {
		s = strings.TrimLeft(s, " \t\r\n\v\f\uFEFF")
		var end string
		switch {
		case s == "":
			return true
		case strings.HasPrefix(s, "//"):
			end = "\n"
		case strings.HasPrefix(s, "/*"):
			end = "*/"
		default:
			return false
		}
		i := strings.Index(s[2:], end)
		if i < 0 {
			return true
		}
		s = s[2+i+len(end):]
	}
}

// elseDirective does #elif and #else behind a group that was read.
func (p *Preprocessor) elseDirective(pos source.Pos, name string) {
	l := p.lx
	var t token.Token
	if len(l.conds) == 0 {
		p.diags.Errorf(pos, "#%s without #if", name)
		p.rest(&t)
		return
	}
	c := &l.conds[len(l.conds)-1]
	p.elseTwice(c, pos, name)
	if name == "else" {
		c.other = true
		p.lineEnd(name)
	} else {
		p.rest(&t)
	}
	c.guard = nil
	c.taken = true
	p.skipGroup()
}

// elseTwice reports an #elif or #else behind an #else.
func (p *Preprocessor) elseTwice(c *cond, pos source.Pos, name string) {
	if c.other {
		p.diags.Errorf(pos, "#%s after #else", name)
	}
}

// endifDirective does #endif.
func (p *Preprocessor) endifDirective(pos source.Pos) {
	l := p.lx
	n := len(l.conds) - 1
	p.lineEnd("endif")
	if n < 0 {
		p.diags.Errorf(pos, "#endif without #if")
		return
	}
	p.close()
}

// close ends the innermost conditional section. If it is all that a header has, its macro guards the header.
func (p *Preprocessor) close() {
	l := p.lx
	n := len(l.conds) - 1
	if c := &l.conds[n]; n == 0 && c.guard != nil && blank(l.text[l.pos:]) {
		l.guard = c.guard
	}
	l.conds = l.conds[:n]
}

// skipGroup passes over the groups of the innermost conditional section that are not to be read. Behind it stands the
// first line of one that is, or what follows the #endif.
func (p *Preprocessor) skipGroup() {
	l := p.lx
	depth := len(l.conds)
	p.mute++
	defer func() { p.mute-- }()
	for {
		i := p.lineStart(l.text, l.pos)
		if i >= len(l.text) {
			l.pos = len(l.text)
			return
		}
		switch {
		case l.text[i] == '#':
			l.pos = i + 1
			if p.skippedDirective(depth) || p.dead {
				l.flags = token.FirstOnLine
				return
			}
		case strings.HasPrefix(l.text[i:], "%:") && !strings.HasPrefix(l.text[i:], "%:%:"):
			l.pos = i + 2
			if p.skippedDirective(depth) || p.dead {
				l.flags = token.FirstOnLine
				return
			}
		default:
			l.pos = p.afterLine(l.text, p.skipLine(l.text, i))
		}
	}
}

// skippedDirective does a directive in a group that is skipped, and reports whether reading goes on behind it.
func (p *Preprocessor) skippedDirective(depth int) bool {
	l := p.lx
	var t token.Token
	l.directive = true
	p.lex(l, &t)
	if t.Kind == token.Ident {
		pos, name := t.Pos, t.Name.Text
		c := &l.conds[len(l.conds)-1]
		switch name {
		case "if", "ifdef", "ifndef":
			l.conds = append(l.conds, cond{pos: pos, taken: true, outer: true})
		case "endif":
			p.mute--
			p.lineEnd(name)
			p.mute++
			p.close()
			if len(l.conds) < depth {
				return true
			}
		case "else":
			p.elseTwice(c, pos, name)
			p.mute--
			p.lineEnd(name)
			p.mute++
			c.other, c.guard = true, nil
			if len(l.conds) == depth && !c.taken {
				c.taken = true
				return true
			}
		case "elif", "elifdef", "elifndef":
			p.elseTwice(c, pos, name)
			c.guard = nil
			if len(l.conds) == depth && !c.taken && !c.other && p.elif(pos, name) {
				l.conds[depth-1].taken = true
				return true
			}
		default:
			if p.diags.Enabled("unknown-directives") && len(name) < 10 {
				if s := diag.Nearest(name, conditionals); s != "" && name != s {
					p.diags.Warnf("unknown-directives", pos, "invalid preprocessing directive, did you mean '#%s'?", s).Suggest(s)
				}
			}
		}
	}
	if l.directive {
		l.directive = false
		l.pos = p.afterLine(l.text, p.skipLine(l.text, l.pos))
	}
	return false
}

// conditionals are the directives that matter in text that is skipped.
var conditionals = []string{"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"}

// elif evaluates the condition of an #elif.
func (p *Preprocessor) elif(pos source.Pos, name string) bool {
	p.mute--
	defer func() { p.mute++ }()
	if name == "elif" {
		return p.condition()
	}
	var t token.Token
	x := p.macroName(&t, false)
	if x == nil {
		p.rest(&t)
		return false
	}
	p.lineEnd(name)
	return (x.Macro != nil) == (name == "elifdef")
}

// lineStart passes over white space and comments at the beginning of a line, and returns where the first token is, or
// the end of the line.
func (p *Preprocessor) lineStart(text string, i int) int {
	for i < len(text) {
		switch c := text[i]; {
		case class[c] == classSpace:
			i++
		case c == '\\' && splice(text, i) > 0:
			i += splice(text, i)
		case c == '/' && at(text, i+1) == '*':
			i = p.blockComment(p.lx, i, i+2)
		default:
			return i
		}
	}
	return i
}

// skipStop has the bytes that skipLine looks at.
var skipStop = [256]bool{'\n': true, '"': true, '\'': true, '/': true, '\\': true}

// skipLine passes over the tokens of a line without making them. It returns the index of the end of the line.
func (p *Preprocessor) skipLine(text string, i int) int {
	for i < len(text) {
		c := text[i]
		if !skipStop[c] {
			i++
			continue
		}
		switch c {
		case '\n':
			return i
		case '\\':
			i += max(splice(text, i), 1)
		case '/':
			switch c1, n := peek(text, i+1); c1 {
			case '/':
				return p.lineComment(p.lx, i, n)
			case '*':
				p.mute++
				i = p.blockComment(p.lx, i, n)
				p.mute--
			default:
				i++
			}
		default: // a quote
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] != '\\' {
					continue
				}
				if n := splice(text, i); n > 0 {
					i += n - 1
				} else if at(text, i+1) != '\n' {
					i++
				}
			}
			if i < len(text) && text[i] == c {
				i++
			}
		}
	}
	return i
}

// afterLine returns the index behind the end of a line.
func (p *Preprocessor) afterLine(text string, i int) int {
	if i < len(text) {
		i++
	}
	return i
}
