package course

var atomics = &Lesson{Folder: "09-atomics", Title: "Atomics and memory order", Exercises: []*Exercise{
	{
		Name: "matches", Kernels: []string{"matches"},
		Runs: []Run{
			{Flags: "-kernel matches -global 128 -local 32 -arg rand:i32:128:1:0:3 -arg i32:2 -arg zero:i32:1", Note: "four work-groups"},
			{Flags: "-kernel matches -global 64 -local 64 -arg fill:i32:64:7 -arg i32:7 -arg zero:i32:1", Note: "every element equals key"},
			{Flags: "-kernel matches -global 9 -local 3 -arg iota:i32:9 -arg i32:100 -arg zero:i32:1", Note: "no element equals key"},
		},
		Want: func(a *Args) []Want {
			in, key := a.Ints(0), a.Ints(1)[0]
			return each(2, 1, func(int) (n int32) {
				for _, v := range in {
					if v == key {
						n++
					}
				}
				return n
			})
		},
		Hints: []Hint{
			{For: Racy, Text: "an increment is a read and a write. What may happen between the two?", Section: "Lost updates"},
			{For: Wrong, Text: "who counts which element, and is each counted once?", Section: "Atomic operations"},
			{For: Fault, Text: "does every work-item come to each barrier?", Section: "A barrier is for the whole group", Lesson: 3},
			{For: Undefined, Text: "nobody sets local memory to 0 for you", Section: "Lanes at one address"},
		},
	},
	{
		Name: "crowd", Kernels: []string{"crowd"},
		Runs: []Run{
			{Flags: "-kernel crowd -global 512 -local 64 -arg rand:i32:512:3:-999:999 -arg zero:i32:1 -arg local:256", Note: "eight work-groups"},
			{Flags: "-kernel crowd -global 64 -local 64 -arg iota:i32:64 -arg zero:i32:1 -arg local:256", Note: "one work-group"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, 1, func(int) int32 { return sumOf(in) })
		},
		Limits: []Limit{{Count: Atomics, Most: 8}, {Count: Meeting, Most: 8}},
		Hints: []Hint{
			{For: Slow, Text: "how many values does a group have to give to the others?", Section: "Lanes at one address"},
			{For: Racy, Text: "who has written the word that is read here, and who adds to *sum?", Section: "Atomic operations"},
			{For: Wrong, Text: "who adds the sum of a group, and how often?", Section: "Lanes at one address"},
			{For: Undefined, Text: "nobody sets local memory to 0 for you", Section: "Lanes at one address"},
			{For: Fault, Text: "does every work-item come to each barrier?", Section: "A barrier is for the whole group", Lesson: 3},
		},
	},
	{
		Name: "finish", Kernels: []string{"finish"},
		Runs: []Run{
			{Flags: "-kernel finish -global 128 -local 32 -arg rand:i32:128:4:-99:99 -arg undef:i32:4 -arg zero:i32:1 -arg undef:i32:1", Note: "four work-groups"},
			{Flags: "-kernel finish -global 70 -local 10 -arg rand:i32:70:5:-99:99 -arg undef:i32:7 -arg zero:i32:1 -arg undef:i32:1", Note: "seven work-groups"},
			{Flags: "-kernel finish -global 8 -local 8 -arg iota:i32:8 -arg undef:i32:1 -arg zero:i32:1 -arg undef:i32:1", Note: "a single group"},
		},
		Want: func(a *Args) []Want {
			in, groups := a.Ints(0), len(a.Data[1])/4
			return append(groupsOf(1, in, len(in)/groups, sumOf), want(3, []int32{sumOf(in)}))
		},
		Limits: []Limit{{Count: Atomics, Most: 8}},
		Hints: []Hint{
			{For: Racy, Text: "what has to be seen before the number that says so? And by whom?", Section: "What an atomic operation does not order"},
			{For: Wrong, Text: "which group finds which number, and which one adds up?", Section: "What an atomic operation does not order"},
			{For: Undefined, Text: "a sum is read that may not be there yet, or total is written by nobody", Section: "What an atomic operation does not order"},
			{For: Fault, Text: "does every work-item come to work_group_reduce_add, as to a barrier?", Section: "A barrier is for the whole group", Lesson: 3},
			{For: Slow, Text: "one atomic operation a group says that it has come; more are not needed", Section: "What an atomic operation does not order"},
		},
	},
}}
