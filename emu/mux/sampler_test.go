package mux_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

const samplerSource = `
kernel void f(read_only image1d_t im, sampler_t s, global float *out)
{
	const sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
	out[0] = read_imagef(im, s, 1.0f).x;
	out[1] = read_imagef(im, near, 1.0f).x;
}`

// TestSamplers runs a kernel of a binary that takes an image and a sampler.
func TestSamplers(t *testing.T) {
	m, diag := newModule(t)
	if err := m.CompileOpenCLC(t.Context(), mux.FullProfile, samplerSource, nil); err != nil {
		t.Fatalf("%v\n%s", err, diag.Log())
	}
	if _, _, err := m.Finalize(t.Context()); err != nil {
		t.Fatal(err)
	}
	d, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	im, err := d.NewImage(emu.ImageDesc{Kind: emu.Image1D, Width: 2}, emu.Format{Order: emu.OrderR, Type: emu.UnsignedInt8}, emu.ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fim, err := d.NewImage(emu.ImageDesc{Kind: emu.Image1D, Width: 2}, emu.Format{Order: emu.OrderR, Type: emu.UnormInt8}, emu.ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := fim.SetBytes([]byte{0, 255}); err != nil {
		t.Fatal(err)
	}
	out, err := emu.NewBufferOf(d, make([]float32, 2))
	if err != nil {
		t.Fatal(err)
	}
	options := &mux.NDRangeOptions{Descriptors: []mux.Descriptor{
		{Type: mux.DescriptorImage, Image: fim}, {Type: mux.DescriptorSampler, Sampler: emu.Sampler{Addressing: emu.AddressClamp, Linear: true}}, {Type: mux.DescriptorBuffer, Buffer: out},
	}, DescriptorsLength: 3, LocalSize: [3]uint64{1, 1, 1}, GlobalOffset: []uint64{0}, GlobalSize: []uint64{1}, Length: 1}
	k, err := m.GetKernel("f")
	if err != nil {
		t.Fatal(err)
	}
	b, err := k.CreateSpecializedKernel(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	e, err := mux.LoadExecutable(d, b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := e.Launch("f", options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := emu.Read[float32](out); err != nil || got[0] != 0.5 || got[1] != 1 {
		t.Errorf("%v, %v; want 0.5 and 1", got, err)
	}
	options.Descriptors[1].Type = mux.DescriptorImage
	options.Descriptors[1].Image = im
	if _, err := k.CreateSpecializedKernel(t.Context(), options); err == nil {
		t.Error("an image stands for a sampler")
	}
}
