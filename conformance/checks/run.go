package checks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/internal/argument"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// timeout bounds one launch of [Case.Run]; none takes more than a few milliseconds.
const timeout = 5 * time.Second

// Options say how a case is run.
type Options struct {
	Schedule emu.Schedule
	// Check looks for all that emu.Launch.Check does; KeepGoing runs all work-groups, also after a fault.
	Check, KeepGoing bool
	Timeout          time.Duration // of each step; 0 is no limit
	// Trace records the last step; nil for nothing.
	Trace *trace.Recorder
}

// Outcome is what one run of a case left behind.
type Outcome struct {
	Findings []finding.Finding
	// Buffers has the contents of the buffers that launches share, in the order of the case, and of those of all
	// arguments, in their order.
	Buffers [][]byte
	// Pipes has the packets that are left in the pipes that launches share.
	Pipes [][]byte
}

// run is a case while it runs.
type run struct {
	*Case
	opt     Options
	dev     *emu.Device
	prog    *emu.Program
	shared  map[string]*emu.Buffer
	pipes   map[string]*emu.Pipe
	buffers []*emu.Buffer
	images  []*argument.Made
}

// Run runs the case with checks, with a program that was made of its source. The error says why
// something of it could not be run.
func (c *Case) Run(ctx context.Context, dev *emu.Device, prog *emu.Program, s emu.Schedule) (*Outcome, error) {
	return c.RunWith(ctx, dev, prog, Options{Schedule: s, Check: true, KeepGoing: true, Timeout: timeout})
}

// RunWith runs the case as opt says.
func (c *Case) RunWith(ctx context.Context, dev *emu.Device, prog *emu.Program, opt Options) (out *Outcome, err error) {
	r := &run{Case: c, opt: opt, dev: dev, prog: prog, shared: map[string]*emu.Buffer{}, pipes: map[string]*emu.Pipe{}}
	defer func() { err = errors.Join(err, r.free()) }()
	if err := prog.Reset(); err != nil {
		return nil, err
	}
	if err := r.share(); err != nil {
		return nil, err
	}
	out = &Outcome{}
	for _, step := range c.Steps {
		list, err := r.step(ctx, step)
		if err != nil {
			return nil, err
		}
		out.Findings = append(out.Findings, list...)
	}
	for _, b := range r.buffers {
		data, err := b.Bytes()
		if err != nil {
			return nil, err
		}
		out.Buffers = append(out.Buffers, append([]byte(nil), data...))
	}
	for _, n := range c.Pipes {
		data, err := r.pipes[n.Name].Packets()
		if err != nil {
			return nil, err
		}
		out.Pipes = append(out.Pipes, data)
	}
	return out, nil
}

// share makes what launches share.
func (r *run) share() error {
	for _, n := range r.Buffers {
		a, err := argspec.Parse(n.Spec, nil)
		if err != nil {
			return fmt.Errorf("buffer %s: %w", n.Name, err)
		}
		b, err := r.buffer(a)
		if err != nil {
			return err
		}
		r.shared[n.Name] = b
	}
	for _, n := range r.Pipes {
		_, a, err := argspec.ParsePipe(n.Name+"="+n.Spec, nil)
		if err != nil {
			return fmt.Errorf("pipe %s: %w", n.Name, err)
		}
		if r.pipes[n.Name], err = r.pipe(a); err != nil {
			return err
		}
	}
	return nil
}

// free releases what the run made.
func (r *run) free() error {
	var errs []error
	for _, b := range r.buffers {
		errs = append(errs, b.Free())
	}
	for _, p := range r.pipes {
		errs = append(errs, p.Close())
	}
	for _, im := range r.images {
		errs = append(errs, im.Free())
	}
	return errors.Join(errs...)
}

