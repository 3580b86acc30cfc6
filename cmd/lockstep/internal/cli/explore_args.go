package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/explore"
	"github.com/lockstep-gpu/lockstep/internal/argument"
)

// maxKeptPackets bounds the bytes that a pipe of explore is fed with: each run needs them again.
const maxKeptPackets = 64 << 20

// keepPackets keeps what goes into the pipe beyond its capacity, so that it can be read again and again.
func (p *pipe) keepPackets(dev *emu.Device, name string) error {
	info := p.spec.Pipe
	p.first = p.spec.Data
	if info.Rest == nil {
		return nil
	}
	if err := dev.HostRoom("packets of pipe "+name, maxKeptPackets); err != nil {
		return err
	}
	rest, err := io.ReadAll(io.LimitReader(info.Rest, maxKeptPackets+1))
	if err != nil {
		return err
	}
	if len(rest) > maxKeptPackets {
		return fmt.Errorf("more than %d bytes of packets, which explore would have to keep for all runs", maxKeptPackets)
	}
	p.rest = rest
	return nil
}

// made is what the arguments of one run are.
type made struct {
	x       *exploration
	dev     *emu.Device
	buffers map[*emu.Buffer]*emu.Buffer
	pipes   map[*pipe]*emu.Pipe
	drained map[*pipe]hash.Hash
}

// hold keeps what the arguments of the launches hold now, for the runs.
func (x *exploration) hold() error {
	x.masters, x.pictures = map[*emu.Buffer][]byte{}, map[*emu.Image][]byte{}
	for _, l := range x.base.launches {
		for i := range l.args {
			a := &l.args[i]
			var err error
			buffer := a.master()
			switch {
			case buffer != nil && x.masters[buffer] != nil:
			case buffer != nil:
				x.masters[buffer], err = buffer.Map() // until -out is written
				x.mapped = append(x.mapped, buffer)
				x.held += buffer.Size()
			case a.image != nil && x.pictures[a.image] == nil:
				x.pictures[a.image], err = a.image.Bytes()
				x.held += uint64(len(x.pictures[a.image]))
			}
			if err != nil {
				return err
			}
		}
	}
	for _, p := range x.base.pipes {
		x.held += uint64(p.spec.Pipe.PacketBytes) * uint64(p.spec.Pipe.Capacity)
	}
	return nil
}

// master returns the buffer that an argument is, or is a view of; nil for none.
func (a *kernelArg) master() *emu.Buffer {
	if a.view != nil {
		return a.view.buffer
	}
	return a.buffer
}

// arguments makes the arguments of the launches again on another device.
func (x *exploration) arguments(dev *emu.Device) (*explore.Arguments, error) {
	m := &made{x, dev, map[*emu.Buffer]*emu.Buffer{}, map[*pipe]*emu.Pipe{}, map[*pipe]hash.Hash{}}
	args := &explore.Arguments{}
	for _, l := range x.base.launches {
		params := l.kernel.Params()
		list := make([]emu.Arg, 0, len(l.args))
		for i := range l.args {
			arg, err := m.argument(&l.args[i], params[i].Name)
			if err != nil {
				return nil, err
			}
			list = append(list, arg)
		}
		args.Of = append(args.Of, list)
	}
	if len(m.pipes) > 0 {
		args.Left = m.left
	}
	return args, nil
}

// argument makes one argument.
func (m *made) argument(a *kernelArg, name string) (emu.Arg, error) {
	switch {
	case a.view != nil:
		b, err := m.buffer(a.view.buffer, a.view.spec, a.view.name)
		if err != nil {
			return nil, err
		}
		return argument.NewView(m.dev, a.spec, b, argument.Options{Name: name})
	case a.image != nil:
		spec := *a.spec
		spec.Data = m.x.pictures[a.image]
		made, err := argument.Of(&spec).Make(m.dev, &spec, argument.Options{Name: name})
		if err != nil {
			return nil, err
		}
		return made.Arg, nil
	case a.pipe != nil:
		return m.pipe(a.pipe)
	case a.buffer == nil:
		return a.arg, nil
	}
	b, err := m.buffer(a.buffer, a.spec, name)
	if r := a.spec.Resource; r != nil && err == nil {
		return emu.Resource(b, r.Stride, r.Records), nil
	}
	return b, err
}

// buffer makes the buffer that stands for one of the arguments', once.
func (m *made) buffer(of *emu.Buffer, spec *argspec.Arg, name string) (*emu.Buffer, error) {
	if b := m.buffers[of]; b != nil {
		return b, nil
	}
	b, err := m.dev.NewBuffer(of.Size(), emu.BufferOptions{Name: name, ReadOnly: spec.ReadOnly, WriteOnly: spec.WriteOnly, Undefined: spec.Undefined})
	if err != nil {
		return nil, err
	}
	if !spec.Undefined {
		if _, err := b.WriteAt(m.x.masters[of], 0); err != nil {
			return nil, err
		}
	}
	m.buffers[of] = b
	return b, nil
}

// pipe makes a pipe with its packets. One that nobody but -out reads is drained.
func (m *made) pipe(p *pipe) (*emu.Pipe, error) {
	if d := m.pipes[p]; d != nil {
		return d, nil
	}
	info := p.spec.Pipe
	d, err := m.dev.NewPipe(emu.PipeOptions{Name: p.name, PacketBytes: info.PacketBytes, Capacity: info.Capacity})
	if err != nil {
		return nil, err
	}
	m.pipes[p] = d
	if _, err := d.Write(p.first); err != nil {
		return nil, err
	}
	if p.rest != nil {
		if err := d.Feed(bytes.NewReader(p.rest)); err != nil {
			return nil, err
		}
	}
	if p.drains() && len(p.outs) > 0 {
		m.drained[p] = sha256.New()
		return d, d.Drain(m.drained[p])
	}
	return d, nil
}

// left writes what the pipes hold after a run, or have given.
func (m *made) left(w io.Writer) error {
	for _, p := range m.x.base.pipes {
		h := m.drained[p]
		if h == nil {
			h = sha256.New()
			if _, err := io.Copy(h, struct{ io.Reader }{m.pipes[p]}); err != nil {
				return err
			}
		}
		if _, err := w.Write(h.Sum(nil)); err != nil {
			return err
		}
	}
	return nil
}

// members returns the launches, and what makes their programs.
func (x *exploration) members(quiet *Env) (programs []func(context.Context, *emu.Device) (*emu.Program, error), members []explore.Member) {
	numbers := map[string]int{}
	for _, l := range x.base.launches {
		key := l.part.path + "\x00" + strings.Join(l.specs, "\x00")
		number, ok := numbers[key]
		if !ok {
			number = len(programs)
			numbers[key] = number
			programs = append(programs, func(ctx context.Context, dev *emu.Device) (*emu.Program, error) {
				p, err := l.module.program(ctx, quiet, dev, "explore", l.specs, x.run.keepMarks || x.run.check)
				if err != nil && ctx.Err() != nil {
					err = ctx.Err()
				}
				return p, err
			})
		}
		members = append(members, explore.Member{Program: number, Kernel: l.kernel.Name(), Range: l.NDRange})
	}
	return programs, members
}

// kernels are the names of the kernels, each once.
func (x *exploration) kernels() []string {
	var names []string
	for _, l := range x.base.launches {
		if name := l.kernel.Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
