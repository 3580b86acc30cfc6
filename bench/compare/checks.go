package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// checksTable is the title above the figures about launches with all checks on.
const checksTable = "all checks"

// The targets of launches with checks. Those in times the time are of each kernel, but for the mean.
const (
	checkedMeanTarget    = 12      // against the portable engine without checks, geometric mean
	checkedTarget        = 25      // against the portable engine without checks
	checkedDefaultTarget = 60      // against the default engine without checks
	checkedGrindTarget   = 20      // times the speed of Oclgrind, geometric mean
	shadowTarget         = 16      // bytes of shadow memory a byte of the launch's buffers
	checkedMemoryTarget  = 1 << 30 // of the process that runs checkedMemorySource
)

// The kernel that the memory of a process is measured with, which reads and writes every byte by itself.
const (
	checkedItems        = 1 << 20
	checkedBytes        = 1 << 24
	checkedMemorySource = `kernel void bytes(global uchar *data)
{
	for (uint i = get_global_id(0); i < 1u << 24; i += get_global_size(0))
		data[i] = data[i] * 3 + 1;
}
`
)

// grindChecks are the options --data-races and --uninitialized of the command oclgrind.
var grindChecks = []string{"OCLGRIND_DATA_RACES=1", "OCLGRIND_UNINITIALIZED=1"}

// checkedRounds is how often a launch with checks is measured at most.
const checkedRounds = 5

// checked is what one kernel gave.
type checked struct {
	kernel             string
	portable, standard ratio   // times the time of engines without checks
	grind              ratio   // times the speed of Oclgrind; 0 without it
	shadow             float64 // bytes a byte of the launch's buffers
}

// ratio is one of wall times and of CPU times.
type ratio struct{ wall, cpu float64 }

// checks measures launches with all checks on: their time against engines without checks and against Oclgrind with its
// own, and their memory. All kernels are built from source.
func (c *comparison) checks(ctx context.Context, workloads []*bench.Workload) (figures []Figure, err error) {
	var grind *process
	if kind, ok := c.platforms[oclgrind]; ok {
		kind.name, kind.env = oclgrind+" with checks", grindChecks
		if grind, err = startWorker(ctx, kind, c.timeout); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, grind.close()) }()
	} else {
		c.note("checks are not compared with Oclgrind, which is not there")
	}
	var list []checked
	for _, w := range workloads {
		progress("%s with all checks", w.Name())
		one, err := c.checkedKernel(w, grind)
		if err = errors.Join(ctx.Err(), err); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	memory, err := c.checkedMemory(ctx)
	return append(checkedFigures(list), memory...), err
}

// checkedKernel measures a kernel with checks on the portable engine, which is the one that makes them, and without them on
// the portable and the default engine; and on the small launch, against Oclgrind.
func (c *comparison) checkedKernel(w *bench.Workload, grind *process) (checked, error) {
	result := checked{kernel: w.Name()}
	launch := w.Default
	if c.sizes == "small" {
		launch = w.Small
	}
	standard := c.processes[0]
	portable := c.processes[slices.IndexFunc(c.implementations, func(i Implementation) bool { return i.Name == interpreter })]
	subjects := []*checkedSubject{
		{proc: portable, request: request{Check: true, FromSource: true}},
		{proc: portable, request: request{FromSource: true}},
		{proc: standard, request: request{FromSource: true}},
	}
	if err := c.checkedLaunch(w, launch, subjects); err != nil {
		return result, err
	}
	result.portable, result.standard = subjects[0].over(subjects[1]), subjects[0].over(subjects[2])
	result.shadow = subjects[0].shadow
	if grind == nil {
		return result, nil
	}
	subjects = []*checkedSubject{{proc: portable, request: request{Check: true, FromSource: true}}, {proc: grind}}
	err := c.checkedLaunch(w, w.Small, subjects)
	result.grind = subjects[1].over(subjects[0])
	return result, err
}

// checkedSubject is a way to run a launch.
type checkedSubject struct {
	proc       *process
	request    request
	session    int
	shadow     float64         // bytes a byte of the launch's buffers
	times, cpu []time.Duration // of each round
}

// over is how many times the time of another way this one takes.
func (s *checkedSubject) over(other *checkedSubject) ratio {
	return ratio{median(ratios(s.times, other.times)), median(ratios(s.cpu, other.cpu))}
}

// checkedLaunch measures a launch in several ways by turns. Each must leave what the kernel's reference does; a launch
// with checks also fails when there is a finding.
func (c *comparison) checkedLaunch(w *bench.Workload, l kernels.Launch, subjects []*checkedSubject) error {
	want, err := reference(w.Kernel, l)
	if err != nil {
		return err
	}
	for _, s := range subjects {
		s.request.Kernel, s.request.Launch = w.Name(), l
		if s.session, _, err = s.proc.open(s.request); err != nil {
			return err
		}
		a, err := s.proc.ask(request{Op: opFirst, Session: s.session})
		if err != nil {
			return err
		}
		if got := agreement(w.Kernel, want, a.Outputs); strings.HasPrefix(got, differs) {
			return fmt.Errorf("%s on %s: %s", w.Name(), s.proc.name, got)
		}
		if a.Memory > 0 {
			s.shadow = float64(a.Shadow) / float64(a.Memory)
		}
	}
	for range min(c.runs, checkedRounds) {
		for _, s := range subjects {
			a, err := s.proc.measure(s.session, c.budget)
			if err != nil {
				return err
			}
			s.times, s.cpu = append(s.times, median(a.Times)), append(s.cpu, a.CPU/time.Duration(len(a.Times)))
		}
	}
	for _, s := range subjects {
		if err := closeSessions(s.proc, []int{s.session}); err != nil {
			return err
		}
	}
	return nil
}

