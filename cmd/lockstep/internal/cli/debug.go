package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugger"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

var debugCommand = &command{
	name:  "debug",
	args:  "MODULE",
	short: "run a kernel in a debugger, forwards and backwards",
	long: `Runs a kernel in a debugger, with the arguments of lockstep run. It stops before the first
instruction and reads commands, in the manner of gdb: break, next, step, print, watch,
reverse-continue and so on; ` + "`help`" + ` lists them, and the beginning of a name will do. All that the
debugger prints is plain text, one statement a line.

  lockstep debug saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg fill:f32:8:1
  lockstep debug saxpy.cl -global 8 -arg f32:2 -arg iota:f32:8 -arg fill:f32:8:1 -x commands -batch

The kernel is compiled so that all variables stay in memory, and runs on the reference engine, one
work-group after the other, in the order of -schedule. A wave is one sub-group unless -wave says
otherwise. OpenCL C is compiled with debug information (-g). Of modules with debug information
(OpenCL.DebugInfo.100, as clang -g and llvm-spirv make it) all variables are shown, of others those that
have names. What a compiler has optimized is shown as far as it says what is left: "<optimized out>"
stands for the rest. Such variables cannot be set.

-x reads commands from a file first, and -batch ends behind them. A command that cannot be carried out
ends a file. On a terminal, lines can be edited, earlier ones come back with the arrow keys, and Tab
completes commands and names; an interrupt stops a kernel that runs. The exit status is 1 when
something went wrong in the kernel or was found by -check, and 2 for wrong usage or a command of a
file that could not be carried out.

-check runs the kernel with checks first, on arguments of its own, and sets a breakpoint at the place
of each finding, for the work-items that it names: of a data race, for both sides.

Of binaries, those can be debugged that ` + "`lockstep compile -g`" + ` has made.

Kernels with pipes, and several kernels, run as with lockstep run: -with begins another one beside
those before, -then one behind them (lockstep help pipes). The debugger looks at the work-group whose
turn it is; ` + "`info kernels`" + ` lists the others, and ` + "`kernel NAME`" + ` looks at one. ` + "`info pipes`" + ` shows packets,
reservations and who waits, and ` + "`watch PIPE`" + ` stops when packets are written or read. The schedule and
-wave decide which reader gets a packet, as without a debugger; those drawn with -schedule seeded are
others, since the code is. Packets that the host takes while kernels run (-out) are written at the end.
`,
	setup: setupDebug,
}

// debugOptions are the flags of debug.
type debugOptions struct {
	runOptions
	scripts     *list
	batch       bool
	look        bool // -check: before the debugger begins
	checkpoints int
}

func setupDebug(f *flags) func(context.Context, *Env, []string) error {
	d := declareDebug(f)
	return func(ctx context.Context, env *Env, _ []string) error { return debugUsage(d.execute(ctx, env, f)) }
}

// declareDebug declares the flags of debug.
func declareDebug(f *flags) *debugOptions {
	f.compiler()
	d := &debugOptions{}
	o := &d.runOptions
	o.part.declare(f)
	o.part.declareRepeat(f)
	o.pipes = f.list("pipe", "make a pipe for kernels to share, with the argument pipe:NAME:\n`NAME=PACKET:CAPACITY[:SPEC]` (lockstep help pipes)")
	o.buffers = f.list("buffer", "make a buffer for kernels to share, with the argument buffer:NAME: `NAME=SPEC`")
	f.IntVar(&o.device.SubgroupSize, "subgroup", 0, "sub-groups of `N` lanes: 1, 2, 4, 8, 16, 32, 64 or 128 (default: what the kernel\nrequires, or 32)")
	f.IntVar(&o.device.WaveLanes, "wave", 0, "waves of `N` lanes, a multiple of the sub-group size (default: one sub-group)")
	machineFlags(f, &o.device)
	o.limitFlags(f)
	f.StringVar(&o.schedule, "schedule", "in-order", "work-groups run, and copies complete, in the order `NAME`: in-order, reverse, early,\nlate, paced, seeded or two of them as in reverse+late (lockstep help schedules)")
	f.Uint64Var(&o.seed, "seed", 0, "what is seeded is drawn from `N`")
	f.BoolVar(&o.keep, "keep-going", false, "go on with the next work-group behind a fault (default: a fault ends the launch)")
	f.BoolVar(&d.look, "check", false, "run with checks first, and set breakpoints where something was found")
	f.StringVar(&o.color, "color", "auto", "colours in errors of the compiler `WHEN`: auto, always or never")
	d.scripts = f.list("x", "read commands from `FILE` first; - is standard input")
	f.BoolVar(&d.batch, "batch", false, "end behind the commands of -x")
	f.IntVar(&d.checkpoints, "checkpoints", debug.DefaultCheckpoints>>20, "checkpoints for the way back may take `MIB` of memory (default 192)")
	o.parallel = "never"
	f.StringVar(&o.memory, "memory", "sequential", "what loads may return `MODEL`: sequential, what was stored last; a debugger knows no other")
	f.Bool(withFlag, false, "another kernel, which runs together with those before: what follows of -kernel, -global,\n-local, -offset, -arg, -out, -spec, -repeat and MODULE is about it (lockstep help pipes)")
	f.Bool(thenFlag, false, "another kernel, as with -with, which runs when all those before have ended: it shares\nthe buffers of -buffer with them")
	f.parts = &parts{separators: []string{withFlag, thenFlag}, flags: partFlags(), located: "arg", end: func(rest []string, from string, places []string, next string) error {
		return debugUsage(o.endPart(rest, from, places, next))
	}}
	return d
}

