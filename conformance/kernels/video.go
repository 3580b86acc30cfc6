package kernels

import (
	"math"
	"slices"
)

// videoKernels work on pictures.
func videoKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "sobel", Module: "video",
			About:   "Gradients of a picture of bytes, by a pointer to the middle.",
			Outputs: []int{1}, reference: sobel,
		}, func(n int) Launch {
			return plane(n, n, 16, 16, noise("u8", n*n, 1), zeros("u8", n*n), number("i32", n), number("i32", n))
		}, [4]int{32, 256, 4096, 4096}),
		sized(&Kernel{
			Name: "nv12_to_rgba", Module: "video",
			About:   "Colours of video frames, with saturation.",
			Outputs: []int{2}, reference: nv12,
		}, func(n int) Launch {
			return plane(n, n, 16, 16, noise("u8", n*n, 1), noise("u8", n*n/2, 2), zeros("u8", 4*n*n), number("i32",
				n))
		}, [4]int{32, 256, 2048, 4096}),
		sized(&Kernel{
			Name: "median3x3", Module: "video",
			About:   "Medians of nine words by a network of minima and maxima.",
			Outputs: []int{1}, reference: median,
		}, func(n int) Launch {
			w := n + 2
			return plane(n, n, 16, 16, noise("u16", w*w, 1), zeros("u16", w*w), number("i32", w))
		}, [4]int{32, 256, 2048, 4096}),
		sized(&Kernel{
			Name: "upscale", Module: "video",
			About:   "Scales a picture with linear filters: mix, and conversions that round and saturate.",
			Outputs: []int{1}, reference: upscale,
		}, func(n int) Launch {
			w := n * 3 / 8
			return plane(n, n, 16, 16, noise("u8", 4*w*w, 1), zeros("u8", 4*n*n), number("i32", w), number("i32", w),
				"f32:0.375")
		}, [4]int{32, 128, 1024, 2048}),
		sized(&Kernel{
			Name: "bilateral", Module: "video",
			About:   "A filter that keeps edges: native_exp and clamped coordinates in loops.",
			Outputs: []int{1}, reference: bilateral, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 32},
		}, func(n int) Launch {
			return plane(n, n, 16, 16, noise("f32", n*n, 1), zeros("f32", n*n), number("i32", n), number("i32", n),
				"f32:8")
		}, [4]int{32, 64, 512, 1024}),
		sized(&Kernel{
			Name: "block_match", Module: "video",
			About:   "Searches the motion of blocks: sums of absolute differences, and the least by atomics.",
			Outputs: []int{2}, reference: blockMatch,
		}, func(n int) Launch {
			pitch := 8*n + 16
			return plane(64*n, n, 64, 1, noise("u8", pitch*pitch, 1), noise("u8", pitch*pitch, 2), zeros("u32", n*n),
				number("i32", pitch))
		}, [4]int{3, 10, 96, 192}),
		sized(&Kernel{
			Name: "box_columns", Module: "video",
			About:   "Running means of columns, a work-item for each: pointers that walk, few long work-groups.",
			Outputs: []int{1}, reference: boxColumns,
		}, func(n int) Launch {
			h := min(n, 2048)
			return line(n, 64, noise("u16", n*h, 1), zeros("u16", n*h), number("i32", n), number("i32", h), "i32:7")
		}, [4]int{64, 256, 2048, 4096}),
	}
}

func sobel(l Launch, args [][]byte) error {
	in, w, h := args[0], int(l.Global[0]), int(l.Global[1])
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			at := func(dx, dy int) int { return int(in[(y+dy)*w+x+dx]) }
			gx := at(1, -1) + 2*at(1, 0) + at(1, 1) - at(-1, -1) - 2*at(-1, 0) - at(-1, 1)
			gy := at(-1, 1) + 2*at(0, 1) + at(1, 1) - at(-1, -1) - 2*at(0, -1) - at(1, -1)
			args[1][y*w+x] = uint8(min(max(gx, -gx)+max(gy, -gy), 255))
		}
	}
	return nil
}

