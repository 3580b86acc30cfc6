package pp

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// Macro is a definition of a macro.
type Macro struct {
	name     *token.Name
	pos      source.Pos // of the name in the definition
	function bool
	variadic bool // the last parameter takes all that is left
	gnu      bool // and has a name of its own
	pastes   bool // ## is in the body
	active   bool // it is being expanded
	params   []*token.Name
	body     []token.Token
	ops      []op // beside body, if the macro has parameters or pastes
	id       int32
	builtin  builtin // made anew at each use, beside the body
	lazy     *predefined
}

// op says what a token of a body stands for.
type op struct {
	kind opKind
	arg  int32 // which parameter
}

type opKind uint8

const (
	opToken     opKind = iota
	opParam            // the argument
	opString           // # and a parameter: the argument as a string
	opPaste            // ##
	opOpt              // __VA_OPT__; arg is the index of the parenthesis that ends its operand
	opOptString        // # and __VA_OPT__
	opOptOpen          // the parentheses around the operand of __VA_OPT__
	opOptEnd
)

// pasteOp marks a ## that a body says, among the tokens of arguments.
const pasteOp token.Flags = 1 << 7

// argument is one argument of a call: ranges of argToks.
type argument struct {
	start, end            int
	expanded, expandedEnd int // -1: not expanded yet
	missing               bool
}

// expand replaces the name of a macro. It reports whether there is something to read instead; otherwise the token
// itself, which may have become another, is the next one.
func (p *Preprocessor) expand(t *token.Token, m *Macro) bool {
	if m.active {
		t.Flags |= token.NoExpand
		return false
	}
	if m.lazy != nil {
		p.define(m)
	}
	if m.builtin != 0 {
		return p.expandBuiltin(t, m)
	}
	if m.function {
		if !p.nextIsParen() {
			return false
		}
		return p.call(t, m)
	}
	if !t.Pos.IsMacro() {
		p.outerEnd = t.Pos
	}
	if len(m.body) == 0 {
		p.carry |= t.Flags & spacing
		return true
	}
	if !p.spend(len(m.body), t.Pos) {
		return true
	}
	m.number(p)
	if m.pastes {
		out, space := p.substitute(t, m, 0)
		p.push(frame{toks: out, macro: m, use: t.Pos, pooled: true, space: space})
		return true
	}
	if b := &m.body[0]; len(m.body) == 1 && (b.Kind != token.Ident || b.Name.Macro == nil) {
		use, flags := t.Pos, t.Flags
		*t = *b
		t.Flags = flags&spacing | token.FromMacro
		t.Pos = p.files.Expand(b.Pos, use, m.id)
		return false
	}
	p.push(frame{toks: m.body, macro: m, use: t.Pos, first: t.Flags & spacing, lazy: true})
	return true
}

// number gives a macro its number for positions.
func (m *Macro) number(p *Preprocessor) {
	if m.id < 0 {
		m.id = p.files.Macro(m.name.Text)
	}
}

// call expands a use of a macro with arguments; the left parenthesis is the next token.
func (p *Preprocessor) call(t *token.Token, m *Macro) bool {
	if p.calls >= maxCallDepth {
		p.fatal(p.files.Use(t.Pos), "uses of macros in arguments of macros nest more than %d deep", maxCallDepth)
		return true
	}
	p.calls++
	toks, args := len(p.argToks), len(p.args)
	p.inArgs++
	rparen, ok := p.collect(t, m)
	p.inArgs--
	if ok {
		m.number(p)
		out, space := p.substitute(t, m, args)
		if !t.Pos.IsMacro() {
			p.outerEnd = p.files.Use(rparen)
		}
		if len(out) == 0 {
			p.carry |= t.Flags & spacing
			if space {
				p.carry |= token.SpaceBefore
			}
			p.buffers = append(p.buffers, out)
		} else if p.spend(len(out), t.Pos) {
			p.push(frame{toks: out, macro: m, use: t.Pos, pooled: true, space: space})
		}
	}
	p.argToks, p.args = p.argToks[:toks], p.args[:args]
	p.calls--
	return ok
}

