package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/internal/argument"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// loader has the device and the program of the last run, for the next one to use.
type loader struct {
	made device
	dev  *emu.Device
	key  compilation
	prog *emu.Program
	// compiled has the programs that there have been, for other devices.
	compiled map[compilation]*emu.Program
}

// compilation is what a program depends on.
type compilation struct {
	key      string // of the module and the values of its specialization constants
	subgroup int
	marks    bool
}

// maxCompiled bounds the programs that a loader keeps.
const maxCompiled = 64

func (l *loader) close() {
	if l.dev != nil {
		l.dev.Close()
	}
	l.dev, l.prog = nil, nil
}

// load makes the device and the program of a configuration, unless the last run's
// will do. A program with variables or pipes of its own, which keep what they hold, is reset.
func (l *loader) load(cfg Config, t *trial) error {
	if d := cfg.device(); l.dev == nil || l.made != d {
		l.close()
		dev, err := emu.NewDevice(emu.DeviceOptions{
			Engine: cfg.Engine, SubgroupSize: cfg.SubGroup, WaveLanes: cfg.Wave, Workers: cfg.Workers,
			DMAEngines: cfg.DMA.Engines, DMAQueueDepth: cfg.DMA.Queue, DMABytesPerStep: cfg.DMA.Step,
		})
		if err != nil {
			return err
		}
		l.dev, l.made = dev, d
	}
	key := compilation{t.key, cfg.SubGroup, cfg.KeepMarks}
	if l.prog != nil && l.key != key {
		if err := l.prog.Close(); err != nil {
			return err
		}
		l.prog = nil
	}
	switch {
	case l.prog == nil:
		prog, err := l.compile(key, t)
		if err != nil {
			return err
		}
		l.prog, l.key = prog, key
	default:
		return l.prog.Reset()
	}
	return nil
}

// compile makes a program for the device, out of one that was compiled for another if there is such.
func (l *loader) compile(key compilation, t *trial) (prog *emu.Program, err error) {
	if p := l.compiled[key]; p != nil {
		prog, err = p.On(l.dev)
	} else {
		opt := emu.ProgramOptions{SpecConstants: t.spec, KeepMarks: key.marks}
		if t.program != nil {
			t.program(&opt)
		}
		prog, err = l.dev.NewProgram(t.binary, opt)
	}
	if err != nil {
		return nil, err
	}
	if l.compiled == nil || len(l.compiled) == maxCompiled {
		l.compiled = map[compilation]*emu.Program{}
	}
	// The latest one: what comes next has the same engine, more often than not.
	l.compiled[key] = prog
	return prog, nil
}

// buffer is an argument of a launch, whose number counts over all steps.
type buffer struct{ launch, arg int }

// outcome is what one run of a case left behind.
type outcome struct {
	findings []finding.Finding
	output   []byte
	counters emu.Counters
	// buffers has the device memory of the arguments that are buffers. It is valid until
	// the next run.
	buffers map[buffer][]byte
	// packets has what the host read, by step and pipe, in the order of what is wanted.
	packets [][][]byte
}

// run is a case while it runs in one configuration.
type run struct {
	*trial
	cfg   Config
	out   *outcome
	held  map[buffer]holder
	pipes map[string]*emu.Pipe
}

