package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// InstText returns the text form of one instruction of the kernel. Constants
// stand where the scalar registers that hold them are named.
func (k *Kernel) InstText(in *Inst) string {
	s := &shapes[in.Op.Info().Shape]
	p := &printer{k: k, in: in, shape: s}
	if in.Dst != None && s.result != roleNone {
		p.WriteString(in.Dst.Name(k.typeOf(in, s.result)) + " = ")
	}
	p.template(s.text)
	if in.Flags&FlagUniform != 0 {
		p.WriteString("  ; uniform")
	}
	if in.Flags&FlagDense != 0 {
		p.WriteString("  ; dense")
	}
	return p.String()
}

// printer writes the text form of an instruction.
type printer struct {
	strings.Builder
	k     *Kernel
	in    *Inst
	shape *shape
}

// template writes the text of a shape. A word in braces stands for what fields has under that name, or for an
// operand: {a} to {d}, and {+a} to {+d} with a comma in front, if the operand is there. {op} takes the types behind it
// along, .T and .T2, ahead of rounding and saturation.
func (p *printer) template(t string) {
	for {
		before, rest, ok := strings.Cut(t, "{")
		p.WriteString(before)
		if !ok {
			return
		}
		name, rest, _ := strings.Cut(rest, "}")
		t = rest
		switch {
		case name == "op":
			p.WriteString(p.in.Op.String())
			for _, x := range [...]struct {
				sign string
				t    Type
			}{{".T", p.in.Type}, {".T2", p.in.Type2}} {
				if strings.HasPrefix(t, x.sign) {
					p.WriteString("." + x.t.String())
					t = t[len(x.sign):]
				}
			}
			if r := p.in.Flags.Round(); r != RoundDefault {
				p.WriteString("." + r.String())
			}
			if p.in.Flags&FlagSat != 0 {
				p.WriteString(".sat")
			}
		case len(name) == 1:
			p.WriteString(p.operand(slot(name[0] - 'a')))
		case name[0] == '+':
			if s := slot(name[1] - 'a'); p.in.register(s) != None {
				p.WriteString(", " + p.operand(s))
			}
		default:
			p.WriteString(fields[name](p))
		}
	}
}

// operand returns the text of the operand in a slot.
func (p *printer) operand(s slot) string {
	r := roleT
	for _, o := range p.shape.operands {
		if o.slot == s {
			r = o.role
		}
	}
	return p.register(p.in.register(s), p.k.typeOf(p.in, r))
}

// register returns the text of a register that is read.
func (p *printer) register(r Reg, t Type) string {
	if c, ok := p.k.constant(r); ok {
		return constText(c, t)
	}
	return r.Name(t)
}

// allocation names the private or local allocation that a constant pointer leads to.
func (p *printer) allocation(r Reg) (string, bool) {
	c, ok := p.k.constant(r)
	if !ok || c>>40 == 0 {
		return "", false
	}
	s := fmt.Sprintf("%s #%d", Space(c>>60), c>>40&(1<<20-1))
	if off := c & (1<<40 - 1); off != 0 {
		s += fmt.Sprintf("+%d", off)
	}
	return s, true
}

