package hostcmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugcmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugger"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
)

// debugFlag is -debug of exec: all launches, or those of a kernel.
type debugFlag struct {
	on     bool
	kernel string
}

// String is for the flag package.
func (d *debugFlag) String() string {
	if d.kernel != "" {
		return d.kernel
	}
	return strconv.FormatBool(d.on)
}

// Set is for the flag package.
func (d *debugFlag) Set(text string) error {
	if on, err := strconv.ParseBool(text); err == nil {
		*d = debugFlag{on: on}
		return nil
	}
	*d = debugFlag{on: true, kernel: text}
	return nil
}

// IsBoolFlag says that the flag may stand without a value.
func (d *debugFlag) IsBoolFlag() bool { return true }

// Takes says which values the flag has.
func (d *debugFlag) Takes() string { return "the name of a kernel, as in -debug=NAME" }

// checkDebug refuses what does not go together with -debug.
func (o *execOptions) checkDebug(env *cmdline.Env, f *cmdline.Flags) error {
	if name := f.Given("bisect", "parallel", "memory", "json"); name != "" {
		return cmdline.Usagef("help exec", "exec: -debug and -%s exclude each other", name)
	}
	if o.listen != "" {
		switch {
		case !o.debug.on:
			return cmdline.Usagef("help exec", "exec: -listen is for -debug")
		case len(*o.scripts) > 0 || o.batch:
			return cmdline.Usagef("help exec", "exec: -listen excludes -x and -batch, which are for terminals")
		}
		return nil
	}
	if len(*o.scripts) > 0 {
		return nil
	}
	if env.Editor != nil {
		if _, ok := env.Editor(func(string) []string { return nil }); ok && !o.batch {
			return nil
		}
	}
	return cmdline.Usagef("help exec", "exec: -debug needs a terminal to ask for commands, or -x FILE, which has them")
}

// debugHost runs a program whose launches stop, and debugs them.
func (o *execOptions) debugHost(ctx context.Context, env *cmdline.Env, driver string, options, args []string) (status int, tally hostrun.Tally, err error) {
	err = env.Temporary(func(path string) error {
		var config net.ListenConfig
		l, err := config.Listen(ctx, "unix", path)
		if err != nil {
			return fmt.Errorf("exec: -debug: %w", err)
		}
		served := make(chan error, 1)
		var wrong error
		go func() {
			served <- hostrun.ServeStops(l, func(st hostrun.Stop) bool {
				more, err := o.debugLaunch(ctx, env, st)
				wrong = errors.Join(wrong, err)
				return more && err == nil
			})
		}()
		status, tally, err = runArgs(ctx, env, driver, append(options[:len(options):len(options)], "-stop="+path), args)
		l.Close()
		closed := <-served
		return errors.Join(err, closed, wrong)
	})
	return status, tally, err
}

// launchTitle says for people which launch it is.
func launchTitle(st hostrun.Stop) string {
	call := ""
	if st.Call != "" {
		call = ", " + st.Call
	}
	return fmt.Sprintf("launch %d, kernel %s%s", st.Launch, cmdline.Printable(st.Kernel), cmdline.Printable(call))
}

// debugLaunch debugs the record of a launch, and says whether further ones are to stop. The error is a command of
// a file that could not be carried out.
func (o *execOptions) debugLaunch(ctx context.Context, env *cmdline.Env, st hostrun.Stop) (more bool, err error) {
	if o.debug.kernel != "" && st.Kernel != o.debug.kernel {
		return true, nil
	}
	inner := *env
	inner.Stdout, inner.Stdin, inner.JSON = env.Stderr, strings.NewReader(""), &cmdline.JSONState{}
	fmt.Fprintf(env.Stderr, "lockstep: %s\n", launchTitle(st))
	d, err := debugcmd.Parse(&inner, []string{"@" + st.Record})
	var x *debugcmd.Debugged
	if err == nil {
		x, err = d.Open(ctx, &inner, "")
	}
	if err != nil { // such as a kernel of a binary without code for debuggers: the program goes on
		fmt.Fprintf(env.Stderr, "lockstep: launch %d is not debugged: %s\n", st.Launch, cmdline.Harmless(err))
		return ctx.Err() == nil, nil
	}
	defer x.Close()
	d.Scripts, d.Batch = o.scripts, o.batch
	c := &debugger.Console{Session: x.Session, Out: inner.Stdout, Source: loader.Sources(&inner, x.Launch.Part.Path)}
	c.Begin()
	err = d.Converse(ctx, &inner, x.Run, c)
	return !c.Detached, err
}
