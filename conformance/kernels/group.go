package kernels

import (
	"fmt"
	"math/bits"
	"slices"
)

// groupKernels are cooperative algorithms of a work-group in local memory.
func groupKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "reduce_u32", Module: "reduce", Entry: "reduce_u32",
			About:     "A tree reduction with a stride loop before it; one sum a work-group.",
			Launch:    reduceLaunch(512, 64, 1500),
			Bench:     []Launch{reduceLaunch(1<<14, 256, 1<<20), reduceLaunch(1<<16, 256, 1<<24)},
			Outputs:   []int{1},
			reference: groupSums,
		},
		{
			Name: "reduce_f32", Module: "reduce", Entry: "reduce_f32",
			About: "A tree reduction in single precision, whose rounding follows the tree.",
			Launch: Launch{Global: []uint64{288}, Local: []uint64{96},
				Args: []string{"rand:f32:288:2", "zero:f32:3", "local:384"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, partial := load[float32](args[0]), load[float32](args[1])
				for g := range partial {
					level := in[g*int(l.Local[0]):][:l.Local[0]]
					for len(level) > 1 {
						next := make([]float32, (len(level)+1)/2)
						for i := range next {
							next[i] = level[2*i]
							if 2*i+1 < len(level) {
								next[i] += level[2*i+1]
							}
						}
						level = next
					}
					partial[g] = level[0]
				}
				return store(args[1], partial)
			},
		},
		{
			Name: "minmax", Module: "reduce", Entry: "minmax",
			About: "Smallest and largest elements with their places: vectors in local memory.",
			Launch: Launch{Global: []uint64{512}, Local: []uint64{64},
				Args: []string{"rand:i32:512:8:-100:100", "zero:i32:32", "local:1024"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, partial := load[int32](args[0]), load[int32](args[1])
				for g := range l.groups() {
					group := in[g*l.Local[0]:][:l.Local[0]]
					low, high := slices.Min(group), slices.Max(group)
					first := int(g * l.Local[0])
					copy(partial[g*4:], []int32{low, int32(first + slices.Index(group, low)),
						high, int32(first + slices.Index(group, high))})
				}
				return store(args[1], partial)
			},
		},
		{
			Name: "scan_inclusive", Module: "scan", Entry: "scan_inclusive",
			About: "Inclusive prefix sums, with two local buffers that swap in a loop.",
			Launch: Launch{Global: []uint64{192}, Local: []uint64{48},
				Args: []string{"rand:u32:192:1", "zero:u32:192", "local:384"}},
			Bench: []Launch{{Global: []uint64{1 << 20}, Local: []uint64{256},
				Args: []string{"rand:u32:1m:1", "zero:u32:1m", "local:2048"}}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[uint32](args[1])
				var sum uint32
				for i := range out {
					if uint64(i)%l.Local[0] == 0 {
						sum = 0
					}
					sum += in[i]
					out[i] = sum
				}
				return store(args[1], out)
			},
		},
		{
			Name: "scan_exclusive", Module: "scan", Entry: "scan_exclusive",
			About: "Exclusive prefix sums by up-sweep and down-sweep, two elements a work-item.",
			Launch: Launch{Global: []uint64{128}, Local: []uint64{32},
				Args: []string{"rand:u32:256:2", "zero:u32:256", "zero:u32:4", "local:256"}},
			Outputs: []int{1, 2},
			reference: func(l Launch, args [][]byte) error {
				in, out, total := load[uint32](args[0]), load[uint32](args[1]), load[uint32](args[2])
				n := int(2 * l.Local[0])
				for g := range total {
					var sum uint32
					for i := g * n; i < (g+1)*n; i++ {
						out[i] = sum
						sum += in[i]
					}
					total[g] = sum
				}
				if err := store(args[1], out); err != nil {
					return err
				}
				return store(args[2], total)
			},
		},
		{
			Name: "bitonic", Module: "bitonic", Entry: "bitonic",
			About: "A bitonic sorting network in local memory: barriers in nested loops.",
			Launch: Launch{Global: []uint64{128}, Local: []uint64{32},
				Args: []string{"rand:u32:256:3", "local:256"}},
			Bench: []Launch{{Global: []uint64{1 << 19}, Local: []uint64{256},
				Args: []string{"rand:u32:1m:3", "local:2048"}}},
			Outputs: []int{0},
			reference: func(l Launch, args [][]byte) error {
				keys := load[uint32](args[0])
				for group := range slices.Chunk(keys, int(2*l.Local[0])) {
					slices.Sort(group)
				}
				return store(args[0], keys)
			},
		},
		{
			Name: "bitonic_pairs", Module: "bitonic", Entry: "bitonic_pairs",
			About: "A bitonic sort of float keys with values, equal keys among them.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{32},
				Args: []string{"buf:f32:3.5,-1,3.5,0.25*5,7,-2.5*20,1e30,-1e30,0.125*97", "iota:u32:128:500:4294967295", "local:256", "local:256"}},
			Outputs: []int{0, 1},
			reference: func(l Launch, args [][]byte) error {
				keys, values := load[float32](args[0]), load[uint32](args[1])
				n := int(2 * l.Local[0])
				for base := 0; base < len(keys); base += n {
					order := make([]int, n)
					for i := range order {
						order[i] = base + i
					}
					slices.SortFunc(order, func(a, b int) int {
						switch {
						case keys[a] < keys[b] || keys[a] == keys[b] && values[a] < values[b]:
							return -1
						case a == b:
							return 0
						}
						return 1
					})
					sortedKeys, sortedValues := make([]float32, n), make([]uint32, n)
					for i, from := range order {
						sortedKeys[i], sortedValues[i] = keys[from], values[from]
					}
					copy(keys[base:], sortedKeys)
					copy(values[base:], sortedValues)
				}
				if err := store(args[0], keys); err != nil {
					return err
				}
				return store(args[1], values)
			},
		},
		{
			Name: "fft", Module: "fft", Entry: "fft",
			About:     "A radix-2 FFT a work-group, with correctly rounded sines and cosines.",
			Launch:    fftLaunch(2, 6),
			Bench:     []Launch{fftLaunch(256, 9)},
			Outputs:   []int{1},
			Tolerance: &Tolerance{Ulps: 1 << 14, Bits: 32},
			reference: fft,
		},
	}
}

