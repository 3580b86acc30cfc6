package kernels

import (
	"fmt"
	"slices"
)

// alone is the launch of one work-item.
func alone(args ...string) Launch {
	return Launch{Global: []uint64{1}, Local: []uint64{1}, Args: args}
}

// pipeSets are the sets of the source pipes.
func pipeSets() []*Set {
	return []*Set{sieveSet(), mergeSet(), blockSet(), laneSet(), binSet(), bodySet()}
}

// sieveSet has a kernel for each of the first primes.
func sieveSet() *Set {
	const filters, last = 8, 120
	s := &Set{
		Name: "pipe_sieve", Module: "pipes",
		About:   "A sieve of primes: a chain with a kernel for each prime.",
		Clauses: []string{"PIP-03", "PIP-05", "PIP-08"},
		reference: func(s *Set, args [][][]byte) error {
			var numbers []uint32
			for x := uint32(2); x <= last; x++ {
				numbers = append(numbers, x)
			}
			for i := range filters {
				p := numbers[0]
				if err := store(args[1+i][2], []uint32{p}); err != nil {
					return err
				}
				numbers = slices.DeleteFunc(numbers, func(x uint32) bool { return x%p == 0 })
			}
			rest := load[uint32](args[len(args)-1][1])
			copy(rest, numbers)
			return store(args[len(args)-1][1], rest)
		},
	}
	pipe := func(i int) string { return fmt.Sprintf("pipe:s%d", i) }
	s.Launches = append(s.Launches, SetLaunch{Entry: "sieve_numbers", Launch: alone(pipe(0), fmt.Sprintf("u32:%d", last))})
	for i := range filters {
		s.Launches = append(s.Launches, SetLaunch{Entry: "sieve_filter", Launch: alone(pipe(i), pipe(i+1), "zero:u32:1"), Outputs: []int{2}})
	}
	s.Launches = append(s.Launches, SetLaunch{Entry: "sieve_rest", Launch: alone(pipe(filters), "zero:u32:40"), Outputs: []int{1}})
	for i := range filters + 1 {
		s.Pipes = append(s.Pipes, Pipe{Name: fmt.Sprintf("s%d", i), PacketBytes: 4, Capacity: uint32(1 + i%3)})
	}
	return s
}

// mergeSet merges four sorted streams into one.
func mergeSet() *Set {
	const n = 25
	s := &Set{
		Name: "pipe_merge", Module: "pipes",
		About:   "Four sorted streams become one in a tree of kernels that merge two.",
		Clauses: []string{"PIP-03", "PIP-05", "PIP-08"},
		reference: func(s *Set, args [][][]byte) error {
			var all []int32
			for i := range 4 {
				all = append(all, load[int32](args[i][0])...)
			}
			slices.Sort(all)
			return store(args[len(args)-1][1], all)
		},
	}
	for _, name := range []string{"a", "b", "c", "d", "ab", "cd", "all"} {
		s.Pipes = append(s.Pipes, Pipe{Name: name, PacketBytes: 4, Capacity: 1})
	}
	for i, in := range []string{"iota:i32:25:-50:7", "iota:i32:25:0:3", "iota:i32:25:-9:4", "iota:i32:25:100:1"} {
		s.Launches = append(s.Launches, SetLaunch{Entry: "merge_source", Launch: alone(in, "pipe:"+s.Pipes[i].Name, fmt.Sprintf("u32:%d", n))})
	}
	for _, m := range []struct {
		a, b, to string
		n        int
	}{{"a", "b", "ab", n}, {"c", "d", "cd", n}, {"ab", "cd", "all", 2 * n}} {
		s.Launches = append(s.Launches, SetLaunch{Entry: "merge_two", Launch: alone("pipe:"+m.a, "pipe:"+m.b, "pipe:"+m.to, fmt.Sprintf("u32:%d", m.n))})
	}
	s.Launches = append(s.Launches, SetLaunch{Entry: "merge_sink", Launch: alone("pipe:all", "zero:i32:100", "u32:100"), Outputs: []int{1}})
	return s
}

