package emu_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/memory"
)

// laneKernel reads and writes an image of a kind, KIND, whose coordinates are COORD of a vector: some lanes of a
// wave, in loops, at coordinates that all lanes share, and only some components.
const laneKernel = `
kernel void lanes_SUFFIX(read_only KIND im, sampler_t s, global const float4 *cs, global const int4 *ns, int4 same, global TYPE *out, write_only KIND dst)
{
	int g = get_global_id(0);
	float4 c = cs[g];
	int4 n = ns[g];
	TYPE a = (TYPE)(0), b = (TYPE)(0);
	SAMPLED
	a.zx += read_imageSUFFIX(im, n.COORD).yw;
	TYPE u = read_imageSUFFIX(im, same.COORD);
	out[2 * g] = a + u;
	out[2 * g + 1] = b;
	if (g & 2) write_imageSUFFIX(dst, n.COORD, a);
	else write_imageSUFFIX(dst, same.COORD, b);
}
`

// laneSampled is the part of laneKernel that an image of a buffer cannot have.
const laneSampled = `if (g % 3 != 1) a = read_imageSUFFIX(im, s, c.COORD);
	for (int k = 0; k < (g & 3); k++) b += read_imageSUFFIX(im, s, (c + 0.25f * k).COORD);
	b.y += read_imageSUFFIX(im, s, n.COORD).w;`

// TestImageLanes runs a kernel with images on both engines, and on the reference engine where it counts what
// sub-groups do and accesses images lane by lane: the results are the same.
func TestImageLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	devices := map[string]*emu.Device{}
	for _, engine := range []string{"interp", "native"} {
		d, err := emu.NewDevice(emu.DeviceOptions{Engine: engine, Workers: 1, SubgroupSize: 16})
		if err != nil {
			t.Log(err)
			continue
		}
		devices[engine] = d
	}
	for _, k := range []struct {
		name, coord string
		desc        emu.ImageDesc
	}{
		{"image1d_t", "x", emu.ImageDesc{Kind: emu.Image1D, Width: 9}},
		{"image1d_buffer_t", "x", emu.ImageDesc{Kind: emu.Image1DBuffer, Width: 9}},
		{"image1d_array_t", "xy", emu.ImageDesc{Kind: emu.Image1DArray, Width: 5, Layers: 3}},
		{"image2d_t", "xy", emu.ImageDesc{Kind: emu.Image2D, Width: 7, Height: 5}},
		{"image2d_array_t", "xyzw", emu.ImageDesc{Kind: emu.Image2DArray, Width: 4, Height: 3, Layers: 3}},
		{"image3d_t", "xyzw", emu.ImageDesc{Kind: emu.Image3D, Width: 4, Height: 3, Depth: 2}},
	} {
		source := "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
		types := []string{"f", "i", "ui"}
		for i, typ := range []string{"float4", "int4", "uint4"} {
			text := strings.ReplaceAll(laneKernel, "SAMPLED", laneSampled)
			if k.desc.Kind == emu.Image1DBuffer {
				text = strings.ReplaceAll(laneKernel, "SAMPLED", "")
			}
			source += strings.NewReplacer("KIND", k.name, "SUFFIX", types[i], "COORD", k.coord, "TYPE", typ).Replace(text)
		}
		programs := map[string]*emu.Program{}
		for engine, d := range devices {
			programs[engine] = built(t, d, source)
		}
		for round := range 60 {
			in := laneInput(r, k.desc)
			kernel := "lanes_" + types[round%3]
			want := in.run(t, devices["interp"], programs["interp"], kernel, trace.New(trace.Options{Subgroups: true}))
			for engine, d := range devices {
				got := in.run(t, d, programs[engine], kernel, nil)
				for i := range want {
					if !bytes.Equal(got[i], want[i]) {
						t.Fatalf("%s, %s, %s, %v, %s: result %d is\n%x, want\n%x", engine, kernel, k.name, in.format, in.sampler, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// laneRun is what the kernel gets.
type laneRun struct {
	desc    emu.ImageDesc
	format  emu.Format
	sampler emu.Sampler
	data    []byte
	floats  []float32
	ints    []int32
	same    []byte
}

const laneItems = 150

func laneInput(r *rand.Rand, desc emu.ImageDesc) *laneRun {
	formats := memory.Formats()
	in := &laneRun{desc: desc, format: formats[r.IntN(len(formats))]}
	for in.format.Order == emu.OrderDepth {
		in.format = formats[r.IntN(len(formats))]
	}
	in.sampler = emu.Sampler{Normalized: r.IntN(2) == 0, Addressing: memory.Addressing(r.IntN(5)), Linear: r.IntN(2) == 0}
	n := max(desc.Width, 1) * max(desc.Height, 1) * max(desc.Depth, 1) * max(desc.Layers, 1)
	in.data = make([]byte, n*in.format.Bytes())
	for i := range in.data {
		in.data[i] = byte(r.Uint32())
	}
	for i := range 4 * laneItems {
		v := float32(r.NormFloat64() * 4)
		switch {
		case in.sampler.Normalized:
			v /= 4
		case i%16 == 15:
			v = [...]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e30, -1e30, 1e-40}[r.IntN(6)]
		case i%5 == 4:
			v = float32(r.IntN(14)) / 2
		}
		in.floats, in.ints = append(in.floats, v), append(in.ints, int32(r.IntN(9))-1)
		if i%32 == 31 {
			in.ints[i] = int32(r.Uint32())
		}
	}
	for range 4 {
		in.same = binary.LittleEndian.AppendUint32(in.same, uint32(r.IntN(6)-1))
	}
	return in
}

// run returns the results and the image that is written.
func (in *laneRun) run(t *testing.T, d *emu.Device, p *emu.Program, name string, rec *trace.Recorder) [][]byte {
	t.Helper()
	var images [2]*emu.Image
	for i := range images {
		desc := in.desc
		if desc.Kind == emu.Image1DBuffer {
			desc.Buffer = buffer(t, d, in.data...)
		}
		im, err := d.NewImage(desc, in.format, emu.ImageOptions{})
		if err != nil {
			t.Fatal(fmt.Errorf("%v: %w", in.format, err))
		}
		if err := im.SetBytes(in.data); err != nil {
			t.Fatal(err)
		}
		images[i] = im
	}
	out := buffer(t, d, make([]uint32, 8*laneItems)...)
	l := emu.Launch{Kernel: kernel(t, p, name), Range: sized(laneItems, 50), Trace: rec,
		Args: []emu.Arg{images[0], in.sampler, buffer(t, d, in.floats...), buffer(t, d, in.ints...), emu.Bytes(in.same), out, images[1]}}
	mustRun(t, &l)
	b, err := out.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	result := [][]byte{b, imageBytes(t, images[1])}
	for _, im := range images {
		if err := im.Free(); err != nil {
			t.Fatal(err)
		}
	}
	return result
}
