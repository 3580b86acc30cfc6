package explorecmd

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/batch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/explore"
)

// Command is lockstep explore.
var Command = &cmdline.Command{
	Name:  "explore",
	Args:  "MODULE",
	Short: "run kernels in many legal orders, and say whether they agree",
	Text:  true,
	Long: `Runs one launch again and again, each time from the same memory, under schedules that
OpenCL allows: sub-group sizes that the kernel allows, wave widths, orders of work-groups and
waves (in order, in reverse, drawn from seeds), and times at which asynchronous copies
complete. All runs agree when they leave the same bytes in all buffers and program-scope
variables, the same output of printf and the same findings. Where they do not, the kernel has
a race, or relies on what it should require, such as a sub-group size.

  lockstep explore scale.cl -global 1024 -local 64 -arg in:x.npy -arg zero:f32:1k
  lockstep explore scale.cl -global 1024 -arg in:x.npy -arg zero:f32:1k -runs 1000 -subgroup 32

It takes what lockstep run takes for one kernel, or for kernels that run together (-with; what
pipes hold in the end counts as memory does), and prints each distinct outcome with the number of
runs and a command line of lockstep run that makes it. Then it says where the first two outcomes
part: the element of memory that differs, its two values, and the stores that wrote these (of all
elements that differ in the end, the one that got its last value first); and the first access at
which they part: each work-item makes the same accesses with the same values up to some access,
and of those it is the one that came first. -out is written when all runs agree.

Of the output of printf, the text of each work-item counts, but neither the order of the
work-items nor which of them printed it: OpenCL leaves that open. Findings count by their code
and their place in the source. After a fault memory is half-finished: then the findings alone
count. The first run is that of lockstep run without flags; the others are spread over all
values of -subgroup, -wave and -schedule, and every second one is drawn from a seed. The same
flags give the same runs and the same report with any number of -jobs.

-exhaustive is for small launches, of up to 64 work-items: it runs all interleavings of single
accesses to global and local memory by single work-items, but only one of those that are
equivalent because steps that do not depend on each other have changed places (source-DPOR:
Abdulla, Aronis, Jonsson and Sagonas, POPL 2014). So it proves that there are no other outcomes
under sequential consistency; with -memory weak, under the memory model of OpenCL, as far as
lockstep help memory describes it: then it tries what loads may return, too. Each outcome comes
with a command of lockstep run that makes it, by -choices. Sub-groups have one work-item.
-runs N then ends it after N interleavings (default 1048576), and -max-steps leaves
interleavings that do not end, as of a loop that waits; the exit status is then 1. -check does
not look for races then.

Runs are independent of each other, so that shards (-shard) can run on different machines and
a killed command goes on where it was (-resume); lockstep merge puts shards together. The exit
status is 0 when all runs agree and have no findings, 1 when not, or when not all runs were
made, and 2 for wrong usage.
`,
	Setup: setupExplore,
}

// exploreOptions are the flags of explore.
type exploreOptions struct {
	run                   launch.Options
	runs, jobs            int
	seed                  uint64
	subgroup, wave, order string
	exhaustive            bool
	steps                 int
	sweep                 batch.SweepOptions
	batch.Forms
	verbose, quiet bool
}

// exploring are the flags that lockstep run does not have, or that say what it is told with each
// configuration.
var exploring = append(slices.Clone(launch.Presentation), "junit", "html", "runs", "jobs", "subgroup", "wave", "timeout", "shard", "resume", "exhaustive", "max-steps")

