package course

var asyncCopies = &Lesson{Folder: "11-asynchronous-copies", Title: "Asynchronous copies and double buffering", Exercises: []*Exercise{
	{
		Name: "brighter", Kernels: []string{"brighter"},
		Runs: []Run{
			{Flags: "-kernel brighter -global 128 -local 64 -arg iota:i32:128 -arg undef:i32:128"},
			{Flags: "-kernel brighter -global 64 -local 64 -arg rand:i32:64:1:0:99 -arg undef:i32:64", Note: "one work-group"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, len(in), func(i int) int32 { return in[i] + 10 })
		},
		Limits: []Limit{{Count: Copies, Least: 2}},
		Hints: []Hint{
			{For: Racy, Text: "async_work_group_copy returns at once. When are the elements there?", Section: "Begin, work, wait"},
			{For: Undefined, Text: "async_work_group_copy returns at once. When are the elements there?", Section: "Begin, work, wait"},
			{For: Wrong, Text: "async_work_group_copy returns at once. When are the elements there?", Section: "Begin, work, wait"},
			{For: Fault, Text: "how many elements does the copy move, and from where?", Section: "Begin, work, wait"},
			{For: Slow, Text: "each group makes one asynchronous copy here; that is what the exercise is about", Section: "Begin, work, wait"},
		},
	},
	{
		Name: "stream", Kernels: []string{"stream"}, DMAStep: 8,
		Runs: []Run{
			{Flags: "-kernel stream -global 64 -local 64 -arg rand:u32:1024:2 -arg undef:u32:64 -arg i32:16", Note: "16 pieces"},
			{Flags: "-kernel stream -global 64 -local 64 -arg rand:u32:64:3 -arg undef:u32:64 -arg i32:1", Note: "one piece"},
			{Flags: "-kernel stream -global 64 -local 64 -arg rand:u32:192:4 -arg undef:u32:64 -arg i32:3", Note: "three pieces"},
			{Flags: "-kernel stream -global 64 -local 64 -arg rand:u32:64:5 -arg undef:u32:64 -arg i32:0", Note: "no piece"},
		},
		Want: func(a *Args) []Want {
			in, pieces := a.Uints(0), a.Int(2)
			return each(1, 64, func(i int) uint32 {
				var all uint32
				for k := range pieces {
					x := in[64*k+i]
					for range 8 {
						x = (x ^ x>>5) * 2654435761
					}
					all ^= x
				}
				return all
			})
		},
		Limits: []Limit{{Count: Copies, Least: 16}, {Count: CopyOverlap, Least: 50}},
		Hints: []Hint{
			{For: Slow, Text: "which copy could move while piece k is worked on, and where would it put its elements?", Section: "Two buffers"},
			{For: Racy, Text: "who still reads the buffer that this copy fills, or which copy has nobody waited for?", Section: "Two buffers"},
			{For: Wrong, Text: "which buffer belongs to piece k, and which copy fills it?", Section: "Two buffers"},
			{For: Undefined, Text: "which copies does nobody wait for? Mind pieces = 0 and pieces = 1", Section: "Two buffers"},
			{For: Fault, Text: "which is the last piece that is copied? Mind pieces = 0 and pieces = 1", Section: "Two buffers"},
		},
	},
	{
		Name: "flip", Kernels: []string{"flip"},
		Runs: []Run{
			{Flags: "-kernel flip -global 128 -local 64 -arg iota:i32:128 -arg undef:i32:128"},
			{Flags: "-kernel flip -global 64 -local 64 -arg rand:i32:64:5 -arg undef:i32:64", Note: "one work-group"},
		},
		Want: func(a *Args) []Want {
			in := a.Ints(0)
			return each(1, len(in), func(i int) int32 { return in[i-i%64+63-i%64] })
		},
		Limits: []Limit{{Count: Copies, Least: 4}},
		Hints: []Hint{
			{For: Racy, Text: "a copy reads its source some time after it began. Who has written the source, and who knows that?", Section: "What a copy does not order"},
			{For: Undefined, Text: "a copy reads its source some time after it began. Who has written the source, and who knows that?", Section: "What a copy does not order"},
			{For: Wrong, Text: "is everything there when the copy reads it?", Section: "What a copy does not order"},
			{For: Fault, Text: "does every work-item come to each copy, wait and barrier?", Section: "What a copy does not order"},
			{For: Slow, Text: "each group makes two asynchronous copies here; that is what the exercise is about", Section: "Begin, work, wait"},
		},
	},
}}
