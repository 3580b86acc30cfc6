package pp

import (
	"unicode"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// The classes of bytes, by which the lexer chooses what to do with a token's first byte.
const (
	classOther uint8 = iota
	classIdent
	classDigit
	classSpace
	classNewline
	classPunct // begins a punctuator of one or several bytes
	classOne   // is a punctuator, and begins no other
	classDot
	classSlash
	classQuote
	classBackslash
	classHigh // not ASCII
	classNul
)

var (
	class    [256]uint8
	identify [256]bool       // may be in an identifier
	single   [256]token.Kind // punctuators of classOne
)

func init() {
	for c := 'a'; c <= 'z'; c++ {
		class[c], class[c-'a'+'A'] = classIdent, classIdent
	}
	class['_'], class['$'] = classIdent, classIdent
	for c := '0'; c <= '9'; c++ {
		class[c] = classDigit
	}
	for c := range class {
		identify[c] = class[c] == classIdent || class[c] == classDigit
	}
	for _, c := range " \t\v\f\r" {
		class[c] = classSpace
	}
	for _, c := range "+-*%<>=!&|^:#" {
		class[c] = classPunct
	}
	for c, k := range map[byte]token.Kind{
		'(': token.LParen, ')': token.RParen, '[': token.LBrack, ']': token.RBrack, '{': token.LBrace, '}': token.RBrace,
		';': token.Semi, ',': token.Comma, '?': token.Question, '~': token.Tilde,
	} {
		class[c], single[c] = classOne, k
	}
	class['\n'], class['.'], class['/'], class['\\'], class[0] = classNewline, classDot, classSlash, classBackslash, classNul
	class['"'], class['\''] = classQuote, classQuote
	for c := 0x80; c < 256; c++ {
		class[c] = classHigh
	}
}

// identRune reports whether a character that is not ASCII may be in an identifier, or begin one.
func identRune(r rune, first bool) bool {
	return unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || !first && (unicode.IsDigit(r) || unicode.IsMark(r))
}

// at returns a byte of a string, 0 behind its end.
func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// punct returns the longest punctuator that s begins with, and its length.
func punct(s string) (token.Kind, int) {
	c1 := at(s, 1)
	switch c := s[0]; c {
	case '.':
		if c1 == '.' && at(s, 2) == '.' {
			return token.Ellipsis, 3
		}
		return token.Dot, 1
	case '-':
		switch c1 {
		case '>':
			return token.Arrow, 2
		case '-':
			return token.Dec, 2
		case '=':
			return token.SubAssign, 2
		}
		return token.Minus, 1
	case '+':
		switch c1 {
		case '+':
			return token.Inc, 2
		case '=':
			return token.AddAssign, 2
		}
		return token.Plus, 1
	case '*':
		return one(c1, token.Star, token.MulAssign)
	case '/':
		return one(c1, token.Slash, token.DivAssign)
	case '=':
		return one(c1, token.Assign, token.EqEq)
	case '!':
		return one(c1, token.Not, token.NotEq)
	case '^':
		return one(c1, token.Caret, token.XorAssign)
	case '&':
		if c1 == '&' {
			return token.AndAnd, 2
		}
		return one(c1, token.And, token.AndAssign)
	case '|':
		if c1 == '|' {
			return token.OrOr, 2
		}
		return one(c1, token.Or, token.OrAssign)
	case '#':
		if c1 == '#' {
			return token.HashHash, 2
		}
		return token.Hash, 1
	case ':':
		if c1 == '>' {
			return token.RBrack, 2
		}
		return token.Colon, 1
	case '%':
		return percent(s)
	case '<':
		return less(s)
	case '>':
		switch {
		case c1 == '>' && at(s, 2) == '=':
			return token.ShrAssign, 3
		case c1 == '>':
			return token.Shr, 2
		}
		return one(c1, token.Gt, token.Ge)
	default:
		if k := single[c]; k != 0 {
			return k, 1
		}
		return token.Invalid, 1
	}
}

// one chooses between a punctuator and the one with "=" behind it.
func one(c1 byte, alone, assign token.Kind) (token.Kind, int) {
	if c1 == '=' {
		return assign, 2
	}
	return alone, 1
}

// percent returns the punctuator that begins with %, digraphs included.
func percent(s string) (token.Kind, int) {
	switch at(s, 1) {
	case ':':
		if at(s, 2) == '%' && at(s, 3) == ':' {
			return token.HashHash, 4
		}
		return token.Hash, 2
	case '>':
		return token.RBrace, 2
	}
	return one(at(s, 1), token.Percent, token.RemAssign)
}

// less returns the punctuator that begins with <, digraphs included.
func less(s string) (token.Kind, int) {
	switch c1 := at(s, 1); {
	case c1 == '<' && at(s, 2) == '=':
		return token.ShlAssign, 3
	case c1 == '<':
		return token.Shl, 2
	case c1 == ':':
		return token.LBrack, 2
	case c1 == '%':
		return token.LBrace, 2
	default:
		return one(c1, token.Lt, token.Le)
	}
}

// digraph reports whether a punctuator of two bytes or four is the other spelling of one.
func digraph(s string) bool {
	switch s {
	case "<:", ":>", "<%", "%>", "%:", "%:%:":
		return true
	}
	return false
}
