package main

import (
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

// sourceTable is the title above the figures about the compiler of OpenCL C.
const sourceTable = "compiler of OpenCL C"

// The targets of the compiler.
const (
	linesTarget   = 500_000              // lines a second, on one core
	ccTarget      = 64 << 20             // bytes, for a source of bench.OrdinaryLines
	largestTarget = 5 * time.Millisecond // for the longest source of conformance/kernels
)

// source measures the compiler of OpenCL C: how fast it is, what memory it takes, and how fast what it makes is.
func (c *comparison) source(ctx context.Context, workloads []*bench.Workload) ([]Figure, error) {
	text, err := bench.OrdinarySource(bench.OrdinaryLines)
	if err != nil {
		return nil, err
	}
	lines, err := c.sourceSpeed(ctx, text)
	if err != nil {
		return nil, err
	}
	memory, err := c.sourceMemory(ctx, text)
	if err != nil {
		return nil, err
	}
	built, err := c.sourceKernels(workloads)
	if err != nil {
		return nil, err
	}
	return slices.Concat(lines, memory, built), nil
}

// sourceSpeed measures compilations in a process that uses one CPU: of a large source, and of the longest of a kernel.
func (c *comparison) sourceSpeed(ctx context.Context, text string) (figures []Figure, err error) {
	p, err := startWorker(ctx, workerKind{name: "compiler", index: lockstepIndex, env: []string{"GOMAXPROCS=1"}}, c.timeout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	name, largest := bench.LargestSource()
	var wall, cpu, small []time.Duration
	for range 1 + c.runs {
		a, err := p.ask(request{Op: opSource, Source: text, Runs: 1})
		if err != nil {
			return nil, err
		}
		wall, cpu = append(wall, a.Times[0]), append(cpu, a.CPU)
		if a, err = p.ask(request{Op: opSource, Source: largest, Runs: 10}); err != nil {
			return nil, err
		}
		small = append(small, median(a.Times))
	}
	wall, cpu, small = wall[1:], cpu[1:], small[1:] // the first round starts with an empty heap
	n := strings.Count(text, "\n")
	speed := float64(n) / median(wall).Seconds()
	f := Figure{Table: sourceTable, Name: "lines of ordinary code a second", Value: speed, Unit: "lines/s",
		Target: fmt.Sprintf("at least %d", linesTarget), Verdict: verdict(speed >= linesTarget),
		Detail: fmt.Sprintf("one core, %d lines in %s to the bytes of a module", n, milliseconds(median(wall).Seconds()))}
	if t := median(cpu); t > 0 {
		f.Detail += fmt.Sprintf("; %.0f in CPU time", float64(n)/t.Seconds())
	}
	return []Figure{f, {Table: sourceTable, Name: "longest source of a kernel", Value: 1e3 * median(small).Seconds(), Unit: "ms",
		Target: fmt.Sprintf("under %d", largestTarget.Milliseconds()), Verdict: verdict(median(small) < largestTarget),
		Detail: fmt.Sprintf("%s, %d lines", name, strings.Count(largest, "\n"))}}, nil
}

// sourceMemory measures the memory of the command line that compiles a source.
func (c *comparison) sourceMemory(ctx context.Context, text string) (figures []Figure, err error) {
	lockstep, err := c.command(ctx)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(c.dir, "ordinary.cl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	p, err := startWorker(ctx, workerKind{name: "starter", index: lockstepIndex}, c.timeout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var peaks []int64
	var times []time.Duration
	for range c.runs {
		a, err := p.ask(request{Op: opExec, Command: []string{lockstep, "cc", file, "-o", filepath.Join(c.dir, "ordinary.spv")}})
		if err != nil {
			return nil, err
		}
		peaks, times = append(peaks, a.Peak), append(times, a.Times[0])
	}
	peak := slices.Max(peaks)
	if peak == 0 {
		c.note("the memory of the compiler is not known: this system does not say the largest resident size of a process")
		return nil, nil
	}
	return []Figure{{Table: sourceTable, Name: "memory of lockstep cc", Value: float64(peak) / (1 << 20), Unit: "MiB",
		Target: fmt.Sprintf("under %d", ccTarget>>20), Verdict: verdict(peak < ccTarget),
		Detail: fmt.Sprintf("largest resident size, for the %d lines; %s from start to end", strings.Count(text, "\n"),
			milliseconds(median(times).Seconds()))}}, nil
}

// sourceKernels measures kernels that are built from source against clang's modules of them, in rounds on one worker.
func (c *comparison) sourceKernels(workloads []*bench.Workload) ([]Figure, error) {
	p := c.processes[0]
	var speeds []float64
	worst := ""
	for _, w := range workloads {
		launch := w.Default
		if c.sizes == "small" {
			launch = w.Small
		}
		speed, err := c.sourceKernel(p, w, launch)
		if err != nil {
			return nil, err
		}
		if len(speeds) == 0 || speed < slices.Min(speeds) {
			worst = w.Name()
		}
		speeds = append(speeds, speed)
	}
	mean := geometricMean(speeds)
	return []Figure{{Table: sourceTable, Name: "kernels from source against clang -O2", Value: mean, Unit: "times the speed",
		Detail: fmt.Sprintf("%s, one worker, geometric mean of %d kernels, from %s (%s) to %s", c.implementations[0].Name,
			len(speeds), number(slices.Min(speeds)), worst, number(slices.Max(speeds)))}}, nil
}

// sourceKernel returns how many times as fast a kernel from source is.
func (c *comparison) sourceKernel(p *process, w *bench.Workload, l kernels.Launch) (float64, error) {
	want, err := reference(w.Kernel, l)
	if err != nil {
		return 0, err
	}
	var sessions [2]int
	for i := range sessions {
		if sessions[i], _, err = p.open(request{Kernel: w.Name(), Launch: l, Workers: 1, FromSource: i == 0}); err != nil {
			return 0, err
		}
		a, err := p.ask(request{Op: opFirst, Session: sessions[i]})
		if err != nil {
			return 0, err
		}
		if got := agreement(w.Kernel, want, a.Outputs); strings.HasPrefix(got, differs) {
			return 0, fmt.Errorf("%s from source: %s", w.Name(), got)
		}
	}
	var times [2][]time.Duration
	for range c.runs {
		for i, s := range sessions {
			a, err := p.measure(s, c.budget)
			if err != nil {
				return 0, err
			}
			times[i] = append(times[i], median(a.Times))
		}
	}
	return median(ratios(times[1], times[0])), closeSessions(p, sessions[:])
}
