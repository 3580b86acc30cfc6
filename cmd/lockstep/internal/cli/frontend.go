//go:build !browser

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/emu/mux/clang"
)

// The environment variables that say which programs -front-end clang runs, and with which arguments.
const (
	clangVariable      = "LOCKSTEP_CLANG"
	translatorVariable = "LOCKSTEP_LLVM_SPIRV"
	flagsVariable      = "LOCKSTEP_CLANG_FLAGS"
)

// frontEnd runs clang and llvm-spirv. Tests have others.
type frontEnd interface {
	CompileFile(ctx context.Context, src clang.File) (*clang.Compiled, error)
	TranslateFile(ctx context.Context, src clang.File) (*clang.Compiled, error)
}

// systemFrontEnd is the front end of the process, as its environment shapes it.
func systemFrontEnd() frontEnd {
	return clang.New(clang.Options{
		Clang: os.Getenv(clangVariable), Translator: os.Getenv(translatorVariable), ClangArgs: strings.Fields(os.Getenv(flagsVariable)),
	})
}

// compileSource makes a module of OpenCL C with clang, or of LLVM bitcode when translate is set. What clang
// says goes to standard error as it is.
func compileSource(ctx context.Context, env *Env, m *module, what string, translate bool) error {
	src := clang.File{Path: m.path, Text: m.data}
	if env.source != nil {
		src.Args = env.source.words
	}
	do := env.frontEnd.CompileFile
	if translate {
		do = env.frontEnd.TranslateFile
	}
	c, err := do(ctx, src)
	if c != nil && !translate && c.Log != "" {
		fmt.Fprint(env.Stderr, printableLines(c.Log))
	}
	switch {
	case err == nil:
		m.data, m.compiled = c.SPIRV, true
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return m.compileError(ctx, env, err)
	case errors.Is(err, mux.ErrNoFrontEnd):
		reason, _, _ := strings.Cut(err.Error(), ": "+mux.ErrNoFrontEnd.Error())
		return fmt.Errorf("%s is %s: %s, or name them in the environment variables %s and %s (lockstep help opencl)",
			m.name, what, reason, clangVariable, translatorVariable)
	case errors.As(err, new(*clang.TranslatorError)):
		return fmt.Errorf("%s: %w", m.name, err)
	case errors.Is(err, mux.ErrCompileProgramFailure):
		return fmt.Errorf("%s does not compile", m.name)
	}
	return fmt.Errorf("%s: %w", m.name, err)
}
