package kernels

import (
	"fmt"
	"math/bits"
)

// machineKernels are interpreters, random numbers and searches.
func machineKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "stack_machine", Module: "machines",
			About:   "Interprets one program of a machine with a stack: a switch in a loop, lanes at different places.",
			Outputs: []int{2}, reference: stackMachine,
		}, func(n int) Launch {
			// Steps of Collatz until 1.
			program := []uint8{0, 5, 8, 9, 8, 7, 10, 14, 1, 3, 4, 1, 1, 2, 11, 0, 1, 1, 3, 9, 0, 255}
			return line(n, 64, elements("u8", program), within("i32", n, 1, 2, 9999), zeros("i32", n), "i32:400")
		}, [4]int{64, 256, 1 << 13, 1 << 14}),
		sized(&Kernel{
			Name: "register_machine", Module: "machines",
			About:   "Interprets a program of each work-item's own: private registers by run-time index.",
			Outputs: []int{1}, reference: registerMachine,
		}, func(n int) Launch {
			return line(n, 64, noise("u32", 32*n, 1), noise("u32", 8*n, 2), "i32:32", "i32:100")
		}, [4]int{64, 512, 1 << 14, 1 << 15}),
		sized(&Kernel{
			Name: "xoshiro", Module: "machines",
			About:   "Random numbers of 64 bits.",
			Outputs: []int{1}, reference: xoshiro,
		}, func(n int) Launch {
			return line(n, 64, noise("u64", 4*n, 1), zeros("u64", 64*n), "u32:64")
		}, [4]int{64, 1 << 11, 1 << 16, 1 << 17}),
		sized(&Kernel{
			Name: "queens", Module: "machines",
			About:   "Counts boards of queens by going back: private stacks of bits.",
			Outputs: []int{1}, reference: queens,
		}, func(n int) Launch {
			const side = 8
			return line(n, 64, within("u16", n, 1, 0, side*side-1), zeros("u32", n), number("i32", side))
		}, [4]int{64, 512, 1 << 14, 1 << 15}),
	}
}

func stackMachine(_ Launch, args [][]byte) error {
	program, input, output := args[0], load[int32](args[1]), load[int32](args[2])
	for i, x := range input {
		var stack []int32
		pop := func() int32 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			return v
		}
		pc := 0
	run:
		for range value[int32](args[3]) {
			pc++
			switch op := program[pc-1]; op {
			case 0:
				stack = append(stack, x)
			case 1:
				stack = append(stack, int32(int8(program[pc])))
				pc++
			case 2:
				v := pop()
				stack = append(stack, pop()+v)
			case 3:
				v := pop()
				stack = append(stack, pop()-v)
			case 4:
				v := pop()
				stack = append(stack, pop()*v)
			case 5:
				stack = append(stack, stack[len(stack)-1])
			case 7:
				stack = append(stack, pop()>>1)
			case 8:
				stack = append(stack, pop()&1)
			case 9:
				if pop() != 0 {
					pc = int(program[pc])
				} else {
					pc++
				}
			case 10:
				pc = int(program[pc])
			case 11:
				x = pop()
			case 255:
				break run
			default:
				return fmt.Errorf("instruction %d", op)
			}
		}
		output[i] = x
		if len(stack) > 0 {
			output[i] += pop()
		}
	}
	return store(args[2], output)
}

func registerMachine(l Launch, args [][]byte) error {
	programs, state, length := load[uint32](args[0]), load[uint32](args[1]), int(value[int32](args[2]))
	for id := range int(l.items()) {
		r, pc := state[8*id:8*id+8], 0
		for range value[int32](args[3]) {
			in := programs[id*length+pc]
			a, b, d := r[in>>4&7], r[in>>8&7], &r[in>>12&7]
			pc++
			switch in & 7 {
			case 0:
				*d = a + b
			case 1:
				*d = a ^ b
			case 2:
				*d = a * (b | 1)
			case 3:
				*d = bits.RotateLeft32(a, int(b&31))
			case 4:
				*d = in >> 16
			case 5:
				*d = min(a, b)
			case 6:
				if a&1 != 0 {
					pc += int(in >> 16 & 3)
				}
			case 7:
				if a > b {
					pc = int(in >> 16)
				}
			}
			pc %= length
		}
	}
	return store(args[1], state)
}

func xoshiro(l Launch, args [][]byte) error {
	state, out := load[uint64](args[0]), load[uint64](args[1])
	n := int(l.items())
	for id := range n {
		s := state[4*id : 4*id+4]
		for i := range int(value[uint32](args[2])) {
			out[i*n+id] = bits.RotateLeft64(s[1]*5, 7) * 9
			t := s[1] << 17
			s[2] ^= s[0]
			s[3] ^= s[1]
			s[1] ^= s[2]
			s[0] ^= s[3]
			s[2] ^= t
			s[3] = bits.RotateLeft64(s[3], 45)
		}
	}
	return store(args[1], out)
}

// queens compares each queen with those before.
func queens(_ Launch, args [][]byte) error {
	places, ways, n := load[uint16](args[0]), load[uint32](args[1]), int(value[int32](args[2]))
	known := map[uint16]uint32{}
	for i, place := range places {
		if _, ok := known[place]; !ok {
			known[place] = completeQueens([]int{int(place) % n, int(place) / n % n}, n)
		}
		ways[i] = known[place]
	}
	return store(args[1], ways)
}

// completeQueens counts the boards of n queens that begin with these columns.
func completeQueens(column []int, n int) uint32 {
	last := len(column) - 1
	for r, c := range column[:last] {
		if d := column[last] - c; d == 0 || d == last-r || d == r-last {
			return 0
		}
	}
	if len(column) == n {
		return 1
	}
	var sum uint32
	for c := range n {
		sum += completeQueens(append(column[:len(column):len(column)], c), n)
	}
	return sum
}
