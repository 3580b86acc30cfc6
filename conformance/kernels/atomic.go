package kernels

import (
	"fmt"
	"math"
	"slices"
)

// atomicKernels share memory between work-items through atomics.
func atomicKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "histogram", Module: "histogram", Entry: "histogram",
			About:   "Counts with atomics in local memory that are added to global memory.",
			Launch:  histogramLaunch(256, 64, 3000),
			Bench:   []Launch{histogramLaunch(1<<14, 256, 1<<20), histogramLaunch(1<<16, 256, 1<<24)},
			Outputs: []int{2},
			reference: func(_ Launch, args [][]byte) error {
				bins := load[uint32](args[2])
				for _, b := range args[0][:value[uint32](args[1])] {
					bins[b%64]++
				}
				return store(args[2], bins)
			},
		},
		{
			Name: "histogram_global", Module: "histogram", Entry: "histogram_global",
			About: "Counts with contended atomics in global memory.",
			Launch: Launch{Global: []uint64{512}, Local: []uint64{64},
				Args: []string{"rand:u8:512:4", "zero:u32:64"}},
			Bench: []Launch{{Global: []uint64{1 << 20}, Local: []uint64{64},
				Args: []string{"rand:u8:1m:4", "zero:u32:64"}}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				bins := load[uint32](args[1])
				for _, b := range args[0][:l.items()] {
					bins[b%64]++
				}
				return store(args[1], bins)
			},
		},
		{
			Name: "atomics", Module: "atomics", Entry: "atomics",
			About: "Every 32-bit atomic in global and local memory, with outcomes that no order changes.",
			Launch: Launch{Global: []uint64{192}, Local: []uint64{48},
				Args: []string{"rand:i32:192:5", "buf:i32:0,0,2147483647,-2147483648,0,-1,0,0,0",
					"buf:u32:4294967295,0,0,0,77,0", "zero:u32:192", "zero:i32:48", "local:40", "local:16"}},
			Outputs:   []int{1, 2, 3, 4},
			reference: atomics,
		},
		{
			Name: "stack", Module: "stack", Entry: "stack",
			About: "A lock-free stack with compare-and-swap and a counter against ABA.",
			Launch: Launch{Global: []uint64{96}, Local: []uint64{32},
				Args: []string{"buf:u32:65535", "fill:u32:288:7", "zero:u32:288", "u32:3", "u32:4"}},
			Outputs: []int{0, 1, 2},
			reference: func(l Launch, args [][]byte) error {
				each, rounds := uint64(value[uint32](args[3])), uint64(value[uint32](args[4]))
				return stackAfter(args, l.items()*each, l.items()*2*(each+rounds))
			},
		},
		{
			Name: "stack2", Module: "stack2", Entry: "stack2",
			About: "The lock-free stack with explicit memory orders and generic pointers to atomic objects.",
			Launch: Launch{Global: []uint64{96}, Local: []uint64{32},
				Args: []string{"buf:u32:65535", "fill:u32:192:7", "zero:u32:192", "u32:2"}},
			Outputs: []int{0, 1, 2},
			reference: func(l Launch, args [][]byte) error {
				each := uint64(value[uint32](args[3]))
				return stackAfter(args, l.items()*each, l.items()*2*each)
			},
		},
	}
}

func histogramLaunch(items, local, n int) Launch {
	return Launch{
		Global: []uint64{uint64(items)}, Local: []uint64{uint64(local)},
		Args: []string{fmt.Sprintf("rand:u8:%d:4", n), fmt.Sprintf("u32:%d", n), "zero:u32:64"},
	}
}

// stackAfter is an empty stack after a number of operations, every node taken once.
func stackAfter(args [][]byte, nodes, operations uint64) error {
	head, next, taken := load[uint32](args[0]), load[uint32](args[1]), load[uint32](args[2])
	head[0] += uint32(operations) << 16
	for i := range nodes {
		next[i] = 0
		taken[i]++
	}
	for i, v := range [][]uint32{head, next, taken} {
		if err := store(args[i], v); err != nil {
			return err
		}
	}
	return nil
}

func atomics(l Launch, args [][]byte) error {
	in, g, h := load[int32](args[0]), load[int32](args[1]), load[uint32](args[2])
	tickets, fromLocal := load[uint32](args[3]), []int32(nil)
	for group := range slices.Chunk(in[:l.items()], int(l.Local[0])) {
		s := []int32{0, 0, math.MaxInt32, math.MinInt32, 0, -1, 0, 0, 0, 7}
		low, high := uint32(math.MaxUint32), uint32(0)
		for lane, v := range group {
			s[4] |= 1 << (lane & 31)
			low, high = min(low, uint32(v)), max(high, uint32(v))
			for _, c := range [][]int32{g, s} {
				c[0] += v
				c[1] -= v
				c[2], c[3] = min(c[2], v), max(c[3], v)
				c[5] &^= 1 << (v & 15)
				c[6] ^= v
				c[7]++
				c[8]--
			}
		}
		h[0], h[1], h[3] = min(h[0], low), max(h[1], high), max(h[3], high)
		fromLocal = append(fromLocal, append(s, int32(low^high), 0)...)
	}
	for i := range l.items() {
		g[4] |= 1 << (i & 31)
		tickets[h[2]]++
		h[2]++
	}
	h[5] += h[4]
	h[4] = 0
	for i, v := range [][]uint32{h, tickets} {
		if err := store(args[2+i], v); err != nil {
			return err
		}
	}
	if err := store(args[4], fromLocal); err != nil {
		return err
	}
	return store(args[1], g)
}
