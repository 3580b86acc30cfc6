package readers

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// printf reads a call of printf. Its format and the strings that it prints are literals in OpenCL C
// (6.15.14.3), and those that are constants of the module where they are used are read here. Others are read
// from memory when printf is executed: compilers make one call of two, with a selection between their
// literals, and tables of literals; and drivers take strings that kernels make.
func printf(b *build.Builder, in spirv.Inst, ops []uint32) {
	p, pt := b.One(spirv.ID(ops[0]))
	if pt.Kind != build.KindPointer {
		b.Fail("the format of printf has type %s; it is a pointer to a string", pt.Op)
	}
	format, ok := constString(b, p)
	pf := isa.Printf{Format: format, FormatInMemory: !ok}
	conv := conversions(format)
	var args []*ssa.Value
	if !ok {
		args = append(args, p)
		pf.Args = append(pf.Args, isa.PrintfArg{Type: isa.I64, Regs: make([]isa.Reg, 1), InMemory: true})
	}
	for i, w := range ops[1:] {
		vals, t := b.Vals(spirv.ID(w))
		ct := t.Component()
		arg := isa.PrintfArg{Type: ct.Scalar()}
		if ct.Kind == build.KindPointer && !pf.FormatInMemory && i < len(conv) && conv[i] == 's' {
			s, ok := constString(b, vals[0])
			if vals[0].IsConst() && vals[0].Imm == 0 {
				s, ok = "(null)", true // as the C library prints it
			}
			if ok {
				arg.IsString, arg.Str = true, s
				pf.Args = append(pf.Args, arg)
				continue
			}
			arg.InMemory = len(vals) == 1
		}
		arg.InMemory = arg.InMemory || ct.Kind == build.KindPointer && pf.FormatInMemory && len(vals) == 1
		if arg.Type == isa.Void || arg.Type == isa.B1 {
			b.Fail("argument %d of printf has type %s, which OpenCL C (6.15.14) has no conversion for", i+1, t.Op)
		}
		for _, v := range vals {
			if arg.Type == isa.F16 {
				v = b.Conv(isa.OpFToF, isa.F32, isa.F16, v)
			}
			args = append(args, v)
		}
		if arg.Type == isa.F16 {
			arg.Type = isa.F32
		}
		arg.Regs = make([]isa.Reg, len(vals)) // filled when registers are known
		pf.Args = append(pf.Args, arg)
	}
	b.SetOne(in, print(b, pf, args))
}

// print makes the instruction that prints, and returns what printf returns.
func print(b *build.Builder, pf isa.Printf, args []*ssa.Value) *ssa.Value {
	v := b.Func.NewValue(isa.OpPrintf, isa.I32, isa.I32, args...)
	v.Index = int32(len(b.Kernel.Printfs))
	v.Imm = uint64(v.Index)
	b.Kernel.Printfs = append(b.Kernel.Printfs, pf)
	b.Kernel.UsesPrintf = true
	v.Block, v.Loc = b.Cur, b.Place()
	b.Cur.Insts = append(b.Cur.Insts, v)
	return v
}

// conversions returns the conversion characters of a format, in order; a '*'
// stands for itself, as it takes an argument too.
func conversions(format string) []byte {
	var out []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format); i++ {
			c := format[i]
			if c == '%' {
				break
			}
			if c == '*' {
				out = append(out, c)
				continue
			}
			if c == 'h' || c == 'l' || c == 'v' || c < 'A' || c == 'L' {
				continue
			}
			out = append(out, c)
			break
		}
	}
	return out
}

// constString reads the string that a constant pointer leads to.
func constString(b *build.Builder, p *ssa.Value) (string, bool) {
	p, off := opt.ConstantSteps(p)
	if p.Op != ssa.OpGlobal || off < 0 {
		return "", false
	}
	g := &b.Module.Program.Globals[p.Index]
	if !g.ReadOnly || uint64(off) > g.Size {
		return "", false
	}
	data := g.Init[min(uint64(off), uint64(len(g.Init))):]
	for i, c := range data {
		if c == 0 {
			return string(data[:i]), true
		}
	}
	// What is behind the initializer is zero, if anything is there.
	return string(data), uint64(off)+uint64(len(data)) < g.Size
}
