package kernels

import (
	"fmt"
	"math"
)

// asyncKernels copy between global and local memory behind the work-items'
// backs: as work-groups with events, and as work-items with marks.
func asyncKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "async_reverse", Module: "async", Entry: "async_reverse",
			About:   "Work-groups turn their elements round: copies in and out, the last one short.",
			Clauses: []string{"GAC-05", "GAC-16"},
			Launch: Launch{Global: []uint64{96}, Local: []uint64{32},
				Args: []string{"iota:u32:77:5:3", "zero:u32:77", "local:128", "u32:77"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[uint32](args[1])
				n, size := int(value[uint32](args[3])), int(l.Local[0])
				for i := range n {
					first := i / size * size
					last := min(first+size, n) - 1
					out[i] = in[first+last-i]
				}
				return store(args[1], out)
			},
		},
		{
			Name: "async_strided", Module: "async", Entry: "async_strided",
			About:   "A transpose: columns gathered with a stride, stored as rows, and scattered with another.",
			Clauses: []string{"GAC-05", "GAC-16"},
			Launch: Launch{Global: []uint64{9 * 8}, Local: []uint64{8},
				Args: []string{"rand:i32:117:1", "zero:i32:117", "fill:i32:143:-1", "local:52", "u32:9", "u32:13", "u32:11"}},
			Outputs: []int{1, 2},
			reference: func(_ Launch, args [][]byte) error {
				in, out, scattered := load[int32](args[0]), load[int32](args[1]), load[int32](args[2])
				w, h, pitch := value[uint32](args[4]), value[uint32](args[5]), value[uint32](args[6])
				for y := range h {
					for x := range w {
						v := in[y*w+x] + int32(y)
						out[x*h+y] = v
						scattered[y*pitch+x] = v
					}
				}
				if err := store(args[1], out); err != nil {
					return err
				}
				return store(args[2], scattered)
			},
		},
		{
			Name: "async_types", Module: "async", Entry: "async_types",
			About:   "Four copies of four element types, vectors among them, with an event each and one wait.",
			Clauses: []string{"GAC-06", "GAC-16"},
			Launch: Launch{Global: []uint64{192}, Local: []uint64{64},
				Args: []string{"rand:u8:192:1", "rand:i16:768:2:-1000:1000", "rand:f32:192:3", "rand:u64:384:4", "zero:u64:192"}},
			Outputs:   []int{4},
			reference: asyncTypes,
		},
		{
			Name: "async_chain", Module: "async", Entry: "async_chain",
			About:   "Rows gathered by a list: every copy of a loop joins one event.",
			Clauses: []string{"GAC-07", "GAC-16"},
			Launch: Launch{Global: []uint64{4 * 16}, Local: []uint64{16},
				Args: []string{"rand:f32:400:6:-8:8", "buf:u32:3,9,0,7,3,3,1,8,2,5,6,4", "zero:f32:160", "local:480", "u32:20", "u32:3"}},
			Outputs: []int{2},
			reference: func(l Launch, args [][]byte) error {
				in, rows, out := load[float32](args[0]), load[uint32](args[1]), load[float32](args[2])
				width, count := 2*int(value[uint32](args[4])), int(value[uint32](args[5]))
				for i := range out {
					var sum float32
					for _, row := range rows[i/width*count:][:count] {
						sum += in[int(row)*width+i%width]
					}
					out[i] = sum
				}
				return store(args[2], out)
			},
		},
		{
			Name: "async_pipeline", Module: "async", Entry: "async_pipeline",
			About:   "Running sums through two buffers on either side: copies in and out beside the arithmetic.",
			Clauses: []string{"GAC-06", "GAC-16"},
			Launch: Launch{Global: []uint64{3 * 32}, Local: []uint64{32},
				Args: []string{"rand:u32:672:8", "zero:u32:672", "u32:7"}},
			Outputs: []int{1},
			reference: func(_ Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[uint32](args[1])
				row := 32 * int(value[uint32](args[2]))
				for i := range out {
					out[i] = in[i]
					if i%row != 0 {
						out[i] += out[i-1]
					}
				}
				return store(args[1], out)
			},
		},
		{
			Name: "async_structs", Module: "async", Entry: "async_structs",
			About:   "Records as bytes and, every second one, as vectors of eight words, by a branch that groups take together.",
			Clauses: []string{"GAC-16"},
			Launch: Launch{Global: []uint64{4 * 8}, Local: []uint64{8},
				Args: []string{"rand:u8:1280:1:0:63", "rand:u8:2560:2:0:63", "zero:f32:160", "local:320", "u32:10"}},
			Outputs:   []int{2},
			reference: asyncStructs,
		},
		{
			Name: "matmul_plain", Module: "pipelined", Entry: "matmul_plain",
			About:   "A matrix product of any size in tiles of local memory, without copies.",
			Only:    "its module imports async_work_group_copy_2D2D and functions of AMDGPU",
			Launch:  productLaunch(37, 21, 50),
			Bench:   []Launch{productLaunch(128, 128, 128), productLaunch(256, 256, 256), productLaunch(512, 512, 512)},
			Outputs: []int{2}, reference: product,
		},
		{
			Name: "matmul_events", Module: "pipelined", Entry: "matmul_events",
			About:   "The same product, software-pipelined: copies in two dimensions into two buffers, with events.",
			Only:    "async_work_group_copy_2D2D is an extension",
			Clauses: []string{"GAC-04", "GAC-07"},
			Launch:  productLaunch(37, 21, 50),
			Bench:   []Launch{productLaunch(128, 128, 128), productLaunch(256, 256, 256), productLaunch(512, 512, 512)},
			Outputs: []int{2}, reference: product,
		},
		{
			Name: "matmul_marks", Module: "pipelined", Entry: "matmul_marks",
			About:   "The same product, software-pipelined: loads to local memory into three buffers, with marks.",
			Only:    "llvm.amdgcn.load.async.to.lds is AMDGPU's own",
			Clauses: []string{"AAO-01", "AAO-02", "AAO-03"},
			Launch:  productLaunch(37, 21, 50),
			Bench:   []Launch{productLaunch(128, 128, 128), productLaunch(256, 256, 256), productLaunch(512, 512, 512)},
			Outputs: []int{2}, reference: product,
		},
		{
			Name: "matmul_marks_wide", Module: "pipelined", Entry: "matmul_marks",
			About:   "The same with rows of whole groups of four elements, four to a work-item.",
			Only:    "llvm.amdgcn.load.async.to.lds is AMDGPU's own",
			Clauses: []string{"AAO-01", "AAO-02", "AAO-03"},
			Launch:  productLaunch(37, 20, 52),
			Outputs: []int{2}, reference: product,
		},
		{
			Name: "strips", Module: "strips", Entry: "stencil",
			About:   "A filter of 3 x 3 pixels in strips: the next one comes in and the one before goes out beside the arithmetic.",
			Only:    "async_work_group_copy_2D2D is an extension",
			Clauses: []string{"GAC-04", "GAC-05"},
			Launch:  stripsLaunch(71, 45, 2),
			Bench:   []Launch{stripsLaunch(1024, 1024, 4)},
			Outputs: []int{1}, reference: strips,
		},
		{
			Name: "tiles2d", Module: "tiles2d", Entry: "tiles2d",
			About:   "Tiles of 64 KiB from picture to picture through local memory, by copies in two dimensions alone.",
			Only:    "async_work_group_copy_2D2D is an extension",
			Clauses: []string{"GAC-04", "GAC-05"},
			Launch:  tilesLaunch(2, 2),
			Bench:   []Launch{tilesLaunch(16, 16)},
			Outputs: []int{1},
			reference: func(_ Launch, args [][]byte) error {
				copy(args[1], args[0])
				return nil
			},
		},
	}
}

