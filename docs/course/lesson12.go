package course

// routed is what a kernel collect of exercise 12.2 stores in n words: the numbers with a remainder, behind their count.
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
			{Flags: "-pipe x=i32:4 -pipe y=i32:4 -kernel numbers -global 1 -arg pipe:x -arg i32:16 -with -kernel pair_sums -global 1 -arg pipe:x -arg pipe:y -arg i32:16 -with -kernel store -global 1 -arg pipe:y -arg undef:i32:8 -arg i32:16"},
			{Flags: "-pipe x=i32:1 -pipe y=i32:1 -kernel numbers -global 1 -arg pipe:x -arg i32:2 -with -kernel pair_sums -global 1 -arg pipe:x -arg pipe:y -arg i32:2 -with -kernel store -global 1 -arg pipe:y -arg undef:i32:1 -arg i32:2", Note: "pipes with room for one packet"},
			{Flags: "-pipe x=i32:64 -pipe y=i32:2 -kernel numbers -global 1 -arg pipe:x -arg i32:40 -with -kernel pair_sums -global 1 -arg pipe:x -arg pipe:y -arg i32:40 -with -kernel store -global 1 -arg pipe:y -arg undef:i32:20 -arg i32:40", Note: "a pipe with room for everything"},
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
			{Flags: "-pipe e=i32:4 -pipe o=i32:4 -kernel router -global 1 -arg rand:i32:20:3:0:99 -arg i32:20 -arg pipe:e -arg pipe:o -with -kernel collect -global 1 -arg pipe:e -arg fill:i32:21:-1 -with -kernel collect -global 1 -arg pipe:o -arg fill:i32:21:-1"},
			{Flags: "-pipe e=i32:1 -pipe o=i32:1 -kernel router -global 1 -arg buf:i32:2,4,6,8 -arg i32:4 -arg pipe:e -arg pipe:o -with -kernel collect -global 1 -arg pipe:e -arg fill:i32:5:-1 -with -kernel collect -global 1 -arg pipe:o -arg fill:i32:5:-1", Note: "no odd number"},
			{Flags: "-pipe e=i32:2 -pipe o=i32:2 -kernel router -global 1 -arg buf:i32:7 -arg i32:0 -arg pipe:e -arg pipe:o -with -kernel collect -global 1 -arg pipe:e -arg fill:i32:2:-1 -with -kernel collect -global 1 -arg pipe:o -arg fill:i32:2:-1", Note: "no number at all"},
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
			{Flags: "-pipe p=i32:4 -kernel produce -global 1 -arg rand:i32:16:6:-99:99 -arg i32:16 -arg pipe:p -with -kernel consume -global 1 -arg pipe:p -arg i32:16 -arg undef:i32:16"},
			{Flags: "-pipe p=i32:1 -kernel produce -global 1 -arg iota:i32:9 -arg i32:9 -arg pipe:p -with -kernel consume -global 1 -arg pipe:p -arg i32:9 -arg undef:i32:9", Note: "a pipe with room for one packet"},
			{Flags: "-pipe p=i32:32 -kernel produce -global 1 -arg iota:i32:20 -arg i32:20 -arg pipe:p -with -kernel consume -global 1 -arg pipe:p -arg i32:20 -arg undef:i32:20", Note: "a pipe with room for everything"},
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
