package emu

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// localArg is LDS for a pointer.
type localArg struct{}

// LocalBytes is LDS of n bytes for a pointer to local memory.
func LocalBytes(n uint64) Arg { return argument{kind: localArg{}, local: n} }

func (localArg) describe(a *argument) string { return finding.Bytes(a.local) + " of local memory" }

func (localArg) suits(p *isa.Param) bool { return p.Kind == isa.ParamLocal }

func (localArg) check(a *argument, _ *Kernel, _ *isa.Param) (string, error) {
	if a.local == 0 {
		return "0 bytes of local memory given; it must be at least 1", nil
	}
	return "", nil
}

// fill returns the pointer to the allocation that the argument is: those of arguments follow the module's.
func (localArg) fill(p *prepared, _ int) (uint64, error) {
	p.locals++
	return uint64(localPointer(p.locals)), nil
}
