kernel void running(global const int *in, global int *out, local int *part)
{
	int place = get_local_id(0), size = get_local_size(0);
	int best = in[get_global_id(0)];
	for (int s = 1; s < size; s *= 2) {
		part[place] = best;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (place >= s)
			best = max(best, part[place - s]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = best;
}
