kernel void mean(global const int *in, global int *out, local int *part)
{
	int size = get_local_size(0);
	int x = in[get_global_id(0)];
	int sum = sub_group_reduce_add(x);
	if (get_sub_group_local_id() == 0)
		part[get_sub_group_id()] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	int all = 0;
	for (uint s = 0; s < get_num_sub_groups(); s++)
		all += part[s];
	out[get_global_id(0)] = x - all / size;
}
