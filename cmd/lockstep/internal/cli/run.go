package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

var runCommand = &command{
	name:  "run",
	args:  "MODULE",
	short: "run a kernel, or several that pipes connect",
	long: `Runs a kernel. MODULE is OpenCL C (lockstep help opencl), a SPIR-V module, binary or
text, or a compiled one (lockstep help compile); - is standard input. One -arg for
each of the kernel's parameters, in order (` + "`lockstep help args`" + `); -out says what to
do with a buffer afterwards. What the kernel prints goes to standard output, what
lockstep finds to standard error, with exit status 1.

  lockstep run saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg fill:f32:8:1 -out 2=-
  lockstep run scale.cl -D N=4 -global 1024 -local 64 -arg in:x.npy -arg zero:f32:1k -out 1=y.npy

-with begins another kernel, which runs together with those before it (` + "`lockstep help\npipes`" + `). @FILE stands for the arguments in a file, with # for comments.

  lockstep run k.spv -pipe a=i32:16 -kernel source -global 1 -arg pipe:a \
    -with -kernel sink -global 1 -arg pipe:a
`,
	setup: setupRun,
}

// runOptions are the flags of run.
type runOptions struct {
	stage    int            // of the part that is read: the number of -then so far
	part     partOptions    // the part of the command line that is read now
	parts    []*partOptions // those that have been read
	pipes    *list
	buffers  *list
	schedule string
	seed     uint64
	parallel string
	device   emu.DeviceOptions
	limits   *list
	check    bool
	benign   bool
	keep     bool // going, after a fault
	timeout  time.Duration
	json     bool
	stats    statsFlag
	verbose  bool
	quiet    bool
	color    string

	again          bool // the launches run again and again, from the same arguments
	keepMarks      bool
	memory         string
	choices        string
	trace, explain string
	traceLimit     int
	sarif, report  string
	pictures       list
}

// deviceFlags declares the flags that shape a device.
func deviceFlags(f *flags, d *emu.DeviceOptions) {
	f.IntVar(&d.SubgroupSize, "subgroup", 0, "sub-groups of `N` lanes: 1, 2, 4, 8, 16, 32, 64 or 128 (default: what the kernel\nrequires, or 32)")
	f.IntVar(&d.WaveLanes, "wave", 0, "waves of `N` lanes, a multiple of the sub-group size; no kernel without\nraces can see it (default: a whole work-group, up to 1024, or what caches hold\nof a loop's registers; -stats says how many)")
	f.IntVar(&d.Workers, "workers", 0, "run on `N` CPUs at most; no kernel can see it (default 0: all)")
	machineFlags(f, d)
}

// machineFlags are those of deviceFlags that do not say how work-items are put together.
func machineFlags(f *flags, d *emu.DeviceOptions) {
	f.IntVar(&d.DMAEngines, "dma-engines", 0, "`N` engines copy for a work-group at the same time (default 2)")
	f.IntVar(&d.DMAQueueDepth, "dma-queue", 0, "`N` copies can wait for each of them (default 16)")
	f.IntVar(&d.DMABytesPerStep, "dma-step", 0, "each moves `BYTES` a tick in the schedule paced (default 64)")
	f.Uint64Var(&d.Poison, "poison", 0, "fill memory that nobody has written with a pattern of the seed `N`, instead of zeros, so\nthat programs show it which rely on zeros (default 0: zeros)")
	f.StringVar(&d.Engine, "engine", "auto", "run on the engine `NAME`: auto, interp, native or compare (lockstep help engines)")
}

// limitFlags declares the flags for the limits of a device.
func (o *runOptions) limitFlags(f *flags) {
	f.Uint64Var(&o.device.LocalMemory, "lds", 0, "work-groups have `BYTES` of local memory (default 65536)")
	o.limits = f.list("device", "set a limit of the device: `NAME=VALUE`, such as max-work-group-size=4096 or\nglobal-mem-size=8g; an unknown name lists all")
}

// keepMarksUsage explains -keep-marks of run and isa.
const keepMarksUsage = "leave out no async mark or wait, even where it makes no difference"

