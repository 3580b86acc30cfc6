package hostcmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
	"github.com/lockstep-gpu/lockstep/internal/words"
)

// ExecCommand runs an OpenCL program on lockstep.
var ExecCommand = &cmdline.Command{
	Name:  "exec",
	Args:  "-- PROGRAM ARGS…",
	Short: "run an OpenCL program with lockstep as its only OpenCL device",
	Long: `Runs a program that uses OpenCL, in any language, with lockstep as its only OpenCL device. The
program needs no change and is not built again. The flags apply to all kernels that it launches.

  lockstep exec -- clinfo
  lockstep exec -check -- python3 filter.py picture.png
  lockstep exec -schedule reverse -subgroup 16 -- ./solver

It needs the driver, which is a shared library: lockstep driver says where it is and how it is
built. The program's output stays as it is; what lockstep finds goes to standard error, or to the
file of -log. The exit status is the program's, or 1 when the program ends with 0 and lockstep found
something; 2 when the program did not start, and 128 and more when a signal ended it.

The flags go to the driver in the environment variable LOCKSTEP_OPTIONS, which also works without
this command, as in LOCKSTEP_OPTIONS="-check" ./solver on a machine where the loader finds the driver.
Programs that a program starts have the same options.

-record writes every launch to a folder, DIR/1, DIR/2 and so on, with its module and its arguments
as they were before: lockstep run @DIR/12 runs launch 12 again, without the program. -bisect runs
the program twice, the second time with other flags, and names the first launch whose results differ.

  lockstep exec -record bug -- ./solver && lockstep run @bug/12 -check
  lockstep exec -bisect '-schedule reverse' -- ./solver

-debug stops before each launch and debugs a copy of it (lockstep help debug), with the program's
sources and lines, while the program waits. quit lets it go on to its next launch, and detach
without more stops. The program's own launch runs behind the debugger, as it would have run: what
is changed in the debugger does not reach the program. What the debugger shows goes to standard
error. -x reads its commands from a file for each launch, and -batch asks for no others. An
interrupt of the terminal ends the program, too.

  lockstep exec -debug=blur -- python3 filter.py picture.png

-listen serves the debugger to one editor, which speaks the Debug Adapter Protocol and sends the
request attach. The program's first launch waits for it. A launch stops at breakpoints, or where it
begins with "stopOnEntry": true. Breakpoints in a file mean the kernels that the program has read
from it. When the editor disconnects, the program goes on without stops. An address without a host
is one of this machine alone.

  lockstep exec -debug -listen :4711 -- ./solver
`,
	Setup: setupExec,
}

// execOptions are the flags of exec that the driver does not read.
type execOptions struct {
	device  emu.DeviceOptions
	bisect  string
	debug   debugFlag
	scripts *cmdline.List
	batch   bool
	listen  string
}

func setupExec(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
	o := &execOptions{}
	launch.DeviceFlags(f, &o.device)
	f.Uint64("lds", 0, "work-groups have `BYTES` of local memory (default 65536)")
	f.String("schedule", "in-order", "work-groups run, and copies complete, in the order `NAME`: in-order, reverse, early,\nlate, paced, seeded or two of them as in reverse+late (lockstep help schedules)")
	f.Uint64("seed", 0, "what is seeded is drawn from `N`")
	f.String("parallel", "auto", "run work-groups at the same time `WHEN`: auto (where it cannot be seen),\nnever, or always, and then results may depend on who was faster")
	f.String("memory", "sequential", "what loads may return `MODEL`: sequential or weak (lockstep help memory)")
	f.Bool("check", false, "look for more: see lockstep help codes")
	f.Bool("benign", false, "leave out data races between writes of the same value (with -check)")
	f.Bool("keep-going", false, "run all work-groups of a launch also after a fault")
	f.Duration("timeout", time.Duration(0), "end a launch after `DURATION`, as in 500ms (default 0: no limit)")
	f.Bool("stats", false, "print counters and times of each launch")
	f.Bool("json", false, "print a JSON document for each launch, one a line, instead of text")
	f.Bool("q", false, "no notes, and each finding in one line")
	f.String("log", "", "append what lockstep says to `FILE`, instead of standard error")
	f.String("trace", "", "write a timeline of each launch to the folder `DIR`, for Perfetto")
	f.String("record", "", "write each launch to the folder `DIR`; lockstep run @DIR/N runs launch N again")
	f.StringVar(&o.bisect, "bisect", "", "run the program a second time with `FLAGS` besides, and name the first launch whose\nresults differ")
	f.Var(&o.debug, "debug", "stop before each launch, or with -debug=NAME before those of the kernel NAME, and\ndebug it")
	o.scripts = f.List("x", "with -debug: read the debugger's commands from `FILE` first, for each launch")
	f.BoolVar(&o.batch, "batch", false, "with -debug: end the debugger of a launch behind the commands of -x")
	f.StringVar(&o.listen, "listen", "", "with -debug: serve the debugger of an editor that attaches to `HOST:PORT`, instead of a\nterminal")
	return func(ctx context.Context, env *cmdline.Env, args []string) error {
		return o.run(ctx, env, f, args)
	}
}

