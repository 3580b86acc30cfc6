package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

var runCommand = &command{
	name:  "run",
	args:  "MODULE",
	short: "run a kernel",
	long: `Runs a kernel of a SPIR-V module, binary or text, or of a compiled one (lockstep help
compile); - is standard input. One -arg for
each of the kernel's parameters, in order (` + "`lockstep help args`" + `); -out says what to
do with a buffer afterwards. What the kernel prints goes to standard output, what
lockstep finds to standard error, with exit status 1.

  lockstep run saxpy.spv -global 8 -arg f32:2 -arg iota:f32:8 -arg fill:f32:8:1 -out 2=-
  lockstep run scale.spv -global 1024 -local 64 -arg in:x.npy -arg zero:f32:1k -out 1=y.npy
`,
	setup: setupRun,
}

// runOptions are the flags of run.
type runOptions struct {
	kernel                string
	global, local, offset string
	args, outs, specs     *list
	schedule              string
	seed                  uint64
	parallel              string
	device                emu.DeviceOptions
	check                 bool
	timeout               time.Duration
	json, stats, verbose  bool
	keepMarks             bool
	trace, explain        string
	traceLimit            int
}

// deviceFlags declares the flags that shape a device.
func deviceFlags(f *flags, d *emu.DeviceOptions) {
	f.IntVar(&d.SubgroupSize, "subgroup", 0, "sub-groups of `N` lanes, a power of two from 1 to 128 (default 32)")
	f.IntVar(&d.WaveLanes, "wave", 0, "waves of `N` lanes, a multiple of the sub-group size; no kernel can see it\n(default: what suits the launch)")
	f.IntVar(&d.Workers, "workers", 0, "run on `N` CPUs at most; no kernel can see it (default: all)")
	f.IntVar(&d.DMAEngines, "dma-engines", 0, "`N` engines copy for a work-group at the same time (default 2)")
	f.IntVar(&d.DMAQueueDepth, "dma-queue", 0, "`N` copies can wait for each of them (default 16)")
	f.IntVar(&d.DMABytesPerStep, "dma-step", 0, "each moves `BYTES` a tick in the schedule paced (default 64)")
	f.StringVar(&d.Engine, "engine", "auto", "run on the engine `NAME`: "+strings.Join(emu.Engines(), ", "))
}

// keepMarksUsage explains -keep-marks of run and isa.
const keepMarksUsage = "leave out no async mark or wait, even where it makes no difference"

func setupRun(f *flags) func(context.Context, *Env, []string) error {
	o := &runOptions{}
	f.StringVar(&o.kernel, "kernel", "", "run the kernel `NAME` (default: the only one there is)")
	f.StringVar(&o.global, "global", "", "run `X[,Y[,Z]]` work-items")
	f.StringVar(&o.local, "local", "", "in work-groups of `X[,Y[,Z]]` work-items (default: what the module says, or suits)")
	f.StringVar(&o.offset, "offset", "", "add `X[,Y[,Z]]` to the global ids")
	o.args = f.list("arg", "the next argument is `SPEC`: see lockstep help args")
	o.outs = f.list("out", "write argument N afterwards to `N=PATH`: .npy keeps the type, other names get\nraw bytes, - prints the values")
	o.specs = f.list("spec", "set a specialization constant: `ID=VALUE`")
	deviceFlags(f, &o.device)
	f.Uint64Var(&o.device.LocalMemory, "lds", 0, "work-groups have `BYTES` of local memory (default 65536)")
	f.StringVar(&o.schedule, "schedule", "in-order", "work-groups run, and copies complete, in the order `NAME`: in-order, reverse, early,\nlate, paced, seeded or two of them as in reverse+late (lockstep help schedules)")
	f.Uint64Var(&o.seed, "seed", 0, "what is seeded is drawn from `N`")
	f.StringVar(&o.trace, "trace", "", "write a timeline to `FILE`, for Perfetto; - is standard output (lockstep help trace)")
	f.StringVar(&o.explain, "explain", "", "print `WHAT` happened when: async shows waves, copies, marks and waits\n(lockstep help trace)")
	f.IntVar(&o.traceLimit, "trace-limit", 0, "keep `N` events of a timeline at most (default 1000000)")
	f.BoolVar(&o.keepMarks, "keep-marks", false, keepMarksUsage+"\n(-check does so, too)")
	f.StringVar(&o.parallel, "parallel", "auto", "run work-groups at the same time `WHEN`: auto (where it cannot be seen),\nnever, or always, and then results may depend on who was faster")
	f.BoolVar(&o.check, "check", false, "look for more: see lockstep help codes")
	f.DurationVar(&o.timeout, "timeout", 0, "end a launch that takes longer than `DURATION`, as in 500ms or 1m30s")
	f.BoolVar(&o.json, "json", false, "print one JSON document instead of text")
	f.BoolVar(&o.stats, "stats", false, "print counters and times")
	f.BoolVar(&o.verbose, "v", false, "say on standard error what is run")
	return func(ctx context.Context, env *Env, args []string) error {
		path, err := one("run", args)
		if err != nil {
			return err
		}
		r, err := o.prepare(env, path)
		if err != nil {
			return err
		}
		r.launch.Reproduce = o.reproduce(f, path)
		return r.run(ctx, env)
	}
}

