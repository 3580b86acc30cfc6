package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// Figure is a number about lockstep alone.
type Figure struct {
	// Table is the title of the table that the figure stands in; "" is that of
	// the figures of lockstep alone.
	Table   string  `json:"table,omitempty"`
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Detail  string  `json:"detail,omitempty"`
	Target  string  `json:"target"`
	Verdict string  `json:"verdict"`
}

// workersTarget and scaleTolerance are what "scales" means.
const (
	workersTarget  = 1.8
	scaleTolerance = 0.10
)

// twoWorkers measures each workload with one worker and with two, where there
// are processors for them.
func (c *comparison) twoWorkers(ctx context.Context, workloads []*bench.Workload) ([]Figure, error) {
	var figures []Figure
	for _, w := range workloads {
		if runtime.NumCPU() < 2 || ctx.Err() != nil {
			break
		}
		f, err := c.workers(w)
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// workers measures a workload with one worker and with two, in rounds.
func (c *comparison) workers(w *bench.Workload) (Figure, error) {
	f := Figure{Name: w.Name() + ": 2 workers against 1", Unit: "times", Target: fmt.Sprintf("at least %g", workersTarget)}
	l := w.Large
	if c.sizes == "small" {
		l = w.Default
	}
	p := c.processes[0]
	var sessions [2]int
	for i := range sessions {
		var err error
		if sessions[i], _, err = p.open(request{Kernel: w.Name(), Launch: l, Workers: i + 1}); err != nil {
			return f, err
		}
		if _, err = p.ask(request{Op: opFirst, Session: sessions[i]}); err != nil {
			return f, err
		}
	}
	var times [2][]time.Duration
	var cpu [2][]time.Duration
	var got []float64 // CPUs that the two workers had
	for range c.runs {
		for i, s := range sessions {
			a, err := p.measure(s, c.budget)
			if err != nil {
				return f, err
			}
			times[i] = append(times[i], median(a.Times))
			cpu[i] = append(cpu[i], a.CPU/time.Duration(len(a.Times)))
			if i == 1 {
				got = append(got, float64(a.CPU)/float64(sum(a.Times)))
			}
		}
	}
	f.Value = median(ratios(times[0], times[1]))
	f.Detail = fmt.Sprintf("%s work-items, %s and %s; two workers got %s CPUs and used %s times the CPU time of one", describe(l),
		milliseconds(median(times[0]).Seconds()), milliseconds(median(times[1]).Seconds()),
		number(median(got)), number(median(ratios(cpu[1], cpu[0]))))
	f.Verdict = verdict(f.Value >= workersTarget)
	return f, closeSessions(p, sessions[:])
}

// scaling measures growing numbers of work-items, each size in each round, and
// gives the step from one size to the next that is farthest from two.
func (c *comparison) scaling() (Figure, error) {
	f := Figure{
		Name: "twice the work-items, farthest from twice the time", Unit: "times",
		Target: fmt.Sprintf("%.1f to %.1f", 2*(1-scaleTolerance), 2*(1+scaleTolerance)),
	}
	top := bench.MaxScale
	if c.sizes == "small" {
		top = bench.MinScale + 6
	}
	p := c.processes[0]
	sessions := make([]int, top-bench.MinScale+1)
	for i := range sessions {
		var err error
		if sessions[i], _, err = p.open(request{Kernel: "inthash", Launch: bench.ScaleLaunch(bench.MinScale + i)}); err != nil {
			return f, err
		}
		if _, err = p.ask(request{Op: opFirst, Session: sessions[i]}); err != nil {
			return f, err
		}
	}
	times, cpu := make([][]time.Duration, len(sessions)), make([][]time.Duration, len(sessions))
	for range c.runs {
		for i, s := range sessions {
			a, err := p.measure(s, c.budget)
			if err != nil {
				return f, err
			}
			times[i] = append(times[i], median(a.Times))
			cpu[i] = append(cpu[i], a.CPU/time.Duration(len(a.Times)))
		}
	}
	var lanes []string
	for i := range sessions {
		perLane := float64(median(times[i])) / float64(uint64(1)<<(bench.MinScale+i))
		lanes = append(lanes, fmt.Sprintf("%.3g", perLane))
	}
	step, worst := farthest(times)
	cpuStep, cpuWorst := farthest(cpu)
	f.Value = step
	f.Detail = fmt.Sprintf("inthash, from 2^%d to 2^%d; in CPU time %.3g, from 2^%d to 2^%d; 2^%d to 2^%d: %s ns a work-item",
		bench.MinScale+worst-1, bench.MinScale+worst, cpuStep, bench.MinScale+cpuWorst-1, bench.MinScale+cpuWorst,
		bench.MinScale, top, strings.Join(lanes, " "))
	f.Verdict = verdict(math.Abs(f.Value-2) <= 2*scaleTolerance)
	return f, closeSessions(p, sessions)
}

// farthest finds the step from one size, times[i-1], to the next that is
// farthest from twice the time; i is the number of the larger size.
func farthest(times [][]time.Duration) (step float64, i int) {
	for j := 1; j < len(times); j++ {
		if s := median(ratios(times[j], times[j-1])); i == 0 || math.Abs(s-2) > math.Abs(step-2) {
			step, i = s, j
		}
	}
	return step, i
}

func closeSessions(p *process, sessions []int) error {
	for _, s := range sessions {
		if _, err := p.ask(request{Op: opClose, Session: s}); err != nil {
			return err
		}
	}
	return nil
}

// launchTarget is the time for an empty kernel.
const launchTarget = 20 * time.Microsecond

// launch measures an empty kernel of one work-group.
func (c *comparison) launch() (Figure, error) {
	f := Figure{Name: "launch of an empty kernel, one work-group", Unit: "µs",
		Target: fmt.Sprintf("under %d", launchTarget.Microseconds())}
	p := c.processes[0]
	s, _, err := p.open(request{Kernel: "empty", Launch: bench.Empty()})
	if err != nil {
		return f, err
	}
	var times []time.Duration
	runs := 0
	for range c.runs {
		a, err := p.measure(s, c.budget)
		if err != nil {
			return f, err
		}
		times = append(times, median(a.Times))
		runs += len(a.Times)
	}
	f.Value = median(times).Seconds() * 1e6
	f.Detail = fmt.Sprintf("median of %d", runs)
	f.Verdict = verdict(median(times) < launchTarget)
	return f, closeSessions(p, []int{s})
}

// The targets of a whole process.
const (
	startTarget  = 60 * time.Millisecond
	memoryTarget = 64 << 20
	startItems   = 1 << 20
)

// start measures the command line: a process that loads a module, runs saxpy
// and writes the result to a file.
func (c *comparison) start(ctx context.Context) (figures []Figure, err error) {
	binary, err := c.command(ctx)
	if err != nil {
		return nil, err
	}
	k := kernels.Find("saxpy")
	l := kernels.Launch{Global: []uint64{startItems}, Local: []uint64{256}, Args: []string{
		"f32:2.5", fmt.Sprintf("iota:f32:%d", startItems), fmt.Sprintf("fill:f32:%d:1", startItems)}}
	want, err := reference(k, l)
	if err != nil {
		return nil, err
	}
	module, err := k.Binary(bench.Variant)
	if err != nil {
		return nil, err
	}
	spv, result := filepath.Join(c.dir, "saxpy.spv"), filepath.Join(c.dir, "y.bin")
	if err := os.WriteFile(spv, module.Code, 0o600); err != nil {
		return nil, err
	}
	command := []string{binary, "run", spv, "-kernel", k.Entry,
		"-global", fmt.Sprint(startItems), "-local", "256", "-out", "2=" + result}
	for _, a := range l.Args {
		command = append(command, "-arg", a)
	}
	p, err := startWorker(ctx, workerKind{name: "starter", index: lockstepIndex}, c.timeout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var times []time.Duration
	var peaks []int64
	for range 1 + 4*c.runs {
		a, err := p.ask(request{Op: opExec, Command: command})
		if err != nil {
			return nil, err
		}
		got, err := os.ReadFile(result)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(got, want[0].data) {
			return nil, errors.New("saxpy of the command line differs from the reference")
		}
		times, peaks = append(times, a.Times[0]), append(peaks, a.Peak)
	}
	times, peaks = times[1:], peaks[1:] // the first one reads the program from disk
	start := Figure{Name: "process start to the result of saxpy, 2^20 elements", Unit: "ms",
		Value: median(times).Seconds() * 1e3, Target: fmt.Sprintf("under %d", startTarget.Milliseconds()),
		Detail: fmt.Sprintf("median of %d", len(times)), Verdict: verdict(median(times) < startTarget)}
	figures = append(figures, start)
	if peak := median(peaks); peak > 0 {
		buffers, err := bufferBytes(l)
		if err != nil {
			return nil, err
		}
		beyond := peak - buffers
		figures = append(figures, Figure{Name: "its memory beyond the buffers", Unit: "MiB",
			Value: float64(beyond) / (1 << 20), Target: fmt.Sprintf("under %d", memoryTarget>>20),
			Detail:  fmt.Sprintf("largest resident size %.1f MiB, buffers %.1f MiB", float64(peak)/(1<<20), float64(buffers)/(1<<20)),
			Verdict: verdict(beyond < memoryTarget)})
	}
	return figures, nil
}

// bufferBytes is the size of the buffers of a launch.
func bufferBytes(l kernels.Launch) (int64, error) {
	args, err := bench.ParseArgs(l)
	if err != nil {
		return 0, err
	}
	var n int64
	for _, a := range args {
		if a.Kind == argspec.Buffer {
			n += int64(len(a.Data))
		}
	}
	return n, nil
}

// moduleRoot is the folder of the tree that this module belongs to.
func moduleRoot(ctx context.Context) (string, error) {
	const module = "github.com/lockstep-gpu/lockstep"
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Stderr = os.Stderr
	root, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("finding the folder of %s (run this in the folder of bench/compare): %w", module, err)
	}
	return strings.TrimSpace(string(root)), nil
}
