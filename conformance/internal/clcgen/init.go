package clcgen

import "fmt"

// initializer makes what stands behind the = of a declaration.
func (g *gen) initializer(t *typ, d int) *Node {
	switch t.kind {
	case array:
		return g.arrayInitializer(t, d)
	case record:
		if !g.static && g.one(4) {
			if n := g.aggregate(t, d); n != nil {
				return n
			}
		}
		return g.recordInitializer(t, d)
	case union:
		f := t.fields[0]
		v := g.punned(f.t, d)
		if g.one(2) {
			return node("", "{ ."+f.name+" = @ }", v)
		}
		return node("", "{ @ }", v)
	case vector:
		if g.static {
			return g.constantVector(t)
		}
	}
	return g.value(t, d)
}

// punned makes an initializer of a union's member: it holds no NaNs.
func (g *gen) punned(t *typ, d int) *Node {
	if t.kind == array {
		if t.elem.isFloat() && !g.static {
			list := make([]*Node, t.n)
			for i := range list {
				list[i] = node("", g.number(t.elem)+"(@)", g.value(t.elem, d-1))
			}
			return separated("{ ", " }", list)
		}
		return g.arrayInitializerFull(t, d)
	}
	n := g.initializer(t, d)
	if t.isFloat() && !g.static {
		return node("", g.number(t)+"(@)", n)
	}
	return n
}

func (g *gen) arrayInitializerFull(t *typ, d int) *Node {
	list := make([]*Node, t.n)
	for i := range list {
		list[i] = g.initializer(t.elem, d-1)
	}
	return separated("{ ", " }", list)
}

func (g *gen) arrayInitializer(t *typ, d int) *Node {
	var list []*Node
	zero := "EN_ZERO" + g.opt.Suffix
	switch g.n(4) {
	case 0: // the first ones
		for range 1 + g.n(t.n) {
			list = append(list, g.initializer(t.elem, d-1))
		}
	case 1: // by index, in rising order
		for i := 0; i < t.n; i++ {
			if g.one(2) {
				if g.one(2) || len(list) == 0 {
					list = append(list, node("", fmt.Sprintf("[%d] = @", i), g.initializer(t.elem, d-1)))
				} else {
					list = append(list, node("", fmt.Sprintf("[%s + %d] = @", zero, i), g.initializer(t.elem, d-1)))
				}
				if i+1 < t.n && g.one(3) {
					list = append(list, g.initializer(t.elem, d-1))
					i++
				}
			}
		}
		if len(list) == 0 {
			list = append(list, node("", "[0] = @", g.initializer(t.elem, d-1)))
		}
		g.helper(zero, "enum { "+zero+" };")
	default:
		return g.arrayInitializerFull(t, d)
	}
	return separated("{ ", " }", list)
}

func (g *gen) recordInitializer(t *typ, d int) *Node {
	var list []*Node
	if g.one(2) {
		for _, f := range t.fields[:1+g.n(len(t.fields))] {
			list = append(list, g.initializer(f.t, d-1))
		}
		return separated("{ ", " }", list)
	}
	for i, f := range t.fields {
		switch {
		case g.one(4) && i > 0:
		case f.t.kind == array && f.t.elem.leafy() && g.one(3):
			list = append(list, node("", fmt.Sprintf(".%s[%d] = @", f.name, g.n(f.t.n)), g.initializer(f.t.elem, d-1)))
		default:
			list = append(list, node("", "."+f.name+" = @", g.initializer(f.t, d-1)))
		}
	}
	return separated("{ ", " }", list)
}

// constantVector makes a vector literal of constants.
func (g *gen) constantVector(t *typ) *Node {
	if g.one(3) {
		return node("", "("+t.name+")(@)", g.literal(t.elem))
	}
	list := make([]*Node, t.n)
	for i := range list {
		list[i] = g.literal(t.elem)
	}
	return separated("("+t.name+")(", ")", list)
}

// constantScalar makes a constant expression.
func (g *gen) constantScalar(t *typ, d int) *Node {
	if d <= 0 || g.one(2) {
		return g.literal(t)
	}
	a, b := g.constantScalar(t, d-1), g.constantScalar(t, d-1)
	if t.isFloat() {
		return node("", pick(&g.rng, []string{"(@ + @)", "(@ * @)", "(@ - @)"}), a, b)
	}
	switch g.n(6) {
	case 0:
		return node("", "(@ < @ ? @ : - @)", a, b, g.literal(t), g.literal(t))
	case 1:
		return node("", "("+pick(&g.rng, g.ints).name+")(@ ^ @)", a, b)
	case 2:
		return node("", "((@ << 3) | (@ & 5))", a, b)
	case 3:
		return node("", "(@ / 7 + @ % 5)", a, b)
	case 4:
		return node("", "(!@ || ~@)", a, b)
	}
	return node("", pick(&g.rng, []string{"(@ + @)", "(@ * @)", "(@ - @)", "(@ | @)", "(@ >= @)"}), a, b)
}