func asyncTypes(l Launch, args [][]byte) error {
	bytes, shorts, floats, longs := args[0], load[int16](args[1]), load[float32](args[2]), load[uint64](args[3])
	out := load[uint64](args[4])
	for i := range out {
		o := i ^ 63 // the opposite in a group of 64
		sum := uint64(bytes[o])
		for k, v := range shorts[4*o:][:4] {
			sum += uint64(int64(v) * int64(k+1))
		}
		sum ^= uint64(math.Float32bits(floats[o])) << 16
		out[i] = sum + longs[2*o]*3 + longs[2*o+1]
	}
	return store(args[4], out)
}

// asyncStructs reads records of 32 bytes: a float3 in 16, a kind, a charge and
// six flags.
func asyncStructs(l Launch, args [][]byte) error {
	const size = 32
	out := load[float32](args[2])
	count := int(value[uint32](args[4]))
	for i := range len(out) / 4 {
		group, k := i/count, (i%count+1)%count
		record := args[0][(group*count+k)*size:]
		if group%2 == 1 {
			record = args[1][(group*count+2*k)*size:]
		}
		position := load[float32](record[:12])
		copy(out[4*i:], position)
		flags := uint32(0)
		for _, f := range record[22:28] {
			flags = flags*3 + uint32(f)
		}
		kind, charge := load[uint32](record[16:20])[0], load[uint16](record[20:22])[0]
		out[4*i+3] = float32(kind&0xff + uint32(charge) + flags&0xfff)
	}
	return store(args[2], out)
}

