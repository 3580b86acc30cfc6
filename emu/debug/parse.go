package debug

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
)

// ErrExpression is the error for what is no expression, or has no value.
var ErrExpression = errors.New("no value")

// node is an expression of OpenCL C: without assignments, calls of functions of the program, and literals of
// strings.
type node struct {
	op    string // "name", "number", "call", "cast", "list", "index", "member", "sizeof", "?:", or an operator; unary ones have one argument
	text  string // of a name, a number, a member, or a function
	typ   *Type  // of a cast or sizeof
	args  []*node
	float bool          // of a number
	means *isa.DebugVar // what a name means, in an expression that is evaluated at one place only
}

const (
	maxExpression = 1 << 12
	maxExprDepth  = 100
)

// exprParser reads an expression.
type exprParser struct {
	info  *info
	text  string
	at    int
	depth int
	err   error
}

func parseExpression(i *info, text string) (*node, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("%w: the expression has more than %d bytes", ErrExpression, maxExpression)
	}
	p := &exprParser{info: i, text: text}
	n := p.conditional()
	if p.space(); p.err == nil && p.at < len(text) {
		p.fail("%q is not expected", p.text[p.at:])
	}
	return n, p.err
}

func (p *exprParser) fail(format string, args ...any) *node {
	if p.err == nil {
		p.err = fmt.Errorf("%w: column %d of %q: %s", ErrExpression, p.at+1, p.text, fmt.Sprintf(format, args...))
	}
	p.at = len(p.text)
	return &node{op: "number", text: "0"}
}

