package emu_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestLaunchWorkers runs a kernel whose work-groups wait for each other: it needs a goroutine for each of them.
func TestLaunchWorkers(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 2})
	k := kernel(t, program(t, d, "spin"), "order")
	for _, test := range []struct {
		workers int
		ends    bool
	}{{0, true}, {1, false}, {2, true}, {9, true}} {
		var args []emu.Arg
		for range k.Params() {
			b, err := emu.NewBufferOf(d, []uint32{0})
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, b)
		}
		l := emu.Launch{Kernel: k, Args: args, Range: emu.NDRange{Global: []uint64{4}, Local: []uint64{2}}, Parallel: emu.ParallelAlways, Workers: test.workers}
		if !test.ends {
			l.Timeout = 50 * time.Millisecond
		}
		if _, err := l.Run(context.Background()); (err == nil) != test.ends || err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with %d workers: %v", test.workers, err)
		}
	}
}
