kernel void total(global const int *in, global int *sums, local int *part)
{
	int sum = work_group_reduce_add(in[get_global_id(0)]);
	if (get_local_id(0) == 0)
		sums[get_group_id(0)] = sum;
}
