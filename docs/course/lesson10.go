package course

var subGroups = &Lesson{Folder: "10-sub-groups", Title: "Sub-groups", Exercises: []*Exercise{
	{
		Name: "mean", Kernels: []string{"mean"}, Subgroups: []int{32, 4, 16},
		Runs: []Run{
			{Flags: "-kernel mean -global 128 -local 64 -arg rand:i32:128:1:-999:999 -arg undef:i32:128 -arg local:256"},
			{Flags: "-kernel mean -global 40 -local 20 -arg rand:i32:40:2:0:999 -arg undef:i32:40 -arg local:80", Note: "groups that do not fill their sub-groups"},
			{Flags: "-kernel mean -global 3 -local 1 -arg iota:i32:3 -arg undef:i32:3 -arg local:4", Note: "groups of a single work-item"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			local := map[int]int{128: 64, 40: 20, 3: 1}[len(in)]
			return each(1, len(in), func(i int) int32 {
				g := i / local * local
				return in[i] - sumOf(in[g:g+local])/int32(local)
			})
		},
		Hints: []Hint{
			{For: Wrong, Text: "the command in see it says how large sub-groups are. Which of their sums are in part?", Section: "The size of a sub-group"},
			{For: Racy, Text: "which lane writes which word of part, if sub-groups are smaller?", Section: "The size of a sub-group"},
			{For: Undefined, Text: "a word of part is added that nobody has written. How many sub-groups are there?", Section: "The size of a sub-group"},
			{For: Fault, Text: "does every work-item come to the barrier, and is part large enough?", Section: "The size of a sub-group"},
		},
	},
	{
		Name: "steps", Kernels: []string{"steps"}, Subgroups: []int{32, 4, 64},
		Runs: []Run{
			{Flags: "-kernel steps -global 128 -local 64 -arg rand:i32:128:3:-99:99 -arg undef:i32:128"},
			{Flags: "-kernel steps -global 30 -local 10 -arg rand:i32:30:4:-99:99 -arg undef:i32:30", Note: "groups that do not fill their sub-groups"},
			{Flags: "-kernel steps -global 1 -local 1 -arg buf:i32:5 -arg undef:i32:1", Note: "a single element"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, len(in), func(i int) int32 {
				if i == 0 {
					return in[0]
				}
				return in[i] - in[i-1]
			})
		},
		// Four sub-groups read 2 lines, write 2, and read a single element of the line before.
		Limits: []Limit{{Count: CacheLines, Most: 20}},
		Hints: []Hint{
			{For: Wrong, Text: "which lanes are wrong? What does a lane get that has no left neighbour in its sub-group?", Section: "Values of other lanes"},
			{For: Undefined, Text: "what does a lane get that has no left neighbour in its sub-group?", Section: "Values of other lanes"},
			{For: Fault, Text: "which left neighbour does element 0 have?", Section: "Values of other lanes"},
			{For: Slow, Text: "how many lanes of a sub-group have to read their left neighbour from memory?", Section: "Values of other lanes"},
			{For: Racy, Text: "who writes out[i]?", Section: "One writer for one place", Lesson: 4},
		},
	},
	{
		Name: "pack", Kernels: []string{"pack"}, Subgroups: []int{32, 4, 16},
		Runs: []Run{
			{Flags: "-kernel pack -global 256 -local 64 -arg rand:i32:256:5:-99:99 -arg fill:i32:256:-1 -arg zero:i32:1"},
			{Flags: "-kernel pack -global 64 -local 64 -arg fill:i32:64:-7 -arg fill:i32:64:-1 -arg zero:i32:1", Note: "no positive element"},
			{Flags: "-kernel pack -global 60 -local 20 -arg fill:i32:60:3 -arg fill:i32:60:-1 -arg zero:i32:1", Note: "positive elements only, and groups that do not fill their sub-groups"},
		},
		Want: func(a *Args) []Want {
			in, n := a.Ints(0), int32(0)
			out := a.Ints(1)
			for _, v := range in {
				if v > 0 {
					out[n] = v
					n++
				}
			}
			packed := want(1, out)
			packed.AnyOrder = true
			return []Want{packed, want(2, []int32{n})}
		},
		Limits: []Limit{{Count: Atomics, Most: 8}},
		Hints: []Hint{
			{For: Slow, Text: "how many places does a sub-group need, and how could one lane take them for all?", Section: "One lane for all"},
			{For: Wrong, Text: "are there gaps, or elements that two lanes wrote to the same place? Who gets which place of those that a sub-group has taken?", Section: "One lane for all"},
			{For: Racy, Text: "two lanes write to the same place. Who gets which of those that a sub-group has taken?", Section: "One lane for all"},
			{For: Fault, Text: "a lane has a place that is none. What does broadcast give to the lanes?", Section: "One lane for all"},
			{For: Undefined, Text: "do all lanes of the sub-group come to each operation of it?", Section: "All lanes take part"},
		},
	},
}}
