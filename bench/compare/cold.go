package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// coldTable is the title above the figures about the start of a process.
const coldTable = "cold start"

// How many times as fast a process of lockstep shall be as one that uses PoCL.
const (
	emptyTarget  = 20 // with an empty cache
	warmTarget   = 3  // when it has run before
	sourceTarget = 50 // with an empty cache, both from source
)

// coldSourceTarget is the time from the start of a process to the result of saxpy, which it compiles from source.
const coldSourceTarget = 20 * time.Millisecond

// coldItems is the size of a launch that is done as soon as it has begun.
const coldItems = 1 << 14

// coldKernels are the kernels that processes are started for.
var coldKernels = []struct {
	name   string
	launch kernels.Launch
	out    int
}{
	{"saxpy", bench.Saxpy(coldItems), 2},
	{"inthash", bench.IntHash(coldItems, 16), 1},
}

// starter is a way to run a kernel by starting a process.
type starter struct {
	name    string
	command []string
	env     func() ([]string, error)
	repeat  int    // in each round
	input   string // what the kernel is given as
	// targets are how many times as fast processes of lockstep shall be, by their input; 0 for no target.
	targets map[string]float64
	times   []time.Duration // median of each round
}

// The inputs of starters.
const (
	fromModule = "a module"
	fromSource = "the source"
)

