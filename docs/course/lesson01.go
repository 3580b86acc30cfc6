package course

var workItems = &Lesson{Folder: "01-work-items", Title: "Work-items", Exercises: []*Exercise{
	{
		Name: "scale", Kernels: []string{"scale"},
		Runs: []Run{
			{Flags: "-kernel scale -global 16 -local 16 -arg rand:i32:16:7:-50:50 -arg undef:i32:16", Note: "one work-group"},
			{Flags: "-kernel scale -global 64 -local 16 -arg rand:i32:64:8:-50:50 -arg undef:i32:64", Note: "four work-groups"},
			{Flags: "-kernel scale -global 21 -local 7 -arg rand:i32:21:9:-50:50 -arg undef:i32:21", Note: "three work-groups of seven"},
		},
		Want: func(a *Args) []Want {
			x := a.Ints(0)
			return each(1, len(x), func(i int) int32 { return 3*x[i] + 1 })
		},
		Hints: []Hint{
			{For: Wrong, Text: "which elements are right, and how many work-items does a group have?", Section: "Numbers of a work-item"},
			{For: Racy, Text: "two work-items write the same element. How does an element find its one work-item?", Section: "Numbers of a work-item"},
			{For: Undefined, Text: "some elements of y are never written. Whose are they?", Section: "Numbers of a work-item"},
		},
	},
	{
		Name: "increment", Kernels: []string{"increment"},
		Runs: []Run{
			{Flags: "-kernel increment -global 32 -local 16 -arg iota:i32:32 -arg i32:32", Note: "as many work-items as elements"},
			{Flags: "-kernel increment -global 64 -local 16 -arg iota:i32:50 -arg i32:50", Note: "64 work-items for 50 elements"},
			{Flags: "-kernel increment -global 64 -local 16 -arg iota:i32:64 -arg i32:49", Note: "n is 49, and the buffer is longer: what is behind n stays as it is"},
			{Flags: "-kernel increment -global 16 -local 16 -arg iota:i32:1 -arg i32:1", Note: "a single element"},
		},
		Want: func(a *Args) []Want {
			data, n := a.Ints(0), a.Int(1)
			return each(0, len(data), func(i int) int32 {
				if i < n {
					return data[i] + 1
				}
				return data[i]
			})
		},
		Hints: []Hint{
			{For: Fault, Text: "the work-item that is named has no element. What should it do?", Section: "More work-items than elements"},
			{For: Wrong, Text: "compare the index of the first wrong element with n", Section: "More work-items than elements"},
		},
	},
	{
		Name: "table", Kernels: []string{"table"},
		Runs: []Run{
			{Flags: "-kernel table -global 8,8 -local 4,4 -arg undef:i32:64", Note: "8 columns, 8 rows"},
			{Flags: "-kernel table -global 12,4 -local 4,2 -arg undef:i32:48", Note: "12 columns, 4 rows"},
			{Flags: "-kernel table -global 3,10 -local 3,5 -arg undef:i32:30", Note: "3 columns, 10 rows"},
			{Flags: "-kernel table -global 1,5 -local 1,1 -arg undef:i32:5", Note: "1 column, 5 rows"},
		},
		Want: func(a *Args) []Want {
			n := len(a.Data[0]) / 4
			width := map[int]int{64: 8, 48: 12, 30: 3, 5: 1}[n]
			return each(0, n, func(i int) int32 { return int32((i%width + 1) * (i/width + 1)) })
		},
		Hints: []Hint{
			{For: Fault, Text: "how many elements stand before row y begins?", Section: "Two dimensions"},
			{For: Racy, Text: "two places of the grid have the same index. How long is a row?", Section: "Two dimensions"},
			{For: Wrong, Text: "how many elements stand before row y begins?", Section: "Two dimensions"},
			{For: Undefined, Text: "some elements are never written. How long is a row?", Section: "Two dimensions"},
		},
	},
}}
