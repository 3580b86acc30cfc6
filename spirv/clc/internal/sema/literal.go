package sema

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// inToken returns the place of a byte of a token.
func inToken(t token.Token, offset int) source.Pos {
	if t.Pos.IsMacro() {
		return t.Pos
	}
	return t.Pos + source.Pos(offset)
}

func (c *Checker) tokenInfo(t token.Token, x *types.Type) tree.Base {
	return tree.Base{Type: qual(x), Pos: t.Pos, From: t.Pos, To: c.Files.End(t.Pos, int(t.Len))}
}

func (c *Checker) badToken(t token.Token) tree.Expr {
	return c.bad(t.Pos, t.Pos, c.Files.End(t.Pos, int(t.Len)))
}

// IntConst is an integer constant.
func (c *Checker) IntConst(t token.Token) tree.Expr {
	s := t.Text
	base, digits := uint64(10), 0
	switch {
	case len(s) > 2 && s[0] == '0' && s[1]|32 == 'x':
		base, digits = 16, 2
	case len(s) > 2 && s[0] == '0' && s[1]|32 == 'b':
		base, digits = 2, 2
	case len(s) > 1 && s[0] == '0':
		base, digits = 8, 1
	}
	v, over, i := uint64(0), false, digits
	for ; i < len(s); i++ {
		d := uint64(hexDigit(s[i]))
		if d >= base {
			if d < 10 {
				c.Diags.Errorf(inToken(t, i), "'%c' is no digit of %s constant", s[i],
					map[uint64]string{2: "a binary", 8: "an octal"}[base])
				return c.badToken(t)
			}
			break
		}
		if v > (math.MaxUint64-d)/base {
			over = true
		}
		v = v*base + d
	}
	if i == digits && base != 8 || i == 0 {
		c.Diags.Errorf(t.Pos, "the integer constant '%s' has no digits", s)
		return c.badToken(t)
	}
	unsigned, long, ok := intSuffix(s[i:])
	if !ok {
		c.badSuffix(t, i, "integer")
		return c.badToken(t)
	}
	if over {
		c.Diags.Errorf(t.Pos, "the integer constant %s is too large: no type has more than 64 bits", s)
		return c.badToken(t)
	}
	n := c.Unit.Arena.Ints.Next()
	*n = tree.IntLit{Base: c.tokenInfo(t, c.intConstType(t, v, base == 10, unsigned, long)), Value: v}
	return n
}

// intConstType returns the first type of C's list that has the value.
func (c *Checker) intConstType(t token.Token, v uint64, decimal, unsigned, long bool) *types.Type {
	switch {
	case !long && !unsigned && v <= math.MaxInt32:
		return c.Types.Int
	case !long && (unsigned || !decimal) && v <= math.MaxUint32:
		return c.Types.UInt
	case !unsigned && v <= math.MaxInt64:
		return c.Types.Long
	case !unsigned && decimal:
		c.Diags.Warnf("implicitly-unsigned-literal", t.Pos,
			"the integer constant is too large for 'long': it is an 'ulong'")
	}
	return c.Types.ULong
}

// intSuffix reads u, l, ll and their combinations.
func intSuffix(s string) (unsigned, long, ok bool) {
	for s != "" {
		switch {
		case s[0]|32 == 'u' && !unsigned:
			unsigned, s = true, s[1:]
		case s[0]|32 == 'l' && !long:
			long = true
			if len(s) > 1 && s[1] == s[0] {
				s = s[1:]
			}
			s = s[1:]
		default:
			return false, false, false
		}
	}
	return unsigned, long, true
}

// badSuffix says that what stands behind the digits is nothing.
func (c *Checker) badSuffix(t token.Token, at int, kind string) {
	s := t.Text[at:]
	if strings.ContainsAny(s, "ijIJ") && strings.Trim(s, "uUlLfFhHiIjJ") == "" {
		c.Diags.Errorf(inToken(t, at), "OpenCL C has no imaginary constants")
		return
	}
	c.Diags.Errorf(inToken(t, at), "'%s' is no suffix of %s constant", s,
		map[string]string{"integer": "an integer", "floating": "a floating"}[kind])
}

