package bench

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// GroupCost is the launch of a kernel that does one operation in a loop over
// work-groups of the usual size, eight times a turn.
func GroupCost(k *kernels.Kernel, groups, turns int) kernels.Launch {
	n := groups * group
	l := kernels.Launch{Global: []uint64{uint64(n)}, Local: []uint64{group}}
	count := fmt.Sprintf("u32:%d", turns)
	switch k.Name {
	case "cost_add":
		l.Args = []string{fmt.Sprintf("iota:f32:%d", n), fmt.Sprintf("zero:f32:%d", n), "f32:0.1", count}
	case "cost_ballot":
		l.Args = []string{fmt.Sprintf("rand:u32:%d:3:1:1000", n), fmt.Sprintf("zero:u32:%d", n), count}
	case "cost_load", "cost_block_read", "cost_block_read8":
		l.Args = []string{fmt.Sprintf("rand:u32:%d:1", 8*turns*group), fmt.Sprintf("zero:u32:%d", groups), count}
	default:
		l.Args = []string{fmt.Sprintf("iota:f32:%d", n), fmt.Sprintf("zero:f32:%d", n), count}
	}
	return l
}

// GroupSum is the launch of a kernel that sums one element for each of n
// work-items, so that the reduction itself is what takes the time.
func GroupSum(n int) kernels.Launch { return reduce(n, n) }
