package emu_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestAsyncReports compares the findings of kernels that each do one thing
// wrong, as text; they are the same under every completion, and for waves of one
// sub-group and of two.
func TestAsyncReports(t *testing.T) {
	kernels := []string{"read_too_early", "write_to_source", "lanes_wait_for_too_little", "lanes_without_mark", "lanes_of_others",
		"lanes_without_barrier", "overlapping", "copied_back_too_early", "written_without_barrier", "stride_of_zero", "planes_too_small",
		"different_operands", "partial_copy", "partial_wait", "no_wait", "no_event", "lane_in_base", "mark_of_callee",
		"null_event", "source_written_without_barrier", "target_read_without_barrier", "tile_read_without_barrier", "one_writes_the_source"}
	codes := map[finding.Code]bool{}
	texts := map[string]string{}
	for _, opt := range []emu.DeviceOptions{{SubgroupSize: 32, WaveLanes: 64}, {SubgroupSize: 32, WaveLanes: 32}} {
		d := device(t, opt)
		module, err := os.ReadFile("testdata/hazards.spv")
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.NewProgram(module, emu.ProgramOptions{KeepMarks: true, Sources: func(name string) ([]byte, error) {
			return emu.FileSources(filepath.Join("testdata", filepath.Base(name)))
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range kernels {
			for _, schedule := range []string{"early", "late", "paced", "in-order+seeded"} {
				s, err := emu.ParseSchedule(schedule, 3)
				if err != nil {
					t.Fatal(err)
				}
				l := emu.Launch{Kernel: kernel(t, p, name), Range: sized(64, 64), Schedule: s, Check: true,
					Args: []emu.Arg{buffer(t, d, make([]uint32, 256)...), buffer(t, d, make([]uint32, 256)...)}}
				res, err := l.Run(context.Background())
				var fe *emu.FindingsError
				if !errors.As(err, &fe) {
					t.Errorf("%s, %s: error %v", name, schedule, err)
					continue
				}
				for i := range res.Findings.Findings {
					f := &res.Findings.Findings[i]
					codes[f.Code] = true
					f.Reproduce = ""
				}
				text := res.Findings.Text()
				if opt.WaveLanes == 32 && (name == "lanes_without_barrier" || name == "lanes_of_others") {
					// One sub-group is behind the other's copy, the other ahead of it:
					// which copy is shown depends on which of them comes first.
					for _, f := range res.Findings.Findings {
						if f.Code != finding.AsyncRace && (name == "lanes_without_barrier" || f.Code != finding.AsyncRead) {
							t.Errorf("%s, %s:\n%s", name, schedule, text)
						}
					}
					continue
				}
				if old, ok := texts[name]; !ok {
					texts[name] = text
				} else if old != text {
					t.Errorf("%s, %s, waves of %d:\n%s\nbefore\n%s", name, schedule, opt.WaveLanes, text, old)
				}
			}
		}
	}
	var all strings.Builder
	for _, name := range kernels {
		all.WriteString("== " + name + "\n" + texts[name] + "\n")
	}
	golden(t, "hazards.txt", all.String())
	for _, c := range finding.Codes() {
		if strings.HasPrefix(string(c), "E-ASYNC") && !codes[c] {
			t.Errorf("no kernel provokes %s", c)
		}
	}
}

// TestAsyncRacesEverywhere checks that a copy of the work-group whose memory is used without a barrier is found whatever the
// width of waves, the size of sub-groups, the order and the completion, once, and at the same place.
func TestAsyncRacesEverywhere(t *testing.T) {
	widths := []emu.DeviceOptions{{SubgroupSize: 1, WaveLanes: 1}, {SubgroupSize: 1, WaveLanes: 64}, {SubgroupSize: 4, WaveLanes: 4}, {SubgroupSize: 8, WaveLanes: 32},
		{SubgroupSize: 16, WaveLanes: 64}, {SubgroupSize: 32, WaveLanes: 32}, {SubgroupSize: 32}, {SubgroupSize: 64}, {SubgroupSize: 128}}
	kernels := map[string]string{
		"written_without_barrier":        "E-ASYNCRACE at line 90, 128 times in 2 groups",
		"source_written_without_barrier": "E-ASYNCRACE at line 183, 128 times in 2 groups",
		"target_read_without_barrier":    "E-ASYNCRACE at line 195, 128 times in 2 groups",
		"tile_read_without_barrier":      "E-ASYNCRACE at line 206, 128 times in 2 groups",
		"one_writes_the_source":          "E-ASYNCRACE at line 217, 128 times in 2 groups",
		"null_event":                     "E-ASYNCEVENT at line 175, 128 times in 2 groups",
	}
	for _, opt := range widths {
		opt.Workers = 1 // the kernels race, and Go's race detector would say so
		d := device(t, opt)
		p := program(t, d, "hazards")
		for name, want := range kernels {
			for i, s := range asyncSchedules(t) {
				if testing.Short() && i%3 != 1 {
					continue
				}
				l := emu.Launch{Kernel: kernel(t, p, name), Range: sized(128, 64), Schedule: s, Check: true,
					Args: []emu.Arg{buffer(t, d, make([]uint32, 256)...), buffer(t, d, make([]uint32, 256)...)}}
				res, err := l.Run(context.Background())
				var fe *emu.FindingsError
				if !errors.As(err, &fe) {
					t.Fatalf("%+v, %s, %s: error %v", opt, name, s.Name(), err)
				}
				text := ""
				for _, f := range res.Findings.Findings {
					if f.Code == finding.Race {
						continue // the two work-groups use the same memory
					}
					text += fmt.Sprintf("%s at line %d, %d times in %d groups", f.Code, f.Place.Line, f.Count, f.Groups)
				}
				if text != want {
					t.Errorf("%+v, %s, %s: %s, want %s", opt, name, s.Name(), text, want)
				}
			}
		}
	}
}
