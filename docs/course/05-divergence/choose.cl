// Two ways to do one of two similar things.
kernel void ways(global const int *in, global int *out, int rounds)
{
	size_t i = get_global_id(0);
	int x = in[i];
	if (x % 2 == 0) {
		for (int k = 0; k < rounds; k++)
			x = 3 * x + 1;
	} else {
		for (int k = 0; k < rounds; k++)
			x = 5 * x - 2;
	}
	out[i] = x;
}

kernel void values(global const int *in, global int *out, int rounds)
{
	size_t i = get_global_id(0);
	int x = in[i];
	int factor = x % 2 == 0 ? 3 : 5, offset = x % 2 == 0 ? 1 : -2;
	for (int k = 0; k < rounds; k++)
		x = factor * x + offset;
	out[i] = x;
}
