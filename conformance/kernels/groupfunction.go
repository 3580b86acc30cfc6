package kernels

import (
	"math"
	"slices"
)

// groupFunctionKernels call the functions of OpenCL C for work-groups and sub-groups.
func groupFunctionKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "wg_functions", Module: "groupfunctions", Entry: "wg_functions",
			About: "Reductions, scans, votes and a broadcast of work-groups, the last of which is partial.",
			Launch: Launch{Global: []uint64{100}, Local: []uint64{36},
				Args: []string{"rand:i32:100:3:-100:100", "zero:i32:1000"}},
			Outputs:   []int{1},
			reference: workgroupFunctions,
		},
		{
			Name: "wg_types", Module: "groupfunctions", Entry: "wg_types",
			About: "Reductions and scans of work-groups in long, float and double, with sums that are exact.",
			Launch: Launch{Global: []uint64{60}, Local: []uint64{24},
				Args: []string{"rand:i32:60:4:-1000:1000", "zero:i64:120", "zero:f32:120", "zero:f64:120"}},
			Outputs:   []int{1, 2, 3},
			reference: workgroupTypes,
		},
		{
			Name: "wg_broadcast", Module: "groupfunctions", Entry: "wg_broadcast",
			About: "The last work-item's value for all of a work-group of three dimensions.",
			Launch: Launch{Global: []uint64{6, 4, 4}, Local: []uint64{3, 2, 4},
				Args: []string{"rand:i32:96:5", "zero:i32:96"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[int32](args[0]), load[int32](args[1])
				for i := range out {
					at, stride := 0, 1
					rest := i
					for d, n := range l.Global {
						local := int(l.Local[d])
						at += (rest%int(n)/local*local + local - 1) * stride
						rest /= int(n)
						stride *= int(n)
					}
					out[i] = in[at]
				}
				return store(args[1], out)
			},
		},
		{
			Name: "sg_functions", Module: "groupfunctions", Entry: "sg_functions",
			About: "Functions of sub-groups, Intel's shuffles among them, each against a loop over the lanes.",
			Launch: Launch{Global: []uint64{150}, Local: []uint64{150},
				Args: []string{"rand:i32:150:6:-100:100", "zero:u32:150", "local:1024"}},
			Outputs: []int{1},
			reference: func(_ Launch, args [][]byte) error {
				right := load[uint32](args[1])
				for i := range right {
					right[i] = 1<<12 - 1
				}
				return store(args[1], right)
			},
		},
	}
}

// workgroupFunctions is the reference of wg_functions: ten results a work-item.
func workgroupFunctions(l Launch, args [][]byte) error {
	in, out := load[int32](args[0]), load[int32](args[1])
	at := 0
	for g := range slices.Chunk(in, int(l.Local[0])) {
		var sum, all, any int32 = 0, 1, 0
		var unsigned uint32
		for _, x := range g {
			sum += x
			unsigned = max(unsigned, uint32(x))
			if x <= -90 {
				all = 0
			}
			if x > 90 {
				any = 1
			}
		}
		before, most, least := int32(0), int32(math.MinInt32), int32(math.MaxInt32)
		for _, x := range g {
			most = max(most, x)
			at += copy(out[at:], []int32{sum, slices.Min(g), int32(unsigned), before + x, before, most, least, all, any, g[len(g)-1]})
			before += x
			least = min(least, x)
		}
	}
	return store(args[1], out)
}

// workgroupTypes is the reference of wg_types.
func workgroupTypes(l Launch, args [][]byte) error {
	in := load[int32](args[0])
	longs, floats, doubles := load[int64](args[1]), load[float32](args[2]), load[float64](args[3])
	first := 0
	for g := range slices.Chunk(in, int(l.Local[0])) {
		var sum int64
		for _, x := range g {
			sum += int64(x)
		}
		var before int64
		most := int64(math.MinInt64)
		for k, x := range g {
			i := first + k
			most = max(most, int64(x))
			longs[2*i], longs[2*i+1] = (before+int64(x))<<33, int64(slices.Max(g))<<33
			floats[2*i], floats[2*i+1] = float32(before)/4, float32(slices.Min(g))/4
			doubles[2*i], doubles[2*i+1] = float64(sum)/8, float64(most)/8
			before += int64(x)
		}
		first += len(g)
	}
	if err := store(args[1], longs); err != nil {
		return err
	}
	if err := store(args[2], floats); err != nil {
		return err
	}
	return store(args[3], doubles)
}