func setupRun(f *flags) func(context.Context, *Env, []string) error {
	f.compiler()
	o := &runOptions{}
	o.part.declare(f)
	o.part.declareRepeat(f)
	o.pipes = f.list("pipe", "make a pipe for kernels to share, with the argument pipe:NAME:\n`NAME=PACKET:CAPACITY[:SPEC]` (lockstep help pipes)")
	o.buffers = f.list("buffer", "make a buffer for kernels to share, with the argument buffer:NAME: `NAME=SPEC`")
	deviceFlags(f, &o.device)
	o.limitFlags(f)
	f.StringVar(&o.schedule, "schedule", "in-order", "work-groups run, and copies complete, in the order `NAME`: in-order, reverse, early,\nlate, paced, seeded or two of them as in reverse+late (lockstep help schedules)")
	f.Uint64Var(&o.seed, "seed", 0, "what is seeded is drawn from `N`")
	o.memoryFlag(f)
	f.StringVar(&o.choices, "choices", "", "make each access in the order, and with the `CHOICES`, that lockstep explore -exhaustive\nprints for an outcome (lockstep help memory)")
	f.StringVar(&o.trace, "trace", "", "write a timeline to `FILE`, for Perfetto; - is standard output (lockstep help trace)")
	f.StringVar(&o.explain, "explain", "", "show `WHAT`: async, when waves, copies and waits happened; pipes, what went through\npipes and who waited; memory, cache lines and bank conflicts; lanes,\nwhich lanes are active (lockstep help trace)")
	f.IntVar(&o.traceLimit, "trace-limit", 0, "keep `N` events of a timeline at most (default 1000000)")
	f.BoolVar(&o.keepMarks, "keep-marks", false, keepMarksUsage+"\n(-check does so, too)")
	f.StringVar(&o.parallel, "parallel", "auto", "run work-groups at the same time `WHEN`: auto (where it cannot be seen),\nnever, or always, and then results may depend on who was faster")
	f.BoolVar(&o.check, "check", false, "look for more: see lockstep help codes")
	f.BoolVar(&o.benign, "benign", false, "leave out data races between writes of the same value (with -check)")
	f.BoolVar(&o.keep, "keep-going", false, "run all work-groups also after a fault, and write what -out asks for, though it is\nhalf-finished (default: the first work-group with a fault ends the launch)")
	f.DurationVar(&o.timeout, "timeout", 0, "end the command after `DURATION`, as in 500ms or 1m30s, counted from its start:\ncompilation included (default 0: no limit)")
	f.BoolVar(&o.json, "json", false, "print one JSON document instead of text")
	f.StringVar(&o.sarif, "sarif", "", "write the findings to `FILE` as SARIF 2.1.0, for code scanning and editors;\n- is standard output")
	f.StringVar(&o.report, "report", "", "write a page to `FILE.html`: the source with counts by line, and the findings in it\n(lockstep help trace); - is standard output")
	f.Var(&o.pictures, "picture", "write a picture of the run: `KIND=FILE.svg`; kinds are work-items, timeline, lanes, idle,\nbytes, conflicts, banks and accesses (lockstep help trace)")
	f.Var(&o.stats, "stats", "print counters and times; -stats=lines prints counts by line of the source\ninstead (lockstep help stats)")
	f.BoolVar(&o.verbose, "v", false, "say on standard error what is run, and show the SPIR-V instructions of findings")
	f.BoolVar(&o.quiet, "q", false, "no notes, and each finding in one line")
	f.StringVar(&o.color, "color", "auto", "colours in findings `WHEN`: auto (on a terminal, unless NO_COLOR is set), always or never")
	f.Bool(withFlag, false, "another kernel, which runs together with those before: what follows of -kernel, -global,\n-local, -offset, -arg, -out, -spec, -repeat and MODULE is about it (lockstep help pipes)")
	f.Bool(thenFlag, false, "another kernel, as with -with, which runs when all those before have ended: it shares\nthe buffers of -buffer with them")
	f.parts = &parts{separators: []string{withFlag, thenFlag}, flags: partFlags(), located: "arg", end: o.endPart}
	return func(ctx context.Context, env *Env, _ []string) error {
		stdin := ""
		if f.stdin {
			stdin = "a file of arguments"
		}
		if o.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, env.started().Add(o.timeout))
			defer cancel()
		}
		r, err := o.prepare(ctx, env, stdin)
		if err != nil {
			return err
		}
		defer r.close()
		r.reproduce = o.reproduce(f)
		return r.execute(ctx, env)
	}
}

// run is a command on its way from the command line to its report.
type run struct {
	o         *runOptions
	dev       *emu.Device
	schedule  emu.Schedule
	parallel  emu.Parallel
	memory    emu.MemoryModel
	choices   *emu.Interleaving // nil without -choices
	launches  []*launch
	shared    map[string]*shared
	pipes     []*pipe // those of -pipe, and those of arguments' own
	outs      []*output
	trace     *trace.Recorder
	look      *emu.Look // nil with -q
	reproduce string
	inputs    map[string]string // files that are read, and as what
	stdin     string            // what reads standard input; "" when nothing does
	// explanation is the text of -explain for the document of -json.
	explanation bytes.Buffer
	// stageTraces are recorders of each stage, for an inspector of several; nil otherwise.
	stageTraces []*trace.Recorder
}

