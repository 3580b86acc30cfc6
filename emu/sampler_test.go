package emu_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// built compiles OpenCL C.
func built(t testing.TB, d *emu.Device, source string) *emu.Program {
	t.Helper()
	p, log, err := d.BuildProgram(source, "-cl-std=CL2.0")
	if err != nil {
		t.Fatalf("%v\n%v", err, log)
	}
	return p
}

// TestSamplerBits compares the samplers of modules with those of arguments.
func TestSamplerBits(t *testing.T) {
	for i := range 20 {
		st := memory.SamplerState{Normalized: i&1 != 0, Addressing: memory.Addressing(i / 4), Linear: i&2 != 0, MaxLod: 256}
		filter := uint32(0)
		if st.Linear {
			filter = 1
		}
		if got, want := isa.SamplerBits(st.Normalized, uint32(st.Addressing), filter), uint64(st.Pack()); got != want {
			t.Errorf("%+v: %#x, want %#x", st, got, want)
		}
	}
}

const samplerSource = `
constant sampler_t outer = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
float4 helper(read_only image2d_t im, sampler_t s, float2 c) { return read_imagef(im, s, c); }
kernel void sample(read_only image2d_t im, sampler_t s, global const float2 *c, global float4 *out)
{
	const sampler_t inner = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
	size_t i = get_global_id(0);
	out[4 * i] = helper(im, s, c[i]);
	out[4 * i + 1] = read_imagef(im, outer, c[i]);
	out[4 * i + 2] = read_imagef(im, inner, c[i]);
	out[4 * i + 3] = read_imagef(im, inner, convert_int2(c[i]));
}
kernel void uniform(read_only image2d_t im, sampler_t s, float2 c, global float4 *out)
{
	out[get_global_id(0)] = read_imagef(im, s, c);
}
kernel void integers(read_only image2d_t im, sampler_t s, global int4 *out)
{
	out[get_global_id(0)] = read_imagei(im, s, (float2)(get_global_id(0), 0.0f));
}
kernel void at(read_only image2d_t im, sampler_t s, float2 c, int2 n, global float *out)
{
	out[0] = read_imagef(im, s, c).x;
	out[1] = read_imagef(im, s, n).x;
}
kernel void half_texel(read_only image2d_t im, sampler_t s, global float4 *out)
{
	vstorea_half4(read_imagef(im, s, (float2)(0.5f)), 0, (global half *)out);
}
`

// TestSamplers reads images with samplers of arguments, of the program and of a function, on both engines.
func TestSamplers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, engine := range []string{"interp", "native"} {
		for _, lanes := range []int{1, 16, 64} {
			d, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, SubgroupSize: lanes})
			if err != nil {
				t.Skip(err)
			}
			p := built(t, d, samplerSource)
			f := emu.Format{Order: emu.OrderBGRA, Type: emu.UnormInt8}
			data := make([]byte, 5*3*4)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			im := newImage(t, d, 5, 3, f, data)
			view := &memory.Image{Format: f, Dim: memory.Dim2D, Width: 5, Height: 3, Depth: 1, Layers: 1, Levels: 1, RowPitch: 20, SlicePitch: 60}
			coords := make([]float32, 2*70)
			for i := range coords {
				coords[i] = float32(r.NormFloat64()) * 4
			}
			for _, s := range []emu.Sampler{{}, {Normalized: true, Addressing: emu.AddressMirroredRepeat, Linear: true}, {Addressing: emu.AddressClamp, Linear: true}, {Normalized: true, Addressing: emu.AddressRepeat}} {
				in, out := buffer(t, d, coords...), buffer(t, d, make([]float32, 16*70)...)
				mustRun(t, &emu.Launch{Kernel: kernel(t, p, "sample"), Range: emu.Range(70), Args: []emu.Arg{im, s, in, out}})
				got := contents[float32](t, out)
				bits := func(s emu.Sampler) memory.Sampler {
					return memory.SamplerState{Normalized: s.Normalized, Addressing: s.Addressing, Linear: s.Linear, MaxLod: 256}.Pack()
				}
				for i := range 70 {
					c := memory.Coord{coords[2*i], coords[2*i+1]}
					inner := bits(emu.Sampler{Addressing: emu.AddressClamp})
					for j, want := range []memory.Texel{
						view.Sample(data, bits(s), c, 0),
						view.Sample(data, bits(emu.Sampler{Normalized: true, Addressing: emu.AddressRepeat, Linear: true}), c, 0),
						view.Sample(data, inner, c, 0),
						view.SampleAt(data, inner, [3]int64{int64(c[0]), int64(c[1])}, 0),
					} {
						for n := range want {
							if g := math.Float32bits(got[16*i+4*j+n]); g != want[n] {
								t.Fatalf("%s, %d lanes, %s at %v, read %d, component %d: %#x, want %#x", engine, lanes, s, c, j, n, g, want[n])
							}
						}
					}
				}
			}
		}
	}
}

