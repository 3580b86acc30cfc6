package emu

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
)

// pipeArg is a pipe.
type pipeArg struct{}

func (p *Pipe) argument() argument { return argument{kind: pipeArg{}, pipe: p} }

func (pipeArg) describe(*argument) string { return "a pipe" }

func (pipeArg) suits(p *isa.Param) bool { return p.Kind == isa.ParamPipe }

func (pipeArg) check(a *argument, k *Kernel, _ *isa.Param) (string, error) {
	switch {
	case a.pipe == nil || a.pipe.dev == nil:
		return "the pipe is nil", ErrInvalid
	case a.pipe.dev != k.prog.dev:
		return fmt.Sprintf("the pipe %v", ErrForeign), ErrForeign
	}
	return "", nil
}

func (pipeArg) fill(p *prepared, i int) (uint64, error) {
	h := p.args[i].pipe
	if h.closed {
		return 0, p.Kernel.argError(i, "the pipe was closed", ErrClosed)
	}
	return uint64(h.mem.Handle().Add(pipeEnd(p.Kernel.code.Params[i].Pipe))), nil
}

// bothEnds finds a pipe that is an argument for reading and one for writing,
// which OpenCL does not allow (OpenCL C 6.15.17: a kernel cannot read from and
// write to the same pipe object).
func (p *prepared) bothEnds() error {
	params := p.Kernel.code.Params
	var first map[*Pipe]int
	for i := range p.args {
		h := p.args[i].pipe
		if h == nil {
			continue
		}
		if first == nil {
			first = make(map[*Pipe]int)
		}
		j, again := first[h]
		if !again {
			first[h] = i
			continue
		}
		if a, b := params[j].Pipe, params[i].Pipe; a.Reads && b.Writes || a.Writes && b.Reads {
			return p.Kernel.argError(i, fmt.Sprintf("the pipe is argument %d as well; a kernel cannot read from and write to the same pipe", j), ErrInvalid)
		}
	}
	return nil
}
