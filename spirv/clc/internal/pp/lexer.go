package pp

import (
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// lexer is where the reading of one text stands.
type lexer struct {
	text      string
	pos       int
	base      source.Pos  // of the text's first byte
	flags     token.Flags // of the next token, as far as is known
	directive bool        // the end of the line is a token

	file   *source.File
	header *header // nil for the source itself
	dir    string  // of the file's name, with a slash at its end, for #include "x"
	conds  []cond  // the #if that are open
	guard  *token.Name
	first  bool // no directive has occurred
}

// newLexer begins to read a file.
func newLexer(f *source.File, h *header) *lexer {
	l := &lexer{text: f.Text, base: f.Pos(0), file: f, header: h, flags: token.FirstOnLine, first: true}
	l.dir = f.Name[:strings.LastIndexByte(f.Name, '/')+1]
	if strings.HasPrefix(f.Text, "\uFEFF") {
		l.pos = 3
	}
	return l
}

// at returns the position of a byte.
func (l *lexer) at(i int) source.Pos { return l.base + source.Pos(i) }

// splice returns the length of a backslash and the end of a line behind it that begin at i; 0 if there is none. As
// other compilers do, it lets white space stand between them.
func splice(text string, i int) int {
	if at(text, i) != '\\' {
		return 0
	}
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\n':
			return j + 1 - i
		case ' ', '\t', '\v', '\f', '\r':
		default:
			return 0
		}
	}
	return 0
}

// peek returns the byte at i, with line splices before it passed over, and the index of the byte behind it. The byte
// is 0 at the end of the text.
func peek(text string, i int) (c byte, next int) {
	for i < len(text) && text[i] == '\\' {
		n := splice(text, i)
		if n == 0 {
			break
		}
		i += n
	}
	if i >= len(text) {
		return 0, i
	}
	return text[i], i + 1
}

// lex reads the next token of a text. Names of keywords are identifiers still, and nothing is expanded.
func (p *Preprocessor) lex(l *lexer, t *token.Token) {
	text, i, flags := l.text, l.pos, l.flags
	t.Name, t.Text = nil, ""
	for {
		if i >= len(text) {
			p.lexEnd(l, t, flags)
			return
		}
		start := i
		c := text[i]
		switch class[c] {
		case classSpace:
			for i++; i < len(text) && (text[i] == ' ' || text[i] == '\t'); i++ {
			}
			flags |= token.SpaceBefore
			continue

		case classNewline:
			i++
			if l.directive {
				l.directive = false
				t.Kind, t.Flags, t.Pos, t.Len = token.Newline, flags, l.at(start), 0
				l.pos, l.flags = i, token.FirstOnLine
				return
			}
			flags = token.FirstOnLine
			continue

		case classIdent:
			h := token.HashSeed
			for {
				h = (h ^ uint32(c)) * token.HashPrime
				i++
				if i >= len(text) {
					break
				}
				if c = text[i]; !identify[c] {
					break
				}
			}
			if i < len(text) && (c == '\\' || c >= 0x80) {
				i = p.identSlow(l, t, start)
			} else if i-start == 1 && text[start] == 'L' && i < len(text) && (c == '"' || c == '\'') {
				i = p.quoted(l, t, start, i)
			} else {
				t.Kind, t.Name = token.Ident, p.names.LookupHash(text[start:i], h)
			}

		case classOne:
			t.Kind = single[c]
			i++

		case classDigit:
			i = p.number(l, t, start)

		case classDot:
			c1, _ := peek(text, i+1)
			if class[c1] == classDigit {
				i = p.number(l, t, start)
			} else {
				i = p.punctuator(l, t, start)
			}

		case classSlash:
			c1, n := peek(text, i+1)
			switch c1 {
			case '/':
				i = p.lineComment(l, start, n)
				flags |= token.SpaceBefore
				continue
			case '*':
				i = p.blockComment(l, start, n)
				flags |= token.SpaceBefore
				continue
			}
			i = p.punctuator(l, t, start)

		case classPunct:
			i = p.punctuator(l, t, start)

		case classQuote:
			i = p.quoted(l, t, start, start)

		case classBackslash:
			if n := splice(text, i); n > 0 {
				p.spliceSpace(l, i, n)
				i += n
				continue
			}
			i = p.identSlow(l, t, start)

		case classHigh:
			if n := p.unicodeSpace(l, i); n > 0 {
				i += n
				flags |= token.SpaceBefore
				continue
			}
			i = p.identSlow(l, t, start)

		case classNul:
			if p.mute == 0 {
				p.diags.Warnf("null-character", l.at(i), "null character ignored")
			}
			for i < len(text) && text[i] == 0 {
				i++
			}
			flags |= token.SpaceBefore
			continue

		default:
			t.Kind, t.Text = token.Invalid, text[i:i+1]
			i++
		}
		t.Flags, t.Pos, t.Len = flags, l.base+source.Pos(start), uint32(i-start)
		l.pos, l.flags = i, 0
		return
	}
}

