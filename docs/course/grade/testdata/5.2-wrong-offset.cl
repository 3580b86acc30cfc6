kernel void filters(global const int *kind, global const uint *in, global uint *out, int rounds)
{
	size_t i = get_global_id(0);
	uint x = in[i], factor = (4u << kind[i]) + 1;
	for (int n = 0; n < rounds; n++)
		x = x * factor + 1;
	out[i] = x;
}
