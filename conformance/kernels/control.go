package kernels

import (
	"math"
	"strings"
)

// controlKernels have the control flow that compilers and divergent machines
// find hard.
func controlKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "collatz", Module: "collatz", Entry: "collatz",
			About: "Collatz sequences: nested loops with break, continue, switch and goto.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{32},
				Args: []string{"zero:u32:64", "zero:u32:64", "u32:20", "u32:160"}},
			Bench: []Launch{{Global: []uint64{1 << 14}, Local: []uint64{64},
				Args: []string{"zero:u32:16k", "zero:u32:16k", "u32:16", "u32:1000"}}},
			Outputs:   []int{0, 1},
			reference: collatz,
		},
		{
			Name: "irreducible", Module: "gotos", Entry: "irreducible",
			About: "Loops with several entries: jumps among three labels.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{32},
				Args: []string{"rand:u32:64:1", "zero:u32:64", "u32:40"}},
			Outputs:   []int{1},
			reference: irreducible,
		},
		{
			Name: "machine", Module: "gotos", Entry: "machine",
			About: "An interpreter with one program a work-item: a switch with jumps between its cases.",
			Launch: Launch{Global: []uint64{48}, Local: []uint64{16},
				Args: []string{"rand:u8:1920:2", "u32:40", "zero:i32:48"}},
			Outputs:   []int{2},
			reference: machine,
		},
		{
			Name: "switches", Module: "switches", Entry: "switches",
			About: "Switches: dense, sparse, negative, 64-bit, falling through, ranges.",
			Launch: Launch{Global: []uint64{40}, Local: []uint64{8},
				Args: []string{"buf:i32:0,1,2,3,4,5,6,7,-1,-2,-3,-4,-5,77,1000000,2147483647,-2147483648,48,57,58,65,70,71,95,97,102,103,304,1000001,-6,78,76,2147483646,-2147483647,999999,8,9,10,11,12",
					"buf:i64:0,1,-1,4294967296,-4294967296,9223372036854775807,-9223372036854775808,4294967295,-4294967295,8589934592*31", "zero:i32:160"}},
			Outputs:   []int{2},
			reference: switches,
		},
		{
			Name: "switch_loop", Module: "switches", Entry: "switch_loop",
			About: "A switch in a loop whose cases continue, break, fall through and return.",
			Launch: Launch{Global: []uint64{48}, Local: []uint64{16},
				Args: []string{"rand:u8:960:8", "u32:20", "zero:u32:48"}},
			Outputs: []int{2},
			reference: func(l Launch, args [][]byte) error {
				out := load[uint32](args[2])
				n := int(value[uint32](args[1]))
			items:
				for i := range out {
					var s uint32
					for k := range n {
						c := uint32(args[0][i*n+k])
						kind := c % 11
						if kind == 0 {
							continue
						}
						if kind == 9 && k > n/2 {
							out[i] = s | 0x80000000
							continue items
						}
						switch kind {
						case 3:
							s += 5
						case 4:
							s ^= uint32(k)
							if s%7 == 0 {
								continue
							}
							s++
						default:
							s = s*2 + c
						}
						s &= 0xffffff
					}
					out[i] = s
				}
				return store(args[2], out)
			},
		},
		{
			Name: "divergence", Module: "divergence", Entry: "divergence",
			About: "Values uniform inside a loop and different outside; nested loops left by goto.",
			Launch: Launch{Global: []uint64{96}, Local: []uint64{32},
				Args: []string{"rand:u32:96:1", "zero:u32:96", "u32:25"}},
			Outputs:   []int{1},
			reference: divergence,
		},
	}
}

