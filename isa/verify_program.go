package isa

import (
	"fmt"
	"slices"
)

// Verify checks what everybody who runs a program takes for granted: that each
// kernel passes [Kernel.Verify], and that what its tables say of the program's
// and of each other is there. A program that passes, wherever it comes from, can end in a
// fault when it runs, but not in a crash.
func (p *Program) Verify() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("program: %s: %w", fmt.Sprintf(format, args...), ErrMalformed)
	}
	pointer := uint64(8)
	if p.Physical32 {
		pointer = 4
	}
	for i := range p.Globals {
		g := &p.Globals[i]
		if uint64(len(g.Init)) > g.Size {
			return bad("variable %q: %d initial bytes in a variable of %d", g.Name, len(g.Init), g.Size)
		}
		for _, r := range g.Relocs {
			size, targets := pointer, len(p.Globals)
			if r.Pipe {
				size, targets = 8, len(p.Pipes)
			}
			if r.Global < 0 || r.Global >= targets || r.Offset > g.Size || g.Size-r.Offset < size {
				return bad("variable %q: the address at byte %d does not fit", g.Name, r.Offset)
			}
		}
	}
	for i := range p.Pipes {
		if a := p.Pipes[i].PacketAlign; a == 0 || a&(a-1) != 0 {
			return bad("pipe %q: packets aligned to %d bytes", p.Pipes[i].Name, a)
		}
	}
	if err := p.verifyKernels(p.Kernels); err != nil {
		return err
	}
	for _, other := range []struct {
		what string
		list []*Kernel
	}{{"shared memory", p.Shared}, {"debuggers", p.ForDebug}} {
		for _, k := range other.list {
			if k == nil {
				continue // found below
			}
			plain := p.Kernel(k.Name)
			if plain == nil || !slices.Equal(k.Params, plain.Params) {
				return bad("the code of %q for %s is of no kernel", k.Name, other.what)
			}
		}
		if err := p.verifyKernels(other.list); err != nil {
			return err
		}
	}
	return nil
}

// verifyKernels checks a list of kernels.
func (p *Program) verifyKernels(list []*Kernel) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("program: %s: %w", fmt.Sprintf(format, args...), ErrMalformed)
	}
	seen := make(map[string]bool, len(list))
	for _, k := range list {
		switch {
		case k == nil:
			return bad("a kernel is missing")
		case seen[k.Name]:
			return bad("two kernels are called %q", k.Name)
		}
		seen[k.Name] = true
		if err := k.Verify(); err != nil {
			return err
		}
		if err := p.verifyTables(k); err != nil {
			return err
		}
	}
	return nil
}

// maxPerItem is the LDS of the machine's own for each work-item, in bytes: no
// operation of a work-group takes as much, and no limit of a launch counts it.
const maxPerItem = 4096

// verifyTables checks what the tables of a kernel say.
func (p *Program) verifyTables(k *Kernel) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("kernel %s: %s: %w", k.Name, fmt.Sprintf(format, args...), ErrMalformed)
	}
	if most := len(k.ScalarInit) + len(k.Code); k.NumScalar > most {
		return bad("%d scalar registers, of which %d at most get a value", k.NumScalar, most)
	}
	for b, n := range k.NumVector {
		if n < 0 {
			return bad("%d vector registers in bank %s", n, Bank(b))
		}
	}
	if k.MarkSequences < 0 || k.MarkSequences > len(k.Code) {
		return bad("%d sequences of async marks in %d instructions", k.MarkSequences, len(k.Code))
	}
	for i := range k.Params {
		if q := &k.Params[i]; q.Kind > ParamPipe {
			return bad("parameter %d of unknown kind %d", i, q.Kind)
		}
	}
	for _, r := range k.ParamRegs {
		q := &k.Params[r.Param]
		switch {
		case q.Kind == ParamValue && (r.Offset > q.Size || q.Size-r.Offset < uint64(r.Size)):
			return bad("register s%d starts as bytes %d to %d of a parameter of %d", r.Scalar, r.Offset, r.Offset+uint64(r.Size), q.Size)
		case q.Kind != ParamValue && r.Offset != 0:
			return bad("register s%d starts as byte %d of a pointer", r.Scalar, r.Offset)
		}
	}
	for _, r := range k.GlobalRegs {
		if r.Global >= len(p.Globals) {
			return bad("register s%d starts as the address of variable %d of %d", r.Scalar, r.Global, len(p.Globals))
		}
	}
	for _, r := range k.PipeRegs {
		if r.Pipe >= len(p.Pipes) {
			return bad("register s%d starts as pipe %d of %d", r.Scalar, r.Pipe, len(p.Pipes))
		}
	}
	for i := range k.Private {
		a := &k.Private[i]
		if a.Param < 0 || a.Param > len(k.Params) || a.Param > 0 && (k.Params[a.Param-1].Kind != ParamValue || k.Params[a.Param-1].Size > a.Size) {
			return bad("private memory %q starts as parameter %d", a.Name, a.Param-1)
		}
	}
	for i := range k.Local {
		if a := &k.Local[i]; a.PerItem && a.Size > maxPerItem {
			return bad("memory %q of %d bytes for each work-item", a.Name, a.Size)
		}
	}
	for _, list := range [][]Alloc{k.Private, k.Local} {
		for i := range list {
			if list[i].Loc != 0 && uint64(list[i].Loc) >= uint64(len(k.Locs)) {
				return bad("memory %q comes from place %d of %d", list[i].Name, list[i].Loc, len(k.Locs))
			}
		}
	}
	for i := range k.WideAccesses {
		if a := &k.WideAccesses[i]; a.Align == 0 || a.Align&(a.Align-1) != 0 || a.Offset >= a.Bytes {
			return bad("wide access %d: byte %d of %d, aligned to %d", i, a.Offset, a.Bytes, a.Align)
		}
	}
	for pc := range k.Code {
		if l := k.Code[pc].Loc; l != 0 && uint64(l) >= uint64(len(k.Locs)) {
			return bad("instruction %d comes from place %d of %d", pc, l, len(k.Locs))
		}
	}
	for i := range k.Locs {
		if f := k.Locs[i].File; f != 0 && uint64(f) >= uint64(len(p.Files)) {
			return bad("place %d is in file %d of %d", i, f, len(p.Files))
		}
		if f := k.Locs[i].Func; f != 0 && uint64(f) >= uint64(len(p.Functions)) {
			return bad("place %d is in function %d of %d", i, f, len(p.Functions))
		}
		if at := k.Locs[i].At; at != 0 && uint64(at) >= uint64(i) {
			return bad("place %d is called at place %d, which is not before it", i, at)
		}
	}
	if k.Debug != nil {
		return k.Debug.verify(p, k)
	}
	return nil
}
