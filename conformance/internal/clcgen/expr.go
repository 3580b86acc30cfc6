package clcgen

import (
	"fmt"
	"strings"
)

// value makes an expression that can be assigned to something of type t.
func (g *gen) value(t *typ, d int) *Node {
	switch {
	case t.kind == record || t.kind == union:
		return g.aggregate(t, d)
	case g.static && t.kind == vector:
		return g.constantVector(t)
	case g.static:
		return g.constantScalar(t, d)
	case t.kind == floating:
		return g.float(d)
	case t.kind == vector:
		return g.vector(t, d)
	}
	return g.integer(d)
}

// exact makes an expression of exactly type t, a scalar or a vector.
func (g *gen) exact(t *typ, d int) *Node {
	if t.kind == vector {
		return g.vector(t, d)
	}
	n := g.value(t, d)
	return node(t.class(), "("+t.name+")(@)", n)
}

// aggregate makes a value of a record or a union.
func (g *gen) aggregate(t *typ, d int) *Node {
	for range 4 {
		switch g.n(4) {
		case 0:
			if d > 0 && !g.static && t.kind == record {
				return node(t.name, "(("+t.name+")@)", g.recordInitializer(t, d-1))
			}
		case 1:
			// The arguments of a call can be records again, for which functions are called in their turn: without
			// the bound, that need not end.
			if d > 0 {
				if f := g.call(t, d); f != nil {
					return f
				}
			}
		case 2:
			a, b := g.find(t), g.find(t)
			if a != nil && d > 0 {
				return node(t.name, "(@ ? @ : @)", g.condition(d-1), a, b)
			}
		default:
			if v := g.find(t); v != nil {
				return v
			}
		}
	}
	if t.kind == union {
		return node(t.name, "(("+t.name+"){ @ })", g.punned(t.fields[0].t, d-1))
	}
	return node(t.name, "(("+t.name+")@)", g.recordInitializer(t, d-1))
}

// find returns a path to something of a type in sight, nil if there is nothing.
func (g *gen) find(t *typ) *Node {
	if g.static {
		return nil
	}
	start := g.n(len(g.scope) + 1)
	for i := range g.scope {
		v := g.scope[(start+i)%len(g.scope)]
		switch {
		case v.t == t:
			return leaf(t.class(), v.name)
		case (v.t.kind == array || v.t.kind == pointer) && v.t.elem == t:
			return node(t.class(), v.name+"[@]", g.index(v.t.n, 1))
		}
	}
	return nil
}

// literal makes a literal for something of type t.
func (g *gen) literal(t *typ) *Node {
	if t.isFloat() {
		return leaf("f", g.floatLiteral(t))
	}
	if t.kind == enumeration {
		return leaf("i", pick(&g.rng, t.consts))
	}
	return leaf("i", g.intLiteral())
}

func (g *gen) intLiteral() string {
	suffix := pick(&g.rng, []string{"", "", "", "u", "l", "ul", "U", "UL", "Lu"})
	switch g.n(12) {
	case 0:
		return fmt.Sprintf("0x%x%s", g.next()>>g.n(64), suffix)
	case 1:
		return fmt.Sprintf("0%o%s", g.next()>>(32+g.n(30)), suffix)
	case 2:
		return pick(&g.rng, []string{"'a'", "'\\n'", "'\\x7f'", "'\\''", "'\\101'", "'\\xff'", "'\"'", "'\\\\'", "'\\0'"})
	case 3:
		return fmt.Sprint(uint64(1)<<g.n(63), suffix)
	case 4:
		return pick(&g.rng, []string{"INT_MAX", "INT_MIN", "UINT_MAX", "CHAR_MIN", "SHRT_MAX", "LONG_MAX", "UCHAR_MAX", "CHAR_BIT"})
	case 5:
		return fmt.Sprintf("(-%d%s)", g.n(1000), suffix)
	case 6:
		return fmt.Sprint(g.n(100000), suffix)
	case 7:
		if len(g.enums) > 0 {
			return pick(&g.rng, pick(&g.rng, g.enums).consts)
		}
	case 8:
		return pick(&g.rng, []string{"true", "false", "__OPENCL_C_VERSION__", "CLK_LOCAL_MEM_FENCE"})
	}
	return fmt.Sprint(g.n(40), suffix)
}

