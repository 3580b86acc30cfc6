package clc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// compileBoth compiles a source with this package and, if it is there, with clang.
func compileBoth(t *testing.T, dev *emu.Device, text string, withClang bool) []*emu.Program {
	t.Helper()
	res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: text}, clc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	modules := [][]byte{res.Module.Encode()}
	if _, err := exec.LookPath("llvm-spirv-15"); err == nil && withClang && !testing.Short() {
		m, err := byClang(t.TempDir(), text, lang.CL30)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	var out []*emu.Program
	for _, m := range modules {
		p, err := dev.NewProgram(m, emu.ProgramOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func newDevice(t *testing.T) *emu.Device {
	t.Helper()
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func launch(t *testing.T, p *emu.Program, kernel string, r emu.NDRange, args ...emu.Arg) *emu.Result {
	t.Helper()
	k, err := p.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	l := emu.Launch{Kernel: k, Args: args, Range: r, Check: true}
	res, err := l.Run(context.Background())
	if err != nil {
		t.Fatalf("%s: %v", kernel, err)
	}
	return res
}

func read[T emu.Number](t *testing.T, b *emu.Buffer) []T {
	t.Helper()
	v, err := emu.Read[T](b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func bufferOf[T emu.Number](t *testing.T, dev *emu.Device, v []T) *emu.Buffer {
	t.Helper()
	b, err := emu.NewBufferOf(dev, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const imageKernels = `#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void reads(read_only image2d_t a, read_write image2d_t c, global float4 *f, global half4 *h, global int4 *q)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
	f[i] = read_imagef(a, at) + read_imagef(c, at);
	h[i] = read_imageh(a, at);
	q[i] = (int4)(get_image_width(a), get_image_height(a), get_image_channel_data_type(a), get_image_channel_order(a));
	q[i].xy += get_image_dim(c);
}
kernel void integers(read_only image2d_t a, read_only image2d_t b, global int4 *n, global uint4 *u)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
	n[i] = read_imagei(a, at);
	u[i] = read_imageui(b, at);
}
kernel void writes(write_only image2d_t a, write_only image2d_t b, write_only image2d_t c, read_write image2d_t d)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float x = at.x * 0.25f - 1, y = at.y;
	write_imagef(a, at, (float4)(x, y, 0.5f, 1));
	write_imagei(b, at, (int4)(at.x - 3, at.y, -5, 6));
	write_imageui(c, at, (uint4)(at.x, at.y, 5, 300));
	write_imageh(d, at, (half4)(x, y, 0.25h, 1));
}
`

// TestBuiltinImages reads, writes and asks images.
func TestBuiltinImages(t *testing.T) {
	dev := newDevice(t)
	const w, h = 8, 4
	img := func(ty memory.ChannelType, fill bool) *emu.Image {
		f := emu.Format{Order: memory.OrderRGBA, Type: ty}
		im, err := dev.NewImage(emu.ImageDesc{Width: w, Height: h}, f, emu.ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, w*h*f.Bytes())
		for i := range data {
			if fill {
				data[i] = byte(i * 7)
			}
		}
		if err := im.WriteRect(emu.Rect{Width: w, Height: h}, data, 0); err != nil {
			t.Fatal(err)
		}
		return im
	}
	var results [][][]byte
	for _, p := range compileBoth(t, dev, imageKernels, true) {
		var out [][]byte
		f, hb, q := bufferOf(t, dev, make([]float32, 4*w*h)), bufferOf(t, dev, make([]uint16, 4*w*h)),
			bufferOf(t, dev, make([]int32, 4*w*h))
		r := emu.Range(w, h)
		launch(t, p, "reads", r, img(memory.UnormInt8, true), img(memory.Float, false), f, hb, q)
		n, u := bufferOf(t, dev, make([]int32, 4*w*h)), bufferOf(t, dev, make([]uint32, 4*w*h))
		launch(t, p, "integers", r, img(memory.SignedInt16, true), img(memory.UnsignedInt8, true), n, u)
		for _, b := range []*emu.Buffer{f, hb, q, n, u} {
			out = append(out, read[byte](t, b))
		}
		ims := []*emu.Image{img(memory.Float, false), img(memory.SignedInt8, false),
			img(memory.UnsignedInt16, false), img(memory.HalfFloat, false)}
		launch(t, p, "writes", r, ims[0], ims[1], ims[2], ims[3])
		for _, im := range ims {
			b, err := im.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, b)
		}
		results = append(results, out)
	}
	have := results[0]
	if v := math.Float32frombits(binary.LittleEndian.Uint32(have[0][4:])); v != 7.0/255 {
		t.Errorf("the second channel of the first texel is %g, not 7/255", v)
	}
	if !slices.Equal(have[6][:4], []byte{0xfd, 0, 0xfb, 6}) {
		t.Errorf("the first texel of integers is %v", have[6][:4])
	}
	for i := range have {
		if len(results) > 1 && !bytes.Equal(have[i], results[1][i]) {
			t.Errorf("result %d differs from clang's:\n%v\n%v", i, have[i], results[1][i])
		}
	}
}

const pipeKernels = `
kernel void produce(write_only pipe uint2 p, global int *r)
{
	uint2 v = (uint2)(get_global_id(0), get_global_id(0) * 3);
	r[get_global_id(0)] = write_pipe(p, &v);
	if (get_global_id(0) == 0)
		r[8] = get_pipe_max_packets(p);
}
kernel void reserve(write_only pipe uint2 p, global int *r)
{
	local uint2 first;
	uint2 v = (uint2)(100 + get_local_id(0), 5);
	reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0));
	r[get_local_id(0)] = is_valid_reserve_id(id);
	if (is_valid_reserve_id(id))
		write_pipe(p, id, get_local_id(0), &v);
	work_group_commit_write_pipe(p, id);
}
kernel void consume(read_only pipe uint2 p, global uint2 *out, global int *r)
{
	r[1] = get_pipe_num_packets(p);
	int n = 0;
	uint2 v;
	while (read_pipe(p, &v) == 0)
		out[n++] = v;
	r[0] = n;
	reserve_id_t none = reserve_read_pipe(p, 1);
	r[2] = is_valid_reserve_id(none);
}
`

// TestBuiltinPipes puts packets through a pipe.
func TestBuiltinPipes(t *testing.T) {
	dev := newDevice(t)
	var results [][]uint32
	for _, p := range compileBoth(t, dev, pipeKernels, true) {
		pipe, err := dev.NewPipe(emu.PipeOptions{PacketBytes: 8, Capacity: 16})
		if err != nil {
			t.Fatal(err)
		}
		r, out := bufferOf(t, dev, make([]int32, 9)), bufferOf(t, dev, make([]uint32, 32))
		launch(t, p, "produce", emu.Range(8), pipe, r)
		all := read[uint32](t, r)
		launch(t, p, "reserve", emu.NDRange{Global: []uint64{4}, Local: []uint64{4}}, pipe, r)
		all = append(all, read[uint32](t, r)...)
		launch(t, p, "consume", emu.Range(1), pipe, out, r)
		all = append(all, read[uint32](t, r)...)
		results = append(results, append(all, read[uint32](t, out)...))
	}
	have := results[0]
	if have[8] != 16 || have[18] != 12 || have[19] != 12 || have[20] != 0 || have[29] != 1 || have[30] != 3 {
		t.Errorf("the packets are not right: %d", have)
	}
	if len(results) > 1 && !slices.Equal(have, results[1]) {
		t.Errorf("clang's kernels give\n%d, not\n%d", results[1], have)
	}
}

// copyKernel copies 32 elements into local memory by some function.
const copyKernel = `
kernel void k(global const uint *in, global uint *out, uint4 words, global void *resource)
{
	local uint tile[32];
	size_t l = get_local_id(0);
	%s
	out[get_global_id(0)] = tile[l];
}
`

// TestBuiltinCopies runs the copies that clang does not know as functions of OpenCL C.
func TestBuiltinCopies(t *testing.T) {
	const waits = "__builtin_amdgcn_asyncmark(); __builtin_amdgcn_wait_asyncmark(0);"
	dev := newDevice(t)
	in := make([]uint32, 256)
	for i := range in {
		in[i] = uint32(i*i + 1)
	}
	straight := func(i int) uint32 { return in[i] }
	for _, c := range []struct {
		name, text string
		want       func(i int) uint32
	}{
		{"load_to_lds", "__builtin_amdgcn_load_to_lds(in + l, tile, 4, 0, 0);", straight},
		{"load_to_lds generic",
			"generic const uint *g = in; __builtin_amdgcn_load_to_lds(g + l, tile, 4, 0, 0);", straight},
		{"load_async_to_lds", "__builtin_amdgcn_load_async_to_lds(in + l, tile, 4, 0, 0); " + waits,
			straight},
		{"global_load_lds", "__builtin_amdgcn_global_load_lds(in + l, tile, 4, 0, 0);", straight},
		{"global_load_async_lds", "__builtin_amdgcn_global_load_async_lds(in + l, tile, 4, 0, 0); " + waits,
			straight},
		{"raw_ptr_buffer_load_lds",
			"__builtin_amdgcn_raw_ptr_buffer_load_lds(resource, tile, 4, l * 4, 0, 0, 0);", straight},
		{"raw_ptr_buffer_load_async_lds",
			"__builtin_amdgcn_raw_ptr_buffer_load_async_lds(resource, tile, 4, l * 4, 0, 0, 0); " + waits,
			straight},
		{"struct_ptr_buffer_load_lds",
			"__builtin_amdgcn_struct_ptr_buffer_load_lds(resource, tile, 4, 0, l * 4, 0, 0, 0);", straight},
		{"raw_buffer_load_lds", "__builtin_amdgcn_raw_buffer_load_lds(words, tile, 4, l * 4, 0, 0, 0);",
			straight},
		{"global_load_async_to_lds_b32",
			"__builtin_amdgcn_global_load_async_to_lds_b32(in + 31 - l, tile + l, 0, 0); " + waits,
			func(i int) uint32 { return in[31-i] }},
		{"cluster_load_async_to_lds_b32",
			"__builtin_amdgcn_cluster_load_async_to_lds_b32(in + l, tile + l, 0, 0, 1); " + waits, straight},
		{"global_store_async_from_lds_b32",
			"tile[l] = in[l] + 1; barrier(CLK_LOCAL_MEM_FENCE); __builtin_amdgcn_global_store_async_from_lds_b32(out + l, tile + l, 0, 0); " + waits,
			func(i int) uint32 { return in[i] + 1 }},
		{"2D2D", "event_t e = async_work_group_copy_2D2D(tile, 0, in, 2, 4, 8, 4, 16, 8, 0); wait_group_events(1, &e);", func(i int) uint32 { return in[2+i/8*16+i%8] }},
		{"3D3D", "event_t e = async_work_group_copy_3D3D(tile, 0, in, 0, 4, 4, 2, 4, 8, 32, 4, 8, 0); wait_group_events(1, &e);",
			func(i int) uint32 { return in[i/8*32+i%8/4*8+i%4] }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compileBoth(t, dev, fmt.Sprintf(copyKernel, c.text), false)[0]
			b, out := bufferOf(t, dev, in), bufferOf(t, dev, make([]uint32, 32))
			launch(t, p, "k", emu.NDRange{Global: []uint64{32}, Local: []uint64{32}}, b, out, emu.Resource(b,
				0, 1024), emu.Resource(b, 0, 1024))
			for i, v := range read[uint32](t, out) {
				if v != c.want(i) {
					t.Fatalf("element %d is %d, not %d", i, v, c.want(i))
				}
			}
		})
	}
}

// TestBuiltinDots runs ARM's dot products, which lockstep does not know in clang's modules.
func TestBuiltinDots(t *testing.T) {
	dev := newDevice(t)
	p := compileBoth(t, dev, `kernel void k(global const int *in, global int *out)
{
	char4 c = as_char4(in[0]);
	uchar4 u = as_uchar4(in[0]);
	short2 s = as_short2(in[0]);
	out[0] = arm_dot(c, (char4)(1, 2, 3, 4));
	out[1] = arm_dot(u, (uchar4)(255));
	out[2] = arm_dot_acc(s, (short2)(-3, 7), 100);
	out[3] = arm_dot_acc(u, (uchar4)(1), 7u);
	out[4] = arm_dot_acc_sat(u, (uchar4)(255), 0xffffff00u);
	out[5] = arm_dot_acc_sat(c, (char4)(-128, 0, 0, 0), -2147483647);
}
`, false)[0]
	// The bytes are 0xfe (-2), 0x03, 0xff (-1), 0x10; the shorts 0x03fe (1022) and 0x10ff (4351).
	in, out := bufferOf(t, dev, []uint32{0x10ff03fe}), bufferOf(t, dev, make([]int32, 6))
	launch(t, p, "k", emu.Range(1), in, out)
	want := []int32{-2 + 6 - 3 + 64, 255 * (0xfe + 3 + 0xff + 0x10), 100 - 3*1022 + 7*4351, 7 + 0xfe + 3 + 0xff + 0x10, -1, -2147483647 + 256}
	if have := read[int32](t, out); !slices.Equal(have, want) {
		t.Errorf("the products are %d, not %d", have, want)
	}
}
