package clang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// commonArgs are arguments of clang for every source. They keep out of a module what the translator, or a
// device with sub-groups, cannot take:
//
//   - loops and straight code become no vectors, which have other lengths than OpenCL's, or need reductions
//     of vectors;
//   - code that both sides of a branch have in common stays on both sides: clang would move operations of
//     sub-groups out of code that only some work-items run;
//   - the value of a counter behind its loop is not computed in integers of 33 or 65 bits;
//   - an inline function of C99 gets a definition.
var commonArgs = []string{
	"-fno-vectorize", "-fno-slp-vectorize", "-fgnu89-inline",
	"-mllvm", "-hoist-common-insts=false", "-mllvm", "-sink-common-insts=false", "-mllvm", "-replexitval=never",
}

// argTypes makes the translator keep the types of arguments as the source has them. The types of SPIR-V do not
// say whether integers are signed.
const argTypes = "--preserve-ocl-kernel-arg-type-metadata-through-string"

// levels are the optimization levels of clang, in the order in which [FrontEnd.CompileFile] tries them.
var levels = []string{"-O2", "-O1", "-O0"}

// File is a source in OpenCL C, or LLVM bitcode or assembly.
type File struct {
	// Path is the file, or "-" for what Text has.
	Path string
	Text []byte
	// Args are arguments of clang behind those of the front end, such as -D and -I. An optimization level
	// among them is the only one.
	Args []string
}

// Compiled is what became of a [File].
type Compiled struct {
	SPIRV []byte
	// Log is what clang or, when it failed, the translator said.
	Log string
	// Level is the optimization level, "-O2" and so on.
	Level string
}

// TranslatorError is a source that clang compiles and the translator refuses, at each optimization level.
type TranslatorError struct {
	Program string // the translator, without its folder
	Said    string // its messages
}

// Error gives the messages of the translator and, where it is known, what in the source leads to them.
func (e *TranslatorError) Error() string {
	s := e.Program + " cannot translate this to SPIR-V: " + e.Said
	if why := cause(e.Said); why != "" {
		s += "\n" + why
	}
	return s
}

// Unwrap returns [mux.ErrCompileProgramFailure].
func (e *TranslatorError) Unwrap() error { return mux.ErrCompileProgramFailure }

// causes tell what in a source leads to a message of the translator.
var causes = []struct{ said, why string }{
	{"llvm.vector.reduce", "clang has made a vector of a loop; -fno-vectorize -fno-slp-vectorize prevents that"},
	{"freeze", "an optimization of clang inserts the instruction freeze; compile with -O1 or -O0"},
	{"Invalid bit width", "an optimization of clang makes an integer of a width that SPIR-V does not have; compile with -O0"},
	{".with.overflow", "__builtin_add_overflow and functions like it are not available"},
	{"asm", "inline assembly is not available"},
	{"Unexpected llvm intrinsic", "a __builtin function of clang, or an optimization, has no counterpart in SPIR-V"},
}

// cause tells what in a source leads to the messages of the translator, "" when that is not known.
func cause(said string) string {
	for _, c := range causes {
		if strings.Contains(said, c.said) {
			return c.why
		}
	}
	return ""
}

// CompileFile compiles a source where it stands: its includes are found as compilers find them, and clang
// names the file in its messages as the caller does. Where the translator refuses what clang makes with
// -O2, lower levels are tried. The error wraps [mux.ErrNoFrontEnd] when a program is missing and
// [mux.ErrCompileProgramFailure] when one of them refuses the source; it is a [*TranslatorError] when that is
// the translator, and otherwise Compiled.Log says why.
func (f *FrontEnd) CompileFile(ctx context.Context, src File) (*Compiled, error) {
	p, err := f.find(ctx)
	if err != nil {
		return nil, err
	}
	return inFolder(func(dir string) (*Compiled, error) {
		try := levels
		if i := slices.IndexFunc(src.Args, func(a string) bool { return optimization.MatchString(a) }); i >= 0 {
			try = []string{src.Args[i]}
		}
		var c *Compiled
		for _, level := range try {
			if c, err = f.compileAt(ctx, p, dir, src, level); !errors.As(err, new(*TranslatorError)) {
				break
			}
		}
		return c, err
	})
}

