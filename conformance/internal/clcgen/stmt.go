package clcgen

import (
	"fmt"
	"strings"
)

// block makes n statements, or about as many, in a scope of their own.
func (g *gen) block(n, d int) *Node {
	scope := len(g.scope)
	l := list()
	for range n {
		g.statement(l, d)
	}
	g.scope = g.scope[:scope]
	return l
}

// statement appends a statement and the declarations that it needs.
func (g *gen) statement(l *Node, d int) {
	pre := g.pre
	g.pre = nil
	names := len(g.scope)
	s := g.oneStatement(d)
	l.kids = append(l.kids, g.pre...)
	g.pre = pre
	_ = names
	if s != nil {
		l.kids = append(l.kids, s)
	}
	g.cost += g.trips
}

func (g *gen) oneStatement(d int) *Node {
	if d > 0 && g.cost < 1500 {
		switch g.n(22) {
		case 0, 1:
			return g.ifStatement(d)
		case 2, 3:
			if g.trips <= 16 {
				return g.loop(d)
			}
		case 4:
			return g.switchStatement(d)
		case 5:
			return g.gotoStatement(d)
		case 6:
			top := g.top
			g.top = false
			n := node("", "{\n@}", g.block(1+g.n(3), d-1))
			g.top = top
			return n
		}
	}
	depth := 2 + g.n(3)
	switch g.n(24) {
	case 0, 1, 2, 3, 4:
		return g.declaration(depth)
	case 5, 6, 7, 8, 9, 10:
		if s := g.assignment(depth); s != nil {
			return s
		}
	case 11:
		if s := g.aggregateAssignment(depth); s != nil {
			return s
		}
	case 12, 13:
		if s := g.vectorAssignment(depth); s != nil {
			return s
		}
	case 14:
		if s := g.writingCall(depth); s != nil {
			return s
		}
	case 15:
		if g.loops > 0 && g.breaks {
			return node("", "if (@) "+pick(&g.rng, []string{"break", "continue"})+";", g.condition(2))
		}
	case 16:
		if g.result != nil {
			return node("", "if (@) return @;", g.condition(2), g.value(g.result, 2))
		}
	case 17:
		if s := g.store(depth); s != nil {
			return s
		}
	case 18, 19:
		if g.kernel && g.top && !g.opt.Plain {
			return g.together(depth)
		}
	}
	if g.kernel {
		return g.sink(depth)
	}
	return g.declaration(depth)
}

// sink makes a statement that mixes a value into the item's words of the output.
func (g *gen) sink(d int) *Node {
	slot := g.n(slots)
	switch g.n(4) {
	case 0:
		t := vec(pick(&g.rng, g.scalars), pick(&g.rng, lengths))
		return node("", fmt.Sprintf("o[%d] = o[%d] * 7 + %s(@);", slot, slot, g.mix(t)), g.vector(t, d))
	case 1:
		t := pick(&g.rng, g.floats)
		return node("", fmt.Sprintf("o[%d] = o[%d] * 7 + %s(@);", slot, slot, g.mix(t)), g.exact(t, d))
	}
	return node("", fmt.Sprintf("o[%d] %s (ulong)(@);", slot, pick(&g.rng, []string{"+=", "^=", "="})), g.integer(d))
}

// declare puts a variable in sight and declares it.
func (g *gen) declare(v *variable, prefix string, init *Node) *Node {
	g.scope = append(g.scope, v)
	return node("", prefix+v.t.declare(v.name)+" = @;", init)
}

// declaration makes a declaration of a variable.
func (g *gen) declaration(d int) *Node {
	v := &variable{name: g.name("v")}
	prefix := ""
	switch g.n(8) {
	case 0:
		prefix = "const "
		v.readonly = true
	case 1:
		if g.kernel || g.result != nil {
			prefix = "private "
		}
	}
	switch k := g.n(20); {
	case k < 6:
		v.t = pick(&g.rng, g.scalars)
		if g.one(12) {
			v.t = pick(&g.rng, g.enums)
		}
	case k < 11:
		v.t = vec(pick(&g.rng, g.scalars), pick(&g.rng, lengths))
	case k < 14:
		v.t = pick(&g.rng, g.records)
	case k < 17:
		v.t = arrayOf(g.fieldType(true), 2+g.n(7))
		if v.t.size <= 64 && g.one(3) {
			v.t = arrayOf(v.t, 2+g.n(3))
		}
	default:
		if n := g.pointer(); n != nil {
			return n
		}
		v.t = boolT
	}
	return g.declare(v, prefix, g.initializer(v.t, d))
}

