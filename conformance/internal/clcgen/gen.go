package clcgen

import (
	"fmt"
	"slices"
	"strings"
)

// Options say what programs are made of.
type Options struct {
	Kernels     int  // 0 is 20
	Version     int  // of the language, as __OPENCL_C_VERSION__ has it; 0 is 300
	Half        bool // half as a type of its own
	NoDouble    bool
	ContractOff bool // the program itself forbids contraction
	// Plain leaves out what needs an own run of a group: local memory, barriers, atomics.
	Plain bool
	// Suffix ends each name of the program, so that programs with different suffixes can stand in one file.
	Suffix string
}

// Launch is how the kernels of a program are to be run: items in groups, with buffers of so many bytes, holding
// integers.
const (
	Items = 16
	Group = 8
	Bytes = 16384
	slots = 32 // words of out for each item
)

// Program is a program.
type Program struct {
	Root    *Node
	Kernels []string
}

// gen is the making of a program.
type gen struct {
	rng
	opt Options

	ints, scalars []*typ // types to choose from; scalars has all
	floats        []*typ
	records       []*typ // and unions
	enums         []*typ
	funcs         []*function
	macros        []string // of two arguments
	helpers       *Node
	haveHelper    map[string]bool

	scope   []*variable // what is in sight
	pre     []*Node     // declarations that the statement in the making needs
	pure    bool        // no declarations can be had: side effects are out
	static  bool        // only constant expressions
	kernel  bool        // in a kernel
	loops   int         // around
	trips   int         // how often the current place is reached, at most
	cost    int         // statements executed so far
	result  *typ        // of the function in the making
	names   int
	local   []string // declarations at the start of a kernel
	breaks  bool     // break is allowed
	top     bool     // all items of a group get here together
	inMacro int
	walking int // paths around
}

// variable is something with a name.
type variable struct {
	name     string
	t        *typ
	space    string // "" is private
	readonly bool
	register bool // its address cannot be taken
	limit    int  // not 0: an integer that is below it, and never written
}

// function is a function that can be called.
type function struct {
	name   string
	params []*typ
	result *typ
	cost   int
	writes bool // through a pointer
}

// Generate makes the program of a seed.
func Generate(seed uint64, opt Options) *Program {
	if opt.Kernels == 0 {
		opt.Kernels = 20
	}
	if opt.Version == 0 {
		opt.Version = 300
	}
	g := &gen{rng: rng{seed * 0x632be59bd9b4e019}, opt: opt, helpers: list(), haveHelper: map[string]bool{}, trips: 1}
	g.ints = ints
	g.floats = floats[:1]
	if !opt.NoDouble {
		g.floats = floats
	}
	if opt.Half {
		g.floats = append(append([]*typ(nil), g.floats...), halfT)
	}
	g.scalars = append(append([]*typ(nil), ints...), g.floats...)
	// The root is no list, so that the pragmas stay in reduced programs.
	p := &Program{Root: &Node{text: []string{""}}}
	add := func(n *Node) {
		p.Root.kids = append(p.Root.kids, n)
		p.Root.text = append(p.Root.text, "\n")
	}
	for _, n := range g.pragmas() {
		add(n)
	}
	add(g.helpers)
	types, consts, funcs := list(), list(), list()
	for range 2 + g.n(3) {
		types.kids = append(types.kids, g.enum())
	}
	for range 4 + g.n(5) {
		types.kids = append(types.kids, g.record())
	}
	for range 2 + g.n(3) {
		types.kids = append(types.kids, g.macro())
	}
	for range 3 + g.n(6) {
		consts.kids = append(consts.kids, g.table())
	}
	for range 4 + opt.Kernels/5 {
		funcs.kids = append(funcs.kids, g.function())
	}
	add(types)
	add(consts)
	add(funcs)
	kernels := list()
	for i := range opt.Kernels {
		name := fmt.Sprint("k", i) + opt.Suffix
		kernels.kids = append(kernels.kids, g.makeKernel(name))
		p.Kernels = append(p.Kernels, name)
	}
	add(kernels)
	return p
}

// Only returns the program with one kernel alone.
func (p *Program) Only(kernel string) *Program {
	root := *p.Root
	root.kids = slices.Clone(root.kids)
	kernels := p.Root.kids[len(p.Root.kids)-1]
	one := list()
	for i, name := range p.Kernels {
		if name == kernel {
			one.kids = append(one.kids, kernels.kids[i])
		}
	}
	root.kids[len(root.kids)-1] = one
	return &Program{Root: &root, Kernels: []string{kernel}}
}