// debugUsage makes an error about the usage of run, whose flags these are, one of debug.
func debugUsage(err error) error {
	var usage *usageError
	if !errors.As(err, &usage) || !strings.HasPrefix(usage.msg, "run: ") {
		return err
	}
	help := usage.help
	if help == "help run" {
		help = "help debug"
	}
	return &usageError{"debug: " + strings.TrimPrefix(usage.msg, "run: "), help}
}

// parseDebug reads words as the arguments of lockstep debug, and leaves in env how sources are compiled.
func parseDebug(env *Env, args []string) (*debugOptions, error) {
	f := newFlags("debug")
	d := declareDebug(f)
	f.read = func(path string) ([]byte, error) { return readFile(env, path) }
	_, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return nil, usagef("help debug", "debug: -h is no argument of a launch")
	}
	if err == nil {
		err = f.source.check("debug")
	}
	if err != nil {
		return nil, debugUsage(err)
	}
	f.source.color = "never"
	env.source = f.source
	return d, nil
}

// debugged is a launch in a debugger.
type debugged struct {
	d       *debugOptions
	run     *run
	launch  *launch
	session *debug.Session
	found   finding.List // by -check
}

// open prepares the launch.
func (d *debugOptions) open(ctx context.Context, env *Env, stdin string) (_ *debugged, err error) {
	if d.checkpoints < 1 || d.checkpoints > 1<<20 {
		return nil, usagef("help debug", "debug: -checkpoints %d: it takes 1 to 1048576 MiB", d.checkpoints)
	}
	if model, err := emu.ParseMemoryModel(d.memory); err != nil {
		return nil, usagef("help debug", "debug: -memory: %v", err)
	} else if model == emu.MemoryWeak {
		return nil, usagef("help memory", "debug: -memory weak: a debugger steps code whose variables are in memory and goes back by "+
			"checkpoints, and neither knows the messages and views of the memory model; run and explore do")
	}
	if env.source != nil && env.source.frontEnd == ownFrontEnd {
		env.source.words = append(env.source.words, "-g")
	}
	x := &debugged{d: d}
	if d.look {
		if x.found, err = d.checked(ctx, env, stdin); err != nil {
			return nil, err
		}
	}
	if x.run, err = d.prepare(ctx, env, stdin); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			x.run.close()
		}
	}()
	x.launch = x.run.launches[0]
	if err = x.run.startDrains(env); err != nil {
		return nil, err
	}
	if x.session, err = debug.NewSets(ctx, x.sets(), debug.Options{Checkpoints: int64(d.checkpoints) << 20}); err != nil {
		return nil, explainLimit(err)
	}
	return x, nil
}

// sets returns the launches for the debugger, by stages.
func (x *debugged) sets() (sets []emu.Set) {
	for _, stage := range x.run.stages() {
		set := emu.Set{Schedule: x.run.schedule, KeepGoing: x.d.keep}
		for _, l := range stage {
			one := emu.Launch{Kernel: l.kernel, Range: l.NDRange}
			for i := range l.args {
				one.Args = append(one.Args, l.args[i].arg)
			}
			set.Launches = append(set.Launches, one)
		}
		sets = append(sets, set)
	}
	return sets
}

// finish writes what -out asks for, when the launch has come to its end; found says that something went wrong
// in it.
func (x *debugged) finish(env *Env, found bool) error {
	ended := x.session.Ended()
	if err := x.session.End(); err != nil {
		return err
	}
	if ended && (!found || x.d.keep) {
		return x.run.writeOuts(env, x.run.outs)
	}
	return nil
}

// close gives back what the launch holds.
func (x *debugged) close() {
	x.session.Close()
	x.run.close()
}

