package link

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// text says what a member is, as in "float (float, uint)" for a function and
// "int[4] UniformConstant" for a variable.
func (m *member) text() string {
	if m.part.names == nil {
		m.part.names = m.part.m.Names()
	}
	w := typeText{p: m.part, left: 200}
	if m.isFunction() {
		w.write(spirv.ID(m.def.Operand(1)), 8)
		return "a function " + w.String()
	}
	pointer, _ := m.part.index.Def(m.def.ResultType())
	w.write(spirv.ID(pointer.Operand(1)), 8)
	s := fmt.Sprintf("a variable %s in %s", w.String(), spirv.StorageClass(m.def.Operand(0)))
	if _, ok := m.part.has(m.id, spirv.DecorationConstant); ok {
		s += ", constant"
	}
	if n := m.alignment(); n > 0 {
		s += fmt.Sprintf(", aligned to %d", n)
	}
	return s
}

// typeText writes a type for people. Depth and length are bounded.
type typeText struct {
	strings.Builder
	p    *part
	left int // bytes that may still come
}

func (w *typeText) put(s string) {
	if w.left < 0 {
		return
	}
	if w.left -= len(s); w.left < 0 {
		s = "…"
	}
	w.WriteString(s)
}

func (w *typeText) write(id spirv.ID, depth int) {
	in, ok := w.p.index.Def(id)
	if !ok || depth == 0 || w.left < 0 {
		w.put("…")
		return
	}
	switch op := in.Op(); op {
	case spirv.OpTypeVoid:
		w.put("void")
	case spirv.OpTypeBool:
		w.put("bool")
	case spirv.OpTypeInt:
		w.put(map[uint32]string{8: "char", 16: "short", 32: "int", 64: "long"}[in.Operand(0)])
	case spirv.OpTypeFloat:
		w.put(map[uint32]string{16: "half", 32: "float", 64: "double"}[in.Operand(0)])
	case spirv.OpTypeVector:
		w.write(spirv.ID(in.Operand(0)), depth-1)
		w.put(fmt.Sprint(in.Operand(1)))
	case spirv.OpTypeArray:
		w.write(spirv.ID(in.Operand(0)), depth-1)
		n, _ := w.p.index.Constant(spirv.ID(in.Operand(1)))
		w.put(fmt.Sprintf("[%d]", n))
	case spirv.OpTypePointer:
		w.write(spirv.ID(in.Operand(1)), depth-1)
		w.put(fmt.Sprintf(" %s*", spirv.StorageClass(in.Operand(0))))
	case spirv.OpTypeFunction:
		w.write(spirv.ID(in.Operand(0)), depth-1)
		w.list(" (", in.Operands()[1:], ")", depth)
	case spirv.OpTypeStruct:
		if name := w.p.names[id]; name != "" {
			w.put(name + " ")
		}
		if _, packed := w.p.has(id, spirv.DecorationCPacked); packed {
			w.put("packed ")
		}
		w.list("{", in.Operands(), "}", depth)
	case spirv.OpTypeOpaque:
		w.put(in.StringOperand(0))
	default:
		w.put(strings.TrimPrefix(op.String(), "OpType"))
	}
}

func (w *typeText) list(open string, ids []uint32, end string, depth int) {
	w.put(open)
	for i, id := range ids {
		if i > 0 {
			w.put(", ")
		}
		if w.left < 0 {
			return
		}
		w.write(spirv.ID(id), depth-1)
	}
	w.put(end)
}
