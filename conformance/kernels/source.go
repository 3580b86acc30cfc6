package kernels

import "strings"

// singleLanes makes every work-item a sub-group of its own.
const singleLanes = `
#define get_sub_group_size() 1u
#define get_max_sub_group_size() 1u
#define get_num_sub_groups() ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#define get_sub_group_id() ((uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0)))
#define get_sub_group_local_id() 0u
#define sub_group_reduce_add(x) (x)
#define sub_group_scan_inclusive_add(x) (x)
#define sub_group_broadcast(x, lane) (x)
#define sub_group_shuffle(x, lane) (x)
#define sub_group_shuffle_xor(x, mask) (x)
#define sub_group_shuffle_down(x, delta) (x)
#define sub_group_ballot(x) ((uint4)((x) != 0, 0, 0, 0))
#define sub_group_ballot_bit_count(set) ((set).x)
#define sub_group_ballot_exclusive_scan(set) 0u
#define intel_sub_group_block_read(p) (*(p))
#define intel_sub_group_block_read8(p) vload8(0, p)
#line 1
`

// SourceFor is the text to compile for a device with the given extensions, a list
// separated by spaces. Kernels with sub-groups promise results that do not depend on
// their size, so that a device without sub-groups can run them all the same: each of its
// work-items is one.
func (k *Kernel) SourceFor(extensions string) string {
	const subgroups = "cl_khr_subgroups"
	text := k.Source()
	if strings.Contains(text, subgroups) && !strings.Contains(" "+extensions+" ", " "+subgroups+" ") {
		return singleLanes + text
	}
	return text
}
