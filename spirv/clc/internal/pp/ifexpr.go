package pp

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// value is a value of a condition: 64 bits, as intmax_t or uintmax_t (C99 6.10.1).
type value struct {
	bits     uint64
	unsigned bool
	from, to source.Pos
}

// truth makes a value of a comparison.
func truth(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

// evaluator computes the condition of one #if.
type evaluator struct {
	p      *Preprocessor
	t      token.Token // the next token
	depth  int
	failed bool
}

// condition evaluates the rest of an #if or #elif. After an error it is false.
func (p *Preprocessor) condition() bool {
	e := &evaluator{p: p}
	e.next()
	v := e.conditional(true)
	if !e.failed && e.t.Kind != token.Newline && e.t.Kind != token.EOF {
		switch {
		case e.t.Kind == token.Comma, e.t.Kind == token.RParen, e.t.Kind == token.Colon:
			e.fail(e.t.Pos, "expected end of line in preprocessor expression")
		default:
			e.fail(e.t.Pos, "token is not a valid binary operator in a preprocessor subexpression")
		}
	}
	p.endExpression(&e.t)
	return !e.failed && v.bits != 0
}

// endExpression passes over what is left of a condition, in macros and in the line.
func (p *Preprocessor) endExpression(t *token.Token) {
	for len(p.frames) > 0 && t.Kind != token.Newline {
		p.pop()
	}
	for len(p.frames) > 0 { // an end of line that collect has put back
		p.pop()
		t.Kind = token.Newline
	}
	p.carry = 0
	p.rest(t)
}

// next reads a token, with macros expanded but for the operands of defined.
func (e *evaluator) next() {
	p := e.p
	for {
		p.read(&e.t)
		n := e.t.Name
		if e.t.Kind != token.Ident || n == p.special.defined || n.Macro == nil || e.t.Flags&token.NoExpand != 0 {
			return
		}
		if n == p.special.hasInclude || n == p.special.hasIncludeNext {
			return
		}
		if !p.expand(&e.t, n.Macro.(*Macro)) {
			return
		}
	}
}

// fail reports the first error of a condition.
func (e *evaluator) fail(pos source.Pos, format string, args ...any) {
	if !e.failed {
		e.p.diags.Errorf(pos, format, args...)
	}
	e.failed = true
}

// enter counts nesting, so that the depth of the stack has a limit.
func (e *evaluator) enter() bool {
	if e.depth++; e.depth > maxNesting {
		e.fail(e.t.Pos, "nesting level of the expression exceeds the maximum of %d", maxNesting)
	}
	return !e.failed
}

// conditional is a ?: b : c, or anything that binds tighter.
func (e *evaluator) conditional(live bool) value {
	if !e.enter() {
		return value{}
	}
	defer func() { e.depth-- }()
	c := e.binary(1, live)
	if e.failed || e.t.Kind != token.Question {
		return c
	}
	question := e.t.Pos
	e.next()
	a := c
	if e.t.Kind != token.Colon { // without: a ?: b of GNU C
		a = e.conditional(live && c.bits != 0)
	}
	if e.failed {
		return c
	}
	if e.t.Kind != token.Colon {
		if !e.failed {
			e.p.diags.Errorf(e.t.Pos, "expected ':'").Note(question, "to match this '?'")
		}
		e.failed = true
		return c
	}
	e.next()
	b := e.conditional(live && c.bits == 0)
	r := b
	if c.bits != 0 {
		r = a
	}
	r.unsigned = a.unsigned || b.unsigned
	r.from, r.to = c.from, b.to
	return r
}

// precedence returns how tightly a binary operator binds; 0 for tokens that are none.
func precedence(k token.Kind) int {
	switch k {
	case token.OrOr:
		return 1
	case token.AndAnd:
		return 2
	case token.Or:
		return 3
	case token.Caret:
		return 4
	case token.And:
		return 5
	case token.EqEq, token.NotEq:
		return 6
	case token.Lt, token.Gt, token.Le, token.Ge:
		return 7
	case token.Shl, token.Shr:
		return 8
	case token.Plus, token.Minus:
		return 9
	case token.Star, token.Slash, token.Percent:
		return 10
	}
	return 0
}

// binary is operators that bind at least as tightly as least says. What is not live is not evaluated: it may divide by
// zero.
func (e *evaluator) binary(least int, live bool) value {
	l := e.unary(live)
	for !e.failed {
		k, pos := e.t.Kind, e.t.Pos
		prec := precedence(k)
		if prec == 0 || prec < least {
			break
		}
		e.next()
		rlive := live
		switch {
		case k == token.AndAnd && l.bits == 0, k == token.OrOr && l.bits != 0:
			rlive = false
		}
		if !e.enter() {
			break
		}
		r := e.binary(prec+1, rlive)
		e.depth--
		if e.failed {
			break
		}
		from, to := l.from, r.to
		l = e.operate(k, pos, l, r, live)
		l.from, l.to = from, to
	}
	return l
}

// operate computes a binary operator.
func (e *evaluator) operate(k token.Kind, pos source.Pos, l, r value, live bool) value {
	p := e.p
	unsigned := l.unsigned || r.unsigned
	switch k {
	case token.AndAnd:
		return truth(l.bits != 0 && r.bits != 0)
	case token.OrOr:
		return truth(l.bits != 0 || r.bits != 0)
	case token.Shl, token.Shr:
		return e.shift(k, pos, l, r, live)
	}
	if live && unsigned {
		for _, side := range []struct {
			v    value
			name string
		}{{l, "left"}, {r, "right"}} {
			if !side.v.unsigned && int64(side.v.bits) < 0 {
				p.diags.Warnf("sign-conversion-preprocessor", pos, "%s side of operator converted from negative value to unsigned: %d to %d",
					side.name, int64(side.v.bits), side.v.bits).Range(side.v.from, side.v.to)
			}
		}
	}
	a, b := int64(l.bits), int64(r.bits)
	overflow := false
	v := value{unsigned: unsigned}
	switch k {
	case token.Or:
		v.bits = l.bits | r.bits
	case token.Caret:
		v.bits = l.bits ^ r.bits
	case token.And:
		v.bits = l.bits & r.bits
	case token.EqEq:
		return truth(l.bits == r.bits)
	case token.NotEq:
		return truth(l.bits != r.bits)
	case token.Lt:
		return truth(less64(l.bits, r.bits, unsigned))
	case token.Gt:
		return truth(less64(r.bits, l.bits, unsigned))
	case token.Le:
		return truth(!less64(r.bits, l.bits, unsigned))
	case token.Ge:
		return truth(!less64(l.bits, r.bits, unsigned))
	case token.Plus:
		v.bits = l.bits + r.bits
		s := int64(v.bits)
		overflow = (a < 0) == (b < 0) && (s < 0) != (a < 0)
	case token.Minus:
		v.bits = l.bits - r.bits
		s := int64(v.bits)
		overflow = (a < 0) != (b < 0) && (s < 0) != (a < 0)
	case token.Star:
		v.bits = l.bits * r.bits
		overflow = a != 0 && (int64(v.bits)/a != b || a == -1 && b == -1<<63)
	case token.Slash, token.Percent:
		if r.bits == 0 {
			if live {
				what := "division"
				if k == token.Percent {
					what = "remainder"
				}
				e.fail(pos, "%s by zero in preprocessor expression", what)
			}
			return v
		}
		v.bits = quotient(k, l.bits, r.bits, unsigned)
		overflow = a == -1<<63 && b == -1
	}
	if overflow && !unsigned && live {
		p.diags.Warnf("integer-overflow", pos, "integer overflow in preprocessor expression").Range(l.from, r.to)
	}
	return v
}

// less64 compares two values.
func less64(a, b uint64, unsigned bool) bool {
	if unsigned {
		return a < b
	}
	return int64(a) < int64(b)
}

// quotient divides; b is not 0.
func quotient(k token.Kind, a, b uint64, unsigned bool) uint64 {
	switch {
	case unsigned && k == token.Slash:
		return a / b
	case unsigned:
		return a % b
	case k == token.Slash:
		return uint64(int64(a) / int64(b))
	}
	return uint64(int64(a) % int64(b))
}

// shift computes << and >>. A count that is negative shifts the other way.
func (e *evaluator) shift(k token.Kind, pos source.Pos, l, r value, live bool) value {
	n := r.bits
	left := k == token.Shl
	if !r.unsigned && int64(n) < 0 {
		n, left = -n, !left
	}
	overflow := n > 63
	n = min(n, 63)
	v := value{unsigned: l.unsigned}
	switch {
	case left:
		v.bits = l.bits << n
		overflow = overflow || !l.unsigned && int64(v.bits)>>n != int64(l.bits)
	case l.unsigned:
		v.bits = l.bits >> n
	default:
		v.bits = uint64(int64(l.bits) >> n)
	}
	if overflow && live && !l.unsigned {
		e.p.diags.Warnf("integer-overflow", pos, "integer overflow in preprocessor expression").Range(l.from, r.to)
	}
	return v
}

// unary is an operand with the operators before it.
func (e *evaluator) unary(live bool) value {
	if !e.enter() {
		return value{}
	}
	defer func() { e.depth-- }()
	t := e.t
	v := value{from: t.Pos, to: t.End()}
	switch t.Kind {
	case token.Plus, token.Minus, token.Tilde, token.Not:
		e.next()
		x := e.unary(live)
		v.bits, v.unsigned, v.to = x.bits, x.unsigned, x.to
		switch t.Kind {
		case token.Minus:
			v.bits = -x.bits
			if live && !x.unsigned && x.bits == 1<<63 {
				e.p.diags.Warnf("integer-overflow", t.Pos, "integer overflow in preprocessor expression")
			}
		case token.Tilde:
			v.bits = ^x.bits
		case token.Not:
			v.bits, v.unsigned = truth(x.bits == 0).bits, false
		}
		return v
	case token.LParen:
		e.next()
		x := e.conditional(live)
		if !e.failed && e.t.Kind != token.RParen {
			e.p.diags.Errorf(e.t.Pos, "expected ')' in preprocessor expression").Note(t.Pos, "to match this '('")
			e.failed = true
		}
		x.from, x.to = t.Pos, e.t.End()
		if !e.failed {
			e.next()
		}
		return x
	case token.Int:
		v.bits, v.unsigned = e.integer(&t)
	case token.Char:
		v.bits = e.character(&t)
	case token.Ident:
		return e.identifier(v)
	case token.Newline, token.EOF, token.RParen:
		e.fail(t.Pos, "expected value in expression")
	case token.Float:
		e.fail(t.Pos, "floating point literal in preprocessor expression")
	default:
		e.fail(t.Pos, "invalid token at start of a preprocessor expression")
	}
	if !e.failed {
		e.next()
	}
	return v
}

// identifier is defined, __has_include, or a name that is no macro: that is 0.
func (e *evaluator) identifier(v value) value {
	p := e.p
	t := e.t
	switch t.Name {
	case p.special.defined:
		return e.defined(v)
	case p.special.hasInclude, p.special.hasIncludeNext:
		if t.Name.Macro != nil {
			return e.hasInclude(v)
		}
	}
	e.next()
	if e.t.Kind == token.LParen && t.Name.Macro == nil {
		e.fail(t.Pos, "function-like macro '%s' is not defined", t.Name.Text)
		return v
	}
	if p.diags.Enabled("undef") {
		p.diags.Warnf("undef", t.Pos, "'%s' is not defined, evaluates to 0", t.Name.Text)
	}
	return v
}

// defined is "defined X" or "defined(X)".
func (e *evaluator) defined(v value) value {
	p := e.p
	if e.t.Pos.IsMacro() && p.diags.Enabled("expansion-to-defined") {
		p.diags.Warnf("expansion-to-defined", e.t.Pos, "macro expansion producing 'defined' has undefined behavior")
	}
	p.read(&e.t)
	paren := source.Pos(0)
	if e.t.Kind == token.LParen {
		paren = e.t.Pos
		p.read(&e.t)
	}
	switch e.t.Kind {
	case token.Ident:
	case token.Newline:
		e.fail(e.t.Pos, "macro name missing")
		return v
	default:
		e.fail(e.t.Pos, "macro name must be an identifier")
		return v
	}
	v.bits, v.to = truth(e.t.Name.Macro != nil).bits, e.t.End()
	if paren != 0 {
		if p.read(&e.t); e.t.Kind != token.RParen {
			p.diags.Errorf(e.t.Pos, "missing ')' after 'defined'").Note(paren, "to match this '('")
			e.failed = true
			return v
		}
		v.to = e.t.End()
	}
	e.next()
	return v
}

// hasInclude is __has_include("name") or __has_include(<name>).
func (e *evaluator) hasInclude(v value) value {
	p := e.p
	name := e.t.Name.Text
	if p.read(&e.t); e.t.Kind != token.LParen {
		e.fail(e.t.Pos, "missing '(' after '%s'", name)
		return v
	}
	paren := e.t.Pos
	header, angled, ok := p.headerName(&e.t)
	if !ok {
		e.failed = true
		return v
	}
	if p.read(&e.t); e.t.Kind != token.RParen {
		p.diags.Errorf(e.t.Pos, "missing ')' after %s", "header name").Note(paren, "to match this '('")
		e.failed = true
		return v
	}
	v.bits = truth(p.find(header, angled) != nil).bits
	v.to = e.t.End()
	e.next()
	return v
}

// integer returns the value of an integer constant.
func (e *evaluator) integer(t *token.Token) (bits uint64, unsigned bool) {
	s := t.Text
	base := 10
	switch {
	case len(s) > 1 && s[0] == '0' && s[1]|32 == 'x':
		base, s = 16, s[2:]
	case len(s) > 1 && s[0] == '0' && s[1]|32 == 'b':
		base, s = 2, s[2:]
	case len(s) > 1 && s[0] == '0':
		base = 8
	}
	n := 0
	overflow := false
	for ; n < len(s); n++ {
		d := hexDigit(s[n])
		if d < 0 || base <= 10 && d >= 10 {
			break
		}
		if d >= base {
			what := map[int]string{2: "binary", 8: "octal"}[base]
			e.fail(t.Pos+e.offset(t, len(t.Text)-len(s)+n), "invalid digit '%c' in %s constant", s[n], what)
			return 0, false
		}
		if bits > (1<<64-1-uint64(d))/uint64(base) {
			overflow = true
		}
		bits = bits*uint64(base) + uint64(d)
	}
	switch suffix := strings.ToLower(s[n:]); {
	case n == 0:
		e.fail(t.Pos, "invalid suffix '%s' on integer constant", t.Text[1:])
	case suffix == "", suffix == "l", suffix == "ll":
	case suffix == "u", suffix == "ul", suffix == "lu", suffix == "ull", suffix == "llu":
		unsigned = true
	default:
		e.fail(t.Pos+e.offset(t, len(t.Text)-len(suffix)), "invalid suffix '%s' on integer constant", s[n:])
	}
	if overflow {
		e.fail(t.Pos, "integer literal is too large to be represented in any integer type")
	}
	if !unsigned && int64(bits) < 0 {
		if base == 10 {
			e.p.diags.Warnf("implicitly-unsigned-literal", t.Pos, "integer literal is too large to be represented in a signed integer type, interpreting as unsigned")
		}
		unsigned = true
	}
	return bits, unsigned
}

// offset returns n, or 0 for a token whose bytes are not in a row in a file.
func (e *evaluator) offset(t *token.Token, n int) source.Pos {
	if t.Pos.IsMacro() || int(t.Len) != len(t.Text) {
		return 0
	}
	return source.Pos(n)
}

// character returns the value of a character constant, of type int.
func (e *evaluator) character(t *token.Token) uint64 {
	s := t.Text
	wide := s[0] == 'L'
	if wide {
		s = s[1:]
	}
	s = s[1 : len(s)-1]
	var v uint32
	count := 0
	for len(s) > 0 {
		var c uint32
		if s[0] == '\\' && len(s) > 1 {
			c, s = e.escape(t, s[1:])
		} else if r, n := utf8.DecodeRuneInString(s); wide && r != utf8.RuneError {
			c, s = uint32(r), s[n:]
		} else {
			c, s = uint32(s[0]), s[1:]
		}
		if wide {
			v = c
		} else {
			v = v<<8 | c&0xFF
		}
		count++
	}
	switch {
	case count == 1 && !wide:
		return uint64(int64(int8(v)))
	case count > 4:
		e.p.diags.Warnf("four-char-constants", t.Pos, "character constant too long for its type")
	case count > 1:
		e.p.diags.Warnf("multichar", t.Pos, "multi-character character constant")
	}
	return uint64(int64(int32(v)))
}

// escape returns the value of an escape sequence behind its backslash, and what follows it.
func (e *evaluator) escape(t *token.Token, s string) (uint32, string) {
	switch c := s[0]; c {
	case 'x':
		n := 1
		for n < len(s) && hexDigit(s[n]) >= 0 {
			n++
		}
		v, err := strconv.ParseUint(s[1:n], 16, 32)
		if n == 1 {
			e.fail(t.Pos, "\\x used with no following hex digits")
		} else if err != nil {
			e.fail(t.Pos, "hex escape sequence out of range")
		}
		return uint32(v), s[n:]
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := 1
		for n < len(s) && n < 3 && '0' <= s[n] && s[n] <= '7' {
			n++
		}
		v, _ := strconv.ParseUint(s[:n], 8, 32) // at most three octal digits
		return uint32(v), s[n:]
	default:
		if i := strings.IndexByte("abtnvfre", c); i >= 0 {
			return uint32("\a\b\t\n\v\f\r\x1b"[i]), s[1:]
		}
		return uint32(c), s[1:]
	}
}
