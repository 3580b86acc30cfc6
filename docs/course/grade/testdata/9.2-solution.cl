kernel void crowd(global const int *in, global int *sum, local int *part)
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
		atomic_add(sum, part[0]);
}
