package emu

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/lockstep-gpu/lockstep/memory"
)

// place gives the program-scope variables and pipes their memory and the
// variables their initial values. The caller holds the device. On an error nothing stays allocated.
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
	for i := range p.isa.Pipes {
		q := &p.isa.Pipes[i]
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
	}
	for i := range p.isa.Pipes {
		q := &p.isa.Pipes[i]
		m, err := memory.NewPipe(memory.PipeOptions{Name: q.Name, PacketBytes: q.PacketBytes, PacketAlign: q.PacketAlign, Capacity: q.Capacity})
		if err != nil {
			return err
		}
		if _, err := d.mem.AddPipe(m); err != nil {
			return allocError(fmt.Sprintf("program-scope pipe %q", q.Name), err)
		}
		p.pipes = append(p.pipes, m)
	}
	return p.initialize()
}

// initialize gives the variables their initial values. All variables and pipes
// have their addresses, so that pointers to each other can be filled in.
func (p *Program) initialize() error {
	d := p.dev
	for i := range p.isa.Globals {
		g := &p.isa.Globals[i]
		data := d.mem.Lookup(p.globals[i].Alloc()).Data
		clear(data[copy(data, g.Init):])
		for _, r := range g.Relocs {
			size, n := uint64(8), len(p.globals)
			switch {
			case r.Pipe:
				n = len(p.pipes)
			case p.isa.Physical32:
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
			if p.isa.Physical32 {
				binary.LittleEndian.PutUint32(data[r.Offset:], d.mem.Pack32(nil, nil, ptr))
			} else {
				binary.LittleEndian.PutUint64(data[r.Offset:], uint64(ptr))
			}
		}
	}
	return nil
}

// free releases the program-scope variables and pipes. The caller holds the device.
func (p *Program) free() error {
	var errs []error
	for _, ptr := range p.globals {
		errs = append(errs, p.dev.mem.Free(ptr))
	}
	for _, q := range p.pipes {
		errs = append(errs, p.dev.mem.FreePipe(q.Handle()))
	}
	p.globals, p.pipes = nil, nil
	return errors.Join(errs...)
}
