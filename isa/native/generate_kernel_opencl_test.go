package native

import (
	"fmt"
	"strings"
)

// OpenCL C of random kernels.

var cNames = map[cType]string{cInt: "int", cUint: "uint", cSize: "size_t", cLong: "long", cFloat: "float",
	cUchar: "uchar", cChar: "char", cUshort: "ushort", cShort: "short"}

var cOperators = map[string]string{"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>", "rem": "%", "lt": "<", "eq": "=="}

func (x *term) openCL() string {
	switch x.op {
	case "const":
		if x.t == cInt {
			return fmt.Sprint(x.n)
		}
		return fmt.Sprintf("(%s)%d", cNames[x.t], x.n)
	case "var":
		return x.name
	case "id":
		return fmt.Sprintf("%s(%d)", x.name, x.n)
	case "cast":
		return fmt.Sprintf("(%s)%s", cNames[x.t], x.args[0].openCL())
	case "select":
		return fmt.Sprintf("(%s ? %s : %s)", x.args[0].openCL(), x.args[1].openCL(), x.args[2].openCL())
	case "load", "tile":
		return fmt.Sprintf("%s[%s]", x.name, x.args[0].openCL())
	case "vload":
		return fmt.Sprintf("((global const %s4 *)%s)[%s].s%d", cNames[x.t], x.name, x.args[0].openCL(), x.n)
	case "vector":
		return fmt.Sprintf("(%s4)(%s, %s, %s, %s)", cNames[x.t], x.args[0].openCL(), x.args[1].openCL(), x.args[2].openCL(), x.args[3].openCL())
	case "address":
		return fmt.Sprintf("&%s_[%s]", x.name, x.args[0].openCL())
	case "private":
		return fmt.Sprintf("own[%s]", x.args[0].openCL())
	}
	return fmt.Sprintf("(%s %s %s)", x.args[0].openCL(), cOperators[x.op], x.args[1].openCL())
}

// openCL returns the source of the kernel.
func (w *written) openCL() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// local %v, groups %v, offset %v\nkernel void %s(", w.local, w.groups, w.offset, w.name)
	for i, p := range w.params {
		if i > 0 {
			b.WriteString(", ")
		}
		switch {
		case p.input:
			fmt.Fprintf(&b, "global const %s *%s", cNames[p.t], p.name)
		case p.pointer:
			fmt.Fprintf(&b, "global %s *%s", cNames[p.t], p.name)
		default:
			fmt.Fprintf(&b, "%s %s", cNames[p.t], p.name)
		}
	}
	b.WriteString(") {\n")
	for _, name := range w.tileNames() {
		fmt.Fprintf(&b, "  local %s %s[%d];\n", cNames[w.element], name, w.tiles[name])
	}
	if w.privat > 0 {
		fmt.Fprintf(&b, "  %s own[%d];\n", cNames[w.element], w.privat)
	}
	if w.more.chosen > 0 {
		for _, name := range writtenBuffers {
			fmt.Fprintf(&b, "  global const %s *%s_ = %s;\n", cNames[w.element], name, name)
		}
	}
	w.printC(&b, w.body, "  ")
	b.WriteString("}\n")
	return b.String()
}

// printC prints statements.
func (w *written) printC(b *strings.Builder, list []*statement, in string) {
	for _, s := range list {
		b.WriteString(in)
		switch s.op {
		case "let":
			fmt.Fprintf(b, "%s %s = %s;\n", cNames[s.v.t], s.name, s.v.openCL())
		case "set":
			fmt.Fprintf(b, "%s = %s;\n", s.name, s.v.openCL())
		case "move":
			fmt.Fprintf(b, "%s += %s;\n", s.name, s.v.openCL())
		case "store", "tile":
			fmt.Fprintf(b, "%s[%s] = %s;\n", s.name, s.at.openCL(), s.v.openCL())
		case "private":
			fmt.Fprintf(b, "own[%s] = %s;\n", s.at.openCL(), s.v.openCL())
		case "add":
			fmt.Fprintf(b, "atomic_add(&%s[%s], %s);\n", s.name, s.at.openCL(), s.v.openCL())
		case "barrier":
			b.WriteString("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n")
		case "loop":
			fmt.Fprintf(b, "for (int %s = 0; %s < %s; %s++) {\n", s.name, s.name, s.v.openCL(), s.name)
			w.printC(b, s.body, in+"  ")
			b.WriteString(in + "}\n")
		case "vstore":
			fmt.Fprintf(b, "((global %s4 *)%s)[%s] = %s;\n", cNames[s.v.t], s.name, s.at.openCL(), s.v.openCL())
		case "point":
			fmt.Fprintf(b, "global const %s *%s = %s ? %s : %s;\n", cNames[w.element], s.name, s.at.openCL(), s.v.openCL(), s.or.openCL())
		case "switch":
			fmt.Fprintf(b, "switch (%s) {\n", s.v.openCL())
			for i, body := range s.cases {
				if i < len(s.cases)-1 {
					fmt.Fprintf(b, "%scase %d: {\n", in, i)
				} else {
					fmt.Fprintf(b, "%sdefault: {\n", in)
				}
				w.printC(b, body, in+"  ")
				b.WriteString(in + "} break;\n")
			}
			b.WriteString(in + "}\n")
		case "if":
			fmt.Fprintf(b, "if (%s) {\n", s.v.openCL())
			w.printC(b, s.body, in+"  ")
			if len(s.other) > 0 {
				b.WriteString(in + "} else {\n")
				w.printC(b, s.other, in+"  ")
			}
			b.WriteString(in + "}\n")
		}
	}
}