// cold measures processes from start to result: lockstep's command line with a
// module and with the source, and an OpenCL program with the source.
func (c *comparison) cold(ctx context.Context) (figures []Figure, err error) {
	lockstep, err := c.command(ctx)
	if err != nil {
		return nil, err
	}
	host, err := build(ctx, ".", filepath.Join(c.dir, "host.exe"), "./host")
	if err != nil {
		return nil, err
	}
	p, err := startWorker(ctx, workerKind{name: "starter", index: lockstepIndex}, c.timeout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for _, k := range coldKernels {
		more, err := c.coldKernel(ctx, p, lockstep, host, kernels.Find(k.name), k.launch, k.out)
		if err != nil {
			return nil, err
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

// coldKernel measures one kernel.
func (c *comparison) coldKernel(ctx context.Context, p *process, lockstep, host string, k *kernels.Kernel, l kernels.Launch, out int) ([]Figure, error) {
	want, err := reference(k, l)
	if err != nil {
		return nil, err
	}
	module, err := k.Binary(bench.Variant)
	if err != nil {
		return nil, err
	}
	spv, source := filepath.Join(c.dir, k.Name+".spv"), filepath.Join(c.dir, k.Name+".cl")
	result := filepath.Join(c.dir, k.Name+".bin")
	if err := errors.Join(os.WriteFile(spv, module.Code, 0o600), os.WriteFile(source, []byte(k.Source()), 0o600)); err != nil {
		return nil, err
	}
	global, local := strconv.FormatUint(l.Global[0], 10), strconv.FormatUint(l.Local[0], 10)
	to := fmt.Sprintf("%d=%s", out, result)
	own := func(file string) []string {
		command := []string{lockstep, "run", file, "-kernel", k.Entry, "-global", global, "-local", local, "-out", to}
		for _, a := range l.Args {
			command = append(command, "-arg", a)
		}
		return command
	}
	starters := []*starter{
		{name: "lockstep", command: own(spv), repeat: 4, input: fromModule},
		{name: "lockstep from source", command: own(source), repeat: 4, input: fromSource},
	}
	openCL := func(kind workerKind) []string {
		return append([]string{host, kind.library, strconv.Itoa(kind.index), source, k.Entry, global, local, to}, l.Args...)
	}
	if kind, ok := c.platforms[pocl]; ok {
		warm := filepath.Join(c.dir, "warm")
		starters = append(starters,
			&starter{name: pocl + ", empty cache", command: openCL(kind), env: c.emptyCache, repeat: 1,
				targets: map[string]float64{fromModule: emptyTarget, fromSource: sourceTarget}},
			&starter{name: pocl + ", warm cache", command: openCL(kind), env: cacheIn(warm), repeat: 2,
				targets: map[string]float64{fromModule: warmTarget}})
	}
	if kind, ok := c.platforms[oclgrind]; ok {
		starters = append(starters, &starter{name: oclgrind, command: openCL(kind), repeat: 2})
	}
	// The first round reads programs from disk and fills the warm cache.
	for round := range 1 + c.runs {
		for _, s := range starters {
			var times []time.Duration
			for range s.repeat {
				if err := errors.Join(ctx.Err(), os.RemoveAll(result)); err != nil {
					return nil, err
				}
				d, err := s.start(p)
				if err != nil {
					return nil, err
				}
				got, err := os.ReadFile(result)
				if err != nil {
					return nil, err
				}
				if !bytes.Equal(got, want[0].data) {
					return nil, fmt.Errorf("%s of %s differs from the reference", k.Name, s.name)
				}
				times = append(times, d)
			}
			if round > 0 {
				s.times = append(s.times, median(times))
			}
		}
	}
	return coldFigures(k.Name, describe(l), starters), nil
}

// start starts the process and waits for its end.
func (s *starter) start(p *process) (time.Duration, error) {
	var env []string
	if s.env != nil {
		var err error
		if env, err = s.env(); err != nil {
			return 0, err
		}
	}
	a, err := p.ask(request{Op: opExec, Command: s.command, Env: env})
	if err != nil {
		return 0, err
	}
	return a.Times[0], nil
}

// emptyCache makes a folder for PoCL's compiled kernels.
func (c *comparison) emptyCache() ([]string, error) {
	dir, err := os.MkdirTemp(c.dir, "cache-")
	if err != nil {
		return nil, err
	}
	return cacheIn(dir)()
}

// cacheIn lets PoCL keep compiled kernels in a folder.
func cacheIn(dir string) func() ([]string, error) {
	return func() ([]string, error) {
		return []string{"POCL_KERNEL_CACHE=1", "POCL_CACHE_DIR=" + dir}, os.MkdirAll(dir, 0o777)
	}
}

// coldFigures are the times of lockstep's processes, and how many times as fast they are as the others.
func coldFigures(kernel, work string, starters []*starter) []Figure {
	var figures []Figure
	for _, own := range starters {
		if own.input == "" {
			continue
		}
		f := Figure{Table: coldTable, Name: kernel + ": " + own.name, Value: 1e3 * median(own.times).Seconds(), Unit: "ms",
			Detail: fmt.Sprintf("%s work-items, process start to result, the command line with %s", work, own.input)}
		if own.input == fromSource && kernel == coldKernels[0].name {
			f.Target = fmt.Sprintf("under %d", coldSourceTarget.Milliseconds())
			f.Verdict = verdict(median(own.times) < coldSourceTarget)
		}
		figures = append(figures, f)
		for _, s := range starters {
			if s.input != "" {
				continue
			}
			f := Figure{Table: coldTable, Name: fmt.Sprintf("%s: %s against %s", kernel, own.name, s.name),
				Value: median(ratios(s.times, own.times)), Unit: "times the speed",
				Detail: fmt.Sprintf("%s for an OpenCL program with the source", milliseconds(median(s.times).Seconds()))}
			if least := s.targets[own.input]; least > 0 {
				f.Target, f.Verdict = fmt.Sprintf("at least %g", least), verdict(f.Value >= least)
			}
			figures = append(figures, f)
		}
	}
	return figures
}

// command builds cmd/lockstep of the tree that this module belongs to, once.
func (c *comparison) command(ctx context.Context) (string, error) {
	if c.binary != "" {
		return c.binary, nil
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	c.binary, err = build(ctx, root, filepath.Join(c.dir, "lockstep.exe"), "./cmd/lockstep")
	return c.binary, err
}

// build builds a command of the module in dir.
func build(ctx context.Context, dir, binary, path string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, path)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building %s: %w", path, err)
	}
	return binary, nil
}
