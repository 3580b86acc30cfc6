package clcgen

import (
	"fmt"
	"strings"
)

// function makes a function.
func (g *gen) function() *Node {
	f := &function{name: g.name("f")}
	scope := len(g.scope)
	cost := g.cost
	g.cost = 0
	var params []string
	for range 1 + g.n(4) {
		v := &variable{name: g.name("a")}
		switch k := g.n(12); {
		case k < 4:
			v.t = pick(&g.rng, g.scalars)
		case k < 7:
			v.t = vec(pick(&g.rng, g.scalars), pick(&g.rng, lengths))
		case k < 9:
			v.t = pick(&g.rng, g.records)
		case k < 11:
			elem := pick(&g.rng, g.scalars)
			if g.one(3) {
				elem = vec(elem, pick(&g.rng, lengths))
			} else if g.one(4) {
				elem = pick(&g.rng, g.records)
			}
			space := pick(&g.rng, []string{"", "", "private", "global", "constant"})
			readonly := space == "constant" || elem.kind == union || g.one(2)
			v.t = pointerTo(elem, pick(&g.rng, []int{1, 1, 2, 4}), space, readonly)
			f.writes = f.writes || !readonly
		default:
			v.t = boolT
		}
		g.scope = append(g.scope, v)
		f.params = append(f.params, v.t)
		params = append(params, v.t.declare(v.name))
	}
	switch k := g.n(10); {
	case k < 5:
		f.result = pick(&g.rng, g.scalars)
	case k < 8:
		f.result = vec(pick(&g.rng, g.scalars), pick(&g.rng, lengths))
	default:
		f.result = pick(&g.rng, g.records)
	}
	qualifiers := pick(&g.rng, []string{"", "static ", "static inline ", "__attribute__((always_inline)) ",
		"__attribute__((noinline)) static ", "inline __attribute__((always_inline)) static "})
	g.result = f.result
	body := g.block0(2+g.n(4), 2)
	// The last statement needs the variables of the body in sight.
	g.result = nil
	f.cost = g.cost + 1
	g.cost = cost
	g.scope = g.scope[:scope]
	g.funcs = append(g.funcs, f)
	head := fmt.Sprintf("%s%s %s(%s)", qualifiers, f.result.name, f.name, strings.Join(params, ", "))
	if g.one(4) {
		return node("", head+";\n"+head+" {\n@}", body)
	}
	return node("", head+" {\n@}", body)
}

// block0 makes the body of a function, which ends in a return.
func (g *gen) block0(n, d int) *Node {
	l := list()
	for range n {
		g.statement(l, d)
	}
	pre := g.pre
	g.pre = nil
	var decl, last *Node
	if r := g.result; r.kind == record || r.kind == union {
		v := &variable{name: g.name("v"), t: r}
		decl = g.declare(v, "", g.initializer(r, 2))
		last = leaf("", "return "+v.name+";")
	} else {
		last = node("", "return @;", g.value(r, 3))
	}
	l.kids = append(l.kids, g.pre...)
	g.pre = pre
	if decl != nil {
		l.kids = append(l.kids, decl)
	}
	l.kids = append(l.kids, last)
	return l
}

// makeKernel makes a kernel.
func (g *gen) makeKernel(name string) *Node {
	scope := len(g.scope)
	g.kernel, g.top, g.cost, g.local = true, true, 0, nil
	params := []string{"global ulong *out"}
	start := list(leaf("", fmt.Sprintf("global ulong *o = out + get_global_id(0) * %d;", slots)))
	for range g.n(5) {
		params = append(params, g.parameter(start))
	}
	body := list()
	for range 5 + g.n(12) {
		g.statement(body, 3)
	}
	for i, v := range g.scope[scope:] {
		if v.t.kind == pointer && v.t.readonly {
			continue
		}
		if n, t, _ := g.walk(v); n != nil {
			body.kids = append(body.kids, node("", fmt.Sprintf("o[%d] += %s(@);", i%slots, g.mix(plain(t))), n))
		}
	}
	attr := ""
	switch g.n(6) {
	case 0:
		attr = fmt.Sprintf("__attribute__((reqd_work_group_size(%d, 1, 1)))\n", Group)
	case 1:
		attr = "__attribute__((work_group_size_hint(8, 1, 1))) __attribute__((vec_type_hint(float4)))\n"
	}
	local := list()
	for _, l := range g.local {
		local.kids = append(local.kids, leaf("", l))
	}
	g.scope = g.scope[:scope]
	g.kernel, g.top = false, false
	word := pick(&g.rng, []string{"kernel", "__kernel"})
	return node("", fmt.Sprintf("%s%s void %s(%s) {\n@@@}", attr, word, name, strings.Join(params, ", ")), local, start, body)
}

// plain is the type that a scalar or a vector is mixed as.
func plain(t *typ) *typ {
	if t.kind == enumeration || t.kind == boolean {
		return intT
	}
	return t
}

// parameter makes a parameter of a kernel and what is declared for it.
func (g *gen) parameter(start *Node) string {
	elem := pick(&g.rng, g.scalars)
	if g.one(3) {
		elem = vec(elem, pick(&g.rng, lengths))
	} else if r := pick(&g.rng, g.records); g.one(4) && r.host && r.size <= 200 {
		elem = r
	}
	n := max(2, min(16, Bytes/Items/max(elem.size, 1)))
	switch g.n(4) {
	case 0: // a value
		if elem.kind == floating && elem.bits == 16 {
			elem = intT
		}
		v := &variable{name: g.name("arg"), t: elem}
		g.scope = append(g.scope, v)
		return elem.declare(v.name)
	case 1: // memory of each item's own
		name := g.name("rw")
		n = min(n, 4)
		v := &variable{name: g.name("p"), t: pointerTo(elem, n, "global", false)}
		g.scope = append(g.scope, v)
		start.kids = append(start.kids, leaf("", fmt.Sprintf("%s = %s + get_global_id(0) * %d;", v.t.declare(v.name), name, n)))
		return v.t.declare(name)
	case 2:
		v := &variable{name: g.name("inc"), t: pointerTo(elem, n, "constant", true)}
		g.scope = append(g.scope, v)
		return "constant " + elem.name + " *" + v.name
	}
	v := &variable{name: g.name("in"), t: pointerTo(elem, n, "global", true)}
	g.scope = append(g.scope, v)
	return v.t.declare(v.name)
}
