package course

var coalescing = &Lesson{Folder: "06-coalescing", Title: "Coalescing", Exercises: []*Exercise{
	{
		Name: "blocks", Kernels: []string{"blocks"},
		Runs: []Run{
			{Flags: "-kernel blocks -global 128 -local 64 -arg rand:i32:2048:1:-99:99 -arg undef:i32:2048 -arg i32:16"},
			{Flags: "-kernel blocks -global 24 -local 8 -arg rand:i32:72:2:-99:99 -arg undef:i32:72 -arg i32:3"},
			{Flags: "-kernel blocks -global 5 -local 5 -arg rand:i32:5:3:-99:99 -arg undef:i32:5 -arg i32:1"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, len(in), func(i int) int32 { return in[i] * in[i] })
		},
		Limits: []Limit{{Count: ExcessLines, Most: 100}, {Count: CacheLines, Most: 256}},
		Hints: []Hint{
			{For: Slow, Text: "look at one step of the loop: which elements do neighbouring lanes touch in it?", Section: "Lines of a sub-group"},
			{For: Wrong, Text: "list for 2 work-items and count = 3 who takes which element", Section: "Lines of a sub-group"},
			{For: Undefined, Text: "nobody takes some element. List for 2 work-items and count = 3 who takes which", Section: "Lines of a sub-group"},
			{For: Racy, Text: "an element is taken twice. List for 2 work-items and count = 3 who takes which", Section: "Lines of a sub-group"},
			{For: Fault, Text: "list for 2 work-items and count = 3 who takes which element", Section: "Lines of a sub-group"},
		},
	},
	{
		Name: "records", Kernels: []string{"records"},
		Runs: []Run{
			{Flags: "-kernel records -global 128 -local 64 -arg rand:i32:1024:4:-99:99 -arg i32:8 -arg undef:i32:128 -arg local:2048", Note: "records of 8 ints"},
			{Flags: "-kernel records -global 96 -local 48 -arg rand:i32:480:5:-99:99 -arg i32:5 -arg undef:i32:96 -arg local:960", Note: "records of 5 ints, groups of 48"},
			{Flags: "-kernel records -global 7 -local 7 -arg iota:i32:7 -arg i32:1 -arg undef:i32:7 -arg local:28", Note: "records of a single int"},
		},
		Want: func(a *Args) []Want {
			in, length := a.Ints(0), a.Int(1)
			return each(2, len(in)/length, func(i int) int32 {
				var sum int32
				for _, v := range in[length*i : length*i+length] {
					sum += v
				}
				return sum
			})
		},
		Limits: []Limit{{Count: ExcessLines, Most: 100}, {Count: CacheLines, Most: 72}},
		Hints: []Hint{
			{For: Slow, Text: "all bytes of the lines are used in the end, but not at the same time. Who could read them together, and where can they wait?", Section: "By way of local memory"},
			{For: Wrong, Text: "add up the first two records by hand", Section: "By way of local memory"},
			{For: Racy, Text: "who has read the ints of this record, and when?", Section: "The barrier", Lesson: 3},
			{For: Undefined, Text: "who has read the ints of this record, and when?", Section: "The barrier", Lesson: 3},
			{For: Fault, Text: "how many ints do the records of a group have, and where do they begin?", Section: "By way of local memory"},
		},
	},
	{
		Name: "transpose", Kernels: []string{"transpose"},
		Runs: []Run{
			{Flags: "-kernel transpose -global 32,32 -local 16,16 -arg iota:i32:1024 -arg undef:i32:1024 -arg i32:32"},
			{Flags: "-kernel transpose -global 48,48 -local 16,16 -arg rand:i32:2304:5 -arg undef:i32:2304 -arg i32:48"},
			{Flags: "-kernel transpose -global 16,16 -local 16,16 -arg iota:i32:256 -arg undef:i32:256 -arg i32:16", Note: "a single group"},
		},
		Want: func(a *Args) []Want {
			in, n := a.Ints(0), a.Int(2)
			return each(1, len(in), func(i int) int32 { return in[i%n*n+i/n] })
		},
		Limits: []Limit{{Count: ExcessLines, Most: 100}, {Count: CacheLines, Most: 128}},
		Hints: []Hint{
			{For: Slow, Text: "which elements of out may a group write, so that neighbouring lanes write neighbouring elements?", Section: "By way of local memory"},
			{For: Wrong, Text: "where does the tile of group (1, 0) go, and where its first row?", Section: "By way of local memory"},
			{For: Racy, Text: "who has written the element of the tile that is read here, and when?", Section: "The barrier", Lesson: 3},
			{For: Undefined, Text: "who has written the element of the tile that is read here, and when?", Section: "The barrier", Lesson: 3},
			{For: Fault, Text: "where does the tile of group (1, 0) go?", Section: "By way of local memory"},
		},
	},
}}