// kinds has a kernel that reads and writes an image of each kind.
const kindSource = `
kernel void k1d(read_only image1d_t im, write_only image1d_t w, global float *out)
{
	out[0] = read_imagef(im, 2).x; out[1] = get_image_width(im);
	write_imagef(w, 1, (float4)(5));
}
kernel void kbuffer(read_only image1d_buffer_t im, write_only image1d_buffer_t w, global float *out)
{
	out[0] = read_imagef(im, 2).x; out[1] = get_image_width(im);
	write_imagef(w, 1, (float4)(5));
}
kernel void k1darray(read_only image1d_array_t im, write_only image1d_array_t w, global float *out)
{
	out[0] = read_imagef(im, (int2)(2, 1)).x; out[1] = get_image_width(im); out[2] = get_image_array_size(im);
	write_imagef(w, (int2)(1, 1), (float4)(5));
}
kernel void k2darray(read_only image2d_array_t im, write_only image2d_array_t w, global float *out)
{
	out[0] = read_imagef(im, (int4)(2, 1, 1, 9)).x; out[1] = get_image_width(im); out[2] = get_image_height(im);
	out[3] = get_image_array_size(im); out[4] = get_image_dim(im).y;
	write_imagef(w, (int4)(1, 0, 1, 9), (float4)(5));
}
kernel void k3d(read_only image3d_t im, write_only image3d_t w, global float *out)
{
	out[0] = read_imagef(im, (int4)(2, 1, 1, 9)).x; out[1] = get_image_width(im); out[2] = get_image_height(im);
	out[3] = get_image_depth(im); out[4] = get_image_dim(im).z + get_image_dim(im).w;
	write_imagef(w, (int4)(1, 0, 1, 9), (float4)(5));
}
kernel void kdepth(read_only image2d_depth_t im, write_only image2d_depth_t w, global float *out)
{
	const sampler_t s = CLK_FILTER_LINEAR | CLK_ADDRESS_CLAMP_TO_EDGE;
	out[0] = read_imagef(im, (int2)(2, 1)); out[1] = get_image_width(im); out[2] = read_imagef(im, s, (float2)(1, 0));
	out[3] = get_image_channel_order(im) == CLK_DEPTH;
	write_imagef(w, (int2)(1, 0), 5.0f);
}
kernel void kdeptharray(read_only image2d_array_depth_t im, write_only image2d_array_depth_t w, global float *out)
{
	const sampler_t s = CLK_FILTER_LINEAR | CLK_ADDRESS_CLAMP_TO_EDGE;
	out[0] = read_imagef(im, (int4)(2, 1, 1, 0)); out[1] = get_image_width(im); out[2] = read_imagef(im, s, (float4)(1, 0, 7, 0));
	write_imagef(w, (int4)(1, 0, 1, 0), 5.0f);
}
kernel void both(read_write image3d_t im)
{
	int4 c = (int4)(get_global_id(0), 0, 1, 0);
	write_imagef(im, c, read_imagef(im, c) * 2);
}
`

