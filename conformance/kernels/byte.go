package kernels

import (
	"fmt"
	"math"
	"strings"
)

// byteKernels work on text and pictures.
func byteKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "strsearch", Module: "strsearch", Entry: "strsearch",
			About: "A string search with skips that differ from lane to lane, and atomics for the first place.",
			Launch: Launch{Global: []uint64{48}, Local: []uint64{16},
				Args: []string{"rand:u8:1000:6:97:99", "u32:1000", "buf:u8:97,98,97", "u32:3", "u32:22", "zero:u32:48", "zero:u32:3"}},
			Outputs: []int{5, 6},
			reference: func(l Launch, args [][]byte) error {
				text := string(args[0][:value[uint32](args[1])])
				pattern := string(args[2][:value[uint32](args[3])])
				span := int(value[uint32](args[4]))
				count, first := load[uint32](args[5]), load[uint32](args[6])
				for i := range first {
					first[i] = math.MaxUint32
				}
				for i := range count {
					count[i] = 0
					for at := i * span; at < (i+1)*span && at < len(text); at++ {
						if strings.HasPrefix(text[at:], pattern) {
							count[i]++
							group := uint64(i) / l.Local[0]
							first[group] = min(first[group], uint32(at))
						}
					}
				}
				if err := store(args[5], count); err != nil {
					return err
				}
				return store(args[6], first)
			},
		},
		{
			Name: "blur", Module: "blur", Entry: "blur",
			About:   "A blur of pixels of four bytes: vectors of floats, saturating conversions.",
			Launch:  blurLaunch(20, 12),
			Bench:   []Launch{blurLaunch(1024, 512)},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				gain := value[float32](args[2])
				w, h := int(l.Global[0]), int(l.Global[1])
				weight := [3]float32{0.25, 0.5, 0.25}
				for i := range 4 * w * h {
					x, y, c := i/4%w, i/4/w, i%4
					var sum float32
					for d := range 9 {
						sx, sy := min(max(x+d%3-1, 0), w-1), min(max(y+d/3-1, 0), h-1)
						sum += float32(float32(args[0][4*(sy*w+sx)+c]) * float32(weight[d%3]*weight[d/3]))
					}
					v := math.RoundToEven(float64(float32(sum*gain) - 32))
					args[1][i] = uint8(min(max(v, 0), 255))
				}
				return nil
			},
		},
	}
}

func blurLaunch(w, h int) Launch {
	return Launch{
		Global: []uint64{uint64(w), uint64(h)}, Local: []uint64{4, 4},
		Args: []string{fmt.Sprintf("rand:u8:%d:7", 4*w*h), fmt.Sprintf("zero:u8:%d", 4*w*h), "f32:1.7"},
	}
}
