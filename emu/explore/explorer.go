package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Subject is a launch, or launches that run together, and how to make what they need on any device. Its functions are
// called from several goroutines.
type Subject struct {
	// Device shapes the devices of all runs. SubgroupSize is the size of the first run, 0 for the kernel's
	// own or the usual one; FixedSubgroups, WaveLanes and Workers do not count. Engine is not "compare".
	Device emu.DeviceOptions
	// Programs make the programs on a device. Each is called once for each sub-group size.
	Programs []func(ctx context.Context, dev *emu.Device) (*emu.Program, error)
	// Launches is one launch, or the members of a set (see [emu.Set]), in the order of the schedule in-order.
	Launches []Member
	// Args makes the arguments on a device: the same on each, and always in the same order.
	Args func(dev *emu.Device) (*Arguments, error)
	// Check, Benign and KeepGoing are those of the launches.
	Check, Benign, KeepGoing bool
	// Memory is that of the launches.
	Memory emu.MemoryModel
	// Reproduce returns how a person runs a configuration; nil for findings that print flags alone.
	Reproduce func(c Config) string
}

// Member is a launch of a subject.
type Member struct {
	Program int // index in Programs
	Kernel  string
	Range   emu.NDRange
}

// Arguments are those of a subject's launches on a device.
type Arguments struct {
	Of [][]emu.Arg // by launch
	// Left writes what a run has left elsewhere than in the buffers, images and variables of the device, such as packets
	// in pipes; nil where there is nothing. It is called once, when the run is over.
	Left func(w io.Writer) error
}

// ErrSizes is the error for launches together that no size of sub-groups suits.
var ErrSizes = errors.New("launches that require different sizes of sub-groups are not explored together")

// Explorer runs a subject under configurations. It is safe for use from several goroutines.
type Explorer struct {
	subject Subject
	// native says that some kernel has done so much work that machine code was made for it: from then on all
	// are compiled at once, and the code is shared.
	native atomic.Bool

	mu       sync.Mutex
	programs map[programKey]*program
}

type programKey struct {
	number   int // in Subject.Programs
	subgroup int
	engine   string
}

// program is the program of a sub-group size, on a device of its own, for those of the runs to be made from.
type program struct {
	once sync.Once
	prog *emu.Program
	err  error
}

// New returns an explorer of a subject.
func New(s Subject) *Explorer { return &Explorer{subject: s, programs: map[programKey]*program{}} }

// device makes a device for a configuration.
func (e *Explorer) device(c Config, engine string) (*emu.Device, error) {
	opt := e.subject.Device
	opt.SubgroupSize, opt.WaveLanes, opt.FixedSubgroups, opt.Workers, opt.Engine = c.SubgroupSize, c.WaveLanes, true, 1, engine
	return emu.NewDevice(opt)
}

// engine returns the engine for the next run.
func (e *Explorer) engine() string {
	if name := e.subject.Device.Engine; name != "" && name != "auto" || !e.native.Load() {
		return name
	}
	return "native"
}

// on returns a program on a device of the engine and the configuration.
func (e *Explorer) on(ctx context.Context, number int, dev *emu.Device, c Config, engine string) (*emu.Program, error) {
	e.mu.Lock()
	key := programKey{number, c.SubgroupSize, engine}
	p := e.programs[key]
	if p == nil {
		p = new(program)
		e.programs[key] = p
	}
	e.mu.Unlock()
	p.once.Do(func() { p.prog, p.err = e.compile(ctx, key) })
	if p.err != nil {
		return nil, p.err
	}
	return p.prog.On(dev)
}

// compile makes the program for a sub-group size. One that exists for another engine is taken over.
func (e *Explorer) compile(ctx context.Context, key programKey) (*emu.Program, error) {
	dev, err := e.device(Config{SubgroupSize: key.subgroup}, key.engine)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	other := e.programs[programKey{key.number, key.subgroup, e.subject.Device.Engine}]
	e.mu.Unlock()
	if key.engine != e.subject.Device.Engine && other != nil && other.prog != nil {
		return other.prog.On(dev)
	}
	return e.subject.Programs[key.number](ctx, dev)
}

// Space returns what the device and the kernels allow. The first configuration is that of a launch without
// flags.
func (e *Explorer) Space(ctx context.Context) (Space, error) {
	opt := e.subject.Device
	opt.FixedSubgroups = opt.SubgroupSize != 0
	dev, err := emu.NewDevice(opt)
	if err != nil {
		return Space{}, err
	}
	defer dev.Close() //nolint:errcheck // nothing is under way there
	s := Space{Subgroups: dev.Limits().SubgroupSizes(), Waves: map[int][]int{}}
	reqd, items, async := uint32(0), 0, false
	programs := map[int]*emu.Program{}
	for i := range e.subject.Launches {
		m := &e.subject.Launches[i]
		prog := programs[m.Program]
		if prog == nil {
			if prog, err = e.subject.Programs[m.Program](ctx, dev); err != nil {
				return Space{}, err
			}
			programs[m.Program] = prog
		}
		k, err := prog.KernelContext(ctx, m.Kernel)
		if err != nil {
			return Space{}, err
		}
		local, err := k.LocalSize(m.Range)
		if err != nil {
			return Space{}, err
		}
		info := k.Info()
		if n := info.ReqdSubgroup; n != 0 {
			if reqd != 0 && reqd != n {
				return Space{}, fmt.Errorf("kernel %s requires sub-groups of %d, and another one of %d: %w", m.Kernel, n, reqd, ErrSizes)
			}
			reqd, s.Subgroups = n, []int{int(n)}
		}
		async = async || info.UsesAsync
		if !info.Spins { // others have waves of one sub-group in any case
			items = max(items, int(local[0])*int(local[1])*int(local[2]))
		}
		if s.First == nil || info.ReqdSubgroup != 0 {
			s.First = &Config{SubgroupSize: info.SubgroupSize, Schedule: emu.InOrder.String()}
		}
	}
	for _, n := range s.Subgroups {
		s.Waves[n] = waves(n, max(items, 1))
	}
	s.Schedules, s.Seeded = schedules(async)
	return s, nil
}

