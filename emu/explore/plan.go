package explore

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/emu"
)

// Config is one way to run a launch.
type Config struct {
	SubgroupSize int `json:"subgroup_size"`
	// WaveLanes is 0 where the device chooses.
	WaveLanes int `json:"wave_lanes"`
	// Schedule is a name for [emu.ParseSchedule].
	Schedule string `json:"schedule"`
	Seed     uint64 `json:"seed"`
}

// Flags returns the command line flags that choose the configuration.
func (c Config) Flags() string {
	s := fmt.Sprintf("-subgroup %d", c.SubgroupSize)
	if c.WaveLanes != 0 {
		s += fmt.Sprintf(" -wave %d", c.WaveLanes)
	}
	if schedule, err := emu.ParseSchedule(c.Schedule, c.Seed); err == nil && schedule.String() != "" {
		s += " " + schedule.String()
	}
	return s
}

// Space is what configurations are made of. Its lists are not empty, but one of Schedules and Seeded may be.
type Space struct {
	Subgroups []int
	// Waves are the lanes of waves for each sub-group size: multiples of it, or 0 for what the device
	// chooses.
	Waves map[int][]int
	// Schedules are those that draw nothing, and Seeded those that are drawn from a seed, whose own seed does
	// not count.
	Schedules []emu.Schedule
	Seeded    []emu.Schedule
	// First is the configuration of run 0; nil is that of the plan.
	First *Config
}

// schedules returns all schedules that make sense for a kernel: those with completions only where it copies.
func schedules(async bool) (fixed, seeded []emu.Schedule) {
	fixed = []emu.Schedule{{Order: emu.InOrder}, {Order: emu.Reverse}}
	seeded = []emu.Schedule{{Order: emu.Seeded, Completion: emu.CompleteSeeded}}
	if !async {
		return fixed, seeded
	}
	for _, c := range []emu.Completion{emu.CompleteLate, emu.CompletePaced} {
		fixed = append(fixed, emu.Schedule{Order: emu.InOrder, Completion: c}, emu.Schedule{Order: emu.Reverse, Completion: c})
	}
	for _, c := range []emu.Completion{emu.CompleteEarly, emu.CompleteLate, emu.CompletePaced} {
		seeded = append(seeded, emu.Schedule{Order: emu.Seeded, Completion: c})
	}
	return fixed, append(seeded, emu.Schedule{Order: emu.InOrder, Completion: emu.CompleteSeeded}, emu.Schedule{Order: emu.Reverse, Completion: emu.CompleteSeeded})
}

// maxWave bounds the lanes of a wave.
const maxWave = 4096

// waves returns the wave widths for work-groups of so many work-items: one sub-group, two, four and so on, up
// to the whole group.
func waves(subgroup, items int) []int {
	whole := min((items+subgroup-1)/subgroup*subgroup, maxWave)
	var list []int
	for n := subgroup; n < whole; n *= 2 {
		list = append(list, n)
	}
	return append(list, whole)
}

// Plan is a list of configurations, each of them made when it is asked for, so that a plan of millions takes
// no memory. The first one is that of a launch without any flags, as far as the space has it. Of the others,
// every second is without a seed while there are such, in an order in which each value of each of the three
// (sub-group size, wave width, schedule) soon meets each of the others. The rest are drawn from seeds.
type Plan struct {
	space Space
	seed  uint64
	runs  int
	fixed []Config // without the first
	first Config
}

// NewPlan returns a plan of so many runs, or of fewer when the space does not have as many. Seeds of
// schedules begin with the given one.
func NewPlan(s Space, runs int, seed uint64) *Plan {
	p := &Plan{space: s, seed: seed, runs: runs, fixed: s.corners()}
	switch {
	case s.First != nil:
		p.first = *s.First
	case len(p.fixed) > 0:
		p.first, p.fixed = p.fixed[0], p.fixed[1:]
	default:
		p.first = p.drawn(0)
	}
	if len(s.Seeded) == 0 {
		p.runs = min(runs, 1+len(p.fixed))
	}
	return p
}

// Runs returns the number of configurations.
func (p *Plan) Runs() int { return p.runs }

// At returns configuration i, which must be below Runs.
func (p *Plan) At(i int) Config {
	n := len(p.fixed)
	switch {
	case i == 0:
		return p.first
	case len(p.space.Seeded) == 0:
		return p.fixed[i-1]
	case i > 2*n:
		return p.drawn(uint64(i - n))
	case i%2 == 1:
		return p.fixed[i/2]
	}
	return p.drawn(uint64(i / 2))
}

// drawn returns the n-th configuration with a seed; everything else about it is drawn from n and the first
// seed.
func (p *Plan) drawn(n uint64) Config {
	r := random(mix(p.seed) ^ n)
	s := &p.space
	sub := s.Subgroups[r.below(len(s.Subgroups))]
	waves := s.Waves[sub]
	wave := waves[r.below(len(waves))]
	return Config{SubgroupSize: sub, WaveLanes: wave, Schedule: s.Seeded[r.below(len(s.Seeded))].Name(), Seed: p.seed + n}
}

// maxOrdered bounds the configurations whose order is chosen.
const maxOrdered = 2048

// corners returns all configurations without a seed. Each in turn is the one that has the most pairs of
// values which none before it has, unless there are too many.
func (s *Space) corners() []Config {
	var left, list []Config
	for _, sub := range s.Subgroups {
		for _, wave := range s.Waves[sub] {
			for _, order := range s.Schedules {
				c := Config{SubgroupSize: sub, WaveLanes: wave, Schedule: order.Name()}
				if s.First == nil || c != *s.First {
					left = append(left, c)
				}
			}
		}
	}
	if len(left) > maxOrdered {
		return left
	}
	seen := map[Config]bool{}
	for len(left) > 0 {
		best, most := 0, -1
		for i, c := range left {
			fresh := 0
			for _, pair := range c.pairs() {
				if !seen[pair] {
					fresh++
				}
			}
			if fresh > most {
				best, most = i, fresh
			}
		}
		for _, pair := range left[best].pairs() {
			seen[pair] = true
		}
		list = append(list, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return list
}

// pairs returns the pairs of values of the configuration, and the values themselves.
func (c Config) pairs() [6]Config {
	return [6]Config{
		{SubgroupSize: c.SubgroupSize}, {WaveLanes: c.WaveLanes}, {Schedule: c.Schedule},
		{SubgroupSize: c.SubgroupSize, WaveLanes: c.WaveLanes}, {SubgroupSize: c.SubgroupSize, Schedule: c.Schedule}, {WaveLanes: c.WaveLanes, Schedule: c.Schedule},
	}
}

// random is the generator SplitMix64, which is the same everywhere.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// below returns a number in [0, n), with a bias that does not matter here.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
