kernel void peaks(global const int *in, int count, global int *largest, local int *part)
{
	int place = get_local_id(0), size = get_local_size(0);
	global const int *mine = in + get_group_id(0) * count;
	int best = mine[place];
	for (int k = place + size; k < count; k += size)
		best = max(best, mine[k]);
	part[place] = best;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = size / 2; s > 0; s /= 2) {
		if (place < s)
			part[place] = max(part[place], part[place + s]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (place == 0)
		largest[get_group_id(0)] = part[0];
}
