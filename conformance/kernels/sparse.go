package kernels

// sparseKernels are sparse linear algebra.
func sparseKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "spmv_q8", Module: "sparse",
			About:   "A sparse matrix of bytes times a vector of words, a sub-group for one row after another.",
			Outputs: []int{4}, reference: spmvQ8,
		}, func(n int) Launch {
			start, entries := []uint32{0}, 0
			for r := range n {
				entries += scrambled(r, 64)
				start = append(start, uint32(entries))
			}
			return line(max(n/4, 64), 64, elements("i32", start), within("u16", entries, 1, 0, min(n, 1<<16)-1),
				noise("i8", entries, 2),
				noise("i16", n, 3), zeros("i32", n), number("i32", n))
		}, [4]int{96, 1 << 12, 1 << 16, 1 << 17}),
		sized(&Kernel{
			Name: "pagerank", Module: "sparse",
			About:   "Ranks of pages from links in columns, where rows end at different places.",
			Outputs: []int{3}, reference: pagerank, Tolerance: &Tolerance{Ulps: 1 << 6, Bits: 32},
		}, func(n int) Launch {
			return line(n, 64, within("i32", 16*n, 1, -n/16, n-1), noise("f32", n, 2), noise("f32", n, 3),
				zeros("f32", n),
				number("i32", n), "i32:16", "f32:0.85")
		}, [4]int{128, 1 << 14, 1 << 18, 1 << 20}),
	}
}

func spmvQ8(_ Launch, args [][]byte) error {
	start, column, entry := load[int32](args[0]), load[uint16](args[1]), load[int8](args[2])
	x, y := load[int16](args[3]), load[int32](args[4])
	for row := range y {
		y[row] = 0
		for i := start[row]; i < start[row+1]; i++ {
			y[row] += int32(entry[i]) * int32(x[column[i]])
		}
	}
	return store(args[4], y)
}

func pagerank(l Launch, args [][]byte) error {
	links, rank, share, next := load[int32](args[0]), load[float32](args[1]), load[float32](args[2]),
		load[float32](args[3])
	n, damping := len(next), value[float32](args[6])
	for i := range n {
		var sum float32
		for k := range int(value[int32](args[5])) {
			from := links[k*n+i]
			if from < 0 {
				break
			}
			sum += float32(rank[from] * share[from])
		}
		next[i] = (1-damping)/float32(n) + float32(damping*sum)
	}
	return store(args[3], next)
}