func setupExplore(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
	f.Compiler()
	e := &exploreOptions{}
	o := &e.run
	o.Again = true
	o.Part.Declare(f)
	o.Part.DeclareRepeat(f)
	o.Pipes = f.List("pipe", "make a pipe for kernels to share, with the argument pipe:NAME:\n`NAME=PACKET:CAPACITY[:SPEC]` (lockstep help pipes)")
	o.Buffers = f.List("buffer", "make a buffer for several arguments, with the argument buffer:NAME: `NAME=SPEC`")
	f.IntVar(&e.runs, "runs", 64, "make `N` runs, or fewer where there are no more configurations")
	f.Uint64Var(&e.seed, "seed", 0, "seeds count on from `N`")
	f.StringVar(&e.subgroup, "subgroup", "", "only sub-groups of `N[,…]` lanes (default: all that the kernel allows)")
	f.StringVar(&e.wave, "wave", "", "only waves of `N[,…]` lanes, made multiples of the sub-group size; 0 is what suits\n(default: from one sub-group to a whole work-group)")
	f.StringVar(&e.order, "schedule", "", "only the schedules `NAME[,…]` (lockstep help schedules; default: all)")
	f.IntVar(&e.jobs, "jobs", 0, "make `N` runs at the same time (default: one for each CPU)")
	launch.MachineFlags(f, &o.Device)
	o.LimitFlags(f)
	o.MemoryFlag(f)
	f.BoolVar(&o.KeepMarks, "keep-marks", false, loader.KeepMarksUsage+"\n(-check does so, too)")
	f.BoolVar(&o.Check, "check", false, "look for more in each run: see lockstep help codes")
	f.BoolVar(&o.Benign, "benign", false, "leave out data races between writes of the same value (with -check)")
	f.BoolVar(&o.Keep, "keep-going", false, "run all work-groups also after a fault")
	f.DurationVar(&o.Timeout, "timeout", 0, "end the command after `DURATION`, as in 500ms or 1m30s, and report what is known then\n(default 0: no limit)")
	f.BoolVar(&e.exhaustive, "exhaustive", false, "run all interleavings of a small launch, up to equivalence: see above")
	f.IntVar(&e.steps, "max-steps", 0, "with -exhaustive, leave an interleaving after `N` accesses (default 2000)")
	e.sweep.Declare(f, "runs")
	e.Forms.Declare(f)
	f.BoolVar(&e.verbose, "v", false, "print all outcomes, and the SPIR-V instructions of findings")
	f.BoolVar(&e.quiet, "q", false, "say how many outcomes there are, and no more")
	f.StringVar(&o.Color, "color", "auto", "colours in findings `WHEN`: auto (on a terminal, unless NO_COLOR is set), always or never")
	f.Bool(cmdline.WithFlag, false, "another kernel, which runs together with those before: see lockstep help pipes")
	f.Parts = &cmdline.Parts{Separators: []string{cmdline.WithFlag}, Flags: launch.PartFlags(), Located: "arg", End: func(rest []string, from string, places []string, next string) error {
		return exploreUsage(o.EndPart(rest, from, places, next))
	}}
	return func(ctx context.Context, env *cmdline.Env, _ []string) error {
		if o.Timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, env.StartTime().Add(o.Timeout))
			defer cancel()
		}
		if err := cmp.Or(e.Forms.Check("explore"), e.contradictions(f)); err != nil {
			return err
		}
		return exploreUsage(e.execute(ctx, env, f))
	}
}

// contradictions refuses flags that make no sense together.
func (e *exploreOptions) contradictions(f *cmdline.Flags) error {
	switch name := f.Given("subgroup", "wave", "schedule", "seed", "jobs", "engine", "keep-going", "shard", "resume"); {
	case e.exhaustive && name != "":
		return cmdline.Usagef("help explore", "explore: -exhaustive decides the order of all accesses itself, without -%s", name)
	case !e.exhaustive && f.Given("max-steps") != "":
		return cmdline.Usagef("help explore", "explore: -max-steps is for -exhaustive")
	case e.steps < 0:
		return cmdline.Usagef("help explore", "explore: -max-steps %d: it takes a number from 1", e.steps)
	}
	if e.exhaustive && f.Given("runs") == "" {
		e.runs = explore.DefaultExecutions
	}
	return nil
}

// exploreUsage makes an error about the usage of run, whose flags these are, one of explore.
func exploreUsage(err error) error {
	var usage *cmdline.UsageError
	if !errors.As(err, &usage) || !strings.HasPrefix(usage.Message, "run: ") {
		return err
	}
	help := usage.Help
	if help == "help run" {
		help = "help explore"
	}
	return &cmdline.UsageError{Message: "explore: " + strings.TrimPrefix(usage.Message, "run: "), Help: help}
}

// execute explores and reports.
func (e *exploreOptions) execute(ctx context.Context, env *cmdline.Env, f *cmdline.Flags) error {
	o := &e.run
	o.Schedule, o.Parallel = emu.InOrder.String(), "never"
	o.JSON, o.Quiet, o.Verbose = e.JSON, e.quiet, e.verbose
	switch {
	case e.runs < 1 || e.runs > 1<<30:
		return cmdline.Usagef("help explore", "explore: -runs %d: it takes 1 to %d", e.runs, 1<<30)
	case e.jobs < 0 || e.jobs > 4096:
		return cmdline.Usagef("help explore", "explore: -jobs %d: it takes 1 to 4096, or 0 for one for each CPU", e.jobs)
	case o.Device.Engine == "compare":
		return cmdline.Usagef("help explore", "explore: -engine compare is for lockstep run; explore compares schedules")
	}
	axes, err := e.axes()
	if err != nil {
		return err
	}
	if len(axes.sizes) == 1 {
		o.Device.SubgroupSize = axes.sizes[0]
	}
	stdin := ""
	if f.Stdin {
		stdin = "a file of arguments"
	}
	for _, p := range o.Parts {
		p.ShowOuts = true
	}
	r, err := o.Prepare(ctx, env, stdin)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, out := range r.Printed() {
		if e.JUnit || e.HTML {
			return cmdline.Usagef("help explore", "explore: %s and -out %s both want standard output; give -out a file", e.Forms.Flag(), out)
		}
	}
	x, err := newExploration(ctx, env, e, r, o.CommandLine(f, exploring))
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return r.EndedEarly(ctx, env)
	}
	if err != nil {
		return launch.ExplainLimit(err)
	}
	for _, l := range r.Launches {
		if slices.Contains(l.Global, 0) {
			r.Note(env, "%s: 0 work-items (-global %s): nothing runs", l.Label(), l.Part.Global)
		}
	}
	if e.exhaustive {
		return x.enumerate(ctx, env)
	}
	if err := axes.restrict(&x.space, kernelsText(x.kernels())); err != nil {
		return err
	}
	return x.execute(ctx, env)
}

