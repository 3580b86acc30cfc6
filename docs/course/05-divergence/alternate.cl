// Exercise 5.1: neighbours with the same work
//
// Elements with an even index go through many rounds of a generator of random numbers; for those
// with an odd index, the bits are inverted. The results are right, but every second lane waits.
// Any work-item may compute any element: give the elements to work-items so that at most 10 % of
// the lanes idle, and nothing is computed in vain.

uint mix(uint x, int rounds)
{
	for (int k = 0; k < rounds; k++)
		x = x * 1664525 + 1013904223;
	return x;
}

kernel void alternate(global const uint *in, global uint *out, int rounds)
{
	size_t i = get_global_id(0);
	if (i % 2 == 0)
		out[i] = mix(in[i], rounds);
	else
		out[i] = ~in[i];
}
