package amd64

import (
	"fmt"
	"slices"
	"strings"
)

// String is the name of the operation as assemblers write it.
func (op Op) String() string {
	if op == noOp || op >= numOps {
		return fmt.Sprintf("Op(%d)", uint16(op))
	}
	return table[op][len(table[op])-1].name
}

// String is the 64-bit name of the register.
func (r Reg) String() string { return r.name(B64) }

func (r Reg) name(s Size) string {
	if r == NoReg || r > R15 {
		return fmt.Sprintf("Reg(%d)", uint8(r))
	}
	old := [...]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}
	n := r - RAX
	if n >= 8 {
		return fmt.Sprintf("r%d%s", n, map[Size]string{B8: "b", B16: "w", B32: "d"}[s])
	}
	switch s {
	case B8:
		if n < 4 {
			return old[n][:1] + "l"
		}
		return old[n] + "l"
	case B16:
		return old[n]
	case B32:
		return "e" + old[n]
	}
	return "r" + old[n]
}

// String is the name of the register at full width.
func (v Vec) String() string { return v.name(Z) }

func (v Vec) name(w Width) string { return fmt.Sprintf("%cmm%d", "xyz"[w], uint8(v)) }

// String is the name of the register.
func (k Mask) String() string { return fmt.Sprintf("k%d", uint8(k)) }

// String is the suffix that assemblers write.
func (p Pred) String() string {
	if p.zero {
		return fmt.Sprintf("{%s}{z}", p.k)
	}
	return fmt.Sprintf("{%s}", p.k)
}

// String is the suffix that assemblers write.
func (r Rounding) String() string {
	switch r {
	case RoundNearest:
		return "{rn-sae}"
	case RoundDown:
		return "{rd-sae}"
	case RoundUp:
		return "{ru-sae}"
	case RoundZero:
		return "{rz-sae}"
	}
	return "{sae}"
}

// String is the suffix of conditional instructions.
func (c Cond) String() string {
	names := [...]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("Cond(%d)", uint8(c))
}

// String is the operand in Intel's syntax. Places in the code have no names, only numbers: label3, const0.
func (m Mem) String() string {
	switch m.kind {
	case memLabel:
		return fmt.Sprintf("[rip+label%d%+d]", m.id, m.Disp)
	case memConst:
		return fmt.Sprintf("[rip+const%d%+d]", m.id, m.Disp)
	}
	index := ""
	switch {
	case m.kind == memVec:
		index = m.vec.String()
	case m.Index != NoReg:
		index = m.Index.String()
	}
	return m.text(index)
}

// text writes m with the given name of the index.
func (m Mem) text(index string) string {
	var parts []string
	if m.Base != NoReg {
		parts = append(parts, m.Base.String())
	}
	if index != "" {
		parts = append(parts, fmt.Sprintf("%s*%d", index, max(m.Scale, 1)))
	}
	s := strings.Join(parts, "+")
	switch {
	case s == "":
		s = fmt.Sprintf("ds:0x%x", uint32(m.Disp))
	case m.Disp != 0:
		s += fmt.Sprintf("%+d", m.Disp)
	}
	return "[" + s + "]"
}

// text is the instruction in Intel's syntax, as the GNU assembler reads it where in has a form.
func (in *inst) text(name string) string {
	var parts []string
	for i := range in.n {
		s := in.operand(i)
		if i == 0 && in.pred.k != 0 {
			s += in.pred.String()
		}
		parts = append(parts, s)
	}
	if in.round != 0 { // between the registers and the number, if there is one
		at := len(parts)
		if at > 0 {
			if _, ok := in.args[at-1].(Imm); ok {
				at--
			}
		}
		parts = slices.Insert(parts, at, in.round.String())
	}
	return strings.TrimSpace(name + " " + strings.Join(parts, ", "))
}

// operand is operand i in Intel's syntax.
func (in *inst) operand(i int) string {
	class := byte('v')
	if in.f != nil {
		class = in.f.args[i]
	}
	switch o := in.args[i].(type) {
	case Vec:
		return o.name(classWidth(class, in.w))
	case Reg:
		if class == 'D' || class == 'd' {
			return o.name(B32)
		}
		return o.name(B64)
	case Imm:
		return fmt.Sprint(int64(o))
	case Mem:
		s := o.String()
		if o.kind == memVec {
			s = o.text(o.vec.name(classWidth(class, in.w)))
		}
		if in.f == nil || class == 'v' && in.f.mem >= t1 {
			return s // of compressions, displacements count in elements, and assemblers want the vector's size or none
		}
		if o.bcast {
			one := in.f.bytes(in.w, true)
			return fmt.Sprintf("%s ptr %s{1to%d}", sizeNames[one], s, in.f.bytes(in.w, false)/one)
		}
		return fmt.Sprintf("%s ptr %s", sizeNames[in.f.bytes(in.w, false)], s)
	case fmt.Stringer:
		return o.String()
	}
	return fmt.Sprintf("%v", in.args[i])
}

var sizeNames = map[int]string{
	1: "byte", 2: "word", 4: "dword", 8: "qword", 16: "xmmword", 32: "ymmword", 64: "zmmword",
}

// classWidth is the width of a vector register of class c in an instruction of width w.
func classWidth(c byte, w Width) Width {
	switch c {
	case 'V', 'v', 'S':
		return w
	case 'H', 'h', 's':
		return max(w, 1) - 1
	case 'Q', 'q':
		return max(w, 2) - 2
	case 'Y', 'y':
		return Y
	}
	return X
}