// collect reads the arguments of a call up to the right parenthesis. After an error it returns false.
func (p *Preprocessor) collect(name *token.Token, m *Macro) (rparen source.Pos, ok bool) {
	first := len(p.args)
	var t token.Token
	p.read(&t) // (
	depth, start := 0, len(p.argToks)
	count := 0
	var extra source.Pos // the comma behind the last argument that the macro takes
	for {
		p.read(&t)
		switch t.Kind {
		case token.EOF, token.Newline:
			p.diags.Errorf(name.Pos, "unterminated function-like macro invocation").Note(m.pos, "macro '%s' defined here", m.name.Text)
			if t.Kind == token.Newline {
				p.push(frame{toks: []token.Token{t}})
			}
			return 0, false
		case token.LParen:
			depth++
		case token.RParen:
			if depth == 0 {
				p.args = append(p.args, argument{start: start, end: len(p.argToks), expanded: -1})
				count++
				return t.Pos, p.checkCount(name, m, &t, first, count, extra)
			}
			depth--
		case token.Comma:
			if depth == 0 && !(m.variadic && count == len(m.params)-1) {
				p.args = append(p.args, argument{start: start, end: len(p.argToks), expanded: -1})
				if count++; count == len(m.params) {
					extra = t.Pos
				}
				start = len(p.argToks)
				continue
			}
		case token.Ident:
			// To read an argument can end the expansion of a macro, after which its name would be expanded.
			if x := t.Name.Macro; x != nil && x.(*Macro).active {
				t.Flags |= token.NoExpand
			}
		}
		if t.Flags&token.FirstOnLine != 0 {
			t.Flags = t.Flags&^token.FirstOnLine | token.SpaceBefore
		}
		p.argToks = append(p.argToks, t)
		if !p.spend(1, name.Pos) {
			return 0, false
		}
	}
}

// checkCount compares the number of arguments with that of the parameters, and adds those that may be missing.
func (p *Preprocessor) checkCount(name *token.Token, m *Macro, rparen *token.Token, first, count int, extra source.Pos) bool {
	want := len(m.params)
	empty := count == 1 && p.args[first].start == p.args[first].end
	if want == 0 && empty {
		return true
	}
	where := "macro '%s' defined here"
	switch {
	case count > want:
		pos := name.Pos
		if extra != 0 {
			pos = p.files.Use(extra)
			if at := p.argToks[p.args[first+want].start:]; len(at) > 0 {
				pos = at[0].Pos
			}
		} else if toks := p.argToks[p.args[first].start:]; len(toks) > 0 {
			pos = toks[0].Pos
		}
		p.diags.Errorf(pos, "too many arguments provided to function-like macro invocation").Note(m.pos, where, m.name.Text)
		return false
	case count == want && empty && m.variadic:
		p.args[first].missing = true
	case count < want:
		if !m.variadic || count+1 != want {
			p.diags.Errorf(rparen.Pos, "too few arguments provided to function-like macro invocation").Note(m.pos, where, m.name.Text)
			return false
		}
		n := len(p.argToks)
		p.args = append(p.args, argument{start: n, end: n, expanded: -1, missing: true})
		if p.diags.Enabled("gnu-zero-variadic-macro-arguments") {
			p.diags.Warnf("gnu-zero-variadic-macro-arguments", rparen.Pos, "must specify at least one argument for '...' parameter of variadic macro").
				Note(m.pos, where, m.name.Text)
		}
	}
	return true
}