// axes are what -subgroup, -wave and -schedule allow; nil is everything.
type axes struct {
	sizes, waves []int
	schedules    []emu.Schedule
}

// axes reads the three flags.
func (e *exploreOptions) axes() (a axes, err error) {
	if a.sizes, err = numbers("subgroup", e.subgroup, 1, 128); err != nil {
		return a, err
	}
	for _, n := range a.sizes {
		if n&(n-1) != 0 {
			return a, cmdline.Usagef("help explore", "explore: -subgroup %d: sizes are powers of two from 1 to 128", n)
		}
	}
	if a.waves, err = numbers("wave", e.wave, 0, 4096); err != nil || e.order == "" {
		return a, err
	}
	for name := range strings.SplitSeq(e.order, ",") {
		s, err := emu.ParseSchedule(strings.TrimSpace(name), 0)
		if err != nil {
			return a, cmdline.Usagef("help schedules", "explore: -schedule: %v", err)
		}
		if !slices.Contains(a.schedules, s) {
			a.schedules = append(a.schedules, s)
		}
	}
	return a, nil
}

// maxListed bounds the numbers of -subgroup and -wave.
const maxListed = 64

// numbers reads a list of different numbers, in rising order.
func numbers(flag, text string, least, most int) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var list []int
	for item := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil || n < least || n > most {
			return nil, cmdline.Usagef("help explore", "explore: -%s %s: %q is not a number from %d to %d", flag, text, item, least, most)
		}
		list = append(list, n)
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > maxListed {
		return nil, cmdline.Usagef("help explore", "explore: -%s: %d numbers; it takes %d at most", flag, len(list), maxListed)
	}
	return list, nil
}

// restrict leaves in a space what the flags allow.
func (a *axes) restrict(s *explore.Space, kernels string) error {
	if a.sizes != nil {
		kept := slices.DeleteFunc(slices.Clone(s.Subgroups), func(n int) bool { return !slices.Contains(a.sizes, n) })
		if len(kept) == 0 {
			return cmdline.Usagef("help explore", "explore: %s requires sub-groups of %s, and -subgroup does not have that", kernels, listed(s.Subgroups))
		}
		s.Subgroups, s.First = kept, s.FirstOf(kept)
	}
	if a.waves != nil {
		for _, n := range s.Subgroups {
			var list []int
			for _, w := range a.waves {
				list = append(list, (w+n-1)/n*n)
			}
			s.Waves[n] = slices.Compact(list)
		}
		if !slices.Contains(a.waves, 0) {
			s.First = nil
		}
	}
	if a.schedules == nil {
		return nil
	}
	s.Schedules, s.Seeded = nil, nil
	for _, one := range a.schedules {
		if one.UsesSeed() {
			s.Seeded = append(s.Seeded, one)
		} else {
			s.Schedules = append(s.Schedules, one)
		}
	}
	if !slices.Contains(a.schedules, emu.Schedule{}) {
		s.First = nil
	}
	return nil
}

// kernelsText is "kernel a", or "kernels a, b and c".
func kernelsText(names []string) string {
	var texts []string
	for _, name := range names {
		texts = append(texts, cmdline.Printable(name))
	}
	if len(texts) == 1 {
		return "kernel " + texts[0]
	}
	return "kernels " + cmdline.Enumerated(texts)
}

// listed writes numbers as "1, 2 and 4".
func listed(list []int) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, strconv.Itoa(n))
	}
	return cmdline.Enumerated(texts)
}

// exploration is explore on its way from the prepared launch to the report.
type exploration struct {
	*exploreOptions
	base     *launch.Run
	explorer *explore.Explorer
	space    explore.Space
	command  string // of lockstep run, without what chooses the configuration
	held     uint64 // bytes of the arguments
	mapped   []*emu.Buffer
	masters  map[*emu.Buffer][]byte // what buffers and images hold before the runs
	pictures map[*emu.Image][]byte
}