func (g *gen) floatLiteral(t *typ) string {
	suffix := "f"
	if g.opt.Half && t.bits == 16 || t.base().bits == 16 {
		return fmt.Sprintf("%d.%d%s", g.n(50), g.n(100), pick(&g.rng, []string{"h", "f"}))
	}
	if !g.opt.NoDouble && g.one(4) {
		suffix = ""
	}
	switch g.n(8) {
	case 0:
		return fmt.Sprintf("0x%x.%xp%d%s", 1+g.n(9), g.n(4096), g.n(20)-12, suffix)
	case 1:
		return fmt.Sprintf("%d.%de%d%s", g.n(10), g.n(1000), g.n(10)-6, suffix)
	case 2:
		return fmt.Sprintf(".%d%s", g.n(1000), suffix)
	case 3:
		return fmt.Sprintf("%d.%s", g.n(1000), suffix)
	case 4:
		return fmt.Sprintf("%de%d%s", g.n(10), g.n(4)-2, suffix)
	case 5:
		return pick(&g.rng, []string{"M_PI_F", "FLT_EPSILON", "M_SQRT2_F", "FLT_MIN", "M_E_F"})
	case 6:
		return fmt.Sprintf("(-%d.%d%s)", g.n(20), g.n(1000), suffix)
	}
	return fmt.Sprintf("%d.%d%s", g.n(20), g.n(1000), suffix)
}

// index makes an expression below n.
func (g *gen) index(n, d int) *Node {
	if n == 1 {
		return leaf("", "0")
	}
	for _, v := range g.scope {
		if v.limit != 0 && v.limit <= n && g.one(3) {
			return leaf("", v.name)
		}
	}
	switch {
	case d <= 0 || g.walking > 2 || g.one(3):
		return leaf("", fmt.Sprint(g.n(n)))
	case n&(n-1) == 0 && g.one(2):
		return node("", fmt.Sprintf("@ & %d", n-1), g.integer(d-1))
	case g.one(2):
		return node("", fmt.Sprintf("(uint)(@) %% %d", n), g.integer(d-1))
	}
	return node("", fmt.Sprintf("(ulong)(@) %% %du", n), g.integer(d-1))
}

// condition makes something that can be tested.
func (g *gen) condition(d int) *Node {
	if d > 0 && g.one(2) {
		if g.one(3) {
			return g.compare(g.float(d-1), g.float(d-1))
		}
		return g.compare(g.integer(d-1), g.integer(d-1))
	}
	return g.integer(d)
}

// truth makes a condition that may also be a floating value, which ?: does not take.
func (g *gen) truth(d int) *Node {
	if g.one(8) && g.opt.Version >= 120 {
		return g.float(d)
	}
	return g.condition(d)
}

func (g *gen) compare(a, b *Node) *Node {
	return node("i", "(@ "+pick(&g.rng, []string{"<", "<=", ">", ">=", "==", "!="})+" @)", a, b)
}

// conditional makes c ? a : b.
func (g *gen) conditional(class string, d int, make func(int) *Node) *Node {
	return node(class, "(@ ? @ : @)", g.condition(d-1), make(d-1), make(d-1))
}

