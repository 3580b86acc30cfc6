// Each work-group adds up its elements in halves. The size of a group is a power of two.
kernel void tree(global const int *in, global int *sums, local int *part)
{
	int place = get_local_id(0);
	part[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
		if (place < s)
			part[place] += part[place + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (place == 0)
		sums[get_group_id(0)] = part[0];
}