// newExploration makes an exploration of the launches of a prepared command.
func newExploration(ctx context.Context, env *cmdline.Env, e *exploreOptions, base *launch.Run, command string) (*exploration, error) {
	x := &exploration{exploreOptions: e, base: base, command: command}
	if err := x.hold(); err != nil {
		return nil, err
	}
	device := e.run.Device
	for _, l := range base.Launches {
		l.Module.ForBinary(&device)
	}
	quiet := *env // what ends compilation ends many at a time, and the report says so
	quiet.Stderr = io.Discard
	programs, members := x.members(&quiet)
	x.explorer = explore.New(explore.Subject{
		Device: device, Programs: programs, Launches: members, Args: x.arguments,
		Check: e.run.Check, Benign: e.run.Benign, KeepGoing: e.run.Keep, Memory: base.Memory, Reproduce: x.reproduce,
	})
	var err error
	if x.space, err = x.explorer.Space(ctx); errors.Is(err, explore.ErrSizes) {
		return nil, cmdline.Usagef("help explore", "explore: %v", err)
	}
	return x, err
}

// reproduce is the command line that runs a configuration.
func (x *exploration) reproduce(c explore.Config) string {
	return reproduced(x.command, c, x.run.Check)
}

// reproduced is the command line that runs a configuration: the first part of it is the same for all.
func reproduced(command string, c explore.Config, check bool) string {
	command += " " + c.Flags()
	if s, err := emu.ParseSchedule(c.Schedule, c.Seed); err == nil && s.Order == emu.InOrder {
		command += " -workers 1" // others never run at the same time
	}
	if check {
		command += " -check"
	}
	return command
}

// room returns how many runs may go on at the same time, for which the machine has memory.
func (x *exploration) room(jobs int) (int, error) {
	for ; ; jobs /= 2 {
		err := x.base.Dev.HostRoom("arguments of one run", uint64(jobs)*x.held)
		if err == nil || jobs <= 1 {
			return jobs, err
		}
	}
}

// execute makes the runs, looks for where outcomes part, and reports.
func (x *exploration) execute(ctx context.Context, env *cmdline.Env) error {
	plan := explore.NewPlan(x.space, x.runs, x.seed)
	j, err := x.sweep.Open(env, "explore", plan.Runs(), x.about(plan), x.work(plan))
	if err != nil {
		return err
	}
	known, err := RecordedRuns(j.Before)
	if err != nil {
		return errors.Join(err, j.Close())
	}
	jobs := x.jobs
	if jobs == 0 {
		jobs = x.base.Dev.Limits().Workers
	}
	if jobs, err = x.room(jobs); err != nil {
		return launch.ExplainLimit(errors.Join(err, j.Close()))
	}
	p := x.watch(env)
	report, err := x.explorer.Explore(ctx, plan, explore.Options{
		Jobs: jobs, Take: j.Shard.Has, Known: known.Runs, Outcomes: known.Outcomes, Progress: p.update,
		Record: func(run explore.Run, o *explore.Outcome) error { return recordRun(j, run, o) },
	})
	if report == nil {
		p.clear()
		if wrong := launch.ModelError("explore", err); wrong != nil {
			return errors.Join(wrong, j.Close())
		}
		return launch.ExplainLimit(errors.Join(err, j.Close()))
	}
	if report.Difference = known.Difference; err == nil {
		err = x.part(ctx, report, j)
	}
	p.clear()
	if cerr := j.Close(); cerr != nil {
		return cerr
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	doc := NewDocument(x.about(plan), j.Shard, report)
	doc.weak, doc.ended = x.base.Memory == emu.MemoryWeak, ctx.Err()
	return x.report(ctx, env, doc)
}

// part finds where outcomes part, and notes that in the journal, unless it has it.
func (x *exploration) part(ctx context.Context, report *explore.Report, j *batch.Journal) error {
	a, b := report.Comparable()
	if a == nil || report.Difference != nil && report.Difference.Runs == [2]explore.Run{a.First, b.First} {
		return nil
	}
	d, err := x.explorer.Part(ctx, a.First, b.First)
	if err != nil || d == nil {
		return err
	}
	report.Difference = d
	return j.Append(differenceRecord, d)
}

// watch returns what tells of the runs while they are made.
func (x *exploration) watch(env *cmdline.Env) *exploreProgress {
	p := &exploreProgress{w: env.Stderr, terminal: env.StderrTerminal, name: kernelsText(x.kernels())}
	if !x.quiet {
		p.start(cmp.Or(env.NoticeAfter, launch.StopAfter))
	}
	return p
}
