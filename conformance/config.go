package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
)

// Config is one way to run a case: what no correct kernel's result may depend on.
type Config struct {
	Engine   string // name of an engine
	SubGroup int    // lanes of a sub-group
	Wave     int    // lanes of a wave; 0 leaves it to the device
	Workers  int    // goroutines that run work-groups
	Schedule emu.Schedule
	// KeepMarks keeps the async marks and waits that may be left out.
	KeepMarks bool
	DMA       DMA

	// async says that the configuration is for kernels with asynchronous copies
	// only: for others it is like one before it. With pipes it is also for kernels
	// with pipes.
	async, pipes bool
}

// DMA is the shape of what moves the bytes of asynchronous copies; 0 leaves each to the device.
type DMA struct {
	Engines int // of a work-group
	Queue   int // copies that wait for each engine
	Step    int // bytes that an engine moves in a tick
}

// String returns the command line flags that choose the shape, each behind a space.
func (d DMA) String() string {
	s := ""
	for _, f := range []struct {
		flag string
		n    int
	}{{"engines", d.Engines}, {"queue", d.Queue}, {"step", d.Step}} {
		if f.n != 0 {
			s += fmt.Sprintf(" -dma-%s %d", f.flag, f.n)
		}
	}
	return s
}

// String returns the command line flags that choose the configuration. Scenarios in Go have
// no engine, and only their sub-group size can be chosen.
func (c Config) String() string {
	if c.Engine == "" {
		return fmt.Sprintf("-subgroup %d", c.SubGroup)
	}
	s := fmt.Sprintf("-engine %s -subgroup %d", c.Engine, c.SubGroup)
	if c.Wave != 0 {
		s += fmt.Sprintf(" -wave %d", c.Wave)
	}
	s += fmt.Sprintf(" -workers %d", c.Workers)
	if flags := c.Schedule.String(); flags != "" {
		s += " " + flags
	}
	if c.KeepMarks {
		s += " -keep-marks"
	}
	return s + c.DMA.String()
}

// device is the part of a configuration that a device is made for.
type device struct {
	engine                  string
	subgroup, wave, workers int
	dma                     DMA
}

func (c Config) device() device { return device{c.Engine, c.SubGroup, c.Wave, c.Workers, c.DMA} }

// Matrix says which configurations a case is run under.
type Matrix struct {
	Engines   []string
	SubGroups []int
	// Waves are lanes of a wave. A width that is no multiple of the sub-group
	// size is rounded up to one; 0 leaves it to the device.
	Waves     []int
	Workers   []int
	Schedules []emu.Schedule
	// Async are further schedules for kernels with asynchronous copies, which
	// choose when these complete. Those that draw everything from a seed are also for
	// kernels with pipes.
	Async []emu.Schedule
	// Marks are the schedules under which kernels with asynchronous copies run
	// once more, with the async marks and waits that may be left out.
	Marks []emu.Schedule
	// KeepMarks keeps those in all configurations.
	KeepMarks bool
	// DMA is the shape in all configurations but those of Shapes: further shapes, under
	// which kernels with asynchronous copies run, too, in the schedules of Marks.
	DMA    DMA
	Shapes []DMA
}

// engines returns the engines of this build without their alias "auto".
func engines() []string {
	return slices.DeleteFunc(emu.Engines(), func(name string) bool { return name == "auto" })
}

// Full returns the matrix that "lockstep conformance" uses by itself: for asynchronous
// copies every completion, in order and in reverse, and ten seeds; these for pipes, too.
func Full() Matrix {
	m := Matrix{
		Engines:   engines(),
		SubGroups: []int{1, 4, 8, 16, 32, 64, 128},
		Waves:     []int{0, 1, 64, 256},
		Workers:   []int{1, 2},
		Schedules: []emu.Schedule{{Order: emu.InOrder}, {Order: emu.Reverse}},
		Async: []emu.Schedule{
			{Completion: emu.CompleteLate}, {Completion: emu.CompletePaced},
			{Order: emu.Reverse, Completion: emu.CompleteLate}, {Order: emu.Reverse, Completion: emu.CompletePaced},
			{Order: emu.Reverse, Completion: emu.CompleteSeeded, Seed: 1}, {Order: emu.Seeded, Completion: emu.CompleteLate, Seed: 1},
		},
		Marks: []emu.Schedule{{Completion: emu.CompleteLate}, {Completion: emu.CompletePaced}, seeded(1)},
		// The slowest there is, and one in which everything is under way at once.
		Shapes: []DMA{{Engines: 1, Queue: 1, Step: 1}, {Engines: 64, Queue: 1024, Step: 3}},
	}
	for seed := range uint64(10) {
		if seed < 3 {
			m.Schedules = append(m.Schedules, seeded(seed+1))
		} else {
			m.Async = append(m.Async, seeded(seed+1))
		}
	}
	return m
}

