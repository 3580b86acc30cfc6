kernel void filters(global const int *kind, global const uint *in, global uint *out, int rounds)
{
	size_t i = get_global_id(0);
	uint x = in[i];
	int k = kind[i];
	uint factor = k == 0 ? 5 : k == 1 ? 9 : k == 2 ? 17 : 33;
	uint offset = k == 0 ? 1 : k == 1 ? 7 : k == 2 ? 3 : 11;
	for (int n = 0; n < rounds; n++)
		x = x * factor + offset;
	out[i] = x;
}