func TestKindsOfImages(t *testing.T) {
	r32, depth := emu.Format{Order: emu.OrderR, Type: emu.Float}, emu.Format{Order: emu.OrderDepth, Type: emu.Float}
	for _, c := range []struct {
		kernel string
		desc   emu.ImageDesc
		format emu.Format
		out    []float32
		wrote  int // the element that becomes 5
	}{
		{"k1d", emu.ImageDesc{Kind: emu.Image1D, Width: 3}, r32, []float32{2, 3}, 1},
		{"kbuffer", emu.ImageDesc{Kind: emu.Image1DBuffer, Width: 3}, r32, []float32{2, 3}, 1},
		{"k1darray", emu.ImageDesc{Kind: emu.Image1DArray, Width: 3, Layers: 2}, r32, []float32{5, 3, 2}, 4},
		{"k2darray", emu.ImageDesc{Kind: emu.Image2DArray, Width: 3, Height: 2, Layers: 2}, r32, []float32{11, 3, 2, 2, 2}, 7},
		{"k3d", emu.ImageDesc{Kind: emu.Image3D, Width: 3, Height: 2, Depth: 2}, r32, []float32{11, 3, 2, 2, 2}, 7},
		{"kdepth", emu.ImageDesc{Width: 3, Height: 2}, depth, []float32{5, 3, 0.5, 1}, 1},
		{"kdeptharray", emu.ImageDesc{Kind: emu.Image2DArray, Width: 3, Height: 2, Layers: 2}, depth, []float32{11, 3, 6.5}, 7},
	} {
		for _, engine := range []string{"interp", "native"} {
			d, err := emu.NewDevice(emu.DeviceOptions{Engine: engine})
			if err != nil {
				t.Skip(err)
			}
			p := built(t, d, kindSource)
			make2 := func() *emu.Image {
				im, err := d.NewImage(c.desc, c.format, emu.ImageOptions{})
				if err != nil {
					t.Fatalf("%s: %v", c.kernel, err)
				}
				return im
			}
			im, w := make2(), make2()
			var data []byte
			for i := range im.Size() / 4 {
				b := math.Float32bits(float32(i))
				data = append(data, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
			}
			if err := im.SetBytes(data); err != nil {
				t.Fatal(err)
			}
			out := buffer(t, d, make([]float32, 5)...)
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, c.kernel), Range: emu.Range(1), Check: engine == "interp", Args: []emu.Arg{im, w, out}})
			got := contents[float32](t, out)
			for i, want := range c.out {
				if got[i] != want {
					t.Errorf("%s on %s: %v, want %v", c.kernel, engine, got, c.out)
					break
				}
			}
			after, err := w.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			for i := range len(after) / 4 {
				if wrote := after[4*i+3] != 0; wrote != (i == c.wrote) {
					t.Errorf("%s on %s: element %d is written: %t", c.kernel, engine, i, wrote)
				}
			}
			if err := errors.Join(im.Free(), w.Free()); err != nil {
				t.Fatal(err)
			}
		}
	}
	d := device(t, emu.DeviceOptions{})
	p := built(t, d, kindSource)
	im, err := d.NewImage(emu.ImageDesc{Kind: emu.Image3D, Width: 2, Height: 1, Depth: 2}, r32, emu.ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(im.SetBytes(make([]byte, im.Size())), im.WriteRegion(emu.Region{X: 1, Z: 1, Width: 1}, []byte{0, 0, 0x80, 0x3f}, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, &emu.Launch{Kernel: kernel(t, p, "both"), Range: emu.Range(2), Check: true, Args: []emu.Arg{im}})
	if got, err := im.Bytes(); err != nil || string(got) != "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x40" {
		t.Errorf("read and written: % x, %v", got, err)
	}
	var one [4]byte
	if err := im.ReadRegion(emu.Region{X: 1, Z: 1, Width: 1}, one[:], 0, 0); err != nil || one[3] != 0x40 {
		t.Errorf("a region: % x, %v", one, err)
	}
	for _, r := range []emu.Region{{Z: 2, Width: 1}, {Level: 1, Width: 1}, {X: -1, Width: 1}, {Width: 3}, {Width: 2, Depth: 2, Z: 1}} {
		if err := im.ReadRegion(r, make([]byte, 100), 0, 0); err == nil {
			t.Errorf("%+v is read", r)
		}
	}
	// Kinds that do not suit a parameter.
	flat := newImage(t, d, 3, 2, r32, nil)
	_, err = (&emu.Launch{Kernel: kernel(t, p, "kdepth"), Range: emu.Range(1), Args: []emu.Arg{flat, flat, buffer(t, d, make([]float32, 5)...)}}).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the image is an image2d_t, the parameter takes an image2d_depth_t") {
		t.Errorf("a flat image as a depth image: %v", err)
	}
	_, err = (&emu.Launch{Kernel: kernel(t, p, "both"), Range: emu.Range(1), Args: []emu.Arg{flat}}).Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the image is an image2d_t, the parameter takes an image3d_t") {
		t.Errorf("a flat image as a volume: %v", err)
	}
}

