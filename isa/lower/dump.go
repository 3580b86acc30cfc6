package lower

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
)

// text returns the kernel as it stands.
func (f *fn) text() string {
	var s strings.Builder
	for _, blk := range f.blocks {
		fmt.Fprintf(&s, "b%d:", blk.id)
		if blk.name != "" {
			fmt.Fprintf(&s, " ; %s", plain(blk.name))
		}
		if len(blk.preds) > 0 {
			s.WriteString(" ; from")
			for _, p := range blk.preds {
				fmt.Fprintf(&s, " b%d", p.id)
			}
		}
		s.WriteByte('\n')
		for _, v := range blk.phis {
			s.WriteString("  " + v.text() + "\n")
		}
		for _, v := range blk.insts {
			s.WriteString("  " + v.text() + "\n")
		}
		switch blk.term {
		case termBr:
			fmt.Fprintf(&s, "  br b%d\n", blk.succs[0].id)
		case termCond:
			fmt.Fprintf(&s, "  brcond %s ? b%d : b%d\n", blk.cond.name(), blk.succs[0].id, blk.succs[1].id)
		case termSwitch:
			fmt.Fprintf(&s, "  switch %s", blk.cond.name())
			for i, c := range blk.table.cases {
				fmt.Fprintf(&s, " %d:b%d", c, blk.succs[blk.table.to[i]].id)
			}
			fmt.Fprintf(&s, " default:b%d\n", blk.succs[0].id)
		case termBarrier:
			fmt.Fprintf(&s, "  barrier %d then b%d\n", blk.scope, blk.succs[0].id)
		case termTrap:
			s.WriteString("  trap\n")
		default:
			s.WriteString("  ret\n")
		}
	}
	return s.String()
}

// plain returns a name of the module as it is, or quoted where it has
// characters that would break the line.
func plain(s string) string {
	if q := strconv.Quote(s); q[1:len(q)-1] != s {
		return q
	}
	return s
}

// name is how an operand appears in a dump.
func (v *value) name() string {
	switch v.op {
	case irConst:
		return fmt.Sprintf("%#x", v.imm)
	case irParam:
		return fmt.Sprintf("param%d[%d:%d]", v.index, v.imm, v.imm+uint64(v.typ.Bytes()))
	case irUndef:
		return fmt.Sprintf("undef%d", v.index)
	case irGlobal:
		return fmt.Sprintf("@%d", v.index)
	case irPriv:
		return fmt.Sprintf("private%d", v.index)
	case irLocal:
		return fmt.Sprintf("local%d", v.index)
	case irPipe:
		return fmt.Sprintf("pipe%d", v.index)
	case irInput:
		return fmt.Sprintf("input%d", v.index)
	case irArg:
		return fmt.Sprintf("arg%d", v.index)
	}
	if v.div {
		return fmt.Sprintf("v%d", v.id)
	}
	return fmt.Sprintf("%%%d", v.id)
}

func (v *value) text() string {
	var s strings.Builder
	if !noResult(v) {
		s.WriteString(v.name() + " = ")
	}
	switch v.op {
	case irPhi:
		s.WriteString("phi")
	case irStorage:
		s.WriteString("pipestorage")
	case irResult:
		s.WriteString("result")
	default:
		s.WriteString(v.op.String())
	}
	fmt.Fprintf(&s, ".%s", v.typ)
	if v.elem != v.typ {
		fmt.Fprintf(&s, ".%s", v.elem)
	}
	if v.op == isa.OpPipe {
		s.WriteString(" " + isa.PipeOp(v.imm2).String())
	}
	if v.op == isa.OpBuiltin {
		s.WriteString(" " + isa.Builtin(v.imm).String())
	}
	for _, a := range v.args {
		s.WriteString(" " + a.name())
	}
	switch v.op {
	case isa.OpAsyncScope, isa.OpAsyncMark, isa.OpAsyncWait:
		fmt.Fprintf(&s, " body %d", v.index)
		if v.op == isa.OpAsyncWait {
			fmt.Fprintf(&s, " count %d", v.scale)
		}
		return s.String()
	}
	if v.scale != 0 || v.disp != 0 {
		fmt.Fprintf(&s, " *%d %+d", v.scale, v.disp)
	}
	return s.String()
}
