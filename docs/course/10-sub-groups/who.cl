// Where am I in my sub-group, and what is the sum of its elements?
kernel void who(global int *lanes, global int *sums)
{
	size_t i = get_global_id(0);
	lanes[i] = get_sub_group_local_id();
	sums[i] = sub_group_reduce_add((int)i);
}