func reduceLaunch(items, local, n int) Launch {
	return Launch{
		Global: []uint64{uint64(items)}, Local: []uint64{uint64(local)},
		Args: []string{fmt.Sprintf("rand:u32:%d:1", n), fmt.Sprintf("zero:u32:%d", items/local),
			fmt.Sprintf("local:%d", 4*local), fmt.Sprintf("u32:%d", n)},
	}
}

func fftLaunch(transforms, logN int) Launch {
	n := 1 << logN
	return Launch{
		Global: []uint64{uint64(transforms * n / 2)}, Local: []uint64{uint64(n / 2)},
		Args: []string{fmt.Sprintf("rand:f32:%d:6:-1:1", 2*n*transforms), fmt.Sprintf("zero:f32:%d", 2*n*transforms),
			fmt.Sprintf("u32:%d", logN), fmt.Sprintf("local:%d", 8*n)},
	}
}

func fft(l Launch, args [][]byte) error {
	in, out := load[float32](args[0]), load[float32](args[1])
	logN := int(value[uint32](args[2]))
	n := 1 << logN
	for g := range int(l.groups()) {
		re, im := make([]float32, n), make([]float32, n)
		for i := range n {
			r := int(bits.Reverse32(uint32(i)) >> (32 - logN))
			re[r], im[r] = in[2*(g*n+i)], in[2*(g*n+i)+1]
		}
		for half := 1; half < n; half *= 2 {
			for k := range half {
				angle := float32(-3.14159274*float32(k)) / float32(half)
				c, s := cos32(angle), sin32(angle)
				for i := k; i < n; i += 2 * half {
					j := i + half
					tr := float32(c*re[j]) - float32(s*im[j])
					ti := float32(c*im[j]) + float32(s*re[j])
					re[i], re[j] = re[i]+tr, re[i]-tr
					im[i], im[j] = im[i]+ti, im[i]-ti
				}
			}
		}
		for i := range n {
			out[2*(g*n+i)], out[2*(g*n+i)+1] = re[i], im[i]
		}
	}
	return store(args[1], out)
}
