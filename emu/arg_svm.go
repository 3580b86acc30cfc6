package emu

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// svmArg is a pointer into shared virtual memory.
type svmArg struct{}

func (s *SVM) argument() argument { return s.At(0).argument() }

// At is the pointer to byte off of the allocation, as clSetKernelArgSVMPointer sets it. It belongs to the allocation: an access
// through it, or through a pointer that is computed from it, which lies outside is a fault, also where another allocation is.
func (s *SVM) At(off uint64) Arg {
	a := argument{kind: svmArg{}, offset: off}
	if s != nil {
		a.buffer = s.buf
	}
	return a
}

func (svmArg) describe(*argument) string { return "a pointer to shared virtual memory" }

func (svmArg) suits(p *isa.Param) bool { return p.Kind == isa.ParamGlobal }

func (svmArg) check(a *argument, k *Kernel, p *isa.Param) (string, error) {
	switch {
	case a.buffer == nil:
		return "the allocation of shared virtual memory is nil; use Null() for a null pointer", ErrInvalid
	case k.isa.Physical32:
		return "shared virtual memory has the host's addresses, and pointers of the module have 32 bits", ErrNotShared
	case a.offset > memory.MaxSize:
		return fmt.Sprintf("offset %d of an allocation of shared virtual memory", a.offset), ErrInvalid
	}
	return bufferArg{}.check(a, k, p)
}

func (svmArg) fill(p *prepared, i int) (uint64, error) {
	a := &p.args[i]
	base, err := bufferArg{}.fill(p, i)
	return uint64(memory.Pointer(base).Add(int64(a.offset))), err
}
