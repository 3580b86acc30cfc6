package asm

// token is one word of the text. A double-quoted part of a word keeps its spaces,
// and a backslash keeps the character after it.
type token struct {
	text      string
	line, col int // of the first byte, from 1; col counts bytes
}

// end reports whether the token stands for the end of the text.
func (t token) end() bool { return t.text == "" }

// lexer cuts text into tokens. Words end at white space and at a semicolon, which
// starts a comment that runs to the end of the line. Outside of quotes, a comma
// and parentheses are words of their own. A NUL byte ends the text.
type lexer struct {
	text      string
	pos       int
	line, col int // of text[pos]

	// ahead holds tokens that were looked at but not taken. Telling whether an
	// instruction starts takes three of them.
	ahead  [3]token
	nAhead int
}

func newLexer(text string) *lexer { return &lexer{text: text, line: 1, col: 1} }

// next takes the next token.
func (l *lexer) next() token {
	if l.nAhead == 0 {
		return l.scan()
	}
	t := l.ahead[0]
	copy(l.ahead[:], l.ahead[1:l.nAhead])
	l.nAhead--
	return t
}

// peek looks at the token n places ahead, 0 being the one that next would take.
func (l *lexer) peek(n int) token {
	for l.nAhead <= n {
		l.ahead[l.nAhead] = l.scan()
		l.nAhead++
	}
	return l.ahead[n]
}

func (l *lexer) scan() token {
	l.skipSpace()
	t := token{line: l.line, col: l.col}
	start := l.pos
	quoting, escaping := false, false
scan:
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch c {
		case 0:
			break scan
		case ' ', '\t', '\r', '\n', ';':
			if !quoting && !escaping {
				break scan
			}
		case ',', '(', ')':
			if !quoting && !escaping {
				if l.pos == start {
					l.advance(c)
				}
				break scan
			}
		case '"':
			if !escaping {
				quoting = !quoting
			}
		}
		escaping = c == '\\' && !escaping
		l.advance(c)
	}
	t.text = l.text[start:l.pos]
	return t
}

func (l *lexer) advance(c byte) {
	l.pos++
	l.col++
	if c == '\n' {
		l.line++
		l.col = 1
	}
}

func (l *lexer) skipSpace() {
	comment := false
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch {
		case c == 0:
			return
		case c == '\n':
			comment = false
		case c == ';':
			comment = true
		case !comment && c != ' ' && c != '\t' && c != '\r':
			return
		}
		l.advance(c)
	}
}

// isOpName reports whether a word is an opcode name by its first three letters.
// Names of enumerants such as OpenCL have a small third letter.
func isOpName(s string) bool {
	return len(s) >= 3 && s[0] == 'O' && s[1] == 'p' && 'A' <= s[2] && s[2] <= 'Z'
}

// atInstruction reports whether the next token starts an instruction: an opcode
// name, or an id, an equals sign and an opcode name.
func (l *lexer) atInstruction() bool {
	first := l.peek(0).text
	if isOpName(first) {
		return true
	}
	return first != "" && first[0] == '%' && l.peek(1).text == "=" && isOpName(l.peek(2).text)
}

// isIDName reports whether s may follow the % of an id: ASCII letters, digits and
// underscores.
func isIDName(s string) bool {
	for i := range len(s) {
		if !isIDByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func isIDByte(c byte) bool {
	return c == '_' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