func hexDigit(b byte) byte {
	switch {
	case b >= '0' && b <= '9':
		return b - '0'
	case b|32 >= 'a' && b|32 <= 'f':
		return b | 32 - 'a' + 10
	}
	return 255
}

// FloatConst is a floating constant.
func (c *Checker) FloatConst(t token.Token) tree.Expr {
	s := t.Text
	end, problem := floatDigits(s)
	if problem != "" {
		c.Diags.Errorf(inToken(t, end), "%s", problem)
		return c.badToken(t)
	}
	digits := s[:end]
	var to *types.Type
	switch s[end:] {
	case "", "l", "L":
		to = c.Types.Double
		if c.Opts.SinglePrecisionConstant {
			to = c.Types.Float
		} else if !c.doubleAllowed() {
			to = c.Types.Float
			c.Diags.Warnf("double-constant", t.Pos,
				"a constant of type 'double' needs cl_khr_fp64: it is taken as a 'float'")
		}
	case "f", "F":
		to = c.Types.Float
	case "h", "H", "f16", "F16":
		to = c.Types.Half
		if !c.halfAllowed() {
			c.Diags.Errorf(t.Pos, "a constant of type 'half' needs cl_khr_fp16")
			return c.badToken(t)
		}
	default:
		c.badSuffix(t, end, "floating")
		return c.badToken(t)
	}
	v := parseFloat(digits, to)
	n := c.Unit.Arena.Floats.Next()
	*n = tree.FloatLit{Base: c.tokenInfo(t, to), Value: v}
	if math.IsInf(v, 0) {
		c.Diags.Warnf("literal-range", t.Pos,
			"the constant is too large for '%s': it is infinite; the largest is %s", to,
			largest(to))
	} else if v == 0 && !zeroDigits(digits) {
		c.Diags.Warnf("literal-range", t.Pos, "the constant is too small for '%s': it is 0; the smallest is %s", to,
			smallest(to))
	}
	return n
}

// floatDigits returns where the digits and the exponent of a floating constant end, and what is wrong with
// them.
func floatDigits(s string) (int, string) {
	i, exp, hex := 0, byte('e'), false
	if len(s) > 1 && s[0] == '0' && s[1]|32 == 'x' {
		i, exp, hex = 2, 'p', true
	}
	dot := false
	for ; i < len(s) && (s[i] == '.' && !dot || s[i] >= '0' && s[i] <= '9' || hex && hexDigit(s[i]) < 16); i++ {
		dot = dot || s[i] == '.'
	}
	if i == len(s) || s[i]|32 != exp {
		if hex {
			return i, "a hexadecimal floating constant needs an exponent, as in 0x1.8p0"
		}
		return i, ""
	}
	j := i + 1
	if j < len(s) && (s[j] == '+' || s[j] == '-') {
		j++
	}
	k := j
	for k < len(s) && s[k] >= '0' && s[k] <= '9' {
		k++
	}
	if k == j {
		return i, "the exponent has no digits"
	}
	return k, ""
}

// zeroDigits reports whether all digits in front of the exponent are zero.
func zeroDigits(s string) bool {
	if len(s) > 1 && s[1]|32 == 'x' {
		s, _, _ = strings.Cut(strings.ToLower(s[2:]), "p")
	} else {
		s, _, _ = strings.Cut(strings.ToLower(s), "e")
	}
	return strings.Trim(s, "0.") == ""
}

