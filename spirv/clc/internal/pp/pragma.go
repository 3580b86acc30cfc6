package pp

import (
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// pragma does #pragma behind its name. It reports whether the parser is to see it; then t is the token for it.
func (p *Preprocessor) pragma(t *token.Token, pos source.Pos) bool {
	text, ok := p.pragmaText()
	if ok {
		*t = token.Token{Kind: token.Pragma, Flags: token.FirstOnLine, Pos: pos, Len: uint32(len("pragma")), Text: text}
	}
	return ok
}

// pragmaOperator does _Pragma("text") (C99 6.10.9). It reports whether the parser is to see a pragma; then t is the
// token for it. Otherwise reading goes on.
func (p *Preprocessor) pragmaOperator(t *token.Token) bool {
	pos := t.Pos
	flags := t.Flags
	var x token.Token
	if p.read(&x); x.Kind != token.LParen {
		p.notPragma(pos, &x)
		return false
	}
	if p.next(&x); x.Kind != token.String {
		p.notPragma(pos, &x)
		return false
	}
	text := unquote(x.Text)
	if p.next(&x); x.Kind != token.RParen {
		p.notPragma(pos, &x)
		return false
	}
	text, _, _ = strings.Cut(text, "\n")
	at := p.files.Position(pos)
	f := p.files.Add(at.File, text, 0)
	if f == nil {
		p.fatal(pos, "the source and its headers are too large")
		return false
	}
	f.SetLine(0, at.Line, at.File)
	outer, frames, carry := p.lx, p.frames, p.carry
	p.lx, p.frames, p.carry = newLexer(f, outer.header), nil, 0
	p.lx.flags, p.lx.directive = 0, true
	s, ok := p.pragmaText()
	p.lx, p.frames, p.carry = outer, frames, carry
	if ok {
		*t = token.Token{Kind: token.Pragma, Flags: flags | token.FirstOnLine, Pos: pos, Len: uint32(len("_Pragma")), Text: s}
	}
	return ok
}

// notPragma reports a _Pragma that is not one, and gives back a token that ends something.
func (p *Preprocessor) notPragma(pos source.Pos, x *token.Token) {
	p.diags.Errorf(pos, "_Pragma takes a parenthesized string literal")
	if x.Kind == token.Newline || x.Kind == token.EOF && len(p.frames) == 0 {
		p.push(frame{toks: []token.Token{*x}})
	}
}

// pragmaText reads a pragma, and does those that are the preprocessor's. For others it returns the text that the
// parser gets.
func (p *Preprocessor) pragmaText() (string, bool) {
	var t token.Token
	p.lex(p.lx, &t)
	if t.Kind != token.Ident {
		if t.Kind != token.Newline {
			p.unknownPragma(&t)
		}
		p.rest(&t)
		return "", false
	}
	switch t.Name.Text {
	case "OPENCL":
		return p.openclPragma(&t)
	case "unroll", "nounroll":
		return p.expandedText(t.Name.Text)
	case "pack":
		return p.expandedText("pack")
	case "STDC":
		return p.stdcPragma(&t)
	case "clang":
		return p.clangPragma(&t)
	case "GCC":
		p.gccPragma(&t)
	case "once":
		p.lineEnd("pragma once")
		if h := p.lx.header; h != nil {
			h.once = true
		} else {
			p.diags.Warnf("pragma-once-outside-header", t.Pos, "#pragma once in main file")
		}
	case "push_macro", "pop_macro":
		p.pushPragma(&t)
	case "message":
		p.messagePragma(&t)
	case "region", "endregion", "mark":
		p.rest(&t)
	default:
		p.unknownPragma(&t)
		p.rest(&t)
	}
	return "", false
}

func (p *Preprocessor) unknownPragma(t *token.Token) {
	p.diags.Warnf("unknown-pragmas", t.Pos, "unknown pragma ignored")
}

// ignored warns of a pragma with a mistake in it, and passes over its rest.
func (p *Preprocessor) ignored(t *token.Token, flag, format string, args ...any) (string, bool) {
	p.diags.Warnf(flag, t.Pos, format, args...)
	p.rest(t)
	return "", false
}

// expandedText returns the rest of a pragma with macros expanded, behind its name.
func (p *Preprocessor) expandedText(name string) (string, bool) {
	var t token.Token
	b := []byte(name)
	for {
		p.next(&t)
		if t.Kind == token.Newline || t.Kind == token.EOF || len(b) > maxPasted {
			break
		}
		if t.Flags&token.SpaceBefore != 0 {
			b = append(b, ' ')
		}
		b = append(b, t.Spelling()...)
	}
	p.endExpression(&t)
	return string(b), true
}

// openclPragma does #pragma OPENCL.
func (p *Preprocessor) openclPragma(t *token.Token) (string, bool) {
	p.lex(p.lx, t)
	switch {
	case t.Kind == token.Ident && t.Name.Text == "EXTENSION":
		return p.extensionPragma(t)
	case t.Kind == token.Ident && t.Name.Text == "FP_CONTRACT":
		return p.onOff(t)
	}
	return p.ignored(t, "unknown-pragmas", "unknown pragma ignored")
}

// extensionPragma does #pragma OPENCL EXTENSION name : behaviour.
func (p *Preprocessor) extensionPragma(t *token.Token) (string, bool) {
	if p.lex(p.lx, t); t.Kind != token.Ident {
		return p.ignored(t, "ignored-pragmas", "expected identifier in '#pragma OPENCL' - ignored")
	}
	name := *t
	if p.lex(p.lx, t); t.Kind != token.Colon {
		return p.ignored(t, "ignored-pragmas", "missing ':' after '%s' - ignoring", name.Name.Text)
	}
	p.lex(p.lx, t)
	behavior := ""
	if t.Kind == token.Ident {
		behavior = t.Name.Text
	}
	switch behavior {
	case "enable", "disable", "require", "warn", "begin", "end":
	default:
		return p.ignored(t, "ignored-pragmas", "expected 'enable', 'disable', 'begin' or 'end' - ignoring")
	}
	if name.Name.Text == "all" && behavior != "disable" {
		return p.ignored(t, "ignored-pragmas", "expected 'disable' - ignoring")
	}
	p.lineEnd("pragma")
	// Extensions of clang itself are package sema's to judge.
	known := lang.Known(name.Name.Text) || strings.Contains(name.Name.Text, "cl_clang_")
	if !known && name.Name.Text != "all" && behavior != "begin" && behavior != "end" {
		d := p.diags.Warnf("ignored-pragmas", name.Pos, "OpenCL extension '%s' unknown or does not require pragma - ignoring", name.Name.Text)
		if s := lang.Nearest(name.Name.Text, diag.Nearest); s != "" && d != nil {
			d.Note(name.Pos, "did you mean '%s'?", s)
		}
		return "", false
	}
	return "OPENCL EXTENSION " + name.Name.Text + " : " + behavior, true
}

// onOff does the rest of #pragma OPENCL FP_CONTRACT and #pragma STDC FP_CONTRACT.
func (p *Preprocessor) onOff(t *token.Token) (string, bool) {
	p.lex(p.lx, t)
	if t.Kind == token.Ident {
		switch s := t.Name.Text; s {
		case "ON", "OFF", "DEFAULT":
			p.lineEnd("pragma")
			return "OPENCL FP_CONTRACT " + s, true
		}
	}
	return p.ignored(t, "unknown-pragmas", "expected 'ON' or 'OFF' or 'DEFAULT' in pragma")
}

// stdcPragma does #pragma STDC.
func (p *Preprocessor) stdcPragma(t *token.Token) (string, bool) {
	p.lex(p.lx, t)
	if t.Kind == token.Ident {
		switch t.Name.Text {
		case "FP_CONTRACT":
			return p.onOff(t)
		case "FENV_ACCESS", "CX_LIMITED_RANGE":
			return p.ignored(t, "unknown-pragmas", "pragma STDC %s is not supported, ignoring pragma", t.Name.Text)
		}
	}
	return p.ignored(t, "unknown-pragmas", "unknown pragma in STDC namespace")
}

// clangPragma does #pragma clang.
func (p *Preprocessor) clangPragma(t *token.Token) (string, bool) {
	p.lex(p.lx, t)
	if t.Kind == token.Ident {
		switch t.Name.Text {
		case "loop":
			return p.expandedText("clang loop")
		case "fp":
			return p.expandedText("clang fp")
		case "diagnostic":
			p.diagnosticPragma()
			return "", false
		case "system_header":
			p.rest(t)
			return "", false
		}
	}
	return p.ignored(t, "unknown-pragmas", "unknown pragma ignored")
}

// gccPragma does #pragma GCC.
func (p *Preprocessor) gccPragma(t *token.Token) {
	p.lex(p.lx, t)
	if t.Kind == token.Ident {
		switch t.Name.Text {
		case "diagnostic":
			p.diagnosticPragma()
			return
		case "system_header", "warning", "error":
			p.rest(t)
			return
		}
	}
	p.ignored(t, "unknown-pragmas", "unknown pragma ignored")
}

// diagnosticPragma does #pragma clang diagnostic push, pop, ignored "-Wname", warning and error.
func (p *Preprocessor) diagnosticPragma() {
	const want = "pragma diagnostic expected 'error', 'warning', 'ignored', 'fatal', 'push', or 'pop'"
	var t token.Token
	if p.lex(p.lx, &t); t.Kind != token.Ident {
		p.ignored(&t, "unknown-pragmas", want)
		return
	}
	action := t.Name.Text
	switch action {
	case "push":
		p.diags.Push()
	case "pop":
		if !p.diags.Pop() {
			p.diags.Warnf("unknown-pragmas", t.Pos, "pragma diagnostic pop could not pop, no matching push")
		}
	case "ignored", "warning", "error", "fatal":
		if p.lex(p.lx, &t); t.Kind != token.String {
			p.ignored(&t, "unknown-pragmas", "unexpected token in pragma diagnostic")
			return
		}
		flag := unquote(t.Text)
		name, ok := strings.CutPrefix(flag, "-W")
		if !ok {
			p.ignored(&t, "unknown-pragmas", "pragma diagnostic expected option name (e.g. \"-Wundef\")")
			return
		}
		if !p.diags.Set(name, action) {
			p.diags.Warnf("unknown-warning-option", t.Pos, "unknown warning group '%s', ignored", flag)
		}
	default:
		p.ignored(&t, "unknown-pragmas", want)
		return
	}
	p.lineEnd("pragma")
}

// pushPragma does #pragma push_macro("NAME") and pop_macro.
func (p *Preprocessor) pushPragma(t *token.Token) {
	pragma := t.Name.Text
	if p.lex(p.lx, t); t.Kind == token.LParen {
		if p.lex(p.lx, t); t.Kind == token.String {
			name := p.names.Lookup(unquote(t.Text))
			if p.lex(p.lx, t); t.Kind == token.RParen {
				p.lineEnd("pragma")
				p.pushMacro(name, pragma, t.Pos)
				return
			}
		}
	}
	p.diags.Errorf(t.Pos, "pragma %s requires a parenthesized string", pragma)
	p.rest(t)
}

// pushMacro keeps the definition of a name, or brings the one that was kept last back.
func (p *Preprocessor) pushMacro(name *token.Name, pragma string, pos source.Pos) {
	if pragma == "push_macro" {
		if p.pushed == nil {
			p.pushed = make(map[*token.Name][]*Macro)
		}
		m, _ := name.Macro.(*Macro)
		p.pushed[name] = append(p.pushed[name], m)
		return
	}
	list := p.pushed[name]
	if len(list) == 0 {
		p.diags.Warnf("ignored-pragmas", pos, "pragma pop_macro could not pop '%s', no matching push_macro", name.Text)
		return
	}
	m := list[len(list)-1]
	p.pushed[name] = list[:len(list)-1]
	if name.Macro = nil; m != nil {
		name.Macro = m
	}
}

// messagePragma does #pragma message "text" and message("text").
func (p *Preprocessor) messagePragma(t *token.Token) {
	pos := t.Pos
	var b strings.Builder
	for {
		p.next(t)
		if t.Kind == token.Newline || t.Kind == token.EOF {
			break
		}
		if t.Kind == token.String {
			b.WriteString(unquote(t.Text))
		}
	}
	p.endExpression(t)
	p.diags.Warnf("#pragma-messages", pos, "%s", b.String())
}

// number makes an integer constant of a builtin macro.
func number(n int) string { return strconv.Itoa(n) }
