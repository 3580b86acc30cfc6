// Rounds up, but the middle element is added to and read.
kernel void total(global const int *in, global int *sums, local int *part)
{
	int place = get_local_id(0);
	part[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int m = get_local_size(0); m > 1; m = (m + 1) / 2) {
		if (place < (m + 1) / 2 && place + m / 2 < m)
			part[place] += part[place + m / 2];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (place == 0)
		sums[get_group_id(0)] = part[0];
}