// TestImageDescs looks at descriptions that make no sense.
func TestImageDescs(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	b := buffer(t, d, make([]byte, 1000)...)
	r8 := emu.Format{Order: emu.OrderR, Type: emu.UnormInt8}
	for _, c := range []struct {
		desc   emu.ImageDesc
		format emu.Format
		err    string
	}{
		{emu.ImageDesc{Kind: 9, Width: 1}, r8, "image kind 9"},
		{emu.ImageDesc{Kind: emu.Image1D, Width: 4, Height: 2}, r8, "height 2 of an image1d, which has none"},
		{emu.ImageDesc{Kind: emu.Image3D, Width: 4, Height: 2}, r8, "depth 0: it is 1 to"},
		{emu.ImageDesc{Kind: emu.Image3D, Width: 4, Height: 2, Depth: 2, Layers: 2}, r8, "layers 2 of an image3d"},
		{emu.ImageDesc{Kind: emu.Image1D, Width: 4}, emu.Format{Order: emu.OrderDepth, Type: emu.Float}, "channel order depth"},
		{emu.ImageDesc{Width: 4, Height: 4, Levels: 4}, r8, "4 levels"},
		{emu.ImageDesc{Kind: emu.Image1DBuffer, Width: 4, Levels: 2}, r8, "2 levels"},
		{emu.ImageDesc{Width: 4, Height: 4, Levels: 2, RowPitch: 8}, r8, "a mipmap with gaps"},

		{emu.ImageDesc{Kind: emu.Image3D, Width: 4, Height: 4, Depth: 2, SlicePitch: 18}, r8, "a slice pitch of 18"},
		{emu.ImageDesc{Kind: emu.Image3D, Width: 4, Height: 4, Depth: 2, SlicePitch: 12}, r8, "a slice pitch of 12"},
		{emu.ImageDesc{Kind: emu.Image1DBuffer, Width: emu.MaxImageBuffer + 1}, r8, "width"},
	} {
		im, err := d.NewImage(c.desc, c.format, emu.ImageOptions{})
		if err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v, %v; want %q", c.desc, im, err, c.err)
		}
	}
	// A volume with gaps, in a buffer.
	im, err := d.NewImage(emu.ImageDesc{Kind: emu.Image3D, Width: 2, Height: 2, Depth: 2, RowPitch: 4, SlicePitch: 12, Buffer: b, Offset: 5}, r8, emu.ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := im.SetBytes([]byte{1, 2, 3, 4, 5, 6, 7, 8}); err != nil {
		t.Fatal(err)
	}
	if got := contents[byte](t, b)[4:26]; string(got) != "\x00\x01\x02\x00\x00\x03\x04\x00\x00\x00\x00\x00\x00\x05\x06\x00\x00\x07\x08\x00\x00\x00" {
		t.Errorf("the buffer holds % x", got)
	}
}

