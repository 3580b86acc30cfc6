package clc_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestBFloat16 has the functions of cl_intel_bfloat16_conversions: ties, what rounds up to infinity, and NaN.
func TestBFloat16(t *testing.T) {
	dev := newDevice(t)
	const text = `
#ifndef cl_intel_bfloat16_conversions
#error no extension
#endif
kernel void k(global const uint *in, global ushort *out, global uint4 *back) {
  size_t i = get_global_id(0);
  float x = as_float(in[i]);
  out[i] = intel_convert_bfloat16_as_ushort(x);
  ushort4 v = intel_convert_bfloat164_as_ushort4((float4)(x, 1.0f, -2.0f, 3.3f));
  back[i] = as_uint4(intel_convert_as_bfloat164_float4(v));
  back[i].y += as_uint(intel_convert_as_bfloat16_float(1));
}`
	p := compileBoth(t, dev, text, false)[0]
	in := bufferOf(t, dev, []uint32{0x3f808000, 0x3f818000, 0x3f808001, 0x7f7fffff, 0xff7f8000, 0x7f800001, 0x00008000, 0x00018000})
	out, back := bufferOf(t, dev, make([]uint16, 8)), bufferOf(t, dev, make([]uint32, 32))
	launch(t, p, "k", emu.NDRange{Global: []uint64{8}}, in, out, back)
	want := []uint16{0x3f80, 0x3f82, 0x3f81, 0x7f80, 0xff80, 0x7fc0, 0, 2}
	if d := cmp.Diff(want, read[uint16](t, out)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	var wide []uint32
	for _, x := range want {
		wide = append(wide, uint32(x)<<16, 0x3f800000+1<<16, 0xc0000000, 0x40530000)
	}
	if d := cmp.Diff(wide, read[uint32](t, back)); d != "" {
		t.Errorf("back (-want +got)\n%s", d)
	}
}
