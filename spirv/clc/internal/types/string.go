package types

import (
	"strconv"
	"strings"
)

func (i Image) name() string {
	b := "image" + strconv.Itoa(i.Dim) + "d"
	if i.Array {
		b += "_array"
	}
	if i.Buffer {
		b += "_buffer"
	}
	if i.MSAA {
		b += "_msaa"
	}
	if i.Depth {
		b += "_depth"
	}
	return b + "_t"
}

// String returns the type as messages write it: "const __global float4 *".
func (t Qual) String() string {
	if t.Type == nil {
		return "<none>"
	}
	return declare(t, "")
}

// String returns the unqualified type as messages write it.
func (t *Type) String() string { return Qual{Type: t}.String() }

// Declaration returns the declaration of a name with a type, as C writes it: "int (*p)[4]".
func Declaration(t Qual, name string) string { return declare(t, name) }

// declare writes the declarator inside out.
func declare(t Qual, inner string) string {
	switch t.Kind {
	case PointerKind:
		p := "*" + t.Q.words(false)
		if inner != "" && p[len(p)-1] != '*' {
			p += " "
		}
		inner = p + inner
		if k := t.Elem.Kind; k == ArrayKind || k == FunctionKind {
			inner = "(" + inner + ")"
		}
		return declare(t.Elem, inner)
	case ArrayKind:
		n := ""
		if t.Len >= 0 {
			n = strconv.FormatInt(t.Len, 10)
		}
		return declare(t.Elem.With(t.Q), inner+"["+n+"]")
	case FunctionKind:
		var b strings.Builder
		b.WriteString(inner + "(")
		for i, p := range t.Params {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(p.String())
		}
		switch {
		case t.Variadic && len(t.Params) > 0:
			b.WriteString(", ...")
		case t.Variadic:
			b.WriteString("...")
		case len(t.Params) == 0 && !t.NoProto:
			b.WriteString("void")
		}
		b.WriteString(")")
		return declare(t.Elem, b.String())
	}
	s := t.baseName()
	if q := t.Q.words(true); q != "" {
		s = q + " " + s
	}
	if inner != "" {
		s += " " + inner
	}
	return s
}

func (t *Type) baseName() string {
	switch t.Kind {
	case VectorKind:
		return t.Elem.Name + strconv.FormatInt(t.Len, 10)
	case StructKind:
		word := "struct "
		if t.Struct.Union {
			word = "union "
		}
		if t.Struct.Alias != "" {
			return t.Struct.Alias
		}
		if t.Struct.Tag == "" {
			return word + "(unnamed)"
		}
		return word + t.Struct.Tag
	case EnumKind:
		if t.Enum.Alias != "" {
			return t.Enum.Alias
		}
		if t.Enum.Tag == "" {
			return "enum (unnamed)"
		}
		return "enum " + t.Enum.Tag
	case ImageKind:
		return t.Image.Access.String() + " " + t.Name
	case PipeKind:
		return t.Access.String() + " pipe " + t.Elem.String()
	}
	return t.Name
}

// words returns the qualifiers as they are written, with an address space only if that is not Private.
func (q Quals) words(spaceFirst bool) string {
	var w []string
	if s := q.Space(); s != Private && spaceFirst {
		w = append(w, s.String())
	}
	for _, x := range []struct {
		q    Quals
		name string
	}{{Const, "const"}, {Volatile, "volatile"}, {Restrict, "restrict"}, {Atomic, "_Atomic"}} {
		if q&x.q != 0 {
			w = append(w, x.name)
		}
	}
	if s := q.Space(); s != Private && !spaceFirst {
		w = append(w, s.String())
	}
	return strings.Join(w, " ")
}
