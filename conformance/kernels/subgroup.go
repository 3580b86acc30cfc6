package kernels

import (
	"fmt"
	"slices"
)

// subgroupKernels let the work-items of a sub-group share data without memory. What
// they compute does not depend on how many a sub-group has.
func subgroupKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "sg_reduce", Module: "subgroups", Entry: "sg_reduce",
			About:     "Sums of work-groups by a reduction in each sub-group and one barrier.",
			Launch:    reduceLaunch(448, 56, 1500),
			Bench:     []Launch{reduceLaunch(1<<14, 256, 1<<20), reduceLaunch(1<<16, 256, 1<<24)},
			Outputs:   []int{1},
			reference: groupSums,
		},
		{
			Name: "sg_reduce_shuffle", Module: "subgroups", Entry: "sg_reduce_shuffle",
			About:     "The same sums by shuffles that halve the distance, partial sub-groups included.",
			Launch:    reduceLaunch(448, 56, 1500),
			Bench:     []Launch{reduceLaunch(1<<14, 256, 1<<20), reduceLaunch(1<<16, 256, 1<<24)},
			Outputs:   []int{1},
			reference: groupSums,
		},
		{
			Name: "sg_scan", Module: "subgroups", Entry: "sg_scan",
			About: "Inclusive prefix sums of work-groups by a scan in each sub-group.",
			Launch: Launch{Global: []uint64{200}, Local: []uint64{50},
				Args: []string{"rand:u32:200:1", "zero:u32:200", "local:200"}},
			Bench: []Launch{{Global: []uint64{1 << 20}, Local: []uint64{256},
				Args: []string{"rand:u32:1m:1", "zero:u32:1m", "local:1024"}}},
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
			Name: "sg_matmul", Module: "subgroups", Entry: "sg_matmul",
			About:     "A matrix product that passes rows through the lanes of a sub-group.",
			Launch:    subgroupMatmulLaunch(40, 20),
			Bench:     []Launch{subgroupMatmulLaunch(128, 128), subgroupMatmulLaunch(512, 128)},
			Outputs:   []int{2},
			reference: matrixProduct,
		},
		{
			Name: "sg_compact", Module: "subgroups", Entry: "sg_compact",
			About:   "Stream compaction: the elements to keep move to the front, in order, by ballots.",
			Launch:  compactLaunch(210, 70),
			Bench:   []Launch{compactLaunch(1<<20, 256)},
			Outputs: []int{1, 2},
			reference: func(l Launch, args [][]byte) error {
				in, out, kept := load[uint32](args[0]), load[uint32](args[1]), load[uint32](args[2])
				limit := value[uint32](args[4])
				for g := range kept {
					kept[g] = 0
					for _, x := range in[g*int(l.Local[0]):][:l.Local[0]] {
						if x < limit {
							out[g*int(l.Local[0])+int(kept[g])] = x
							kept[g]++
						}
					}
				}
				if err := store(args[1], out); err != nil {
					return err
				}
				return store(args[2], kept)
			},
		},
		{
			Name: "sg_aggregate", Module: "subgroups", Entry: "sg_aggregate",
			About:   "Slots for the elements to keep, by one atomic for the whole sub-group.",
			Launch:  aggregateLaunch(210, 70),
			Bench:   []Launch{aggregateLaunch(1<<20, 256)},
			Outputs: []int{1, 2},
			reference: func(_ Launch, args [][]byte) error {
				in, next, taken := load[uint32](args[0]), load[uint32](args[1]), load[uint32](args[2])
				limit := value[uint32](args[3])
				for _, x := range in {
					if x < limit {
						taken[next[0]]++
						next[0]++
					}
				}
				if err := store(args[1], next); err != nil {
					return err
				}
				return store(args[2], taken)
			},
		},
		{
			Name: "sg_radix", Module: "subgroups", Entry: "sg_radix",
			About:   "A radix sort of each work-group's keys, two bits a pass, by ballots.",
			Launch:  radixLaunch(200, 100),
			Bench:   []Launch{radixLaunch(1<<18, 256)},
			Outputs: []int{0},
			reference: func(l Launch, args [][]byte) error {
				keys := load[uint32](args[0])
				for part := range slices.Chunk(keys, int(l.Local[0])) {
					slices.Sort(part)
				}
				return store(args[0], keys)
			},
		},
	}
}

// groupSums is the reference of the reductions: work-item i of n adds the elements
// i, i + n, ….
func groupSums(l Launch, args [][]byte) error {
	in, sums := load[uint32](args[0]), load[uint32](args[1])
	clear(sums)
	for i := range uint64(value[uint32](args[3])) {
		sums[i%l.Global[0]/l.Local[0]] += in[i]
	}
	return store(args[1], sums)
}

// subgroupMatmulLaunch is a product of n by n matrices, local columns a work-group.
func subgroupMatmulLaunch(n, local int) Launch {
	return Launch{
		Global: []uint64{uint64(n), uint64(n)}, Local: []uint64{uint64(local), 1},
		Args: []string{fmt.Sprintf("rand:f32:%d:1", n*n), fmt.Sprintf("rand:f32:%d:2", n*n),
			fmt.Sprintf("zero:f32:%d", n*n), fmt.Sprintf("u32:%d", n)},
	}
}

// compactLaunch keeps about a third of n elements.
func compactLaunch(n, local int) Launch {
	return Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{uint64(local)},
		Args: []string{fmt.Sprintf("rand:u32:%d:1:0:999", n), fmt.Sprintf("zero:u32:%d", n), fmt.Sprintf("zero:u32:%d", n/local),
			fmt.Sprintf("local:%d", 4*local), "u32:333"},
	}
}

// aggregateLaunch takes slots for about a third of n elements.
func aggregateLaunch(n, local int) Launch {
	return Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{uint64(local)},
		Args: []string{fmt.Sprintf("rand:u32:%d:1:0:999", n), "zero:u32:1", fmt.Sprintf("zero:u32:%d", n), "u32:333"},
	}
}

// radixLaunch sorts n keys in parts of local. Four words of local memory for each
// sub-group are enough for sub-groups of one.
func radixLaunch(n, local int) Launch {
	return Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{uint64(local)},
		Args: []string{fmt.Sprintf("rand:u32:%d:1", n), fmt.Sprintf("local:%d", 4*local), fmt.Sprintf("local:%d", 16*local)},
	}
}
