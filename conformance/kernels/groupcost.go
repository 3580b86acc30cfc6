package kernels

import "fmt"

// groupCostKernels do one operation in a loop, to measure it.
func groupCostKernels() []*Kernel {
	// of makes a kernel that computes one element from one of in.
	of := func(name, about, in, out string, more []string, reference func(l Launch, args [][]byte) error) *Kernel {
		return &Kernel{
			Name: name, Module: "groupcosts", Entry: name, About: about,
			Launch:    Launch{Global: []uint64{256}, Local: []uint64{128}, Args: append([]string{in, out}, append(more, "u32:3")...)},
			Outputs:   []int{1},
			reference: reference,
		}
	}
	same := func(_ Launch, args [][]byte) error { return store(args[1], load[float32](args[0])) }
	sums := func(l Launch, args [][]byte) error {
		var sum uint32
		for _, x := range load[uint32](args[0])[:8*uint64(value[uint32](args[2]))*l.Local[0]] {
			sum += x
		}
		out := load[uint32](args[1])
		for i := range out {
			out[i] += sum
		}
		return store(args[1], out)
	}
	const elements = 3 * 8 * 128
	summed := fmt.Sprintf("rand:u32:%d:1", elements)
	return []*Kernel{
		of("cost_add", "Float additions in a loop.", "iota:f32:256", "zero:f32:256", []string{"f32:0.1"}, func(_ Launch, args [][]byte) error {
			x, y := load[float32](args[0]), value[float32](args[2])
			for i := range x {
				for range 8 * value[uint32](args[3]) {
					x[i] += y
				}
			}
			return store(args[1], x)
		}),
		of("cost_shuffle", "Shuffles that turn the lanes around and back.", "rand:f32:256:1", "zero:f32:256", nil, same),
		of("cost_shuffle_xor", "Shuffles that turn the lanes around and back, by the mask of all lanes.", "rand:f32:256:2", "zero:f32:256", nil, same),
		of("cost_ballot", "Ballots of ballots.", "rand:u32:256:3:1:1000", "zero:u32:256", nil, func(_ Launch, args [][]byte) error {
			x := load[uint32](args[0])
			for i := range x {
				x[i]++
			}
			return store(args[1], x)
		}),
		of("cost_reduce", "Float sums of sub-groups, of which all lanes have the same.", "buf:f32:3,5", "zero:f32:256", nil, func(l Launch, args [][]byte) error {
			in, out := load[float32](args[0]), load[float32](args[1])
			for i := range out {
				out[i] = in[uint64(i)/l.Local[0]]
			}
			return store(args[1], out)
		}),
		of("cost_load", "Sums of elements that lie one behind the other.", summed, "zero:u32:2", nil, sums),
		of("cost_block_read", "The same sums by block reads of one element a lane.", summed, "zero:u32:2", nil, sums),
		of("cost_block_read8", "The same sums by block reads of eight.", summed, "zero:u32:2", nil, sums),
	}
}
