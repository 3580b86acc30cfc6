package pp

import (
	"path"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// header is the text of a header, kept for when it is included again.
type header struct {
	name  string
	text  string
	once  bool        // #pragma once, or #import
	read  bool        // it was included
	guard *token.Name // if this is a macro, the header has nothing to say
}

// find looks a header up, and returns nil if there is none.
func (p *Preprocessor) find(name string, angled bool) *header {
	if strings.HasPrefix(name, "/") {
		return p.open1(name)
	}
	if !angled {
		if h := p.open1(p.lx.dir + name); h != nil {
			return h
		}
	}
	for _, dir := range p.cfg.Include {
		if h := p.open1(strings.TrimSuffix(dir, "/") + "/" + name); h != nil {
			return h
		}
	}
	// Headers in memory have names without folders.
	return p.open1(name)
}

// open1 asks for one name, once.
func (p *Preprocessor) open1(name string) *header {
	if p.cfg.Open == nil || name == "" {
		return nil
	}
	if h, ok := p.headers[name]; ok {
		return h
	}
	if p.headers == nil {
		p.headers = make(map[string]*header)
	}
	var h *header
	if text, ok := p.cfg.Open(name); ok {
		h = &header{name: name, text: text}
	} else if clean := path.Clean(name); clean != name {
		h = p.open1(clean)
	}
	p.headers[name] = h
	return h
}

// headerName reads the name behind #include. After an error it returns false.
func (p *Preprocessor) headerName(t *token.Token) (name string, angled, ok bool) {
	l := p.lx
	if len(p.frames) == 0 {
		i := l.pos
		for i < len(l.text) {
			c := l.text[i]
			if n := splice(l.text, i); n > 0 {
				i += n
			} else if class[c] == classSpace {
				i++
			} else if c == '/' && at(l.text, i+1) == '*' {
				i = p.blockComment(l, i, i+2)
			} else {
				break
			}
		}
		if c := at(l.text, i); c == '<' || c == '"' {
			return p.rawHeaderName(t, i, c)
		}
	}
	pos := l.at(l.pos)
	p.next(t)
	switch t.Kind {
	case token.String:
		if len(t.Text) > 2 && t.Text[0] == '"' {
			return t.Text[1 : len(t.Text)-1], false, true
		}
		p.diags.Errorf(t.Pos, "empty filename")
		return "", false, false
	case token.Lt:
		var b strings.Builder
		for b.Len() < 4096 {
			p.next(t)
			switch t.Kind {
			case token.Gt:
				if b.Len() == 0 {
					p.diags.Errorf(t.Pos, "empty filename")
				}
				return b.String(), true, b.Len() > 0
			case token.Newline, token.EOF:
				p.diags.Errorf(t.Pos, "expected '>'").Note(pos, "to match this '<'")
				return "", false, false
			}
			if t.Flags&token.SpaceBefore != 0 && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(t.Spelling())
		}
	}
	p.diags.Errorf(t.Pos, "expected \"FILENAME\" or <FILENAME>")
	return "", false, false
}

// rawHeaderName reads a name in quotes or angle brackets that is written in the directive itself.
func (p *Preprocessor) rawHeaderName(t *token.Token, i int, open byte) (name string, angled, ok bool) {
	l := p.lx
	end := byte('"')
	if open == '<' {
		end = '>'
	}
	line := strings.IndexByte(l.text[i:], '\n')
	if line < 0 {
		line = len(l.text) - i
	}
	n := strings.IndexByte(l.text[i+1:i+line], end)
	t.Kind, t.Pos, t.Len = token.Header, l.at(i), uint32(n+2)
	if n < 0 {
		l.pos = i
		p.mute++
		p.lex(l, t)
		p.mute--
		if open == '<' {
			p.diags.Errorf(l.at(i+len(strings.TrimRight(l.text[i:i+line], "\r"))), "expected '>'").Note(l.at(i), "to match this '<'")
		} else {
			p.diags.Errorf(l.at(i), "expected \"FILENAME\" or <FILENAME>")
		}
		return "", false, false
	}
	l.pos = i + n + 2
	l.flags = 0
	if n == 0 {
		p.diags.Errorf(t.Pos, "empty filename")
		return "", false, false
	}
	return l.text[i+1 : i+1+n], open == '<', true
}

// includeDirective does #include, and #include_next and #import in the way of it.
func (p *Preprocessor) includeDirective(pos source.Pos, directive string) {
	var t token.Token
	name, angled, ok := p.headerName(&t)
	if !ok {
		p.endExpression(&t)
		return
	}
	where, end := t.Pos, t.End()
	if len(p.frames) > 0 {
		var rest token.Token
		if p.next(&rest); rest.Kind != token.Newline {
			p.diags.Warnf("extra-tokens", rest.Pos, "extra tokens at end of #%s directive", directive)
			p.endExpression(&rest)
		}
	} else {
		p.lineEnd(directive)
	}
	if p.dead {
		return
	}
	h := p.find(name, angled)
	switch {
	case h == nil:
		p.fatal(where, "'%s' file not found", name).Range(where, end)
		return
	case h.once && h.read, h.guard != nil && h.guard.Macro != nil:
		return
	case len(p.stack) >= maxIncludeDepth:
		p.fatal(where, "#include nested too deeply")
		return
	case p.included >= maxIncludes:
		p.fatal(where, "more than %d headers are included", maxIncludes)
		return
	case p.bytes+len(h.text) > maxIncluded:
		p.fatal(where, "headers of more than %d bytes are included", maxIncluded)
		return
	}
	f := p.files.Add(h.name, h.text, pos)
	if f == nil {
		p.fatal(where, "the source and its headers are too large")
		return
	}
	h.once = h.once || directive == "import"
	h.read = true
	p.included++
	p.bytes += len(h.text)
	p.workLimit += workPerByte * len(h.text)
	p.stack = append(p.stack, p.lx)
	p.lx = newLexer(f, h)
}