// program compiles a module, or takes a binary. keepMarks is -keep-marks; more
// may change the options.
func (m *module) program(ctx context.Context, env *Env, dev *emu.Device, command string, specs []string, keepMarks bool, more ...func(*emu.ProgramOptions)) (*emu.Program, error) {
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
	p, err := dev.NewProgramContext(ctx, m.data, opt)
	if err != nil {
		return nil, m.compileError(ctx, env, err)
	}
	return p, nil
}

// compileError returns the error of a command whose module could not be compiled, or not in time.
func (m *module) compileError(ctx context.Context, env *Env, err error) error {
	switch ended := ctx.Err(); {
	case ended == nil || !errors.Is(err, ended):
		return fmt.Errorf("%s: %w", m.name, err)
	case errors.Is(ended, context.DeadlineExceeded):
		fmt.Fprintf(env.Stderr, "lockstep: the time limit ended the compilation of %s (E-TIMEOUT)\n", m.name)
		return errTimeLimit
	default:
		fmt.Fprintf(env.Stderr, "lockstep: cancelled while %s was compiled (E-CANCELLED)\n", m.name)
	}
	return errFound
}

// bytecode compiles all kernels of a program.
func (m *module) bytecode(ctx context.Context, env *Env, p *emu.Program) (*isa.Program, error) {
	code, err := p.ISAContext(ctx)
	if err != nil {
		return nil, m.compileError(ctx, env, err)
	}
	return code, nil
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

// prepare does everything that can fail before the kernels run. stdin says what
// standard input was used for; "" for nothing.
func (o *runOptions) prepare(ctx context.Context, env *Env, stdin string) (_ *run, err error) {
	r := &run{o: o, stdin: stdin}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	parts, err := o.expand()
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		r.launches = append(r.launches, &launch{part: p, run: r, number: len(r.launches)})
	}
	for _, l := range r.launches {
		if err := l.in(l.part.sizes(&l.NDRange)); err != nil {
			return nil, err
		}
	}
	if err := r.order(); err != nil {
		return nil, err
	}
	if err := r.memoryModel(); err != nil {
		return nil, err
	}
	if err := o.setLimits(); err != nil {
		return nil, err
	}
	o.device.FixedSubgroups = o.device.SubgroupSize != 0
	if r.dev, err = emu.NewDevice(o.device); err != nil {
		return nil, usagef("help run", "run: %v", err)
	}
	if err := r.programs(ctx, env); err != nil {
		return nil, err
	}
	if err := r.makeShared(env); err != nil {
		return nil, err
	}
	for _, l := range r.launches {
		if err := l.in(l.parseArgs(env)); err != nil {
			return nil, err
		}
	}
	if err := r.unused(); err != nil {
		return nil, err
	}
	for _, l := range r.launches {
		if err := l.in(l.parseOuts(env)); err != nil {
			return nil, err
		}
	}
	if err := r.prepareTrace(env); err != nil {
		return nil, err
	}
	if err := o.checkPictures(); err != nil {
		return nil, err
	}
	return r, r.prepareFiles(env)
}

// close gives back what the command holds open.
func (r *run) close() {
	for _, p := range r.pipes {
		p.close()
	}
}

// order reads -schedule, -seed and -parallel.
func (r *run) order() error {
	o := r.o
	if !slices.Contains(colorModes, o.color) {
		return usagef("help run", "run: -color %s: it takes %s", o.color, "auto, always or never")
	}
	if o.quiet && o.verbose {
		return usagef("help run", "run: -q and -v contradict each other")
	}
	schedule, err := emu.ParseSchedule(o.schedule, o.seed)
	if err != nil {
		return usagef("help schedules", "run: -schedule: %v", err)
	}
	if o.seed != 0 && !schedule.UsesSeed() {
		return usagef("help schedules", "run: -seed %d has a meaning with schedules that have seeded in them only", o.seed)
	}
	r.schedule = schedule
	switch o.parallel {
	case "auto":
		r.parallel = emu.ParallelAuto
	case "never":
		r.parallel = emu.ParallelNever
	case "always":
		r.parallel = emu.ParallelAlways
	default:
		return usagef("help run", "run: -parallel %s: it takes auto, never or always", o.parallel)
	}
	if r.parallel == emu.ParallelAlways && slices.ContainsFunc(r.stages(), func(s []*launch) bool { return len(s) > 1 }) {
		return usagef("help run", "run: -parallel always is for one kernel; kernels that run together take turns")
	}
	return nil
}

