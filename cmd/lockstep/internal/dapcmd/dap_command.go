package dapcmd

import (
	"context"
	"fmt"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dap"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/daplaunch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/hostcmd"
)

// Command is lockstep dap.
var Command = &cmdline.Command{
	Name:  "dap",
	Short: "be the debugger of an editor (Debug Adapter Protocol)",
	Long: `Speaks the Debug Adapter Protocol over standard input and output, or over connections with -listen,
so that editors debug kernels: VS Code, Neovim, Emacs and others. README.md has what each of them
needs. The editor sends a launch with these attributes:

  program      OpenCL C or a module: the path of a .cl, .spv, .spvasm or .ll file
  args         what follows the program on a command line of lockstep debug, as a list of words:
               ["-kernel", "saxpy", "-global", "8", "-arg", "f32:2"]
  kernel       the kernel, where there are several
  with, then   further kernels, which run together with the one before or behind it: lists of lists of
               words, each as behind -with or -then (lockstep help pipes)
  cwd          the folder of relative paths (default: that of lockstep)
  stopOnEntry  stop before the first instruction
  stopAtEnd    stop when the launch is over, to go back from there
  checks       run with checks first, and stop where they found something
  noDebug      run with checks, tell what they find, and stop nowhere
  host         in the place of program: a program that launches kernels, and its arguments, as a list of
               words; args are flags of lockstep exec then, and without kernel all launches are debugged
  step         who makes the editor's steps: "lane" (default: the work-item that is shown), "wave" or "group"

Threads are the waves of the work-group that runs, or of all work-groups in progress where kernels run
together, and each shows one of its work-items. Pipes are a scope of variables. In the
editor's console, expressions of OpenCL C are evaluated and commands of lockstep debug are carried
out: item 3,0,0 shows another work-item, all i an expression for all of them, info copies and other
subjects what the machine does, and stepping wave changes who steps. The request
lockstep/selectItem {"item": [3, 0, 0]} does what item does.

-listen serves one connection after the other. An address without a host is one of this machine
alone; 0 as the port lets the system choose. The exit status is 0, or 2 when bytes came that are no
messages, or for wrong usage.
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		listen := f.String("listen", "", "serve connections to `HOST:PORT`, one after the other, instead of standard input")
		return func(ctx context.Context, env *cmdline.Env, args []string) error {
			if len(args) > 0 {
				return cmdline.Usagef("help dap", "dap: the program comes with the editor's launch; %q is one argument too many", args[0])
			}
			if *listen == "" {
				return dap.Serve(ctx, env.Stdin, env.Stdout, func(ctx context.Context, l *dap.Launch, say func(dap.Output)) (*dap.Target, error) {
					return prepareDAP(ctx, env, l, say)
				})
			}
			return listenDAP(ctx, env, *listen)
		}
	},
}

// listenDAP serves connections until the context ends.
func listenDAP(ctx context.Context, e *cmdline.Env, address string) error {
	l, err := daplaunch.ListenTCP(ctx, address)
	if err != nil {
		return cmdline.Usagef("help dap", "dap: -listen %s: %v", cmdline.Printable(address), err)
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	fmt.Fprintf(e.Stderr, "lockstep: dap listens at %s\n", l.Addr())
	for {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if err := dap.Serve(ctx, conn, conn, func(ctx context.Context, l *dap.Launch, say func(dap.Output)) (*dap.Target, error) {
			return daplaunch.PrepareKernel(ctx, e, l, say)
		}); err != nil && ctx.Err() == nil {
			fmt.Fprintf(e.Stderr, "lockstep: dap: %s\n", cmdline.Harmless(err))
		}
		conn.Close()
	}
}

// prepareDAP makes a launch of a client's attributes.
func prepareDAP(ctx context.Context, e *cmdline.Env, l *dap.Launch, say func(dap.Output)) (*dap.Target, error) {
	if len(l.Host) > 0 && !l.Attach {
		return hostcmd.PrepareHost(ctx, e, l, say)
	}
	return daplaunch.PrepareKernel(ctx, e, l, say)
}
