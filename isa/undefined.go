package isa

import "fmt"

// Undefined is where undefined bits come from that a kernel has in registers: a private variable that became one
// before it was written, or an instruction whose result is undefined.
type Undefined struct {
	Name string // of the variable; "" for an instruction
	Elem Elem
	Loc  uint32 // of the declaration, or of the instruction
	// Padding says that the bits are those of no member, see [Padding].
	Padding bool
	// Dead says that they are those of a variable whose lifetime is over.
	Dead bool
}

// UndefinedReg says that all bits of Scalar are undefined when a wave starts. Kernels lowered for checks alone have
// such registers; in others undefined bits are those of a constant.
type UndefinedReg struct {
	Scalar int
	From   int // index into Kernel.Undefined
}

// Padding is bytes of memory that belong to no member of the variable's type: those from From on, before To, of each
// of its elements. Nobody expects that they are ever written.
type Padding struct{ From, To uint64 }

// verifyUndefined checks what the kernel says of undefined bits.
func (k *Kernel) verifyUndefined() error {
	for _, r := range k.UndefinedRegs {
		if r.Scalar < 0 || r.Scalar >= len(k.ScalarInit) || r.From < 0 || r.From >= len(k.Undefined) {
			return fmt.Errorf("kernel %s: undefined register %+v: %w", k.Name, r, ErrMalformed)
		}
	}
	for i := range k.Undefined {
		if int(k.Undefined[i].Loc) >= max(len(k.Locs), 1) {
			return fmt.Errorf("kernel %s: undefined value at place %d of %d: %w", k.Name, k.Undefined[i].Loc, len(k.Locs), ErrMalformed)
		}
	}
	return nil
}

// Pads says whether n bytes at an offset of an allocation are padding, all of them.
func (a *Alloc) Pads(off, n uint64) bool {
	if len(a.Padding) == 0 || a.Elem.Size == 0 {
		return false
	}
	for ; n > 0; off, n = off+1, n-1 {
		in := false
		for _, p := range a.Padding {
			in = in || off%a.Elem.Size >= p.From && off%a.Elem.Size < p.To
		}
		if !in {
			return false
		}
	}
	return true
}
