uint mix(uint x, int rounds)
{
	for (int k = 0; k < rounds; k++)
		x = x * 1664525 + 1013904223;
	return x;
}

kernel void alternate(global const uint *in, global uint *out, int rounds)
{
	size_t i = get_global_id(0), evens = (get_global_size(0) + 1) / 2;
	if (i < evens)
		out[2 * i] = mix(in[2 * i], rounds);
	else
		out[2 * (i - evens) + 1] = ~in[2 * (i - evens) + 1];
}
