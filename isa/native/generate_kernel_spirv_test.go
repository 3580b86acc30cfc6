package native

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// SPIR-V text of random kernels, in the shape of code that has not been optimized: each variable is one of
// the function.

// spirvWriter writes a module of one kernel.
type spirvWriter struct {
	*written
	wide      bool // addresses have 64 bits
	head      strings.Builder
	variables strings.Builder
	code      strings.Builder
	names     int
	constants map[string]string
	ids       []string // built-in variables
	types     map[string]cType
}

var builtInNames = map[string]string{"get_global_id": "GlobalInvocationId", "get_local_id": "LocalInvocationId", "get_group_id": "WorkgroupId",
	"get_local_size": "WorkgroupSize", "get_num_groups": "NumWorkgroups", "get_global_size": "GlobalSize", "get_global_offset": "GlobalOffset"}

// spirvText returns a module with the kernel, with addresses of 64 or of 32 bits.
func (w *written) spirvText(wide bool) string {
	p := &spirvWriter{written: w, wide: wide, constants: map[string]string{}, types: map[string]cType{}}
	var params, start strings.Builder
	types := []string{"%void"}
	for _, x := range w.params {
		p.types[x.name] = x.t
		t, pointer := p.typeOf(x.t), "%p_"+p.typeOf(x.t)[1:]
		if x.pointer {
			t = p.behind(x.name)
			pointer = "%p" + t[1:]
		}
		types = append(types, t)
		fmt.Fprintf(&params, "%%in_%s = OpFunctionParameter %s\n", x.name, t)
		fmt.Fprintf(&p.variables, "%%%s = OpVariable %s Function\n", x.name, pointer)
		fmt.Fprintf(&start, "OpStore %%%s %%in_%s\n", x.name, x.name)
	}
	if w.privat > 0 {
		fmt.Fprintf(&p.variables, "%%own = OpVariable %%p_own Function\n")
	}
	p.print(w.body)

	var b strings.Builder
	b.WriteString("OpCapability Int8\nOpCapability Int16\nOpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\nOpCapability Int64\n")
	model, size := "Physical64", "%long"
	if !wide {
		model, size = "Physical32", "%int"
	}
	fmt.Fprintf(&b, "OpMemoryModel %s OpenCL\nOpEntryPoint Kernel %%kernel \"%s\"", model, w.name)
	for _, id := range p.ids {
		b.WriteString(" %" + id)
	}
	b.WriteString("\n")
	for _, id := range p.ids {
		fmt.Fprintf(&b, "OpDecorate %%%s BuiltIn %s\nOpDecorate %%%s Constant\n", id, id, id)
	}
	b.WriteString("%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n%float = OpTypeFloat 32\n")
	element := p.typeOf(w.element)
	fmt.Fprintf(&b, "%%vec = OpTypeVector %s 3\n%%p_vec = OpTypePointer Input %%vec\n", size)
	fmt.Fprintf(&b, "%%g_element = OpTypePointer CrossWorkgroup %s\n%%pg_element = OpTypePointer Function %%g_element\n%%l_element = OpTypePointer Workgroup %s\n", element, element)
	b.WriteString("%char = OpTypeInt 8 0\n%short = OpTypeInt 16 0\n")
	if t := w.more.narrow; t != cInt {
		fmt.Fprintf(&b, "%%v_narrow = OpTypeVector %s 4\n%%g_narrow = OpTypePointer CrossWorkgroup %s\n", p.typeOf(t), p.typeOf(t))
		b.WriteString("%pg_narrow = OpTypePointer Function %g_narrow\n%gv_narrow = OpTypePointer CrossWorkgroup %v_narrow\n")
	}
	b.WriteString("%p_int = OpTypePointer Function %int\n%p_long = OpTypePointer Function %long\n%p_float = OpTypePointer Function %float\n")
	fmt.Fprintf(&b, "%%fn = OpTypeFunction %s\n", strings.Join(types, " "))
	b.WriteString(p.head.String())
	for _, name := range w.tileNames() {
		length := p.name("length")
		fmt.Fprintf(&b, "%s = OpConstant %%int %d\n%%a_%s = OpTypeArray %s %s\n%%p_%s = OpTypePointer Workgroup %%a_%s\n%%%s = OpVariable %%p_%s Workgroup\n",
			length, w.tiles[name], name, element, length, name, name, name, name)
	}
	if w.privat > 0 {
		length := p.name("length")
		fmt.Fprintf(&b, "%s = OpConstant %%int %d\n%%a_own = OpTypeArray %s %s\n%%p_own = OpTypePointer Function %%a_own\n", length, w.privat, element, length)
	}
	for _, id := range p.ids {
		fmt.Fprintf(&b, "%%%s = OpVariable %%p_vec Input\n", id)
	}
	b.WriteString("%kernel = OpFunction %void None %fn\n" + params.String() + "%entry = OpLabel\n" + p.variables.String() + start.String() + p.code.String() + "OpReturn\nOpFunctionEnd\n")
	return b.String()
}