// integer makes an expression of any integer type.
func (g *gen) integer(d int) *Node {
	if g.static {
		return g.constantScalar(intT, d)
	}
	if d <= 0 {
		return g.integerLeaf()
	}
	sub := func() *Node { return g.integer(d - 1) }
	switch g.n(30) {
	case 0, 1:
		return g.integerLeaf()
	case 2, 3, 4, 5:
		return node("i", "(@ "+pick(&g.rng, []string{"+", "-", "*", "&", "|", "^"})+" @)", sub(), sub())
	case 6:
		return node("i", "(@ "+pick(&g.rng, []string{"/", "%"})+" ((@ & 15) | 1))", sub(), sub())
	case 7, 8:
		return node("i", "(@ "+pick(&g.rng, []string{"<<", ">>"})+" @)", sub(), sub())
	case 9:
		return g.compare(sub(), sub())
	case 10:
		return g.compare(g.float(d-1), g.float(d-1))
	case 11:
		return node("i", "(@ "+pick(&g.rng, []string{"&&", "||"})+" @)", g.truth(d-1), g.truth(d-1))
	case 12:
		return g.conditional("i", d, g.integer)
	case 13:
		return node("i", pick(&g.rng, []string{"(- @)", "(~@)", "(!@)", "(+ @)", "(- (- @))", "(!!@)"}), sub())
	case 14, 15:
		return node("i", "("+g.castName()+")@", paren(sub()))
	case 16:
		return g.fromFloat(d)
	case 17, 18:
		return g.integerCall(pick(&g.rng, g.ints), d)
	case 19, 20:
		t := vec(pick(&g.rng, g.ints), pick(&g.rng, lengths))
		return node("i", "@."+g.component(t.n), g.vector(t, d-1))
	case 21:
		t := vec(g.signedInt(), pick(&g.rng, lengths))
		return node("i", pick(&g.rng, []string{"any", "all"})+"(@)", g.vector(t, d-1))
	case 22:
		if f := g.call(pick(&g.rng, g.ints), d); f != nil {
			return f
		}
	case 23:
		return g.sizeof(d)
	case 24:
		t := pick(&g.rng, g.floats)
		return node("i", fmt.Sprintf("as_%s(%s(@))", intOf(t.bits, g.one(2)).name, g.number(t)), g.exact(t, d-1))
	case 25:
		return g.effect(pick(&g.rng, g.ints), d)
	case 26:
		return g.relational(d)
	case 27:
		return g.pointerValue(d)
	case 28:
		if g.inMacro == 0 {
			g.inMacro++
			n := node("i", pick(&g.rng, g.macros)+"(@, @)", paren(g.integer(d-2)), paren(g.integer(d-2)))
			g.inMacro--
			return n
		}
	case 29:
		n := 2 + g.n(3)
		list := make([]*Node, n)
		for i := range list {
			list[i] = g.integer(d - 2)
		}
		t := pick(&g.rng, g.ints)
		return node("i", fmt.Sprintf("((%s[%d])@)[@]", t.name, n), separated("{", "}", list), g.index(n, d-1))
	}
	return g.integerLeaf()
}

// paren puts an expression into parentheses.
func paren(n *Node) *Node { return node(n.Class, "(@)", n) }

// castName is the name of a type that integers can be converted to and back.
func (g *gen) castName() string {
	switch g.n(12) {
	case 0:
		return "bool"
	case 1:
		return pick(&g.rng, g.enums).name
	case 2:
		return pick(&g.rng, []string{"unsigned", "unsigned char", "signed char", "unsigned long", "long int", "size_t",
			"const int", "ptrdiff_t", "signed short int"})
	}
	return pick(&g.rng, g.ints).name
}

func (g *gen) signedInt() *typ { return g.ints[g.n(4)*2] }

// component is one component of a vector.
func (g *gen) component(n int) string {
	i := g.n(n)
	if n <= 4 && g.one(2) {
		if g.opt.Version >= 300 && g.one(4) {
			return string("rgba"[i])
		}
		return string("xyzw"[i])
	}
	return pick(&g.rng, []string{"s", "S"}) + string(pick(&g.rng, []string{"0123456789abcdef", "0123456789ABCDEF"})[i])
}

// integerLeaf makes an integer of a variable or a literal.
func (g *gen) integerLeaf() *Node {
	if g.one(4) {
		return leaf("i", g.intLiteral())
	}
	if g.kernel && g.one(8) {
		return leaf("i", pick(&g.rng, []string{"get_global_id(0)", "get_local_id(0)", "get_group_id(0)",
			"get_global_size(0)", "get_local_size(0)", "get_num_groups(0)", "get_work_dim()", "get_global_id(1)",
			"get_global_offset(0)"}))
	}
	if n := g.read("i"); n != nil {
		return n
	}
	return leaf("i", g.intLiteral())
}