// pointer declares a pointer to something in sight, nil if there is nothing.
func (g *gen) pointer() *Node {
	for range 8 {
		if len(g.scope) == 0 {
			return nil
		}
		v := pick(&g.rng, g.scope)
		if v.register || v.t.packed || v.t.kind == union {
			continue
		}
		p := &variable{name: g.name("p")}
		space, readonly := v.space, v.readonly
		if v.t.kind == pointer {
			space, readonly = v.t.space, v.t.readonly
		}
		written := space
		if space == "private" || space == "local" || space == "global" {
			if g.opt.Version >= 200 && g.one(2) {
				written = ""
			}
		}
		readonly = readonly || g.one(4)
		var init *Node
		var elem *typ
		n := 1
		switch {
		case v.t.kind == array || v.t.kind == pointer:
			at := g.n(v.t.n)
			elem, n = v.t.elem, v.t.n-at
			init = leaf("", fmt.Sprintf(pick(&g.rng, []string{"&%s[%d]", "%s + %d"}), v.name, at))
		case v.t.kind == record && g.one(2):
			f := pick(&g.rng, v.t.fields)
			elem = f.t
			init = leaf("", "&"+v.name+"."+f.name)
			if f.t.kind == array {
				elem, n = f.t.elem, f.t.n
				init = leaf("", v.name+"."+f.name)
			}
		default:
			elem = v.t
			init = leaf("", "&"+v.name)
		}
		if elem.kind == array || elem.kind == pointer || elem.kind == union && !readonly {
			continue
		}
		p.t = pointerTo(elem, n, written, readonly)
		return g.declare(p, "", init)
	}
	return nil
}

// target finds a scalar or a vector that can be written.
func (g *gen) target() (n *Node, t *typ, punned bool) {
	for range 12 {
		if len(g.scope) == 0 {
			return nil, nil, false
		}
		v := g.scope[len(g.scope)-1-min(g.n(len(g.scope)), g.n(len(g.scope)))]
		if v.readonly || v.limit != 0 || v.t.kind == pointer && v.t.readonly {
			continue
		}
		return g.walk(v)
	}
	return nil, nil, false
}

// assignment makes an assignment to a scalar or a vector.
func (g *gen) assignment(d int) *Node {
	n, t, punned := g.target()
	if n == nil {
		return nil
	}
	if punned && t.isFloat() {
		return node("", "@ = "+g.number(t)+"(@);", n, g.exact(t, d))
	}
	if t.kind == integer && g.one(6) {
		return node("", pick(&g.rng, []string{"@++;", "++@;", "@--;", "--@;"}), n)
	}
	if t.kind == vector && !t.isFloat() && g.one(8) {
		return node("", pick(&g.rng, []string{"@++;", "++@;", "@--;", "--@;"}), n)
	}
	if t.kind == boolean || t.kind == enumeration || g.one(2) {
		return node("", "@ = @;", n, g.value(t, d))
	}
	return node("", "@ "+g.compound(t)+" @;", n, g.operand(t, g.value(t, d)))
}

// vectorAssignment makes an assignment to components of a vector.
func (g *gen) vectorAssignment(d int) *Node {
	for range 6 {
		n, t, punned := g.target()
		if n == nil || t.kind != vector || punned && t.isFloat() {
			continue
		}
		if g.one(3) {
			c := g.component(t.n)
			return node("", "@."+c+" "+g.compound(t.elem)+" @;", n, g.operand(t.elem, g.value(t.elem, d)))
		}
		count := pick(&g.rng, lengths)
		s := g.swizzle(t.n, count, false)
		if s == "" || count > t.n {
			continue
		}
		part := vec(t.elem, count)
		op := pick(&g.rng, []string{"=", "=", g.compoundSafe(part)})
		return node("", "@."+s+" "+op+" @;", n, g.vector(part, d))
	}
	return nil
}

// aggregateAssignment makes an assignment of a whole record.
func (g *gen) aggregateAssignment(d int) *Node {
	for range 6 {
		if len(g.scope) == 0 {
			return nil
		}
		v := pick(&g.rng, g.scope)
		t, n := v.t, leaf("", v.name)
		switch {
		case v.readonly || t.kind == pointer && t.readonly:
			continue
		case t.kind == pointer && (t.elem.kind == record || t.elem.kind == union):
			t, n = t.elem, leaf("", "*"+v.name)
		case t.kind == array && (t.elem.kind == record || t.elem.kind == union):
			t, n = t.elem, node("", v.name+"[@]", g.index(t.n, 1))
		case t.kind != record && t.kind != union:
			continue
		}
		if from := g.aggregate(t, d); from != nil {
			return node("", "@ = @;", n, from)
		}
	}
	return nil
}