// run is a launch on its way from the command line to its report.
type run struct {
	o      *runOptions
	path   string
	dev    *emu.Device
	launch *emu.Launch
	args   []kernelArg
	outs   []output
}

// output is an -out.
type output struct {
	index int
	path  string
}

// program compiles a module, or takes a binary. keepMarks is -keep-marks; more
// may change the options.
func (m *module) program(env *Env, dev *emu.Device, command string, specs []string, keepMarks bool, more ...func(*emu.ProgramOptions)) (*emu.Program, error) {
	if m.file != nil {
		if len(specs) > 0 {
			return nil, m.compiledAlready(command, "spec")
		}
		return m.loadOn(env, dev)
	}
	opt := emu.ProgramOptions{Sources: sources(env, m.path), KeepMarks: keepMarks}
	if len(specs) > 0 {
		var err error
		if opt.SpecConstants, err = specConstants(m, specs); err != nil {
			return nil, err
		}
	}
	for _, set := range more {
		set(&opt)
	}
	p, err := dev.NewProgram(m.data, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	return p, nil
}

// maxSource bounds what is read of a source file, in bytes.
const maxSource = 16 << 20

// sources finds the source files that a module names, for the line in a
// finding: beside the module first. Only plain files are read.
func sources(env *Env, path string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		candidates := []string{name}
		if path != "-" && !filepath.IsAbs(name) {
			candidates = []string{filepath.ToSlash(filepath.Join(filepath.Dir(path), name)), name}
		}
		var firstErr error
		for _, c := range candidates {
			text, err := source(env, c)
			if err == nil {
				return text, nil
			}
			if firstErr == nil {
				firstErr = err
			}
		}
		return nil, firstErr
	}
}

func source(env *Env, path string) ([]byte, error) {
	info, err := env.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil, fmt.Errorf("%s: not a source file", path)
	}
	f, err := env.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSource))
}

// prepare does everything that can fail before the kernel runs.
func (o *runOptions) prepare(env *Env, path string) (*run, error) {
	r := &run{o: o, path: path, launch: &emu.Launch{Check: o.check, Timeout: o.timeout}}
	if err := o.sizes(&r.launch.Range); err != nil {
		return nil, err
	}
	if err := o.order(r.launch); err != nil {
		return nil, err
	}
	// What is wrong with the flags is said before a file is looked for.
	var err error
	if r.dev, err = emu.NewDevice(o.device); err != nil {
		return nil, usagef("help run", "run: %v", err)
	}
	m, err := load(env, path)
	if err != nil {
		return nil, err
	}
	if device := o.device; m.file != nil {
		m.forBinary(&device)
		if r.dev, err = emu.NewDevice(device); err != nil {
			return nil, usagef("help run", "run: %v", err)
		}
		if o.keepMarks {
			return nil, m.compiledAlready("run", "keep-marks")
		}
	}
	// With checks on, a finding can name the very mark that a wait should count.
	prog, err := m.program(env, r.dev, "run", *o.specs, o.keepMarks || o.check)
	if err != nil {
		return nil, err
	}
	if r.launch.Kernel, err = pick(path, prog, o.kernel); err != nil {
		return nil, err
	}
	if o.global == "" {
		return nil, usagef("help run", "run: how many work-items? -global X[,Y[,Z]] says it%s", signature(r.launch.Kernel.Params()))
	}
	if r.args, err = parseArgs(env, r.dev, r.launch.Kernel, *o.args); err != nil {
		return nil, err
	}
	for i := range r.args {
		r.launch.Args = append(r.launch.Args, r.args[i].arg)
	}
	if err := r.parseOuts(env); err != nil {
		return nil, err
	}
	if err := r.prepareTrace(env); err != nil {
		return nil, err
	}
	return r, nil
}

