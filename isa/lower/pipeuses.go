package lower

import "github.com/lockstep-gpu/lockstep/isa"

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
		v   *value
		use pipeUse
	}
	seen := map[fact]bool{}
	var work []fact
	from := func(v *value, use pipeUse) {
		if f := (fact{v, use}); v.typ == isa.I64 && !seen[f] {
			seen[f] = true
			work = append(work, f)
		}
	}
	for _, blk := range e.b.f.blocks {
		for _, v := range blk.insts {
			if v.op == isa.OpPipe {
				use := pipeUse(0)
				switch op := isa.PipeOp(v.imm2); {
				case op.Reads():
					use = useRead
				case op.Writes():
					use = useWrite
				}
				from(v.args[0], use)
			}
			if len(e.k.PipeRegs) == 0 {
				continue // nothing that could escape
			}
			for i, a := range v.args {
				if !passesPipe(v, i) {
					from(a, useRead|useWrite|useEscape)
				}
			}
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		switch v := f.v; v.op {
		case irPipe:
			r := &e.k.PipeRegs[e.pipes[int(v.index)]]
			r.Reads = r.Reads || f.use&useRead != 0
			r.Writes = r.Writes || f.use&useWrite != 0
		case irParam, irConst:
		case isa.OpPtrAdd, irPhi, isa.OpSelect, isa.OpMov:
			use := f.use
			if v.op == isa.OpPtrAdd && use&useEscape != 0 {
				switch v.disp {
				case isa.PipeReadEnd:
					use &^= useWrite
				case isa.PipeWriteEnd:
					use &^= useRead
				}
			}
			for i, a := range v.args {
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
func passesPipe(v *value, i int) bool {
	switch v.op {
	case irPhi, isa.OpMov:
		return true
	case isa.OpSelect:
		return i > 0
	case isa.OpPtrAdd, isa.OpPipe:
		return i == 0
	}
	return false
}