// writingCall makes a call of a function that writes through a pointer.
func (g *gen) writingCall(d int) *Node {
	for _, f := range g.funcs {
		if !f.writes || f.cost*g.trips > 3000 || g.one(2) {
			continue
		}
		if args := g.arguments(f, d); args != nil {
			g.cost += f.cost
			if f.result == nil || !f.result.leafy() || !g.kernel || g.one(3) {
				return node("", f.name+"@;", args)
			}
			slot := g.n(slots)
			return node("", fmt.Sprintf("o[%d] += %s(%s@);", slot, g.mix(f.result), f.name), args)
		}
	}
	return nil
}

// store makes a vstoren into an array.
func (g *gen) store(d int) *Node {
	for _, v := range g.scope {
		if v.readonly || v.register || v.t.kind != array && v.t.kind != pointer || v.t.readonly || g.one(2) {
			continue
		}
		e := v.t.elem
		if e.kind != integer && e.kind != floating {
			continue
		}
		n := pick(&g.rng, lengths)
		if n > v.t.n {
			continue
		}
		return node("", fmt.Sprintf("vstore%d(@, @, %s);", n, v.name), g.vector(vec(e, n), d), g.index(v.t.n/n, 1))
	}
	return nil
}

// inside makes the body of a statement that not all items need to reach.
func (g *gen) inside(n, d int) *Node {
	top := g.top
	g.top = false
	b := g.block(n, d-1)
	g.top = top
	return b
}

func (g *gen) ifStatement(d int) *Node {
	c := g.truth(3)
	switch g.n(4) {
	case 0:
		return node("", "if (@) {\n@} else {\n@}", c, g.inside(1+g.n(3), d), g.inside(1+g.n(3), d))
	case 1:
		return node("", "if (@) {\n@} else if (@) {\n@} else {\n@}", c, g.inside(1+g.n(2), d),
			g.pureCondition(), g.inside(1+g.n(2), d), g.inside(1+g.n(2), d))
	}
	return node("", "if (@) {\n@}", c, g.inside(1+g.n(3), d))
}

func (g *gen) pureCondition() *Node {
	pure := g.pure
	g.pure = true
	defer func() { g.pure = pure }()
	return g.condition(2)
}

// loop makes a loop of a bounded number of trips.
func (g *gen) loop(d int) *Node {
	n := 1 + g.n(5)
	i := g.name("i")
	trips, breaks := g.trips, g.breaks
	scope := len(g.scope)
	defer func() {
		g.trips, g.breaks = trips, breaks
		g.loops--
		g.scope = g.scope[:scope]
	}()
	kind := g.n(6)
	var c *Node
	if kind >= 3 {
		c = g.truth(2)
	}
	g.trips *= n
	g.loops++
	g.breaks = true
	body := func() *Node {
		g.scope = append(g.scope, &variable{name: i, t: intT, readonly: true, register: true, limit: n})
		return g.inside(1+g.n(4), d)
	}
	unroll := ""
	if g.one(10) && g.opt.Version >= 200 {
		unroll = "__attribute__((opencl_unroll_hint(2)))\n"
	} else if g.one(12) {
		unroll = "#pragma unroll\n"
	}
	switch kind {
	case 0:
		return node("", fmt.Sprintf("%sfor (int %s = 0; %s < %d; %s++) {\n@}", unroll, i, i, n, i), body())
	case 1:
		return node("", fmt.Sprintf("%sfor (int %s = %d; %s-- > 0; ) {\n@}", unroll, i, n, i), body())
	case 2:
		j := g.name("i")
		return node("", fmt.Sprintf("for (int %s = 0, %s = %d; %s < %s; ++%s) {\n@}", i, j, n, i, j, i), body())
	case 3:
		// The variable keeps counting when the condition ends the loop.
		return node("", fmt.Sprintf("{\nint %s = %d;\n%swhile (%s-- > 0 && (@)) {\n@}\n}", i, n, unroll, i), c, body())
	case 4:
		return node("", fmt.Sprintf("{\nuint %s = 0;\ndo {\n@} while (++%s < %d && @);\n}", i, i, n), body(), paren(c))
	}
	return node("", fmt.Sprintf("for (int %s = 0; ; %s++) {\nif (%s >= %d || !(@)) break;\n@}", i, i, i, n), c, body())
}