// TestSamplerFindings looks at what checks say of sampled reads.
func TestSamplerFindings(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	p := built(t, d, samplerSource)
	im := newImage(t, d, 4, 4, emu.Format{Order: emu.OrderR, Type: emu.Float}, make([]byte, 64))
	nan := float32(math.NaN())
	at := func(s emu.Sampler, x, y float32, nx, ny int32) *emu.Launch {
		return &emu.Launch{Kernel: kernel(t, p, "at"), Range: emu.Range(1), Check: true, Args: []emu.Arg{im, s, emu.Vector(x, y), emu.Vector(nx, ny), buffer(t, d, 0, float32(0))}}
	}
	mustRun(t, at(emu.Sampler{}, 3.9, 0, 3, 3))
	mustRun(t, at(emu.Sampler{Addressing: emu.AddressClamp}, -9, 99, -1, 9))
	wantImageFinding(t, at(emu.Sampler{}, 4.5, 0, 0, 0), finding.ImageBounds, "a read at (4.5,0) of an image of 4x4 r:f32, with the sampler nearest,none,unnormalized")
	wantImageFinding(t, at(emu.Sampler{}, 0, 0, 4, 0), finding.ImageBounds, "a read at (4,0) of")
	wantImageFinding(t, at(emu.Sampler{Addressing: emu.AddressClamp}, nan, 0, 0, 0), finding.ImageBounds, "a read at (NaN,0)")
	wantImageFinding(t, at(emu.Sampler{Addressing: emu.AddressRepeat}, 0, 0, 0, 0), finding.Sampler, "addresses with repeat, but whose coordinates are not normalized")
	wantImageFinding(t, at(emu.Sampler{Addressing: emu.AddressClamp, Linear: true}, 0, 0, 0, 0), finding.Sampler, "integer coordinates, with a sampler that filters linearly")
	wantImageFinding(t, at(emu.Sampler{Normalized: true, Addressing: emu.AddressClamp}, 0, 0, 0, 0), finding.Sampler, "integer coordinates, with a sampler whose coordinates are normalized")
	ints := newImage(t, d, 4, 4, emu.Format{Order: emu.OrderR, Type: emu.SignedInt8}, make([]byte, 16))
	wantImageFinding(t, &emu.Launch{Kernel: kernel(t, p, "integers"), Range: emu.Range(1), Check: true,
		Args: []emu.Arg{ints, emu.Sampler{Addressing: emu.AddressClamp, Linear: true}, buffer(t, d, make([]int32, 4)...)}}, finding.Sampler, "an image of integers (r:i8)")
	for _, c := range []struct {
		arg emu.Arg
		err string
	}{
		{emu.Sampler{Addressing: 7}, "the addressing mode 7"}, {emu.Sampler{MinLod: 2, MaxLod: 1}, "levels of detail from 2 to 1"}, {emu.Sampler{MinLod: nan}, "levels of detail"},
		{emu.Value(uint64(3)), "the parameter takes a Sampler"}, {nil, "the parameter takes a Sampler"},
	} {
		_, err := (&emu.Launch{Kernel: kernel(t, p, "uniform"), Range: emu.Range(1), Args: []emu.Arg{im, c.arg, emu.Vector[float32](0, 0), buffer(t, d, make([]float32, 4)...)}}).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: %v", c.arg, err)
		}
	}
}

