package explorecmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/explore"
	"github.com/lockstep-gpu/lockstep/internal/argument"
)

// made is what the arguments of one run are.
type made struct {
	x       *exploration
	dev     *emu.Device
	buffers map[*emu.Buffer]*emu.Buffer
	pipes   map[*launch.Pipe]*emu.Pipe
	drained map[*launch.Pipe]hash.Hash
}

// hold keeps what the arguments of the launches hold now, for the runs.
func (x *exploration) hold() error {
	x.masters, x.pictures = map[*emu.Buffer][]byte{}, map[*emu.Image][]byte{}
	for _, l := range x.base.Launches {
		for i := range l.Args {
			a := &l.Args[i]
			var err error
			buffer := master(a)
			switch {
			case buffer != nil && x.masters[buffer] != nil:
			case buffer != nil:
				x.masters[buffer], err = buffer.Map() // until -out is written
				x.mapped = append(x.mapped, buffer)
				x.held += buffer.Size()
			case a.Image != nil && x.pictures[a.Image] == nil:
				x.pictures[a.Image], err = a.Image.Bytes()
				x.held += uint64(len(x.pictures[a.Image]))
			}
			if err != nil {
				return err
			}
		}
	}
	for _, p := range x.base.Pipes {
		x.held += uint64(p.Spec.Pipe.PacketBytes) * uint64(p.Spec.Pipe.Capacity)
	}
	return nil
}

// master returns the buffer that an argument is, or is a view of; nil for none.
func master(a *launch.KernelArg) *emu.Buffer {
	if a.View != nil {
		return a.View.Buffer
	}
	return a.Buffer
}

// arguments makes the arguments of the launches again on another device.
func (x *exploration) arguments(dev *emu.Device) (*explore.Arguments, error) {
	m := &made{x, dev, map[*emu.Buffer]*emu.Buffer{}, map[*launch.Pipe]*emu.Pipe{}, map[*launch.Pipe]hash.Hash{}}
	args := &explore.Arguments{}
	for _, l := range x.base.Launches {
		params := l.Kernel.Params()
		list := make([]emu.Arg, 0, len(l.Args))
		for i := range l.Args {
			arg, err := m.argument(&l.Args[i], params[i].Name)
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
func (m *made) argument(a *launch.KernelArg, name string) (emu.Arg, error) {
	switch {
	case a.View != nil:
		b, err := m.buffer(a.View.Buffer, a.View.Spec, a.View.Name)
		if err != nil {
			return nil, err
		}
		return argument.NewView(m.dev, a.Spec, b, argument.Options{Name: name})
	case a.Image != nil:
		spec := *a.Spec
		spec.Data = m.x.pictures[a.Image]
		made, err := argument.Of(&spec).Make(m.dev, &spec, argument.Options{Name: name})
		if err != nil {
			return nil, err
		}
		return made.Arg, nil
	case a.Pipe != nil:
		return m.pipe(a.Pipe)
	case a.Buffer == nil:
		return a.Arg, nil
	}
	b, err := m.buffer(a.Buffer, a.Spec, name)
	if r := a.Spec.Resource; r != nil && err == nil {
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
func (m *made) pipe(p *launch.Pipe) (*emu.Pipe, error) {
	if d := m.pipes[p]; d != nil {
		return d, nil
	}
	info := p.Spec.Pipe
	d, err := m.dev.NewPipe(emu.PipeOptions{Name: p.Name, PacketBytes: info.PacketBytes, Capacity: info.Capacity})
	if err != nil {
		return nil, err
	}
	m.pipes[p] = d
	if _, err := d.Write(p.First); err != nil {
		return nil, err
	}
	if p.Rest != nil {
		if err := d.Feed(bytes.NewReader(p.Rest)); err != nil {
			return nil, err
		}
	}
	if p.Drains() && len(p.Outs) > 0 {
		m.drained[p] = sha256.New()
		return d, d.Drain(m.drained[p])
	}
	return d, nil
}

// left writes what the pipes hold after a run, or have given.
func (m *made) left(w io.Writer) error {
	for _, p := range m.x.base.Pipes {
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
func (x *exploration) members(quiet *cmdline.Env) (programs []func(context.Context, *emu.Device) (*emu.Program, error), members []explore.Member) {
	numbers := map[string]int{}
	for _, l := range x.base.Launches {
		key := l.Part.Path + "\x00" + strings.Join(l.Specs, "\x00")
		number, ok := numbers[key]
		if !ok {
			number = len(programs)
			numbers[key] = number
			programs = append(programs, func(ctx context.Context, dev *emu.Device) (*emu.Program, error) {
				p, err := l.Module.Program(ctx, quiet, dev, "explore", l.Specs, x.run.KeepMarks || x.run.Check)
				if err != nil && ctx.Err() != nil {
					err = ctx.Err()
				}
				return p, err
			})
		}
		members = append(members, explore.Member{Program: number, Kernel: l.Kernel.Name(), Range: l.NDRange})
	}
	return programs, members
}

// kernels are the names of the kernels, each once.
func (x *exploration) kernels() []string {
	var names []string
	for _, l := range x.base.Launches {
		if name := l.Kernel.Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
