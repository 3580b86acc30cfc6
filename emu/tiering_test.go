package emu_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestSmallLaunches sees that small launches of a kernel do not wait for machine code, that it is there
// when they have done more, and that nobody can tell which of them ran how.
func TestSmallLaunches(t *testing.T) {
	run := func(d *emu.Device, k *emu.Kernel, n uint64) ([]float32, emu.Counters) {
		t.Helper()
		x, out := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], out[i] = float32(i)/3, float32(math.Sqrt(float64(i)))
		}
		to := buffer(t, d, out...)
		r := mustRun(t, &emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{n}, Local: []uint64{min(n, 64)}},
			Args: []emu.Arg{emu.Value(float32(2)), buffer(t, d, x...), to}})
		return contents[float32](t, to), r.Counters
	}
	auto, portable := device(t, emu.DeviceOptions{}), device(t, emu.DeviceOptions{Engine: "interp"})
	if auto.Limits().Engine == "interp" {
		t.Skip("there is no machine code here")
	}
	k, reference := kernel(t, program(t, auto, "launch"), "saxpy"), kernel(t, program(t, portable, "launch"), "saxpy")
	for i, l := range []struct {
		items uint64
		made  bool
	}{{64, false}, {1, false}, {12800, false}, {2560, false}, {1024, true}, {64, true}} {
		got, counted := run(auto, k, l.items)
		want, expected := run(portable, reference, l.items)
		if !slices.Equal(got, want) || counted != expected {
			t.Errorf("launch %d: %v and %v, want %v and %v", i, got, counted, want, expected)
		}
		if emu.Compiled(k) != l.made {
			t.Errorf("launch %d: machine code %t, want %t", i, !l.made, l.made)
		}
	}
	for name, made := range map[string]bool{"auto": false, "native": true, "interp": true} {
		d := device(t, emu.DeviceOptions{Engine: name})
		k := kernel(t, program(t, d, "launch"), "saxpy")
		if run(d, k, 64); emu.Compiled(k) != made {
			t.Errorf("engine %s: compiled %t at the first launch, want %t", name, !made, made)
		}
	}
	// Those who launch much, or ask how the kernel runs, get machine code at once.
	for _, large := range []bool{false, true} {
		k := kernel(t, program(t, auto, "launch"), "saxpy")
		if large {
			run(auto, k, 1<<15)
		} else if err := k.Portable(); err != nil {
			t.Error(err)
		}
		if run(auto, k, 64); !emu.Compiled(k) {
			t.Errorf("no machine code, large launch: %t", large)
		}
	}
}

// TestSmallLoops sees that a kernel goes on in machine code when its loops turn out to be long, in the middle of a launch,
// and that nobody can tell.
func TestSmallLoops(t *testing.T) {
	auto, portable := device(t, emu.DeviceOptions{}), device(t, emu.DeviceOptions{Engine: "interp"})
	if auto.Limits().Engine == "interp" {
		t.Skip("there is no machine code here")
	}
	k, reference := kernel(t, program(t, auto, "launch"), "hello"), kernel(t, program(t, portable, "launch"), "hello")
	for i, l := range []struct {
		trips uint32
		check bool
		made  bool
	}{{2, false, false}, {9000, true, false}, {0, false, false}, {9000, false, true}, {1, false, true}} {
		launch := emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{5}, Local: []uint64{2}}, Args: []emu.Arg{emu.Value(l.trips)}, Check: l.check}
		got := mustRun(t, &launch)
		launch.Kernel = reference
		want := mustRun(t, &launch)
		if string(got.Output) != string(want.Output) || strings.Count(string(got.Output), "\n") != 5*int(l.trips) || got.Counters != want.Counters {
			t.Errorf("launch %d: %v, want %v; %d bytes of output, want %d", i, got.Counters, want.Counters, len(got.Output), len(want.Output))
		}
		if emu.Compiled(k) != l.made {
			t.Errorf("launch %d: machine code %t, want %t", i, !l.made, l.made)
		}
	}
}
