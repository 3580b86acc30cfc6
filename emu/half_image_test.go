package emu_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestReadHalves reads elements as halves, on each engine: the quotients that normalized integers stand for lie so near to
// the middle of two halves that a float in between would be rounded to the wrong one.
func TestReadHalves(t *testing.T) {
	const source = `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant sampler_t nearest = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t linear = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void k(read_only image2d_t im, global half *out)
{
	int i = get_global_id(0);
	out[3 * i] = read_imageh(im, (int2)(i, 0)).x;
	out[3 * i + 1] = read_imageh(im, nearest, (int2)(i, 0)).x;
	out[3 * i + 2] = read_imageh(im, linear, (float2)(i + 0.5f, 0.5f)).x;
}`
	for _, c := range []struct {
		typ  emu.ChannelType
		raw  []uint16
		want []uint16
	}{
		// 65455/65535 = 0.99877928 and 65519/65535 = 0.99975586 are a little below middles of halves.
		{emu.UnormInt16, []uint16{65455, 65519, 65535}, []uint16{0x3bfd, 0x3bff, 0x3c00}},
		{emu.SnormInt16, []uint16{32759, 1<<16 - 32759, 1 << 15}, []uint16{0x3bff, 0xbbff, 0xbc00}},
	} {
		for _, engine := range emu.Engines() {
			d := device(t, emu.DeviceOptions{Engine: engine})
			p, _, err := d.BuildProgram(source, "")
			if err != nil {
				t.Fatal(err)
			}
			k, err := p.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			var data []byte
			for _, v := range c.raw {
				data = binary.LittleEndian.AppendUint16(data, v)
			}
			im := newImage(t, d, 3, 1, emu.Format{Order: emu.OrderR, Type: c.typ}, data)
			out, err := emu.NewBufferOf(d, make([]uint16, 9))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := k.Run(context.Background(), emu.Range(3), im, out); err != nil {
				t.Fatal(err)
			}
			got, err := emu.Read[uint16](out)
			if err != nil {
				t.Fatal(err)
			}
			for i, h := range got {
				if h != c.want[i/3] {
					t.Errorf("%v on %s, element %d, read %d: %#x, want %#x", c.typ, engine, c.raw[i/3], i%3, h, c.want[i/3])
				}
			}
		}
	}
}
