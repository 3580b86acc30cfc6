package conformance

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestConfigs keeps the configurations of a small matrix in a golden file, for a case that
// takes all of them and for cases that do not.
func TestConfigs(t *testing.T) {
	m := Matrix{
		Engines: []string{"a", "b"}, SubGroups: []int{1, 8, 64}, Waves: []int{0, 1, 64}, Workers: []int{1, 2},
		Schedules: []emu.Schedule{{Order: emu.InOrder}, {Order: emu.Reverse}, seeded(7)},
		Async:     []emu.Schedule{{Completion: emu.CompleteLate}, seeded(8)},
		Marks:     []emu.Schedule{{Completion: emu.CompletePaced}},
		Shapes:    []DMA{{Engines: 1, Step: 2}, {Queue: 3}},
	}
	var out bytes.Buffer
	for _, c := range []*Case{{Name: "any"}, {Name: "sub-group 8", SubGroups: []int{8, 16}}, {Name: "timeout", SubGroups: []int{1}, Timeout: 1}, {Name: "none", SubGroups: []int{16}}} {
		configs := m.Configs(c)
		fmt.Fprintf(&out, "%s: %d\n", c.Name, len(configs))
		for _, cfg := range configs {
			fmt.Fprintf(&out, "    %v\n", cfg)
		}
	}
	golden(t, "run/configs.txt", out.Bytes())
}

func TestMatrices(t *testing.T) {
	for name, m := range map[string]Matrix{"Full": Full(), "Standard": Standard(), "Quick": Quick()} {
		if len(m.Engines) == 0 || slices.Contains(m.Engines, "auto") {
			t.Errorf("%s has the engines %q", name, m.Engines)
		}
		if len(m.Configs(&Case{})) < 4 {
			t.Errorf("%s has the configurations %v", name, m.Configs(&Case{}))
		}
	}
	full := Full()
	for _, n := range []int{1, 4, 8, 16, 32, 64, 128} {
		if !slices.Contains(full.SubGroups, n) {
			t.Errorf("the full matrix lacks sub-groups of %d", n)
		}
	}
	// What the bits of a correct kernel do not depend on.
	all := slices.Concat(full.Schedules, full.Async)
	for _, name := range []string{"early", "late", "paced", "reverse+early", "reverse+late", "reverse+paced"} {
		if s, err := emu.ParseSchedule(name, 0); err != nil || !slices.Contains(all, s) {
			t.Errorf("the full matrix lacks the schedule %s: %v", name, err)
		}
	}
	for seed := range uint64(10) {
		if !slices.Contains(all, seeded(seed+1)) {
			t.Errorf("the full matrix lacks the seed %d", seed+1)
		}
	}
	for name, m := range map[string]Matrix{"Standard": Standard(), "Quick": Quick()} {
		all := slices.Concat(m.Schedules, m.Async)
		for _, s := range []emu.Schedule{{}, {Completion: emu.CompleteLate}, {Completion: emu.CompletePaced}, seeded(1), seeded(2)} {
			if !slices.Contains(all, s) {
				t.Errorf("%s lacks the schedule %q", name, s.Name())
			}
		}
	}
}

func TestSetMatrix(t *testing.T) {
	engine := engines()[0]
	// all stands for each of the engines of this machine.
	var all []string
	for _, name := range slices.Sorted(slices.Values(engines())) {
		all = append(all, "-engine "+name+" -subgroup 8 -wave 16 -workers 3 -schedule reverse; -engine "+name+" -subgroup 2 -wave 16 -workers 3 -schedule reverse")
	}
	for _, tc := range []struct {
		args [6]string
		want string // the configurations, or the error
	}{
		{[6]string{}, "-engine a -subgroup 4 -workers 1"},
		{[6]string{"auto", "8, 2", "16", "3", "reverse", ""}, strings.Join(all, "; ")},
		{[6]string{engine + "," + engine, "", "", "", "", "5,0x6"},
			"-engine " + engine + " -subgroup 4 -workers 1 -schedule seeded -seed 5; -engine " + engine + " -subgroup 4 -workers 1 -schedule seeded -seed 6"},
		{[6]string{"", "", "", "", "in-order,seeded", "9"}, "-engine a -subgroup 4 -workers 1; -engine a -subgroup 4 -workers 1 -schedule seeded -seed 9"},
		{[6]string{"", "", "", "", "seeded", ""}, "-engine a -subgroup 4 -workers 1 -schedule seeded -seed 1"},
		{[6]string{"none"}, `unknown engine "none"`},
		{[6]string{"", "3"}, "3 is not a sub-group size"},
		{[6]string{"", "256"}, `"256" is not a sub-group size`},
		{[6]string{"", "x"}, `"x" is not a sub-group size`},
		{[6]string{"", "", "-1"}, `"-1" is not a wave width`},
		{[6]string{"", "", "", "0"}, `"0" is not a number of workers`},
		{[6]string{"", "", "", "", "sideways"}, `unknown schedule "sideways"`},
		{[6]string{"", "", "", "", "", "-1"}, `"-1" is not a seed`},
	} {
		m := Matrix{Engines: []string{"a"}, SubGroups: []int{4}, Waves: []int{0}, Workers: []int{1}, Schedules: []emu.Schedule{{}}}
		if tc.args[4] != "" || tc.args[5] != "" {
			m.Async, m.Marks = []emu.Schedule{{Completion: emu.CompleteLate}}, []emu.Schedule{{}}
		}
		err := m.Set(Axes{Engines: tc.args[0], SubGroups: tc.args[1], Waves: tc.args[2], Workers: tc.args[3], Schedules: tc.args[4], Seeds: tc.args[5]})
		var got []string
		for _, cfg := range m.Configs(&Case{}) {
			if !cfg.async {
				got = append(got, cfg.String())
			}
		}
		if len(tc.args[4])+len(tc.args[5]) > 0 && err == nil && (m.Async != nil || !slices.Equal(m.Marks, m.Schedules)) {
			t.Errorf("%q: more schedules than those given", tc.args)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%q: error %v, want %s", tc.args, err, tc.want)
			}
		} else if s := strings.Join(got, "; "); s != tc.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tc.args, s, tc.want)
		}
	}
}

// TestSetAsync: the options for asynchronous copies hold for all configurations, and none
// is there twice.
func TestSetAsync(t *testing.T) {
	for _, tc := range []struct {
		axes Axes
		want string
	}{
		{Axes{KeepMarks: true}, " -keep-marks"},
		{Axes{DMA: DMA{Engines: 3, Queue: 2, Step: 1}}, " -dma-engines 3 -dma-queue 2 -dma-step 1"},
		{Axes{KeepMarks: true, Schedules: "late,reverse", DMA: DMA{Step: 5}}, " -keep-marks -dma-step 5"},
	} {
		m := Full()
		if err := m.Set(tc.axes); err != nil {
			t.Fatal(err)
		}
		configs := m.Configs(&Case{})
		for i, cfg := range configs {
			if !strings.Contains(cfg.String(), tc.want) || slices.Contains(configs[:i], cfg) {
				t.Errorf("%+v: configuration %v", tc.axes, cfg)
			}
		}
	}
	for _, d := range []DMA{{Engines: -1}, {Queue: 1 << 20}, {Step: 1 << 30}} {
		m := Full()
		if err := m.Set(Axes{DMA: d}); err == nil {
			t.Errorf("%v is taken", d)
		}
	}
}
