package clang

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// installed returns a front end, or skips the test.
func installed(t *testing.T) *FrontEnd {
	t.Helper()
	f := New(Options{})
	if _, err := f.find(t.Context()); err != nil {
		t.Skip(err)
	}
	return f
}

// module returns a module of lockstep's first compiler with a front end.
func module(t *testing.T, f mux.FrontEnd) (mux.Module, *mux.Diagnostics) {
	t.Helper()
	list, err := mux.Compilers(mux.GetCompilers)
	if err != nil {
		t.Fatal(err)
	}
	target, err := list[0].CreateTarget(mux.NewContext(mux.ContextOptions{FrontEnd: f}), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.InitWithBuiltins(nil); err != nil {
		t.Fatal(err)
	}
	diag := &mux.Diagnostics{}
	m, err := target.CreateModule(diag)
	if err != nil {
		t.Fatal(err)
	}
	return m, diag
}

const source = `
#include "lib/scale.h"
#ifdef __EMBEDDED_PROFILE__
#error embedded
#endif
kernel void scale(uint factor, global uint *data)
{
	size_t i = get_global_id(0);
	data[i] = SCALE(data[i], factor) + BIAS;
}
`

var headers = []mux.InputHeader{{Name: "lib/scale.h", Source: "#include \"lib/deep/one.h\"\n"}, {Name: "lib/deep/one.h", Source: "#define SCALE(x, y) ((x) * (y))\n"}}

// TestCompileOpenCLC compiles, finalizes and runs a source with headers and options.
func TestCompileOpenCLC(t *testing.T) {
	for _, options := range []string{"-DBIAS=3", "-D BIAS=3 -cl-opt-disable", "-DBIAS=3 -cl-std=CL2.0 -g -cl-kernel-arg-info -cl-mad-enable"} {
		m, diag := module(t, installed(t))
		if err := m.ParseOptions(options, mux.OptionsCompile); err != nil {
			t.Fatal(err)
		}
		if err := m.CompileOpenCLC(t.Context(), mux.FullProfile, source, headers); err != nil {
			t.Fatalf("%v\n%s", err, diag.Log())
		}
		if _, _, err := m.Finalize(t.Context()); err != nil {
			t.Fatal(err)
		}
		b, err := m.CreateBinary()
		if err != nil {
			t.Fatal(err)
		}
		d, err := emu.NewDevice(emu.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := mux.LoadExecutable(d, b)
		if err != nil {
			t.Fatal(err)
		}
		data, err := emu.NewBufferOf(d, []uint32{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		l, err := e.Launch("scale", &mux.NDRangeOptions{
			Descriptors:       []mux.Descriptor{{Type: mux.DescriptorPlainOldData, Data: []byte{10, 0, 0, 0}}, {Type: mux.DescriptorBuffer, Buffer: data}},
			DescriptorsLength: 2, LocalSize: [3]uint64{3, 1, 1}, GlobalOffset: []uint64{0}, GlobalSize: []uint64{3}, Length: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := emu.Read[uint32](data); err != nil || !slices.Equal(got, []uint32{13, 23, 33}) {
			t.Errorf("%s: %d, %v", options, got, err)
		}
	}
}

// TestDiagnostics: what clang says is the log.
func TestDiagnostics(t *testing.T) {
	m, diag := module(t, installed(t))
	err := m.CompileOpenCLC(t.Context(), mux.FullProfile, "kernel void k(global int *p) { *p = nothing; *p = never; }", nil)
	if !errors.Is(err, mux.ErrCompileProgramFailure) {
		t.Fatal(err)
	}
	if n := diag.NumErrors(); n != 2 || !strings.Contains(diag.Log(), "program.cl:1:37: error: use of undeclared identifier 'nothing'") || strings.Contains(diag.Log(), os.TempDir()) {
		t.Errorf("%d errors and the log\n%s", n, diag.Log())
	}
	diag.Reset()
	err = m.CompileOpenCLC(t.Context(), mux.EmbeddedProfile, source, headers)
	if !errors.Is(err, mux.ErrCompileProgramFailure) || !strings.Contains(diag.Log(), "embedded") {
		t.Errorf("%v and the log\n%s", err, diag.Log())
	}
	diag.Reset()
	// A warning is no error.
	if err := m.CompileOpenCLC(t.Context(), mux.FullProfile, "#warning take care\nkernel void k() {}", nil); err != nil {
		t.Fatal(err)
	}
	if diag.NumErrors() != 0 || !strings.Contains(diag.Log(), "warning: take care") {
		t.Errorf("%d errors and the log\n%s", diag.NumErrors(), diag.Log())
	}
}

// TestSameBytes: nothing of the folder gets into the module.
func TestSameBytes(t *testing.T) {
	f := installed(t)
	req := &mux.FrontEndRequest{Profile: mux.FullProfile, Source: source, Headers: headers, Options: &mux.Options{Definitions: []string{"BIAS=3"}, Flags: []string{"-g"}}}
	a, err := f.CompileOpenCLC(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.CompileOpenCLC(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.SPIRV, b.SPIRV) {
		t.Error("the second module is another")
	}
	if bytes := string(a.SPIRV); strings.Contains(bytes, "lockstep-clang-") {
		t.Error("the module has the name of the folder in it")
	}
}

// TestCleanUp: the folder goes, whatever happens.
func TestCleanUp(t *testing.T) {
	f := installed(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for _, text := range []string{"kernel void k() {}", "kernel void k( {}"} {
		_, _ = f.CompileOpenCLC(t.Context(), &mux.FrontEndRequest{Profile: mux.FullProfile, Source: text})
		left, err := os.ReadDir(tmp)
		if err != nil {
			t.Fatal(err)
		}
		if len(left) != 0 && runtime.GOOS != "windows" {
			t.Errorf("%q leaves %v behind", text, left)
		}
	}
}

// TestHeaderNames: headers stay inside of the folder.
func TestHeaderNames(t *testing.T) {
	f := installed(t)
	for _, name := range []string{"", ".", "..", "../x.h", "/x.h", "a/../../x.h"} {
		_, err := f.CompileOpenCLC(t.Context(), &mux.FrontEndRequest{Profile: mux.FullProfile, Source: "kernel void k() {}", Headers: []mux.InputHeader{{Name: name}}})
		if !errors.Is(err, mux.ErrInvalidValue) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestMissing: where nothing is installed, the error says what to install.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, opt := range []Options{{}, {Clang: "clang-15"}, {Translator: "llvm-spirv-15"}, {Clang: filepath.Join(t.TempDir(), "clang")}} {
		m, _ := module(t, New(opt))
		err := m.CompileOpenCLC(t.Context(), mux.FullProfile, source, headers)
		if !errors.Is(err, mux.ErrFeatureUnsupported) || !errors.Is(err, mux.ErrNoFrontEnd) || !strings.Contains(err.Error(), "apt-get install clang-15 llvm-spirv-15") {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// script writes a program for the tests.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("scripts do not run here")
	}
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestFind: pairs of a version go before others, and old ones do not count.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	f := New(Options{})
	script(t, dir, "clang", "echo 'Some clang version 13.0.1'\n")
	script(t, dir, "llvm-spirv", "")
	if _, err := f.find(t.Context()); !errors.Is(err, mux.ErrNoFrontEnd) {
		t.Errorf("version 13: %v", err)
	}
	script(t, dir, "clang", "echo 'Some clang version 19.1.0'\n")
	if p, err := f.find(t.Context()); err != nil || filepath.Base(p.clang) != "clang" {
		t.Errorf("version 19: %v, %v", p, err)
	}
	script(t, dir, "clang-16", "")
	if p, err := f.find(t.Context()); err != nil || filepath.Base(p.clang) != "clang" {
		t.Errorf("clang-16 alone: %v, %v", p, err)
	}
	script(t, dir, "llvm-spirv-16", "")
	if p, err := f.find(t.Context()); err != nil || filepath.Base(p.clang) != "clang-16" || filepath.Base(p.translator) != "llvm-spirv-16" {
		t.Errorf("a pair: %v, %v", p, err)
	}
	if p, err := New(Options{Clang: filepath.Join(dir, "clang-16")}).find(t.Context()); err != nil || filepath.Base(p.translator) != "llvm-spirv-16" {
		t.Errorf("clang named: %v, %v", p, err)
	}
}

// TestCancel: a program that does not end is killed when the context is over.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	started := filepath.Join(dir, "started")
	clang := script(t, dir, "clang-99", ": >"+started+"\nexec "+sleep+" 1000\n")
	script(t, dir, "llvm-spirv-99", "")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := New(Options{Clang: clang, Translator: filepath.Join(dir, "llvm-spirv-99")}).CompileOpenCLC(ctx, &mux.FrontEndRequest{Profile: mux.FullProfile})
		done <- err
	}()
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
		runtime.Gosched()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestFailures: programs that fail without a word, or succeed without a module.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	f := New(Options{Clang: script(t, dir, "clang-90", "exit 3\n"), Translator: script(t, dir, "llvm-spirv-90", "")})
	m, diag := module(t, f)
	if err := m.CompileOpenCLC(t.Context(), mux.FullProfile, "", nil); !errors.Is(err, mux.ErrCompileProgramFailure) || diag.NumErrors() != 1 {
		t.Errorf("%v, %d errors, log %q", err, diag.NumErrors(), diag.Log())
	}
	script(t, dir, "clang-90", "")
	diag.Reset()
	if err := m.CompileOpenCLC(t.Context(), mux.FullProfile, "", nil); !errors.Is(err, mux.ErrCompileProgramFailure) || diag.NumErrors() != 1 {
		t.Errorf("%v, %d errors, log %q", err, diag.NumErrors(), diag.Log())
	}
	script(t, dir, "clang-90", "while :; do echo 0123456789012345678901234567890123456789; done | head -c 3000000\n")
	script(t, dir, "llvm-spirv-90", "echo 'error: no'\nexit 1\n")
	res, err := f.CompileOpenCLC(t.Context(), &mux.FrontEndRequest{Profile: mux.FullProfile})
	if !errors.Is(err, mux.ErrCompileProgramFailure) || res.Errors != 1 || len(res.Log) > maxLog+200 || !strings.HasSuffix(res.Log, "error: no\n") {
		t.Errorf("%v, %d errors, a log of %d bytes", err, res.Errors, len(res.Log))
	}
}

// TestVersion: the version of the module is the translator's affair.
func TestVersion(t *testing.T) {
	f := installed(t)
	c, err := f.CompileFile(t.Context(), File{Path: "-", Text: []byte("kernel void k(global int *p) { *p = 1; }"),
		Args: []string{"-spirv-version=1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	if version := c.SPIRV[4:8]; string(version) != "\x00\x01\x01\x00" {
		t.Errorf("version % x", version)
	}
}