// TestMipmaps reads and writes levels of detail.
func TestMipmaps(t *testing.T) {
	const source = `
kernel void m(read_only image2d_t im, sampler_t s, write_only image2d_t w, global float *out)
{
	float2 mid = (float2)(0.5f, 0.5f);
	out[0] = read_imagef(im, s, mid, 0.0f).x;
	out[1] = read_imagef(im, s, mid, 1.0f).x;
	out[2] = read_imagef(im, s, mid, 1.5f).x;
	out[3] = read_imagef(im, s, mid, 9.0f).x;
	out[4] = read_imagef(im, s, mid, (float2)(0.5f, 0.0f), (float2)(0.0f, 0.25f)).x;
	out[5] = get_image_num_mip_levels(im);
	write_imagef(w, (int2)(1, 1), 1, (float4)(7.0f));
	write_imagef(w, (int2)(0, 0), 3, (float4)(9.0f));
}
kernel void a(read_only image2d_array_t im, sampler_t s, global float *out)
{
	out[0] = read_imagef(im, s, (float4)(0.5f, 0.5f, 1.0f, 0.0f), 1.0f).x;
	out[1] = read_imagef(im, s, (float4)(0.5f, 0.5f, 1.0f, 0.0f), (float2)(0.0f, -1.0f), (float2)(0.0f, 0.25f)).x;
}
kernel void v(read_only image3d_t im, sampler_t s, global float *out)
{
	out[0] = read_imagef(im, s, (float4)(0.5f, 0.5f, 0.5f, 0.0f), (float4)(0.0f), (float4)(0.0f, 0.0f, 0.5f, 0.0f)).x;
}`
	for _, engine := range []string{"interp", "native"} {
		d, err := emu.NewDevice(emu.DeviceOptions{Engine: engine})
		if err != nil {
			t.Skip(err)
		}
		p := built(t, d, source)
		r32 := emu.Format{Order: emu.OrderR, Type: emu.Float}
		chain := func(desc emu.ImageDesc) *emu.Image {
			im, err := d.NewImage(desc, r32, emu.ImageOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var data []byte
			for i := range im.Size() / 4 {
				b := math.Float32bits(float32(i))
				data = append(data, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
			}
			if err := im.SetBytes(data); err != nil {
				t.Fatal(err)
			}
			return im
		}
		w, err := d.NewImage(emu.ImageDesc{Width: 4, Height: 4, Levels: 2}, r32, emu.ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := emu.Sampler{Normalized: true, Addressing: emu.AddressClampToEdge, Linear: true, MipLinear: true}
		for _, c := range []struct {
			kernel string
			args   []emu.Arg
			want   []float32
		}{
			// Levels of 16, 4 and 1 elements: their means are 7.5, 17.5 and 20.
			{"m", []emu.Arg{chain(emu.ImageDesc{Width: 4, Height: 4, Levels: 3}), s, w}, []float32{7.5, 17.5, 18.75, 20, 17.5, 3}},
			// The second layer of level 1 has the elements 36 to 39; -1 in y are 4 elements, level 2.
			{"a", []emu.Arg{chain(emu.ImageDesc{Kind: emu.Image2DArray, Width: 4, Height: 4, Layers: 2, Levels: 3}), s}, []float32{37.5, 41}},
			{"v", []emu.Arg{chain(emu.ImageDesc{Kind: emu.Image3D, Width: 4, Height: 4, Depth: 4, Levels: 3}), s}, []float32{67.5}},
		} {
			out := buffer(t, d, make([]float32, 6)...)
			mustRun(t, &emu.Launch{Kernel: kernel(t, p, c.kernel), Range: emu.Range(1), Args: append(c.args, out)})
			got := contents[float32](t, out)
			for i := range c.want {
				if got[i] != c.want[i] {
					t.Errorf("%s on %s: %v, want %v", c.kernel, engine, got, c.want)
					break
				}
			}
		}
		data, err := w.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if wrote := data[4*i+3] != 0; wrote != (i == 19) {
				t.Errorf("%s: element %d is written: %t", engine, i, wrote)
			}
		}
	}
}
