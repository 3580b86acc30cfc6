package clcgen

import (
	"fmt"
	"strings"
)

// vector makes an expression of exactly the vector type t.
func (g *gen) vector(t *typ, d int) *Node {
	if g.static {
		return g.constantVector(t)
	}
	if d <= 0 {
		return g.vectorLeaf(t, d)
	}
	sub := func() *Node { return g.vector(t, d-1) }
	isFloat := t.isFloat()
	switch g.n(24) {
	case 0, 1:
		return g.vectorLeaf(t, d)
	case 2, 3:
		return g.vectorLiteral(t, d)
	case 4, 5, 6:
		return g.vectorArithmetic(t, d)
	case 7:
		if isFloat {
			return node(t.name, "(@ / @)", sub(), sub())
		}
		return node(t.name, "(@ "+pick(&g.rng, []string{"/", "%"})+" @)", sub(), g.operand(t, sub()))
	case 8:
		if !isFloat {
			return node(t.name, "(@ "+pick(&g.rng, []string{"<<", ">>"})+" @)", sub(), sub())
		}
	case 9:
		if !isFloat {
			return node(t.name, pick(&g.rng, []string{"(~@)", "(- @)", "(+ @)"}), sub())
		}
		return node(t.name, "(- @)", sub())
	case 10, 11:
		if !isFloat && t.elem.signed {
			return g.vectorCompare(t, d)
		}
	case 12:
		return g.vectorTernary(t, d)
	case 13:
		return g.vectorSelect(t, d)
	case 14, 15:
		return g.convertVector(t, d)
	case 16:
		return g.reinterpret(t, d)
	case 17, 18:
		if isFloat {
			return g.floatCall(t, d)
		}
		return g.integerCall(t, d)
	case 19:
		return g.shuffle(t, d)
	case 20:
		if f := g.call(t, d); f != nil {
			return f
		}
	case 21:
		return g.effect(t, d)
	case 22:
		return g.load(t, d)
	case 23:
		if t.n == 3 && !isFloat && t.elem.bits == 32 {
			return node(t.name, "convert_"+t.name+"_sat(cross(convert_float3(@), convert_float3(@)).zyx)", sub(), sub())
		}
		return node(t.name, "(@, @)", g.integer(d-1), sub())
	}
	return g.vectorLeaf(t, d)
}

// vectorLeaf makes a vector of a variable or a literal.
func (g *gen) vectorLeaf(t *typ, d int) *Node {
	for range 4 {
		if len(g.scope) == 0 {
			break
		}
		n, v, _ := g.walk(pick(&g.rng, g.scope))
		switch {
		case v == t:
			n.Class = t.name
			return n
		case v.kind == vector && v.elem == t.elem && (v.n >= t.n || g.one(2)):
			if s := g.swizzle(v.n, t.n, true); s != "" {
				return node(t.name, "@."+s, n)
			}
		case v.base() == t.elem && v.kind != vector && g.one(2):
			return node(t.name, "("+t.name+")(@)", n)
		}
	}
	return g.vectorLiteral(t, d)
}

// swizzle chooses n of from components. For a target the components are distinct.
func (g *gen) swizzle(from, n int, repeat bool) string {
	if n*2 == from+from&1 && g.one(2) {
		// Of a vector of 3, hi and odd have a component without a value.
		if from != 3 {
			return pick(&g.rng, []string{"lo", "hi", "even", "odd"})
		}
		return pick(&g.rng, []string{"lo", "even"})
	}
	if !repeat && n > from {
		return ""
	}
	order := make([]int, from)
	for i := range order {
		j := g.n(i + 1)
		order[i] = order[j]
		order[j] = i
	}
	digits := "0123456789abcdef"
	prefix := "s"
	if from <= 4 && n <= 4 && g.one(2) {
		digits, prefix = "xyzw", ""
	}
	var b strings.Builder
	b.WriteString(prefix)
	for i := range n {
		c := 0
		if repeat {
			c = g.n(from)
		} else {
			c = order[i]
		}
		b.WriteByte(digits[c])
	}
	return b.String()
}

// vectorLiteral makes (T)(...) of parts.
func (g *gen) vectorLiteral(t *typ, d int) *Node {
	part := func(n int) *Node {
		if n > 1 {
			return g.vector(vec(t.elem, n), d-2)
		}
		return g.value(t.elem, d-2)
	}
	if g.one(4) {
		return node(t.name, "("+t.name+")@", paren(part(1)))
	}
	var list []*Node
	for left := t.n; left > 0; {
		n := 1
		if d > 0 {
			n = pick(&g.rng, []int{1, 1, 2, 3, 4, 8})
		} else if t.n > 4 && left >= 4 {
			n = 4
		}
		if n > left || n == t.n {
			n = 1
		}
		list = append(list, part(n))
		left -= n
	}
	return node(t.name, "@", separated("("+t.name+")(", ")", list))
}

func (g *gen) vectorArithmetic(t *typ, d int) *Node {
	ops := []string{"+", "-", "*", "&", "|", "^"}
	if t.isFloat() {
		ops = ops[:3]
	}
	a := g.vector(t, d-1)
	var b *Node
	if g.one(3) {
		b = g.exact(t.elem, d-1)
	} else {
		b = g.vector(t, d-1)
	}
	if g.one(2) {
		a, b = b, a
	}
	return node(t.name, "(@ "+pick(&g.rng, ops)+" @)", a, b)
}

