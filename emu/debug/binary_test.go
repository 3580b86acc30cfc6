package debug

import (
	"context"
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestBinary debugs a kernel of a binary, which has code for debuggers or not.
func TestBinary(t *testing.T) {
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, _, err := d.BuildProgram(sums, "-g")
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range []bool{false, true} {
		data, err := p.Binary(emu.BinaryOptions{Debug: with})
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := d.LoadBinary(data, emu.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		k, err := loaded.Kernel("sums")
		if err != nil {
			t.Fatal(err)
		}
		l := &emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{8}}, Args: []emu.Arg{buffer(t, d, []float32{1, 2, 3, 4, 5, 6, 7, 8}), emu.Value(int32(8))}}
		s, err := New(context.Background(), l, Options{})
		if !with {
			if !errors.Is(err, ErrNotDebugged) {
				t.Errorf("without code for debuggers: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		if _, err := s.BreakLine("program.cl", 14); err != nil {
			t.Fatal(err)
		}
		if stop, err := s.Continue(context.Background()); err != nil || stop.Reason != ReasonBreakpoint {
			t.Fatalf("%+v %v", stop, err)
		}
		if err := s.Select(2); err != nil {
			t.Fatal(err)
		}
		if got := text(s, "i") + " " + text(s, "s") + " " + text(s, "n") + " " + text(s, "x[7]"); got != "2 14 8 8" {
			t.Errorf("i, s, n and x[7] are %s", got)
		}
		// It runs as the binary without does, and a binary can be made of it again.
		if _, err := loaded.Binary(emu.BinaryOptions{Debug: true}); err != nil {
			t.Error(err)
		}
	}
}
