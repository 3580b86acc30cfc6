//go:build !browser

package loader

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/emu/mux/clang"
)

// compileSource makes a module of OpenCL C with clang, or of LLVM bitcode when translate is set. What clang
// says goes to standard error as it is.
func compileSource(ctx context.Context, env *cmdline.Env, m *Module, what string, translate bool) error {
	src := clang.File{Path: m.Path, Text: m.Data}
	if env.Source != nil {
		src.Args = env.Source.Words
	}
	do := env.FrontEnd.CompileFile
	if translate {
		do = env.FrontEnd.TranslateFile
	}
	c, err := do(ctx, src)
	if c != nil && !translate && c.Log != "" {
		fmt.Fprint(env.Stderr, cmdline.PrintableLines(c.Log))
	}
	switch {
	case err == nil:
		m.Data, m.compiled = c.SPIRV, true
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return m.compileError(ctx, env, err)
	case errors.Is(err, mux.ErrNoFrontEnd):
		reason, _, _ := strings.Cut(err.Error(), ": "+mux.ErrNoFrontEnd.Error())
		return fmt.Errorf("%s is %s: %s, or name them in the environment variables %s and %s (lockstep help opencl)",
			m.Name, what, reason, cmdline.ClangVariable, cmdline.TranslatorVariable)
	case errors.As(err, new(*clang.TranslatorError)):
		return fmt.Errorf("%s: %w", m.Name, err)
	case errors.Is(err, mux.ErrCompileProgramFailure):
		return fmt.Errorf("%s does not compile", m.Name)
	}
	return fmt.Errorf("%s: %w", m.Name, err)
}