// seeded is the schedule in which everything is drawn from a seed.
func seeded(seed uint64) emu.Schedule {
	return emu.Schedule{Order: emu.Seeded, Completion: emu.CompleteSeeded, Seed: seed}
}

// Standard returns the part of the full matrix that the package's own test runs with -long: all
// sub-group sizes, waves of one sub-group and of as many as the device likes.
func Standard() Matrix {
	m := Full()
	m.Waves = []int{0, 1}
	m.Schedules = []emu.Schedule{{Order: emu.InOrder}, {Order: emu.Reverse}, seeded(1)}
	m.Async = []emu.Schedule{{Completion: emu.CompleteLate}, {Completion: emu.CompletePaced}, {Order: emu.Reverse, Completion: emu.CompleteLate}, seeded(2)}
	m.Marks = m.Marks[1:2]
	m.Shapes = m.Shapes[:1]
	return m
}

// Quick returns a small matrix that still has two of everything but workers.
func Quick() Matrix {
	return Matrix{
		Engines:   engines(),
		SubGroups: []int{8, 32},
		Waves:     []int{0, 8},
		Workers:   []int{1},
		Schedules: []emu.Schedule{{Order: emu.InOrder}, seeded(1)},
		Async:     []emu.Schedule{{Completion: emu.CompleteLate}, {Completion: emu.CompletePaced}, seeded(2)},
	}
}

// Axes are the axes of a matrix as a person gives them, each a list separated by
// commas; an empty one is not given.
type Axes struct {
	Engines   string // names of engines; auto stands for all
	SubGroups string // sub-group sizes
	Waves     string // wave widths, 0 for the device's choice
	Workers   string // numbers of goroutines
	Schedules string // names of schedules; seeded stands for one schedule a seed
	Seeds     string // seeds for the order seeded, which alone they stand for, too; 1 when not given
	KeepMarks bool   // keep async marks and waits that may be left out
	DMA       DMA    // the shape of the DMA engines, where a number is not 0
}

// Set changes the axes of m that are given. After an error m is of no use.
func (m *Matrix) Set(a Axes) error {
	if a.Engines != "" {
		m.Engines = nil
		for name := range strings.SplitSeq(a.Engines, ",") {
			switch name = strings.TrimSpace(name); {
			case name == "auto":
				m.Engines = append(m.Engines, engines()...)
			case slices.Contains(engines(), name):
				m.Engines = append(m.Engines, name)
			default:
				if _, err := emu.NewDevice(emu.DeviceOptions{Engine: name}); err != nil {
					return err
				}
				return fmt.Errorf("engine %q is not there", name)
			}
		}
		slices.Sort(m.Engines)
		m.Engines = slices.Compact(m.Engines)
	}
	for _, axis := range []struct {
		name, text string
		min, max   int
		dst        *[]int
	}{
		{"sub-group size", a.SubGroups, 1, 128, &m.SubGroups},
		{"wave width", a.Waves, 0, 4096, &m.Waves},
		{"number of workers", a.Workers, 1, 4096, &m.Workers},
	} {
		if axis.text == "" {
			continue
		}
		*axis.dst = nil
		for item := range strings.SplitSeq(axis.text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(item))
			if err != nil || n < axis.min || n > axis.max {
				return fmt.Errorf("%q is not a %s: a number from %d to %d", strings.TrimSpace(item), axis.name, axis.min, axis.max)
			}
			*axis.dst = append(*axis.dst, n)
		}
	}
	for _, n := range m.SubGroups {
		if n&(n-1) != 0 {
			return fmt.Errorf("%d is not a sub-group size: a power of two from 1 to 128", n)
		}
	}
	if a.KeepMarks {
		m.KeepMarks = true
	}
	if a.DMA != (DMA{}) {
		d, err := emu.NewDevice(emu.DeviceOptions{DMAEngines: a.DMA.Engines, DMAQueueDepth: a.DMA.Queue, DMABytesPerStep: a.DMA.Step})
		if err == nil {
			err = d.Close()
		}
		if err != nil {
			return err
		}
		m.DMA, m.Shapes = a.DMA, nil
	}
	return m.setSchedules(a.Schedules, a.Seeds)
}

