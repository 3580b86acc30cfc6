package readers

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// abortMessage prints the message of OpAbortKHR (SPV_KHR_abort) as a line of the launch's output: arrays of bytes as text,
// all else as numbers, with a space ahead of each number. The extension leaves the form to the client API, and
// OpenCL has none yet.
func abortMessage(b *build.Builder, in spirv.Inst) {
	v, t := b.Vals(spirv.ID(in.Operand(1)))
	if len(v) > build.MaxFlat {
		b.Fail("a message of more than %d scalars does not fit in registers", build.MaxFlat)
	}
	b.Spend(len(v))
	m := abortText{b: b, v: v}
	m.of(t)
	m.format.WriteByte('\n')
	print(b, isa.Printf{Format: m.format.String(), Args: m.args}, m.regs)
}

// abortText is the message as a call of printf.
type abortText struct {
	b      *build.Builder
	v      []*ssa.Value // scalars of the message that are not yet in it
	format strings.Builder
	args   []isa.PrintfArg
	regs   []*ssa.Value
}

// of adds the scalars of a type.
func (m *abortText) of(t *build.Type) {
	switch {
	case t.Kind == build.KindArray && t.Elem.Kind == build.KindInt && t.Elem.Bits == 8:
		for range t.Count {
			m.letter()
		}
	case t.Kind == build.KindStruct:
		for _, e := range t.Members {
			m.of(e)
		}
	case t.Kind == build.KindArray || t.Kind == build.KindVector || t.Kind == build.KindMatrix:
		for range t.Count {
			m.of(t.Elem)
		}
	case t.Flat == 1:
		m.number(t)
	default:
		m.b.Fail("a message of type %s is not supported", t.Op)
	}
}

// letter adds a byte of text. One that is zero and constant ends a string and is not printed.
func (m *abortText) letter() {
	x := m.v[0]
	switch {
	case !x.IsConst():
		m.arg("%c", isa.I32, m.b.Conv(isa.OpZExt, isa.I32, isa.I8, x))
		return
	case byte(x.Imm) == '%':
		m.format.WriteString("%%")
	case byte(x.Imm) != 0:
		m.format.WriteByte(byte(x.Imm))
	}
	m.v = m.v[1:]
}

// number adds a scalar.
func (m *abortText) number(t *build.Type) {
	b, x := m.b, m.v[0]
	switch {
	case t.Kind == build.KindBool:
		m.arg(" %u", isa.I32, b.Sel(isa.I32, x, b.Imm(isa.I32, 1), b.Imm(isa.I32, 0)))
	case t.Kind == build.KindFloat && t.Small != nil:
		m.arg(" %g", isa.F32, fromSmall(b, t.Small, x))
	case t.Kind == build.KindFloat:
		if t.Bits == 16 {
			x = b.Conv(isa.OpFToF, isa.F32, isa.F16, x)
		}
		m.arg(" %g", isa.FloatOf(max(t.Bits, 32)), x)
	case t.Kind == build.KindInt && signedType(b.Module, t):
		m.arg(" %ld", isa.I64, convertScalar(b, spirv.OpSConvert, t, &build.Type{Kind: build.KindInt, Bits: 64}, 0, false, x))
	case t.Kind == build.KindInt:
		m.arg(" %lu", isa.I64, b.Resize(x, t.Scalar(), isa.I64))
	case t.Kind == build.KindPointer:
		m.arg(" %p", isa.I64, x)
	default:
		b.Fail("a message with a %s is not supported", t.Op)
	}
}

// arg adds an argument with its conversion, in place of the next scalar.
func (m *abortText) arg(conversion string, t isa.Type, x *ssa.Value) {
	if x.IsConst() {
		x = m.b.Imm(t, x.Imm)
	}
	m.format.WriteString(conversion)
	m.args = append(m.args, isa.PrintfArg{Type: t, Regs: make([]isa.Reg, 1)})
	m.regs = append(m.regs, x)
	m.v = m.v[1:]
}

// signedType says whether an integer type has a sign.
func signedType(m *build.Module, t *build.Type) bool {
	in, ok := m.Index.Def(t.ID)
	return ok && in.Op() == spirv.OpTypeInt && in.Operand(1) != 0
}
