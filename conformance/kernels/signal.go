package kernels

import (
	"fmt"
	"math"
)

// signalKernels work on samples.
func signalKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "fir16", Module: "signal",
			About:   "A filter of samples of 16 bits, with sums of 32 that are saturated.",
			Outputs: []int{2}, reference: fir,
		}, func(n int) Launch {
			return line(n, 128, noise("i16", n+32, 1), within("i16", 32, 2, -512, 511), zeros("i16", n), "i32:32")
		}, [4]int{256, 1 << 14, 1 << 20, 1 << 22}),
		sized(&Kernel{
			Name: "biquad", Module: "signal",
			About:   "A recursive filter of interleaved channels, a long loop for each.",
			Outputs: []int{1}, reference: biquad, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 32},
		}, func(n int) Launch {
			frames := min(4*n, 2048)
			return line(n, 64, within("f32", n*frames, 1, -1, 1), zeros("f32", n*frames),
				"buf:f32:0.2,0.3,0.1,-0.5,0.25",
				number("i32", n), number("i32", frames))
		}, [4]int{64, 256, 2048, 4096}),
		sized(&Kernel{
			Name: "dct8x8", Module: "signal",
			About:   "The cosine transform of blocks of a picture, in local memory.",
			Outputs: []int{1}, reference: dct,
		}, func(n int) Launch {
			var c []float32
			for u := range 8 {
				for k := range 8 {
					v := math.Cos(float64(2*k+1) * float64(u) * math.Pi / 16)
					if u == 0 {
						v = math.Sqrt2 / 2
					}
					c = append(c, float32(math.Round(v*128)/128))
				}
			}
			return plane(n, n, 8, 8, noise("u8", n*n, 1), zeros("i16", n*n), elements("f32", c), number("i32", n))
		}, [4]int{32, 128, 1024, 2048}),
		sized(&Kernel{
			Name: "mix_tracks", Module: "signal",
			About:   "Mixes tracks of samples: vectors of eight, sums that saturate.",
			Outputs: []int{2}, reference: mixTracks,
		}, func(n int) Launch {
			return line(n, 64, noise("i16", 8*n*6, 1), within("u8", 6, 2, 20, 120), zeros("i16", 8*n), "i32:6")
		}, [4]int{64, 1 << 12, 1 << 17, 1 << 19}),
		sized(&Kernel{
			Name: "convolve5x5", Module: "signal",
			About:   "A convolution of a picture with a border, from local memory, by mad.",
			Outputs: []int{2}, reference: convolve, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 32},
		}, func(n int) Launch {
			w := n + 4
			return plane(n, n, 16, 16, noise("f32", w*w, 1), within("f32", 25, 2, 0, 0.1), zeros("f32", n*n),
				number("i32", n))
		}, [4]int{32, 128, 1024, 2048}),
	}
}

func fir(l Launch, args [][]byte) error {
	in, taps, out := load[int16](args[0]), load[int16](args[1]), load[int16](args[2])
	for i := range out {
		sum := int32(1 << 8)
		for k, t := range taps[:value[int32](args[3])] {
			sum += int32(in[i+k]) * int32(t)
		}
		out[i] = int16(min(max(sum>>9, math.MinInt16), math.MaxInt16))
	}
	return store(args[2], out)
}

func biquad(l Launch, args [][]byte) error {
	in, out, k := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	channels, frames := int(value[int32](args[3])), int(value[int32](args[4]))
	for c := range int(l.Global[0]) {
		var z1, z2 float32
		for f := range frames {
			x := in[f*channels+c]
			y := float32(k[0]*x) + z1
			z1 = float32(k[1]*x) - float32(k[3]*y) + z2
			z2 = float32(k[2]*x) - float32(k[4]*y)
			out[f*channels+c] = y
		}
	}
	return store(args[1], out)
}

func dct(l Launch, args [][]byte) error {
	out, c, pitch := load[int16](args[1]), load[float32](args[2]), int(value[int32](args[3]))
	for by := 0; by < int(l.Global[1]); by += 8 {
		for bx := 0; bx < int(l.Global[0]); bx += 8 {
			var rows [64]float32
			for i := range rows {
				for k := range 8 {
					rows[i] += float32((float32(args[0][(by+i/8)*pitch+bx+k]) - 128) * c[i%8*8+k])
				}
			}
			for i := range rows {
				var sum float32
				for k := range 8 {
					sum += float32(rows[8*k+i%8] * c[i/8*8+k])
				}
				out[(by+i/8)*pitch+bx+i%8] = int16(math.RoundToEven(float64(float32(0.25 * sum))))
			}
		}
	}
	return store(args[1], out)
}

func mixTracks(l Launch, args [][]byte) error {
	in, out := load[int16](args[0]), load[int16](args[2])
	saturate := func(v int32) int16 { return int16(min(max(v, math.MinInt16), math.MaxInt16)) }
	for i := range out {
		var sum int16
		for t := range int(value[int32](args[3])) {
			v := int32(in[t*len(out)+i]) * int32(args[1][t])
			sum = saturate(int32(sum) + int32(saturate(v>>7)))
		}
		out[i] = sum
	}
	return store(args[2], out)
}

func convolve(l Launch, args [][]byte) error {
	in, weight, out := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	w := int(value[int32](args[3]))
	if len(weight) < 25 {
		return fmt.Errorf("%d weights", len(weight))
	}
	for i := range out {
		var sum float32
		for k := range 25 {
			sum = fma32(in[(i/w+k/5)*(w+4)+i%w+k%5], weight[k], sum)
		}
		out[i] = sum
	}
	return store(args[2], out)
}
