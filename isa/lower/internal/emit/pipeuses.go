package emit

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// pipeUse is what is done with a handle: a set.
type pipeUse uint8

const (
	useRead   pipeUse = 1 << iota
	useWrite          //
	useEscape         // it goes where it cannot be followed
)

// pipeUses finds out what the kernel does with the program's pipes that it
// names: it follows the handles of the pipe instructions back to them. A handle
// that comes from memory may be that of any pipe; one that goes there may be
// used at each end that it has been made for.
func (e *emitter) pipeUses() {
	type fact struct {
		v   *ssa.Value
		use pipeUse
	}
	seen := map[fact]bool{}
	var work []fact
	from := func(v *ssa.Value, use pipeUse) {
		if f := (fact{v, use}); v.Type == isa.I64 && !seen[f] {
			seen[f] = true
			work = append(work, f)
		}
	}
	for _, blk := range e.f.Blocks {
		for _, v := range blk.Insts {
			if v.Op == isa.OpPipe {
				use := pipeUse(0)
				switch op := isa.PipeOp(v.Imm2); {
				case op.Reads():
					use = useRead
				case op.Writes():
					use = useWrite
				}
				from(v.Args[0], use)
			}
			if len(e.k.PipeRegs) == 0 {
				continue // nothing that could escape
			}
			for i, a := range v.Args {
				if !passesPipe(v, i) {
					from(a, useRead|useWrite|useEscape)
				}
			}
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		switch v := f.v; v.Op {
		case ssa.OpPipeHandle:
			r := &e.k.PipeRegs[e.pipes[int(v.Index)]]
			r.Reads = r.Reads || f.use&useRead != 0
			r.Writes = r.Writes || f.use&useWrite != 0
		case ssa.OpParam, ssa.OpConst:
		case isa.OpPtrAdd, ssa.OpPhi, isa.OpSelect, isa.OpMov:
			use := f.use
			if v.Op == isa.OpPtrAdd && use&useEscape != 0 {
				switch v.Disp {
				case isa.PipeReadEnd:
					use &^= useWrite
				case isa.PipeWriteEnd:
					use &^= useRead
				}
			}
			for i, a := range v.Args {
				if passesPipe(v, i) {
					from(a, use)
				}
			}
		default:
			e.k.AnyPipe = e.k.AnyPipe || f.use&useEscape == 0
		}
	}
}

// passesPipe says whether argument i of v goes on as v's result, or is the pipe
// of a pipe instruction.
func passesPipe(v *ssa.Value, i int) bool {
	switch v.Op {
	case ssa.OpPhi, isa.OpMov:
		return true
	case isa.OpSelect:
		return i > 0
	case isa.OpPtrAdd, isa.OpPipe:
		return i == 0
	}
	return false
}
