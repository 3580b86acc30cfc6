package scheduler

import "github.com/lockstep-gpu/lockstep/isa"

// Width returns how many work-items of a work-group of the given number of them run
// together: the lanes of a whole wave of a launch in the order InOrder. subgroup is the
// sub-group size of the device and limit its Options.WaveLanes.
func Width(k *isa.Kernel, subgroup, limit, items int) int {
	return max(min(waveLanes(InOrder, MaySpin(k), subgroup, limit, items), items), 1)
}