// execute prepares the launch and reads commands.
func (d *debugOptions) execute(ctx context.Context, env *Env, f *flags) error {
	stdin := ""
	if f.stdin {
		stdin = "a file of arguments"
	}
	x, err := d.open(ctx, env, stdin)
	if err != nil {
		return err
	}
	if env.Inspect != nil && env.Inspect.Debug != nil {
		defer x.run.close()
		env.Inspect.Debug(d.inspected(env, x.run, x.session, x.found))
		return nil
	}
	defer x.close()
	c := &debugger.Console{Session: x.session, Out: env.Stdout, Source: sources(env, x.launch.part.path)}
	c.Begin()
	if d.look {
		c.Expect(x.found)
	}
	if err = d.converse(ctx, env, x.run, c); err != nil {
		return err
	}
	if err = x.finish(env, c.Found); err == nil && (c.Found || len(x.found.Findings) > 0) {
		err = errFound
	}
	return err
}

// inspected is the session for an inspector.
func (d *debugOptions) inspected(env *Env, r *run, s *debug.Session, found finding.List) *Debugging {
	return &Debugging{
		Session: s, Kernel: r.launches[0].kernel, Found: found,
		Expect: func(w io.Writer) {
			if d.look {
				(&debugger.Console{Session: s, Out: w, Source: sources(env, r.launches[0].part.path)}).Expect(found)
			}
		},
		WriteOuts: func(w io.Writer) error { return r.printBuffers(w, s) },
	}
}

// printBuffers prints what -out asks for of the buffers of a session, which holds the device.
func (r *run) printBuffers(w io.Writer, s *debug.Session) error {
	printed := r.printed()
	for _, o := range r.outs {
		if o.path != "-" || o.launch == nil || o.pipe != nil {
			continue
		}
		name := o.launch.kernel.Params()[o.index].Name
		for _, b := range s.Buffers() {
			if b.Name != name || b.Pointer.Space() != memory.SpaceGlobal {
				continue
			}
			data, err := s.ReadMemory(b.Pointer, int(b.Bytes))
			if err != nil {
				return err
			}
			if len(printed) > 1 {
				fmt.Fprintln(w, o.called())
			}
			if err := argspec.Format(w, o.spec().Type, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// checked runs the launch with checks, on arguments of its own, and returns what was found.
func (d *debugOptions) checked(ctx context.Context, env *Env, stdin string) (finding.List, error) {
	d.check = true
	defer func() { d.check = false }()
	r, err := d.prepare(ctx, env, stdin)
	if err != nil {
		return finding.List{}, err
	}
	defer r.close()
	res, err := r.start(ctx, io.Discard, nil)
	if res == nil {
		return finding.List{}, err
	}
	return res.findings, nil
}

// converse reads commands, of files first.
func (d *debugOptions) converse(ctx context.Context, env *Env, r *run, c *debugger.Console) error {
	for _, path := range *d.scripts {
		in := env.Stdin
		if path != "-" {
			file, err := env.Open(path)
			if err != nil {
				return err
			}
			defer file.Close()
			in = file
		} else if err := r.claimStdin("-x -"); err != nil {
			return err
		}
		if quit, err := script(ctx, env, c, path, in); err != nil || quit {
			return err
		}
	}
	if d.batch {
		return nil
	}
	if env.Editor != nil {
		if read, ok := env.Editor(c.Complete); ok {
			return dialogue(ctx, env, c, read)
		}
	}
	if err := r.claimStdin("commands"); err != nil {
		return err
	}
	quit, err := script(ctx, env, c, "standard input", env.Stdin)
	_ = quit
	return err
}

// prompt is what stands before a command.
const prompt = "(lockstep) "

// script carries out the commands of a text, and shows them. It ends at the first that cannot be carried out.
func script(ctx context.Context, env *Env, c *debugger.Console, name string, in io.Reader) (quit bool, err error) {
	lines := bufio.NewScanner(io.LimitReader(in, maxSource))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		fmt.Fprintf(env.Stdout, "%s%s\n", prompt, line)
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		if quit, err := c.Do(ctx, line); err != nil || quit {
			if err != nil {
				err = usagef("help debug", "debug: %s, line %d: %v", display(name), n, err)
			}
			return quit, err
		}
	}
	return false, lines.Err()
}

// dialogue carries out what a person types. An interrupt stops a kernel that runs, and not the debugger.
func dialogue(ctx context.Context, env *Env, c *debugger.Console, read func() (string, error)) error {
	ctx = context.WithoutCancel(ctx)
	for {
		line, err := read()
		if err != nil {
			fmt.Fprintln(env.Stdout)
			return nil
		}
		running, stop := ctx, func() {}
		if env.Interrupts != nil {
			running, stop = env.Interrupts(ctx)
		}
		quit, err := c.Do(running, line)
		stop()
		if err != nil {
			fmt.Fprintf(env.Stdout, "%v\n", err)
		}
		if quit {
			return nil
		}
		if f, ok := env.Stdout.(interface{ Flush() error }); ok {
			_ = f.Flush()
		}
	}
}
