package main

import (
	"math"
	"testing"
)

// TestCheckedFigures holds the figures of launches with checks to their targets.
func TestCheckedFigures(t *testing.T) {
	figures := checkedFigures([]checked{
		{kernel: "one", portable: ratio{32, 30}, standard: ratio{59, 50}, grind: ratio{10, 9}, shadow: 4},
		{kernel: "two", portable: ratio{2, 2}, standard: ratio{60, 50}, grind: ratio{90, 90}, shadow: 17},
	})
	want := []struct {
		name    string
		value   float64
		verdict string
	}{
		{"kernels against lockstep interp without checks", 8, holds},
		{"one against lockstep interp without checks", 32, misses},
		{"two against lockstep interp without checks", 2, holds},
		{"kernels against the default engine without checks", math.Sqrt(59 * 60), ""},
		{"one against the default engine without checks", 59, holds},
		{"two against the default engine without checks", 60, misses},
		{"kernels against Oclgrind with --data-races --uninitialized", 30, holds},
		{"one against Oclgrind with --data-races --uninitialized", 10, ""},
		{"two against Oclgrind with --data-races --uninitialized", 90, ""},
		{"most shadow memory a byte of the buffers", 17, misses},
	}
	if len(figures) != len(want) {
		t.Fatalf("%d figures, not %d: %+v", len(figures), len(want), figures)
	}
	for i, w := range want {
		f := figures[i]
		if f.Table != checksTable || f.Name != w.name || math.Abs(f.Value-w.value) > 1e-9 || f.Verdict != w.verdict {
			t.Errorf("%+v, want %+v", f, w)
		}
	}
}

// TestChecksWorker runs a kernel with all checks in a worker, which says how much shadow memory they took.
func TestChecksWorker(t *testing.T) {
	w := worker{index: lockstepIndex, sessions: map[int]session{}}
	workloads, err := choose("^saxpy$")
	if err != nil {
		t.Fatal(err)
	}
	for i, check := range []bool{false, true} {
		q := request{Op: opOpen, Session: i, Kernel: "saxpy", Launch: workloads[0].Small, Engine: "interp", FromSource: true, Check: check}
		if _, err := w.answer(&q); err != nil {
			t.Fatal(err)
		}
		a, err := w.answer(&request{Op: opFirst, Session: i})
		if err != nil {
			t.Fatal(err)
		}
		if a.Memory != 2*4<<18 || (a.Shadow > 0) != check {
			t.Errorf("check %t: %d bytes of shadow memory for %d bytes", check, a.Shadow, a.Memory)
		}
		if _, err := w.answer(&request{Op: opClose, Session: i}); err != nil {
			t.Fatal(err)
		}
	}
}