// sizes reads -global, -local and -offset. A missing -global is complained of
// later, when it is known what the kernel wants.
func (o *runOptions) sizes(r *emu.NDRange) error {
	for _, d := range []struct {
		flag, text string
		dst        *[]uint64
	}{
		{"global", o.global, &r.Global},
		{"local", o.local, &r.Local},
		{"offset", o.offset, &r.Offset},
	} {
		if d.text == "" {
			continue
		}
		dims, err := argspec.ParseDims(d.text)
		if err != nil {
			return usagef("help run", "run: -%s %v", d.flag, err)
		}
		if len(r.Global) > 0 && len(dims) != len(r.Global) {
			return usagef("help run", "run: -%s %s has %s, -global %s has %d",
				d.flag, d.text, counted(len(dims), "dimension"), o.global, len(r.Global))
		}
		*d.dst = dims
	}
	return nil
}

// order reads -schedule, -seed and -parallel.
func (o *runOptions) order(l *emu.Launch) error {
	schedule, err := emu.ParseSchedule(o.schedule, o.seed)
	if err != nil {
		return usagef("help schedules", "run: -schedule: %v", err)
	}
	if o.seed != 0 && !schedule.UsesSeed() {
		return usagef("help schedules", "run: -seed %d has a meaning with schedules that have seeded in them only", o.seed)
	}
	l.Schedule = schedule
	switch o.parallel {
	case "auto":
		l.Parallel = emu.ParallelAuto
	case "never":
		l.Parallel = emu.ParallelNever
	case "always":
		l.Parallel = emu.ParallelAlways
	default:
		return usagef("help run", "run: -parallel %s: it takes auto, never or always", o.parallel)
	}
	return nil
}

