package hostcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dap"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/daplaunch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugcmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
	"github.com/lockstep-gpu/lockstep/internal/words"
)

// hostLaunches are the launches of a program that runs, for the debugger of an editor.
type hostLaunches struct {
	kernel  string            // whose launches stop; "" for all
	stops   chan hostrun.Stop // launches that wait
	answers chan struct{}     // one may run
	free    func()            // no launch stops any more
	freed   <-chan struct{}
	end     context.CancelFunc // of the program
	done    chan struct{}      // closed when the program has ended, as the following say
	status  int
	tally   hostrun.Tally
	err     error
}

// startHost starts a program whose launches stop.
func startHost(ctx context.Context, env *cmdline.Env, driver string, p cmdline.Program, kernel string) *hostLaunches {
	ctx, end := context.WithCancel(ctx)
	freed := make(chan struct{})
	h := &hostLaunches{kernel: kernel, stops: make(chan hostrun.Stop), answers: make(chan struct{}), freed: freed,
		free: sync.OnceFunc(func() { close(freed) }), end: end, done: make(chan struct{})}
	go func() {
		defer close(h.done)
		defer end()
		h.err = env.Temporary(func(path string) error {
			var config net.ListenConfig
			l, err := config.Listen(ctx, "unix", path)
			if err != nil {
				return fmt.Errorf("exec: -debug: %w", err)
			}
			served := make(chan error, 1)
			go func() { served <- hostrun.ServeStops(l, h.stop) }()
			p.Driver, p.Options = driver, strings.TrimSpace(p.Options+" "+words.Join([]string{"-stop=" + path}))
			h.status, h.tally, err = runHost(ctx, env, p)
			h.free()
			l.Close()
			return errors.Join(err, <-served)
		})
	}()
	return h
}

// stop waits while a launch is debugged, and says whether further ones are to stop.
func (h *hostLaunches) stop(st hostrun.Stop) bool {
	if h.kernel != "" && st.Kernel != h.kernel {
		return true
	}
	select {
	case h.stops <- st:
	case <-h.freed:
		return false
	}
	select {
	case <-h.answers:
		return true
	case <-h.freed:
		return false
	}
}

// over ends the program, and returns when it has ended.
func (h *hostLaunches) over() {
	h.end()
	h.free()
	<-h.done
}

// answer lets the launch that waits run.
func (h *hostLaunches) answer() {
	select {
	case h.answers <- struct{}{}:
	case <-h.freed:
	}
}

// next returns the next launch as what a client debugs, and how the program ended behind the last one.
func (h *hostLaunches) next(ctx context.Context, env *cmdline.Env, say func(dap.Output)) (*dap.Target, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-h.done:
			if h.err != nil {
				return nil, h.err
			}
			if h.status == 0 && h.tally.Findings > 0 {
				return &dap.Target{Status: cmdline.ExitFinding}, nil
			}
			return &dap.Target{Status: h.status}, nil
		case st := <-h.stops:
			t, err := h.target(ctx, env, st)
			if err == nil {
				return t, nil
			}
			h.answer() // such as a kernel of a binary without code for debuggers: the program goes on
			say(dap.Output{Category: "stderr", Text: fmt.Sprintf("lockstep: launch %d is not debugged: %s\n", st.Launch, cmdline.Harmless(err))})
		}
	}
}

// target opens the record of a launch.
func (h *hostLaunches) target(ctx context.Context, env *cmdline.Env, st hostrun.Stop) (*dap.Target, error) {
	inner := *env
	inner.Stdout, inner.Stderr, inner.Stdin, inner.JSON = io.Discard, io.Discard, strings.NewReader(""), &cmdline.JSONState{}
	d, err := debugcmd.Parse(&inner, []string{"@" + st.Record})
	if err != nil {
		return nil, err
	}
	x, err := d.Open(ctx, &inner, "")
	if err != nil {
		return nil, err
	}
	source := loader.Sources(&inner, x.Launch.Part.Path)
	paths := map[string]string{} // of files of the client's, by the names that the module has for their contents
	return &dap.Target{
		Session: x.Session, Source: source, SPIRV: daplaunch.Instructions(x.Launch.Module), Title: launchTitle(st),
		Path: func(name string) (string, bool) { return paths[name], paths[name] != "" },
		Match: func(path string) (string, bool) {
			name, ok := sameSource(env, path, x.Session.Files(), source)
			if ok {
				paths[name] = path
			}
			return name, ok
		},
		Close: sync.OnceFunc(func() {
			x.Close()
			h.answer()
		}),
	}, nil
}

