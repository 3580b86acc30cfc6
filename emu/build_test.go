package emu_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// plainDevice returns a device with default options.
func plainDevice(t *testing.T) *emu.Device {
	t.Helper()
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// runInts runs a kernel on a buffer of ints and returns what it leaves there.
func runInts(t *testing.T, dev *emu.Device, p *emu.Program, kernel string, n uint64, data []int32) ([]int32, error) {
	t.Helper()
	k, err := p.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	b, err := emu.NewBufferOf(dev, data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Run(t.Context(), emu.Range(n), b); err != nil {
		return nil, err
	}
	got, err := emu.Read[int32](b)
	if err != nil {
		t.Fatal(err)
	}
	return got, nil
}

// TestBuildProgram builds programs of sources with options and runs them.
func TestBuildProgram(t *testing.T) {
	dev := plainDevice(t)
	for _, c := range []struct {
		options string
		want    []int32
	}{
		{"", []int32{300, 1}}, {"-cl-std=CL1.2", []int32{120, 1}}, {"-DN=5 -D M=2", []int32{300, 2}}, {"-D 'M=1 + 1'", []int32{300, 2}},
		{`-DM="7"`, []int32{300, 7}}, {"-cl-std=CL2.0 -cl-mad-enable -w -g", []int32{200, 1}}, {"-DM=3 -UM", []int32{300, 1}},
	} {
		p, l, err := dev.BuildProgram(`#ifndef M
#define M 1
#endif
kernel void f(global int *x) { x[0] = __OPENCL_C_VERSION__; x[1] = M; }`, c.options)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.options, err, l.Text(false))
		}
		if got, err := runInts(t, dev, p, "f", 1, []int32{0, 0}); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %d, %v, want %d", c.options, got, err, c.want)
		}
	}
}

// TestBuildProgramLog has the log of warnings and errors, and the errors of each kind.
func TestBuildProgramLog(t *testing.T) {
	dev := plainDevice(t)
	p, l, err := dev.BuildProgram("kernel void f(global int *x) { int unused; x[0] = 1; }", "-Wall")
	if err != nil || p == nil || len(l.Diagnostics) != 1 || l.Warnings() != 1 || l.Errors() != 0 {
		t.Fatalf("%v, %+v", err, l.Diagnostics)
	}
	if d := l.Diagnostics[0]; d.File != "program.cl" || d.Line != 1 || d.Column != 36 || d.Severity != "warning" || d.Flag != "unused-variable" {
		t.Errorf("%+v", d)
	}
	if text := l.Text(false); !strings.HasPrefix(text, "program.cl:1:36: warning: ") || !strings.HasSuffix(text, "1 warning generated.\n") {
		t.Errorf("%s", text)
	}

	p, l, err = dev.BuildProgram("kernel void f(global int *x) { x[0] = y; x[1] = z; }", "")
	var wrong *clc.Error
	if p != nil || !errors.As(err, &wrong) || l.Errors() != 2 || !strings.Contains(err.Error(), "program.cl:1:39: error: ") || !strings.HasSuffix(err.Error(), "(and another error)") {
		t.Errorf("%v, %s", err, l.Text(false))
	}
	var option *clc.OptionError
	for _, o := range []string{"-frobnicate", "-cl-std=CL7", "-D", `-D "`} {
		if p, _, err := dev.BuildProgram("kernel void f() {}", o); p != nil || !errors.As(err, &option) {
			t.Errorf("%s: %v", o, err)
		}
	}
	if _, _, err := dev.BuildProgram("#include \"a.h\"\n", ""); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "a.h") {
		t.Errorf("#include without headers: %v", err)
	}
	var refused *emu.ModuleError
	if _, _, err := dev.BuildProgram("float g(float); kernel void f(global float *x) { x[0] = g(x[0]); }", ""); err != nil && !errors.As(err, &refused) {
		t.Errorf("a function without a definition: %v", err)
	}
	var none *emu.Device
	if _, _, err := none.BuildProgram("kernel void f() {}", ""); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("without a device: %v", err)
	}
	closed := plainDevice(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := closed.BuildProgram("kernel void f() {}", ""); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("with a closed device: %v", err)
	}
}

