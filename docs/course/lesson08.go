package course

// groupsOf is a Want of one element for each group of a size: what f makes of the group's elements.
func groupsOf(arg int, in []int32, size int, f func(group []int32) int32) []Want {
	return each(arg, len(in)/size, func(g int) int32 { return f(in[g*size : (g+1)*size]) })
}

// sumOf adds up.
func sumOf(list []int32) (sum int32) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// largestOf is the largest of a list that is not empty.
func largestOf(list []int32) int32 {
	best := list[0]
	for _, v := range list {
		best = max(best, v)
	}
	return best
}

var reductions = &Lesson{Folder: "08-reductions-and-scans", Title: "Reductions and scans", Exercises: []*Exercise{
	{
		Name: "total", Kernels: []string{"total"},
		Runs: []Run{
			{Flags: "-kernel total -global 256 -local 64 -arg rand:i32:256:1:-99:99 -arg undef:i32:4 -arg local:256", Note: "groups of 64"},
			{Flags: "-kernel total -global 192 -local 48 -arg rand:i32:192:2:-99:99 -arg undef:i32:4 -arg local:192", Note: "groups of 48"},
			{Flags: "-kernel total -global 301 -local 43 -arg rand:i32:301:3:-99:99 -arg undef:i32:7 -arg local:172", Note: "groups of 43"},
			{Flags: "-kernel total -global 3 -local 1 -arg iota:i32:3 -arg undef:i32:3 -arg local:4", Note: "groups of a single work-item"},
		},
		Want: func(a *Args) []Want {
			in, groups := a.Ints(0), len(a.Data[1])/4
			return groupsOf(1, in, len(in)/groups, sumOf)
		},
		// The work stays spread over the group: one work-item alone issues far more.
		Limits: []Limit{{Count: Instructions, Most: 1000}},
		Hints: []Hint{
			{For: Wrong, Text: "work the steps out by hand for a group of 6: which element is never added, or twice?", Section: "Sizes that are no power of two"},
			{For: Racy, Text: "in one step, does a work-item read what another one writes?", Section: "A race from one round to the next", Lesson: 4},
			{For: Undefined, Text: "a word is added that nobody has written. Which is the last element of a group?", Section: "Sizes that are no power of two"},
			{For: Fault, Text: "part has one word for each work-item, and every work-item comes to each barrier", Section: "Sizes that are no power of two"},
			{For: Slow, Text: "how many steps does a reduction of 64 elements need?", Section: "Halves of halves"},
		},
	},
	{
		Name: "running", Kernels: []string{"running"},
		Runs: []Run{
			{Flags: "-kernel running -global 64 -local 32 -arg rand:i32:64:4 -arg undef:i32:64 -arg local:128", Note: "groups of 32"},
			{Flags: "-kernel running -global 256 -local 128 -arg rand:i32:256:5 -arg undef:i32:256 -arg local:512", Note: "groups of 128"},
			{Flags: "-kernel running -global 90 -local 45 -arg rand:i32:90:6 -arg undef:i32:90 -arg local:180", Note: "groups of 45"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			local := map[int]int{64: 32, 256: 128, 90: 45}[len(in)]
			return each(1, len(in), func(i int) int32 { return largestOf(in[i/local*local : i+1]) })
		},
		Limits: []Limit{{Count: Instructions, Most: 1600, Run: 1}},
		Hints: []Hint{
			{For: Racy, Text: "in one step, some work-items read words that others write. What has to be over before anybody writes?", Section: "Scans"},
			{For: Wrong, Text: "work the steps out by hand for a group of 4", Section: "Scans"},
			{For: Undefined, Text: "who has written the word that is read here?", Section: "Scans"},
			{For: Fault, Text: "does every work-item come to each barrier?", Section: "A barrier is for the whole group", Lesson: 3},
			{For: Slow, Text: "how many steps does a scan of 128 elements need?", Section: "Scans"},
		},
	},
	{
		Name: "peaks", Kernels: []string{"peaks"},
		Runs: []Run{
			{Flags: "-kernel peaks -global 128 -local 64 -arg rand:i32:2048:7 -arg i32:1024 -arg undef:i32:2 -arg local:256"},
			{Flags: "-kernel peaks -global 48 -local 16 -arg rand:i32:48:8:-99:-1 -arg i32:16 -arg undef:i32:3 -arg local:64", Note: "negative elements, one for each work-item"},
			{Flags: "-kernel peaks -global 4 -local 2 -arg rand:i32:12:9 -arg i32:6 -arg undef:i32:2 -arg local:8"},
		},
		Want:   func(a *Args) []Want { return groupsOf(2, a.Ints(0), a.Int(1), largestOf) },
		Limits: []Limit{{Count: Instructions, Most: 1400}, {Count: ExcessLines, Most: 105}, {Count: BankConflicts, Most: 0}},
		Hints: []Hint{
			{For: Slow, Text: "which counter is it: too many instructions (who works?), or too many cache lines (who reads which element)?", Section: "First alone, then together"},
			{For: Wrong, Text: "what is the largest of negative numbers? With what does each work-item begin?", Section: "First alone, then together"},
			{For: Racy, Text: "in one step, does a work-item read what another one writes?", Section: "A race from one round to the next", Lesson: 4},
			{For: Undefined, Text: "who has written the word that is read here?", Section: "First alone, then together"},
			{For: Fault, Text: "which elements belong to a group, and which is the last?", Section: "First alone, then together"},
		},
	},
}}