// blockSet hands blocks from work-groups to work-groups.
func blockSet() *Set {
	size := Launch{Global: []uint64{96}, Local: []uint64{16}}
	in, out := size, size
	in.Args = []string{"iota:u32:96", "pipe:blocks"}
	out.Args = []string{"pipe:blocks", "local:64", "zero:u32:96"}
	return &Set{
		Name: "pipe_blocks", Module: "pipes",
		About:   "Work-groups reserve room for a block each, and others take it over and turn it round.",
		Clauses: []string{"PIP-06", "PIP-08"},
		Pipes:   []Pipe{{"blocks", 4, 40}},
		Launches: []SetLaunch{
			{Entry: "blocks_out", Launch: out, Outputs: []int{2}},
			{Entry: "blocks_in", Launch: in},
		},
		reference: func(s *Set, args [][][]byte) error {
			out := load[uint32](args[0][2])
			for first := 0; first < len(out); first += 16 {
				for i := range 16 {
					out[first+i] = uint32(first + 15 - i)
					if i > 0 {
						out[first+i] += uint32(first + i - 1)
					}
				}
			}
			return store(args[0][2], out)
		},
	}
}

// laneSet hands packets from sub-groups to sub-groups.
func laneSet() *Set {
	in := Launch{Global: []uint64{120}, Local: []uint64{40}, Args: []string{"iota:u32:120", "pipe:lanes"}}
	out := Launch{Global: []uint64{120}, Local: []uint64{60}, Args: []string{"pipe:lanes", "zero:u32:120"}}
	return &Set{
		Name: "pipe_lanes", Module: "pipes",
		About:   "Sub-groups reserve room for all of their work-items, and others read, each as many packets as it has.",
		Clauses: []string{"PIP-06", "PIP-08"},
		Pipes:   []Pipe{{"lanes", 4, 128}},
		Launches: []SetLaunch{
			{Entry: "lanes_in", Launch: in},
			{Entry: "lanes_out", Launch: out, Outputs: []int{1}},
		},
		reference: func(s *Set, args [][][]byte) error {
			out := load[uint32](args[1][1])
			for i := range out {
				out[i] = uint32(i*i + 1)
			}
			return store(args[1][1], out)
		},
	}
}

// binSet counts in one kernel what work-items of another one find.
func binSet() *Set {
	return &Set{
		Name: "pipe_bins", Module: "pipes",
		About:   "A histogram: work-items of several work-groups say what to count, and one counts it.",
		Clauses: []string{"PIP-03", "PIP-05", "PIP-08"},
		Pipes:   []Pipe{{"bins", 2, 3}},
		Launches: []SetLaunch{
			{Entry: "bins_find", Launch: Launch{Global: []uint64{48}, Local: []uint64{12}, Args: []string{"rand:u8:240:3", "pipe:bins", "u32:5"}}},
			{Entry: "bins_count", Launch: alone("pipe:bins", "zero:u32:16", "u32:48"), Outputs: []int{1}},
		},
		reference: func(s *Set, args [][][]byte) error {
			bins := load[uint32](args[1][1])
			for _, v := range args[0][0] {
				if v%3 != 0 {
					bins[v/16]++
				}
			}
			return store(args[1][1], bins)
		},
	}
}

// bodySet moves structures round and round between two kernels.
func bodySet() *Set {
	const n = 5
	return &Set{
		Name: "pipe_bodies", Module: "pipes",
		About:   "Structures go round between two kernels, which each move them a step.",
		Clauses: []string{"PIP-03", "PIP-05", "PIP-08"},
		Pipes:   []Pipe{{"there", 48, n}, {"back", 48, 1}},
		Launches: []SetLaunch{
			{Entry: "bodies_begin", Launch: alone("rand:f32:40:4:-8:8", "pipe:there", "pipe:back", "zero:f32:20", "u32:5"), Outputs: []int{3}},
			{Entry: "bodies_move", Launch: alone("pipe:there", "pipe:back", "u32:5")},
		},
		reference: func(s *Set, args [][][]byte) error {
			in, out := load[float32](args[0][0]), load[float32](args[0][3])
			for id := range n {
				for j := range 4 {
					at, speed := in[8*id+j], in[8*id+4+j]
					for steps := 0; steps < 6+id; steps += 2 {
						at += float32(speed * 0.25)
						speed = float32(speed*0.5) + float32(at*0.125)
					}
					out[4*id+j] = at
				}
			}
			return store(args[0][3], out)
		},
	}
}
