kernel void finish(global const int *in, global int *sums, global atomic_int *come, global int *total)
{
	int sum = work_group_reduce_add(in[get_global_id(0)]);
	if (get_local_id(0) == 0) {
		int groups = get_num_groups(0);
		sums[get_group_id(0)] = sum;
		int before = atomic_fetch_add(come, 1);
		if (before == groups - 1) {
			int all = 0;
			for (int g = 0; g < groups; g++)
				all += sums[g];
			*total = all;
		}
	}
}
