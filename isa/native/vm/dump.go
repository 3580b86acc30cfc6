package vm

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// name is the name of a virtual register: v and its number for a vector, m for a mask.
func (f *Func) name(v int32) string {
	if f.virtuals[v].file == Masks {
		return fmt.Sprintf("m%d", v)
	}
	return fmt.Sprintf("v%d", v)
}

// Dump returns the machine form as text, an instruction a line, in the order of the code. field names places
// in memory as of [amd64.Assembler.List]; it may be nil.
func (f *Func) Dump(field func(amd64.Mem) string) string {
	var b strings.Builder
	for n := range f.insts {
		i := &f.insts[n]
		switch i.kind {
		case kindSection:
			fmt.Fprintf(&b, "\n%s\n", f.texts[i.code])
		case kindNote:
			fmt.Fprintf(&b, "\t; %s\n", f.texts[i.code])
		case kindBind:
			fmt.Fprintf(&b, "L%d:\n", i.label)
		default:
			text := f.instText(i)
			for _, o := range f.at(i) {
				if m, ok := o.(amd64.Mem); ok && field != nil && field(m) != "" {
					text = strings.Replace(text, m.String(), "["+field(m)+"]", 1)
				}
			}
			fmt.Fprintf(&b, "\t%s\n", text)
		}
	}
	return b.String()
}

// instText is the text of an instruction.
func (f *Func) instText(i *inst) string {
	name := ""
	switch i.kind {
	case kindVector:
		name = amd64.Op(i.code).String() + "." + string("xyz"[i.size])
	case kindGeneral:
		name = fmt.Sprintf("%s.%d", amd64.Gen(i.code), i.size)
	case kindJmp:
		return fmt.Sprintf("jmp L%d", i.label)
	case kindJcc:
		return fmt.Sprintf("j%s L%d", amd64.Cond(i.code), i.label)
	case kindCMov:
		name = fmt.Sprintf("cmov%s.%d", amd64.Cond(i.code), i.size)
	case kindSet:
		name = "set" + amd64.Cond(i.code).String()
	case kindBind:
		return fmt.Sprintf("L%d:", i.label)
	case kindAlign:
		return fmt.Sprintf(".align %d", i.code)
	case kindNote, kindSection:
		return "; " + f.texts[i.code]
	case kindWatch:
		name = fmt.Sprintf("callout to L%d", i.label)
	case kindBase:
		return "base of the spill slots"
	}
	var parts []string
	for _, o := range f.at(i) {
		parts = append(parts, f.operandText(o))
	}
	return strings.TrimSpace(name + " " + strings.Join(parts, ", "))
}

// operandText is the text of an operand.
func (f *Func) operandText(o amd64.Operand) string {
	v := virtualOf(o)
	switch o := o.(type) {
	case amd64.Vec, amd64.Mask:
		if v >= 0 {
			return f.name(v)
		}
	case amd64.Pred:
		if v >= 0 {
			return strings.Replace(o.String(), o.Mask().String(), f.name(v), 1)
		}
	case amd64.Mem:
		if o.Broadcasts() {
			return o.String() + "{bcast}"
		}
		if x, ok := o.VectorIndex(); ok && v >= 0 {
			return strings.Replace(o.String(), x.String(), f.name(v), 1)
		}
	}
	return fmt.Sprint(o)
}
