kernel void total(global const int *in, global int *sums, local int *part)
{
	int place = get_local_id(0);
	part[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int m = get_local_size(0); m > 1; ) {
		int next = (m + 1) / 2;
		if (place + next < m)
			part[place] += part[place + next];
		barrier(CLK_LOCAL_MEM_FENCE);
		m = next;
	}
	if (place == 0)
		sums[get_group_id(0)] = part[0];
}
