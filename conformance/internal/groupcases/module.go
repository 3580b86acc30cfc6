package groupcases

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// module is a module in assembly text with one kernel. Types, constants and built-in
// variables declare themselves: the body only has to name them, by the names that
// declare reads.
type module struct {
	capabilities []string
	extensions   []string
	imports      []string   // functions, as "%name = RESULT PARAMETER…"
	params       []string   // of the kernel, as "name TYPE"
	body         []string   // instructions, or labels "%x ="
	local        [][]string // declarations of module scope: name, instruction

	declared map[string]bool
	globals  [][2]string // declarations: id and instruction
	inputs   []string    // built-in variables
}

// scalars has the names of scalar types, their declarations and capabilities.
var scalarTypes = map[string]struct{ decl, capability string }{
	"void": {"OpTypeVoid", ""}, "bool": {"OpTypeBool", ""},
	"uchar": {"OpTypeInt 8 0", "Int8"}, "ushort": {"OpTypeInt 16 0", "Int16"},
	"uint": {"OpTypeInt 32 0", ""}, "ulong": {"OpTypeInt 64 0", "Int64"},
	"half": {"OpTypeFloat 16", "Float16"}, "float": {"OpTypeFloat 32", ""}, "double": {"OpTypeFloat 64", "Float64"},
	"barrier": {"OpTypeNamedBarrier", "NamedBarrier"},
}

// builtIns has the built-in variables that bodies may name, and their types.
var builtIns = map[string]string{
	"GlobalInvocationId": "v3ulong", "LocalInvocationId": "v3ulong", "WorkgroupSize": "v3ulong", "WorkgroupId": "v3ulong",
	"LocalInvocationIndex": "ulong",
	"SubgroupSize":         "uint", "SubgroupMaxSize": "uint", "NumSubgroups": "uint", "NumEnqueuedSubgroups": "uint",
	"SubgroupId": "uint", "SubgroupLocalInvocationId": "uint",
	"SubgroupEqMask": "v4uint", "SubgroupGeMask": "v4uint", "SubgroupGtMask": "v4uint", "SubgroupLeMask": "v4uint", "SubgroupLtMask": "v4uint",
}

var (
	vectorName   = regexp.MustCompile(`^v([0-9]+)([a-z]+)$`)
	pointerName  = regexp.MustCompile(`^([gilp])ptr_(.+)$`)
	arrayName    = regexp.MustCompile(`^arr([0-9]+)_(.+)$`)
	constantName = regexp.MustCompile(`^(uchar|ushort|uint|ulong|half|float|double)_([0-9]+)$`)
	idName       = regexp.MustCompile(`%[A-Za-z0-9_]+`)
)

// need notes a capability.
func (m *module) need(capability string) {
	if capability != "" && !slices.Contains(m.capabilities, capability) {
		m.capabilities = append(m.capabilities, capability)
	}
}

// extension notes an extension.
func (m *module) extension(name string) {
	if !slices.Contains(m.extensions, name) {
		m.extensions = append(m.extensions, name)
	}
}

// add puts instructions behind the body, in the format of fmt.
func (m *module) add(lines string, args ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(lines, args...), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			m.body = append(m.body, line)
		}
	}
}

// call puts a call of an imported function behind the body, with operands as
// "TYPE %id"; its result is %id, where that matters.
func (m *module) call(id, result, name string, operands ...string) {
	decl := "%" + name + " = " + result
	var ids []string
	for _, o := range operands {
		typ, arg, _ := strings.Cut(o, " ")
		decl += " " + typ
		ids = append(ids, arg)
	}
	if !slices.Contains(m.imports, decl) {
		m.imports = append(m.imports, decl)
	}
	if id == "" {
		id = fmt.Sprintf("called%d", len(m.body))
	}
	m.add("%s", strings.TrimSpace(fmt.Sprintf("%%%s = OpFunctionCall %%%s %%%s %s", id, result, name, strings.Join(ids, " "))))
}

// global declares id as decl, after what it names.
func (m *module) global(id, decl string) {
	if m.declared[id] {
		return
	}
	m.declared[id] = true
	for _, other := range idName.FindAllString(decl, -1) {
		m.declare(other[1:])
	}
	m.globals = append(m.globals, [2]string{id, decl})
}

