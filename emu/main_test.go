package emu_test

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/lockstep-gpu/lockstep/scheduler"
)

// TestMain has garbage collected less often while there is little of it: the tests make much and keep little.
func TestMain(m *testing.M) {
	scheduler.Serial = false // lockstep's own goroutines are what the race detector is to look at here
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	os.Exit(m.Run())
}