// TranslateFile translates LLVM bitcode or assembly. Only the translator is needed.
func (f *FrontEnd) TranslateFile(ctx context.Context, src File) (*Compiled, error) {
	p, err := f.findTranslator()
	if err != nil {
		return nil, err
	}
	return inFolder(func(dir string) (*Compiled, error) {
		name := src.Path
		if name == "-" {
			name = filepath.Join(dir, bitcodeName)
			if err := os.WriteFile(name, src.Text, 0o600); err != nil {
				return nil, fmt.Errorf("%w: %w", mux.ErrFailure, err)
			}
		}
		return translate(ctx, p, dir, name, f.opt.TranslatorArgs)
	})
}

var optimization = regexp.MustCompile(`^-O([0-9gsz]|fast)?$`)

// inFolder calls do with a new folder, which it removes.
func inFolder(do func(dir string) (*Compiled, error)) (*Compiled, error) {
	dir, err := os.MkdirTemp("", "lockstep-clang-")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", mux.ErrFailure, err)
	}
	defer os.RemoveAll(dir)
	return do(dir)
}

// compileAt compiles a source at an optimization level.
func (f *FrontEnd) compileAt(ctx context.Context, p pair, dir string, src File, level string) (*Compiled, error) {
	bitcode := filepath.Join(dir, bitcodeName)
	args := []string{"-c", "-x", "cl", "-cl-std=CL2.0", "-target", "spir64-unknown-unknown", "-emit-llvm", level}
	args = append(args, commonArgs...)
	args = append(args, "-gline-tables-only", "-fno-discard-value-names", "-fno-color-diagnostics", "-Xclang", "-finclude-default-header")
	args = append(args, f.opt.ClangArgs...)
	more := append([]string{argTypes}, f.opt.TranslatorArgs...)
	for _, a := range src.Args {
		if v, ok := strings.CutPrefix(a, "-spirv-version="); ok {
			more = append(more, "--spirv-max-version="+v)
		} else {
			args = append(args, a)
		}
	}
	log := &limited{}
	err := execute(ctx, "", dir, p.clang, append(args, "-o", bitcode, src.Path), bytes.NewReader(src.Text), log)
	c := &Compiled{Log: log.String(), Level: level}
	if err != nil {
		return c, err
	}
	t, err := translate(ctx, p.translator, dir, bitcode, more)
	if t != nil {
		c.SPIRV = t.SPIRV
	}
	return c, err
}

// translate makes a module of bitcode.
func translate(ctx context.Context, program, dir, bitcode string, more []string) (*Compiled, error) {
	module := filepath.Join(dir, moduleName)
	log := &limited{}
	err := execute(ctx, "", dir, program, append([]string{bitcode, "-o", module}, more...), nil, log)
	c := &Compiled{Log: log.String()}
	switch {
	case errors.Is(err, mux.ErrCompileProgramFailure):
		return c, &TranslatorError{Program: filepath.Base(program), Said: firstMessage(c.Log)}
	case err != nil:
		return c, err
	}
	c.SPIRV, err = readModule(module)
	return c, err
}

// firstMessage is what the translator says, in one line, without places in its own source and dumps of its
// stack.
func firstMessage(log string) string {
	var words []string
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[Src:") || strings.HasPrefix(line, "PLEASE submit") || strings.HasPrefix(line, "Stack dump") {
			break
		}
		words = append(words, strings.Fields(line)...)
	}
	if len(words) == 0 {
		return "it crashed"
	}
	const limit = 60
	if len(words) > limit {
		words = append(words[:limit], "...")
	}
	return strings.Join(words, " ")
}

// execute runs a program in folder work, "" for the present one, with its temporary files in dir. The error
// wraps mux.ErrCompileProgramFailure when the program did not succeed.
func execute(ctx context.Context, work, dir, program string, args []string, stdin io.Reader, log *limited) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = work, environment(dir), stdin, log, log
	// A process of the program's own that lives on must not keep us.
	cmd.WaitDelay = waitDelay
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &exit):
		return fmt.Errorf("%s: %w: %w", filepath.Base(program), mux.ErrFailure, err)
	}
	return fmt.Errorf("%s ended with %v: %w", filepath.Base(program), exit, mux.ErrCompileProgramFailure)
}
