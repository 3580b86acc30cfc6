package course

var races = &Lesson{Folder: "04-races", Title: "Races, and how they are found", Exercises: []*Exercise{
	{
		Name: "tiles", Kernels: []string{"tiles"},
		Runs: []Run{
			{Flags: "-kernel tiles -global 64 -local 64 -arg iota:i32:64 -arg undef:i32:64 -arg i32:1", Note: "one block"},
			{Flags: "-kernel tiles -global 64 -local 64 -arg iota:i32:256 -arg undef:i32:256 -arg i32:4", Note: "four blocks"},
			{Flags: "-kernel tiles -global 64 -local 64 -arg rand:i32:128:1 -arg undef:i32:128 -arg i32:2", Note: "two blocks"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, len(in), func(i int) int32 { return in[i-i%64+63-i%64] })
		},
		// Two barriers for each of two sub-groups and four blocks, and a pair to spare.
		Limits: []Limit{{Count: Barriers, Most: 18, Run: 1}},
		Hints: []Hint{
			{For: Racy, Text: "one of the two lines belongs to a block, and the other one to which?", Section: "A race from one round to the next"},
			{For: Fault, Text: "does every work-item come to each barrier equally often?", Section: "A barrier is for the whole group", Lesson: 3},
			{For: Wrong, Text: "which element of a block comes first?", Section: "A race from one round to the next"},
			{For: Slow, Text: "how many barriers does a block need, and which of yours orders nothing?", Section: "A race from one round to the next"},
		},
	},
	{
		Name: "smooth", Kernels: []string{"smooth"},
		Runs: []Run{
			{Flags: "-kernel smooth -global 32 -local 32 -arg rand:i32:32:1:0:1000 -arg undef:i32:32", Note: "one work-group"},
			{Flags: "-kernel smooth -global 128 -local 32 -arg rand:i32:128:2:0:1000 -arg undef:i32:128", Note: "four work-groups"},
			{Flags: "-kernel smooth -global 6 -local 2 -arg rand:i32:6:3:0:1000 -arg undef:i32:6"},
			{Flags: "-kernel smooth -global 1 -local 1 -arg buf:i32:8 -arg undef:i32:1", Note: "a single element, which is both of its neighbours"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, len(in), func(i int) int32 {
				return (in[max(i-1, 0)] + 2*in[i] + in[min(i+1, len(in)-1)]) / 4
			})
		},
		Hints: []Hint{
			{For: Racy, Text: "what does a barrier order, and for whom? Which memory does nobody write?", Section: "What a barrier does not do"},
			{For: Undefined, Text: "an element is read before its work-item has written it", Section: "What a barrier does not do"},
			{For: Wrong, Text: "look at the ends of the buffer, and at the rounding", Section: "What a barrier does not do"},
			{For: Fault, Text: "which neighbour does the first element have, and which the last?", Section: "More work-items than elements", Lesson: 1},
		},
	},
	{
		Name: "first", Kernels: []string{"first_negative"},
		Runs: []Run{
			{Flags: "-kernel first_negative -global 128 -local 32 -arg rand:i32:128:3:-10:100 -arg undef:i32:4", Note: "some negative elements in each group"},
			{Flags: "-kernel first_negative -global 64 -local 32 -arg iota:i32:64 -arg undef:i32:2", Note: "no negative element"},
			{Flags: "-kernel first_negative -global 96 -local 32 -arg fill:i32:96:-1 -arg undef:i32:3", Note: "negative elements only"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, len(in)/32, func(g int) int32 {
				for i := 32 * g; i < 32*g+32; i++ {
					if in[i] < 0 {
						return int32(i)
					}
				}
				return -1
			})
		},
		// Four sub-groups read 2 lines each, and a line is written four times.
		Limits: []Limit{{Count: CacheLines, Most: 16}, {Count: Atomics, Most: 0}},
		Hints: []Hint{
			{For: Racy, Text: "how many work-items may write first[g], so that nothing has to order them?", Section: "One writer for one place"},
			{For: Wrong, Text: "which of several negative elements should win?", Section: "One writer for one place"},
			{For: Undefined, Text: "who writes first[g] where no element is negative?", Section: "One writer for one place"},
			{For: Slow, Text: "local memory is there for what a group works on. Is each element read from global memory once, and by neighbours together?", Section: "One writer for one place"},
		},
	},
}}
