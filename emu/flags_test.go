package emu_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestFlagsInsteadOfBarriers checks that nothing is said about copies that
// atomic operations order, and that other atomic operations hide nothing.
func TestFlagsInsteadOfBarriers(t *testing.T) {
	in := make([]uint32, 256)
	for i := range in {
		in[i] = uint32(i)*2654435761 + 1
	}
	for i, opt := range asyncDevices {
		subgroup := 32
		if opt.SubgroupSize != 0 {
			subgroup = opt.SubgroupSize
		}
		produced, reversed := make([]uint32, 64), make([]uint32, 64)
		for i := range 64 {
			reversed[i] = in[63-i]
			for s := range 4 {
				if i >= subgroup {
					produced[i] = produced[i]*3 + in[s*64+63-i]
				}
			}
		}
		d := device(t, opt)
		p := program(t, d, "flags")
		for j, s := range asyncSchedules(t) {
			if (i+j)%amount(3, 3, 1) != 0 {
				continue // each device and each schedule, but not each with each
			}
			for _, c := range []struct {
				kernel string
				want   []uint32
			}{{"producer", produced}, {"counter", reversed}} {
				out := buffer(t, d, make([]uint32, 64)...)
				mustRun(t, &emu.Launch{Kernel: kernel(t, p, c.kernel), Range: sized(64, 64), Schedule: s, Check: true,
					Args: []emu.Arg{buffer(t, d, in...), out}})
				if got := contents[uint32](t, out); !slices.Equal(got, c.want) {
					t.Errorf("%+v, %s: %s gives\n%v, want\n%v", opt, s.Name(), c.kernel, got, c.want)
				}
			}
			l := emu.Launch{Kernel: kernel(t, p, "histogram"), Range: sized(64, 64), Schedule: s, Check: true,
				Args: []emu.Arg{buffer(t, d, in...), buffer(t, d, make([]uint32, 64)...)}}
			res, err := l.Run(context.Background())
			var fe *emu.FindingsError
			if !errors.As(err, &fe) || len(res.Findings.Findings) == 0 || res.Findings.Findings[0].Code != finding.AsyncRace {
				t.Errorf("%+v, %s: the histogram gives %v", opt, s.Name(), fmt.Sprint(err))
			}
		}
	}
}
