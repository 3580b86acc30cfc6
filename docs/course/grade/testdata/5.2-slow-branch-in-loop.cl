kernel void filters(global const int *kind, global const uint *in, global uint *out, int rounds)
{
	size_t i = get_global_id(0);
	uint x = in[i];
	for (int n = 0; n < rounds; n++) {
		if (kind[i] == 0)
			x = x * 5 + 1;
		else if (kind[i] == 1)
			x = x * 9 + 7;
		else if (kind[i] == 2)
			x = x * 17 + 3;
		else
			x = x * 33 + 11;
	}
	out[i] = x;
}
