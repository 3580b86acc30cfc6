// Adds at every place, also where others read.
kernel void pairs(global const int *in, global int *sums)
{
	local int part[256];
	int place = get_local_id(0);
	part[place] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = 1; s < 256; s *= 2) {
		if (place + s < 256)
			part[place] += part[place + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (place == 0)
		sums[get_group_id(0)] = part[0];
}