// read makes an expression of a scalar class from what is in sight.
func (g *gen) read(class string) *Node {
	for range 5 {
		if len(g.scope) == 0 {
			return nil
		}
		v := g.scope[len(g.scope)-1-min(g.n(len(g.scope)), g.n(len(g.scope)))]
		n, t, _ := g.walk(v)
		if t.kind == vector {
			n, t = node("", "@."+g.component(t.n), n), t.elem
		}
		if t.class() == class {
			n.Class = class
			return n
		}
	}
	return nil
}

// walk makes a path from a variable to a scalar or a vector; punned says that it is in a union.
func (g *gen) walk(v *variable) (n *Node, t *typ, punned bool) {
	g.walking++
	defer func() { g.walking-- }()
	n, t = leaf("", v.name), v.t
	for !t.leafy() {
		switch t.kind {
		case array:
			if g.one(6) {
				n = node("", "(*(@ + @))", n, paren(g.index(t.n, 1)))
			} else {
				n = node("", "@[@]", n, g.index(t.n, 1))
			}
			t = t.elem
		case pointer:
			switch {
			case t.elem.kind == record && g.one(3):
				f := pick(&g.rng, t.elem.fields)
				n, t = node("", "@->"+f.name, n), f.t
			case g.one(3):
				n, t = node("", "(*@)", n), t.elem
			case g.one(3):
				n, t = node("", "(*(@ + @))", n, paren(g.index(t.n, 1))), t.elem
			default:
				n, t = node("", "@[@]", n, g.index(t.n, 1)), t.elem
			}
		default:
			punned = punned || t.kind == union
			f := pick(&g.rng, t.fields)
			n, t = node("", "@."+f.name, n), f.t
		}
	}
	return n, t, punned
}

// effect makes an expression with a side effect on a variable that nothing else of the statement uses.
func (g *gen) effect(t *typ, d int) *Node {
	if g.pure || d <= 0 {
		return g.value(t, d-1)
	}
	v := &variable{name: g.name("t"), t: t}
	g.pre = append(g.pre, node("", t.declare(v.name)+" = @;", g.simple(t)))
	e := g.value(t, d-1)
	class := t.class()
	switch g.n(6) {
	case 0:
		return node(class, "("+v.name+" = @)", e)
	case 1:
		return node(class, "("+v.name+" = @, "+v.name+")", e)
	case 2:
		if t.kind == integer {
			return node(class, pick(&g.rng, []string{"@++", "++@", "@--", "--@"}), leaf("", v.name))
		}
	case 3:
		return node(class, "("+v.name+" "+g.compound(t)+" @, "+v.name+")", g.operand(t, e))
	case 4:
		if t.kind != vector {
			return node(class, "(@ && ("+v.name+" = @) ? "+v.name+" : -"+v.name+")", g.condition(d-1), e)
		}
	}
	return node(class, "("+v.name+" "+g.compoundSafe(t)+" @)", e)
}

// simple makes a value without side effects or anything deep.
func (g *gen) simple(t *typ) *Node {
	if t.kind == vector {
		return node(t.name, "("+t.name+")(@)", g.literal(t.elem))
	}
	return g.literal(t)
}

// compound chooses a compound assignment; its right side must go through operand if it divides.
func (g *gen) compound(t *typ) string {
	if t.isFloat() {
		return pick(&g.rng, []string{"+=", "-=", "*=", "/="})
	}
	return pick(&g.rng, []string{"+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%="})
}

func (g *gen) compoundSafe(t *typ) string {
	if t.isFloat() {
		return pick(&g.rng, []string{"+=", "-=", "*="})
	}
	return pick(&g.rng, []string{"+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="})
}

// operand makes e a right side for any operator: integers are not 0.
func (g *gen) operand(t *typ, e *Node) *Node {
	switch {
	case t.isFloat():
		return e
	case t.kind == vector:
		return node(t.name, "((@ & (("+t.name+")15)) | (("+t.name+")1))", e)
	}
	return node("", "((@ & 15) | 1)", e)
}

