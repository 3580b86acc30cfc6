package debug

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TypeOf returns the type that a text names, as a cast does, "struct s" or "float4*"; nil for none.
func (s *Session) TypeOf(text string) *Type {
	if len(text) > maxExpression {
		return nil
	}
	p := exprParser{info: s.info, text: text}
	t := p.typeName()
	if p.space(); t == nil || p.at < len(text) {
		return nil
	}
	return t
}

// maxDescribed is the number of lines of a description.
const maxDescribed = 200

// Describe returns what a type is, in lines: what typedefs stand for, and the members of the structure or the
// names of the enumeration that is behind them, behind pointers and arrays.
func (t *Type) Describe() (lines []string) {
	for n := 0; n < maxTypeDepth && t.Elem != nil; n++ {
		switch t.Kind {
		case isa.DebugAlias:
			if !t.qualifier() {
				lines = append(lines, fmt.Sprintf("%s is %s", t, t.Elem))
			}
			t = t.Elem
		case isa.DebugPointer, isa.DebugArray, isa.DebugVector:
			t = t.Elem
		default:
			n = maxTypeDepth
		}
	}
	add := func(format string, args ...any) bool {
		if len(lines) == maxDescribed {
			lines = append(lines, "…")
		}
		if len(lines) > maxDescribed {
			return false
		}
		lines = append(lines, fmt.Sprintf(format, args...))
		return true
	}
	switch {
	case t.Kind == isa.DebugStruct || t.Kind == isa.DebugUnion:
		add("%s has %d bytes:", t, t.Size)
		for i := range t.Members {
			m := &t.Members[i]
			where := fmt.Sprintf("byte %d", m.Bit.Offset/8)
			if m.Bit.Bits > 0 {
				where = fmt.Sprintf("bits %d to %d", m.Bit.Offset, m.Bit.Offset+m.Bit.Bits-1)
			}
			if !add("  %s at %s", m.Type.Declaration(m.Name), where) {
				break
			}
		}
	case len(t.Enumerators) > 0:
		add("%s has the names:", t)
		for _, e := range t.Enumerators {
			if !add("  %s = %s", e.Name, e.text(t)) {
				break
			}
		}
	}
	return lines
}

// text returns the value of an enumerator as a number.
func (e Enumerator) text(t *Type) string {
	v := integer(t, e.Value)
	if t.Kind == isa.DebugSigned {
		return fmt.Sprint(v.signed())
	}
	return fmt.Sprint(v.word())
}

// qualifier says whether an alias is a qualifier, and no typedef.
func (t *Type) qualifier() bool {
	switch t.Name {
	case "const", "volatile", "restrict", "atomic":
		return true
	}
	return false
}