// pick returns the kernel of the given name, or the only one of the module.
func pick(path string, prog *emu.Program, name string) (*emu.Kernel, error) {
	names := prog.Kernels()
	refused := prog.ISA().Refused
	for _, r := range refused {
		names = append(names, r.Name)
	}
	if name == "" {
		switch len(names) {
		case 0:
			return nil, fmt.Errorf("%s has no kernel", display(path))
		case 1:
			name = names[0]
		default:
			return nil, usagef("help run", "run: %s has %d kernels; pick one with -kernel NAME: %s",
				display(path), len(names), printable(strings.Join(names, " ")))
		}
	}
	for _, r := range refused {
		if r.Name == name {
			return nil, fmt.Errorf("%s: kernel %s cannot be run: %w", display(path), printable(name), r.Reason)
		}
	}
	k, err := prog.Kernel(name)
	if err == nil {
		return k, nil
	}
	msg := fmt.Sprintf("%s has no kernel %q", display(path), name)
	if near := nearest(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, fmt.Errorf("%s\nkernels: %s", msg, printable(strings.Join(names, " ")))
}

// parseOuts reads the -out flags, and makes sure before a long run that their
// folders are there.
func (r *run) parseOuts(env *Env) error {
	params := r.launch.Kernel.Params()
	for _, text := range *r.o.outs {
		index, path, err := argspec.ParseOut(text)
		if err != nil {
			return usagef("help run", "run: -out %v", err)
		}
		if index >= len(r.args) {
			return usagef("help run", "run: -out %s: there is no argument %d; the kernel has %s, counted from 0",
				text, index, counted(len(r.args), "argument"))
		}
		if a := &r.args[index]; a.buffer == nil && a.image == nil {
			return usagef("help run", "run: -out %s: argument %d, %s, is no buffer or image", text, index, paramText(&params[index]))
		}
		if path != "-" {
			dir := filepath.Dir(path)
			if info, err := env.Stat(dir); err != nil || !info.IsDir() {
				return fmt.Errorf("-out %s: there is no folder %s", text, dir)
			}
		}
		r.outs = append(r.outs, output{index, path})
	}
	return nil
}

// reproduce is the command line of this run without what the schedule and the
// presentation add.
func (o *runOptions) reproduce(f *flags, path string) string {
	words := []string{"lockstep run", quote(path)}
	add := func(fl *flag.Flag) {
		switch v := fl.Value.(type) {
		case *list:
			for _, item := range *v {
				words = append(words, "-"+fl.Name, quote(item))
			}
		case interface{ IsBoolFlag() bool }:
			words = append(words, "-"+fl.Name)
		default:
			words = append(words, "-"+fl.Name, quote(v.String()))
		}
	}
	first := []string{"kernel", "global", "local", "offset", "arg"}
	skip := []string{"check", "schedule", "seed", "workers", "json", "stats", "v", "out", "trace", "trace-limit", "explain"}
	given := map[string]*flag.Flag{}
	f.Visit(func(fl *flag.Flag) { given[fl.Name] = fl })
	for _, name := range first {
		if fl := given[name]; fl != nil {
			add(fl)
		}
	}
	f.Visit(func(fl *flag.Flag) {
		if !slices.Contains(first, fl.Name) && !slices.Contains(skip, fl.Name) {
			add(fl)
		}
	})
	return strings.Join(words, " ")
}

// quote writes a word as a shell takes it.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// run runs the launch and reports.
func (r *run) run(ctx context.Context, env *Env) error {
	if r.o.verbose {
		r.describe(env.Stderr)
	}
	for i, p := range r.launch.Kernel.Params() {
		if note := r.args[i].note(&p); note != "" {
			fmt.Fprintln(env.Stderr, "lockstep: note:", note)
		}
	}
	if !r.o.json {
		r.launch.Output = r.output(env)
	}
	prints := r.launch.Kernel.Info().UsesPrintf && env.StdoutTerminal
	var p *progress
	if env.StderrTerminal && !prints {
		p = newProgress(env.Stderr, r.launch.Kernel.Name())
		r.launch.Progress = p.update
	}
	res, err := r.launch.Run(ctx)
	if p != nil {
		p.clear()
	}
	var found *emu.FindingsError
	if res == nil && ctx.Err() != nil {
		fmt.Fprintln(env.Stderr, "lockstep: cancelled before the kernel ran")
		return errFound
	}
	if err != nil && !errors.As(err, &found) {
		return explainLimit(err)
	}
	traceErr := r.writeTrace(env)
	if r.o.json {
		err = r.reportJSON(env, res)
	} else {
		err = r.report(env, res)
	}
	if err == nil {
		err = traceErr
	}
	if err == nil && (found != nil || r.o.check && len(res.Findings.Findings) > 0) {
		err = errFound
	}
	return err
}

// explainLimit names the flag that raises a limit.
func explainLimit(err error) error {
	var limit *emu.LimitError
	if errors.As(err, &limit) && limit.Option == "LocalMemory" {
		return fmt.Errorf("%s: %d %s needed, the limit is %d; -lds %d raises it", limit.What, limit.Need, limit.Unit, limit.Have, limit.Need)
	}
	return err
}

// describe says what is about to run.
func (r *run) describe(w io.Writer) {
	l := r.launch
	lim := r.dev.Limits()
	fmt.Fprintf(w, "kernel %s of %s on engine %s, sub-groups of %d\n", printable(l.Kernel.Name()), display(r.path), lim.Engine, lim.SubgroupSize)
	fmt.Fprintf(w, "  global %s", dims(l.Range.Global))
	if l.Range.Local != nil {
		fmt.Fprintf(w, ", local %s", dims(l.Range.Local))
	}
	if l.Range.Offset != nil {
		fmt.Fprintf(w, ", offset %s", dims(l.Range.Offset))
	}
	fmt.Fprintf(w, ", %s\n", l.Schedule.Name())
	for i, p := range l.Kernel.Params() {
		fmt.Fprintf(w, "  %d  %-32s  %s\n", i, paramText(&p), r.args[i].text)
	}
	info := l.Kernel.Info()
	if info.OrderDependent {
		fmt.Fprintln(w, "  work-groups can see each other's order: they run one after the other")
	}
	if info.LocalMemory > 0 || info.PrivateMemory > 0 {
		fmt.Fprintf(w, "  %s of local memory for a work-group, %d of private memory for a work-item\n", counted(info.LocalMemory, "byte"), info.PrivateMemory)
	}
}