// vectorCompare makes a comparison or a logical operation, whose result is a vector of signed integers.
func (g *gen) vectorCompare(t *typ, d int) *Node {
	of := vec(g.sameWidth(t.elem.bits), t.n)
	a, b := g.vector(of, d-1), g.vector(of, d-1)
	if g.one(3) {
		b = g.exact(of.elem, d-1)
	}
	if of.isFloat() {
		switch g.n(4) {
		case 0:
			return node(t.name, pick(&g.rng, []string{"isnan", "isinf", "isfinite", "isnormal"})+"(@)", a)
		case 1:
			name := pick(&g.rng, []string{"isequal", "isnotequal", "isgreater", "isless", "islessgreater", "isordered"})
			return node(t.name, name+"(@, @)", a, g.vector(of, d-1))
		}
	}
	switch g.n(8) {
	case 0:
		return node(t.name, "(!@)", a)
	case 1, 2:
		// clang's constant expressions have 1 for true here, where the language has -1: one operand is no constant.
		return node(t.name, "(@ "+pick(&g.rng, []string{"&&", "||"})+" (@ + ("+of.name+")(get_global_id(0))))", a, b)
	}
	return node(t.name, "(@ "+pick(&g.rng, []string{"<", "<=", ">", ">=", "==", "!="})+" @)", a, b)
}

// sameWidth chooses a scalar type of a width.
func (g *gen) sameWidth(bits int) *typ {
	for {
		if t := pick(&g.rng, g.scalars); t.bits == bits {
			return t
		}
	}
}

func (g *gen) vectorTernary(t *typ, d int) *Node {
	a, b := g.vector(t, d-1), g.vector(t, d-1)
	if g.one(3) {
		return node(t.name, "(@ ? @ : @)", g.condition(d-1), a, b)
	}
	c := g.vector(vec(intOf(t.elem.bits, g.n(4) > 0), t.n), d-1)
	return node(t.name, "(@ ? @ : @)", c, a, b)
}

func (g *gen) vectorSelect(t *typ, d int) *Node {
	a, b := g.vector(t, d-1), g.vector(t, d-1)
	if !t.isFloat() && g.one(3) {
		return node(t.name, "bitselect(@, @, @)", a, b, g.vector(t, d-1))
	}
	return node(t.name, "select(@, @, @)", a, b, g.vector(vec(intOf(t.elem.bits, g.one(2)), t.n), d-1))
}

// convertVector converts a vector of another type.
func (g *gen) convertVector(t *typ, d int) *Node {
	from := vec(pick(&g.rng, g.scalars), t.n)
	v := g.vector(from, d-1)
	round := pick(&g.rng, []string{"", "_rte", "_rtz", "_rtp", "_rtn"})
	switch {
	case t.isFloat():
		return node(t.name, "convert_"+t.name+round+"(@)", v)
	case from.isFloat() && g.one(2):
		low := "0"
		if t.elem.signed {
			low = "-100"
		}
		clamp := fmt.Sprintf("fmax(fmin(@, (%s)100), (%s)%s)", from.name, from.name, low)
		return node(t.name, "convert_"+t.name+round+"("+clamp+")", v)
	case from.isFloat() || g.one(2):
		return node(t.name, "convert_"+t.name+"_sat"+round+"(@)", v)
	}
	return node(t.name, "convert_"+t.name+round+"(@)", v)
}

// reinterpret makes as_T of something of the same size.
func (g *gen) reinterpret(t *typ, d int) *Node {
	for range 4 {
		s := pick(&g.rng, g.scalars)
		n := t.elem.bits * t.n / s.bits
		if t.n == 3 {
			n = 3
			if s.bits != t.elem.bits {
				continue
			}
		}
		if n != 1 && vec(s, n) == nil || n*s.bits != t.elem.bits*t.n {
			continue
		}
		from := vec(s, n)
		if s.kind == floating {
			return node(t.name, "as_"+t.name+"("+g.number(from)+"(@))", g.exact(from, d-1))
		}
		return node(t.name, "as_"+t.name+"(@)", g.exact(from, d-1))
	}
	return g.vectorLeaf(t, d)
}

// shuffle makes shuffle or shuffle2.
func (g *gen) shuffle(t *typ, d int) *Node {
	if t.n == 3 {
		return g.vectorLeaf(t, d)
	}
	from := vec(t.elem, pick(&g.rng, []int{2, 4, 8, 16}))
	mask := g.vector(vec(intOf(t.elem.bits, false), t.n), d-1)
	if g.one(2) {
		return node(t.name, "shuffle(@, @)", g.vector(from, d-1), mask)
	}
	return node(t.name, "shuffle2(@, @, @)", g.vector(from, d-1), g.vector(from, d-1), mask)
}

// load makes a vloadn of an array.
func (g *gen) load(t *typ, d int) *Node {
	start := g.n(len(g.scope) + 1)
	for i := range g.scope {
		v := g.scope[(start+i)%len(g.scope)]
		if v.register || v.t.kind != array && v.t.kind != pointer || v.t.elem != t.elem || v.t.n < t.n {
			continue
		}
		return node(t.name, fmt.Sprintf("vload%d(@, %s)", t.n, v.name), g.index(v.t.n/t.n, d-1))
	}
	return g.vectorLeaf(t, d)
}
