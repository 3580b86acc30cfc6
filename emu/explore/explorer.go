package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/emu"
)

// Subject is a launch, and how to make what it needs on any device. Its functions are called from several
// goroutines.
type Subject struct {
	// Device shapes the devices of all runs. SubgroupSize is the size of the first run, 0 for the kernel's
	// own or the usual one; FixedSubgroups, WaveLanes and Workers do not count. Engine is not "compare".
	Device emu.DeviceOptions
	// Program makes the program on a device. It is called once for each sub-group size.
	Program func(ctx context.Context, dev *emu.Device) (*emu.Program, error)
	Kernel  string
	Range   emu.NDRange
	// Args makes the arguments on a device: the same on each, and always in the same order.
	Args func(dev *emu.Device) ([]emu.Arg, error)
	// Check, Benign and KeepGoing are those of the launches.
	Check, Benign, KeepGoing bool
	// Memory is that of the launches.
	Memory emu.MemoryModel
	// Reproduce returns how a person runs a configuration; nil for findings that print flags alone.
	Reproduce func(c Config) string
}

// ErrPipes is the error for kernels with pipes, which run in sets.
var ErrPipes = errors.New("kernels with pipes are not explored")

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

// on returns the program on a device of the engine and the configuration.
func (e *Explorer) on(ctx context.Context, dev *emu.Device, c Config, engine string) (*emu.Program, error) {
	e.mu.Lock()
	key := programKey{c.SubgroupSize, engine}
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
	other := e.programs[programKey{key.subgroup, e.subject.Device.Engine}]
	e.mu.Unlock()
	if key.engine != e.subject.Device.Engine && other != nil && other.prog != nil {
		return other.prog.On(dev)
	}
	return e.subject.Program(ctx, dev)
}

// Space returns what the device and the kernel allow. The first configuration is that of a launch without
// flags.
func (e *Explorer) Space(ctx context.Context) (Space, error) {
	opt := e.subject.Device
	opt.FixedSubgroups = opt.SubgroupSize != 0
	dev, err := emu.NewDevice(opt)
	if err != nil {
		return Space{}, err
	}
	defer dev.Close() //nolint:errcheck // nothing is under way there
	prog, err := e.subject.Program(ctx, dev)
	if err != nil {
		return Space{}, err
	}
	k, err := prog.KernelContext(ctx, e.subject.Kernel)
	if err != nil {
		return Space{}, err
	}
	info := k.Info()
	if info.UsesPipes {
		return Space{}, fmt.Errorf("kernel %s: %w", e.subject.Kernel, ErrPipes)
	}
	local, err := k.LocalSize(e.subject.Range)
	if err != nil {
		return Space{}, err
	}
	s := Space{Subgroups: dev.Limits().SubgroupSizes(), Waves: map[int][]int{}}
	if info.ReqdSubgroup != 0 {
		s.Subgroups = []int{int(info.ReqdSubgroup)}
	}
	items := int(local[0]) * int(local[1]) * int(local[2])
	for _, n := range s.Subgroups {
		s.Waves[n] = waves(n, items)
		if info.Spins {
			s.Waves[n] = []int{n} // others are not wider
		}
	}
	s.Schedules, s.Seeded = schedules(info.UsesAsync)
	s.First = &Config{SubgroupSize: info.SubgroupSize, Schedule: emu.InOrder.String()}
	return s, nil
}

// launched is a launch under a configuration, ready to run.
type launched struct {
	launch emu.Launch
	dev    *emu.Device
}

// prepare makes a launch on a device of its own.
func (e *Explorer) prepare(ctx context.Context, c Config, engine string) (*launched, error) {
	schedule, err := emu.ParseSchedule(c.Schedule, c.Seed)
	if err != nil {
		return nil, err
	}
	dev, err := e.device(c, engine)
	if err != nil {
		return nil, err
	}
	l := &launched{dev: dev}
	if err := e.arm(ctx, l, c, engine); err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	l.launch.Schedule = schedule
	return l, nil
}

// arm puts program and arguments on the launch's device.
func (e *Explorer) arm(ctx context.Context, l *launched, c Config, engine string) error {
	s := &e.subject
	prog, err := e.on(ctx, l.dev, c, engine)
	if err != nil {
		return err
	}
	k, err := prog.KernelContext(ctx, s.Kernel)
	if err != nil {
		return err
	}
	args, err := s.Args(l.dev)
	if err != nil {
		return err
	}
	l.launch = emu.Launch{Kernel: k, Args: args, Range: s.Range, Parallel: emu.ParallelNever, Check: s.Check, Benign: s.Benign, KeepGoing: s.KeepGoing, Memory: s.Memory}
	return nil
}

// run runs the launch. Findings are no error, unless the context ended the run, whose error it then returns.
func (l *launched) run(ctx context.Context) (*emu.Result, error) {
	res, err := l.launch.Run(ctx)
	var found *emu.FindingsError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.As(err, &found):
		return nil, err
	}
	return res, nil
}

// Run runs the subject under a configuration, as run index of a plan, and returns the outcome.
func (e *Explorer) Run(ctx context.Context, index int, c Config) (_ *Outcome, err error) {
	l, err := e.prepare(ctx, c, e.engine())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.dev.Close()) }()
	texts := prints{}
	l.launch.Prints, l.launch.Output = texts.add, nowhere{}
	res, err := l.run(ctx)
	if err != nil {
		return nil, err
	}
	if l.launch.Kernel.Engine() == "native" {
		e.native.Store(true)
	}
	memory, err := l.dev.Contents()
	if err != nil {
		return nil, err
	}
	if s := e.subject.Reproduce; s != nil {
		for i := range res.Findings.Findings {
			res.Findings.Findings[i].Reproduce = s(c)
		}
	}
	return newOutcome(Run{Index: index, Config: c}, res, memoryDigest(memory), texts.digest(), e.subject.KeepGoing), nil
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
