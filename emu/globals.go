package emu

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// place gives the program-scope variables their memory and their initial
// values. The caller holds the device. On an error nothing stays allocated.
func (p *Program) place() (err error) {
	d := p.dev
	var total uint64
	for i := range p.isa.Globals {
		g := &p.isa.Globals[i]
		sum := total + g.Size
		if sum < total || sum > d.limits.MaxVariables {
			return &LimitError{What: fmt.Sprintf("program-scope variables up to %q", g.Name), Need: max(sum, g.Size), Have: d.limits.MaxVariables,
				Unit: "bytes", Option: "MaxVariables"}
		}
		if uint64(len(g.Init)) > g.Size {
			return fmt.Errorf("program-scope variable %q: %d initial bytes in a variable of %d", g.Name, len(g.Init), g.Size)
		}
		total = sum
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.free())
		}
	}()
	for i := range p.isa.Globals {
		g := &p.isa.Globals[i]
		ptr, err := d.mem.Alloc(g.Name, g.Size, g.ReadOnly)
		if err != nil {
			return allocError(fmt.Sprintf("program-scope variable %q", g.Name), err)
		}
		p.globals = append(p.globals, ptr)
		copy(d.mem.Lookup(ptr.Alloc()).Data, g.Init)
	}
	// Every variable has its address now, so that pointers to each other can
	// be filled in.
	for i := range p.isa.Globals {
		g := &p.isa.Globals[i]
		data := d.mem.Lookup(p.globals[i].Alloc()).Data
		size := uint64(8)
		if p.isa.Physical32 {
			size = 4
		}
		for _, r := range g.Relocs {
			if r.Global < 0 || r.Global >= len(p.globals) || r.Offset > g.Size || g.Size-r.Offset < size {
				return fmt.Errorf("program-scope variable %q: the address at byte %d does not fit", g.Name, r.Offset)
			}
			ptr := p.globals[r.Global].Add(r.Addend)
			if p.isa.Physical32 {
				binary.LittleEndian.PutUint32(data[r.Offset:], d.mem.Pack32(nil, nil, ptr))
			} else {
				binary.LittleEndian.PutUint64(data[r.Offset:], uint64(ptr))
			}
		}
	}
	return nil
}

// free releases the program-scope variables. The caller holds the device.
func (p *Program) free() error {
	var errs []error
	for _, ptr := range p.globals {
		errs = append(errs, p.dev.mem.Free(ptr))
	}
	p.globals = nil
	return errors.Join(errs...)
}
