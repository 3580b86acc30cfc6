package mux_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

const scaleSource = `
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

var scaleHeaders = []mux.InputHeader{
	{Name: "lib/scale.h", Source: "#include \"lib/deep/one.h\"\n"}, {Name: "lib/deep/one.h", Source: "#define SCALE(x, y) ((x) * (y))\n"},
}

// TestOpenCLC compiles, finalizes and runs a source with headers and options.
func TestOpenCLC(t *testing.T) {
	for _, options := range []string{"-DBIAS=3", "-D BIAS=3 -cl-opt-disable", "-DBIAS=3 -cl-std=CL2.0 -g -cl-kernel-arg-info -cl-mad-enable -w -Werror"} {
		m, diag := newModule(t)
		if err := m.ParseOptions(options, mux.OptionsCompile); err != nil {
			t.Fatal(err)
		}
		if err := m.CompileOpenCLC(t.Context(), mux.FullProfile, scaleSource, scaleHeaders); err != nil {
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

// TestOpenCLCLog has what the compiler says in the log, and the errors counted.
func TestOpenCLCLog(t *testing.T) {
	for _, c := range []struct {
		options, profile, source string
		errors                   int
		fails                    error
		log                      string
	}{
		{"", mux.FullProfile, "kernel void k(global int *p) { *p = nothing; *p = never; }", 2, mux.ErrCompileProgramFailure, "program.cl:1:37: error: "},
		{"", mux.EmbeddedProfile, scaleSource, 2, mux.ErrCompileProgramFailure, "embedded"},
		{"", mux.FullProfile, "#warning take care\nkernel void k() {}", 0, nil, "program.cl:1:2: warning: take care"},
		{"-Werror", mux.FullProfile, "#warning take care\nkernel void k() {}", 1, mux.ErrCompileProgramFailure, "error: take care"},
		{"-w", mux.FullProfile, "#warning take care\nkernel void k() {}", 0, nil, ""},
		{"-cl-std=CL9.9", mux.FullProfile, "kernel void k() {}", 0, mux.ErrInvalidCompilerOptions, ""},
	} {
		m, diag := newModule(t)
		if err := m.ParseOptions(c.options, mux.OptionsCompile); err != nil {
			t.Fatal(err)
		}
		err := m.CompileOpenCLC(t.Context(), c.profile, c.source, scaleHeaders)
		if !errors.Is(err, c.fails) || diag.NumErrors() != c.errors || !strings.Contains(diag.Log(), c.log) || c.log == "" && diag.Log() != "" {
			t.Errorf("%s %s: %v, %d errors and the log\n%s", c.options, c.source, err, diag.NumErrors(), diag.Log())
		}
	}
}

// TestOpenCLCDevice has what a device lacks left out of the language.
func TestOpenCLCDevice(t *testing.T) {
	for _, c := range []struct {
		change func(*mux.DeviceInfo)
		source string
		log    string
	}{
		{func(d *mux.DeviceInfo) { d.AddressBits = 32 }, "#if __SIZEOF_POINTER__ != 4\n#error wide\n#endif\nkernel void k(global long *p) { *p = sizeof(p); }", ""},
		{func(d *mux.DeviceInfo) { d.Double = false }, "#ifdef cl_khr_fp64\n#error there\n#endif\nkernel void k(global float *p) { *p = 1.5 + *p; }", "cl_khr_fp64"},
		{func(d *mux.DeviceInfo) { d.Double = false }, "kernel void k(global double *p) { *p = 1; }", "the type 'double' needs cl_khr_fp64"},
		{func(d *mux.DeviceInfo) { d.Half = false }, "#ifdef cl_khr_fp16\n#error there\n#endif\nkernel void k(global float *p) { *p = 1; }", ""},
		{func(*mux.DeviceInfo) {}, "#if !defined cl_khr_fp16 || !defined cl_khr_fp64 || __SIZEOF_POINTER__ != 8\n#error missing\n#endif\nkernel void k(global double *p) { *p = 1; }", ""},
	} {
		list, err := mux.Compilers(mux.GetCompilers)
		if err != nil {
			t.Fatal(err)
		}
		d := *list[0].DeviceInfo()
		c.change(&d)
		res, err := mux.OpenCLC.CompileOpenCLC(t.Context(), &mux.FrontEndRequest{Profile: mux.FullProfile, Source: c.source, Device: &d})
		switch {
		case res == nil, c.log == "" && (err != nil || res.Log != ""), !strings.Contains(res.Log, c.log):
			t.Errorf("%s: %v, %+v", c.source, err, res)
		}
	}
}

// TestOpenCLCFiles has files read from the folders of -I only.
func TestOpenCLCFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"inc/a.h": "#include \"sub/b.h\"\n", "inc/sub/b.h": "#define B 1\n", "secret.h": "#define B 1\n"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inc := filepath.ToSlash(filepath.Join(dir, "inc"))
	secret := filepath.ToSlash(filepath.Join(dir, "secret.h"))
	for include, found := range map[string]bool{
		`"a.h"`: true, `<a.h>`: true, `<sub/b.h>`: true, `"../secret.h"`: false, `<sub/../../secret.h>`: false, `"` + secret + `"`: false, `"sub"`: false,
	} {
		res, err := mux.OpenCLC.CompileOpenCLC(t.Context(), &mux.FrontEndRequest{
			Profile: mux.FullProfile, Source: "#include " + include + "\nkernel void k(global int *p) { *p = B; }", Options: &mux.Options{Includes: []string{inc}},
		})
		if (err == nil) != found {
			t.Errorf("%s: %v, %+v", include, err, res)
		}
	}
	for _, name := range []string{"", ".", "..", "../x.h", "/x.h", "a/../../x.h"} {
		_, err := mux.OpenCLC.CompileOpenCLC(t.Context(), &mux.FrontEndRequest{Profile: mux.FullProfile, Headers: []mux.InputHeader{{Name: name}}})
		if !errors.Is(err, mux.ErrInvalidValue) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestOpenCLCCancel has a compilation end with its context.
func TestOpenCLCCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	source := "kernel void k(global int *p) {" + strings.Repeat("*p = *p + 1;\n", 1<<16) + "}"
	_, err := mux.OpenCLC.CompileOpenCLC(ctx, &mux.FrontEndRequest{Profile: mux.FullProfile, Source: source})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