// launched is a subject under a configuration, ready to run.
type launched struct {
	launches []emu.Launch
	schedule emu.Schedule
	left     func(w io.Writer) error
	dev      *emu.Device
}

// prepare makes the launches on a device of their own.
func (e *Explorer) prepare(ctx context.Context, c Config, engine string) (*launched, error) {
	schedule, err := emu.ParseSchedule(c.Schedule, c.Seed)
	if err != nil {
		return nil, err
	}
	dev, err := e.device(c, engine)
	if err != nil {
		return nil, err
	}
	l := &launched{dev: dev, schedule: schedule}
	if err := e.arm(ctx, l, c, engine); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	return l, nil
}

// arm puts programs and arguments on the device.
func (e *Explorer) arm(ctx context.Context, l *launched, c Config, engine string) error {
	s := &e.subject
	programs := map[int]*emu.Program{}
	for i := range s.Launches {
		m := &s.Launches[i]
		prog := programs[m.Program]
		if prog == nil {
			var err error
			if prog, err = e.on(ctx, m.Program, l.dev, c, engine); err != nil {
				return err
			}
			programs[m.Program] = prog
		}
		k, err := prog.KernelContext(ctx, m.Kernel)
		if err != nil {
			return err
		}
		l.launches = append(l.launches, emu.Launch{Kernel: k, Range: m.Range, Memory: s.Memory})
	}
	args, err := s.Args(l.dev)
	if err != nil {
		return err
	}
	for i := range l.launches {
		l.launches[i].Args = args.Of[i]
	}
	l.left = args.Left
	return nil
}

// ran is what a run has left besides memory.
type ran struct {
	findings finding.List
	output   []byte
	halted   bool
}

// run runs the launches. Findings are no error, unless the context ended the run, whose error it then returns. What is
// printed goes to output, or into the result for nil.
func (e *Explorer) run(ctx context.Context, l *launched, output io.Writer) (*ran, error) {
	s := &e.subject
	var r *ran
	var err error
	if len(l.launches) == 1 {
		one := l.launches[0]
		one.Schedule, one.Parallel, one.Check, one.Benign, one.KeepGoing, one.Output = l.schedule, emu.ParallelNever, s.Check, s.Benign, s.KeepGoing, output
		var res *emu.Result
		if res, err = one.Run(ctx); res != nil {
			r = &ran{res.Findings, res.Output, res.Halted}
		}
	} else {
		set := emu.Set{Launches: l.launches, Schedule: l.schedule, Check: s.Check, Benign: s.Benign, KeepGoing: s.KeepGoing, Output: output}
		var res *emu.SetResult
		if res, err = set.Run(ctx); res != nil {
			r = &ran{findings: res.Findings, output: res.Output}
			for _, one := range res.Launches {
				r.halted = r.halted || one.Halted
			}
		}
	}
	var found *emu.FindingsError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.As(err, &found):
		return nil, err
	}
	return r, nil
}

// object describes an allocation as findings of the launches do: by an argument, where some launch has it.
func (l *launched) object(c emu.Contents) (o *finding.Object, name string, err error) {
	for i := range l.launches {
		o, name, err = l.launches[i].Object(c)
		if err != nil || o.Kind == finding.ObjectArgument {
			break
		}
	}
	return o, name, err
}

// Run runs the subject under a configuration, as run index of a plan, and returns the outcome.
func (e *Explorer) Run(ctx context.Context, index int, c Config) (_ *Outcome, err error) {
	l, err := e.prepare(ctx, c, e.engine())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.dev.Close()) }()
	texts := prints{}
	for i := range l.launches {
		l.launches[i].Prints = texts.of(i)
	}
	res, err := e.run(ctx, l, nowhere{})
	if err != nil {
		return nil, err
	}
	for i := range l.launches {
		if l.launches[i].Kernel.Engine() == "native" {
			e.native.Store(true)
		}
	}
	memory, err := l.digest()
	if err != nil {
		return nil, err
	}
	if s := e.subject.Reproduce; s != nil {
		for i := range res.findings.Findings {
			res.findings.Findings[i].Reproduce = s(c)
		}
	}
	return newOutcome(Run{Index: index, Config: c}, res, memory, texts.digest(), e.subject.KeepGoing), nil
}

// nowhere takes output that has been looked at already.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// FirstOf returns the configuration of run 0 for a space with the given sub-group sizes: the one that the
// device would choose, if it is among them.
func (s *Space) FirstOf(sizes []int) *Config {
	if s.First == nil || !slices.Contains(sizes, s.First.SubgroupSize) {
		return nil
	}
	return s.First
}