func (p *spirvWriter) name(prefix string) string {
	p.names++
	return fmt.Sprintf("%%%s_%d", prefix, p.names)
}

// behind returns the type of a pointer to a buffer.
func (p *spirvWriter) behind(name string) string {
	if t := p.types[name]; slices.Contains(narrowTypes, t) {
		return "%g_narrow"
	}
	return "%g_element"
}

// bytes returns the size of what is behind a pointer.
func (p *spirvWriter) bytes(name string) int {
	if t := p.types[name]; slices.Contains(narrowTypes, t) {
		return p.bits(t) / 8
	}
	return 4
}

func (p *spirvWriter) bits(t cType) int {
	switch t {
	case cUchar, cChar:
		return 8
	case cUshort, cShort:
		return 16
	}
	if t == cLong || t == cSize && p.wide {
		return 64
	}
	return 32
}

func (p *spirvWriter) typeOf(t cType) string {
	switch {
	case t == cBool:
		return "%bool"
	case t == cFloat:
		return "%float"
	case p.bits(t) == 64:
		return "%long"
	case p.bits(t) == 16:
		return "%short"
	case p.bits(t) == 8:
		return "%char"
	}
	return "%int"
}

// emit writes an instruction with a result.
func (p *spirvWriter) emit(op, t string, operands ...string) string {
	r := p.name("r")
	fmt.Fprintf(&p.code, "%s = %s %s %s\n", r, op, t, strings.Join(operands, " "))
	return r
}

func (p *spirvWriter) constant(t cType, n int64) string {
	key := fmt.Sprint(p.typeOf(t), " ", n)
	if p.bits(t) == 32 && t != cFloat {
		key = fmt.Sprint(p.typeOf(t), " ", uint32(n))
	}
	c, ok := p.constants[key]
	if !ok {
		c = p.name("c")
		p.constants[key] = c
		fmt.Fprintf(&p.head, "%s = OpConstant %s\n", c, key)
	}
	return c
}

var spirvOperations = map[string][3]string{ // of signed and unsigned integers and of floats
	"add": {"OpIAdd", "OpIAdd", "OpFAdd"}, "sub": {"OpISub", "OpISub", "OpFSub"}, "mul": {"OpIMul", "OpIMul", "OpFMul"},
	"and": {"OpBitwiseAnd", "OpBitwiseAnd"}, "or": {"OpBitwiseOr", "OpBitwiseOr"}, "xor": {"OpBitwiseXor", "OpBitwiseXor"},
	"shl": {"OpShiftLeftLogical", "OpShiftLeftLogical"}, "shr": {"OpShiftRightArithmetic", "OpShiftRightLogical"}, "rem": {"OpSRem", "OpUMod"},
	"lt": {"OpSLessThan", "OpULessThan", "OpFOrdLessThan"}, "eq": {"OpIEqual", "OpIEqual", "OpFOrdEqual"},
}

