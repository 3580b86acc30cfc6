package lower

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// abortMessage prints the message of OpAbortKHR (SPV_KHR_abort) as a line of the launch's output: arrays of bytes as text,
// all else as numbers, with a space ahead of each number. The extension leaves the form to the client API, and
// OpenCL has none yet.
func (b *builder) abortMessage(in spirv.Inst) {
	v, t := b.vals(spirv.ID(in.Operand(1)))
	if len(v) > maxFlat {
		b.fail("a message of more than %d scalars does not fit in registers", maxFlat)
	}
	b.spend(len(v))
	m := abortText{b: b, v: v}
	m.of(t)
	m.format.WriteByte('\n')
	b.print(isa.Printf{Format: m.format.String(), Args: m.args}, m.regs)
}

// abortText is the message as a call of printf.
type abortText struct {
	b      *builder
	v      []*ssa.Value // scalars of the message that are not yet in it
	format strings.Builder
	args   []isa.PrintfArg
	regs   []*ssa.Value
}

// of adds the scalars of a type.
func (m *abortText) of(t *typ) {
	switch {
	case t.kind == kindArray && t.elem.kind == kindInt && t.elem.bits == 8:
		for range t.count {
			m.letter()
		}
	case t.kind == kindStruct:
		for _, e := range t.members {
			m.of(e)
		}
	case t.kind == kindArray || t.kind == kindVector || t.kind == kindMatrix:
		for range t.count {
			m.of(t.elem)
		}
	case t.flat == 1:
		m.number(t)
	default:
		m.b.fail("a message of type %s is not supported", t.op)
	}
}

// letter adds a byte of text. One that is zero and constant ends a string and is not printed.
func (m *abortText) letter() {
	x := m.v[0]
	switch {
	case !x.IsConst():
		m.arg("%c", isa.I32, m.b.conv(isa.OpZExt, isa.I32, isa.I8, x))
		return
	case byte(x.Imm) == '%':
		m.format.WriteString("%%")
	case byte(x.Imm) != 0:
		m.format.WriteByte(byte(x.Imm))
	}
	m.v = m.v[1:]
}

// number adds a scalar.
func (m *abortText) number(t *typ) {
	b, x := m.b, m.v[0]
	switch {
	case t.kind == kindBool:
		m.arg(" %u", isa.I32, b.sel(isa.I32, x, b.imm(isa.I32, 1), b.imm(isa.I32, 0)))
	case t.kind == kindFloat && t.small != nil:
		m.arg(" %g", isa.F32, b.fromSmall(t.small, x))
	case t.kind == kindFloat:
		if t.bits == 16 {
			x = b.conv(isa.OpFToF, isa.F32, isa.F16, x)
		}
		m.arg(" %g", isa.FloatOf(max(t.bits, 32)), x)
	case t.kind == kindInt && b.m.signedType(t):
		m.arg(" %ld", isa.I64, b.convertScalar(spirv.OpSConvert, t, &typ{kind: kindInt, bits: 64}, 0, false, x))
	case t.kind == kindInt:
		m.arg(" %lu", isa.I64, b.resize(x, t.scalar(), isa.I64))
	case t.kind == kindPointer:
		m.arg(" %p", isa.I64, x)
	default:
		b.fail("a message with a %s is not supported", t.op)
	}
}

// arg adds an argument with its conversion, in place of the next scalar.
func (m *abortText) arg(conversion string, t isa.Type, x *ssa.Value) {
	if x.IsConst() {
		x = m.b.imm(t, x.Imm)
	}
	m.format.WriteString(conversion)
	m.args = append(m.args, isa.PrintfArg{Type: t, Regs: make([]isa.Reg, 1)})
	m.regs = append(m.regs, x)
	m.v = m.v[1:]
}

// signedType says whether an integer type has a sign.
func (m *module) signedType(t *typ) bool {
	in, ok := m.x.Def(t.id)
	return ok && in.Op() == spirv.OpTypeInt && in.Operand(1) != 0
}
