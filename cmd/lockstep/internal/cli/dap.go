//go:build !browser

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dap"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

var dapCommand = &command{
	name:  "dap",
	short: "be the debugger of an editor (Debug Adapter Protocol)",
	long: `Speaks the Debug Adapter Protocol over standard input and output, or over connections with -listen,
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
	setup: func(f *flags) func(context.Context, *Env, []string) error {
		listen := f.String("listen", "", "serve connections to `HOST:PORT`, one after the other, instead of standard input")
		return func(ctx context.Context, env *Env, args []string) error {
			if len(args) > 0 {
				return usagef("help dap", "dap: the program comes with the editor's launch; %q is one argument too many", args[0])
			}
			if *listen == "" {
				return dap.Serve(ctx, env.Stdin, env.Stdout, env.prepareDAP)
			}
			return env.listenDAP(ctx, *listen)
		}
	},
}

// listenTCP listens at an address, which is one of this machine alone where it has no host.
func listenTCP(ctx context.Context, address string) (net.Listener, error) {
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", address)
}

// listenDAP serves connections until the context ends.
func (e *Env) listenDAP(ctx context.Context, address string) error {
	l, err := listenTCP(ctx, address)
	if err != nil {
		return usagef("help dap", "dap: -listen %s: %v", printable(address), err)
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
		if err := dap.Serve(ctx, conn, conn, e.prepareKernel); err != nil && ctx.Err() == nil {
			fmt.Fprintf(e.Stderr, "lockstep: dap: %s\n", harmless(err))
		}
		conn.Close()
	}
}

// telling is a writer whose text goes to a client, line by line.
type telling struct {
	category string
	say      func(dap.Output)
	rest     []byte
}

func (t *telling) Write(p []byte) (int, error) {
	t.rest = append(t.rest, p...)
	if i := bytes.LastIndexByte(t.rest, '\n'); i >= 0 {
		t.say(dap.Output{Category: t.category, Text: string(t.rest[:i+1])})
		t.rest = append(t.rest[:0], t.rest[i+1:]...)
	}
	return len(p), nil
}

// flush ends the last line, which has no end.
func (t *telling) flush() {
	if len(t.rest) > 0 {
		_, _ = t.Write([]byte("\n"))
	}
}

// within returns an Env for a launch of a client: its relative paths are in a folder, and what is written goes
// to the client.
func (e *Env) within(dir string, say func(dap.Output)) *Env {
	inner := *e
	inner.Stdin, inner.json, inner.Editor = strings.NewReader(""), &jsonState{}, nil
	inner.StdoutTerminal, inner.StderrTerminal, inner.noticeAfter = false, false, 0
	inner.Stdout, inner.Stderr = &telling{category: "stdout", say: say}, &telling{category: "stderr", say: say}
	if dir == "" {
		return &inner
	}
	at := func(name string) string {
		if filepath.IsAbs(name) || path.IsAbs(name) {
			return name
		}
		return filepath.Join(dir, name)
	}
	inner.Open = func(name string) (io.ReadCloser, error) { return e.Open(at(name)) }
	inner.Create = func(name string) (io.WriteCloser, error) { return e.Create(at(name)) }
	inner.Append = func(name string) (io.WriteCloser, error) { return e.Append(at(name)) }
	inner.Stat = func(name string) (fs.FileInfo, error) { return e.Stat(at(name)) }
	inner.Dir = func(name string) fs.FS { return e.Dir(at(name)) }
	return &inner
}

// prepareDAP makes a launch of a client's attributes.
func (e *Env) prepareDAP(ctx context.Context, l *dap.Launch, say func(dap.Output)) (*dap.Target, error) {
	if len(l.Host) > 0 && !l.Attach {
		return e.prepareHost(ctx, l, say)
	}
	return e.prepareKernel(ctx, l, say)
}

// prepareKernel is prepareDAP for clients that may not start programs: who they are at a connection, nobody knows.
func (e *Env) prepareKernel(ctx context.Context, l *dap.Launch, say func(dap.Output)) (*dap.Target, error) {
	switch {
	case l.Attach:
		return nil, errors.New("there is nothing to attach to: lockstep runs kernels by itself; use the request launch, " +
			"or attach to lockstep exec -debug -listen")
	case len(l.Host) > 0:
		return nil, errors.New("a connection starts no programs; attach to lockstep exec -debug -listen, which does")
	}
	locate := e.pathOf(l)
	tell := say
	say = func(o dap.Output) {
		if p, ok := locate(o.File); ok {
			o.File = p
		}
		tell(o)
	}
	env := e.within(l.Cwd, say)
	// The compiler's diagnostics go to the client by themselves, with their places.
	quiet := *env
	quiet.Stderr = io.Discard
	program := l.Program
	if strings.HasPrefix(program, "-") || strings.HasPrefix(program, "@") {
		program = "./" + program
	}
	if l.Kernel != "" && !slices.Contains(l.Args, "-kernel") {
		l.Args = append([]string{"-kernel", l.Kernel}, l.Args...)
	}
	d, err := parseDebug(&quiet, append([]string{program}, l.Args...))
	if err != nil {
		return nil, err
	}
	if l.NoDebug {
		return runChecked(ctx, &quiet, d, say)
	}
	d.look = d.look || l.Checks
	if len(*d.scripts) > 0 || d.batch {
		return nil, usagef("help dap", "dap: -x and -batch are for terminals")
	}
	x, err := d.open(ctx, &quiet, "")
	sayDiagnostics(quiet.json.diagnostics, say)
	if err != nil {
		return nil, debugUsage(err)
	}
	dap.SayFindings(&x.found, say)
	return &dap.Target{
		Session: x.session, Source: sources(env, x.launch.part.path), Path: locate, SPIRV: instructions(x.launch.module),
		Found: x.found, Finish: func(found bool) error { return x.finish(env, found) }, Close: x.close,
	}, nil
}

// runChecked runs a launch with checks and without a debugger.
func runChecked(ctx context.Context, env *Env, d *debugOptions, say func(dap.Output)) (*dap.Target, error) {
	d.check = true
	o := &d.runOptions
	r, err := o.prepare(ctx, env, "")
	sayDiagnostics(env.json.diagnostics, say)
	if err != nil {
		return nil, debugUsage(err)
	}
	defer r.close()
	res, err := r.start(ctx, env.Stdout, nil)
	if res == nil {
		return nil, explainLimit(err)
	}
	if t, ok := env.Stdout.(*telling); ok {
		t.flush()
	}
	dap.SayFindings(&res.findings, say)
	target := &dap.Target{}
	if len(res.findings.Findings) > 0 {
		target.Status = ExitFinding
	}
	if outs := r.ended(res).outs(r); len(outs) > 0 {
		if err := r.writeOuts(env, outs); err != nil {
			return nil, err
		}
	}
	return target, nil
}

// sayDiagnostics tells a client what the compiler says, each with its place.
func sayDiagnostics(list []clc.Diagnostic, say func(dap.Output)) {
	for i := range list {
		d := &list[i]
		text := fmt.Sprintf("%s:%d:%d: %s: %s", d.File, d.Line, d.Column, d.Severity, d.Message)
		if d.Flag != "" {
			text += " [-W" + d.Flag + "]"
		}
		say(dap.Output{Category: "stderr", Text: printableLines(text) + "\n", File: d.File, Line: d.Line, Column: d.Column})
		sayDiagnostics(d.Notes, say)
	}
}

// pathOf returns what finds the path of a source by the name that a module has for it: the first that there is,
// beside the module and in the launch's folder.
func (e *Env) pathOf(l *dap.Launch) func(name string) (string, bool) {
	known := map[string]string{}
	return func(name string) (string, bool) {
		if name == "" {
			return "", false
		}
		if p, ok := known[name]; ok {
			return p, p != ""
		}
		candidates := []string{name}
		if !filepath.IsAbs(name) && !path.IsAbs(name) {
			candidates = []string{filepath.Join(filepath.Dir(l.Program), name), name}
		}
		known[name] = ""
		for _, c := range candidates {
			if !filepath.IsAbs(c) && !path.IsAbs(c) && l.Cwd != "" {
				c = filepath.Join(l.Cwd, c)
			}
			if info, err := e.Stat(c); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if abs, err := filepath.Abs(c); err == nil {
				c = abs
			}
			known[name] = c
			return c, true
		}
		return "", false
	}
}

// instructions returns what prints the SPIR-V instruction at an offset of a module, in words. The module is
// disassembled when the first is asked for.
func instructions(m *module) func(word int) string {
	var list []spirv.Inst
	var printer *asm.Printer
	read := false
	return func(word int) string {
		if !read {
			read = true
			if m, err := spirv.Decode(m.data); err == nil {
				list, printer = m.Insts, asm.NewPrinter(m, false)
			}
		}
		i, ok := slices.BinarySearchFunc(list, word, func(in spirv.Inst, word int) int { return in.Offset - word })
		if !ok {
			return ""
		}
		return printer.Inst(list[i])
	}
}
