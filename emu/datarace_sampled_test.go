package emu_test

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestSampledRaces: reads of an image with a sampler race with writes of the elements that they take their result from.
func TestSampledRaces(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 1})
	p, _, err := d.BuildProgram(`
kernel void step(read_only image2d_t in, write_only image2d_t to, sampler_t s, global float *out, float dx) {
	int i = get_global_id(0);
	out[i] = read_imagef(in, s, (float2)(i + dx, 0.5f)).x;
	write_imagef(to, (int2)(i, 0), (float4)(i));
}
kernel void whole(read_only image2d_t in, write_only image2d_t to, sampler_t s, global float *out, float dx) {
	int i = get_global_id(0);
	out[i] = read_imagef(in, s, (int2)(i + (int)dx, 0)).x;
	write_imagef(to, (int2)(i, 0), (float4)(i));
}`, "-cl-std=CL2.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		kernel string
		linear bool
		dx     float32
		races  bool
	}{
		{"its own element", "step", true, 0.5, false},
		{"its own and the next element", "step", true, 0.75, true},
		{"its own, as the nearest one", "step", false, 0.75, false},
		{"the next element", "step", false, 1.5, true},
		{"its own element, integers", "whole", false, 0, false},
		{"the next element, integers", "whole", false, 1, true},
		{"elements outside", "step", true, 100, false},
	} {
		im, err := d.NewImage(emu.ImageDesc{Width: 32, Height: 1}, emu.Format{Order: emu.OrderRGBA, Type: emu.Float}, emu.ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := im.WriteRect(emu.Rect{Width: 32, Height: 1}, make([]byte, 32*16), 0); err != nil {
			t.Fatal(err)
		}
		l := emu.Launch{Kernel: kernel(t, p, c.kernel), Range: sized(32, 32), Check: true, Args: []emu.Arg{
			im, im, emu.Sampler{Addressing: emu.AddressClamp, Linear: c.linear}, buffer(t, d, make([]float32, 32)...), emu.Value(c.dx)}}
		res, _ := l.Run(context.Background())
		if res == nil {
			t.Fatalf("%s: no result", c.name)
		}
		found := false
		for _, f := range res.Findings.Findings {
			if found = found || f.Code == finding.Race; f.Code != finding.Race {
				t.Errorf("%s: %s", c.name, f.Text())
			}
		}
		if found != c.races {
			t.Errorf("%s: a race is found: %v", c.name, found)
		}
	}
}
