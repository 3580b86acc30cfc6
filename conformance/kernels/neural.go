package kernels

import "math"

// neuralKernels are layers of neural networks.
func neuralKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "qgemm", Module: "neural",
			About:   "A product of matrices of signed bytes, scaled back to bytes with saturation.",
			Outputs: []int{3}, reference: qgemm,
		}, func(n int) Launch {
			return plane(n, n, 16, 16, noise("i8", n*n, 1), noise("i8", n*n, 2), within("i32", n, 3, -9999, 9999),
				zeros("i8", n*n),
				number("i32", n/4), "f32:0.0009765625")
		}, [4]int{32, 64, 512, 1024}),
		sized(&Kernel{
			Name: "depthwise", Module: "neural",
			About:   "A convolution of each channel by itself, in halves, with zeros around the picture.",
			Outputs: []int{2}, reference: depthwise,
		}, func(n int) Launch {
			const channels = 32
			return box([3]int{channels, n, n}, [3]int{channels, 4, 1}, within("f16", n*n*channels, 1, -2, 2),
				within("f16", 9*channels, 2, -1, 1),
				zeros("f16", n*n*channels), number("i32", n), number("i32", n), number("i32", channels))
		}, [4]int{8, 32, 192, 384}),
		sized(&Kernel{
			Name: "softmax", Module: "neural",
			About:   "Softmax of rows, a work-group each: maxima and sums of trees in local memory.",
			Outputs: []int{1}, reference: softmax, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 32},
		}, func(n int) Launch {
			const row = 1000
			return line(64*n, 64, within("f32", row*n, 1, -8, 8), zeros("f32", row*n), "local:256", number("i32", row))
		}, [4]int{3, 32, 1024, 4096}),
		sized(&Kernel{
			Name: "layernorm", Module: "neural",
			About:   "Normalises rows, a work-item each, in vectors of four.",
			Outputs: []int{3}, reference: layernorm, Tolerance: &Tolerance{Ulps: 1 << 12, Bits: 32},
		}, func(n int) Launch {
			const row = 128
			return line(n, 64, within("f32", row*n, 1, -2, 3), within("f32", row, 2, 0.5, 1.5), within("f32", row, 3,
				-0.5, 0.5), zeros("f32", row*n), number("i32", row/4))
		}, [4]int{64, 512, 1 << 14, 1 << 15}),
		sized(&Kernel{
			Name: "attention", Module: "neural",
			About:   "Attention of a query to keys, with a running softmax and private vectors.",
			Outputs: []int{3}, reference: attention, Tolerance: &Tolerance{Ulps: 1 << 12, Bits: 32},
		}, func(n int) Launch {
			keys := min(n, 256)
			return line(n, 64, within("f32", 16*n, 1, -2, 2), within("f32", 16*keys, 2, -2, 2), within("f32", 16*keys,
				3, -1, 1), zeros("f32", 16*n), number("i32", keys))
		}, [4]int{64, 256, 4096, 8192}),
		sized(&Kernel{
			Name: "gelu", Module: "neural",
			About:   "An activation with tanh, and a bias whose index is a remainder.",
			Outputs: []int{2}, reference: gelu, Tolerance: &Tolerance{Ulps: 1 << 10, Bits: 32},
		}, func(n int) Launch {
			return line(n, 128, within("f32", n, 1, -4, 4), within("f32", 80, 2, -1, 1), zeros("f32", n), "u32:80")
		}, [4]int{256, 1 << 15, 1 << 20, 1 << 22}),
	}
}

func qgemm(l Launch, args [][]byte) error {
	a, b, bias, c := load[int8](args[0]), load[int8](args[1]), load[int32](args[2]), load[int8](args[3])
	n, k, scale := int(l.Global[0]), 4*int(value[int32](args[4])), value[float32](args[5])
	for i := range c {
		sum := bias[i%n]
		x, y := a[i/n*k:][:k], b[i%n*k:][:k]
		for j := range x {
			sum += int32(x[j]) * int32(y[j])
		}
		v := math.RoundToEven(float64(float32(float32(sum) * scale)))
		c[i] = int8(min(max(v, -128), 127))
	}
	return store(args[3], c)
}

