kernel void first_negative(global const int *in, global int *first)
{
	local int least;
	if (get_local_id(0) == 0)
		least = INT_MAX;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (in[get_global_id(0)] < 0)
		atomic_min(&least, (int)get_global_id(0));
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		first[get_group_id(0)] = least == INT_MAX ? -1 : least;
}