// lexEnd makes the token at the end of a text.
func (p *Preprocessor) lexEnd(l *lexer, t *token.Token, flags token.Flags) {
	l.pos, l.flags = len(l.text), token.FirstOnLine
	t.Kind, t.Flags, t.Pos, t.Len = token.EOF, flags, l.at(len(l.text)), 0
	if l.directive {
		l.directive = false
		t.Kind = token.Newline
	}
}

// spliceSpace warns of white space between a backslash and the end of its line.
func (p *Preprocessor) spliceSpace(l *lexer, i, n int) {
	if p.mute == 0 && strings.Trim(l.text[i+1:i+n], "\r\n") != "" {
		p.diags.Warnf("backslash-newline-escape", l.at(i), "backslash and newline separated by space")
	}
}

// punctuator reads a punctuator, with line splices in it.
func (p *Preprocessor) punctuator(l *lexer, t *token.Token, start int) int {
	text := l.text
	kind, n := punct(text[start:min(start+4, len(text))])
	end := start + n
	spelling := text[start:end]
	if at(text, end) == '\\' && splice(text, end) > 0 {
		var buf [4]byte
		var ends [4]int
		k := 0
		for i := start; k < len(buf); k++ {
			c, next := peek(text, i)
			if next > len(text) || c == 0 {
				break
			}
			buf[k], ends[k] = c, next
			i = next
		}
		kind, n = punct(string(buf[:k]))
		end, spelling = ends[n-1], string(buf[:n])
	}
	t.Kind = kind
	if n > 1 && digraph(spelling) {
		t.Text = spelling
	}
	return end
}

// number reads a preprocessing number (C99 6.4.8).
func (p *Preprocessor) number(l *lexer, t *token.Token, start int) int {
	text := l.text
	i := start + 1
	for ; i < len(text); i++ {
		c := text[i]
		if identify[c] || c == '.' {
			continue
		}
		if c == '+' || c == '-' {
			switch text[i-1] {
			case 'e', 'E', 'p', 'P':
				continue
			}
		}
		break
	}
	if at(text, i) == '\\' && splice(text, i) > 0 || at(text, i) == '\\' && (at(text, i+1)|32) == 'u' || at(text, i) >= 0x80 {
		return p.numberSlow(l, t, start)
	}
	t.Text = text[start:i]
	t.Kind = numberKind(t.Text)
	return i
}

// numberSlow is number for those with line splices or characters beyond ASCII.
func (p *Preprocessor) numberSlow(l *lexer, t *token.Token, start int) int {
	buf := p.buf[:0]
	i := start
	for {
		c, next := peek(l.text, i)
		if next > len(l.text) || i >= len(l.text) {
			break
		}
		if !identify[c] && c != '.' {
			sign := c == '+' || c == '-'
			if !sign || len(buf) == 0 || !strings.ContainsRune("eEpP", rune(buf[len(buf)-1])) {
				n := 0
				buf, n = p.identPiece(l, buf, next-1, false)
				if n == 0 {
					break
				}
				i = next - 1 + n
				continue
			}
		}
		buf = append(buf, c)
		i = next
	}
	p.buf = buf
	t.Text = string(buf)
	t.Kind = numberKind(t.Text)
	return i
}

// numberKind says whether a preprocessing number is an integer or a floating constant.
func numberKind(s string) token.Kind {
	hex := len(s) > 1 && s[0] == '0' && s[1]|32 == 'x'
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '.', !hex && c|32 == 'e', hex && c|32 == 'p':
			return token.Float
		}
	}
	return token.Int
}

// quoted reads a character constant or a string literal whose quote is at i; what is before i is a prefix. One
// without an end goes to the end of its line and is Invalid.
func (p *Preprocessor) quoted(l *lexer, t *token.Token, start, i int) int {
	text := l.text
	quote := text[i]
	spliced := false
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if n := splice(text, i); n > 0 {
				spliced = true
				i += n - 1
			} else if at(text, i+1) != '\n' {
				// The character behind a backslash may itself stand behind a line splice.
				if n := splice(text, i+1); n > 0 {
					spliced = true
					i += n
				}
				i++
			}
		case '\n':
			return p.unterminated(l, t, start, i)
		case quote:
			i++
			t.Kind, t.Text = token.String, text[start:i]
			if quote == '\'' {
				t.Kind = token.Char
			}
			if spliced {
				t.Text = unsplice(t.Text)
			}
			if t.Kind == token.Char && strings.HasSuffix(t.Text, "''") && len(t.Text) <= 3 && t.Text != `'''` {
				t.Kind = token.Invalid
			}
			return i
		}
	}
	return p.unterminated(l, t, start, len(text))
}

// unterminated makes a token of a string or character constant that has no end.
func (p *Preprocessor) unterminated(l *lexer, t *token.Token, start, end int) int {
	if end > start && l.text[end-1] == '\r' {
		end--
	}
	t.Kind, t.Text = token.Invalid, unsplice(l.text[start:end])
	return end
}