// pick returns the kernel of the given name, or the only one of the module.
func pick(ctx context.Context, env *Env, path string, prog *emu.Program, name string) (*emu.Kernel, error) {
	names := prog.Kernels()
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
	if slices.Contains(names, name) {
		k, err := prog.KernelContext(ctx, name)
		var refused *emu.ModuleError
		switch {
		case err == nil:
			return k, nil
		case errors.As(err, &refused) && refused.Stage == "lower":
			return nil, fmt.Errorf("%s: kernel %s cannot be run: %w", display(path), printable(name), errors.Unwrap(refused.Err))
		}
		return nil, (&module{name: display(path)}).compileError(ctx, env, err)
	}
	msg := fmt.Sprintf("%s has no kernel %q", display(path), name)
	if near := nearest(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, fmt.Errorf("%s\nkernels: %s", msg, printable(strings.Join(names, " ")))
}

// outcome is what the kernels left behind besides memory.
type outcome struct {
	launches []*emu.Result // of each launch of the stages that ran
	failed   error         // of the first stage that had findings
	findings finding.List
	output   []byte
	dropped  uint64
	pipes    []emu.PipeUse
	duration time.Duration
}

// together says whether the kernels of a stage run as a set: there are several, or they have pipes.
func together(stage []*launch) bool { return len(stage) > 1 || stage[0].kernel.Info().UsesPipes }

// stages returns the launches that run together, in the order in which they run.
func (r *run) stages() [][]*launch {
	var list [][]*launch
	for i, l := range r.launches {
		if i == 0 || l.part.stage != r.launches[i-1].part.stage {
			list = append(list, nil)
		}
		last := &list[len(list)-1]
		*last = append(*last, l)
	}
	return list
}

// start runs the kernels, stage by stage, until one does not come to its end. There is no outcome when the
// first kernels did not start.
func (r *run) start(ctx context.Context, output io.Writer, update func(done, total uint64)) (*outcome, error) {
	var all *outcome
	for _, stage := range r.stages() {
		res, err := r.startStage(ctx, stage, output, update)
		if res == nil && all != nil && ctx.Err() != nil {
			return all, err
		}
		if res == nil {
			return nil, err
		}
		if all == nil {
			all = res
		} else {
			all.add(res)
		}
		if err != nil && !(r.o.keep && ctx.Err() == nil) {
			return all, err
		}
		all.failed = cmp.Or(all.failed, err)
	}
	return all, all.failed
}

// add adds the outcome of the next stage.
func (o *outcome) add(next *outcome) {
	o.launches = append(o.launches, next.launches...)
	o.findings.Findings = append(o.findings.Findings, next.findings.Findings...)
	o.findings.Omitted += next.findings.Omitted
	o.findings.Merge(next.findings.Partial)
	o.output = append(o.output, next.output...)
	o.dropped += next.dropped
	o.pipes = append(o.pipes, next.pipes...)
	o.duration += next.duration
}

// startStage runs the kernels of a stage. There is no outcome when they did not start.
func (r *run) startStage(ctx context.Context, stage []*launch, output io.Writer, update func(done, total uint64)) (*outcome, error) {
	o, rec := r.o, r.traceOf(stage[0].part.stage)
	var launches []emu.Launch
	for _, l := range stage {
		one := emu.Launch{Kernel: l.kernel, Range: l.NDRange}
		for i := range l.args {
			one.Args = append(one.Args, l.args[i].arg)
			if r.lastOut(l, i) {
				one.Reads = append(one.Reads, i)
			}
		}
		launches = append(launches, one)
	}
	if together(stage) {
		if r.memory != emu.MemorySequential || r.choices != nil {
			return nil, usagef("help memory", "run: -memory weak and -choices are for kernels that run alone and have no pipes")
		}
		set := emu.Set{Launches: launches, Schedule: r.schedule, Check: o.check, Benign: o.benign, KeepGoing: o.keep, Output: output, Progress: update, Look: r.look, Trace: rec, Reproduce: r.reproduce}
		res, err := set.Run(ctx)
		if res == nil {
			// The message about a single kernel does not mention sets.
			if below := errors.Unwrap(err); len(launches) == 1 && below != nil && strings.HasPrefix(err.Error(), "launch 0 of a set: ") {
				err = below
			}
			return nil, err
		}
		return &outcome{launches: res.Launches, findings: res.Findings, output: res.Output, dropped: res.OutputDropped, pipes: res.Pipes, duration: res.Duration}, err
	}
	l := &launches[0]
	l.Schedule, l.Parallel, l.Check, l.Benign, l.KeepGoing = r.schedule, r.parallel, o.check, o.benign, o.keep
	l.Output, l.Progress, l.Look, l.Trace, l.Reproduce = output, update, r.look, rec, r.reproduce
	r.model(l)
	res, err := l.Run(ctx)
	if res == nil {
		return nil, err
	}
	if r.choices != nil && r.choices.Err() != nil {
		return nil, usagef("help memory", "run: -choices: %v", r.choices.Err())
	}
	return &outcome{launches: []*emu.Result{res}, findings: res.Findings, output: res.Output, dropped: res.OutputDropped, duration: res.Duration}, err
}

// lastOut says whether an -out writes the buffer of argument i of a launch, and no later launch has it.
func (r *run) lastOut(l *launch, i int) bool {
	b := l.args[i].buffer
	if b == nil {
		return false
	}
	has := false
	for _, o := range r.outs {
		has = has || o.shared != nil && o.shared.buffer == b || o.launch != nil && o.launch.args[o.index].buffer == b
	}
	for _, later := range r.launches[slices.Index(r.launches, l)+1:] {
		has = has && !slices.ContainsFunc(later.args, func(a kernelArg) bool { return a.buffer == b })
	}
	return has
}

// endedEarly says that the context ended before a kernel began, and returns the error of the command.
func (r *run) endedEarly(ctx context.Context, env *Env) error {
	what := "the kernel"
	if len(r.launches) > 1 {
		what = "all kernels"
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		fmt.Fprintf(env.Stderr, "lockstep: the time limit ended the command before %s ran (E-TIMEOUT)\n", what)
		return errTimeLimit
	}
	fmt.Fprintf(env.Stderr, "lockstep: cancelled before %s ran (E-CANCELLED)\n", what)
	return errFound
}

// execute runs the kernels and reports.
func (r *run) execute(ctx context.Context, env *Env) error {
	prints := false
	for _, l := range r.launches {
		if r.o.verbose {
			l.describe(env.Stderr)
		}
		for i, p := range l.kernel.Params() {
			if note := l.args[i].note(&p); note != "" {
				if len(r.launches) > 1 {
					note = l.label() + ", " + note
				}
				r.note(env, "%s", note)
			}
		}
		prints = prints || l.kernel.Info().UsesPrintf
	}
	if name := r.raced(); name != "" && r.schedule.Order != emu.InOrder {
		r.note(env, "kernels that run together share buffer %s, and the schedule is %s: results may depend on their order", name, r.schedule.Name())
	}
	if err := r.startDrains(env); err != nil {
		return err
	}
	var output io.Writer
	if !r.o.json {
		output = r.output(env)
	}
	name := "kernel " + r.launches[0].kernel.Name()
	if n := len(r.launches); n > 1 {
		name = counted(n, "kernel")
	}
	p := newProgress(env.Stderr, name, env.StderrTerminal && !(prints && env.StdoutTerminal))
	p.stop = cmp.Or(env.noticeAfter, p.stop)
	var update func(done, total uint64)
	if !r.o.quiet {
		r.look = new(emu.Look)
		p.look, update = r.look, p.update
	}
	res, err := r.start(ctx, output, update)
	p.clear()
	var found *emu.FindingsError
	if err != nil && !errors.As(err, &found) {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return r.endedEarly(ctx, env)
		}
		if wrong := modelError("run", err); wrong != nil {
			return wrong
		}
		return explainLimit(err)
	}
	for _, l := range res.launches {
		if l.SequentialMemory {
			r.note(env, "the kernel writes more memory than -memory weak keeps old values of: the rest was sequential")
			break
		}
	}
	fileErr := cmp.Or(r.writeTrace(env), r.writeSARIF(env, res, found != nil || r.o.check && len(res.findings.Findings) > 0), r.writePage(env, res), r.writePictures(env, res))
	if r.o.json {
		err = r.reportJSON(env, res)
	} else {
		err = r.report(env, res)
	}
	r.inspected(env, res)
	if err == nil {
		err = fileErr
	}
	if err == nil && (found != nil || r.o.check && len(res.findings.Findings) > 0) {
		err = errFound
	}
	return err
}
