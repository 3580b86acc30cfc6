package kernels

// controlKernels have the control flow that compilers and divergent machines
// find hard.
func controlKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "collatz", Module: "collatz", Entry: "collatz",
			About: "Collatz sequences: nested loops with break, continue, switch and goto.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{32},
				Args: []string{"zero:u32:64", "zero:u32:64", "u32:20", "u32:160", "u32:3"}},
			Bench: []Launch{{Global: []uint64{1 << 14}, Local: []uint64{64},
				Args: []string{"zero:u32:16k", "zero:u32:16k", "u32:16", "u32:1000", "u32:3"}}},
			Outputs:   []int{0, 1},
			reference: collatz,
		},
	}
}

func collatz(l Launch, args [][]byte) error {
	longest, start := load[uint32](args[0]), load[uint32](args[1])
	span, limit := value[uint32](args[2]), value[uint32](args[3])
	// steps counts the steps to 1. The kernel looks at its limit after certain
	// runs of halvings only, so counts above the limit are its own business:
	// a run that ends at or above the limit without having reached 1 is left out.
	steps := func(n uint64) (count uint32, ok bool) {
		for n != 1 {
			if count >= limit {
				return 0, false
			}
			switch {
			case n%4 == 0:
				n, count = n/4, count+2
			case n%2 == 0:
				n, count = n/2, count+1
			default:
				n, count = 3*n+1, count+1
				for n%2 == 0 && count < limit {
					n, count = n/2, count+1
				}
			}
		}
		return count, true
	}
	for w := range l.items() {
		longest[w], start[w] = 0, 0
		for n := uint64(w) * uint64(span); n < (w+1)*uint64(span); n++ {
			if n == 0 {
				continue
			}
			if count, ok := steps(n); ok && count > longest[w] {
				longest[w], start[w] = count, uint32(n)
			}
		}
	}
	if err := store(args[0], longest); err != nil {
		return err
	}
	return store(args[1], start)
}
