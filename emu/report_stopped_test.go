package emu_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestStoppedAdvice has kernels that never end as they are launched: the finding says which flag lets them go on, and
// with that they end.
func TestStoppedAdvice(t *testing.T) {
	for _, test := range []struct {
		name, kernel string
		global       uint64
		opt          emu.DeviceOptions // of a launch that does not end
		help         string
		remedy       emu.DeviceOptions // of one that does
		parallel     emu.Parallel
	}{
		{"lanes of one sub-group", "lock", 2, emu.DeviceOptions{}, "with -subgroup 1", emu.DeviceOptions{SubgroupSize: 1}, emu.ParallelAuto},
		{"a work-group that has not begun", "order", 4, emu.DeviceOptions{}, "1 work-group has not begun", emu.DeviceOptions{Workers: 2}, emu.ParallelAlways},
		{"work-groups that have not begun", "order", 8, emu.DeviceOptions{}, "-parallel always -workers 4", emu.DeviceOptions{Workers: 4}, emu.ParallelAlways},
	} {
		for _, engine := range []string{"interp", "auto"} {
			t.Run(test.name+"/"+engine, func(t *testing.T) {
				launch := func(opt emu.DeviceOptions, parallel emu.Parallel, limit time.Duration) (*emu.Result, error) {
					opt.Engine = engine
					d := device(t, opt)
					k := kernel(t, program(t, d, "spin"), test.kernel)
					var args []emu.Arg
					for range k.Params() {
						b, err := emu.NewBufferOf(d, []uint32{0})
						if err != nil {
							t.Fatal(err)
						}
						args = append(args, b)
					}
					l := emu.Launch{Kernel: k, Args: args, Range: emu.NDRange{Global: []uint64{test.global}, Local: []uint64{2}}, Timeout: limit, Parallel: parallel}
					return l.Run(context.Background())
				}
				res, err := launch(test.opt, emu.ParallelAuto, 50*time.Millisecond)
				if !errors.Is(err, context.DeadlineExceeded) || len(res.Findings.Findings) == 0 {
					t.Fatalf("the launch ended with %v", err)
				}
				f := res.Findings.Findings[0]
				if f.Code != finding.TimeLimit || !strings.Contains(strings.Join(f.Help, "\n"), test.help) {
					t.Errorf("got %s with the help %q, want …%s…", f.Code, f.Help, test.help)
				}
				if _, err := launch(test.remedy, test.parallel, 0); err != nil {
					t.Errorf("with the remedy: %v", err)
				}
			})
		}
	}
}