// forDriver returns the flags that the driver reads, as they were given.
func forDriver(f *cmdline.Flags) []string {
	var list []string
	f.Visit(func(fl *flag.Flag) {
		if !slices.Contains([]string{"bisect", "debug", "x", "batch", "listen"}, fl.Name) {
			list = append(list, "-"+fl.Name+"="+fl.Value.String())
		}
	})
	return list
}

func (o *execOptions) run(ctx context.Context, env *cmdline.Env, f *cmdline.Flags, args []string) error {
	if len(args) == 0 {
		return cmdline.Usagef("help exec", "exec: missing the program to run, as in lockstep exec -check -- ./program")
	}
	options := forDriver(f)
	if _, err := hostrun.Parse(words.Join(options)); err != nil {
		return cmdline.Usagef("help exec", "exec: %v", err)
	}
	if env.Run == nil {
		return errors.New("exec: programs cannot be started here")
	}
	driver, searched := findDriver(env)
	if driver == "" {
		return fmt.Errorf("exec: there is no driver in %s\n(`lockstep help driver` says how it is built)", cmdline.Printable(strings.Join(searched, ", ")))
	}
	if o.bisect != "" {
		return o.bisection(ctx, env, f, driver, options, args)
	}
	run := runArgs
	if o.debug.on || o.listen != "" {
		if err := o.checkDebug(env, f); err != nil {
			return err
		}
		run = o.debugHost
		if o.listen != "" {
			run = o.serveHost
		}
	}
	status, tally, err := run(ctx, env, driver, options, args)
	if err != nil {
		return err
	}
	if tally.Findings > 0 && f.Lookup("json").Value.String() != "true" {
		fmt.Fprintf(env.Stderr, "lockstep: %s\n", tally.Text())
	}
	switch {
	case status != 0:
		return cmdline.ExitStatus(status)
	case tally.Findings > 0:
		return cmdline.ErrFound
	}
	return nil
}

// runArgs runs a program of the command line.
func runArgs(ctx context.Context, env *cmdline.Env, driver string, options, args []string) (int, hostrun.Tally, error) {
	return runHost(ctx, env, cmdline.Program{Args: args, Driver: driver, Options: words.Join(options)})
}

// runHost runs a program on the driver and returns its exit status.
func runHost(ctx context.Context, env *cmdline.Env, p cmdline.Program) (int, hostrun.Tally, error) {
	var tally hostrun.Tally
	env.JSON.Written = true // standard output is the program's
	p.Tally = func(text string) { tally = hostrun.ReadTally(text) }
	status, err := env.Run(ctx, p)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return 0, tally, fmt.Errorf("exec: there is no program %s", cmdline.Display(p.Args[0]))
	}
	if err != nil {
		return 0, tally, fmt.Errorf("exec: %s: %w", cmdline.Display(p.Args[0]), err)
	}
	return status, tally, nil
}

// bisection runs the program twice and compares what its launches leave behind.
func (o *execOptions) bisection(ctx context.Context, env *cmdline.Env, f *cmdline.Flags, driver string, options, args []string) error {
	for _, name := range []string{"record", "trace", "log"} {
		if f.Given(name) != "" {
			return cmdline.Usagef("help exec", "exec: -bisect runs the program twice, so without -%s", name)
		}
	}
	other, err := otherOptions(options, o.bisect)
	if err != nil {
		return cmdline.Usagef("help exec", "exec: -bisect: %v", err)
	}
	var digests [2][]hostrun.Digest
	for i, list := range [][]string{options, other} {
		fmt.Fprintf(env.Stderr, "lockstep: run %d of 2, with %s\n", i+1, orDefault(words.Join(list)))
		err := env.Temporary(func(path string) error {
			status, _, err := runArgs(ctx, env, driver, append(slices.Clip(list), "-digests="+path), args)
			if err != nil {
				return err
			}
			if status != 0 {
				fmt.Fprintf(env.Stderr, "lockstep: the program ended with exit status %d\n", status)
			}
			text, err := cmdline.ReadFile(env, path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil // the program launched nothing
			}
			if err == nil {
				digests[i], err = hostrun.ReadDigests(string(text))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	text, differ := hostrun.Compare(digests[0], digests[1])
	fmt.Fprintln(env.Text(env.Stdout), text)
	if differ {
		return cmdline.ErrFound
	}
	return nil
}

// otherOptions adds the flags of -bisect to options.
func otherOptions(options []string, text string) ([]string, error) {
	list, _, err := words.Split(text)
	if err != nil {
		return nil, err
	}
	all := slices.Clip(options)
	for _, w := range list {
		all = append(all, w.Text)
	}
	if _, err := hostrun.Parse(words.Join(all)); err != nil {
		return nil, err
	}
	return all, nil
}

// orDefault names options, also when there are none.
func orDefault(text string) string {
	if text == "" {
		return "default flags"
	}
	return text
}
