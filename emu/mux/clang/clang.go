// Package clang compiles OpenCL C for package emu/mux by running clang and the translator
// from LLVM to SPIR-V, where they are installed.
//
// A [FrontEnd] finds both in PATH, in any version from 14 on, the newest first, or is told where they are.
// For package emu/mux it writes source and headers to a folder of its own, which it removes, runs both programs there
// without a shell, and hands back the module and what they said. When the context is
// cancelled, they are killed. Nothing of the folder's name reaches the module or the log, so
// that the same source gives the same bytes. [FrontEnd.CompileFile] compiles a file where it stands, for
// commands.
//
// On systems that cannot run programs, and where nothing is installed, every compilation
// fails with an error that wraps [mux.ErrFeatureUnsupported] and says what to install.
package clang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// Options say which programs run.
type Options struct {
	// Clang and Translator are the programs, as names that are looked up in PATH or as
	// paths. When one is empty, a pair of the same version is looked for.
	Clang, Translator string
	// ClangArgs and TranslatorArgs are further arguments, behind those of the front end.
	ClangArgs, TranslatorArgs []string
}

// FrontEnd is a [mux.FrontEnd]. It can be used by several goroutines.
type FrontEnd struct{ opt Options }

// New returns a front end. The programs are looked for at each compilation.
func New(opt Options) *FrontEnd { return &FrontEnd{opt} }

// The versions that are looked for, from the newest to the oldest.
const (
	oldest = 14
	newest = 30
)

// Limits of what the programs hand back.
const (
	maxModule = 64 << 20
	maxLog    = 1 << 20
)

// Install says what to install where there is no front end.
const Install = "install clang and llvm-spirv of one version, 14 or newer (Debian and Ubuntu: apt-get install clang-15 llvm-spirv-15)"

// waitDelay is how long output of a program is waited for once it has ended.
const waitDelay = time.Second

// pair is a compiler and a translator.
type pair struct{ clang, translator string }

// find looks for the programs. The error wraps mux.ErrNoFrontEnd.
func (f *FrontEnd) find(ctx context.Context) (pair, error) {
	missing := func(why string) (pair, error) { return pair{}, missing(why) }
	if f.opt.Clang != "" || f.opt.Translator != "" {
		p := pair{f.opt.Clang, f.opt.Translator}
		if p.clang == "" {
			p.clang = "clang" + suffix(p.translator)
		}
		if p.translator == "" {
			p.translator = "llvm-spirv" + suffix(p.clang)
		}
		for _, name := range []*string{&p.clang, &p.translator} {
			found, err := exec.LookPath(*name)
			if err != nil {
				return missing(fmt.Sprintf("%s cannot be run: %v", *name, err))
			}
			*name = found
		}
		return p.absolute()
	}
	var alone []string // programs without the other one of their version
	for v := newest; v >= oldest; v-- {
		n := "-" + strconv.Itoa(v)
		if p, ok := look("clang"+n, "llvm-spirv"+n, &alone); ok {
			return p.absolute()
		}
	}
	p, ok := look("clang", "llvm-spirv", &alone)
	if !ok {
		why := fmt.Sprintf("there is no clang with an llvm-spirv of the same version in PATH (looked for clang-%d to clang-%d and clang", newest, oldest)
		if len(alone) > 0 {
			why += ", and found " + strings.Join(alone, ", ")
		}
		return missing(why + ")")
	}
	out, err := exec.CommandContext(ctx, p.clang, "--version").Output()
	if ctx.Err() != nil {
		return pair{}, ctx.Err()
	}
	if v := version(string(out)); err != nil || v < oldest {
		return missing(fmt.Sprintf("%s has version %d", p.clang, v))
	}
	return p.absolute()
}

// missing is the error for programs that are not there.
func missing(why string) error { return fmt.Errorf("%s; %s: %w", why, Install, mux.ErrNoFrontEnd) }

