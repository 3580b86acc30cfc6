package sema

import (
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Names of overloadable functions are those of the Itanium C++ ABI, as clang writes them for SPIR: address spaces
// are vendor qualifiers by their numbers in SPIR, OpenCL's opaque types are names of their own.

// mangle returns the symbol of an overloadable function.
func (c *Checker) mangle(name string, f *types.Type) string {
	var m mangler
	m.text = append(m.text, "_Z"...)
	m.name(name)
	if len(f.Params) == 0 {
		m.text = append(m.text, 'v')
	}
	for _, p := range f.Params {
		m.atomic(types.Qual{Type: p.Type})
	}
	return string(m.text)
}

// mangler builds a name.
type mangler struct {
	text []byte
	seen []types.Qual // what can be referred to, in the order of its ends
}

func (m *mangler) name(s string) {
	m.text = strconv.AppendInt(m.text, int64(len(s)), 10)
	m.text = append(m.text, s...)
}

// refer writes a reference to an earlier component, if t is one.
func (m *mangler) refer(t types.Qual) bool {
	for i, s := range m.seen {
		if s == t {
			m.text = append(m.text, 'S')
			if i > 0 {
				m.text = append(m.text, strings.ToUpper(strconv.FormatInt(int64(i-1), 36))...)
			}
			m.text = append(m.text, '_')
			return true
		}
	}
	return false
}

// spaceNumbers has the numbers of address spaces in SPIR.
var spaceNumbers = [...]string{types.Private: "", types.Global: "1", types.Constant: "2", types.Local: "3",
	types.Generic: "4"}

// placed marks what a pointer leads to: clang takes a type in the private address space for a qualified one there,
// which can be referred to, although nothing is written for the qualifier.
const placed = types.Explicit

// qual writes what a pointer leads to, or an element of that.
func (m *mangler) qual(t types.Qual) {
	t.Q |= placed
	if m.refer(t) {
		return
	}
	if t.IsArray() {
		// Qualifiers of an array are those of its elements.
		m.array(t, t.Q)
		m.seen = append(m.seen, t)
		return
	}
	if n := spaceNumbers[t.Space()]; n != "" {
		m.text = append(m.text, 'U')
		m.name("AS" + n)
	}
	if t.Q&types.Restrict != 0 {
		m.text = append(m.text, 'r')
	}
	if t.Q&types.Volatile != 0 {
		m.text = append(m.text, 'V')
	}
	if t.Q&types.Const != 0 {
		m.text = append(m.text, 'K')
	}
	m.atomic(types.Qual{Type: t.Type, Q: t.Q & types.Atomic})
	m.seen = append(m.seen, t)
}

// atomic writes a type without qualifiers, which may be atomic.
func (m *mangler) atomic(t types.Qual) {
	if t.Q&types.Atomic == 0 {
		m.bare(t.Type)
		return
	}
	t = types.Qual{Type: t.Type, Q: types.Atomic}
	if m.refer(t) {
		return
	}
	m.text = append(m.text, "U7_Atomic"...)
	m.bare(t.Type)
	m.seen = append(m.seen, t)
}

func (m *mangler) array(t types.Qual, q types.Quals) {
	m.text = append(m.text, 'A')
	if t.Len >= 0 {
		m.text = strconv.AppendInt(m.text, t.Len, 10)
	}
	m.text = append(m.text, '_')
	m.qual(t.Elem.With(q))
}

var scalarCodes = [...]string{types.VoidKind: "v", types.BoolKind: "b", types.CharKind: "c", types.UCharKind: "h",
	types.ShortKind: "s", types.UShortKind: "t", types.IntKind: "i", types.UIntKind: "j", types.LongKind: "l",
	types.ULongKind: "m", types.HalfKind: "Dh", types.FloatKind: "f", types.DoubleKind: "d"}

// bare writes an unqualified type.
func (m *mangler) bare(t *types.Type) {
	if int(t.Kind) < len(scalarCodes) {
		m.text = append(m.text, scalarCodes[t.Kind]...)
		return
	}
	q := types.Qual{Type: t}
	if m.refer(q) {
		return
	}
	switch t.Kind {
	case types.VectorKind:
		m.text = append(m.text, "Dv"...)
		m.text = strconv.AppendInt(m.text, t.Len, 10)
		m.text = append(m.text, '_')
		m.bare(t.Elem.Type)
	case types.PointerKind:
		m.text = append(m.text, 'P')
		m.qual(t.Elem)
	case types.ArrayKind:
		m.array(q, 0)
	case types.StructKind:
		m.name(firstOf(t.Struct.Tag, t.Struct.Alias, "$_0"))
	case types.EnumKind:
		m.name(firstOf(t.Enum.Tag, t.Enum.Alias, "$_0"))
	default:
		m.name(opaqueName(t))
	}
	m.seen = append(m.seen, q)
}

func firstOf(names ...string) string {
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}

// opaqueName returns what SPIR calls a type of OpenCL.
func opaqueName(t *types.Type) string {
	switch t.Kind {
	case types.ImageKind:
		return "ocl_" + strings.TrimSuffix(t.Name, "_t") + [...]string{"_ro", "_wo", "_rw"}[t.Image.Access]
	case types.SamplerKind:
		return "ocl_sampler"
	case types.EventKind:
		return "ocl_event"
	case types.ReserveIDKind:
		return "ocl_reserveid"
	case types.PipeKind:
		return "ocl_pipe"
	}
	return "ocl_" + strings.TrimSuffix(t.Name, "_t")
}