// declare declares a type, a constant or a built-in variable by its name:
//
//	uint v4uint gptr_uint   types; pointers to global, input, local and private memory
//	arr8_uint               an array
//	uint_7 float_7 true     constants
//	null_v4uint             a null
//	fn_void_uint            a function type
//	SubgroupSize            a built-in variable
//
// Other names are the body's own.
func (m *module) declare(name string) {
	if s, ok := scalarTypes[name]; ok {
		m.need(s.capability)
		m.global(name, s.decl)
		return
	}
	if typ, ok := builtIns[name]; ok {
		if !m.declared[name] {
			m.inputs = append(m.inputs, name)
		}
		m.global(name, "OpVariable %iptr_"+typ+" Input")
		return
	}
	switch {
	case name == "true":
		m.global(name, "OpConstantTrue %bool")
	case name == "false":
		m.global(name, "OpConstantFalse %bool")
	case strings.HasPrefix(name, "null_"):
		m.global(name, "OpConstantNull %"+name[5:])
	case strings.HasPrefix(name, "fn_"):
		m.global(name, "OpTypeFunction %"+strings.Join(splitTypes(name[3:]), " %"))
	default:
		if x := vectorName.FindStringSubmatch(name); x != nil {
			if n, _ := strconv.Atoi(x[1]); n > 4 {
				m.need("Vector16")
			}
			m.global(name, "OpTypeVector %"+x[2]+" "+x[1])
		} else if x := pointerName.FindStringSubmatch(name); x != nil {
			class := map[string]string{"g": "CrossWorkgroup", "i": "Input", "l": "Workgroup", "p": "Function"}[x[1]]
			m.global(name, "OpTypePointer "+class+" %"+x[2])
		} else if x := arrayName.FindStringSubmatch(name); x != nil {
			m.global(name, "OpTypeArray %"+x[2]+" %ulong_"+x[1])
		} else if x := constantName.FindStringSubmatch(name); x != nil {
			m.global(name, "OpConstant %"+x[1]+" "+x[2])
		}
	}
}

// splitTypes takes the names of types apart that fn_ joins by _: those of pointers
// have one of their own.
func splitTypes(s string) []string {
	var out []string
	parts := strings.Split(s, "_")
	for i := 0; i < len(parts); i++ {
		name := parts[i]
		for strings.HasSuffix(parts[i], "ptr") && i+1 < len(parts) {
			i++
			name += "_" + parts[i]
		}
		out = append(out, name)
	}
	return out
}

// text returns the module's assembly text. The kernel is called "test".
func (m *module) text() string {
	m.declared = map[string]bool{}
	m.globals, m.inputs = nil, nil
	fn := "OpTypeFunction %void"
	for _, p := range m.params {
		_, typ, _ := strings.Cut(p, " ")
		fn += " %" + typ
	}
	var functions [][2]string
	var decorations []string
	for _, f := range m.imports {
		name, types, _ := strings.Cut(f, " = ")
		t := strings.Fields(types)
		functions = append(functions, [2]string{name, "OpFunction %" + t[0] + " None %fn_" + strings.Join(t, "_")})
		for i, p := range t[1:] {
			functions = append(functions, [2]string{fmt.Sprintf("%s_p%d", name, i), "OpFunctionParameter %" + p})
		}
		functions = append(functions, [2]string{"", "OpFunctionEnd"})
		decorations = append(decorations, fmt.Sprintf("OpDecorate %s LinkageAttributes %q Import", name, name[1:]))
	}
	functions = append(functions, [2]string{"%test", "OpFunction %void None %kernel"})
	for _, p := range m.params {
		name, typ, _ := strings.Cut(p, " ")
		functions = append(functions, [2]string{"%" + name, "OpFunctionParameter %" + typ})
	}
	functions = append(functions, [2]string{"%entry", "OpLabel"})
	for _, line := range m.body {
		id, rest, ok := strings.Cut(line, " = ")
		if !ok {
			id, rest = "", line
		}
		functions = append(functions, [2]string{id, rest})
	}
	functions = append(functions, [2]string{"", "OpFunctionEnd"})
	m.global("kernel", fn)
	for _, d := range m.local {
		m.global(d[0], d[1])
	}
	for _, f := range functions {
		for _, id := range idName.FindAllString(f[1], -1) {
			m.declare(id[1:])
		}
	}
	width := 0
	for _, g := range m.globals {
		width = max(width, min(len(g[0])+1, 20))
	}
	for _, f := range functions {
		width = max(width, min(len(f[0]), 20))
	}
	var b strings.Builder
	line := func(id, text string) {
		if id != "" {
			id += " = "
		}
		fmt.Fprintf(&b, "%*s%s\n", width+3, id, text)
	}
	capabilities := append([]string{"Addresses", "Kernel", "Int64"}, m.capabilities...)
	if len(m.imports) > 0 {
		capabilities = append(capabilities, "Linkage")
	}
	seen := map[string]bool{}
	for _, c := range capabilities {
		if !seen[c] {
			line("", "OpCapability "+c)
		}
		seen[c] = true
	}
	for _, e := range m.extensions {
		line("", "OpExtension "+strconv.Quote(e))
	}
	line("", "OpMemoryModel Physical64 OpenCL")
	entry := `OpEntryPoint Kernel %test "test"`
	for _, in := range m.inputs {
		entry += " %" + in
	}
	line("", entry)
	for _, in := range m.inputs {
		line("", "OpDecorate %"+in+" BuiltIn "+in)
		line("", "OpDecorate %"+in+" Constant")
	}
	for _, d := range decorations {
		line("", d)
	}
	for _, g := range m.globals {
		line("%"+g[0], g[1])
	}
	for _, f := range functions {
		line(f[0], f[1])
	}
	return b.String()
}
