package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// broken is the option that leaves the waits for copies out.
const broken = "-D MISSING_WAIT"

// schedules are those of the run, and some more orders and seeds.
func schedules(t *testing.T) map[string]emu.Schedule {
	t.Helper()
	all := map[string]emu.Schedule{}
	for _, name := range []string{"early", "late", "paced", "reverse+late", "reverse+paced"} {
		s, err := emu.ParseSchedule(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = s
	}
	seeds := uint64(10)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		s, err := emu.ParseSchedule("seeded", seed)
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint("seed ", seed)] = s
	}
	return all
}

// fill gives the problem numbers whose products and sums are exact.
func (p problem) fill() problem {
	for i := range p.m * p.k {
		p.a = append(p.a, float32(i%7-3))
	}
	for i := range p.k * p.n {
		p.b = append(p.b, float32(i%11-5))
	}
	return p
}

// product is the result, computed the plain way.
func (p problem) product() []float32 {
	c := make([]float32, p.m*p.n)
	for i := range c {
		for j := range p.k {
			c[i] += float32(p.a[i/p.n*p.k+j] * p.b[j*p.n+i%p.n])
		}
	}
	return c
}

// TestKernels multiplies matrices of all sorts of sizes under all schedules.
func TestKernels(t *testing.T) {
	for _, p := range []problem{
		{m: 1, n: 1, k: 1}, {m: 16, n: 16, k: 16}, {m: 16, n: 32, k: 48}, {m: 17, n: 15, k: 33}, {m: 3, n: 40, k: 100}, {m: 33, n: 2, k: 31},
	} {
		p := p.fill()
		want := p.product()
		for name, schedule := range schedules(t) {
			for _, kernel := range kernels {
				got, err := p.multiply("", kernel, emu.Launch{Schedule: schedule, Check: true})
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%d x %d x %d, %s, %s: wrong (%v)", p.m, p.n, p.k, kernel, name, err)
				}
			}
		}
	}
}

// TestMissingWait holds that the kernels without their wait are found out under
// every schedule, and that they happen to work when copies complete early.
func TestMissingWait(t *testing.T) {
	p := problem{m: 20, n: 20, k: 40}.fill()
	want := p.product()
	for _, kernel := range kernels[1:] {
		for name, schedule := range schedules(t) {
			got, err := p.multiply(broken, kernel, emu.Launch{Schedule: schedule, Check: true})
			var found *emu.FindingsError
			if !errors.As(err, &found) {
				t.Errorf("%s, %s: no finding (%v)", kernel, name, err)
				continue
			}
			var codes []string
			for _, f := range found.Findings.Findings {
				codes = append(codes, string(f.Code))
			}
			if !slices.Contains(codes, "E-ASYNCREAD") {
				t.Errorf("%s, %s: found %v", kernel, name, codes)
			}
			switch right := slices.Equal(got, want); {
			case name == "early" && !right:
				t.Errorf("%s, %s: a wrong result", kernel, name)
			case name == "late" && right:
				t.Errorf("%s, %s: the result is right, although nothing had come", kernel, name)
			}
		}
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, problem{m: 9, n: 20, k: 35}, 3); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "same bits\n"); n != 12 || strings.Count(out.String(), "\n") != n {
		t.Errorf("not 12 times the same bits:\n%s", &out)
	}
	if err := run(&out, problem{m: 9, n: 20}, 3); err == nil {
		t.Error("no error for matrices without elements")
	}
}