// launch runs the case once. The error says why a step of it did not start.
func (t *trial) launch(ctx context.Context, cfg Config) (out *outcome, err error) {
	if err := t.loader.load(cfg, t); err != nil {
		return nil, err
	}
	r := &run{trial: t, cfg: cfg, out: &outcome{buffers: map[buffer][]byte{}}, held: map[buffer]holder{}, pipes: map[string]*emu.Pipe{}}
	defer func() { err = errors.Join(err, r.free()) }()
	for _, p := range t.Pipes {
		if r.pipes[p.Name], err = t.loader.dev.NewPipe(emu.PipeOptions{Name: p.Name, PacketBytes: p.PacketBytes, Capacity: p.Capacity}); err != nil {
			return nil, err
		}
	}
	for i := range t.steps {
		if err := r.step(ctx, &t.steps[i]); err != nil {
			return nil, err
		}
	}
	for at, b := range r.held {
		if r.out.buffers[at], err = b.Bytes(); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}

// free releases everything that the run holds.
func (r *run) free() error {
	var errs []error
	for _, b := range r.held {
		errs = append(errs, b.Free())
	}
	for _, p := range r.pipes {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}

// step makes one step.
func (r *run) step(ctx context.Context, s *resolvedStep) error {
	if s.Reset {
		if err := r.loader.prog.Reset(); err != nil {
			return err
		}
	}
	for _, p := range s.fill {
		if n, err := r.pipes[p.pipe.Name].Write(p.data); err != nil {
			return fmt.Errorf("pipe %s takes %d of %d bytes: %w", p.pipe.Name, n, len(p.data), err)
		}
	}
	for _, p := range s.feed {
		if err := r.pipes[p.pipe.Name].Feed(bytes.NewReader(p.data)); err != nil {
			return err
		}
	}
	drained := map[string]*bytes.Buffer{}
	for _, name := range s.Drain {
		drained[name] = &bytes.Buffer{}
		if err := r.pipes[name].Drain(drained[name]); err != nil {
			return err
		}
	}
	// All work-groups run, so that memory and findings can be compared whatever happens.
	set := emu.Set{Schedule: r.cfg.Schedule, Check: r.check, KeepGoing: true, Timeout: r.timeout}
	for i := range s.launches {
		l, err := r.prepare(&s.launches[i])
		if err != nil {
			return err
		}
		set.Launches = append(set.Launches, l)
	}
	if err := r.execute(ctx, &set); err != nil {
		return err
	}
	for _, p := range s.feed {
		if err := r.pipes[p.pipe.Name].Feed(nil); err != nil {
			return err
		}
	}
	for _, name := range s.Drain {
		if err := r.pipes[name].Drain(nil); err != nil {
			return err
		}
	}
	var packets [][]byte
	for _, w := range s.want {
		var got []byte
		if b := drained[w.pipe.Name]; b != nil {
			got = b.Bytes()
		}
		p := r.pipes[w.pipe.Name]
		rest, err := io.ReadAll(p)
		if err != nil {
			return err
		}
		packets = append(packets, append(got, rest...))
	}
	r.out.packets = append(r.out.packets, packets)
	return nil
}

// execute runs a set, or the only launch of one by itself, and notes what it did.
func (r *run) execute(ctx context.Context, set *emu.Set) error {
	var findings finding.List
	var output []byte
	var counters emu.Counters
	var err error
	if len(set.Launches) == 1 {
		l := set.Launches[0]
		l.Schedule, l.Check, l.KeepGoing, l.Timeout = set.Schedule, set.Check, set.KeepGoing, set.Timeout
		var res *emu.Result
		if res, err = l.Run(ctx); res != nil {
			findings, output, counters = res.Findings, res.Output, res.Counters
		}
	} else {
		var res *emu.SetResult
		if res, err = set.Run(ctx); res != nil {
			findings, output, counters = res.Findings, res.Output, res.Counters
		}
	}
	var fe *emu.FindingsError
	if err != nil && !errors.As(err, &fe) {
		return err
	}
	r.out.findings = append(r.out.findings, findings.Findings...)
	r.out.output = append(r.out.output, output...)
	r.out.counters.Add(&counters)
	return nil
}

// prepare makes the arguments of a launch.
func (r *run) prepare(l *resolvedLaunch) (emu.Launch, error) {
	k, err := r.loader.prog.Kernel(l.Kernel)
	if err != nil {
		return emu.Launch{}, err
	}
	info := k.Info()
	r.async, r.trial.pipes = r.async || info.UsesAsync, r.trial.pipes || info.UsesPipes
	out := emu.Launch{Kernel: k, Range: emu.NDRange{Global: l.Global, Local: l.Local, Offset: l.Offset}}
	params := k.Params()
	for i := range l.args {
		if l.args[i] == nil {
			out.Args = append(out.Args, r.pipes[l.pipes[i]])
			continue
		}
		size := uint64(len(l.args[i].Data))
		if i < len(params) {
			size = params[i].Size
		}
		a, err := r.argument(buffer{l.number, i}, l.args[i], size)
		if err != nil {
			return emu.Launch{}, err
		}
		out.Args = append(out.Args, a)
	}
	return out, nil
}

// argument makes an argument that is no pipe, for a parameter of a number of bytes when
// it is one by value.
func (r *run) argument(at buffer, a *argspec.Arg, size uint64) (emu.Arg, error) {
	m, err := argument.Of(a).Make(r.loader.dev, a, argument.Options{Size: min(size, maxBuffer)})
	if err != nil {
		return nil, err
	}
	if m.Buffer != nil || m.Image != nil {
		r.held[at] = m
	}
	return m.Arg, nil
}

// holder is a buffer or image of a launch.
type holder interface {
	Bytes() ([]byte, error)
	Free() error
}
