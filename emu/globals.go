package emu

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// place gives the program-scope variables and pipes that have no memory yet their memory and these
// variables their initial values. The caller holds the device. On an error nothing stays allocated.
func (p *Program) place(code *isa.Program) (err error) {
	d := p.dev
	globals, pipes := len(p.globals), len(p.pipes)
	var total uint64
	for i := range code.Globals {
		g := &code.Globals[i]
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
	for i := range code.Pipes {
		q := &code.Pipes[i]
		size := uint64(q.PacketBytes) * uint64(q.Capacity)
		sum := total + size
		if sum < total || sum > d.limits.MaxVariables {
			return &LimitError{What: fmt.Sprintf("program-scope variables and pipes up to %q", q.Name), Need: max(sum, size), Have: d.limits.MaxVariables,
				Unit: "bytes", Option: "MaxVariables"}
		}
		total = sum
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.free(globals, pipes))
		}
	}()
	for i := range code.Globals[min(globals, len(code.Globals)):] {
		g := &code.Globals[globals+i]
		ptr, err := d.mem.Alloc(g.Name, g.Size, g.ReadOnly)
		if err != nil {
			return allocError(fmt.Sprintf("program-scope variable %q", g.Name), err)
		}
		p.globals = append(p.globals, ptr)
	}
	for i := range code.Pipes[min(pipes, len(code.Pipes)):] {
		q := &code.Pipes[pipes+i]
		m, err := memory.NewPipe(memory.PipeOptions{Name: q.Name, PacketBytes: q.PacketBytes, PacketAlign: q.PacketAlign, Capacity: q.Capacity})
		if err != nil {
			return err
		}
		if _, err := d.mem.AddPipe(m); err != nil {
			return allocError(fmt.Sprintf("program-scope pipe %q", q.Name), err)
		}
		p.pipes = append(p.pipes, m)
	}
	if err := p.initialize(code, globals); err != nil {
		return err
	}
	if len(p.globals) > globals || len(p.pipes) > pipes || p.placed.Load() == nil {
		p.placed.Store(code)
	}
	return nil
}

// hasPlace says whether the variables and pipes of a kernel's program have their memory.
func (p *Program) hasPlace(code *isa.Program) bool {
	at := p.placed.Load()
	return at != nil && len(code.Globals) <= len(at.Globals) && len(code.Pipes) <= len(at.Pipes)
}

// initialize gives the variables, from the given one on, their initial values. All variables and pipes
// have their addresses, so that pointers to each other can be filled in.
func (p *Program) initialize(code *isa.Program, first int) error {
	d := p.dev
	for i := first; i < len(p.globals); i++ {
		g := &code.Globals[i]
		data := d.mem.Lookup(p.globals[i].Alloc()).Data
		clear(data[copy(data, g.Init):])
		for _, r := range g.Relocs {
			size, n := uint64(8), len(p.globals)
			switch {
			case r.Pipe:
				n = len(p.pipes)
			case code.Physical32:
				size = 4
			}
			if r.Global < 0 || r.Global >= n || r.Offset > g.Size || g.Size-r.Offset < size {
				return fmt.Errorf("program-scope variable %q: the address at byte %d does not fit", g.Name, r.Offset)
			}
			if r.Pipe {
				binary.LittleEndian.PutUint64(data[r.Offset:], uint64(p.pipes[r.Global].Handle()))
				continue
			}
			ptr := p.globals[r.Global].Add(r.Addend)
			if code.Physical32 {
				binary.LittleEndian.PutUint32(data[r.Offset:], d.mem.Pack32(nil, nil, ptr))
			} else {
				binary.LittleEndian.PutUint64(data[r.Offset:], uint64(ptr))
			}
		}
	}
	return nil
}

// free releases the program-scope variables and pipes, from the given ones on. The caller holds the device.
func (p *Program) free(globals, pipes int) error {
	var errs []error
	for _, ptr := range p.globals[globals:] {
		errs = append(errs, p.dev.mem.Free(ptr))
	}
	for _, q := range p.pipes[pipes:] {
		errs = append(errs, p.dev.mem.FreePipe(q.Handle()))
	}
	p.globals, p.pipes = p.globals[:globals], p.pipes[:pipes]
	return errors.Join(errs...)
}