func irreducible(_ Launch, args [][]byte) error {
	in, out := load[uint32](args[0]), load[uint32](args[1])
	limit := value[uint32](args[2])
	for i, v := range in {
		trace := uint32(1)
		state := 1 + int(v&1)
		for steps := uint32(0); state != 0; {
			steps++
			switch state {
			case 1:
				trace, v = trace*3+1, v/2+3
				state = 2
				if v&4 != 0 {
					state = 3
				}
			case 2:
				trace, v = trace*3+2, v*5+1
				state = 3
				if v&8 != 0 {
					state = 1
				}
			case 3:
				trace, v = trace*3, v^v>>3
				switch {
				case v&16 != 0:
					state = 2
				case v&32 != 0:
					state = 1
				case v&3 == 0:
					state = 0
				}
			}
			if steps >= limit {
				state = 0
			}
		}
		out[i] = trace ^ v
	}
	return store(args[1], out)
}

func machine(_ Launch, args [][]byte) error {
	out := load[int32](args[2])
	n := int(value[uint32](args[1]))
	for i := range out {
		code := args[0][i*n : (i+1)*n]
		acc, pc := uint32(i), 0
		var stack []uint32
		for fuel := 200; fuel > 0 && pc < n; fuel-- {
			op := code[pc] & 7
			pc++
			switch op {
			case 1:
				if k := len(stack) - 1; k >= 0 {
					acc += stack[k]
					stack = stack[:k]
				}
				acc = acc << 1 & 0xffff
			case 2:
				acc = (acc*3 + 1) & 0xffff
			case 4:
				acc ^= uint32(pc) << 4
			case 6:
				acc = -acc
			}
			if op == 5 && len(stack) > 0 {
				acc -= stack[len(stack)-1]
			} else if (op == 0 || op == 5) && len(stack) < 8 {
				stack = append(stack, acc)
			}
			if (op == 7 || op == 3 && acc&1 == 1) && pc < n {
				pc = (pc + int(code[pc])) % n
			}
		}
		out[i] = int32(acc*16 + uint32(len(stack)))
	}
	return store(args[2], out)
}

func switches(_ Launch, args [][]byte) error {
	in, big, out := load[int32](args[0]), load[int64](args[1]), load[int32](args[2])
	dense := []int32{11, 7, 5, 19, 23, 1, 42}
	sparse := map[int32]int32{1000000: 1, -5: 14, 77: 12, math.MaxInt32: 8, math.MinInt32: 100, -1: -1, -2: -2, -3: -3}
	wide := map[int64]int32{1 << 32: 1, -1 << 32: 2, math.MaxInt64: 3, math.MinInt64: 4, 0: 5}
	for i, v := range in {
		o := out[4*i : 4*i+4]
		o[0] = -1
		if v >= 0 && int(v) < len(dense) {
			o[0] = dense[v]
		}
		o[1] = sparse[v]
		var ok bool
		if o[2], ok = wide[big[i]]; !ok {
			o[2] = 7
			if big[i] < 0 {
				o[2] = 6
			}
		}
		o[3] = int32(strings.IndexByte("0123456789abcdef", byte(v)))
		if c := byte(v); c >= 'A' && c <= 'F' {
			o[3] = int32(c-'A') + 10
		} else if c == '_' {
			o[3] = 99
		}
	}
	return store(args[2], out)
}

func divergence(_ Launch, args [][]byte) error {
	in, out := load[uint32](args[0]), load[uint32](args[1])
	limit := value[uint32](args[2])
	for i, v := range in {
		var n, left, m uint32
		for left < limit && v>>(left&31)%5 != 3 {
			n += left
			left++
		}
	outer:
		for a := uint32(0); a <= left; a++ {
			for b := uint32(0); ; {
				if (a+b)%3 == v%3 {
					m += 7
					if b == 5 {
						break outer
					}
				} else {
					m ^= a * b
				}
				if b++; b >= v&7 {
					break
				}
			}
			if m%13 == 1 {
				break
			}
		}
		last := 2 - v&1
		if v&2 != 0 {
			last = last*1000 + 12
		}
		out[i] = left*1000003 + n*101 + m*7 + last
	}
	return store(args[1], out)
}

func collatz(l Launch, args [][]byte) error {
	longest, start := load[uint32](args[0]), load[uint32](args[1])
	span, limit := value[uint32](args[2]), value[uint32](args[3])
	// steps counts the steps to 1, like the kernel looking at the limit after odd
	// numbers and multiples of four only; without 1 at the limit there is no count.
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