func (m *Matrix) setSchedules(schedule, seeds string) error {
	if schedule == "" && seeds == "" {
		return nil
	}
	drawn := []uint64{1}
	if seeds != "" {
		drawn = nil
		for item := range strings.SplitSeq(seeds, ",") {
			n, err := strconv.ParseUint(strings.TrimSpace(item), 0, 64)
			if err != nil {
				return fmt.Errorf("%q is not a seed: a whole number below 2^64", strings.TrimSpace(item))
			}
			drawn = append(drawn, n)
		}
		if schedule == "" {
			schedule = emu.Seeded.String()
		}
	}
	m.Schedules, m.Async = nil, nil
	for item := range strings.SplitSeq(schedule, ",") {
		s, err := emu.ParseSchedule(strings.TrimSpace(item), 0)
		if err != nil {
			return err
		}
		if !s.UsesSeed() {
			m.Schedules = append(m.Schedules, s)
			continue
		}
		for _, seed := range drawn {
			s.Seed = seed
			m.Schedules = append(m.Schedules, s)
		}
	}
	if m.Marks != nil {
		m.Marks = m.Schedules
	}
	return nil
}

// Configs returns the configurations of the matrix for a case, grouped by device, without
// those that cannot differ from another one: work-groups run at the same time only
// in order, so that the other orders have one number of workers. A case with a time
// limit of its own has one schedule, because each run of it may take that long.
// Configurations for kernels with asynchronous copies follow the others of the same device.
func (m Matrix) Configs(c *Case) []Config {
	var out []Config
	for _, engine := range m.Engines {
		for _, sub := range m.SubGroups {
			if c.SubGroups != nil && !slices.Contains(c.SubGroups, sub) {
				continue
			}
			var waves []int
			for _, wave := range m.Waves {
				wave = (wave + sub - 1) / sub * sub
				if slices.Contains(waves, wave) {
					continue
				}
				waves = append(waves, wave)
				for i, workers := range m.Workers {
					cfg := Config{Engine: engine, SubGroup: sub, Wave: wave, Workers: workers, KeepMarks: m.KeepMarks, DMA: m.DMA}
					out = m.schedules(out, cfg, c, i == 0)
				}
				for _, shape := range m.Shapes {
					for _, s := range m.Marks {
						if c.Timeout == 0 {
							out = append(out, Config{Engine: engine, SubGroup: sub, Wave: wave, Workers: m.Workers[0], Schedule: s,
								KeepMarks: m.KeepMarks, DMA: shape, async: true})
						}
					}
				}
			}
		}
	}
	return out
}

// schedules appends cfg with each of the schedules; first says that it has the first
// number of workers.
func (m Matrix) schedules(out []Config, cfg Config, c *Case, first bool) []Config {
	for i, s := range m.Schedules {
		if (first || s.Order == emu.InOrder) && (i == 0 || c.Timeout == 0) {
			cfg.Schedule = s
			out = append(out, cfg)
		}
	}
	if !first || c.Timeout > 0 {
		return out
	}
	cfg.async = true
	for _, s := range m.Async {
		cfg.Schedule, cfg.pipes = s, s == seeded(s.Seed)
		out = append(out, cfg)
	}
	cfg.pipes = false
	if !cfg.KeepMarks {
		cfg.KeepMarks = true
		for _, s := range m.Marks {
			cfg.Schedule = s
			out = append(out, cfg)
		}
	}
	return out
}
