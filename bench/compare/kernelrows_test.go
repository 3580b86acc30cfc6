package main

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// TestEqualWork holds that a slow implementation gets the smaller launch, and
// that its time counts for the work that it did: here the slow one is lockstep
// too, and does a quarter of the elements.
func TestEqualWork(t *testing.T) {
	c := &comparison{sizes: "default", runs: 5, budget: time.Microsecond,
		implementations: []Implementation{{Name: interpreter}, {Name: oclgrind}, {Name: handwritten}},
		processes:       []*process{localProcess(t), localProcess(t), nil}}
	w := &bench.Workload{Kernel: kernels.Find("saxpy"), Small: bench.Saxpy(1 << 10), Default: bench.Saxpy(1 << 12)}
	row, err := c.compareKernel(w)
	if err != nil {
		t.Fatal(err)
	}
	if row.Work != "4096" || row.Smaller != "1024" || !row.Eight {
		t.Errorf("%+v", row)
	}
	first, slow := &row.Cells[0], &row.Cells[1]
	if first.Share != 0 || slow.Share != 0.25 || slow.equal() != 4*slow.Time || first.equal() != first.Time {
		t.Errorf("shares %v and %v", first.Share, slow.Share)
	}
	if first.Runs < c.runs || slow.Runs < slowRounds || slow.Faster <= 0 {
		t.Errorf("%+v", row.Cells)
	}
	for i := range 2 {
		if row.Cells[i].Result != sameBits {
			t.Errorf("%d: %s", i, row.Cells[i].Result)
		}
	}
	if !row.Cells[2].Absent {
		t.Error("a kernel that is not there in C")
	}
	if len(row.Targets) != 1 || row.Targets[0].Against != oclgrind {
		t.Errorf("%+v", row.Targets)
	}
}

func TestGeometricMean(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{1, 100}, 10}, {[]float64{0.5, 2, 8}, 2}} {
		if got := geometricMean(c.values); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}

func TestChoose(t *testing.T) {
	names := func(pattern string) (list []string) {
		workloads, err := choose(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range workloads {
			list = append(list, w.Name())
		}
		return list
	}
	all := names("")
	if len(all) < 48 || slices.Contains(all, "sg_scan") {
		t.Errorf("%v", all)
	}
	workloads, err := choose("")
	if err != nil {
		t.Fatal(err)
	}
	if first := firstOnes(workloads); len(first) != 15 || first[14].Name() != "fft" {
		t.Errorf("%d of them without those of many fields", len(first))
	}
	if some := firstOnes(workloads[20:22]); len(some) != 2 {
		t.Errorf("%d of two that were asked for", len(some))
	}
	if list := names("^(sg_scan|saxpy)$"); !slices.Equal(list, []string{"saxpy", "sg_scan"}) {
		t.Errorf("%v", list)
	}
	for _, pattern := range []string{"nothing", "("} {
		if _, err := choose(pattern); err == nil {
			t.Errorf("no error for %q", pattern)
		}
	}
	if all, err := parseSections(""); err != nil || len(all) != len(sections) {
		t.Errorf("%v, %v", all, err)
	}
	if some, err := parseSections("cold,pipes"); err != nil || len(some) != 2 || !some["cold"] || !some["pipes"] {
		t.Errorf("%v, %v", some, err)
	}
	if _, err := parseSections("cold,hot"); err == nil || !strings.Contains(err.Error(), `"hot"`) {
		t.Errorf("%v", err)
	}
}

func TestColdFigures(t *testing.T) {
	ms := func(list ...int) (times []time.Duration) {
		for _, v := range list {
			times = append(times, time.Duration(v)*time.Millisecond)
		}
		return times
	}
	figures := coldFigures("saxpy", "64", []*starter{
		{name: "lockstep", input: fromModule, times: ms(10, 20, 30)},
		{name: "lockstep from source", input: fromSource, times: ms(20, 40, 60)},
		{name: "slower", times: ms(100, 200, 300), targets: map[string]float64{fromModule: 20, fromSource: 5}},
		{name: "other", times: ms(30, 60, 90), targets: map[string]float64{fromModule: 3}},
		{name: "last", times: ms(10, 10, 10)},
	})
	want := []Figure{
		{Name: "saxpy: lockstep", Value: 20},
		{Name: "saxpy: lockstep against slower", Value: 10, Target: "at least 20", Verdict: misses},
		{Name: "saxpy: lockstep against other", Value: 3, Target: "at least 3", Verdict: holds},
		{Name: "saxpy: lockstep against last", Value: 0.5},
		{Name: "saxpy: lockstep from source", Value: 40, Target: "under 20", Verdict: misses},
		{Name: "saxpy: lockstep from source against slower", Value: 5, Target: "at least 5", Verdict: holds},
		{Name: "saxpy: lockstep from source against other", Value: 1.5},
		{Name: "saxpy: lockstep from source against last", Value: 0.25},
	}
	if len(figures) != len(want) {
		t.Fatalf("%+v", figures)
	}
	for i, want := range want {
		f := figures[i]
		if f.Name != want.Name || math.Abs(f.Value-want.Value) > 1e-9 || f.Target != want.Target || f.Verdict != want.Verdict {
			t.Errorf("%+v, want %+v", f, want)
		}
	}
}
