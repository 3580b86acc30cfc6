package daplaunch

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

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dap"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugcmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// ListenTCP listens at an address, which is one of this machine alone where it has no host.
func ListenTCP(ctx context.Context, address string) (net.Listener, error) {
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", address)
}

// Telling is a writer whose text goes to a client, line by line.
type Telling struct {
	Category string
	Say      func(dap.Output)
	rest     []byte
}

// maxRest is the longest part of a line that waits for its end.
const maxRest = 64 << 10

func (t *Telling) Write(p []byte) (int, error) {
	t.rest = append(t.rest, p...)
	i := bytes.LastIndexByte(t.rest, '\n')
	if i < 0 && len(t.rest) > maxRest {
		i = len(t.rest) - 1
	}
	if i >= 0 {
		t.Say(dap.Output{Category: t.Category, Text: string(t.rest[:i+1])})
		t.rest = append(t.rest[:0], t.rest[i+1:]...)
	}
	return len(p), nil
}

// Flush ends the last line, which has no end.
func (t *Telling) Flush() {
	if len(t.rest) > 0 {
		_, _ = t.Write([]byte("\n"))
	}
}

// within returns an Env for a launch of a client: its relative paths are in a folder, and what is written
// goes to the client.
func within(e *cmdline.Env, dir string, say func(dap.Output)) *cmdline.Env {
	inner := *e
	inner.Stdin, inner.JSON, inner.Editor = strings.NewReader(""), &cmdline.JSONState{}, nil
	inner.StdoutTerminal, inner.StderrTerminal, inner.NoticeAfter = false, false, 0
	inner.Stdout, inner.Stderr = &Telling{Category: "stdout", Say: say}, &Telling{Category: "stderr", Say: say}
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

// PrepareKernel makes a launch of a client's attributes, for clients that may not start programs: at a connection,
// nobody knows who they are.
func PrepareKernel(ctx context.Context, e *cmdline.Env, l *dap.Launch, say func(dap.Output)) (*dap.Target, error) {
	switch {
	case l.Attach:
		return nil, errors.New("there is nothing to attach to: lockstep runs kernels by itself; use the request launch, " +
			"or attach to lockstep exec -debug -listen")
	case len(l.Host) > 0:
		return nil, errors.New("a connection starts no programs; attach to lockstep exec -debug -listen, which does")
	}
	locate := pathOf(e, l)
	tell := say
	say = func(o dap.Output) {
		if p, ok := locate(o.File); ok {
			o.File = p
		}
		tell(o)
	}
	env := within(e, l.Cwd, say)
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
	d, err := debugcmd.Parse(&quiet, append([]string{program}, l.Args...))
	if err != nil {
		return nil, err
	}
	if l.NoDebug {
		return runChecked(ctx, &quiet, d, say)
	}
	d.Look = d.Look || l.Checks
	if len(*d.Scripts) > 0 || d.Batch {
		return nil, cmdline.Usagef("help dap", "dap: -x and -batch are for terminals")
	}
	x, err := d.Open(ctx, &quiet, "")
	sayDiagnostics(quiet.JSON.Diagnostics, say)
	if err != nil {
		return nil, debugcmd.Usage(err)
	}
	dap.SayFindings(&x.Found, say)
	return &dap.Target{
		Session: x.Session, Source: loader.Sources(env, x.Launch.Part.Path), Path: locate, SPIRV: Instructions(x.Launch.Module),
		Found: x.Found, Finish: func(found bool) error { return x.Finish(env, found) }, Close: x.Close,
	}, nil
}

// runChecked runs a launch with checks and without a debugger.
func runChecked(ctx context.Context, env *cmdline.Env, d *debugcmd.Options, say func(dap.Output)) (*dap.Target, error) {
	d.Check = true
	o := &d.Options
	r, err := o.Prepare(ctx, env, "")
	sayDiagnostics(env.JSON.Diagnostics, say)
	if err != nil {
		return nil, debugcmd.Usage(err)
	}
	defer r.Close()
	res, err := r.Start(ctx, env.Stdout, nil)
	if res == nil {
		return nil, launch.ExplainLimit(err)
	}
	if t, ok := env.Stdout.(*Telling); ok {
		t.Flush()
	}
	dap.SayFindings(&res.Findings, say)
	target := &dap.Target{}
	if len(res.Findings.Findings) > 0 {
		target.Status = cmdline.ExitFinding
	}
	if outs := r.Ended(res).Outs(r); len(outs) > 0 {
		if err := r.WriteOuts(env, outs); err != nil {
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
		say(dap.Output{Category: "stderr", Text: cmdline.PrintableLines(text) + "\n", File: d.File, Line: d.Line, Column: d.Column})
		sayDiagnostics(d.Notes, say)
	}
}

// pathOf returns what finds the path of a source by the name that a module has for it: the first that there
// is, beside the module and in the launch's folder.
func pathOf(e *cmdline.Env, l *dap.Launch) func(name string) (string, bool) {
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

// Instructions returns what prints the SPIR-V instruction at an offset of a module, in words. The module is
// disassembled when the first is asked for.
func Instructions(m *loader.Module) func(word int) string {
	var list []spirv.Inst
	var printer *asm.Printer
	read := false
	return func(word int) string {
		if !read {
			read = true
			if m, err := spirv.Decode(m.Data); err == nil {
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