// parseFloat returns the value of digits, rounded once to a type.
func parseFloat(digits string, t *types.Type) float64 {
	switch t.Kind {
	case types.FloatKind:
		v, _ := strconv.ParseFloat(digits, 32)
		return v
	case types.DoubleKind:
		v, _ := strconv.ParseFloat(digits, 64)
		return v
	}
	v, _ := strconv.ParseFloat(digits, 64)
	h := roundHalf(v)
	// Rounding twice is wrong only where the double lies in the middle between two halves and the digits do not.
	// Digits without end lie on the same side of the middle as their first thousand, or on it.
	up, down := roundHalf(math.Nextafter(v, math.Inf(1))), roundHalf(math.Nextafter(v, math.Inf(-1)))
	if up == down || math.IsInf(v, 0) || v == 0 {
		return h
	}
	exact, _, err := big.ParseFloat(digits, 0, uint(min(4*len(digits)+64, 1<<14)), big.ToNearestEven)
	if err != nil {
		return h
	}
	switch exact.Cmp(new(big.Float).SetFloat64(v)) {
	case 1:
		return up
	case -1:
		return down
	}
	return h
}

func largest(t *types.Type) string {
	return map[types.Kind]string{types.HalfKind: "65504", types.FloatKind: "3.40282347e+38",
		types.DoubleKind: "1.7976931348623157e+308"}[t.Kind]
}

func smallest(t *types.Type) string {
	return map[types.Kind]string{types.HalfKind: "5.9605e-8", types.FloatKind: "1.40129846e-45",
		types.DoubleKind: "4.9406564584124654e-324"}[t.Kind]
}

// CharConst is a character constant, of type int.
func (c *Checker) CharConst(t token.Token) tree.Expr {
	s := t.Text
	wide := strings.HasPrefix(s, "L")
	if wide {
		s = s[1:]
	}
	if len(s) < 2 || s[0] != '\'' || s[len(s)-1] != '\'' {
		return c.badToken(t) // the preprocessor has said why
	}
	at := len(t.Text) - len(s) + 1
	s = s[1 : len(s)-1]
	if s == "" {
		c.Diags.Errorf(t.Pos, "a character constant needs a character")
		return c.badToken(t)
	}
	var v uint32
	n := 0
	for i := 0; i < len(s); n++ {
		r, size, ok := c.character(t, s[i:], at+i, wide)
		if !ok {
			return c.badToken(t)
		}
		u := r&universal != 0
		r &^= universal
		switch {
		case wide:
			v = uint32(r)
		case u && r >= utf8.RuneSelf:
			c.Diags.Errorf(inToken(t, at+i), "the character '%c' does not fit into one byte", r)
			return c.badToken(t)
		default:
			v = v<<8 | uint32(r)
		}
		i += size
	}
	lit := c.Unit.Arena.Ints.Next()
	*lit = tree.IntLit{Base: c.tokenInfo(t, c.Types.Int)}
	switch {
	case n == 1 && !wide:
		lit.Value = uint64(int64(int8(v)))
	default:
		lit.Value = uint64(int64(int32(v)))
	}
	if n > 4 {
		c.Diags.Warnf("multichar", t.Pos, "the character constant has more characters than an 'int' has bytes")
	} else if n > 1 && n < 4 {
		c.Diags.Warnf("multichar", t.Pos, "the character constant has more than one character")
	}
	return lit
}