func depthwise(_ Launch, args [][]byte) error {
	in, weight, out := load[uint16](args[0]), load[uint16](args[1]), load[uint16](args[2])
	w, h, channels := int(value[int32](args[3])), int(value[int32](args[4])), int(value[int32](args[5]))
	for i := range out {
		c, x, y := i%channels, i/channels%w, i/channels/w
		var sum float32
		for k := range 9 {
			sx, sy := x+k%3-1, y+k/3-1
			if sx < 0 || sy < 0 || sx >= w || sy >= h {
				continue
			}
			sum += float32(fromHalf(in[(sy*w+sx)*channels+c]) * fromHalf(weight[k*channels+c]))
		}
		out[i] = toHalf(max(sum, 0), rte)
	}
	return store(args[2], out)
}

func softmax(l Launch, args [][]byte) error {
	in, out, n := load[float32](args[0]), load[float32](args[1]), int(value[int32](args[3]))
	for g := range int(l.groups()) {
		row, part := in[g*n:(g+1)*n], [64]float32{}
		most := float32(math.Inf(-1))
		for _, v := range row {
			most = max(most, v)
		}
		for i, v := range row {
			out[g*n+i] = exp32(v - most)
			part[i%64] += out[g*n+i]
		}
		for step := 32; step > 0; step /= 2 {
			for i := range step {
				part[i] += part[i+step]
			}
		}
		for i := range row {
			out[g*n+i] /= part[0]
		}
	}
	return store(args[1], out)
}

func layernorm(l Launch, args [][]byte) error {
	in, gain, shift, out := load[float32](args[0]), load[float32](args[1]), load[float32](args[2]),
		load[float32](args[3])
	n := 4 * int(value[int32](args[4]))
	for r := range int(l.items()) {
		row := in[r*n : (r+1)*n]
		var sum [4]float32
		for i, v := range row {
			sum[i%4] += v
		}
		mean := (sum[0] + sum[1] + sum[2] + sum[3]) / float32(n)
		var squares float32
		for i := 0; i < n; i += 4 {
			var d [4]float32
			for j := range d {
				d[j] = row[i+j] - mean
			}
			squares += float32(d[0]*d[0]) + float32(d[1]*d[1]) + float32(d[2]*d[2]) + float32(d[3]*d[3])
		}
		scale := rsqrt32(squares/float32(n) + 1e-5)
		for i, v := range row {
			out[r*n+i] = float32(float32((v-mean)*scale)*gain[i]) + shift[i]
		}
	}
	return store(args[3], out)
}

func attention(l Launch, args [][]byte) error {
	query, key, val, out := load[float32](args[0]), load[float32](args[1]), load[float32](args[2]),
		load[float32](args[3])
	const head = 16
	for i := range int(l.items()) {
		var q, acc [head]float32
		for d := range q {
			q[d] = query[i*head+d] * 0.25
		}
		most, total := float32(math.Inf(-1)), float32(0)
		for k := range int(value[int32](args[4])) {
			var s float32
			for d := range q {
				s += float32(q[d] * key[k*head+d])
			}
			if s > most {
				down := exp32(most - s)
				total = float32(total * down)
				for d := range acc {
					acc[d] = float32(acc[d] * down)
				}
				most = s
			}
			weight := exp32(s - most)
			total += weight
			for d := range acc {
				acc[d] += float32(weight * val[k*head+d])
			}
		}
		for d := range acc {
			out[i*head+d] = acc[d] / total
		}
	}
	return store(args[3], out)
}

func gelu(_ Launch, args [][]byte) error {
	in, bias, out := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	for i := range out {
		x := in[i] + bias[i%int(value[uint32](args[3]))]
		cube := float32(float32(float32(0.044715*x)*x) * x)
		out[i] = float32(float32(0.5*x) * (1 + tanh32(float32(0.797884561*(x+cube)))))
	}
	return store(args[2], out)
}