// buffer makes a buffer of an argument.
func (r *run) buffer(a *argspec.Arg) (*emu.Buffer, error) {
	b, err := r.dev.NewBuffer(uint64(len(a.Data)), emu.BufferOptions{})
	if err != nil {
		return nil, err
	}
	r.buffers = append(r.buffers, b)
	if a.Undefined {
		return b, nil
	}
	_, err = b.WriteAt(a.Data, 0)
	return b, err
}

// pipe makes a pipe of an argument, with its packets.
func (r *run) pipe(a *argspec.Arg) (*emu.Pipe, error) {
	p, err := r.dev.NewPipe(emu.PipeOptions{PacketBytes: a.Pipe.PacketBytes, Capacity: a.Pipe.Capacity})
	if err != nil {
		return nil, err
	}
	_, err = p.Write(a.Data)
	return p, err
}

// step makes one step and returns its findings.
func (r *run) step(ctx context.Context, step []Launch) ([]finding.Finding, error) {
	o := &r.opt
	set := emu.Set{Schedule: o.Schedule, Check: o.Check, KeepGoing: o.KeepGoing, Timeout: o.Timeout, Trace: o.Trace}
	for i := range step {
		l, err := r.launch(&step[i])
		if err != nil {
			return nil, err
		}
		set.Launches = append(set.Launches, l)
	}
	var list finding.List
	var err error
	if len(set.Launches) == 1 {
		l := set.Launches[0]
		l.Schedule, l.Check, l.KeepGoing, l.Timeout, l.Trace = o.Schedule, o.Check, o.KeepGoing, o.Timeout, o.Trace
		var res *emu.Result
		if res, err = l.Run(ctx); res != nil {
			list = res.Findings
		}
	} else {
		var res *emu.SetResult
		if res, err = set.Run(ctx); res != nil {
			list = res.Findings
		}
	}
	var found *emu.FindingsError
	if err != nil && !errors.As(err, &found) {
		return nil, err
	}
	return list.Findings, nil
}

// launch makes the arguments of a launch.
func (r *run) launch(l *Launch) (emu.Launch, error) {
	k, err := r.prog.Kernel(l.Kernel)
	if err != nil {
		return emu.Launch{}, err
	}
	out := emu.Launch{Kernel: k, Reads: l.Outs, Range: emu.NDRange{Global: l.Global, Local: l.Local, Offset: l.Offset}}
	params := k.Params()
	for i, text := range l.Args {
		if name, ok := strings.CutPrefix(text, "pipe:"); ok && r.pipes[name] != nil {
			out.Args = append(out.Args, r.pipes[name])
			continue
		}
		a, err := argspec.Parse(text, &argspec.Options{SharedBuffers: true})
		if err != nil {
			return out, fmt.Errorf("argument %d: %w", i, err)
		}
		size := uint64(len(a.Data))
		if i < len(params) {
			size = params[i].Size
		}
		arg, err := r.argument(a, text, size)
		if err != nil {
			return out, fmt.Errorf("argument %d: %w", i, err)
		}
		out.Args = append(out.Args, arg)
	}
	return out, nil
}

// argument makes one argument, of size bytes where it is a value.
func (r *run) argument(a *argspec.Arg, text string, size uint64) (emu.Arg, error) {
	switch {
	case a.Shared != "":
		b := r.shared[a.Shared]
		switch {
		case b == nil:
			return nil, fmt.Errorf("no buffer %q", a.Shared)
		case a.Kind == argspec.Image:
			im, err := argument.NewView(r.dev, a, b, argument.Options{})
			if err == nil {
				r.images = append(r.images, &argument.Made{Image: im})
			}
			return im, err
		}
		return b, nil
	case a.Kind == argspec.Buffer:
		return r.buffer(a)
	case a.Kind == argspec.Value:
		if _, err := a.Fit(int(size)); err != nil {
			return nil, err
		}
	}
	m, err := argument.Of(a).Make(r.dev, a, argument.Options{Size: size})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	if m.Image != nil {
		r.images = append(r.images, m)
	}
	return m.Arg, nil
}