// switchStatement makes a switch, with cases that fall through to the next.
func (g *gen) switchStatement(d int) *Node {
	value := g.integer(3)
	n := 2 + g.n(4)
	breaks, loops := g.breaks, g.loops
	// What leaves the switch would be a break; a continue would be of the loop around.
	g.breaks = false
	l := list()
	at := g.n(n)
	for i := range n {
		label := fmt.Sprintf("case %d:", i)
		switch {
		case i == at:
			label = "default:"
		case g.one(6):
			label = fmt.Sprintf("case %d:\ncase %d + %d:", i, i, n)
		case g.one(6):
			label = fmt.Sprintf("case '\\x%x':", i)
		}
		l.kids = append(l.kids, node("", label+" {\n@}", g.inside(1+g.n(2), d)))
		if !g.one(3) {
			l.kids = append(l.kids, leaf("", "break;"))
		}
	}
	g.breaks, g.loops = breaks, loops
	if g.one(3) {
		return node("", "switch (@) {\n@}", value, l)
	}
	return node("", fmt.Sprintf("switch ((@) & %d) {\n@}", 2*n-1), value, l)
}

// gotoStatement makes a jump forward, over statements in a block of their own.
func (g *gen) gotoStatement(d int) *Node {
	label := g.name("L")
	c := g.condition(2)
	if g.one(2) {
		return node("", fmt.Sprintf("{\nif (@) goto %s;\n{\n@}\n%s:;\n}", label, label), c, g.inside(1+g.n(3), d))
	}
	return node("", fmt.Sprintf("{\n{\n@if (@) goto %s;\n{\n@}\n}\n%s: ;\n}", label, label),
		g.inside(1, d), g.pureCondition(), g.inside(1+g.n(3), d))
}

// together makes statements that all items of a group execute with each other.
func (g *gen) together(d int) *Node {
	name := g.name("lm")
	slot := g.n(slots)
	fence := pick(&g.rng, []string{"CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"})
	call := "barrier"
	if g.opt.Version >= 200 && g.one(2) {
		call = "work_group_barrier"
	}
	bar := call + "(" + fence + ");\n"
	switch g.n(5) {
	case 0, 1: // each shows its neighbour something
		t := pick(&g.rng, g.scalars)
		if g.one(2) {
			t = vec(t, pick(&g.rng, lengths))
		}
		g.local = append(g.local, fmt.Sprintf("local %s %s[%d];", t.name, name, Group))
		text := fmt.Sprintf("{\n%s[get_local_id(0)] = @;\n%so[%d] += %s(%s[(get_local_id(0) + %d) %% %d]);\n%s}",
			name, bar, slot, g.mix(t), name, 1+g.n(7), Group, bar)
		return node("", text, g.value(t, d))
	case 2: // atomics whose order does not matter
		op := pick(&g.rng, []string{"add", "sub", "min", "max", "and", "or", "xor"})
		t := pick(&g.rng, []*typ{intT, uintT})
		g.local = append(g.local, fmt.Sprintf("local %s %s[2];", t.name, name))
		text := fmt.Sprintf("{\nif (get_local_id(0) < 2) %s[get_local_id(0)] = 5;\n%satomic_%s(&%s[@], @);\n"+
			"%so[%d] ^= (ulong)%s[0] * 3 + %s[1];\n%s}", name, bar, op, name, bar, slot, name, name, bar)
		return node("", text, g.index(2, d), g.exact(t, d))
	case 3: // a copy
		t := pick(&g.rng, g.ints)
		g.local = append(g.local, fmt.Sprintf("local %s %s[%d];", t.name, name, Group))
		from := g.helperBuffer(t)
		if from == "" {
			break
		}
		text := fmt.Sprintf("{\nevent_t e = async_work_group_copy(%s, %s, %d, 0);\nwait_group_events(1, &e);\n"+
			"o[%d] += (ulong)%s[@];\n%s}", name, from, Group, slot, name, bar)
		return node("", text, g.index(Group, d))
	}
	if g.opt.Version < 200 {
		return node("", bar)
	}
	t := pick(&g.rng, []*typ{intT, uintT, ulongT})
	call = pick(&g.rng, []string{"work_group_reduce_add(@)", "work_group_reduce_max(@)", "work_group_scan_inclusive_add(@)",
		"work_group_scan_exclusive_min(@)", "work_group_broadcast(@, 3)"})
	return node("", fmt.Sprintf("o[%d] += (ulong)%s;", slot, call), g.exact(t, d))
}

// helperBuffer returns a pointer to global memory with enough elements of t for a group, "" if there is none.
func (g *gen) helperBuffer(t *typ) string {
	for _, v := range g.scope {
		if v.t.kind == pointer && v.t.elem == t && v.t.space == "global" && v.t.n >= Group && strings.HasPrefix(v.name, "in") {
			return v.name
		}
	}
	return ""
}
