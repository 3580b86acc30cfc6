package emu_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/link"
)

// linkInputs reads modules of testdata/link.
func linkInputs(t testing.TB, names ...string) []emu.LinkInput {
	t.Helper()
	var list []emu.LinkInput
	for _, name := range names {
		code, err := os.ReadFile("testdata/link/" + name + ".spv")
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, emu.LinkInput{Name: name, Code: code})
	}
	return list
}

// filtered is what the kernels of testdata/link compute.
func filtered(in []float32) []float32 {
	taps := [4]float32{1, 2, 4, 8}
	bias := [2]float32{1, -1}
	mix := func(a, b float32) float32 { return a + float32(0.5*b) }
	out := make([]float32, len(in))
	for i := range in {
		sum := bias[i&1]
		for k := range 4 {
			sum = mix(sum, float32(taps[k]*in[min(i+k, len(in)-1)]))
		}
		for s := range 3 {
			sum = mix(float32(sum*float32(int(1)<<s)), float32(s+1))
		}
		out[i] = sum
	}
	return out
}

// TestLinkProgram links and runs modules of a real compiler: functions, constants
// and variables that one module defines and another one uses, inline functions in both,
// and a structure that leads to itself.
func TestLinkProgram(t *testing.T) {
	for _, names := range [][]string{
		{"kernel.O0", "library.O0"}, {"library.O0", "kernel.O0"}, {"kernel.O2", "library.O2"}, {"library.O2", "kernel.O0"},
	} {
		for _, subgroup := range []int{4, 32} {
			d := device(t, emu.DeviceOptions{SubgroupSize: subgroup})
			p, err := d.LinkProgram(linkInputs(t, names...), emu.ProgramOptions{})
			if err != nil {
				t.Fatal(names, err)
			}
			if got := p.Info(); len(got.Exports) != 0 || len(got.EntryPoints) != 3 {
				t.Errorf("%v: exports %v, entry points %v", names, got.Exports, p.Kernels())
			}
			in := make([]float32, 37)
			for i := range in {
				in[i] = float32(i*i%19) - 5.25
			}
			stages, src, dst, calls := buffer(t, d, make([]byte, 3*16)...), buffer(t, d, in...), buffer(t, d, make([]float32, len(in))...), buffer(t, d, int32(0))
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "build"), Range: emu.Range(1), Args: []emu.Arg{stages, emu.Value(int32(3))}})
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "filter"), Range: emu.Range(uint64(len(in))), Args: []emu.Arg{stages, src, dst, emu.Value(int32(len(in)))}})
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "counted"), Range: emu.Range(1), Args: []emu.Arg{calls}})
			if diff := cmp.Diff(filtered(in), contents[float32](t, dst)); diff != "" {
				t.Errorf("%v, sub-groups of %d (-want +got):\n%s", names, subgroup, diff)
			}
			if got := contents[int32](t, calls)[0]; got != 100+int32(len(in)) {
				t.Errorf("%v: the variable is %d after %d calls", names, got, len(in))
			}
		}
	}
}

// TestLinkModules holds that a library can be linked again, and that what is not
// defined is told with the names of the modules.
func TestLinkModules(t *testing.T) {
	library, err := emu.LinkModules(linkInputs(t, "library.O0"), link.Options{Library: true})
	if err != nil {
		t.Fatal(err)
	}
	d := device(t, emu.DeviceOptions{})
	if _, err := d.LinkProgram(append(linkInputs(t, "kernel.O2"), emu.LinkInput{Name: "library", Code: library}), emu.ProgramOptions{}); err != nil {
		t.Error(err)
	}
	_, err = d.LinkProgram(linkInputs(t, "kernel.O2"), emu.ProgramOptions{})
	var me *emu.ModuleError
	if !errors.Is(err, link.ErrUnresolved) || !errors.As(err, &me) || me.Stage != "link" || !strings.HasPrefix(err.Error(), "cannot link the modules: \"") {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"_Z11clamp_indexii", "_Z5applyPU3AS15stagef", "taps", "calls"} {
		if err == nil || !strings.Contains(err.Error(), `"`+name+`" is imported`) {
			t.Errorf("%s is not told in %v", name, err)
		}
	}
	_, err = d.LinkProgram([]emu.LinkInput{{Code: []byte("no module")}}, emu.ProgramOptions{})
	var de *spirv.DecodeError
	if !errors.As(err, &de) || !strings.Contains(err.Error(), "module 1") {
		t.Errorf("error %v", err)
	}
	var none *emu.Device
	if _, err := none.LinkProgram(nil, emu.ProgramOptions{}); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("no device: %v", err)
	}
	if _, err := d.LinkProgram(nil, emu.ProgramOptions{}); !errors.Is(err, link.ErrMalformed) {
		t.Errorf("no modules: %v", err)
	}
}
