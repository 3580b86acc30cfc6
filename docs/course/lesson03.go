package course

var workGroups = &Lesson{Folder: "03-work-groups", Title: "Work-groups and the first barrier", Exercises: []*Exercise{
	{
		Name: "reverse", Kernels: []string{"reverse"},
		Runs: []Run{
			{Flags: "-kernel reverse -global 64 -local 16 -arg iota:i32:64 -arg undef:i32:64 -arg local:64"},
			{Flags: "-kernel reverse -global 128 -local 64 -arg rand:i32:128:2 -arg undef:i32:128 -arg local:256", Note: "groups of several sub-groups"},
			{Flags: "-kernel reverse -global 9 -local 3 -arg iota:i32:9 -arg undef:i32:9 -arg local:12"},
		},
		Want: func(a *Args) []Want {
			in, size := a.Ints(0), len(a.Data[0])/4
			local := map[int]int{64: 16, 128: 64, 9: 3}[size]
			return each(1, size, func(i int) int32 { return in[i-i%local+local-1-i%local] })
		},
		Hints: []Hint{
			{For: Racy, Text: "who has written the element that is read here, and when?", Section: "The barrier"},
			{For: Undefined, Text: "who has written the element that is read here, and when?", Section: "The barrier"},
			{For: Wrong, Text: "work out by hand where the first element of a group goes", Section: "The barrier"},
			{For: Fault, Text: "does every work-item come to the barrier?", Section: "A barrier is for the whole group"},
		},
	},
	{
		Name: "neighbours", Kernels: []string{"neighbours"},
		Runs: []Run{
			{Flags: "-kernel neighbours -global 64 -local 16 -arg iota:i32:64 -arg i32:64 -arg undef:i32:64 -arg local:72", Note: "as many work-items as elements"},
			{Flags: "-kernel neighbours -global 64 -local 16 -arg rand:i32:50:3:-99:99 -arg i32:50 -arg undef:i32:50 -arg local:72", Note: "the last group has more work-items than elements"},
			{Flags: "-kernel neighbours -global 64 -local 64 -arg rand:i32:33:4:-99:99 -arg i32:33 -arg undef:i32:33 -arg local:264", Note: "one group of several sub-groups"},
			{Flags: "-kernel neighbours -global 8 -local 8 -arg buf:i32:7 -arg i32:1 -arg undef:i32:1 -arg local:40", Note: "a single element"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			at := func(i int) int32 {
				if i < 0 || i >= len(in) {
					return 0
				}
				return in[i]
			}
			return each(2, len(in), func(i int) int32 { return at(i-1) + at(i) + at(i+1) })
		},
		Hints: []Hint{
			{For: Fault, Text: "which work-items come to the barrier, and which do not?", Section: "A barrier is for the whole group"},
			{For: Racy, Text: "which two lines touch the same element of tile, and what stands between them?", Section: "The barrier"},
			{For: Undefined, Text: "an element of tile is read that nobody has written. Who should have?", Section: "A barrier is for the whole group"},
			{For: Wrong, Text: "look at the first and last elements of a group, and of the whole buffer", Section: "A barrier is for the whole group"},
		},
	},
	{
		Name: "deviation", Kernels: []string{"deviation"},
		Runs: []Run{
			{Flags: "-kernel deviation -global 64 -local 16 -arg rand:i32:64:5:-99:99 -arg undef:i32:64 -arg local:64"},
			{Flags: "-kernel deviation -global 192 -local 96 -arg rand:i32:192:6:-99:99 -arg undef:i32:192 -arg local:384", Note: "groups of several sub-groups"},
			{Flags: "-kernel deviation -global 5 -local 1 -arg rand:i32:5:7:-99:99 -arg undef:i32:5 -arg local:4", Note: "groups of one work-item"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			local := map[int]int{64: 16, 192: 96, 5: 1}[len(in)]
			return each(1, len(in), func(i int) int32 {
				least := in[i-i%local]
				for _, v := range in[i-i%local : i-i%local+local] {
					least = min(least, v)
				}
				return in[i] - least
			})
		},
		Hints: []Hint{
			{For: Racy, Text: "a barrier orders what stands before it and what stands behind it. Where is least written, and where is it read?", Section: "The barrier"},
			{For: Undefined, Text: "who writes least, and who waits for that?", Section: "The barrier"},
			{For: Fault, Text: "does every work-item come to each barrier?", Section: "A barrier is for the whole group"},
			{For: Wrong, Text: "which elements belong to the group?", Section: "Groups"},
		},
	},
}}
