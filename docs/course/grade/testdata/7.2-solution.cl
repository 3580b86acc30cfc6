kernel void digits(global const int *in, int count, global int *out, local int *counters)
{
	int place = get_local_id(0), size = get_local_size(0);
	size_t i = get_global_id(0), n = get_global_size(0);
	for (int d = 0; d < 16; d++)
		counters[d * size + place] = 0;
	for (int k = 0; k < count; k++)
		counters[in[k * n + i] * size + place]++;
	int best = 0;
	for (int d = 1; d < 16; d++)
		if (counters[d * size + place] > counters[best * size + place])
			best = d;
	out[i] = best;
}
