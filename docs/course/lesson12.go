package course

import "fmt"

// pairFlags runs the kernels of exercise 12.1 for n numbers, with pipes of these capacities.
func pairFlags(x, y, n int) string {
	return fmt.Sprintf("-pipe x=i32:%d -pipe y=i32:%d -kernel numbers -global 1 -arg pipe:x -arg i32:%d"+
		" -with -kernel pair_sums -global 1 -arg pipe:x -arg pipe:y -arg i32:%[3]d"+
		" -with -kernel store -global 1 -arg pipe:y -arg undef:i32:%[4]d -arg i32:%[3]d", x, y, n, n/2)
}

// routerFlags runs the kernels of exercise 12.2 for n numbers of a buffer, with pipes of a capacity, and room
// for n + 1 words.
func routerFlags(numbers string, n, capacity int) string {
	return fmt.Sprintf("-pipe e=i32:%d -pipe o=i32:%[1]d"+
		" -kernel router -global 1 -arg %[2]s -arg i32:%[3]d -arg pipe:e -arg pipe:o"+
		" -with -kernel collect -global 1 -arg pipe:e -arg fill:i32:%[4]d:-1"+
		" -with -kernel collect -global 1 -arg pipe:o -arg fill:i32:%[4]d:-1", capacity, numbers, n, n+1)
}

// consumeFlags runs the kernels of exercise 12.3 for n numbers of a buffer, with a pipe of a capacity.
func consumeFlags(numbers string, n, capacity int) string {
	return fmt.Sprintf("-pipe p=i32:%d -kernel produce -global 1 -arg %s -arg i32:%d -arg pipe:p"+
		" -with -kernel consume -global 1 -arg pipe:p -arg i32:%[3]d -arg undef:i32:%[3]d", capacity, numbers, n)
}

// routed is what a kernel collect of exercise 12.2 stores in n words: the numbers with a remainder, behind
// their count.
func routed(in []int32, remainder int32, n int) []int32 {
	list := make([]int32, 1, n)
	for _, v := range in {
		if v%2 == remainder {
			list[0]++
			list = append(list, v)
		}
	}
	for len(list) < n {
		list = append(list, -1)
	}
	return list
}

var pipes = &Lesson{Folder: "12-pipes", Title: "Pipes, and kernels that run together", Exercises: []*Exercise{
	{
		Name: "pairsums", Kernels: []string{"numbers", "pair_sums", "store"},
		Runs: []Run{
			{Flags: pairFlags(4, 4, 16)},
			{Flags: pairFlags(1, 1, 2), Note: "pipes with room for one packet"},
			{Flags: pairFlags(64, 2, 40), Note: "a pipe with room for everything"},
		},
		Want: func(a *Args) []Want {
			return each(6, len(a.Data[6])/4, func(i int) int32 { return int32(3*(2*i)-5) + int32(3*(2*i+1)-5) })
		},
		Hints: []Hint{
			{For: Fault, Text: "who waits for what, and who could send it? Count the packets that each kernel gives and takes", Section: "When everybody waits"},
			{For: Wrong, Text: "which two packets belong to the first sum?", Section: "Kernels that run together"},
			{For: Undefined, Text: "count the packets that each kernel gives and takes", Section: "When everybody waits"},
		},
	},
	{
		Name: "router", Kernels: []string{"router", "collect"},
		Runs: []Run{
			{Flags: routerFlags("rand:i32:20:3:0:99", 20, 4)},
			{Flags: routerFlags("buf:i32:2,4,6,8", 4, 1), Note: "no odd number"},
			{Flags: routerFlags("buf:i32:7", 0, 2), Note: "no number at all"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)[:a.Int(1)]
			return []Want{want(5, routed(in, 0, len(a.Data[5])/4)), want(7, routed(in, 1, len(a.Data[7])/4))}
		},
		Hints: []Hint{
			{For: Fault, Text: "how does a kernel collect get to its end?", Section: "When everybody waits"},
			{For: Wrong, Text: "which numbers go where, and what is the last packet of each pipe?", Section: "When everybody waits"},
		},
	},
	{
		Name: "consume", Kernels: []string{"produce", "consume"},
		Runs: []Run{
			{Flags: consumeFlags("rand:i32:16:6:-99:99", 16, 4)},
			{Flags: consumeFlags("iota:i32:9", 9, 1), Note: "a pipe with room for one packet"},
			{Flags: consumeFlags("iota:i32:20", 20, 32), Note: "a pipe with room for everything"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(5, len(in), func(i int) int32 { return sumOf(in[:i+1]) })
		},
		Hints: []Hint{
			{For: Wrong, Text: "what is in v when read_pipe has found no packet?", Section: "Reads that do not wait"},
			{For: Undefined, Text: "what is in v when read_pipe has found no packet?", Section: "Reads that do not wait"},
			{For: Fault, Text: "who waits for what, and who could send it?", Section: "When everybody waits"},
		},
	},
}}
