package emu_test

import (
	"context"
	"errors"
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
		"different_operands", "partial_copy", "partial_wait", "no_wait", "no_event", "lane_in_base", "mark_of_callee"}
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
					// what is found depends on which of them comes first.
					for _, f := range res.Findings.Findings {
						if f.Code != finding.AsyncRace && f.Code != finding.AsyncRead {
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
