// The sum of a work-group, of the sums of its sub-groups. part has room for one word a sub-group.
kernel void group(global const int *in, global int *sums, local int *part)
{
	int sum = sub_group_reduce_add(in[get_global_id(0)]);
	if (get_sub_group_local_id() == 0)
		part[get_sub_group_id()] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		int all = 0;
		for (uint s = 0; s < get_num_sub_groups(); s++)
			all += part[s];
		sums[get_group_id(0)] = all;
	}
}