// Halves returns the program with the first and with the second half of its kernels; nil for one with one kernel.
func (p *Program) Halves() []*Program {
	n := len(p.Kernels)
	if n < 2 {
		return nil
	}
	half := func(from, to int) *Program {
		root := *p.Root
		root.kids = slices.Clone(root.kids)
		last := len(root.kids) - 1
		root.kids[last] = list(root.kids[last].kids[from:to]...)
		return &Program{Root: &root, Kernels: p.Kernels[from:to]}
	}
	return []*Program{half(0, n/2), half(n/2, n)}
}

// Text is the source of the program.
func (p *Program) Text() string { return p.Root.String() }

func (g *gen) pragmas() []*Node {
	var l []*Node
	if g.opt.ContractOff {
		l = append(l, leaf("", "#pragma OPENCL FP_CONTRACT OFF"))
	}
	if g.opt.Version < 120 && !g.opt.NoDouble {
		l = append(l, leaf("", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable"))
	}
	if g.opt.Half {
		l = append(l, leaf("", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"))
	}
	return l
}

// name returns a new name.
func (g *gen) name(prefix string) string {
	g.names++
	return fmt.Sprint(prefix, g.names) + g.opt.Suffix
}

// helper puts a function of the prelude into the program, once.
func (g *gen) helper(name, text string) string {
	if !g.haveHelper[name] {
		g.haveHelper[name] = true
		g.helpers.kids = append(g.helpers.kids, leaf("", text))
	}
	return name
}

// number returns the name of a function that replaces NaNs of a floating type by a number.
func (g *gen) number(t *typ) string {
	name := "nn_" + t.name + g.opt.Suffix
	one := "(" + t.name + ")1"
	if t.kind == vector {
		return g.helper(name, fmt.Sprintf("static %s %s(%s x) {\nreturn select(x, %s, isnan(x));\n}", t.name, name, t.name, one))
	}
	return g.helper(name, fmt.Sprintf("static %s %s(%s x) {\nreturn isnan(x) ? %s : x;\n}", t.name, name, t.name, one))
}

// mix returns the name of a function that makes a ulong of a scalar or a vector.
func (g *gen) mix(t *typ) string {
	name := "mix_" + t.name + g.opt.Suffix
	b := t.base()
	value := "x"
	if t.isFloat() {
		value = fmt.Sprintf("as_%s(%s(x))", vec(intOf(b.bits, false), t.count()).name, g.number(t))
	}
	if t.kind != vector {
		return g.helper(name, fmt.Sprintf("static ulong %s(%s x) {\nreturn (ulong)%s;\n}", name, t.name, value))
	}
	bits := "x"
	decl := ""
	if t.isFloat() {
		decl = fmt.Sprintf("%s b = %s;\n", vec(intOf(b.bits, false), t.n).name, value)
		bits = "b"
	}
	sum := make([]string, t.n)
	for i := range sum {
		sum[i] = fmt.Sprintf("%d * (ulong)%s.s%x", 2*i+1, bits, i)
	}
	return g.helper(name, fmt.Sprintf("static ulong %s(%s x) {\n%sreturn %s;\n}", name, t.name, decl, strings.Join(sum, " + ")))
}

// enum makes an enumeration.
func (g *gen) enum() *Node {
	t := &typ{kind: enumeration, bits: 32, name: g.name("enum E"), size: 4}
	var b strings.Builder
	for i := range 2 + g.n(4) {
		name := g.name("EN_")
		t.consts = append(t.consts, name)
		b.WriteString(name)
		switch g.n(4) {
		case 0:
			fmt.Fprintf(&b, " = %d", g.n(2000)-500)
		case 1:
			if i > 0 {
				fmt.Fprintf(&b, " = %s + %d", t.consts[g.n(i)], g.n(9))
			}
		}
		b.WriteString(", ")
	}
	text := strings.TrimSuffix(b.String(), ", ")
	if g.one(3) {
		text += ","
	}
	g.enums = append(g.enums, t)
	if g.one(3) {
		full := t.name
		t.name = g.name("et_")
		return leaf("", fmt.Sprintf("typedef %s { %s } %s;", full, text, t.name))
	}
	return leaf("", fmt.Sprintf("%s { %s };", t.name, text))
}

// fieldType chooses a type for something in memory.
func (g *gen) fieldType(deep bool) *typ {
	switch k := g.n(20); {
	case k < 9:
		return pick(&g.rng, g.scalars)
	case k < 14:
		return vec(pick(&g.rng, g.scalars), pick(&g.rng, lengths))
	case k < 17 && deep && len(g.records) > 0:
		if t := pick(&g.rng, g.records); t.size <= 64 {
			return t
		}
	case k == 17 && len(g.enums) > 0:
		return pick(&g.rng, g.enums)
	case k == 18:
		return boolT
	}
	return pick(&g.rng, g.ints)
}

// record makes a record or a union.
func (g *gen) record() *Node {
	if g.one(4) {
		return g.union()
	}
	t := &typ{kind: record, name: g.name("struct S"), host: true}
	var b strings.Builder
	t.packed = g.one(16)
	for range 1 + g.n(6) {
		f := field{g.name("m"), g.fieldType(true)}
		if t.packed {
			// No arrays and no records: pointers into them are of the usual alignment.
			f.t = pick(&g.rng, g.scalars)
		} else if f.t.size <= 32 && g.one(4) {
			f.t = arrayOf(f.t, 2+g.n(4))
			if f.t.size <= 32 && g.one(3) {
				f.t = arrayOf(f.t, 2+g.n(2))
			}
		}
		if t.size += f.t.size; t.size > 200 {
			break
		}
		t.host = t.host && f.t.host
		t.fields = append(t.fields, f)
		b.WriteString(f.t.declare(f.name) + ";\n")
	}
	if len(t.fields) == 0 {
		t.fields = []field{{g.name("m"), intT}}
		b.WriteString(intT.declare(t.fields[0].name) + ";\n")
		t.size += 4
	}
	t.size *= 2 // for the gaps
	g.records = append(g.records, t)
	attr := ""
	if t.packed {
		attr = " __attribute__((packed))"
	} else if g.one(12) {
		attr = fmt.Sprintf(" __attribute__((aligned(%d)))", 4<<g.n(4))
		t.size = (t.size + 31) / 32 * 32
	}
	full := t.name
	if g.one(3) {
		t.name = g.name("st_")
		if g.one(2) {
			full = "struct"
		}
		// Behind the name, the attribute would be of the name alone: an array of such a type would have
		// elements that are smaller than their alignment, and clang reads beyond its end.
		return leaf("", fmt.Sprintf("typedef %s {\n%s}%s %s;", full, b.String(), attr, t.name))
	}
	return leaf("", fmt.Sprintf("%s {\n%s}%s;", full, b.String(), attr))
}

// union makes a union of members of one size.
func (g *gen) union() *Node {
	t := &typ{kind: union, name: g.name("union U")}
	t.size = pick(&g.rng, []int{4, 8, 16})
	var b strings.Builder
	for range 2 + g.n(4) {
		s := pick(&g.rng, g.scalars)
		n := t.size / s.size
		m := s
		if n > 1 {
			if m = vec(s, n); g.one(3) {
				m = arrayOf(s, n)
			}
		}
		f := field{g.name("u"), m}
		t.fields = append(t.fields, f)
		b.WriteString(m.declare(f.name) + ";\n")
	}
	g.records = append(g.records, t)
	return leaf("", fmt.Sprintf("%s {\n%s};", t.name, b.String()))
}

// macro makes a macro of two arguments.
func (g *gen) macro() *Node {
	name := g.name("MAC")
	g.macros = append(g.macros, name)
	body := pick(&g.rng, []string{
		"((a) * 3 + (b))", "((a) < (b) ? (a) : (b))", "((a) ^ (b) \\\n << 3)", "(-(a) /* minus */ - (b))",
		"(sizeof(#a #b) + (b))", "((a) + 1##0 + (b))",
	})
	text := fmt.Sprintf("#define %s(a, b) %s", name, body)
	if g.one(3) {
		text = fmt.Sprintf("#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ + %d > 50 || 0\n%s\n#else\n#error no\n#endif",
			g.n(10), text)
	}
	return leaf("", text)
}

// table makes a constant of the program.
func (g *gen) table() *Node {
	t := g.fieldType(true)
	if t.size <= 32 && g.one(2) {
		t = arrayOf(t, 2+g.n(6))
		if t.size <= 32 && g.one(3) {
			t = arrayOf(t, 2+g.n(3))
		}
	}
	v := &variable{name: g.name("c"), t: t, space: "constant", readonly: true}
	space := "constant"
	if g.opt.Version == 200 && g.one(4) {
		space, v.space = "global", "global"
		if g.one(2) {
			space = "static global const"
		}
	}
	g.static = true
	init := g.initializer(t, 2)
	g.static = false
	g.scope = append(g.scope, v)
	return node("", space+" "+t.declare(v.name)+" = @;", init)
}
