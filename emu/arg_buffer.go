package emu

import (
	"errors"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
)

// bufferArg is a pointer to a buffer.
type bufferArg struct{}

func (b *Buffer) argument() argument { return argument{kind: bufferArg{}, buffer: b} }

func (bufferArg) describe(*argument) string { return "a buffer" }

func (bufferArg) suits(p *isa.Param) bool { return p.Kind == isa.ParamGlobal }

func (bufferArg) check(a *argument, k *Kernel, _ *isa.Param) (string, error) {
	switch b := a.buffer; {
	case b == nil || b.dev == nil:
		return "the buffer is nil; use Null() for a null pointer", ErrInvalid
	case b.dev != k.prog.dev:
		return fmt.Sprintf("the buffer %v", ErrForeign), ErrForeign
	}
	return "", nil
}

func (bufferArg) fill(p *prepared, i int) (uint64, error) {
	b := p.args[i].buffer
	if err := usable(b); err != nil {
		reason := "the buffer was freed"
		if errors.Is(err, ErrMapped) {
			reason = fmt.Sprintf("the buffer %v", err)
		}
		return 0, p.Kernel.argError(i, reason, err)
	}
	ptr, err := b.ptr, error(nil)
	if p.readsOnly(i) {
		ptr, err = b.constant()
	}
	return uint64(ptr), err
}
