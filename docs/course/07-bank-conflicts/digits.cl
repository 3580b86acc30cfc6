// Exercise 7.2: counters for each lane
//
// Each work-item looks at count numbers from 0 to 15 and writes the one that is most frequent, the
// least of them if there are several. Its 16 counters are in local memory, where the group has room
// for 16 of them for each work-item. Which counter a lane needs depends on the data. Still, there
// is a place for the counters that has hardly any bank conflicts (8 are allowed), whatever the data.

kernel void digits(global const int *in, int count, global int *out, local int *counters)
{
	int place = get_local_id(0);
	size_t i = get_global_id(0), n = get_global_size(0);
	for (int d = 0; d < 16; d++)
		counters[16 * place + d] = 0;
	for (int k = 0; k < count; k++)
		counters[16 * place + in[k * n + i]]++;
	int best = 0;
	for (int d = 1; d < 16; d++)
		if (counters[16 * place + d] > counters[16 * place + best])
			best = d;
	out[i] = best;
}
