package kernels

import "math"

// graphKernels search graphs.
func graphKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "bfs_step", Module: "graphs",
			About:   "A step of a search in breadth: bits of nodes, atomics whose results decide.",
			Outputs: []int{4, 5, 6}, reference: bfsStep,
		}, func(n int) Launch {
			first, edge := graph(n)
			return line(n, 64, elements("i32", first), elements("i32", edge), noise("u32", n/32, 1), noise("u32",
				n/32, 2), zeros("u32", n/32),
				zeros("i32", n), zeros("i32", 1), "i32:5")
		}, [4]int{256, 1 << 12, 1 << 16, 1 << 16}),
		sized(&Kernel{
			Name: "relax", Module: "graphs",
			About:   "A round of shortest paths: loops of different lengths, atomic minima in global memory.",
			Outputs: []int{4, 5}, reference: relax,
		}, func(n int) Launch {
			first, edge := graph(n)
			return line(n, 64, elements("i32", first), elements("i32", edge), noise("u8", len(edge), 1), within("u32",
				n, 2, 0, 2000),
				within("u32", n, 2, 0, 2000), zeros("u32", 1))
		}, [4]int{256, 1 << 12, 1 << 16, 1 << 16}),
		sized(&Kernel{
			Name: "triangles", Module: "graphs",
			About:   "Counts triangles: intersections of lists by pointers that walk.",
			Outputs: []int{2}, reference: triangles,
		}, func(n int) Launch {
			first, edge := []int32{0}, []int32(nil)
			for v := range n {
				for d := 1; d <= 16; d++ {
					if v+d < n && scrambled(16*v+d, 3) > 0 {
						edge = append(edge, int32(v+d))
					}
				}
				first = append(first, int32(len(edge)))
			}
			return line(n, 64, elements("i32", first), elements("i32", edge), zeros("u32", n))
		}, [4]int{256, 1 << 11, 1 << 15, 1 << 16}),
	}
}

// graph is n nodes with up to 14 edges each.
func graph(n int) (first, edge []int32) {
	first = []int32{0}
	for v := range n {
		for k := range 1 + scrambled(v, 14) {
			edge = append(edge, int32(scrambled(17*v+k, n)))
		}
		first = append(first, int32(len(edge)))
	}
	return first, edge
}

func bfsStep(l Launch, args [][]byte) error {
	first, edge, frontier, seen := load[int32](args[0]), load[int32](args[1]), load[uint32](args[2]),
		load[uint32](args[3])
	next, level, count := load[uint32](args[4]), load[int32](args[5]), load[int32](args[6])
	for v := range int(l.items()) {
		if frontier[v/32]>>(v%32)&1 == 0 {
			continue
		}
		for _, to := range edge[first[v]:first[v+1]] {
			if bit := uint32(1) << (to % 32); (seen[to/32]|next[to/32])&bit == 0 {
				next[to/32] |= bit
				level[to] = value[int32](args[7])
				count[0]++
			}
		}
	}
	if err := store(args[4], next); err != nil {
		return err
	}
	if err := store(args[5], level); err != nil {
		return err
	}
	return store(args[6], count)
}

func relax(l Launch, args [][]byte) error {
	first, edge := load[int32](args[0]), load[int32](args[1])
	distance, shorter := load[uint32](args[3]), load[uint32](args[4])
	for v := range int(l.items()) {
		if distance[v] == math.MaxUint32 {
			continue
		}
		for e := first[v]; e < first[v+1]; e++ {
			there, to := distance[v]+uint32(args[2][e]), edge[e]
			if there < distance[to] && there < shorter[to] {
				shorter[to] = there
				args[5][0] = 1
			}
		}
	}
	return store(args[4], shorter)
}

func triangles(_ Launch, args [][]byte) error {
	first, edge, count := load[int32](args[0]), load[int32](args[1]), load[uint32](args[2])
	linked := map[[2]int32]bool{}
	for v := range count {
		for _, u := range edge[first[v]:first[v+1]] {
			linked[[2]int32{int32(v), u}] = true
		}
	}
	for v := range count {
		count[v] = 0
		list := edge[first[v]:first[v+1]]
		for i, u := range list {
			for _, w := range list[i+1:] {
				if linked[[2]int32{u, w}] {
					count[v]++
				}
			}
		}
	}
	return store(args[2], count)
}
