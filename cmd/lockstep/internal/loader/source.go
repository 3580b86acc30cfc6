package loader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// options returns the options for the compiler. Headers are read through env, as modules are.
func options(s *cmdline.SourceOptions, env *cmdline.Env) (clc.Options, error) {
	var o clc.Options
	if s != nil {
		if err := o.Add(s.Words); err != nil {
			return o, err
		}
	}
	o.Open = func(name string) (string, bool) {
		f, err := env.Open(name)
		if err != nil {
			return "", false
		}
		defer f.Close()
		data, err := cmdline.ReadLimited(f, cmdline.MaxModule)
		if err != nil {
			return "", false
		}
		return string(data), true
	}
	return o, nil
}

// takes reports whether a file is compiled: because of its name, of what is in it, or because it is text and
// the command takes sources alone.
func takes(s *cmdline.SourceOptions, path, what string, data []byte) bool {
	switch {
	case what != "", strings.EqualFold(filepath.Ext(path), ".cl"):
		return true
	case s == nil || !s.All || len(data) == 0 && path != "-":
		return false
	}
	return bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) && !isAssembly(firstLine(string(data)))
}

// compileOpenCL makes a module of OpenCL C with lockstep's own compiler. What it says goes to standard error,
// and into the document of -json.
func compileOpenCL(ctx context.Context, env *cmdline.Env, m *Module) error {
	opt, err := options(env.Source, env)
	if err != nil {
		return err
	}
	src := clc.Source{Name: m.Name, Text: string(m.Data)}
	m.Data = nil
	code, err := clc.CompileCode(ctx, src, opt)
	var wrong *clc.Error
	switch {
	case err == nil:
		say(env, &code.Log)
		m.compiled, m.Own = true, true
		if env.Source != nil && env.Source.CodeOnly {
			m.Code = code
			return nil
		}
		var b bytes.Buffer
		b.Grow(code.Size())
		_, err = code.WriteTo(&b)
		m.Data = b.Bytes()
		return err
	case errors.As(err, &wrong):
		say(env, &wrong.Log)
		return fmt.Errorf("%s does not compile", m.Name)
	case ctx.Err() != nil:
		return m.compileError(ctx, env, ctx.Err())
	}
	return err
}

// say prints what the compiler says, and keeps it for the document.
func say(e *cmdline.Env, log *clc.Log) {
	if e.JSON != nil {
		e.JSON.Diagnostics = append(e.JSON.Diagnostics, log.Diagnostics...)
	}
	color := e.StderrTerminal && !e.NoColor
	if e.Source != nil && e.Source.Color != "auto" {
		color = e.Source.Color == "always"
	}
	text := log.Text(color)
	if !color {
		text = cmdline.PrintableLines(text)
	}
	fmt.Fprint(e.Stderr, text)
}
