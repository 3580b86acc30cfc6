package course

var memorySpaces = &Lesson{Folder: "02-memory-spaces", Title: "Memory spaces", Exercises: []*Exercise{
	{
		Name: "polynomial", Kernels: []string{"polynomial"},
		Runs: []Run{
			{Flags: "-kernel polynomial -global 32 -local 16 -arg iota:i32:32 -arg buf:i32:3,2,1 -arg i32:3 -arg undef:i32:32"},
			{Flags: "-kernel polynomial -global 24 -local 8 -arg rand:i32:24:5:-9:9 -arg buf:i32:-7,0,4,1,2 -arg i32:5 -arg undef:i32:24"},
			{Flags: "-kernel polynomial -global 8 -local 8 -arg iota:i32:8 -arg buf:i32:5 -arg i32:0 -arg undef:i32:8", Note: "no coefficients: the sum is 0"},
		},
		Want: func(a *Args) []Want {
			x, c, n := a.Ints(0), a.Ints(1), a.Int(2)
			return each(3, len(x), func(i int) int32 {
				var sum int32
				for k := n - 1; k >= 0; k-- {
					sum = sum*x[i] + c[k]
				}
				return sum
			})
		},
		Hints: []Hint{
			{For: Undefined, Text: "follow the finding to the declaration that it names", Section: "Private memory"},
			{For: Wrong, Text: "try n = 0 and n = 1 by hand", Section: "Private memory"},
		},
	},
	{
		Name: "columns", Kernels: []string{"columns"},
		Runs: []Run{
			{Flags: "-kernel columns -global 64 -local 32 -arg rand:i32:1024:3:-9:9 -arg i32:16 -arg undef:i32:64"},
			{Flags: "-kernel columns -global 24 -local 8 -arg rand:i32:72:4:-9:9 -arg i32:3 -arg undef:i32:24"},
			{Flags: "-kernel columns -global 8 -local 8 -arg iota:i32:8 -arg i32:0 -arg undef:i32:8", Note: "no rows: the sums are 0"},
		},
		Want: func(a *Args) []Want {
			matrix, rows, n := a.Ints(0), a.Int(1), len(a.Data[2])/4
			return each(2, n, func(i int) int32 {
				var sum int32
				for k := range rows {
					sum += matrix[k*n+i]
				}
				return sum
			})
		},
		// 16 rows of 64 elements are 64 lines, and 64 sums 4 lines.
		Limits: []Limit{{Count: CacheLines, Most: 68}},
		Hints: []Hint{
			{For: Slow, Text: "count how often the line that is named touches global memory, and for which value it has to", Section: "Global memory"},
			{For: Wrong, Text: "what is the sum of no rows?", Section: "Private memory"},
			{For: Undefined, Text: "follow the finding to the declaration that it names", Section: "Private memory"},
		},
	},
	{
		Name: "scratch", Kernels: []string{"scratch"},
		Runs: []Run{
			{Flags: "-kernel scratch -global 16 -local 16 -arg rand:i32:16:1:0:9999 -arg undef:i32:16 -arg local:64", Note: "one work-group"},
			{Flags: "-kernel scratch -global 64 -local 16 -arg rand:i32:64:2:0:9999 -arg undef:i32:64 -arg local:64", Note: "four work-groups"},
			{Flags: "-kernel scratch -global 10 -local 5 -arg rand:i32:10:3:0:9999 -arg undef:i32:10 -arg local:20"},
		},
		Want: func(a *Args) []Want {
			numbers := a.Ints(0)
			return each(1, len(numbers), func(i int) int32 {
				var sum int32
				for n, k := numbers[i], 0; k < 4; k++ {
					sum += n % 10
					n /= 10
				}
				return sum
			})
		},
		Hints: []Hint{
			{For: Fault, Text: "how much local memory is there, and for whom?", Section: "Local memory"},
			{For: Racy, Text: "two work-items have the same bytes of local memory", Section: "Local memory"},
			{For: Wrong, Text: "which bytes of local memory does a work-item write, and who else writes them?", Section: "Local memory"},
		},
	},
}}