// productLaunch multiplies m by k elements with k by n, in tiles of 16 by 16.
func productLaunch(m, n, k int) Launch {
	up := func(n int) uint64 { return uint64((n + 15) / 16 * 16) }
	return Launch{
		Global: []uint64{up(n), up(m)}, Local: []uint64{16, 16},
		Args: []string{fmt.Sprintf("rand:f32:%d:1", m*k), fmt.Sprintf("rand:f32:%d:2", k*n), fmt.Sprintf("zero:f32:%d", m*n),
			fmt.Sprintf("u32:%d", m), fmt.Sprintf("u32:%d", n), fmt.Sprintf("u32:%d", k)},
	}
}

func product(_ Launch, args [][]byte) error {
	a, b, c := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	m, n, k := int(value[uint32](args[3])), int(value[uint32](args[4])), int(value[uint32](args[5]))
	for y := range m {
		for x := range n {
			var sum float32
			for i := range k {
				sum += float32(a[y*k+i] * b[i*n+x])
			}
			c[y*n+x] = sum
		}
	}
	return store(args[2], c)
}

// stripsLaunch filters a picture with shared groups in each band of 32 columns.
func stripsLaunch(w, h, shared int) Launch {
	return Launch{
		Global: []uint64{uint64((w + 31) / 32 * 32), uint64(8 * shared)}, Local: []uint64{32, 8},
		Args: []string{fmt.Sprintf("rand:f32:%d:4", w*h), fmt.Sprintf("zero:f32:%d", w*h), fmt.Sprintf("u32:%d", w), fmt.Sprintf("u32:%d", h),
			"buf:f32:0.0625,0.125,0.0625,0.125,0.25,0.125,0.0625,0.125,0.0625"},
	}
}

func strips(_ Launch, args [][]byte) error {
	in, out, weights := load[float32](args[0]), load[float32](args[1]), load[float32](args[4])
	w, h := int(value[uint32](args[2])), int(value[uint32](args[3]))
	for i := range out {
		var sum float32
		for j, weight := range weights {
			x := min(max(i%w+j%3-1, 0), w-1)
			y := min(max(i/w+j/3-1, 0), h-1)
			sum += float32(weight * in[y*w+x])
		}
		out[i] = sum
	}
	return store(args[1], out)
}

// tilesLaunch copies a picture of across by down tiles of 256 by 64 pixels.
func tilesLaunch(across, down int) Launch {
	n := across * down * 256 * 64
	return Launch{
		Global: []uint64{uint64(64 * down)}, Local: []uint64{64},
		Args: []string{fmt.Sprintf("rand:u32:%d:1", n), fmt.Sprintf("zero:u32:%d", n), fmt.Sprintf("u32:%d", across)},
	}
}