// fromFloat makes an integer of a float.
func (g *gen) fromFloat(d int) *Node {
	f, t := pick(&g.rng, g.floats), pick(&g.rng, g.ints)
	if g.one(2) {
		round := pick(&g.rng, []string{"", "_rte", "_rtz", "_rtp", "_rtn"})
		return node("i", fmt.Sprintf("convert_%s_sat%s(@)", t.name, round), g.exact(f, d-1))
	}
	low := "0"
	if t.signed {
		low = "-100"
	}
	cast := fmt.Sprintf("(%s)fmax(fmin(@, (%s)100), (%s)%s)", t.name, f.name, f.name, low)
	if g.one(3) {
		round := pick(&g.rng, []string{"", "_rte", "_rtz", "_rtp", "_rtn"})
		cast = fmt.Sprintf("convert_%s%s(fmax(fmin(@, (%s)100), (%s)%s))", t.name, round, f.name, f.name, low)
	}
	return node("i", cast, g.exact(f, d-1))
}

// sizeof makes an expression of sizes.
func (g *gen) sizeof(d int) *Node {
	switch g.n(4) {
	case 0:
		return leaf("i", "sizeof("+pick(&g.rng, g.records).name+")")
	case 1:
		return leaf("i", "sizeof("+vec(pick(&g.rng, g.scalars), pick(&g.rng, lengths)).name+")")
	case 2:
		t := vec(pick(&g.rng, g.scalars), pick(&g.rng, lengths))
		return node("i", "vec_step(@)", g.vector(t, d-1))
	}
	pure := g.pure
	g.pure = true
	defer func() { g.pure = pure }()
	return node("i", "sizeof(@)", g.integer(d-1))
}

// relational makes a built-in function of floats whose result is an integer.
func (g *gen) relational(d int) *Node {
	t := pick(&g.rng, g.floats)
	switch g.n(3) {
	case 0:
		return node("i", pick(&g.rng, []string{"isnan", "isinf", "isfinite", "isnormal"})+"(@)", g.exact(t, d-1))
	case 1:
		return node("i", pick(&g.rng, []string{"signbit", "ilogb"})+"("+g.number(t)+"(@))", g.exact(t, d-1))
	}
	name := pick(&g.rng, []string{"isequal", "isnotequal", "isgreater", "isless", "islessequal", "islessgreater",
		"isordered", "isunordered", "isgreaterequal"})
	return node("i", name+"(@, @)", g.exact(t, d-1), g.exact(t, d-1))
}

// pointerValue makes an integer of pointers into one array.
func (g *gen) pointerValue(d int) *Node {
	for _, v := range g.scope {
		// llvm-spirv crashes at comparisons of addresses that are constants.
		if v.register || v.t.kind != array && v.t.kind != pointer || v.space != "" || g.one(2) {
			continue
		}
		a, b := g.index(v.t.n, d-1), g.index(v.t.n, d-1)
		at := func(i *Node) *Node {
			if g.one(2) {
				return node("", "("+v.name+" + @)", paren(i))
			}
			return node("", "&"+v.name+"[@]", i)
		}
		return node("i", "(@ "+pick(&g.rng, []string{"-", "<", "==", "!=", ">="})+" @)", at(a), at(b))
	}
	return g.integerLeaf()
}

