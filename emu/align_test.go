package emu_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestAlignment runs one access of each kind at each byte offset of 64: with checks it ends with E-ALIGN where the
// offset is no multiple of the alignment that the whole access must have, and only there.
func TestAlignment(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	p := program(t, d, "align")
	for _, c := range []struct {
		kernel string
		align  uint32 // that an offset must have
		what   string
	}{
		{"store_int", 4, "write of 4 bytes"},
		{"store_float2", 8, "write of 8 bytes"},
		{"store_float3", 16, "write of 16 bytes"},
		{"store_float4", 16, "write of 16 bytes"},
		{"store_uchar4", 4, "write of 4 bytes"},
		{"load_float4", 16, "read of 16 bytes"},
		{"load_last_component", 16, "read of 16 bytes"},
		{"load_double16", 128, "read of 128 bytes"},
		{"vload_float4", 4, "read of 4 bytes"},
		{"vstore_short3", 2, "write of 2 bytes"},
		{"use_vload_half4", 2, "read of 2 bytes"},
		{"use_vloada_half4", 8, "read of 8 bytes"},
		{"use_vstorea_half3", 8, "write of 6 bytes"},
		{"store_member", 8, "write of 8 bytes"},
		{"copy_struct", 8, "write of 16 bytes"},
		{"copy_large", 8, "write of 512 bytes"},
		{"store_packed", 1, ""},
		{"copy_packed", 1, ""},
		{"fract_float2", 8, "write of 8 bytes"},
		{"frexp_double2", 8, "write of 8 bytes"},
		{"store_local", 16, "write of 16 bytes"},
	} {
		k := kernel(t, p, c.kernel)
		out := buffer(t, d, make([]byte, 4096)...)
		for at := range uint32(64) {
			if c.kernel == "store_local" && at > 48 {
				break
			}
			l := emu.Launch{Kernel: k, Range: sized(1, 1), Check: true, Args: []emu.Arg{out, emu.Value(at)}}
			res, err := l.Run(context.Background())
			if at%c.align == 0 {
				if err != nil && (c.kernel != "store_local" || at == 16) { // elsewhere it reads what nobody has written
					t.Errorf("%s at %d: %v", c.kernel, at, err)
				}
				continue
			}
			var fe *emu.FindingsError
			if !errors.As(err, &fe) || len(res.Findings.Findings) != 1 || res.Findings.Findings[0].Code != finding.Misaligned {
				t.Fatalf("%s at %d: error %v", c.kernel, at, err)
			}
			if f := &res.Findings.Findings[0]; f.Message != "misaligned "+c.what || at == 1 && !strings.Contains(f.Detail, "which is no multiple of ") {
				t.Errorf("%s at %d: %s %s", c.kernel, at, f.Message, f.Detail)
			}
		}
		// Without checks any address will do.
		l := emu.Launch{Kernel: k, Range: sized(1, 1), Args: []emu.Arg{out, emu.Value(uint32(1))}}
		mustRun(t, &l)
	}
}