// character reads one character, or the escape sequence for one, and returns how long it is.
func (c *Checker) character(t token.Token, s string, at int, wide bool) (r rune, size int, ok bool) {
	if s[0] != '\\' || len(s) == 1 {
		if r, size = utf8.DecodeRuneInString(s); r >= utf8.RuneSelf && size > 1 {
			return r | universal, size, true
		}
		return rune(s[0]), 1, true
	}
	limit := rune(255)
	if wide {
		limit = math.MaxInt32
	}
	switch b := s[1]; b {
	case '\\', '\'', '"', '?':
		return rune(b), 2, true
	case 'a', 'b', 'f', 'n', 'r', 't', 'v', 'e', 'E':
		return rune(map[byte]byte{'a': 7, 'b': 8, 't': 9, 'n': 10, 'v': 11, 'f': 12, 'r': 13, 'e': 27,
			'E': 27}[b]), 2, true
	case 'x':
		v, i := int64(0), 2
		for ; i < len(s) && hexDigit(s[i]) < 16; i++ {
			if v <= math.MaxInt32 {
				v = v<<4 | int64(hexDigit(s[i]))
			}
		}
		switch {
		case i == 2:
			c.Diags.Errorf(inToken(t, at), "\\x needs hexadecimal digits")
			return 0, 0, false
		case v > int64(limit):
			c.Diags.Errorf(inToken(t, at), "the escape sequence %s is out of range", s[:i])
			return 0, 0, false
		}
		return rune(v), i, true
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v, i := rune(0), 1
		for ; i < len(s) && i < 4 && s[i] >= '0' && s[i] <= '7'; i++ {
			v = v<<3 | rune(s[i]-'0')
		}
		if v > limit {
			c.Diags.Errorf(inToken(t, at), "the escape sequence %s is out of range", s[:i])
			return 0, 0, false
		}
		return v, i, true
	case 'u', 'U':
		n := 4
		if b == 'U' {
			n = 8
		}
		v, i := int64(0), 2
		for ; i < len(s) && i < 2+n && hexDigit(s[i]) < 16; i++ {
			v = v<<4 | int64(hexDigit(s[i]))
		}
		surrogate := v >= 0xd800 && v < 0xe000
		if i < 2+n || v > utf8.MaxRune || surrogate || v < 0xa0 && v != '$' && v != '@' && v != '`' {
			c.Diags.Errorf(inToken(t, at), "%s is no character", s[:i])
			return 0, 0, false
		}
		return rune(v) | universal, i, true
	default:
		c.Diags.Warnf("unknown-escape-sequence", inToken(t, at), "there is no escape sequence \\%c", b)
		return rune(b), 2, true
	}
}

// universal marks characters that are written as \u and \U, or as they are: in strings they become UTF-8.
const universal = 1 << 30

// StringConst is one or more string literals in a row.
func (c *Checker) StringConst(ts []token.Token) tree.Expr {
	first, last := ts[0], ts[len(ts)-1]
	n := 1
	wide := false
	for _, t := range ts {
		n += len(t.Text)
		wide = wide || strings.HasPrefix(t.Text, "L")
	}
	value := make([]byte, 0, n)
	if wide {
		c.Diags.Errorf(first.Pos, "OpenCL C has no wide strings")
		return c.bad(first.Pos, first.Pos, c.Files.End(last.Pos, int(last.Len)))
	}
	for _, t := range ts {
		s := t.Text
		if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
			return c.bad(first.Pos, first.Pos, c.Files.End(last.Pos, int(last.Len)))
		}
		s = s[1 : len(s)-1]
		for i := 0; i < len(s); {
			j := strings.IndexByte(s[i:], '\\')
			if j != 0 {
				if j < 0 {
					j = len(s) - i
				}
				value = append(value, s[i:i+j]...)
				i += j
				continue
			}
			r, size, ok := c.character(t, s[i:], 1+i, false)
			if !ok {
				return c.bad(first.Pos, first.Pos, c.Files.End(last.Pos, int(last.Len)))
			}
			if r >= universal {
				value = utf8.AppendRune(value, r&^universal)
			} else {
				value = append(value, byte(r))
			}
			i += size
		}
	}
	return c.text(append(value, 0), first.Pos, c.Files.End(last.Pos, int(last.Len)))
}

// text is a string literal that ends with a zero.
func (c *Checker) text(value []byte, from, to source.Pos) tree.Expr {
	t := types.Qual{Type: c.Types.Array(qual(c.Types.Char), int64(len(value)))}
	return &tree.StringLit{Base: tree.Base{Type: t.In(types.Constant), Pos: from, From: from, To: to, LValue: true}, Value: value}
}
