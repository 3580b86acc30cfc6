package ssa

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
)

// String returns the kernel as it stands.
func (f *Func) String() string {
	var s strings.Builder
	for _, blk := range f.Blocks {
		fmt.Fprintf(&s, "b%d:", blk.ID)
		if blk.Name != "" {
			fmt.Fprintf(&s, " ; %s", Quoted(blk.Name))
		}
		if len(blk.Preds) > 0 {
			s.WriteString(" ; from")
			for _, p := range blk.Preds {
				fmt.Fprintf(&s, " b%d", p.ID)
			}
		}
		s.WriteByte('\n')
		for _, v := range blk.Phis {
			s.WriteString("  " + v.LongString() + "\n")
		}
		for _, v := range blk.Insts {
			s.WriteString("  " + v.LongString() + "\n")
		}
		switch blk.Term {
		case TermBr:
			fmt.Fprintf(&s, "  br b%d\n", blk.Succs[0].ID)
		case TermCond:
			fmt.Fprintf(&s, "  brcond %s ? b%d : b%d\n", blk.Cond.Name(), blk.Succs[0].ID, blk.Succs[1].ID)
		case TermSwitch:
			fmt.Fprintf(&s, "  switch %s", blk.Cond.Name())
			for i, c := range blk.Table.Cases {
				fmt.Fprintf(&s, " %d:b%d", c, blk.Succs[blk.Table.To[i]].ID)
			}
			fmt.Fprintf(&s, " default:b%d\n", blk.Succs[0].ID)
		case TermBarrier:
			fmt.Fprintf(&s, "  barrier %d then b%d\n", blk.Scope, blk.Succs[0].ID)
		case TermTrap:
			s.WriteString("  trap\n")
		default:
			s.WriteString("  ret\n")
		}
	}
	return s.String()
}

// Quoted returns a name of the module as it is, or quoted where it has
// characters that would break the line.
func Quoted(s string) string {
	if q := strconv.Quote(s); q[1:len(q)-1] != s {
		return q
	}
	return s
}

// Name is how an operand appears in a dump.
func (v *Value) Name() string {
	switch v.Op {
	case OpConst:
		return fmt.Sprintf("%#x", v.Imm)
	case OpParam:
		return fmt.Sprintf("param%d[%d:%d]", v.Index, v.Imm, v.Imm+uint64(v.Type.Bytes()))
	case OpUndef:
		return fmt.Sprintf("undef%d", v.Index)
	case OpGlobal:
		return fmt.Sprintf("@%d", v.Index)
	case OpPrivate:
		return fmt.Sprintf("private%d", v.Index)
	case OpLocal:
		return fmt.Sprintf("local%d", v.Index)
	case OpPipeHandle:
		return fmt.Sprintf("pipe%d", v.Index)
	case OpInput:
		return fmt.Sprintf("input%d", v.Index)
	case OpArg:
		return fmt.Sprintf("arg%d", v.Index)
	}
	if v.Varying {
		return fmt.Sprintf("v%d", v.ID)
	}
	return fmt.Sprintf("%%%d", v.ID)
}

// LongString is how an instruction appears in a dump, with its operands.
func (v *Value) LongString() string {
	var s strings.Builder
	if !NoResult(v) {
		s.WriteString(v.Name() + " = ")
	}
	switch v.Op {
	case OpPhi:
		s.WriteString("phi")
	case OpPipeStorage:
		s.WriteString("pipestorage")
	case OpResult:
		s.WriteString("result")
	default:
		s.WriteString(v.Op.String())
	}
	fmt.Fprintf(&s, ".%s", v.Type)
	if v.Elem != v.Type {
		fmt.Fprintf(&s, ".%s", v.Elem)
	}
	if v.Op == isa.OpPipe {
		s.WriteString(" " + isa.PipeOp(v.Imm2).String())
	}
	if v.Op == isa.OpBuiltin {
		s.WriteString(" " + isa.Builtin(v.Imm).String())
	}
	for _, a := range v.Args {
		s.WriteString(" " + a.Name())
	}
	switch v.Op {
	case isa.OpAsyncScope, isa.OpAsyncMark, isa.OpAsyncWait:
		fmt.Fprintf(&s, " body %d", v.Index)
		if v.Op == isa.OpAsyncWait {
			fmt.Fprintf(&s, " count %d", v.Scale)
		}
		return s.String()
	}
	if v.Scale != 0 || v.Disp != 0 {
		fmt.Fprintf(&s, " *%d %+d", v.Scale, v.Disp)
	}
	return s.String()
}
