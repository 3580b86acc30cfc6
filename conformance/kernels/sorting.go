package kernels

import (
	"fmt"
	"slices"
)

// sortingKernels sort.
func sortingKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "buckets", Module: "sorting",
			About:   "Parts the elements of a work-group among buckets: places are the results of atomics in local memory.",
			Outputs: []int{1}, reference: buckets,
		}, func(n int) Launch {
			return line(n, 256, noise("u32", n, 1), zeros("u32", n/256*48))
		}, [4]int{512, 1 << 15, 1 << 20, 1 << 22}),
		sized(&Kernel{
			Name: "merge_ranks", Module: "sorting",
			About:   "Merges two lists: each element searches its place in the other one.",
			Outputs: []int{2}, reference: mergeRanks,
		}, func(n int) Launch {
			return line(2*n, 128, fmt.Sprintf("iota:i32:%d:0:3", n), fmt.Sprintf("iota:i32:%d:1:2", n), zeros("i32",
				2*n), number("i32", n))
		}, [4]int{128, 1 << 13, 1 << 18, 1 << 20}),
		sized(&Kernel{
			Name: "sort16", Module: "sorting",
			About:   "Sorts private arrays of words by insertion.",
			Outputs: []int{1}, reference: sort16,
		}, func(n int) Launch {
			return line(n, 64, noise("u16", 16*n, 1), zeros("u16", 16*n))
		}, [4]int{128, 1 << 11, 1 << 16, 1 << 17}),
	}
}

func buckets(l Launch, args [][]byte) error {
	const room = 64
	in, out := load[uint32](args[0]), load[uint32](args[1])
	clear(out)
	for i, v := range in {
		p := out[(uint32(i)/256*16+v%16)*3:]
		p[0]++
		p[1] += v
		p[2] = max(p[2], v)
		if p[0] > room {
			return fmt.Errorf("more than %d elements in a bucket", room)
		}
	}
	return store(args[1], out)
}

func mergeRanks(_ Launch, args [][]byte) error {
	all := append(load[int32](args[0]), load[int32](args[1])...)
	slices.Sort(all)
	return store(args[2], all)
}

func sort16(_ Launch, args [][]byte) error {
	v := load[uint16](args[0])
	for i := 0; i < len(v); i += 16 {
		slices.Sort(v[i : i+16])
	}
	return store(args[1], v)
}
