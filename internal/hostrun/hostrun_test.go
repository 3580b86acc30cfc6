package hostrun

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
)

func TestParse(t *testing.T) {
	reverse, err := emu.ParseSchedule("reverse+seeded", 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want Options
		err  string // a part of it
	}{
		{text: "", want: Options{Device: emu.DeviceOptions{Engine: "auto"}}},
		{text: "-check -subgroup 16 -schedule reverse+seeded -seed 7 -timeout 2s -log 'a file' -parallel=never -memory weak",
			want: Options{Device: emu.DeviceOptions{Engine: "auto", SubgroupSize: 16}, Check: true, Schedule: reverse, Timeout: 2 * time.Second,
				Log: "a file", Parallel: emu.ParallelNever, Memory: emu.MemoryWeak}},
		{text: "-chek", err: "-chek"},
		{text: "check", err: `"check" is no flag`},
		{text: "-schedule up", err: "-schedule: unknown schedule"},
		{text: "-seed 3", err: "-seed 3 has a meaning"},
		{text: "-parallel sometimes", err: "it takes auto"},
		{text: "-memory strong", err: "-memory: "},
		{text: "-timeout -1s", err: "not negative"},
		{text: "-subgroup x", err: "subgroup"},
		{text: "'", err: "not closed"},
		{text: "-h", err: "help"},
	} {
		got, err := Parse(c.text)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if diff := cmp.Diff(&c.want, got); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

func TestLaunch(t *testing.T) {
	o, err := Parse("-check -benign -keep-going -schedule reverse -timeout 1s -parallel never -memory weak")
	if err != nil {
		t.Fatal(err)
	}
	var l emu.Launch
	o.Launch(&l)
	want := emu.Launch{Check: true, Benign: true, KeepGoing: true, Schedule: emu.Schedule{Order: emu.Reverse}, Timeout: time.Second, Parallel: emu.ParallelNever, Memory: emu.MemoryWeak}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Error(diff)
	}
	var s emu.Set
	o.Set(&s)
	if diff := cmp.Diff(emu.Set{Check: true, Benign: true, KeepGoing: true, Schedule: emu.Schedule{Order: emu.Reverse}}, s); diff != "" {
		t.Error(diff)
	}
}

func TestTally(t *testing.T) {
	var b strings.Builder
	for _, codes := range [][]string{nil, {"E-RACE", "E-UNINIT"}, {"E-RACE"}} {
		if err := AppendLaunch(&b, codes); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := ReadTally(b.String()).Text(), "3 launches, 3 findings: E-RACE 2, E-UNINIT 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := ReadTally("").Text(), "0 launches, 0 findings"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
