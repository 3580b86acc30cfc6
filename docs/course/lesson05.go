package course

var divergence = &Lesson{Folder: "05-divergence", Title: "Divergence", Exercises: []*Exercise{
	{
		Name: "alternate", Kernels: []string{"alternate"},
		Runs: []Run{
			{Flags: "-kernel alternate -global 128 -local 64 -arg rand:u32:128:1 -arg undef:u32:128 -arg i32:40"},
			{Flags: "-kernel alternate -global 64 -local 16 -arg iota:u32:64 -arg undef:u32:64 -arg i32:3"},
			{Flags: "-kernel alternate -global 33 -local 11 -arg rand:u32:33:2 -arg undef:u32:33 -arg i32:5", Note: "an odd number of elements"},
			{Flags: "-kernel alternate -global 1 -local 1 -arg iota:u32:1 -arg undef:u32:1 -arg i32:5", Note: "a single element"},
		},
		Want: func(a *Args) []Want {
			in, rounds := a.Uints(0), a.Int(2)
			return each(1, len(in), func(i int) uint32 {
				if i%2 == 1 {
					return ^in[i]
				}
				x := in[i]
				for range rounds {
					x = x*1664525 + 1013904223
				}
				return x
			})
		},
		Limits: []Limit{{Count: IdleLanes, Most: 10}, {Count: Instructions, Most: 560}},
		Hints: []Hint{
			{For: Slow, Text: "which work-items run side by side, and which elements have the same work?", Section: "Both ways, one after the other"},
			{For: Wrong, Text: "list for n = 5 which work-item computes which element", Section: "Both ways, one after the other"},
			{For: Fault, Text: "list for n = 5 which work-item computes which element", Section: "Both ways, one after the other"},
			{For: Undefined, Text: "an element is computed by nobody. List for n = 5 who computes which", Section: "Both ways, one after the other"},
			{For: Racy, Text: "an element is computed twice. List for n = 5 who computes which", Section: "Both ways, one after the other"},
		},
	},
	{
		Name: "filters", Kernels: []string{"filters"},
		Runs: []Run{
			{Flags: "-kernel filters -global 64 -local 64 -arg rand:i32:64:5:0:3 -arg rand:u32:64:6 -arg undef:u32:64 -arg i32:32", Note: "all kinds"},
			{Flags: "-kernel filters -global 32 -local 8 -arg fill:i32:32:2 -arg iota:u32:32 -arg undef:u32:32 -arg i32:7", Note: "one kind"},
			{Flags: "-kernel filters -global 48 -local 24 -arg rand:i32:48:7:0:3 -arg rand:u32:48:8 -arg undef:u32:48 -arg i32:0", Note: "no rounds"},
		},
		Want: func(a *Args) []Want {
			kind, in, rounds := a.Ints(0), a.Uints(1), a.Int(3)
			return each(2, len(in), func(i int) uint32 {
				x := in[i]
				for range rounds {
					x = x*[]uint32{5, 9, 17, 33}[kind[i]] + []uint32{1, 7, 3, 11}[kind[i]]
				}
				return x
			})
		},
		Limits: []Limit{{Count: Instructions, Most: 480}},
		Hints: []Hint{
			{For: Slow, Text: "what differs between the four ways, and what is the same?", Section: "Choosing a value instead of a way"},
			{For: Wrong, Text: "compare the factors and offsets with the task, kind by kind", Section: "Choosing a value instead of a way"},
		},
	},
	{
		Name: "triangle", Kernels: []string{"triangle"},
		Runs: []Run{
			{Flags: "-kernel triangle -global 64 -local 64 -arg rand:i32:8256:3:-9:9 -arg undef:i32:128", Note: "128 rows"},
			{Flags: "-kernel triangle -global 8 -local 4 -arg iota:i32:136 -arg undef:i32:16", Note: "16 rows"},
			{Flags: "-kernel triangle -global 1 -local 1 -arg buf:i32:4,5,6 -arg undef:i32:2", Note: "2 rows"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, len(a.Data[1])/4, func(r int) int32 {
				var sum int32
				for k := range r + 1 {
					sum += in[r*(r+1)/2+k]
				}
				return sum
			})
		},
		Limits: []Limit{{Count: IdleLanes, Most: 10}},
		Hints: []Hint{
			{For: Slow, Text: "which two rows have together as many elements as any other such pair? And how often does each loop go round, for the lane that goes round most often?", Section: "Loops of different length"},
			{For: Wrong, Text: "add up the first and the last row by hand", Section: "Loops of different length"},
			{For: Fault, Text: "which is the last element of the last row?", Section: "Loops of different length"},
			{For: Undefined, Text: "nobody adds up some row. List for 4 rows who adds up which", Section: "Loops of different length"},
			{For: Racy, Text: "two work-items add up the same row. List for 4 rows who adds up which", Section: "Loops of different length"},
		},
	},
}}