// unsplice takes the line splices out of a text.
func unsplice(s string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if n := splice(s, i); n > 0 {
			i += n - 1
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

// lineComment passes over a comment whose text begins at i. The end of its line stays.
func (p *Preprocessor) lineComment(l *lexer, start, i int) int {
	text := l.text
	for warned := false; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return len(text)
		}
		end := i + n
		j := end - 1
		for j >= i && (text[j] == '\r' || text[j] == ' ' || text[j] == '\t') {
			j--
		}
		if j < i || text[j] != '\\' {
			return end
		}
		if !warned && p.mute == 0 {
			p.diags.Warnf("multi-line-comment", l.at(start), "multi-line // comment")
			warned = true
		}
		i = end + 1
	}
}

// blockComment passes over a comment whose text begins at i.
func (p *Preprocessor) blockComment(l *lexer, start, i int) int {
	text := l.text
	for k, warned := i, false; ; {
		n := strings.IndexByte(text[k:], '/')
		if n < 0 {
			break
		}
		k += n
		if star := beforeSplices(text, i, k); star >= i && text[star] == '*' {
			return k + 1
		}
		if !warned && p.mute == 0 && at(text, k+1) == '*' && at(text, k+2) != '/' {
			p.diags.Warnf("comment", l.at(k), "'/*' within block comment")
			warned = true
		}
		k++
	}
	if p.mute == 0 {
		p.diags.Errorf(l.at(start), "unterminated /* comment")
	}
	return len(text)
}

// beforeSplices returns the index of the byte before k, with line splices passed over; it does not look below low.
func beforeSplices(text string, low, k int) int {
	j := k - 1
	for j >= low && text[j] == '\n' {
		m := j - 1
		for m >= low && (text[m] == '\r' || text[m] == ' ' || text[m] == '\t') {
			m--
		}
		if m < low || text[m] != '\\' {
			break
		}
		j = m - 1
	}
	return j
}

// identSlow reads an identifier with line splices, universal character names or characters beyond ASCII. If there is
// none at start, it makes an Invalid token.
func (p *Preprocessor) identSlow(l *lexer, t *token.Token, start int) int {
	text := l.text
	buf := p.buf[:0]
	i := start
	for i < len(text) {
		c, next := peek(text, i)
		if next > len(text) || c == 0 {
			break
		}
		if identify[c] {
			buf = append(buf, c)
			i = next
			continue
		}
		var n int
		if buf, n = p.identPiece(l, buf, next-1, len(buf) == 0); n == 0 {
			break
		}
		i = next - 1 + n
	}
	p.buf = buf
	if i > start {
		t.Kind = token.Ident
		if t.Name = p.names.Find(string(buf)); t.Name == nil {
			t.Name = p.names.Lookup(string(buf))
		}
		return i
	}
	r, n := utf8.DecodeRuneInString(text[start:])
	if r == utf8.RuneError && n <= 1 && text[start] >= 0x80 {
		// One token for all such bytes in a row: one error.
		for n = 1; start+n < len(text); n++ {
			if r, m := utf8.DecodeRuneInString(text[start+n:]); r != utf8.RuneError || m > 1 {
				break
			}
		}
	}
	t.Kind, t.Text = token.Invalid, text[start:start+n]
	return start + n
}

// identPiece appends a universal character name or a character beyond ASCII at i, if it may be in an identifier, and
// returns its length in the text.
func (p *Preprocessor) identPiece(l *lexer, buf []byte, i int, first bool) ([]byte, int) {
	text := l.text
	var r rune
	var n int
	switch {
	case text[i] >= 0x80:
		if r, n = utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && n <= 1 {
			return buf, 0
		}
	case text[i] == '\\' && (at(text, i+1) == 'u' || at(text, i+1) == 'U'):
		digits := 4
		if text[i+1] == 'U' {
			digits = 8
		}
		if n = 2 + digits; i+n > len(text) {
			return buf, 0
		}
		for _, c := range []byte(text[i+2 : i+n]) {
			d := hexDigit(c)
			if d < 0 {
				return buf, 0
			}
			r = r<<4 | rune(d)
		}
		if r < 0x80 || !utf8.ValidRune(r) {
			return buf, 0
		}
	default:
		return buf, 0
	}
	if !identRune(r, first) {
		return buf, 0
	}
	return utf8.AppendRune(buf, r), n
}

// hexDigit returns the value of a hexadecimal digit, -1 for other bytes.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|32 && c|32 <= 'f':
		return int(c|32-'a') + 10
	}
	return -1
}

// unicodeSpace returns the length of a white-space character beyond ASCII at i, 0 if there is none.
func (p *Preprocessor) unicodeSpace(l *lexer, i int) int {
	r, n := utf8.DecodeRuneInString(l.text[i:])
	switch {
	case r == 0xA0 || r == 0x85 || r == 0x1680 || r >= 0x2000 && r <= 0x200B || r == 0x2028 || r == 0x2029 ||
		r == 0x202F || r == 0x205F || r == 0x3000 || r == 0xFEFF:
		if p.mute == 0 {
			p.diags.Warnf("unicode-whitespace", l.at(i), "treating Unicode character as whitespace")
		}
		return n
	}
	return 0
}