func (p *exprParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// operators are those of two operands, by precedence, the loosest first. Longer ones stand before their
// beginnings.
var operators = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// take skips an operator, if it comes next.
func (p *exprParser) take(op string) bool {
	p.space()
	rest := p.text[p.at:]
	if !strings.HasPrefix(rest, op) {
		return false
	}
	// Not the beginning of a longer one.
	if len(rest) > len(op) {
		next := rest[len(op)]
		switch op {
		case "|", "&":
			if next == op[0] {
				return false
			}
		case "<", ">":
			if next == op[0] || next == '=' {
				return false
			}
		case "-":
			if next == '>' {
				return false
			}
		}
	}
	p.at += len(op)
	return true
}

func (p *exprParser) conditional() *node {
	if p.depth++; p.depth > maxExprDepth {
		return p.fail("brackets are too deep")
	}
	defer func() { p.depth-- }()
	c := p.binary(0)
	if !p.take("?") {
		return c
	}
	a := p.conditional()
	if !p.take(":") {
		return p.fail("':' is expected")
	}
	return &node{op: "?:", args: []*node{c, a, p.conditional()}}
}

func (p *exprParser) binary(level int) *node {
	if level == len(operators) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for p.err == nil {
		found := ""
		for _, op := range operators[level] {
			if p.take(op) {
				found = op
				break
			}
		}
		if found == "" {
			break
		}
		x = &node{op: found, args: []*node{x, p.binary(level + 1)}}
	}
	return x
}

func (p *exprParser) unary() *node {
	if p.depth++; p.depth > maxExprDepth {
		return p.fail("operators are too many")
	}
	defer func() { p.depth-- }()
	for _, op := range []string{"!", "~", "-", "+", "*", "&"} {
		if p.take(op) {
			return &node{op: "unary" + op, args: []*node{p.unary()}}
		}
	}
	if p.space(); strings.HasPrefix(p.text[p.at:], "(") {
		start := p.at
		p.at++
		if t := p.typeName(); t != nil && p.take(")") {
			if p.space(); t.strip().isComposite() && strings.HasPrefix(p.text[p.at:], "(") {
				p.at++
				return p.postfix(&node{op: "list", typ: t, args: p.arguments()})
			}
			return &node{op: "cast", typ: t, args: []*node{p.unary()}}
		}
		p.at = start
	}
	return p.postfix(p.primary())
}

// typeName reads a type, or returns nil: "global const float4 *", "struct s".
func (p *exprParser) typeName() *Type {
	start := p.at
	t := (*Type)(nil)
	space, tag := "", ""
	for {
		w := p.word()
		switch strings.TrimPrefix(w, "__") {
		case "const", "volatile":
			continue
		case "struct", "union", "enum":
			tag = w
			continue
		case "global", "local", "private", "constant", "generic":
			space = strings.TrimPrefix(w, "__")
			continue
		case "unsigned", "signed":
			sign := w
			save := p.at
			t = p.info.named(p.word())
			switch {
			case t == nil || !t.isInt():
				p.at = save
				t = p.info.base.integer
				fallthrough
			default:
				if sign == "unsigned" {
					t = p.info.named("u" + t.Name)
				}
			}
		default:
			if w != "" && tag != "" {
				t = p.info.tagged(tag, w)
			} else if w != "" {
				t = p.info.named(w)
			}
		}
		break
	}
	if t == nil {
		p.at = start
		return nil
	}
	for p.take("*") {
		t = &Type{Kind: debugPointer, Elem: t, Size: 8, Space: spaceNamed(space)}
	}
	return t
}

// word reads a name.
func (p *exprParser) word() string {
	p.space()
	start := p.at
	for p.at < len(p.text) && (nameByte(p.text[p.at]) || p.at > start && p.text[p.at] >= '0' && p.text[p.at] <= '9') {
		p.at++
	}
	return p.text[start:p.at]
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func (p *exprParser) primary() *node {
	p.space()
	if p.at == len(p.text) {
		return p.fail("an expression is expected")
	}
	switch c := p.text[p.at]; {
	case c == '(':
		p.at++
		x := p.conditional()
		if !p.take(")") {
			return p.fail("')' is expected")
		}
		return x
	case c >= '0' && c <= '9' || c == '.':
		return p.number()
	case c == '\'':
		return p.character()
	case nameByte(c):
		name := p.word()
		if name == "sizeof" {
			return p.sizeOf()
		}
		if p.take("(") {
			return &node{op: "call", text: name, args: p.arguments()}
		}
		return &node{op: "name", text: name}
	default:
		return p.fail("%q is not expected", string(c))
	}
}

func (p *exprParser) sizeOf() *node {
	start := p.at
	if p.take("(") {
		if t := p.typeName(); t != nil && p.take(")") {
			return &node{op: "sizeof", typ: t}
		}
	}
	p.at = start
	return &node{op: "sizeof", args: []*node{p.unary()}}
}

// arguments reads expressions up to the closing bracket.
func (p *exprParser) arguments() (list []*node) {
	if p.take(")") {
		return nil
	}
	for p.err == nil {
		list = append(list, p.conditional())
		if p.take(")") {
			return list
		}
		if !p.take(",") {
			p.fail("',' or ')' is expected")
		}
	}
	return list
}

// number reads a literal. What it means is worked out later: its suffix is part of the text.
func (p *exprParser) number() *node {
	start := p.at
	hex := strings.HasPrefix(p.text[p.at:], "0x") || strings.HasPrefix(p.text[p.at:], "0X")
	float := false
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			float = float || !hex && (c == 'e' || c == 'E' || c == 'f' || c == 'F') || hex && (c == 'p' || c == 'P')
			continue
		case c == '.':
			float = true
			continue
		case (c == '+' || c == '-') && p.at > start && strings.IndexByte("eEpP", p.text[p.at-1]) >= 0 && (!hex || strings.IndexByte("pP", p.text[p.at-1]) >= 0):
			continue
		}
		break
	}
	return &node{op: "number", text: p.text[start:p.at], float: float}
}

func (p *exprParser) character() *node {
	r, _, tail, err := strconv.UnquoteChar(p.text[p.at+1:], '\'')
	if err != nil || !strings.HasPrefix(tail, "'") || r > 127 {
		return p.fail("a character is expected")
	}
	p.at = len(p.text) - len(tail) + 1
	return &node{op: "number", text: strconv.Itoa(int(r))}
}

func (p *exprParser) postfix(x *node) *node {
	for n := 0; p.err == nil; n++ {
		if n > maxExprDepth {
			return p.fail("there are too many parts")
		}
		switch {
		case p.take("["):
			i := p.conditional()
			if !p.take("]") {
				return p.fail("']' is expected")
			}
			x = &node{op: "index", args: []*node{x, i}}
		case p.take("->"):
			x = &node{op: "member", text: p.word(), args: []*node{{op: "unary*", args: []*node{x}}}}
		case p.take("."):
			x = &node{op: "member", text: p.word(), args: []*node{x}}
		default:
			return x
		}
		if x.op == "member" && x.text == "" {
			return p.fail("the name of a member is expected")
		}
	}
	return x
}