// TestBuildProgramContext has headers, and findings that show lines of the source and of headers.
func TestBuildProgramContext(t *testing.T) {
	dev := plainDevice(t)
	src := clc.Source{Name: "kernels/f.cl", Text: "#include \"far.h\"\n#include <lib/far.h>\nkernel void f(global int *x)\n{\n\tx[get_global_id(0)] = far(x, N);\n}\n" +
		"kernel void g(global int *x)\n{\n\tx[N] = 1;\n}\n"}
	opt := clc.Options{
		Headers:     map[string]string{"kernels/far.h": "#define N 1000\n", "lib/far.h": "int far(global int *p, int n);\n\nint far(global int *p, int n)\n{\n\treturn p[n];\n}\n"},
		Definitions: []string{"UNUSED"},
	}
	p, l, err := dev.BuildProgramContext(t.Context(), src, opt, emu.ProgramOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, l.Text(false))
	}
	for kernel, want := range map[string][2]string{"f": {"lib/far.h", "\treturn p[n];"}, "g": {"kernels/f.cl", "\tx[N] = 1;"}} {
		_, err := runInts(t, dev, p, kernel, 1, []int32{1, 2})
		var found *emu.FindingsError
		if !errors.As(err, &found) || len(found.Findings.Findings) != 1 {
			t.Fatalf("%s: %v", kernel, err)
		}
		if at := found.Findings.Findings[0].Place; at.File != want[0] || strings.TrimSpace(at.Source) != strings.TrimSpace(want[1]) {
			t.Errorf("%s: %+v, want %q", kernel, at, want)
		}
	}
	asked := []string{}
	opt.Headers = nil
	opt.Open = func(name string) (string, bool) {
		asked = append(asked, name)
		return "#define N 0\nint far(global int *p, int n) { return 7; }\n#pragma once\n", strings.HasSuffix(name, "far.h") && len(asked) > 1
	}
	opt.Include = []string{"inc"}
	if _, l, err = dev.BuildProgramContext(t.Context(), src, opt, emu.ProgramOptions{}); err != nil && l.Errors() == 0 {
		t.Fatal(err)
	}
	if !slices.Contains(asked, "kernels/far.h") || !slices.Contains(asked, "inc/far.h") {
		t.Errorf("asked for %q", asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	src.Text = "kernel void f(global int *x) {" + strings.Repeat("x[0] = 1;\n", 1<<16) + "}"
	if _, _, err := dev.BuildProgramContext(ctx, src, clc.Options{}, emu.ProgramOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestSwitchOnBits branches by the bits of a float, which are no other value than the float itself.
func TestSwitchOnBits(t *testing.T) {
	const source = `kernel void k(global int *o, global const float *f) {
	size_t i = get_global_id(0);
	switch (as_int(f[i])) {
	case 0x3f800000: o[i] = 1; break;
	case 0x40000000: o[i] = 2; break;
	default: o[i] = 3;
	}
}`
	for _, engine := range emu.Engines() {
		if engine == "compare" {
			continue
		}
		dev, err := emu.NewDevice(emu.DeviceOptions{Engine: engine})
		if err != nil {
			t.Logf("%s: %v", engine, err)
			continue
		}
		p, _, err := dev.BuildProgram(source, "")
		if err != nil {
			t.Fatal(err)
		}
		k, err := p.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		out, err := emu.NewBufferOf(dev, make([]int32, 4))
		if err != nil {
			t.Fatal(err)
		}
		in, err := emu.NewBufferOf(dev, []float32{2, 1, 0, 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Run(t.Context(), emu.Range(4), out, in); err != nil {
			t.Fatal(err)
		}
		got, err := emu.Read[int32](out)
		if want := []int32{2, 1, 3, 1}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", engine, got, err, want)
		}
	}
}
