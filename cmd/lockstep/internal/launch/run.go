package launch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Command is lockstep run.
var Command = &cmdline.Command{
	Name:  "run",
	Args:  "MODULE",
	Short: "run a kernel, or several that pipes connect",
	Long: `Runs a kernel. MODULE is OpenCL C (lockstep help opencl), a SPIR-V module, binary or
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
	Setup: setupRun,
}

// Options are the flags of run.
type Options struct {
	stage    int            // of the part that is read: the number of -then so far
	Part     partOptions    // the part of the command line that is read now
	Parts    []*partOptions // those that have been read
	Pipes    *cmdline.List
	Buffers  *cmdline.List
	Schedule string
	Seed     uint64
	Parallel string
	Device   emu.DeviceOptions
	limits   *cmdline.List
	Check    bool
	Benign   bool
	Keep     bool // going, after a fault
	Timeout  time.Duration
	JSON     bool
	stats    statsFlag
	Verbose  bool
	Quiet    bool
	Color    string

	Again          bool // the launches run again and again, from the same arguments
	KeepMarks      bool
	Memory         string
	choices        string
	trace, explain string
	traceLimit     int
	sarif, report  string
	pictures       cmdline.List
}

// DeviceFlags declares the flags that shape a device.
func DeviceFlags(f *cmdline.Flags, d *emu.DeviceOptions) {
	f.IntVar(&d.SubgroupSize, "subgroup", 0, "sub-groups of `N` lanes: 1, 2, 4, 8, 16, 32, 64 or 128 (default: what the kernel\nrequires, or 32)")
	f.IntVar(&d.WaveLanes, "wave", 0, "waves of `N` lanes, a multiple of the sub-group size; no kernel without\nraces can see it (default: a whole work-group, up to 1024, or what caches hold\nof a loop's registers; -stats says how many)")
	f.IntVar(&d.Workers, "workers", 0, "run on `N` CPUs at most; no kernel can see it (default 0: all)")
	MachineFlags(f, d)
}

// MachineFlags are those of DeviceFlags that do not say how work-items are put together.
func MachineFlags(f *cmdline.Flags, d *emu.DeviceOptions) {
	f.IntVar(&d.DMAEngines, "dma-engines", 0, "`N` engines copy for a work-group at the same time (default 2)")
	f.IntVar(&d.DMAQueueDepth, "dma-queue", 0, "`N` copies can wait for each of them (default 16)")
	f.IntVar(&d.DMABytesPerStep, "dma-step", 0, "each moves `BYTES` a tick in the schedule paced (default 64)")
	f.Uint64Var(&d.Poison, "poison", 0, "fill memory that nobody has written with a pattern of the seed `N`, instead of zeros, so\nthat programs show it which rely on zeros (default 0: zeros)")
	f.StringVar(&d.Engine, "engine", "auto", "run on the engine `NAME`: auto, interp, native or compare (lockstep help engines)")
}

// LimitFlags declares the flags for the limits of a device.
func (o *Options) LimitFlags(f *cmdline.Flags) {
	f.Uint64Var(&o.Device.LocalMemory, "lds", 0, "work-groups have `BYTES` of local memory (default 65536)")
	o.limits = f.List("device", "set a limit of the device: `NAME=VALUE`, such as max-work-group-size=4096 or\nglobal-mem-size=8g; an unknown name lists all")
}

func setupRun(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
	f.Compiler()
	o := &Options{}
	o.Part.Declare(f)
	o.Part.DeclareRepeat(f)
	o.Pipes = f.List("pipe", "make a pipe for kernels to share, with the argument pipe:NAME:\n`NAME=PACKET:CAPACITY[:SPEC]` (lockstep help pipes)")
	o.Buffers = f.List("buffer", "make a buffer for kernels to share, with the argument buffer:NAME: `NAME=SPEC`")
	DeviceFlags(f, &o.Device)
	o.LimitFlags(f)
	f.StringVar(&o.Schedule, "schedule", "in-order", "work-groups run, and copies complete, in the order `NAME`: in-order, reverse, early,\nlate, paced, seeded or two of them as in reverse+late (lockstep help schedules)")
	f.Uint64Var(&o.Seed, "seed", 0, "what is seeded is drawn from `N`")
	o.MemoryFlag(f)
	f.StringVar(&o.choices, "choices", "", "make each access in the order, and with the `CHOICES`, that lockstep explore -exhaustive\nprints for an outcome (lockstep help memory)")
	f.StringVar(&o.trace, "trace", "", "write a timeline to `FILE`, for Perfetto; - is standard output (lockstep help trace)")
	f.StringVar(&o.explain, "explain", "", "show `WHAT`: async, when waves, copies and waits happened; pipes, what went through\npipes and who waited; memory, cache lines and bank conflicts; lanes,\nwhich lanes are active (lockstep help trace)")
	f.IntVar(&o.traceLimit, "trace-limit", 0, "keep `N` events of a timeline at most (default 1000000)")
	f.BoolVar(&o.KeepMarks, "keep-marks", false, loader.KeepMarksUsage+"\n(-check does so, too)")
	f.StringVar(&o.Parallel, "parallel", "auto", "run work-groups at the same time `WHEN`: auto (where it cannot be seen),\nnever, or always, and then results may depend on who was faster")
	f.BoolVar(&o.Check, "check", false, "look for more: see lockstep help codes")
	f.BoolVar(&o.Benign, "benign", false, "leave out data races between writes of the same value (with -check)")
	f.BoolVar(&o.Keep, "keep-going", false, "run all work-groups also after a fault, and write what -out asks for, though it is\nhalf-finished (default: the first work-group with a fault ends the launch)")
	f.DurationVar(&o.Timeout, "timeout", 0, "end the command after `DURATION`, as in 500ms or 1m30s, counted from its start:\ncompilation included (default 0: no limit)")
	f.BoolVar(&o.JSON, "json", false, "print one JSON document instead of text")
	f.StringVar(&o.sarif, "sarif", "", "write the findings to `FILE` as SARIF 2.1.0, for code scanning and editors;\n- is standard output")
	f.StringVar(&o.report, "report", "", "write a page to `FILE.html`: the source with counts by line, and the findings in it\n(lockstep help trace); - is standard output")
	f.Var(&o.pictures, "picture", "write a picture of the run: `KIND=FILE.svg`; kinds are work-items, timeline, lanes, idle,\nbytes, conflicts, banks and accesses (lockstep help trace)")
	f.Var(&o.stats, "stats", "print counters and times; -stats=lines prints counts by line of the source\ninstead (lockstep help stats)")
	f.BoolVar(&o.Verbose, "v", false, "say on standard error what is run, and show the SPIR-V instructions of findings")
	f.BoolVar(&o.Quiet, "q", false, "no notes, and each finding in one line")
	f.StringVar(&o.Color, "color", "auto", "colours in findings `WHEN`: auto (on a terminal, unless NO_COLOR is set), always or never")
	f.Bool(cmdline.WithFlag, false, "another kernel, which runs together with those before: what follows of -kernel, -global,\n-local, -offset, -arg, -out, -spec, -repeat and MODULE is about it (lockstep help pipes)")
	f.Bool(cmdline.ThenFlag, false, "another kernel, as with -with, which runs when all those before have ended: it shares\nthe buffers of -buffer with them")
	f.Parts = &cmdline.Parts{Separators: []string{cmdline.WithFlag, cmdline.ThenFlag}, Flags: PartFlags(), Located: "arg", End: o.EndPart}
	return func(ctx context.Context, env *cmdline.Env, _ []string) error {
		stdin := ""
		if f.Stdin {
			stdin = "a file of arguments"
		}
		if o.Timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, env.StartTime().Add(o.Timeout))
			defer cancel()
		}
		r, err := o.Prepare(ctx, env, stdin)
		if err != nil {
			return err
		}
		defer r.Close()
		r.reproduce = o.reproduce(f)
		return r.execute(ctx, env)
	}
}

// Run is a command on its way from the command line to its report.
type Run struct {
	o         *Options
	Dev       *emu.Device
	Schedule  emu.Schedule
	parallel  emu.Parallel
	Memory    emu.MemoryModel
	choices   *emu.Interleaving // nil without -choices
	Launches  []*Launch
	shared    map[string]*shared
	Pipes     []*Pipe // those of -pipe, and those of arguments' own
	Outs      []*output
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

// Prepare does everything that can fail before the kernels run. stdin says what
// standard input was used for; "" for nothing.
func (o *Options) Prepare(ctx context.Context, env *cmdline.Env, stdin string) (_ *Run, err error) {
	r := &Run{o: o, stdin: stdin}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	parts, err := o.expand()
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		r.Launches = append(r.Launches, &Launch{Part: p, run: r, number: len(r.Launches)})
	}
	for _, l := range r.Launches {
		if err := l.in(l.Part.sizes(&l.NDRange)); err != nil {
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
	o.Device.FixedSubgroups = o.Device.SubgroupSize != 0
	if r.Dev, err = emu.NewDevice(o.Device); err != nil {
		return nil, cmdline.Usagef("help run", "run: %v", err)
	}
	if err := r.programs(ctx, env); err != nil {
		return nil, err
	}
	if err := r.makeShared(env); err != nil {
		return nil, err
	}
	for _, l := range r.Launches {
		if err := l.in(l.parseArgs(env)); err != nil {
			return nil, err
		}
	}
	if err := r.unused(); err != nil {
		return nil, err
	}
	for _, l := range r.Launches {
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

// Close gives back what the command holds open.
func (r *Run) Close() {
	for _, p := range r.Pipes {
		p.close()
	}
}

// order reads -schedule, -seed and -parallel.
func (r *Run) order() error {
	o := r.o
	if !slices.Contains(cmdline.ColorModes, o.Color) {
		return cmdline.Usagef("help run", "run: -color %s: it takes %s", o.Color, "auto, always or never")
	}
	if o.Quiet && o.Verbose {
		return cmdline.Usagef("help run", "run: -q and -v contradict each other")
	}
	schedule, err := emu.ParseSchedule(o.Schedule, o.Seed)
	if err != nil {
		return cmdline.Usagef("help schedules", "run: -schedule: %v", err)
	}
	if o.Seed != 0 && !schedule.UsesSeed() {
		return cmdline.Usagef("help schedules", "run: -seed %d has a meaning with schedules that have seeded in them only", o.Seed)
	}
	r.Schedule = schedule
	switch o.Parallel {
	case "auto":
		r.parallel = emu.ParallelAuto
	case "never":
		r.parallel = emu.ParallelNever
	case "always":
		r.parallel = emu.ParallelAlways
	default:
		return cmdline.Usagef("help run", "run: -parallel %s: it takes auto, never or always", o.Parallel)
	}
	if r.parallel == emu.ParallelAlways && slices.ContainsFunc(r.Stages(), func(s []*Launch) bool { return len(s) > 1 }) {
		return cmdline.Usagef("help run", "run: -parallel always is for one kernel; kernels that run together take turns")
	}
	return nil
}

// outcome is what the kernels left behind besides memory.
type outcome struct {
	launches []*emu.Result // of each launch of the stages that ran
	failed   error         // of the first stage that had findings
	Findings finding.List
	output   []byte
	dropped  uint64
	pipes    []emu.PipeUse
	duration time.Duration
}

// together says whether the kernels of a stage run as a set: there are several, or they have pipes.
func together(stage []*Launch) bool { return len(stage) > 1 || stage[0].Kernel.Info().UsesPipes }

// Stages returns the launches that run together, in the order in which they run.
func (r *Run) Stages() [][]*Launch {
	var list [][]*Launch
	for i, l := range r.Launches {
		if i == 0 || l.Part.stage != r.Launches[i-1].Part.stage {
			list = append(list, nil)
		}
		last := &list[len(list)-1]
		*last = append(*last, l)
	}
	return list
}

// Start runs the kernels, stage by stage, until one does not come to its end. There is no outcome when the
// first kernels did not start.
func (r *Run) Start(ctx context.Context, output io.Writer, update func(done, total uint64)) (*outcome, error) {
	var all *outcome
	for _, stage := range r.Stages() {
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
		if err != nil && !(r.o.Keep && ctx.Err() == nil) {
			return all, err
		}
		all.failed = cmp.Or(all.failed, err)
	}
	return all, all.failed
}

// add adds the outcome of the next stage.
func (o *outcome) add(next *outcome) {
	o.launches = append(o.launches, next.launches...)
	o.Findings.Findings = append(o.Findings.Findings, next.Findings.Findings...)
	o.Findings.Omitted += next.Findings.Omitted
	o.Findings.Merge(next.Findings.Partial)
	o.output = append(o.output, next.output...)
	o.dropped += next.dropped
	o.pipes = append(o.pipes, next.pipes...)
	o.duration += next.duration
}

// startStage runs the kernels of a stage. There is no outcome when they did not start.
func (r *Run) startStage(ctx context.Context, stage []*Launch, output io.Writer, update func(done, total uint64)) (*outcome, error) {
	o, rec := r.o, r.traceOf(stage[0].Part.stage)
	var launches []emu.Launch
	for _, l := range stage {
		one := emu.Launch{Kernel: l.Kernel, Range: l.NDRange}
		for i := range l.Args {
			one.Args = append(one.Args, l.Args[i].Arg)
			if r.lastOut(l, i) {
				one.Reads = append(one.Reads, i)
			}
		}
		launches = append(launches, one)
	}
	if together(stage) {
		if r.Memory != emu.MemorySequential || r.choices != nil {
			return nil, cmdline.Usagef("help memory", "run: -memory weak and -choices are for kernels that run alone and have no pipes")
		}
		set := emu.Set{Launches: launches, Schedule: r.Schedule, Check: o.Check, Benign: o.Benign, KeepGoing: o.Keep, Output: output, Progress: update, Look: r.look, Trace: rec, Reproduce: r.reproduce}
		res, err := set.Run(ctx)
		if res == nil {
			// The message about a single kernel does not mention sets.
			if below := errors.Unwrap(err); len(launches) == 1 && below != nil && strings.HasPrefix(err.Error(), "launch 0 of a set: ") {
				err = below
			}
			return nil, err
		}
		return &outcome{launches: res.Launches, Findings: res.Findings, output: res.Output, dropped: res.OutputDropped, pipes: res.Pipes, duration: res.Duration}, err
	}
	l := &launches[0]
	l.Schedule, l.Parallel, l.Check, l.Benign, l.KeepGoing = r.Schedule, r.parallel, o.Check, o.Benign, o.Keep
	l.Output, l.Progress, l.Look, l.Trace, l.Reproduce = output, update, r.look, rec, r.reproduce
	r.model(l)
	res, err := l.Run(ctx)
	if res == nil {
		return nil, err
	}
	if r.choices != nil && r.choices.Err() != nil {
		return nil, cmdline.Usagef("help memory", "run: -choices: %v", r.choices.Err())
	}
	return &outcome{launches: []*emu.Result{res}, Findings: res.Findings, output: res.Output, dropped: res.OutputDropped, duration: res.Duration}, err
}

// lastOut says whether an -out writes the buffer of argument i of a launch, and no later launch has it.
func (r *Run) lastOut(l *Launch, i int) bool {
	b := l.Args[i].Buffer
	if b == nil {
		return false
	}
	has := false
	for _, o := range r.Outs {
		has = has || o.shared != nil && o.shared.Buffer == b || o.Launch != nil && o.Launch.Args[o.Index].Buffer == b
	}
	for _, later := range r.Launches[slices.Index(r.Launches, l)+1:] {
		has = has && !slices.ContainsFunc(later.Args, func(a KernelArg) bool { return a.Buffer == b })
	}
	return has
}

// EndedEarly says that the context ended before a kernel began, and returns the error of the command.
func (r *Run) EndedEarly(ctx context.Context, env *cmdline.Env) error {
	what := "the kernel"
	if len(r.Launches) > 1 {
		what = "all kernels"
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		fmt.Fprintf(env.Stderr, "lockstep: the time limit ended the command before %s ran (E-TIMEOUT)\n", what)
		return cmdline.ErrTimeLimit
	}
	fmt.Fprintf(env.Stderr, "lockstep: cancelled before %s ran (E-CANCELLED)\n", what)
	return cmdline.ErrFound
}

// execute runs the kernels and reports.
func (r *Run) execute(ctx context.Context, env *cmdline.Env) error {
	prints := false
	for _, l := range r.Launches {
		if r.o.Verbose {
			l.describe(env.Stderr)
		}
		for i, p := range l.Kernel.Params() {
			if note := l.Args[i].note(&p); note != "" {
				if len(r.Launches) > 1 {
					note = l.Label() + ", " + note
				}
				r.Note(env, "%s", note)
			}
		}
		prints = prints || l.Kernel.Info().UsesPrintf
	}
	if name := r.raced(); name != "" && r.Schedule.Order != emu.InOrder {
		r.Note(env, "kernels that run together share buffer %s, and the schedule is %s: results may depend on their order", name, r.Schedule.Name())
	}
	if err := r.StartDrains(env); err != nil {
		return err
	}
	var output io.Writer
	if !r.o.JSON {
		output = r.output(env)
	}
	name := "kernel " + r.Launches[0].Kernel.Name()
	if n := len(r.Launches); n > 1 {
		name = cmdline.Counted(n, "kernel")
	}
	p := newProgress(env.Stderr, name, env.StderrTerminal && !(prints && env.StdoutTerminal))
	p.stop = cmp.Or(env.NoticeAfter, p.stop)
	var update func(done, total uint64)
	if !r.o.Quiet {
		r.look = new(emu.Look)
		p.look, update = r.look, p.update
	}
	res, err := r.Start(ctx, output, update)
	p.clear()
	var found *emu.FindingsError
	if err != nil && !errors.As(err, &found) {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return r.EndedEarly(ctx, env)
		}
		if wrong := ModelError("run", err); wrong != nil {
			return wrong
		}
		return ExplainLimit(err)
	}
	for _, l := range res.launches {
		if l.SequentialMemory {
			r.Note(env, "the kernel writes more memory than -memory weak keeps old values of: the rest was sequential")
			break
		}
	}
	fileErr := cmp.Or(r.writeTrace(env), r.writeSARIF(env, res, found != nil || r.o.Check && len(res.Findings.Findings) > 0), r.writePage(env, res), r.writePictures(env, res))
	if r.o.JSON {
		err = r.reportJSON(env, res)
	} else {
		err = r.report(env, res)
	}
	r.inspected(env, res)
	if err == nil {
		err = fileErr
	}
	if err == nil && (found != nil || r.o.Check && len(res.Findings.Findings) > 0) {
		err = cmdline.ErrFound
	}
	return err
}
