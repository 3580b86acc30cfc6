package kernels

// genomeKernels match genomes and other text.
func genomeKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "smith_waterman", Module: "genome",
			About:   "Aligns short reads with a text: a private row of words, a pointer that walks.",
			Outputs: []int{2}, reference: smithWaterman,
		}, func(n int) Launch {
			return line(n, 64, within("i8", 24*n, 1, 0, 3), within("i8", 1024, 2, 0, 3), zeros("i32", n), "i32:64")
		}, [4]int{64, 128, 1 << 14, 1 << 15}),
		sized(&Kernel{
			Name: "edit_distance", Module: "genome",
			About:   "Edit distances by bit vectors: masks from a private table, compared as they shift.",
			Outputs: []int{2}, reference: editDistance,
		}, func(n int) Launch {
			return line(n, 64, within("u8", 64*n, 1, 0, 3), within("u8", 32, 2, 0, 3), zeros("u8", n))
		}, [4]int{64, 1 << 10, 1 << 17, 1 << 18}),
		sized(&Kernel{
			Name: "count_words", Module: "genome",
			About:   "Counts words of a genome in a table of global memory, by atomics.",
			Outputs: []int{1}, reference: countWords,
		}, func(n int) Launch {
			return line(n, 64, noise("u8", 32*n+5, 1), zeros("u32", 4096), "i32:32")
		}, [4]int{64, 1 << 12, 1 << 16, 1 << 18}),
		sized(&Kernel{
			Name: "parse_records", Module: "genome",
			About:   "Reads decimal numbers from records of text, in nested loops over bytes.",
			Outputs: []int{1, 2}, reference: parseRecords,
		}, func(n int) Launch {
			return line(n, 64, within("u8", 60*n, 1, 44, 59), zeros("u32", n), zeros("u8", 2*n), "i32:60")
		}, [4]int{64, 1 << 11, 1 << 16, 1 << 17}),
		sized(&Kernel{
			Name: "automaton", Module: "genome",
			About:   "Runs an automaton over lines of text; its table is in local memory.",
			Outputs: []int{2, 3}, reference: automaton,
		}, func(n int) Launch {
			return line(n, 64, within("u8", 256, 1, 0, 15), noise("u8", 64*n, 2), zeros("u8", n), zeros("u32", n),
				"i32:64")
		}, [4]int{64, 1 << 12, 1 << 17, 1 << 18}),
	}
}

func smithWaterman(l Launch, args [][]byte) error {
	best := load[int32](args[2])
	for id := range best {
		read, text := args[0][24*id:][:24], args[1][id&63*8:][:value[int32](args[3])]
		var row [25]int
		top := 0
		for _, letter := range text {
			corner := 0
			for i := 1; i < len(row); i++ {
				s := corner - 1
				if read[i-1] == letter {
					s = corner + 2
				}
				s = max(s, row[i]-2, row[i-1]-2, 0)
				corner, row[i] = row[i], s
				top = max(top, s)
			}
		}
		best[id] = int32(top)
	}
	return store(args[2], best)
}

// editDistance is computed by rows of distances.
func editDistance(l Launch, args [][]byte) error {
	const m = 32
	for id := range int(l.items()) {
		var row [m + 1]int
		for i := range row {
			row[i] = i
		}
		best := m
		for _, letter := range args[0][64*id : 64*(id+1)] {
			corner := 0
			for i := 1; i <= m; i++ {
				s := corner
				if args[1][i-1]&3 != letter&3 {
					s++
				}
				s = min(s, row[i]+1, row[i-1]+1)
				corner, row[i] = row[i], s
			}
			best = min(best, row[m])
		}
		args[2][id] = uint8(best)
	}
	return nil
}

func countWords(l Launch, args [][]byte) error {
	table, span := load[uint32](args[1]), int(value[int32](args[2]))
	for i := range int(l.items()) * span {
		word := 0
		for _, letter := range args[0][i : i+6] {
			word = word<<2 | int(letter&3)
		}
		table[word]++
	}
	return store(args[1], table)
}

func parseRecords(l Launch, args [][]byte) error {
	sums, length := load[uint32](args[1]), int(value[int32](args[3]))
	for id := range sums {
		var sum, n uint32
		var count, most, digits uint8
		for _, c := range args[0][id*length : (id+1)*length] {
			if c < '0' || c > '9' {
				sum += n
				n, digits = 0, 0
				continue
			}
			if digits == 0 {
				count++
			}
			n = n*10 + uint32(c-'0')
			digits++
			most = max(most, digits)
		}
		sums[id] = sum + n
		args[2][2*id], args[2][2*id+1] = count, most
	}
	return store(args[1], sums)
}

func automaton(l Launch, args [][]byte) error {
	hits, length := load[uint32](args[3]), int(value[int32](args[4]))
	for id := range hits {
		state := uint8(0)
		for _, c := range args[1][id*length : (id+1)*length] {
			state = args[0][state<<4|c&15] & 15
			if state == 15 {
				hits[id]++
				state = 0
			}
		}
		args[2][id] = state
	}
	return store(args[3], hits)
}