// value writes what computes a term.
func (p *spirvWriter) value(x *term) string {
	t := p.typeOf(x.t)
	switch x.op {
	case "const":
		return p.constant(x.t, x.n)
	case "var":
		return p.emit("OpLoad", t, "%"+x.name)
	case "id":
		id := builtInNames[x.name]
		if !slices.Contains(p.ids, id) {
			p.ids = append(p.ids, id)
		}
		return p.emit("OpCompositeExtract", t, p.emit("OpLoad", "%vec", "%"+id), fmt.Sprint(x.n))
	case "cast":
		return p.cast(x)
	case "select":
		return p.emit("OpSelect", t, p.value(x.args[0]), p.value(x.args[1]), p.value(x.args[2]))
	case "load", "tile", "private":
		name := x.name
		if x.op == "private" {
			name = "own"
		}
		return p.emit("OpLoad", t, p.pointer(name, x.op, x.args[0]), "Aligned", fmt.Sprint(p.bytes(name)))
	case "vload":
		v := p.emit("OpLoad", "%v_narrow", p.vectorPointer(x.name, x.args[0]), "Aligned", fmt.Sprint(4*p.bytes(x.name)))
		return p.emit("OpCompositeExtract", t, v, fmt.Sprint(x.n))
	case "vector":
		var list []string
		for _, a := range x.args {
			list = append(list, p.value(a))
		}
		return p.emit("OpCompositeConstruct", "%v_narrow", list...)
	case "address":
		return p.pointer(x.name, "address", x.args[0])
	}
	if c := x.args[1]; x.op == "mul" && c.op == "const" && bits.OnesCount64(uint64(c.n)) == 1 { // as each compiler has it
		shift := p.constant(x.t, int64(bits.TrailingZeros64(uint64(c.n))))
		return p.emit("OpShiftLeftLogical", t, p.value(x.args[0]), shift)
	}
	kind := 0
	switch x.args[0].t {
	case cUint, cSize:
		kind = 1
	case cFloat:
		kind = 2
	}
	return p.emit(spirvOperations[x.op][kind], t, p.value(x.args[0]), p.value(x.args[1]))
}

func (p *spirvWriter) cast(x *term) string {
	from, to := x.args[0].t, x.t
	v, signed := p.value(x.args[0]), from == cInt || from == cLong || from == cChar || from == cShort
	switch {
	case from == to || from != cFloat && to != cFloat && p.bits(from) == p.bits(to):
		return v
	case to == cFloat && signed:
		return p.emit("OpConvertSToF", "%float", v)
	case to == cFloat:
		return p.emit("OpConvertUToF", "%float", v)
	case from == cFloat:
		return p.emit("OpBitcast", "%int", v)
	case signed:
		return p.emit("OpSConvert", p.typeOf(to), v)
	}
	return p.emit("OpUConvert", p.typeOf(to), v)
}

// pointer writes the address of an element. Indices of 32 bits are extended as their types say.
func (p *spirvWriter) pointer(name, space string, at *term) string {
	index := cSize
	if at.t == cInt || at.t == cLong {
		index = cLong
		if !p.wide {
			index = cInt
		}
	}
	x := p.cast(&term{op: "cast", t: index, args: []*term{at}})
	switch space {
	case "tile":
		return p.emit("OpInBoundsPtrAccessChain", "%l_element", "%"+name, p.constant(cInt, 0), x)
	case "private":
		return p.emit("OpInBoundsPtrAccessChain", "%p_"+p.typeOf(p.element)[1:], "%"+name, p.constant(cInt, 0), x)
	}
	t := p.behind(name)
	if space == "address" {
		return p.emit("OpInBoundsPtrAccessChain", t, "%in_"+name, x)
	}
	return p.emit("OpInBoundsPtrAccessChain", t, p.emit("OpLoad", t, "%"+name), x)
}

// vectorPointer writes the address of a vector of narrow elements.
func (p *spirvWriter) vectorPointer(name string, at *term) string {
	x := p.cast(&term{op: "cast", t: cSize, args: []*term{at}})
	start := p.emit("OpBitcast", "%gv_narrow", p.emit("OpLoad", "%g_narrow", "%"+name))
	return p.emit("OpInBoundsPtrAccessChain", "%gv_narrow", start, x)
}

