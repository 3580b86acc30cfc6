package kernels

import (
	"math"
	"slices"
)

// barrierKernels have barriers where compilers that turn work-groups into loops
// have gone wrong.
func barrierKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "barrier_nested", Module: "barriers", Entry: "barrier_nested",
			About: "Conditional barriers in two nested loops, and one more after them.",
			Launch: Launch{Global: []uint64{48}, Local: []uint64{24},
				Args: []string{"zero:u32:48", "local:96", "i32:1", "i32:2", "i32:2", "i32:3"}},
			Outputs:   []int{0},
			reference: barrierNested,
		},
		{
			Name: "barrier_nested_one", Module: "barriers", Entry: "barrier_nested",
			About: "The same with the first of the conditional barriers not taken.",
			Launch: Launch{Global: []uint64{48}, Local: []uint64{24},
				Args: []string{"zero:u32:48", "local:96", "i32:3", "i32:2", "i32:2", "i32:3"}},
			Outputs:   []int{0},
			reference: barrierNested,
		},
		{
			Name: "barrier_guarded", Module: "barriers", Entry: "barrier_guarded",
			About: "A reduction whose loop begins with the barrier, behind a bound that holds for whole work-groups.",
			Launch: Launch{Global: []uint64{120}, Local: []uint64{20},
				Args: []string{"rand:u32:120:3", "fill:u32:6:9", "local:80", "u32:100"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[uint32](args[1])
				n := int(l.Local[0])
				for g := range value[uint32](args[3]) / uint32(n) {
					s := make([]uint32, n)
					for i := range s {
						s[i] = in[int(g)*n+i] & 1
					}
					for d := 1; d < n; d *= 2 {
						for i := 0; i < n; i += 2 * d {
							other := uint32(1)
							if i+d < n {
								other = s[i+d]
							}
							s[i] = s[i]*2 + other
						}
					}
					out[g] = s[0]
				}
				return store(args[1], out)
			},
		},
		{
			Name: "barrier_combsort", Module: "barriers", Entry: "barrier_combsort",
			About: "A comb sort whose trip count a flag in local memory decides.",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{16},
				Args: []string{"rand:i32:140:8:-50:50", "local:280", "local:4", "u32:70"}},
			Outputs: []int{0},
			reference: func(_ Launch, args [][]byte) error {
				data := load[int32](args[0])
				for group := range slices.Chunk(data, int(value[uint32](args[3]))) {
					slices.Sort(group)
				}
				return store(args[0], data)
			},
		},
		{
			Name: "barrier_break", Module: "barriers", Entry: "barrier_break",
			About: "A loop with barriers that the whole work-group leaves by break, and barriers after it.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{16},
				Args: []string{"rand:u32:512:2:0:150", "zero:u32:64", "local:4", "u32:77", "u32:8"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[uint32](args[1])
				wanted, rounds, n := value[uint32](args[3]), uint64(value[uint32](args[4])), l.Local[0]
				for i := range out {
					first := uint64(i) / n * rounds * n
					at, round := uint32(math.MaxUint32), uint32(rounds)
					if k := slices.Index(in[first:first+rounds*n], wanted); k >= 0 {
						at, round = uint32(first)+uint32(k), uint32(k)/uint32(n)
					}
					out[i] = at ^ round<<16
				}
				return store(args[1], out)
			},
		},
		{
			Name: "barrier_arms", Module: "barriers", Entry: "barrier_arms",
			About: "Several barriers in the arms of conditionals that differ between work-groups.",
			Launch: Launch{Global: []uint64{96}, Local: []uint64{16},
				Args: []string{"buf:u32:0,1,2,6,3,4", "zero:u32:96", "local:64"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				mode, out := load[uint32](args[0]), load[uint32](args[1])
				n := int(l.Local[0])
				for g, m := range mode {
					s, next := make([]uint32, n), make([]uint32, n)
					for i := range s {
						s[i] = uint32(i * i)
					}
					switch {
					case m&1 != 0:
						for i := range s {
							next[i] = s[(i+1)%n] + 100
						}
						s = next
					case m&2 != 0:
						for i := range s {
							next[(i+3)%n] = s[n-1-i] + 200
						}
						s = next
						if m&4 != 0 {
							s = make([]uint32, n)
							for i := range s {
								s[i] = next[i^1] * 2
							}
						}
					}
					for i := range s {
						out[g*n+i] = s[(i+2)%n]
					}
				}
				return store(args[1], out)
			},
		},
		{
			Name: "barrier_return", Module: "barriers", Entry: "barrier_return",
			About: "A barrier, then an early return of some work-items.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{32},
				Args: []string{"rand:u32:64:5:0:9", "zero:u32:64", "local:128"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[uint32](args[1])
				n := int(l.Local[0])
				for i := range out {
					s, lane := in[i/n*n:][:n], i%n
					if s[(lane+1)%n]&1 == 1 {
						out[i] = 7
						continue
					}
					out[i] = 0
					for _, v := range s[:lane+1] {
						if v != 3 {
							out[i] += v
						}
					}
				}
				return store(args[1], out)
			},
		},
		{
			Name: "barrier_trips", Module: "barriers", Entry: "barrier_trips",
			About: "A loop with barriers whose trip count is read from memory and differs between work-groups.",
			Launch: Launch{Global: []uint64{60}, Local: []uint64{12},
				Args: []string{"buf:u32:3,0,1,7,20", "zero:u32:60", "local:48"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				trips, out := load[uint32](args[0]), load[uint32](args[1])
				n := int(l.Local[0])
				for g, count := range trips {
					a, b, s := make([]uint32, n), make([]uint32, n), make([]uint32, n)
					for i := range n {
						a[i], b[i] = uint32(i), 1
					}
					for t := int(count); t > 0; t-- {
						for i := range n {
							s[i] = a[i] + b[i]
						}
						for i := range n {
							c := s[(i+t)%n]
							if c%3 == 0 {
								b[i] += 2
							}
							a[i] += c
						}
					}
					for i := range n {
						out[g*n+i] = a[i]*1000 + b[i]
					}
				}
				return store(args[1], out)
			},
		},
		{
			Name: "barrier_calls", Module: "barriers", Entry: "barrier_calls",
			About: "Barriers in functions that a switch calls in a loop, the program differing between work-groups.",
			Launch: Launch{Global: []uint64{40}, Local: []uint64{10},
				Args: []string{"buf:u8:1,2,3,4,1,3,2,0,3,3,9,1,0,1,1,1,0,1,2,3,4,1,2,3,2,2,4,0,0,0,0,0", "zero:u32:40", "local:40"}},
			Outputs:   []int{1},
			reference: barrierCalls,
		},
		{
			Name: "barrier_bounds", Module: "barriers", Entry: "barrier_bounds",
			About: "A barrier inside a bounds check that holds for all, and the same check after it.",
			Launch: Launch{Global: []uint64{24}, Local: []uint64{12},
				Args: []string{"zero:u64:24", "u64:24", "local:4"}},
			Outputs: []int{0},
			reference: func(l Launch, args [][]byte) error {
				out := load[uint64](args[0])
				for i := range l.items() {
					out[i] = i*3 + 1
				}
				return store(args[0], out)
			},
		},
		{
			Name: "barrier_store", Module: "barriers", Entry: "barrier_store",
			About: "Conditional stores after a barrier that must not move before it.",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{8},
				Args: []string{"rand:u32:32:6", "zero:u32:36", "local:32"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				var out []uint32
				for group := range slices.Chunk(load[uint32](args[0]), int(l.Local[0])) {
					var sum uint32
					for _, v := range group {
						sum = sum*3 + v
					}
					out = append(out, sum, group[0])
					for i := range group[1:] {
						out = append(out, uint32(i+1))
					}
				}
				return store(args[1], out)
			},
		},
		{
			Name: "barrier_private", Module: "barriers", Entry: "barrier_private",
			About: "A private array that lives across the barriers of a loop.",
			Launch: Launch{Global: []uint64{24}, Local: []uint64{8},
				Args: []string{"rand:u32:24:7", "zero:u32:24"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[uint32](args[1])
				p := make([][8]uint32, len(in))
				for i := range p {
					for j := range uint32(8) {
						p[i][j] = in[i]*(j+1) + uint32(i)%8
					}
				}
				for j := range 8 {
					for i := range p {
						k := (j + i) % 8
						at := i/8*8 + k
						out[at] = out[at]*3 + p[i][j]
						p[i][k] ^= uint32(j)
					}
				}
				return store(args[1], out)
			},
		},
	}
}

func barrierNested(l Launch, args [][]byte) error {
	out := load[uint32](args[0])
	first, second := value[int32](args[2]), value[int32](args[3])
	outer, inner := value[int32](args[4]), value[int32](args[5])
	n := int(l.Local[0])
	for base := 0; base < len(out); base += n {
		v, s := make([]uint32, n), make([]uint32, n)
		for i := range n {
			v[i] = uint32(i + 1)
			s[i] = v[i]
		}
		for i := range outer {
			for j := range inner {
				for k := range n {
					if second > first {
						v[k] = v[k]*3 + s[(k+1)%n]
					}
				}
				for k := range n {
					if first > 0 {
						s[k] = v[k] + uint32(i*10+j)
					}
				}
			}
		}
		for k := range n {
			if first > 0 {
				v[k] += s[n-1-k]
			}
			out[base+k] = v[k]*16 + uint32(outer*inner)
		}
	}
	return store(args[0], out)
}

func barrierCalls(l Launch, args [][]byte) error {
	out := load[uint32](args[1])
	n := int(l.Local[0])
	for g := range l.groups() {
		s, acc := make([]uint32, n), out[int(g)*n:][:n]
		for i := range s {
			s[i] = uint32(int(g)*n+i)*7 + 1
			acc[i] = 0
		}
		// turn rotates s and gives every work-item its new element.
		turn := func(by int) []uint32 {
			s = append(slices.Clone(s[by%n:]), s[:by%n]...)
			return s
		}
		for pc := g * 8; ; pc++ {
			op := args[0][pc]
			if op == 0 {
				break
			}
			switch op {
			case 2:
				v := make([]uint32, n)
				for k := range min(n, 4) {
					for i, x := range turn(k) {
						v[i] = v[i]*5 + x
					}
				}
				for i := range acc {
					acc[i] ^= v[i]
				}
			case 1:
				for i, x := range turn(1) {
					acc[i] += x
				}
			case 3, 4:
				if op == 3 {
					for i, x := range turn(5) {
						acc[i] = acc[i]*2 + x
					}
				}
				for i, x := range turn(2) {
					acc[i] += x
				}
			}
		}
	}
	return store(args[1], out)
}
