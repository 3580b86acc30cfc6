package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// groupsTable is the title above the figures about operations of sub-groups.
const groupsTable = "groups"

// groupSizes are the sub-group sizes that the operations are measured at. The
// targets are for the first.
var groupSizes = []int{32, 8, 64, 128}

// groupFigure holds the time of a kernel against that of another.
type groupFigure struct {
	name            string
	kernel, against string
	speed           bool // ask how many times as fast the kernel is, not as slow
	// The targets: at least, for a speed; at most, for a time. Those of the
	// native engine are for each set of vector instructions.
	interp, avx2, avx512 float64
}

// groupFigures are the figures; kernels are those of conformance/kernels.
var groupFigures = []groupFigure{
	{"shuffle against float addition", "cost_shuffle", "cost_add", false, 3, 6, 3},
	{"shuffle by a mask against float addition", "cost_shuffle_xor", "cost_add", false, 3, 6, 3},
	{"ballot against float addition", "cost_ballot", "cost_add", false, 3, 6, 3},
	{"float sum of a sub-group against float addition", "cost_reduce", "cost_add", false, 6, 6, 3},
	{"sums of work-groups by shuffles against local memory and barriers", "sg_reduce_shuffle", "reduce_u32", true, 1, 1, 1},
	{"block reads against plain contiguous loads", "cost_block_read", "cost_load", true, 0.8, 0.8, 0.8},
	{"block reads of eight elements against plain contiguous loads", "cost_block_read8", "cost_load", true, 0.8, 0.8, 0.8},
}

// target is that on an implementation.
func (f *groupFigure) target(implementation string) float64 {
	switch implementation {
	case nativeAVX512:
		return f.avx512
	case nativeAVX2:
		return f.avx2
	}
	return f.interp
}

// holds says whether a ratio reaches the target.
func (f *groupFigure) holds(ratio, target float64) bool {
	if f.speed {
		return ratio >= target
	}
	return ratio <= target
}

// goal is the target in words.
func (f *groupFigure) goal(target float64) string {
	if f.speed {
		return fmt.Sprintf("at least %g", target)
	}
	return fmt.Sprintf("at most %g", target)
}

// groupKernel is a kernel that is measured at one sub-group size.
type groupKernel struct {
	request request
	session int
	times   []time.Duration // median of each round
	cpu     []time.Duration // mean of each round
}

// allGroups measures operations of sub-groups on each of lockstep's engines.
func (c *comparison) allGroups() ([]Figure, error) {
	var figures []Figure
	for i, impl := range c.implementations {
		if !impl.lockstep() {
			continue
		}
		more, err := c.groups(impl, c.processes[i])
		if err != nil {
			return nil, err
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

// groups measures operations of sub-groups on one engine, each in a kernel that does little
// else, by turns.
func (c *comparison) groups(impl Implementation, p *process) ([]Figure, error) {
	const turns = 16
	groups := 64
	if c.sizes == "small" {
		groups = 4
	}
	var list []*groupKernel
	byName := map[string][]*groupKernel{} // by sub-group size
	for _, f := range groupFigures {
		for _, name := range []string{f.kernel, f.against} {
			if byName[name] != nil {
				continue
			}
			k := kernels.Find(name)
			if k == nil {
				return nil, fmt.Errorf("package kernels has no kernel %q", name)
			}
			l := bench.GroupCost(k, groups, turns)
			if !strings.HasPrefix(name, "cost_") {
				l = bench.GroupSum(256 * groups)
			}
			for _, size := range groupSizes {
				g := &groupKernel{request: request{Kernel: name, Launch: l, Workers: 1, Subgroup: size}}
				if err := g.open(p, k); err != nil {
					return nil, fmt.Errorf("%s at sub-group size %d: %w", name, size, err)
				}
				list = append(list, g)
				byName[name] = append(byName[name], g)
			}
		}
	}
	for range c.runs {
		for _, g := range list {
			a, err := p.measure(g.session, c.budget/time.Duration(len(groupSizes)))
			if err != nil {
				return nil, err
			}
			g.times = append(g.times, median(a.Times))
			g.cpu = append(g.cpu, a.CPU/time.Duration(len(a.Times)))
		}
	}
	var figures []Figure
	for i := range groupFigures {
		f := &groupFigures[i]
		figure := f.figure(impl.Name, byName[f.kernel], byName[f.against])
		figure.Table = groupsTable + ", " + impl.Name
		figures = append(figures, figure)
	}
	for _, g := range list {
		if err := closeSessions(p, []int{g.session}); err != nil {
			return nil, err
		}
	}
	return figures, nil
}

// open opens the session and sees that it leaves what the reference says.
func (g *groupKernel) open(p *process, k *kernels.Kernel) error {
	want, err := reference(k, g.request.Launch)
	if err != nil {
		return err
	}
	if g.session, _, err = p.open(g.request); err != nil {
		return err
	}
	a, err := p.ask(request{Op: opFirst, Session: g.session})
	if err != nil {
		return err
	}
	if got := agreement(k, want, a.Outputs); got != sameBits {
		return fmt.Errorf("lockstep differs from the reference: %s", got)
	}
	return nil
}

// figure compares the times of two kernels, which are in the order of groupSizes.
func (f *groupFigure) figure(implementation string, kernel, against []*groupKernel) Figure {
	unit, target := "times the time", f.target(implementation)
	if f.speed {
		kernel, against, unit = against, kernel, "times the speed"
	}
	ratio := func(i int) float64 { return median(ratios(kernel[i].times, against[i].times)) }
	var others []string
	for i, size := range groupSizes[1:] {
		others = append(others, fmt.Sprintf("%s at %d", number(ratio(i+1)), size))
	}
	return Figure{
		Name: f.name, Value: ratio(0), Unit: unit, Target: f.goal(target), Verdict: verdict(f.holds(ratio(0), target)),
		Detail: fmt.Sprintf("%s and %s, sub-groups of %d, one worker: %s and %s; in CPU time %s; %s", kernel[0].request.Kernel, against[0].request.Kernel, groupSizes[0],
			milliseconds(median(kernel[0].times).Seconds()), milliseconds(median(against[0].times).Seconds()),
			number(median(ratios(kernel[0].cpu, against[0].cpu))), strings.Join(others, ", ")),
	}
}
