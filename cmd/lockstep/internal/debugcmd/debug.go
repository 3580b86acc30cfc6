package debugcmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugger"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Command is lockstep debug.
var Command = &cmdline.Command{
	Name:  "debug",
	Args:  "MODULE",
	Short: "run a kernel in a debugger, forwards and backwards",
	Long: `Runs a kernel in a debugger, with the arguments of lockstep run. It stops at the first line
and reads commands, in the manner of gdb: break, next, step, print, watch,
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
	Setup: setupDebug,
}

// Options are the flags of debug.
type Options struct {
	launch.Options
	Scripts     *cmdline.List
	Batch       bool
	Look        bool // -check: before the debugger begins
	checkpoints int
}

func setupDebug(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
	d := declareDebug(f)
	return func(ctx context.Context, env *cmdline.Env, _ []string) error { return Usage(d.execute(ctx, env, f)) }
}

// declareDebug declares the flags of debug.
func declareDebug(f *cmdline.Flags) *Options {
	f.Compiler()
	d := &Options{}
	o := &d.Options
	o.Part.Declare(f)
	o.Part.DeclareRepeat(f)
	o.Pipes = f.List("pipe", "make a pipe for kernels to share, with the argument pipe:NAME:\n`NAME=PACKET:CAPACITY[:SPEC]` (lockstep help pipes)")
	o.Buffers = f.List("buffer", "make a buffer for kernels to share, with the argument buffer:NAME: `NAME=SPEC`")
	f.IntVar(&o.Device.SubgroupSize, "subgroup", 0, "sub-groups of `N` lanes: 1, 2, 4, 8, 16, 32, 64 or 128 (default: what the kernel\nrequires, or 32)")
	f.IntVar(&o.Device.WaveLanes, "wave", 0, "waves of `N` lanes, a multiple of the sub-group size (default: one sub-group)")
	launch.MachineFlags(f, &o.Device)
	o.LimitFlags(f)
	f.StringVar(&o.Schedule, "schedule", "in-order", "work-groups run, and copies complete, in the order `NAME`: in-order, reverse, early,\nlate, paced, seeded or two of them as in reverse+late (lockstep help schedules)")
	f.Uint64Var(&o.Seed, "seed", 0, "what is seeded is drawn from `N`")
	f.BoolVar(&o.Keep, "keep-going", false, "go on with the next work-group behind a fault (default: a fault ends the launch)")
	f.BoolVar(&d.Look, "check", false, "run with checks first, and set breakpoints where something was found")
	f.StringVar(&o.Color, "color", "auto", "colours in errors of the compiler `WHEN`: auto, always or never")
	d.Scripts = f.List("x", "read commands from `FILE` first; - is standard input")
	f.BoolVar(&d.Batch, "batch", false, "end behind the commands of -x")
	f.IntVar(&d.checkpoints, "checkpoints", debug.DefaultCheckpoints>>20, "checkpoints for the way back may take `MIB` of memory (default 192)")
	o.Parallel = "never"
	f.StringVar(&o.Memory, "memory", "sequential", "what loads may return `MODEL`: sequential, what was stored last; a debugger knows no other")
	f.Bool(cmdline.WithFlag, false, "another kernel, which runs together with those before: what follows of -kernel, -global,\n-local, -offset, -arg, -out, -spec, -repeat and MODULE is about it (lockstep help pipes)")
	f.Bool(cmdline.ThenFlag, false, "another kernel, as with -with, which runs when all those before have ended: it shares\nthe buffers of -buffer with them")
	f.Parts = &cmdline.Parts{Separators: []string{cmdline.WithFlag, cmdline.ThenFlag}, Flags: launch.PartFlags(), Located: "arg", End: func(rest []string, from string, places []string, next string) error {
		return Usage(o.EndPart(rest, from, places, next))
	}}
	return d
}

// Usage makes an error about the usage of run, whose flags these are, one of debug.
func Usage(err error) error {
	var usage *cmdline.UsageError
	if !errors.As(err, &usage) || !strings.HasPrefix(usage.Message, "run: ") {
		return err
	}
	help := usage.Help
	if help == "help run" {
		help = "help debug"
	}
	return &cmdline.UsageError{Message: "debug: " + strings.TrimPrefix(usage.Message, "run: "), Help: help}
}

// Parse reads words as the arguments of lockstep debug, and leaves in env how sources are compiled.
func Parse(env *cmdline.Env, args []string) (*Options, error) {
	f := cmdline.NewFlags("debug")
	d := declareDebug(f)
	f.Read = func(path string) ([]byte, error) { return cmdline.ReadFile(env, path) }
	_, err := f.ParseWords(args)
	if errors.Is(err, cmdline.ErrHelp) {
		return nil, cmdline.Usagef("help debug", "debug: -h is no argument of a launch")
	}
	if err == nil {
		err = f.Source.Check("debug")
	}
	if err != nil {
		return nil, Usage(err)
	}
	f.Source.Color = "never"
	env.Source = f.Source
	return d, nil
}

// Debugged is a launch in a debugger.
type Debugged struct {
	d       *Options
	Run     *launch.Run
	Launch  *launch.Launch
	Session *debug.Session
	Found   finding.List // by -check
}

// Open prepares the launch.
func (d *Options) Open(ctx context.Context, env *cmdline.Env, stdin string) (_ *Debugged, err error) {
	if d.checkpoints < 1 || d.checkpoints > 1<<20 {
		return nil, cmdline.Usagef("help debug", "debug: -checkpoints %d: it takes 1 to 1048576 MiB", d.checkpoints)
	}
	if model, err := emu.ParseMemoryModel(d.Memory); err != nil {
		return nil, cmdline.Usagef("help debug", "debug: -memory: %v", err)
	} else if model == emu.MemoryWeak {
		return nil, cmdline.Usagef("help memory", "debug: -memory weak: a debugger steps code whose variables are in memory and goes back by "+
			"checkpoints, and neither knows the messages and views of the memory model; run and explore do")
	}
	if env.Source != nil && env.Source.FrontEnd == cmdline.OwnFrontEnd {
		env.Source.Words = append(env.Source.Words, "-g")
	}
	x := &Debugged{d: d}
	if d.Look {
		if x.Found, err = d.checked(ctx, env, stdin); err != nil {
			return nil, err
		}
	}
	if x.Run, err = d.Prepare(ctx, env, stdin); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			x.Run.Close()
		}
	}()
	x.Launch = x.Run.Launches[0]
	if err = x.Run.StartDrains(env); err != nil {
		return nil, err
	}
	if x.Session, err = debug.NewSets(ctx, x.sets(), debug.Options{Checkpoints: int64(d.checkpoints) << 20}); err != nil {
		return nil, launch.ExplainLimit(err)
	}
	return x, nil
}

// sets returns the launches for the debugger, by stages.
func (x *Debugged) sets() (sets []emu.Set) {
	for _, stage := range x.Run.Stages() {
		set := emu.Set{Schedule: x.Run.Schedule, KeepGoing: x.d.Keep}
		for _, l := range stage {
			one := emu.Launch{Kernel: l.Kernel, Range: l.NDRange}
			for i := range l.Args {
				one.Args = append(one.Args, l.Args[i].Arg)
			}
			set.Launches = append(set.Launches, one)
		}
		sets = append(sets, set)
	}
	return sets
}

// Finish writes what -out asks for, when the launch has come to its end; found says that something went wrong
// in it.
func (x *Debugged) Finish(env *cmdline.Env, found bool) error {
	ended := x.Session.Ended()
	if err := x.Session.End(); err != nil {
		return err
	}
	if ended && (!found || x.d.Keep) {
		return x.Run.WriteOuts(env, x.Run.Outs)
	}
	return nil
}

// Close gives back what the launch holds.
func (x *Debugged) Close() {
	x.Session.Close()
	x.Run.Close()
}

// execute prepares the launch and reads commands.
func (d *Options) execute(ctx context.Context, env *cmdline.Env, f *cmdline.Flags) error {
	stdin := ""
	if f.Stdin {
		stdin = "a file of arguments"
	}
	x, err := d.Open(ctx, env, stdin)
	if err != nil {
		return err
	}
	if env.Inspect != nil && env.Inspect.Debug != nil {
		defer x.Run.Close()
		env.Inspect.Debug(d.inspected(env, x.Run, x.Session, x.Found))
		return nil
	}
	defer x.Close()
	c := &debugger.Console{Session: x.Session, Out: env.Stdout, Source: loader.Sources(env, x.Launch.Part.Path)}
	c.Begin()
	if d.Look {
		c.Expect(x.Found)
	}
	if err = d.Converse(ctx, env, x.Run, c); err != nil {
		return err
	}
	if err = x.Finish(env, c.Found); err == nil && (c.Found || len(x.Found.Findings) > 0) {
		err = cmdline.ErrFound
	}
	return err
}

// inspected is the session for an inspector.
func (d *Options) inspected(env *cmdline.Env, r *launch.Run, s *debug.Session, found finding.List) *cmdline.Debugging {
	return &cmdline.Debugging{
		Session: s, Kernel: r.Launches[0].Kernel, Found: found,
		Expect: func(w io.Writer) {
			if d.Look {
				(&debugger.Console{Session: s, Out: w, Source: loader.Sources(env, r.Launches[0].Part.Path)}).Expect(found)
			}
		},
		WriteOuts: func(w io.Writer) error { return printBuffers(r, w, s) },
	}
}

// printBuffers prints what -out asks for of the buffers of a session, which holds the device.
func printBuffers(r *launch.Run, w io.Writer, s *debug.Session) error {
	printed := r.Printed()
	for _, o := range r.Outs {
		if o.Path != "-" || o.Launch == nil || o.Pipe != nil {
			continue
		}
		name := o.Launch.Kernel.Params()[o.Index].Name
		for _, b := range s.Buffers() {
			if b.Name != name || b.Pointer.Space() != memory.SpaceGlobal {
				continue
			}
			data, err := s.ReadMemory(b.Pointer, int(b.Bytes))
			if err != nil {
				return err
			}
			if len(printed) > 1 {
				fmt.Fprintln(w, o.Called())
			}
			if err := argspec.Format(w, o.Spec().Type, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// checked runs the launch with checks, on arguments of its own, and returns what was found.
func (d *Options) checked(ctx context.Context, env *cmdline.Env, stdin string) (finding.List, error) {
	d.Check = true
	defer func() { d.Check = false }()
	r, err := d.Prepare(ctx, env, stdin)
	if err != nil {
		return finding.List{}, err
	}
	defer r.Close()
	res, err := r.Start(ctx, io.Discard, nil)
	if res == nil {
		return finding.List{}, err
	}
	return res.Findings, nil
}

// Converse reads commands, of files first.
func (d *Options) Converse(ctx context.Context, env *cmdline.Env, r *launch.Run, c *debugger.Console) error {
	for _, path := range *d.Scripts {
		in := env.Stdin
		if path != "-" {
			file, err := env.Open(path)
			if err != nil {
				return err
			}
			defer file.Close()
			in = file
		} else if err := r.ClaimStdin("-x -"); err != nil {
			return err
		}
		if quit, err := script(ctx, env, c, path, in); err != nil || quit {
			return err
		}
	}
	if d.Batch {
		return nil
	}
	if env.Editor != nil {
		if read, ok := env.Editor(c.Complete); ok {
			return dialogue(ctx, env, c, read)
		}
	}
	if err := r.ClaimStdin("commands"); err != nil {
		return err
	}
	quit, err := script(ctx, env, c, "standard input", env.Stdin)
	_ = quit
	return err
}

// Prompt is what stands before a command.
const Prompt = "(lockstep) "

// script carries out the commands of a text, and shows them. It ends at the first that cannot be carried out.
func script(ctx context.Context, env *cmdline.Env, c *debugger.Console, name string, in io.Reader) (quit bool, err error) {
	lines := bufio.NewScanner(io.LimitReader(in, loader.MaxSource))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		fmt.Fprintf(env.Stdout, "%s%s\n", Prompt, line)
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		if quit, err := c.Do(ctx, line); err != nil || quit {
			if err != nil {
				err = cmdline.Usagef("help debug", "debug: %s, line %d: %v", cmdline.Display(name), n, err)
			}
			return quit, err
		}
	}
	return false, lines.Err()
}

// dialogue carries out what a person types. An interrupt stops a kernel that runs, and not the debugger.
func dialogue(ctx context.Context, env *cmdline.Env, c *debugger.Console, read func() (string, error)) error {
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
