package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
)

// KeepMarksUsage explains -keep-marks of run and isa.
const KeepMarksUsage = "leave out no async mark or wait, even where it makes no difference"

// Program compiles a module, or takes a binary. keepMarks is -keep-marks; more
// may change the options.
func (m *Module) Program(ctx context.Context, env *cmdline.Env, dev *emu.Device, command string, specs []string, keepMarks bool, more ...func(*emu.ProgramOptions)) (*emu.Program, error) {
	if m.File != nil {
		if len(specs) > 0 {
			return nil, m.CompiledAlready(command, "spec")
		}
		return m.loadOn(env, dev)
	}
	opt := emu.ProgramOptions{Sources: Sources(env, m.Path), KeepMarks: keepMarks}
	if len(specs) > 0 {
		var err error
		if opt.SpecConstants, err = specConstants(m, specs); err != nil {
			return nil, err
		}
	}
	for _, set := range more {
		set(&opt)
	}
	p, err := dev.NewProgramContext(ctx, m.Data, opt)
	if err != nil {
		return nil, m.compileError(ctx, env, err)
	}
	return p, nil
}

// compileError returns the error of a command whose module could not be compiled, or not in time.
func (m *Module) compileError(ctx context.Context, env *cmdline.Env, err error) error {
	switch ended := ctx.Err(); {
	case ended == nil || !errors.Is(err, ended):
		return fmt.Errorf("%s: %w", m.Name, err)
	case errors.Is(ended, context.DeadlineExceeded):
		fmt.Fprintf(env.Stderr, "lockstep: the time limit ended the compilation of %s (E-TIMEOUT)\n", m.Name)
		return cmdline.ErrTimeLimit
	default:
		fmt.Fprintf(env.Stderr, "lockstep: cancelled while %s was compiled (E-CANCELLED)\n", m.Name)
	}
	return cmdline.ErrFound
}

// Bytecode compiles all kernels of a program.
func (m *Module) Bytecode(ctx context.Context, env *cmdline.Env, p *emu.Program) (*isa.Program, error) {
	code, err := p.ISAContext(ctx)
	if err != nil {
		return nil, m.compileError(ctx, env, err)
	}
	return code, nil
}

// MaxSource bounds what is read of a source file, in bytes.
const MaxSource = 16 << 20

// Sources finds the source files that a module names, for the line in a
// finding: beside the module first. Only plain files are read.
func Sources(env *cmdline.Env, path string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		candidates := []string{name}
		if path != "-" && !filepath.IsAbs(name) {
			candidates = []string{filepath.ToSlash(filepath.Join(filepath.Dir(path), name)), name}
		}
		var firstErr error
		for _, c := range candidates {
			text, err := source(env, c)
			if err == nil {
				return text, nil
			}
			if firstErr == nil {
				firstErr = err
			}
		}
		return nil, firstErr
	}
}

func source(env *cmdline.Env, path string) ([]byte, error) {
	info, err := env.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxSource {
		return nil, fmt.Errorf("%s: not a source file", path)
	}
	f, err := env.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxSource))
}

// Pick returns the kernel of the given name, or the only one of the module.
func Pick(ctx context.Context, env *cmdline.Env, path string, prog *emu.Program, name string) (*emu.Kernel, error) {
	names := prog.Kernels()
	if name == "" {
		switch len(names) {
		case 0:
			return nil, fmt.Errorf("%s has no kernel", cmdline.Display(path))
		case 1:
			name = names[0]
		default:
			return nil, cmdline.Usagef("help run", "run: %s has %d kernels; pick one with -kernel NAME: %s",
				cmdline.Display(path), len(names), cmdline.Printable(strings.Join(names, " ")))
		}
	}
	if slices.Contains(names, name) {
		k, err := prog.KernelContext(ctx, name)
		var refused *emu.ModuleError
		switch {
		case err == nil:
			return k, nil
		case errors.As(err, &refused) && refused.Stage == "lower":
			return nil, fmt.Errorf("%s: kernel %s cannot be run: %w", cmdline.Display(path), cmdline.Printable(name), errors.Unwrap(refused.Err))
		}
		return nil, (&Module{Name: cmdline.Display(path)}).compileError(ctx, env, err)
	}
	msg := fmt.Sprintf("%s has no kernel %q", cmdline.Display(path), name)
	if near := cmdline.Nearest(name, names); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, fmt.Errorf("%s\nkernels: %s", msg, cmdline.Printable(strings.Join(names, " ")))
}