func nv12(l Launch, args [][]byte) error {
	w, h := int(l.Global[0]), int(l.Global[1])
	for y := range h {
		for x := range w {
			c := 298*(int(args[0][y*w+x])-16) + 128
			chroma := args[1][2*(y/2*(w/2)+x/2):]
			u, v := int(chroma[0])-128, int(chroma[1])-128
			for i, sum := range [4]int{c + 409*v, c - 100*u - 208*v, c + 516*u, 255 << 8} {
				args[2][4*(y*w+x)+i] = uint8(min(max(sum>>8, 0), 255))
			}
		}
	}
	return nil
}

func median(l Launch, args [][]byte) error {
	in, out, w := load[uint16](args[0]), load[uint16](args[1]), int(value[int32](args[2]))
	for y := 1; y <= int(l.Global[1]); y++ {
		for x := 1; x <= int(l.Global[0]); x++ {
			var v [9]uint16
			for d := range 3 {
				copy(v[3*d:], in[(y+d-1)*w+x-1:][:3])
			}
			slices.Sort(v[:])
			out[y*w+x] = v[4]
		}
	}
	return store(args[1], out)
}

func upscale(l Launch, args [][]byte) error {
	w, h, step := int(value[int32](args[2])), int(value[int32](args[3])), value[float32](args[4])
	n := int(l.Global[0])
	for y := range int(l.Global[1]) {
		fy := float32(float32(y) * step)
		top := int(fy)
		bottom := min(top+1, h-1)
		for x := range n {
			fx := float32(float32(x) * step)
			left := int(fx)
			right := min(left+1, w-1)
			for i := range 4 {
				at := func(x, y int) float32 { return float32(args[0][4*(y*w+x)+i]) }
				dx, dy := fx-float32(left), fy-float32(top)
				a, b := mix32(at(left, top), at(right, top), dx), mix32(at(left, bottom), at(right, bottom), dx)
				args[1][4*(y*n+x)+i] = uint8(math.RoundToEven(float64(mix32(a, b, dy))))
			}
		}
	}
	return nil
}

func bilateral(l Launch, args [][]byte) error {
	in, out := load[float32](args[0]), load[float32](args[1])
	w, h, scale := int(l.Global[0]), int(l.Global[1]), value[float32](args[4])
	for y := range h {
		for x := range w {
			var sum, weights float32
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					v := in[min(max(y+dy, 0), h-1)*w+min(max(x+dx, 0), w-1)]
					d := v - in[y*w+x]
					g := exp32(float32(float32(dx*dx+dy*dy)*-0.125) - float32(float32(d*d)*scale))
					sum += float32(g * v)
					weights += g
				}
			}
			out[y*w+x] = sum / weights
		}
	}
	return store(args[1], out)
}

func blockMatch(l Launch, args [][]byte) error {
	best, pitch := load[uint32](args[2]), int(value[int32](args[3]))
	for b := range best {
		x, y := 8*(b%int(l.Global[1]))+8, 8*(b/int(l.Global[1]))+8
		best[b] = math.MaxUint32
		for p := range 64 {
			var sum uint32
			for i := range 64 {
				v := int(args[0][(y+i/8)*pitch+x+i%8])
				d := v - int(args[1][(y+i/8+p/8-4)*pitch+x+i%8+p%8-4])
				sum += uint32(max(d, -d))
			}
			best[b] = min(best[b], sum<<8|uint32(p))
		}
	}
	return store(args[2], best)
}

func boxColumns(l Launch, args [][]byte) error {
	in, out := load[uint16](args[0]), load[uint16](args[1])
	w, h, r := int(value[int32](args[2])), int(value[int32](args[3])), int(value[int32](args[4]))
	for x := range int(l.Global[0]) {
		for y := r; y < h-r; y++ {
			var sum uint32
			for d := -r; d <= r; d++ {
				sum += uint32(in[(y+d)*w+x])
			}
			out[y*w+x] = uint16(sum / uint32(2*r+1))
		}
	}
	return store(args[1], out)
}
