package main

import (
	"encoding/binary"
	"errors"
	"math"
	"regexp"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

func TestDistance(t *testing.T) {
	f := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	for _, c := range []struct {
		a, b uint64
		want uint64
	}{
		{f(1), f(1), 0},
		{f(1), f(math.Nextafter32(1, 2)), 1},
		{f(math.Nextafter32(1, 0)), f(math.Nextafter32(1, 2)), 2},
		{f(0), f(float32(math.Copysign(0, -1))), 0},
		{f(math.SmallestNonzeroFloat32), f(-math.SmallestNonzeroFloat32), 2},
		{f(math.MaxFloat32), f(float32(math.Inf(1))), 1},
	} {
		if got := distance(c.a, c.b, 4); got != c.want {
			t.Errorf("distance(%#x, %#x) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if got := distance(math.Float64bits(1), math.Float64bits(math.Nextafter(1, 2)), 8); got != 1 {
		t.Errorf("distance of neighbouring doubles = %d, want 1", got)
	}
}

// TestCompare changes one element at a time and looks at the verdict.
func TestCompare(t *testing.T) {
	k := &kernels.Kernel{Name: "k", Tolerance: &kernels.Tolerance{Ulps: 2, Bits: 32}}
	ints, err := argspec.Parse("iota:u32:4", nil)
	if err != nil {
		t.Fatal(err)
	}
	floats, err := argspec.Parse("buf:f32:1,2,3,4", nil)
	if err != nil {
		t.Fatal(err)
	}
	args := []*argspec.Arg{ints, floats}
	want := [][]byte{ints.Data, floats.Data}
	for _, c := range []struct {
		name         string
		argument, by int
		want         verdict
	}{
		{"equal", 1, 0, verdict{"k", stateOK, ""}},
		{"one ulp of a float", 1, 1, verdict{"k", stateNear, "1 ulp"}},
		{"too far", 1, 3, verdict{"k", stateMismatch, "argument 1: 1 of 4 elements differ, first at 2: want 0x40400000, got 0x40400003"}},
		{"an integer", 0, 1, verdict{"k", stateMismatch, "argument 0: 1 of 4 elements differ, first at 2: want 0x2, got 0x3"}},
	} {
		got := [][]byte{slices.Clone(ints.Data), slices.Clone(floats.Data)}
		b := got[c.argument][8:]
		binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)+uint32(c.by))
		if v := compare(k, args, want, got); v != c.want {
			t.Errorf("%s: %v, want %v", c.name, v, c.want)
		}
	}
}

func TestParseVerdict(t *testing.T) {
	for _, v := range []verdict{
		{"saxpy", stateOK, ""},
		{"fft", stateNear, "12 ulp"},
		{"relational", stateKnown, "denormals count as normal (argument 2: …)"},
		{"strips", stateSkipped, "an extension"},
	} {
		out := "noise from a compiler\n" + v.String() + "\n"
		if got, ok := parseVerdict(v.name, out); !ok || got != v {
			t.Errorf("parseVerdict(%q) = %v, %v; want %v", out, got, ok, v)
		}
	}
	for _, out := range []string{"", "saxpy", "saxpy fine", "other ok"} {
		if v, ok := parseVerdict("saxpy", out); ok {
			t.Errorf("parseVerdict(%q) = %v, want none", out, v)
		}
	}
}

// TestKnownNames shows that the list of known differences names kernels that exist.
func TestKnownNames(t *testing.T) {
	for _, k := range known {
		if kernels.Find(k.kernel) == nil {
			t.Errorf("known difference of %s: there is no kernel %s", k.implementation, k.kernel)
		}
	}
}

// TestSkipped shows that a kernel is skipped before anything runs, and only then.
func TestSkipped(t *testing.T) {
	k := kernels.Find("matmul_marks")
	if v := judge(ocl.Device{}, k, ""); v != (verdict{k.Name, stateSkipped, k.Only}) {
		t.Errorf("%v, want it skipped because %s", v, k.Only)
	}
	if v, ok := skipped(kernels.Find("async_chain")); ok {
		t.Errorf("async_chain is skipped: %v", v)
	}
}

// TestSkippedSets shows that sets are skipped, each with the reason.
func TestSkippedSets(t *testing.T) {
	if v := skippedSets(regexp.MustCompile("^pipe_sieve$")); len(v) != 1 || v[0] != (verdict{"pipe_sieve", stateSkipped, kernels.Alone}) {
		t.Errorf("%v", v)
	}
	if v := skippedSets(regexp.MustCompile("")); len(v) != len(kernels.Sets()) {
		t.Errorf("%d sets of %d", len(v), len(kernels.Sets()))
	}
}

// TestDevice judges a kernel on whatever OpenCL implementation the machine has.
func TestDevice(t *testing.T) {
	device, err := ocl.FindDevice("", "")
	if err != nil {
		t.Skip(err)
	}
	if n, err := device.ComputeUnits(); err != nil || n == 0 {
		t.Errorf("%d compute units, error %v", n, err)
	}
	if n, err := device.MaxWorkGroupSize(); err != nil || n == 0 {
		t.Errorf("work-groups of at most %d work-items, error %v", n, err)
	}
	if v := judge(device, kernels.Find("vecadd"), ""); v.state != stateOK {
		t.Error(v)
	}
	ctx, err := device.NewContext()
	if err != nil {
		t.Fatal(err)
	}
	defer ctx.Release()
	program, err := ctx.ProgramFromSource("kernel void broken(int x) { this is no program; }")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Release()
	var failure *ocl.BuildError
	if err := program.Build(""); !errors.As(err, &failure) {
		t.Errorf("building a broken program gave %v, want a BuildError", err)
	}
}
