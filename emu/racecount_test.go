package emu_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestRaceCount: a finding counts the bytes that work-items race for, which no order of theirs changes.
func TestRaceCount(t *testing.T) {
	const source = `
kernel void count(global int *a, global short *b) {
	int g = get_global_id(0), l = get_local_id(0);
	local int s[32];
	s[l] = a[g];
	a[128 + g / 4] = s[l ^ 1] + a[g + 1 & 127];
	b[g / 3] = g;
	if (g == 5) ((global char *)a)[0] = 1;
}`
	want := map[string]uint64{"a": 1 + 32*4, "b": 43 * 2, "s": 32 * 4}
	for _, opt := range []emu.DeviceOptions{{SubgroupSize: 1, WaveLanes: 1, Workers: 1}, {SubgroupSize: 4, WaveLanes: 8, Workers: 1}, {SubgroupSize: 32, Workers: 1}} {
		d := device(t, opt)
		p, _, err := d.BuildProgram(source, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []emu.Schedule{{}, {Order: emu.Reverse}, {Order: emu.Seeded, Seed: 1}, {Order: emu.Seeded, Seed: 2}} {
			l := emu.Launch{Kernel: kernel(t, p, "count"), Range: sized(128, 32), Schedule: s, Check: true,
				Args: []emu.Arg{buffer(t, d, make([]int32, 160)...), buffer(t, d, make([]int16, 64)...)}}
			res, _ := l.Run(context.Background())
			got := map[string]uint64{}
			for _, f := range res.Findings.Findings {
				got[f.Object.Name] = f.Count
				if !strings.Contains(f.Text(), "in all; one place is shown") {
					t.Error(f.Text())
				}
			}
			for name, n := range want {
				if got[name] != n {
					t.Errorf("%s, sub-groups of %d: work-items race for %d bytes of %s, want %d", s.Name(), opt.SubgroupSize, got[name], name, n)
				}
			}
		}
	}
}
