// Half of the work-items have much to do. Which half?
uint busy(uint x, int rounds)
{
	for (int k = 0; k < rounds; k++)
		x = x * 1664525 + 1013904223;
	return x;
}

kernel void mixed(global uint *out, int rounds)
{
	size_t i = get_global_id(0);
	if (i % 2 == 0)
		out[i] = busy(i, rounds);
	else
		out[i] = 0;
}

kernel void sorted(global uint *out, int rounds)
{
	size_t i = get_global_id(0), first = get_global_size(0) / 2;
	if (i < first)
		out[i] = busy(i, rounds);
	else
		out[i] = 0;
}
