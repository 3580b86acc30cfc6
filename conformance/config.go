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
}

// String returns the command line flags that choose the configuration.
func (c Config) String() string {
	s := fmt.Sprintf("-engine %s -subgroup %d", c.Engine, c.SubGroup)
	if c.Wave != 0 {
		s += fmt.Sprintf(" -wave %d", c.Wave)
	}
	s += fmt.Sprintf(" -workers %d", c.Workers)
	if flags := c.Schedule.String(); flags != "" {
		s += " " + flags
	}
	return s
}

// device is the part of a configuration that a device is made for.
type device struct {
	engine                  string
	subgroup, wave, workers int
}

func (c Config) device() device { return device{c.Engine, c.SubGroup, c.Wave, c.Workers} }

// Matrix says which configurations a case is run under.
type Matrix struct {
	Engines   []string
	SubGroups []int
	// Waves are lanes of a wave. A width that is no multiple of the sub-group
	// size is rounded up to one; 0 leaves it to the device.
	Waves     []int
	Workers   []int
	Schedules []emu.Schedule
}

// engines returns the engines of this build without their alias "auto".
func engines() []string {
	return slices.DeleteFunc(emu.Engines(), func(name string) bool { return name == "auto" })
}

// Full returns the matrix that "lockstep conformance" uses by itself.
func Full() Matrix {
	return Matrix{
		Engines:   engines(),
		SubGroups: []int{1, 4, 8, 16, 32, 64, 128},
		Waves:     []int{0, 1, 64, 256},
		Workers:   []int{1, 2},
		Schedules: []emu.Schedule{
			{Order: emu.InOrder}, {Order: emu.Reverse},
			{Order: emu.Seeded, Seed: 1}, {Order: emu.Seeded, Seed: 2}, {Order: emu.Seeded, Seed: 3},
		},
	}
}

// Standard returns the part of the full matrix that the package's own test runs: all
// sub-group sizes, waves of one sub-group and of as many as the device likes.
func Standard() Matrix {
	m := Full()
	m.Waves = []int{0, 1}
	m.Schedules = []emu.Schedule{{Order: emu.InOrder}, {Order: emu.Reverse}, {Order: emu.Seeded, Seed: 1}}
	return m
}

// Quick returns a small matrix that still has two of everything but workers.
func Quick() Matrix {
	return Matrix{
		Engines:   engines(),
		SubGroups: []int{8, 32},
		Waves:     []int{0, 8},
		Workers:   []int{1},
		Schedules: []emu.Schedule{{Order: emu.InOrder}, {Order: emu.Seeded, Seed: 1}},
	}
}

// Axes are the axes of a matrix as a person gives them, each a list separated by
// commas; an empty one is not given.
type Axes struct {
	Engines   string // names of engines; auto stands for all
	SubGroups string // sub-group sizes
	Waves     string // wave widths, 0 for the device's choice
	Workers   string // numbers of goroutines
	Schedules string // names of orders; seeded stands for one schedule a seed
	Seeds     string // seeds for the order seeded, which alone they stand for, too; 1 when not given
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
				return fmt.Errorf("unknown engine %q; there are %s", name, strings.Join(emu.Engines(), ", "))
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
	m.Schedules = nil
	for item := range strings.SplitSeq(schedule, ",") {
		order, err := emu.ParseOrder(strings.TrimSpace(item))
		if err != nil {
			return err
		}
		if order != emu.Seeded {
			m.Schedules = append(m.Schedules, emu.Schedule{Order: order})
			continue
		}
		for _, seed := range drawn {
			m.Schedules = append(m.Schedules, emu.Schedule{Order: order, Seed: seed})
		}
	}
	return nil
}

// Configs returns the configurations of the matrix for a case, grouped by device, without
// those that cannot differ from another one: work-groups run at the same time only
// in order, so that the other orders have one number of workers. A case with a time
// limit of its own has one schedule, because each run of it may take that long.
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
					for j, schedule := range m.Schedules {
						if (i > 0 && schedule.Order != emu.InOrder) || (j > 0 && c.Timeout > 0) {
							continue
						}
						out = append(out, Config{Engine: engine, SubGroup: sub, Wave: wave, Workers: workers, Schedule: schedule})
					}
				}
			}
		}
	}
	return out
}