// expandArgument returns an argument with its macros expanded, as a range of argToks.
func (p *Preprocessor) expandArgument(a *argument, use source.Pos) (start, end int) {
	if a.expanded >= 0 {
		return a.expanded, a.expandedEnd
	}
	start, end = a.start, a.end
	for i := start; i < end; i++ {
		if t := &p.argToks[i]; t.Kind == token.Ident && t.Name.Macro != nil && t.Flags&token.NoExpand == 0 {
			start, end = p.expandTokens(a.start, a.end, use)
			break
		}
	}
	a.expanded, a.expandedEnd = start, end
	return start, end
}

// expandTokens expands a range of argToks and appends the result there.
func (p *Preprocessor) expandTokens(from, to int, use source.Pos) (start, end int) {
	inArgs, carry := p.inArgs, p.carry
	p.inArgs, p.carry = 0, 0
	p.barriers++
	depth := len(p.frames)
	p.push(frame{toks: p.argToks[from:to:to], use: use, barrier: true})
	start = len(p.argToks)
	var t token.Token
	for {
		p.next(&t)
		if t.Kind == token.EOF || !p.spend(1, use) {
			break
		}
		p.argToks = append(p.argToks, t)
	}
	for len(p.frames) > depth {
		p.pop()
	}
	p.barriers--
	p.inArgs, p.carry = inArgs, carry
	return start, len(p.argToks)
}

// substitute returns the body of a macro with the arguments from args[first] on in the places of the parameters, and
// with # and ## done, and whether white space follows that no token could take.
func (p *Preprocessor) substitute(name *token.Token, m *Macro, first int) (out []token.Token, space bool) {
	out = p.buffer()
	var opt operand
	for i := 0; i < len(m.body); i++ {
		t := m.body[i]
		o := op{}
		if m.ops != nil {
			o = m.ops[i]
		}
		afterPaste := m.pasteBefore(i)
		if i > 0 && !afterPaste && t.Flags&token.SpaceBefore != 0 && o.kind != opOptEnd {
			space = true
		}
		switch o.kind {
		case opPaste:
			t.Flags |= pasteOp
			out = append(out, t)
			space = false
			continue
		case opParam:
			var skip bool
			n := len(out)
			out, space, skip = p.putArgument(out, m, i, first, space)
			opt.empty = len(out) <= n
			if skip {
				i++
			}
			continue
		case opOpt, opOptString:
			opt = operand{start: len(out), hash: o.kind == opOptString, token: t, pasted: afterPaste}
			if p.hasTokens(&p.args[first+len(m.params)-1], t.Pos) {
				i++ // what is between the parentheses follows
				continue
			}
			between := (t.Flags | m.body[i+1].Flags) & token.SpaceBefore
			i = int(o.arg)
			out = opt.end(out, m, &i)
			if !opt.hash {
				space = space || between != 0
				continue
			}
			t = p.stringifyOperand(&opt, m, name, &out)
			o.kind = opString
		case opOptEnd:
			out = opt.end(out, m, &i)
			if !opt.hash {
				continue
			}
			t, afterPaste = p.stringifyOperand(&opt, m, name, &out), opt.pasted
			o.kind = opString
		case opString:
			t = p.stringify(&t, &p.args[first+int(o.arg)])
		}
		t.Pos = p.files.Expand(t.Pos, name.Pos, m.id)
		t.Flags = t.Flags&^token.FirstOnLine | token.FromMacro
		if space {
			t.Flags |= token.SpaceBefore
		} else if o.kind == opString || afterPaste && !marked(out) {
			t.Flags &^= token.SpaceBefore
		}
		space = false
		out = append(out, t)
	}
	if m.pastes {
		out = p.pasteAll(out, name, m)
	}
	if len(out) > 0 {
		out[0].Flags = out[0].Flags&^spacing | name.Flags&spacing
	}
	return out, space
}

// operand is the operand of a __VA_OPT__ whose replacement is being made.
type operand struct {
	start  int // where it begins in what comes out
	hash   bool
	pasted bool // behind ##
	empty  bool // the last parameter stood for nothing
	token  token.Token
}