// float makes an expression of any floating type.
func (g *gen) float(d int) *Node {
	t := pick(&g.rng, g.floats)
	if g.static {
		return g.constantScalar(t, d)
	}
	if d <= 0 {
		return g.floatLeaf(t)
	}
	sub := func() *Node { return g.float(d - 1) }
	switch g.n(18) {
	case 0, 1, 2:
		return g.floatLeaf(t)
	case 3, 4, 5:
		return node("f", "(@ "+pick(&g.rng, []string{"+", "-", "*", "/"})+" @)", sub(), sub())
	case 6:
		return node("f", "(@ "+pick(&g.rng, []string{"+", "-", "*"})+" (float)(@))", sub(), g.integer(d-1))
	case 7:
		return g.conditional("f", d, g.float)
	case 8:
		return node("f", pick(&g.rng, []string{"(- @)", "(+ @)", "(- (- @))"}), sub())
	case 9:
		return node("f", "("+t.name+")(@)", sub())
	case 10:
		return node("f", "("+t.name+")(@)", g.integer(d-1))
	case 11, 12:
		return g.floatCall(t, d)
	case 13:
		v := vec(t, pick(&g.rng, lengths))
		return node("f", "@."+g.component(v.n), g.vector(v, d-1))
	case 14:
		if f := g.call(t, d); f != nil {
			return f
		}
	case 15:
		return g.effect(t, d)
	case 16:
		round := pick(&g.rng, []string{"", "_rte", "_rtz", "_rtp", "_rtn"})
		from := pick(&g.rng, g.scalars)
		return node("f", "convert_"+t.name+round+"(@)", g.exact(from, d-1))
	case 17:
		if v := vec(t, pick(&g.rng, []int{2, 3, 4})); t.bits != 16 {
			name := pick(&g.rng, []string{"dot(@, @)", "distance(@, @)"})
			return node("f", name, g.vector(v, d-1), g.vector(v, d-1))
		}
	}
	return g.floatLeaf(t)
}

func (g *gen) floatLeaf(t *typ) *Node {
	if g.one(4) {
		return leaf("f", g.floatLiteral(t))
	}
	if n := g.read("f"); n != nil {
		return n
	}
	return leaf("f", g.floatLiteral(t))
}

// call calls a function of the program that returns t, nil if there is none.
func (g *gen) call(t *typ, d int) *Node {
	if len(g.funcs) == 0 || g.static {
		return nil
	}
	start := g.n(len(g.funcs))
	for i := range g.funcs {
		f := g.funcs[(start+i)%len(g.funcs)]
		same := f.result == t || f.result != nil && t.kind < enumeration && f.result.class() == t.class()
		if !same || f.writes || f.cost*g.trips > 3000 {
			continue
		}
		if args := g.arguments(f, d-1); args != nil {
			g.cost += f.cost
			return node(t.class(), f.name+"@", args)
		}
	}
	return nil
}

// arguments makes the arguments of a call, nil if a pointer is needed that is not there.
func (g *gen) arguments(f *function, d int) *Node {
	args := make([]*Node, len(f.params))
	for i, p := range f.params {
		switch p.kind {
		case pointer:
			args[i] = g.pointerTo(p)
		case record, union:
			args[i] = g.aggregate(p, d)
		case vector:
			args[i] = g.vector(p, d)
		default:
			args[i] = g.value(p, d)
		}
		if args[i] == nil {
			return nil
		}
	}
	return separated("(", ")", args)
}

// pointerTo makes an argument for a parameter of pointer type p, nil if there is none.
func (g *gen) pointerTo(p *typ) *Node {
	start := g.n(len(g.scope) + 1)
	for i := range g.scope {
		v := g.scope[(start+i)%len(g.scope)]
		space, readonly := v.space, v.readonly
		if v.t.kind == pointer {
			if space, readonly = v.t.space, v.t.readonly; space == "" && g.opt.Version >= 200 {
				space = "generic"
			}
		}
		if v.register || readonly && !p.readonly || !g.reaches(space, p.space) {
			continue
		}
		switch {
		case v.t.kind == pointer && v.t.elem == p.elem && v.t.n >= p.n, v.t.kind == array && v.t.elem == p.elem && v.t.n >= p.n:
			if v.t.n > p.n && g.one(2) {
				return leaf("", fmt.Sprintf("%s + %d", v.name, g.n(v.t.n-p.n+1)))
			}
			return leaf("", v.name)
		case v.t == p.elem && p.n == 1:
			return leaf("", "&"+v.name)
		case v.t.kind == record && !v.t.packed:
			for _, f := range v.t.fields {
				if f.t == p.elem && p.n == 1 && f.t.kind != boolean {
					return leaf("", "&"+v.name+"."+f.name)
				}
			}
		}
	}
	return nil
}

// reaches reports whether a pointer into one address space can be passed where another one is expected.
func (g *gen) reaches(from, to string) bool {
	if from == "private" {
		from = ""
	}
	if to == "" && g.opt.Version >= 200 {
		return from != "constant"
	}
	return from == strings.TrimPrefix(to, "private")
}
