//go:build race

package emu_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// TestConflictingGroups runs a kernel whose work-groups store to the same element without atomic operations: in a program that is
// built with the race detector, as this test is, that is not reported as a race of lockstep.
func TestConflictingGroups(t *testing.T) {
	scheduler.Serial = true // as in every program but lockstep's own tests
	defer func() { scheduler.Serial = false }()
	d := device(t, emu.DeviceOptions{Engine: "interp", Workers: 4})
	out := buffer(t, d, make([]byte, 4096)...)
	for range 8 {
		mustRun(t, &emu.Launch{Kernel: kernel(t, program(t, d, "align"), "store_int"), Range: sized(1<<14, 1), Args: []emu.Arg{out, emu.Value(uint32(0))}})
	}
	if got := contents[byte](t, out); got[0] != 1 {
		t.Errorf("stored %v", got[:4])
	}
}