// end ends the operand. One that is empty, or whose last token is an empty argument, stands for a
// placemarker: a ## beside it goes away. i is the parenthesis.
func (o *operand) end(out []token.Token, m *Macro, i *int) []token.Token {
	last := m.ops[*i-1].kind == opParam && o.empty
	if o.hash || len(out) > o.start && !last {
		return out
	}
	if *i+1 < len(m.ops) && m.ops[*i+1].kind == opPaste {
		*i++
	} else if len(out) == o.start && o.pasted && marked(out) {
		out = out[:len(out)-1]
	}
	return out
}

// hasTokens reports whether an argument expands to any tokens.
func (p *Preprocessor) hasTokens(a *argument, use source.Pos) bool {
	start, end := p.expandArgument(a, use)
	return start < end
}

// stringifyOperand makes the string of # and a __VA_OPT__, whose operand is taken out of out.
func (p *Preprocessor) stringifyOperand(o *operand, m *Macro, name *token.Token, out *[]token.Token) token.Token {
	toks := (*out)[o.start:]
	if m.pastes {
		toks = p.pasteAll(toks, name, m)
	}
	n := len(p.argToks)
	p.argToks = append(p.argToks, toks...)
	t := p.stringify(&o.token, &argument{start: n, end: len(p.argToks)})
	p.argToks = p.argToks[:n]
	*out = (*out)[:o.start]
	return t
}

// pasteBefore and pasteAfter report whether a token of the body is an operand of ##, also as the first or
// last of the operand of a __VA_OPT__ that is one.
func (m *Macro) pasteBefore(i int) bool {
	if i > 2 && m.ops != nil && m.ops[i-1].kind == opOptOpen && m.ops[i-2].kind == opOpt {
		i -= 2
	}
	return i > 0 && m.ops != nil && m.ops[i-1].kind == opPaste
}

func (m *Macro) pasteAfter(i int) bool {
	if i+1 < len(m.ops) && m.ops[i+1].kind == opOptEnd {
		i++
	}
	return i+1 < len(m.ops) && m.ops[i+1].kind == opPaste
}

// marked reports whether tokens end with a ##.
func marked(out []token.Token) bool { return len(out) > 0 && out[len(out)-1].Flags&pasteOp != 0 }

// putArgument appends what stands for the parameter that is token i of the body. It returns whether white space is
// still owed, and whether the ## behind the parameter is done.
func (p *Preprocessor) putArgument(out []token.Token, m *Macro, i, first int, space bool) (_ []token.Token, _, skip bool) {
	arg := &p.args[first+int(m.ops[i].arg)]
	last := int(m.ops[i].arg) == len(m.params)-1
	pasteAfter, pasteBefore := m.pasteAfter(i), m.pasteBefore(i)
	// After a ## whose left side was empty there is no ## in out any more.
	marked := pasteBefore && marked(out)

	start, end := arg.start, arg.end
	comma := false
	if !pasteBefore && !pasteAfter {
		start, end = p.expandArgument(arg, m.body[i].Pos)
	} else if start < end && marked && m.variadic && last && len(out) >= 2 && out[len(out)-2].Kind == token.Comma {
		out = out[:len(out)-1] // , ## __VA_ARGS__ of GNU C: nothing is pasted
		comma = true
	}
	if start < end {
		if live := p.live + len(p.argToks) + len(out) + end - start; !p.spend(end-start, p.argToks[start].Pos) || live > maxLive {
			p.tooMuch(p.argToks[start].Pos, live)
			return out, false, false
		}
		n := len(out)
		out = append(out, p.argToks[start:end]...)
		for j := n; j < len(out); j++ {
			out[j].Pos = p.files.Expand(m.body[i].Pos, out[j].Pos, m.id)
			out[j].Flags |= token.FromMacro
		}
		if !comma {
			out[n].Flags &^= spacing
			if space {
				out[n].Flags |= token.SpaceBefore
			}
		}
		return out, false, false
	}
	// An empty argument. Beside ## it stands for a placemarker: the ## goes away with it.
	switch {
	case pasteAfter && m.ops[i+1].kind == opPaste:
		return out, space, true
	case pasteBefore:
		if marked {
			out = out[:len(out)-1]
		}
		if arg.missing && m.variadic && last && len(m.params) >= 2 && len(out) > 0 && out[len(out)-1].Kind == token.Comma {
			out = out[:len(out)-1]
			if n := len(out); n > 0 && out[n-1].Flags&pasteOp != 0 {
				out = out[:n-1]
			}
			space = false
		}
	}
	return out, space, false
}

