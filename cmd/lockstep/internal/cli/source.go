package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// sourceOptions are the flags that say how OpenCL C is compiled.
type sourceOptions struct {
	frontEnd string
	words    []string // options of the compiler, as clBuildProgram takes them
	// all says that whatever is no module is a source, not only what looks like one.
	all bool
	// codeOnly says that modules are written as they come out of the compiler: module.code is enough.
	codeOnly bool
	// color is the flag -color: "auto", "always" or "never".
	color string
}

// The compilers that -front-end names.
const (
	ownFrontEnd   = "lockstep"
	clangFrontEnd = "clang"
)

// compiler declares the flags of commands that take OpenCL C. The options themselves (-D N=64, -cl-std=CL2.0)
// are no flags of the flag package: parsing.next gives them to option.
func (f *flags) compiler() {
	f.source = &sourceOptions{color: "auto"}
	f.StringVar(&f.source.frontEnd, "front-end", ownFrontEnd,
		"compile OpenCL C with `NAME`: lockstep, or clang, which has to be installed\n(lockstep help opencl)")
}

// option takes a word of the command line, and the one behind it if that is its value, when it is an option
// of the compiler.
func (p *parsing) option(w word) (bool, error) {
	if p.f.source == nil {
		return false, nil
	}
	is, takesValue := clc.IsOption(w.text)
	if !is {
		return false, nil
	}
	p.f.source.words = append(p.f.source.words, w.text)
	if takesValue {
		if len(p.words) == 0 || p.words[0].from == "" && w.from != "" {
			return true, p.fail(w, "%s needs a value, such as %s", w.text,
				map[string]string{"-D": "-D N=64", "-U": "-U NDEBUG", "-I": "-I include"}[w.text])
		}
		p.f.source.words = append(p.f.source.words, p.take().text)
	}
	return true, nil
}

// check refuses a front end and options that there are not.
func (s *sourceOptions) check(command string) error {
	if s.frontEnd != ownFrontEnd && s.frontEnd != clangFrontEnd {
		return usagef("help "+command, "%s: -front-end %s: front ends are %s and %s", command, s.frontEnd, ownFrontEnd, clangFrontEnd)
	}
	var o clc.Options
	err := o.Add(s.words)
	var wrong *clc.OptionError
	if errors.As(err, &wrong) && s.frontEnd == ownFrontEnd {
		return usagef("help opencl", "%s: %s: %s", command, wrong.Option, wrong.Reason)
	}
	return nil
}

// options returns the options for the compiler. Headers are read through env, as modules are.
func (s *sourceOptions) options(env *Env) (clc.Options, error) {
	var o clc.Options
	if s != nil {
		if err := o.Add(s.words); err != nil {
			return o, err
		}
	}
	o.Open = func(name string) (string, bool) {
		f, err := env.Open(name)
		if err != nil {
			return "", false
		}
		defer f.Close()
		data, err := readLimited(f, maxModule)
		if err != nil {
			return "", false
		}
		return string(data), true
	}
	return o, nil
}

// takes reports whether a file is compiled: because of its name, of what is in it, or because it is text and
// the command takes sources alone.
func (s *sourceOptions) takes(path, what string, data []byte) bool {
	switch {
	case what != "", strings.EqualFold(filepath.Ext(path), ".cl"):
		return true
	case s == nil || !s.all || len(data) == 0 && path != "-":
		return false
	}
	return bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) && !assembly.MatchString(firstLine(string(data)))
}

// compileOpenCL makes a module of OpenCL C with lockstep's own compiler. What it says goes to standard error,
// and into the document of -json.
func compileOpenCL(ctx context.Context, env *Env, m *module) error {
	opt, err := env.source.options(env)
	if err != nil {
		return err
	}
	src := clc.Source{Name: m.name, Text: string(m.data)}
	m.data = nil
	code, err := clc.CompileCode(ctx, src, opt)
	var wrong *clc.Error
	switch {
	case err == nil:
		env.say(&code.Log)
		m.compiled, m.own = true, true
		if env.source != nil && env.source.codeOnly {
			m.code = code
			return nil
		}
		var b bytes.Buffer
		b.Grow(code.Size())
		_, err = code.WriteTo(&b)
		m.data = b.Bytes()
		return err
	case errors.As(err, &wrong):
		env.say(&wrong.Log)
		return fmt.Errorf("%s does not compile", m.name)
	case ctx.Err() != nil:
		return m.compileError(ctx, env, ctx.Err())
	}
	return err
}

// say prints what the compiler says, and keeps it for the document.
func (e *Env) say(log *clc.Log) {
	if e.json != nil {
		e.json.diagnostics = append(e.json.diagnostics, log.Diagnostics...)
	}
	color := e.StderrTerminal && !e.NoColor
	if e.source != nil && e.source.color != "auto" {
		color = e.source.color == "always"
	}
	text := log.Text(color)
	if !color {
		text = printableLines(text)
	}
	fmt.Fprint(e.Stderr, text)
}
