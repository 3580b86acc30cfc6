package course

var bankConflicts = &Lesson{Folder: "07-bank-conflicts", Title: "Bank conflicts and padding", Exercises: []*Exercise{
	{
		Name: "turn", Kernels: []string{"turn"},
		Runs: []Run{
			{Flags: "-kernel turn -global 64,16 -local 32,8 -arg iota:i32:4096 -arg undef:i32:4096 -arg i32:64"},
			{Flags: "-kernel turn -global 32,8 -local 32,8 -arg rand:i32:1024:5 -arg undef:i32:1024 -arg i32:32", Note: "a single tile"},
		},
		Want: func(a *Args) []Want {
			in, n := a.Ints(0), a.Int(2)
			return each(1, len(in), func(i int) int32 { return in[i%n*n+i/n] })
		},
		Limits: []Limit{{Count: BankConflicts, Most: 0}, {Count: ExcessLines, Most: 100}},
		Hints: []Hint{
			{For: Slow, Text: "in which bank is tile[x][k], for the x of each lane? Which length of a row would spread them?", Section: "Padding"},
			{For: Wrong, Text: "is the tile still written and read with the same layout?", Section: "Padding"},
			{For: Undefined, Text: "is the tile still written and read with the same layout?", Section: "Padding"},
			{For: Fault, Text: "how many words does the tile have now?", Section: "Padding"},
			{For: Racy, Text: "who has written the element of the tile that is read here, and when?", Section: "The barrier", Lesson: 3},
		},
	},
	{
		Name: "digits", Kernels: []string{"digits"},
		Runs: []Run{
			{Flags: "-kernel digits -global 128 -local 64 -arg rand:i32:2048:1:0:15 -arg i32:16 -arg undef:i32:128 -arg local:4096"},
			{Flags: "-kernel digits -global 64 -local 64 -arg fill:i32:320:7 -arg i32:5 -arg undef:i32:64 -arg local:4096", Note: "the same number everywhere"},
			{Flags: "-kernel digits -global 24 -local 8 -arg rand:i32:960:2:0:15 -arg i32:40 -arg undef:i32:24 -arg local:512"},
		},
		Want: func(a *Args) []Want {
			in, count, n := a.Ints(0), a.Int(1), len(a.Data[2])/4
			return each(2, n, func(i int) int32 {
				var counters [16]int
				for k := range count {
					counters[in[k*n+i]]++
				}
				best := 0
				for d, c := range counters {
					if c > counters[best] {
						best = d
					}
				}
				return int32(best)
			})
		},
		// Accesses of neighbouring rounds may become one, whose fewest passes are counted too low: a conflict
		// for each sub-group.
		Limits: []Limit{{Count: BankConflicts, Most: 8}, {Count: BankConflicts, Most: 8, Run: 1}},
		Hints: []Hint{
			{For: Slow, Text: "lanes need different counters, and the counter of a lane may be anyone's. Which bank could belong to a lane alone?", Section: "A bank for each lane"},
			{For: Wrong, Text: "which word is counter d of work-item p, and is it the same in all three loops?", Section: "A bank for each lane"},
			{For: Racy, Text: "two work-items have the same counter. Which word is counter d of work-item p?", Section: "A bank for each lane"},
			{For: Undefined, Text: "a counter is read that nobody has set to 0", Section: "A bank for each lane"},
			{For: Fault, Text: "there are 16 words for each work-item. Which is the last that you use?", Section: "A bank for each lane"},
		},
	},
	{
		Name: "pairs", Kernels: []string{"pairs"},
		Runs: []Run{
			{Flags: "-kernel pairs -global 512 -local 256 -arg rand:i32:512:1:-999:999 -arg undef:i32:2"},
			{Flags: "-kernel pairs -global 256 -local 256 -arg iota:i32:256 -arg undef:i32:1"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, len(in)/256, func(g int) int32 {
				var sum int32
				for _, v := range in[256*g : 256*g+256] {
					sum += v
				}
				return sum
			})
		},
		Limits: []Limit{{Count: BankConflicts, Most: 0}, {Count: Instructions, Most: 1500}},
		Hints: []Hint{
			{For: Slow, Text: "which words do lanes 0, 1 and 2 use in the third step, and in which banks are they?", Section: "Which bank is it?"},
			{For: Wrong, Text: "work the steps out by hand for 8 elements: is each added once?", Section: "Which bank is it?"},
			{For: Racy, Text: "in one step, does a work-item read what another one writes?", Section: "A race from one round to the next", Lesson: 4},
			{For: Fault, Text: "which is the largest index of a step?", Section: "Which bank is it?"},
		},
	},
}}
