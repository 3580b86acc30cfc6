package main

import (
	"testing"
	"time"
)

func TestProcessorsFigures(t *testing.T) {
	of := func(ms, cpu time.Duration) *subject {
		return &subject{times: []time.Duration{ms * time.Millisecond}, cpu: []time.Duration{cpu * time.Millisecond}}
	}
	for _, c := range []struct {
		name       string
		subjects   []*subject
		up, more   float64
		target     string
		verdictUp  string
		verdictCPU string
	}{
		{"ahead", []*subject{of(80, 80), of(40, 80), of(8, 96), of(100, 100), of(50, 100), of(20, 100)}, 10, 1.2, "at least PoCL's 5", holds, holds},
		{"behind", []*subject{of(80, 80), of(40, 80), of(16, 160), of(100, 100), of(50, 100), of(10, 100)}, 5, 2, "at least PoCL's 10", misses, misses},
		{"alone", []*subject{of(80, 80), of(40, 80), of(8, 80)}, 10, 1, "-", "-", holds},
	} {
		f := processorsFigures(c.name, 16, c.subjects)
		if len(f) != 2 {
			t.Fatalf("%s: %d figures", c.name, len(f))
		}
		if f[0].Value != c.up || f[0].Target != c.target || f[0].Verdict != c.verdictUp {
			t.Errorf("%s: %g, %s, %s", c.name, f[0].Value, f[0].Target, f[0].Verdict)
		}
		if f[1].Value != c.more || f[1].Verdict != c.verdictCPU {
			t.Errorf("%s: CPU time %g, %s", c.name, f[1].Value, f[1].Verdict)
		}
	}
}