// fields has what the templates of shapes name.
var fields = map[string]func(*printer) string{
	"imm":     func(p *printer) string { return fmt.Sprint(p.in.Imm) },
	"target0": func(p *printer) string { return fmt.Sprint(p.in.Target0()) },
	"target1": func(p *printer) string { return fmt.Sprint(p.in.Target1()) },
	"atomic":  func(p *printer) string { return AtomicOp(p.in.Imm2).String() },
	"builtin": func(p *printer) string { return Builtin(p.in.Imm).String() },
	"vote":    func(p *printer) string { return Vote(p.in.Imm).String() },
	"check":   func(p *printer) string { return p.k.Checks[p.in.Imm].String() },
	"shuffle": func(p *printer) string { return shuffleText(p.in.Imm) },
	"scan": func(p *printer) string {
		kind, op := p.in.ScanOf()
		return kind.String() + " " + op.String()
	},
	"function": func(p *printer) string {
		if p.in.Op == OpMath1 || p.in.Op == OpMath2 || p.in.Op == OpMath3 {
			return fmt.Sprintf(" #%d", p.in.Imm)
		}
		return ""
	},
	"clusters": func(p *printer) string {
		if p.in.Scale == 0 {
			return ""
		}
		return fmt.Sprintf(", clusters of %d", p.in.Scale)
	},
	"part": func(p *printer) string {
		if p.in.B == None {
			return ""
		}
		return ", part " + p.operand(slotB)
	},
	"order": func(p *printer) string {
		if o := p.in.Order(); o != 0 {
			return ", " + o.String()
		}
		return ""
	},
	"wait": func(p *printer) string {
		if p.in.Flags&FlagWait != 0 {
			return ", waits for the pipe"
		}
		return ""
	},
	"scope": func(p *printer) string {
		if Scope(p.in.Imm2) == ScopeSubgroup {
			return "subgroup"
		}
		return "workgroup"
	},
	"schedule": func(p *printer) string {
		if s := p.in.Schedule(); s != ScheduleUnordered {
			return ", " + s.String()
		}
		return ""
	},
	"marks": func(p *printer) string {
		if p.in.Op == OpAsyncWait {
			return fmt.Sprintf(" %d,", p.in.Scale)
		}
		return ""
	},
	"address":   (*printer).address,
	"printf":    (*printer).printf,
	"regs":      (*printer).regs,
	"groupcopy": func(p *printer) string { return plain(p.k.GroupCopies[p.in.Imm].Name) },
	"lanecopy":  (*printer).laneCopy,
	"image":     func(p *printer) string { return p.k.ImageAccesses[p.in.Imm].text(p.in) },
	"pipe":      func(p *printer) string { return p.k.PipeAccesses[p.in.Imm].text() },
}

// address returns the text of an address.
func (p *printer) address() string {
	in := p.in
	s := "[" + in.Space.String() + " " + p.operand(slotA)
	if a, ok := p.allocation(in.A); ok {
		s = "[" + a
	}
	if in.Idx != IdxNone {
		x := p.register(in.B, in.Idx.Type())
		switch in.Idx {
		case IdxS32:
			x = "sext " + x
		case IdxU32:
			x = "zext " + x
		}
		s += fmt.Sprintf(" + %s*%d", x, in.Scale)
	}
	if in.Disp != 0 {
		s += fmt.Sprintf(" %+d", in.Disp)
	}
	return s + "]"
}

// printf returns the text of the arguments of a printf.
func (p *printer) printf() string {
	s := ""
	for _, a := range p.k.Printfs[p.in.Imm].Args {
		if a.IsString {
			s += " " + strconv.Quote(a.Str)
		}
		if a.InMemory {
			s += " string"
		}
		for _, r := range a.Regs {
			s += " " + p.register(r, a.Type)
		}
	}
	return s
}

// regs returns the text of the registers of a table's entry, with their names.
func (p *printer) regs() string {
	s := ""
	p.shape.regs(p.k, p.in, func(r *Reg, t Type, what string) {
		x := p.register(*r, t)
		if a, ok := p.allocation(*r); ok && (what == "lds" || what == CopyDst.String() || what == CopySrc.String()) {
			x = "[" + a + "]"
		}
		s += " " + what + " " + x
	})
	return s
}

// laneCopy returns what a copy is.
func (p *printer) laneCopy() string {
	c := &p.k.LaneCopies[p.in.Imm]
	s := fmt.Sprintf("%s size %d", plain(c.Name), c.Size)
	if c.Offset != 0 {
		s += fmt.Sprintf(" offset %d", c.Offset)
	}
	if c.Volatile {
		s += " volatile"
	}
	return s
}

// shuffleText returns what the checks are told of a shuffle.
func shuffleText(imm uint32) string {
	s := ""
	if imm&ShuffleSame != 0 {
		s += ", same"
	}
	if imm&ShuffleLoose != 0 {
		s += ", loose"
	}
	if imm&ShuffleItem != 0 {
		s += ", item"
	}
	return s
}