// checkedFigures are those about the kernels.
func checkedFigures(list []checked) []Figure {
	portable, mean := checkedTimes(list, "lockstep interp without checks", func(k checked) ratio { return k.portable })
	mean.Target, mean.Verdict = fmt.Sprintf("at most %d", checkedMeanTarget), verdict(mean.Value <= checkedMeanTarget)
	figures := append([]Figure{mean}, held(portable, "at most", checkedTarget, func(v float64) bool { return v <= checkedTarget })...)
	standard, mean := checkedTimes(list, "the default engine without checks", func(k checked) ratio { return k.standard })
	figures = append(append(figures, mean),
		held(standard, "under", checkedDefaultTarget, func(v float64) bool { return v < checkedDefaultTarget })...)
	grind, mean := checkedTimes(list, "Oclgrind with --data-races --uninitialized", func(k checked) ratio { return k.grind })
	if mean.Value > 0 {
		mean.Unit = "times the speed"
		mean.Target, mean.Verdict = fmt.Sprintf("at least %d", checkedGrindTarget), verdict(mean.Value >= checkedGrindTarget)
		mean.Detail += "; the same small launches"
		for i := range grind {
			grind[i].Unit = "times the speed"
		}
		figures = append(append(figures, mean), grind...)
	}
	worst := slices.MaxFunc(list, func(a, b checked) int { return cmp.Compare(a.shadow, b.shadow) })
	return append(figures, Figure{Table: checksTable, Name: "most shadow memory a byte of the buffers", Value: worst.shadow, Unit: "bytes",
		Target: fmt.Sprintf("at most %d", shadowTarget), Verdict: verdict(worst.shadow <= shadowTarget), Detail: "kernel " + worst.kernel})
}

// checkedTimes has a figure for each kernel, and that of their geometric mean.
func checkedTimes(list []checked, against string, of func(checked) ratio) (figures []Figure, mean Figure) {
	var wall, cpu []float64
	for _, k := range list {
		r := of(k)
		f := Figure{Table: checksTable, Name: k.kernel + " against " + against, Value: r.wall, Unit: "times the time"}
		if r.cpu > 0 {
			f.Detail = number(r.cpu) + " in CPU time"
			cpu = append(cpu, r.cpu)
		}
		figures, wall = append(figures, f), append(wall, r.wall)
	}
	mean = Figure{Table: checksTable, Name: "kernels against " + against, Value: geometricMean(wall), Unit: "times the time",
		Detail: fmt.Sprintf("geometric mean of %d kernels, from %s to %s", len(wall), number(slices.Min(wall)), number(slices.Max(wall)))}
	if len(cpu) == len(wall) {
		mean.Detail += fmt.Sprintf("; %s in CPU time", number(geometricMean(cpu)))
	}
	return figures, mean
}

// held gives each of the figures a target.
func held(figures []Figure, words string, target int, ok func(float64) bool) []Figure {
	for i := range figures {
		figures[i].Target, figures[i].Verdict = fmt.Sprintf("%s %d", words, target), verdict(ok(figures[i].Value))
	}
	return figures
}

// checkedMemory measures the memory of the command line that runs a kernel with all checks.
func (c *comparison) checkedMemory(ctx context.Context) (figures []Figure, err error) {
	binary, err := c.command(ctx)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(c.dir, "bytes.cl")
	if err := os.WriteFile(file, []byte(checkedMemorySource), 0o600); err != nil {
		return nil, err
	}
	p, err := startWorker(ctx, workerKind{name: "starter", index: lockstepIndex}, c.timeout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	a, err := p.ask(request{Op: opExec, Command: []string{binary, "run", file, "-check", "-kernel", "bytes",
		"-global", fmt.Sprint(checkedItems), "-local", "256", "-arg", fmt.Sprintf("iota:u8:%d", checkedBytes)}})
	if err != nil {
		return nil, err
	}
	if a.Peak == 0 {
		c.note("the memory of a launch with checks is not known: this system does not say the largest resident size of a process")
		return nil, nil
	}
	return []Figure{{Table: checksTable, Name: "memory of a launch of 2^20 work-items over 2^24 bytes", Value: float64(a.Peak) / (1 << 20),
		Unit: "MiB", Target: fmt.Sprintf("under %d", checkedMemoryTarget>>20), Verdict: verdict(a.Peak < checkedMemoryTarget),
		Detail: fmt.Sprintf("largest resident size of lockstep run -check, each byte read and written by itself; %s from start to end",
			milliseconds(a.Times[0].Seconds()))}}, nil
}
