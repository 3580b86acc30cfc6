// The work-items of a sub-group exchange values without local memory and without a barrier.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void sums(global const int *in, global int *running, global int *total)
{
	int i = get_global_id(0);
	running[i] = sub_group_scan_inclusive_add(in[i]);
	total[i] = sub_group_reduce_add(in[i]);
}
