kernel void digits(global const int *in, int count, global int *out, local int *counters)
{
	int place = get_local_id(0), size = get_local_size(0);
	size_t i = get_global_id(0), n = get_global_size(0);
	for (int d = 0; d < 16; d++)
		counters[d * size + place] = 0;
	for (int k = 0; k < count; k++)
		counters[16 * place + in[k * n + i]]++;
	int best = 0;
	for (int d = 1; d < 16; d++)
		if (counters[d * size + place] > counters[16 * place + best])
			best = d;
	out[i] = best;
}