// look looks for two programs in PATH. One that is there without the other is added to alone.
func look(clang, translator string, alone *[]string) (pair, bool) {
	c, err := exec.LookPath(clang)
	t, err2 := exec.LookPath(translator)
	switch {
	case err == nil && err2 != nil:
		*alone = append(*alone, clang+" without "+translator)
	case err != nil && err2 == nil:
		*alone = append(*alone, translator+" without "+clang)
	}
	return pair{c, t}, err == nil && err2 == nil
}

// findTranslator looks for a translator of any version. The error wraps mux.ErrNoFrontEnd.
func (f *FrontEnd) findTranslator() (string, error) {
	names := []string{f.opt.Translator}
	if f.opt.Translator == "" {
		names = nil
		for v := newest; v >= oldest; v-- {
			names = append(names, "llvm-spirv-"+strconv.Itoa(v))
		}
		names = append(names, "llvm-spirv")
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", missing("there is no " + names[len(names)-1] + " in PATH")
}

// absolute makes paths that hold in another folder.
func (p pair) absolute() (pair, error) {
	for _, name := range []*string{&p.clang, &p.translator} {
		abs, err := filepath.Abs(*name)
		if err != nil {
			return p, fmt.Errorf("%s: %w: %w", *name, mux.ErrNoFrontEnd, err)
		}
		*name = abs
	}
	return p, nil
}

// suffix is the version behind a program's name: "-15" of "/usr/bin/clang-15".
func suffix(program string) string {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	return regexp.MustCompile(`-[0-9]+$`).FindString(name)
}

var versionText = regexp.MustCompile(`clang version ([0-9]+)\.`)

// version reads what clang says of itself, 0 when that is something else.
func version(text string) int {
	m := versionText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

// CompileOpenCLC implements [mux.FrontEnd].
func (f *FrontEnd) CompileOpenCLC(ctx context.Context, req *mux.FrontEndRequest) (*mux.FrontEndResult, error) {
	p, err := f.find(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "lockstep-clang-")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", mux.ErrFailure, err)
	}
	defer os.RemoveAll(dir)
	if err := writeFiles(dir, req); err != nil {
		return nil, err
	}
	args, err := clangArgs(req)
	if err != nil {
		return nil, err
	}
	res := &mux.FrontEndResult{}
	if err := run(ctx, dir, p.clang, append(args, f.opt.ClangArgs...), res); err != nil {
		return res, err
	}
	if err := run(ctx, dir, p.translator, append([]string{bitcodeName, "-o", moduleName}, f.opt.TranslatorArgs...), res); err != nil {
		return res, err
	}
	if res.SPIRV, err = readModule(filepath.Join(dir, moduleName)); err != nil {
		return res, err
	}
	return res, nil
}

// The files in the folder.
const (
	sourceName  = "program.cl"
	headerDir   = "include"
	bitcodeName = "program.bc"
	moduleName  = "program.spv"
)

// writeFiles writes the source and the headers.
func writeFiles(dir string, req *mux.FrontEndRequest) error {
	write := func(name, text string) error {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return fmt.Errorf("%w: %w", mux.ErrFailure, err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return fmt.Errorf("%w: %w", mux.ErrFailure, err)
		}
		return nil
	}
	if err := write(sourceName, req.Source); err != nil {
		return err
	}
	for _, h := range req.Headers {
		// Nothing is to be written anywhere else.
		if name := filepath.FromSlash(h.Name); !filepath.IsLocal(name) || path.Clean(h.Name) == "." {
			return fmt.Errorf("the header %q is no path that sources can include: %w", h.Name, mux.ErrInvalidValue)
		}
		if err := write(filepath.Join(headerDir, filepath.FromSlash(h.Name)), h.Source); err != nil {
			return err
		}
	}
	return nil
}

// passedOn are the options of OpenCL that clang takes as they are.
var passedOn = map[string]bool{
	"-cl-single-precision-constant": true, "-cl-denorms-are-zero": true, "-cl-fp32-correctly-rounded-divide-sqrt": true,
	"-cl-strict-aliasing": true, "-cl-uniform-work-group-size": true, "-cl-no-signed-zeros": true, "-cl-mad-enable": true,
	"-cl-unsafe-math-optimizations": true, "-cl-finite-math-only": true, "-cl-fast-relaxed-math": true,
	"-cl-kernel-arg-info": true, "-w": true, "-Werror": true, "-g": true,
}

// clangArgs returns the arguments of clang.
func clangArgs(req *mux.FrontEndRequest) ([]string, error) {
	target, level := "spir64-unknown-unknown", "-O2"
	if req.Device != nil && req.Device.AddressBits == 32 {
		target = "spir-unknown-unknown"
	}
	o := req.Options
	if o == nil {
		o = &mux.Options{}
	}
	if o.Has("-cl-opt-disable") {
		level = "-O0"
	}
	args := []string{"-c", "-x", "cl", "-target", target, "-emit-llvm", level}
	args = append(args, commonArgs...)
	args = append(args, "-ffp-contract=off", "-fdebug-compilation-dir=.", "-fno-color-diagnostics", "-Xclang", "-finclude-default-header", "-I", headerDir)
	if o.Std != "" {
		args = append(args, "-cl-std="+o.Std)
	}
	if req.Profile == mux.EmbeddedProfile {
		args = append(args, "-D__EMBEDDED_PROFILE__=1")
	}
	if d := req.Device; d != nil {
		if !d.Half {
			args = append(args, "-Xclang", "-cl-ext=-cl_khr_fp16")
		}
		if !d.Double {
			args = append(args, "-Xclang", "-cl-ext=-cl_khr_fp64")
		}
	}
	for _, flag := range o.Flags {
		if passedOn[flag] {
			args = append(args, flag)
		}
	}
	for _, d := range o.Definitions {
		args = append(args, "-D"+d)
	}
	for _, include := range o.Includes {
		abs, err := filepath.Abs(include)
		if err != nil {
			return nil, fmt.Errorf("-I %s: %w: %w", include, mux.ErrFailure, err)
		}
		args = append(args, "-I", abs)
	}
	return append(args, "-o", bitcodeName, sourceName), nil
}

// environment is what the programs see of the environment: enough to be found and loaded,
// nothing that changes what they make.
func environment(dir string) []string {
	env := []string{"LC_ALL=C", "TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir, "SOURCE_DATE_EPOCH=0"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot", "PATHEXT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// errorLine is a line of clang or the translator that reports an error.
var errorLine = regexp.MustCompile(`(?m)^(.*: )?(fatal )?error: `)

// run runs a program in the folder, and adds what it says to the result. The error
// wraps mux.ErrCompileProgramFailure when the program did not succeed.
func run(ctx context.Context, dir, program string, args []string, res *mux.FrontEndResult) error {
	log := &limited{}
	err := execute(ctx, dir, dir, program, args, nil, log)
	text := strings.ReplaceAll(log.String(), dir+string(filepath.Separator), "")
	res.Log += text
	if err == nil || ctx.Err() != nil {
		return err
	}
	res.Errors += max(len(errorLine.FindAllStringIndex(text, -1)), 1)
	if text == "" && errors.Is(err, mux.ErrCompileProgramFailure) {
		res.Log += fmt.Sprintf("error: %v\n", err)
	}
	return err
}

// readModule reads what the translator has made.
func readModule(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the translator made no module: %w: %w", mux.ErrCompileProgramFailure, err)
	case info.Size() > maxModule:
		return nil, fmt.Errorf("the module has %d bytes, there may be %d: %w", info.Size(), maxModule, mux.ErrCompileProgramFailure)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", mux.ErrFailure, err)
	}
	return b, nil
}

// limited keeps the start of what is written to it.
type limited struct {
	buf     bytes.Buffer
	dropped bool
}

func (l *limited) Write(p []byte) (int, error) {
	room := maxLog - l.buf.Len()
	if len(p) > room {
		l.dropped = true
	}
	l.buf.Write(p[:min(len(p), room)])
	return len(p), nil
}

func (l *limited) String() string {
	if l.dropped {
		return l.buf.String() + "\n(the rest of the log is left out)\n"
	}
	return l.buf.String()
}
