//go:build !race

package emu_test

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestLaunchAllocations bounds what a launch that does nothing allocates.
func TestLaunchAllocations(t *testing.T) {
	k := load(t, device(t, emu.DeviceOptions{Workers: 1}), "empty", "O2")
	l := emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{1}, Local: []uint64{1}}}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := l.Run(context.Background()); err != nil {
			t.Error(err)
		}
	}); n > 4 {
		t.Errorf("a launch makes %g allocations", n)
	}
}