// printSwitch writes a switch.
func (p *spirvWriter) printSwitch(s *statement) {
	var labels []string
	for range s.cases {
		labels = append(labels, p.name("case"))
	}
	last, next := len(labels)-1, p.name("next")
	fmt.Fprintf(&p.code, "OpSwitch %s %s", p.value(s.v), labels[last])
	for i, l := range labels[:last] {
		fmt.Fprintf(&p.code, " %d %s", i, l)
	}
	for i, l := range labels {
		fmt.Fprintf(&p.code, "\n%s = OpLabel\n", l)
		p.print(s.cases[i])
		fmt.Fprintf(&p.code, "OpBranch %s", next)
	}
	fmt.Fprintf(&p.code, "\n%s = OpLabel\n", next)
}

// print writes statements.
func (p *spirvWriter) print(list []*statement) {
	line := func(format string, args ...any) { fmt.Fprintf(&p.code, format+"\n", args...) }
	for _, s := range list {
		switch s.op {
		case "let":
			fmt.Fprintf(&p.variables, "%%%s = OpVariable %%p_%s Function\n", s.name, p.typeOf(s.v.t)[1:])
			line("OpStore %%%s %s", s.name, p.value(s.v))
		case "set":
			line("OpStore %%%s %s", s.name, p.value(s.v))
		case "move":
			line("OpStore %%%s %s", s.name, p.pointer(s.name, "load", s.v))
		case "store", "tile":
			v := p.value(s.v)
			line("OpStore %s %s Aligned %d", p.pointer(s.name, s.op, s.at), v, p.bytes(s.name))
		case "vstore":
			v := p.value(s.v)
			line("OpStore %s %s Aligned %d", p.vectorPointer(s.name, s.at), v, 4*p.bytes(s.name))
		case "point":
			fmt.Fprintf(&p.variables, "%%%s = OpVariable %%pg_element Function\n", s.name)
			one, other := p.value(s.v), p.value(s.or)
			line("OpStore %%%s %s", s.name, p.emit("OpSelect", "%g_element", p.value(s.at), one, other))
		case "switch":
			p.printSwitch(s)
		case "private":
			v := p.value(s.v)
			line("OpStore %s %s Aligned 4", p.pointer("own", s.op, s.at), v)
		case "add":
			v := p.value(s.v)
			p.emit("OpAtomicIAdd", "%int", p.pointer(s.name, "tile", s.at), p.constant(cInt, 1), p.constant(cInt, 0), v)
		case "barrier":
			line("OpControlBarrier %s %s %s", p.constant(cInt, 2), p.constant(cInt, 2), p.constant(cInt, 0x310))
		case "loop":
			fmt.Fprintf(&p.variables, "%%%s = OpVariable %%p_int Function\n", s.name)
			head, body, next := p.name("head"), p.name("body"), p.name("next")
			line("OpStore %%%s %s\nOpBranch %s\n%s = OpLabel", s.name, p.constant(cInt, 0), head, head)
			more := p.emit("OpSLessThan", "%bool", p.emit("OpLoad", "%int", "%"+s.name), p.value(s.v))
			line("OpBranchConditional %s %s %s\n%s = OpLabel", more, body, next, body)
			p.print(s.body)
			line("OpStore %%%s %s", s.name, p.emit("OpIAdd", "%int", p.emit("OpLoad", "%int", "%"+s.name), p.constant(cInt, 1)))
			line("OpBranch %s\n%s = OpLabel", head, next)
		case "if":
			yes, no, next := p.name("yes"), p.name("no"), p.name("next")
			line("OpBranchConditional %s %s %s\n%s = OpLabel", p.value(s.v), yes, no, yes)
			p.print(s.body)
			line("OpBranch %s\n%s = OpLabel", next, no)
			p.print(s.other)
			line("OpBranch %s\n%s = OpLabel", next, next)
		}
	}
}
