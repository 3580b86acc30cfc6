package emu_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestConstantMemory writes to constant memory through pointers that were cast: each is E-READONLY, on every engine, with checks and
// without, and leaves the memory as it was.
func TestConstantMemory(t *testing.T) {
	for _, engine := range emu.Engines() {
		d, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, Workers: 1})
		if err != nil {
			t.Log(err) // a processor without the vectors that machine code needs
			continue
		}
		p := program(t, d, "constant")
		c, out := buffer(t, d, make([]int32, 128)...), buffer(t, d, make([]int32, 128)...)
		for _, check := range []bool{false, true} {
			for name, object := range map[string]string{"store": "c", "store_vector": "c", "add": "c", "copy": "c", "copy_block": "c", "variable": "table"} {
				for _, global := range []uint64{64, 1 << 16} {
					l := emu.Launch{Kernel: kernel(t, p, name), Range: sized(global, 64), Check: check, Args: []emu.Arg{c, out}}
					res, err := l.Run(context.Background())
					var fe *emu.FindingsError
					if !errors.As(err, &fe) || res.Findings.Findings[0].Code != finding.ReadOnly {
						t.Fatalf("%s: %s: error %v", engine, name, err)
					}
					if f := &res.Findings.Findings[0]; f.Object == nil || f.Object.Name != object || !strings.Contains(f.Message, "read-only memory") {
						t.Errorf("%s: %s: %s %s", engine, name, f.Message, f.Detail)
					}
				}
				if got := contents[int32](t, c); !slices.Equal(got, make([]int32, 128)) {
					t.Fatalf("%s: %s wrote %v", engine, name, got)
				}
			}
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "same"), Range: sized(128, 64), Check: check, Args: []emu.Arg{out, out}})
			for i, v := range contents[int32](t, out) {
				if v != int32(4*i) {
					t.Fatalf("%s: element %d is %d", engine, i, v)
				}
			}
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, "cast_const"), Range: sized(128, 64), Check: check, Benign: check, Args: []emu.Arg{out, buffer(t, d, int32(0))}})
			if got := contents[int32](t, out); got[127] != 1 {
				t.Errorf("%s: %v", engine, got)
			}
			if err := emu.Write(out, 0, make([]int32, 128)); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Free(); err != nil {
			t.Error(err)
		}
	}
}