// stringify makes the string of # and an argument (C99 6.10.3.2).
func (p *Preprocessor) stringify(hash *token.Token, arg *argument) token.Token {
	b := append(p.buf[:0], '"')
	for i := arg.start; i < arg.end && len(b) <= maxString; i++ {
		t := &p.argToks[i]
		if i > arg.start && t.Flags&spacing != 0 {
			b = append(b, ' ')
		}
		s := t.Spelling()
		if t.Kind != token.String && t.Kind != token.Char {
			b = append(b, s...)
			continue
		}
		for j := 0; j < len(s); j++ {
			if s[j] == '"' || s[j] == '\\' {
				b = append(b, '\\')
			}
			b = append(b, s[j])
		}
	}
	p.spend(len(b)/16, hash.Pos)
	if len(b) > maxString {
		p.fatal(hash.Pos, "the operator # makes a string of more than %d bytes", maxString)
		b = b[:1]
	}
	if n := len(b) - len(trimBackslashes(string(b))); n%2 == 1 {
		p.diags.Warnf("invalid-string-literal", hash.Pos, "invalid string literal, ignoring final '\\'")
		b = b[:len(b)-1]
	}
	b = append(b, '"')
	p.buf = b
	t := *hash
	t.Kind, t.Text, t.Name, t.Flags = token.String, string(b), nil, hash.Flags&spacing
	return t
}

// trimBackslashes returns a string without the backslashes at its end.
func trimBackslashes(s string) string { return strings.TrimRight(s, `\`) }

// pasteAll does the ## among tokens, from left to right.
func (p *Preprocessor) pasteAll(out []token.Token, name *token.Token, m *Macro) []token.Token {
	w := 0
	for r := 0; r < len(out); {
		t := out[r]
		r++
		for r < len(out) && out[r].Flags&pasteOp != 0 {
			if r+1 >= len(out) {
				r++
				break
			}
			if !p.paste(&t, &out[r+1]) {
				p.diags.Errorf(p.files.Expand(out[r].Pos, name.Pos, m.id), "pasting formed '%s', an invalid preprocessing token",
					clip(t.Spelling()+out[r+1].Spelling()))
				r++
				break
			}
			r += 2
		}
		out[w] = t
		w++
	}
	return out[:w]
}

// clip shortens a text for a message.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

// paste makes one token of two (C99 6.10.3.3), and reports whether that is one. Otherwise both stay.
func (p *Preprocessor) paste(l, r *token.Token) bool {
	ls, rs := l.Spelling(), r.Spelling()
	if len(ls)+len(rs) > maxPasted {
		p.fatal(p.files.Use(l.Pos), "the operator ## makes a token of more than %d bytes", maxPasted)
		return false
	}
	p.spend((len(ls)+len(rs))/16, l.Pos)
	text := ls + rs
	sub := lexer{text: text}
	var t token.Token
	p.mute++
	p.lex(&sub, &t)
	p.mute--
	if t.Kind == token.EOF || t.Kind == token.Invalid || sub.pos != len(text) || t.Flags&token.SpaceBefore != 0 {
		return false
	}
	t.Pos, t.Len, t.Flags = l.Pos, l.Len, l.Flags&^(token.NoExpand|pasteOp)|token.FromMacro
	*l = t
	return true
}