// sameSource returns the source with the contents of a file. A program reads its kernels from files, and hands the
// driver their text.
func sameSource(env *cmdline.Env, path string, names []string, source func(string) ([]byte, error)) (string, bool) {
	text, err := cmdline.ReadFile(env, path)
	if err != nil {
		return "", false
	}
	for _, name := range names {
		if own, err := source(name); err == nil && bytes.Equal(own, text) {
			return name, true
		}
	}
	return "", false
}

// PrepareHost starts the host program of a client's launch.
func PrepareHost(ctx context.Context, e *cmdline.Env, l *dap.Launch, say func(dap.Output)) (*dap.Target, error) {
	if e.Run == nil || e.Temporary == nil {
		return nil, errors.New("programs cannot be started here")
	}
	if _, err := hostrun.Parse(words.Join(l.Args)); err != nil {
		return nil, cmdline.Usagef("help exec", "args of a launch with host are flags of lockstep exec: %v", err)
	}
	driver, searched := findDriver(e)
	if driver == "" {
		return nil, fmt.Errorf("there is no driver in %s\n(`lockstep help driver` says how it is built)", cmdline.Printable(strings.Join(searched, ", ")))
	}
	out, errs := &daplaunch.Telling{Category: "stdout", Say: say}, &daplaunch.Telling{Category: "stderr", Say: say}
	p := cmdline.Program{Args: l.Host, Options: words.Join(l.Args), Dir: l.Cwd, Stdin: strings.NewReader(""), Stdout: out, Stderr: errs}
	h := startHost(context.WithoutCancel(ctx), e, driver, p, l.Kernel)
	t := h.host(e, say, false)
	next := t.Host.Next
	t.Host.Next = func(ctx context.Context) (*dap.Target, error) {
		t, err := next(ctx)
		if err != nil || t.Session == nil {
			out.Flush()
			errs.Flush()
		}
		return t, err
	}
	return t, nil
}

// host returns the target of the launches.
func (h *hostLaunches) host(env *cmdline.Env, say func(dap.Output), attached bool) *dap.Target {
	return &dap.Target{Host: &dap.Host{
		Next:   func(ctx context.Context) (*dap.Target, error) { return h.next(ctx, env, say) },
		Detach: h.free, End: h.over, Attached: attached,
	}}
}

// serveHost runs a program, and serves its launches to an editor that attaches.
func (o *execOptions) serveHost(ctx context.Context, env *cmdline.Env, driver string, options, args []string) (int, hostrun.Tally, error) {
	l, err := daplaunch.ListenTCP(ctx, o.listen)
	if err != nil {
		return 0, hostrun.Tally{}, cmdline.Usagef("help exec", "exec: -listen %s: %v", cmdline.Printable(o.listen), err)
	}
	defer l.Close()
	fmt.Fprintf(env.Stderr, "lockstep: the debugger listens at %s\n", l.Addr())
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := startHost(ctx, env, driver, cmdline.Program{Args: args, Options: words.Join(options)}, o.debug.kernel)
	served := make(chan struct{})
	go func() {
		defer close(served)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		defer h.free() // nobody is there any more
		err = dap.Serve(ctx, conn, conn, func(_ context.Context, a *dap.Launch, say func(dap.Output)) (*dap.Target, error) {
			if !a.Attach {
				return nil, errors.New("the program runs already: use the request attach")
			}
			return h.host(env, say, true), nil
		})
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(env.Stderr, "lockstep: dap: %s\n", cmdline.Harmless(err))
		}
	}()
	<-h.done
	l.Close() // where nobody has come
	<-served
	return h.status, h.tally, h.err
}
