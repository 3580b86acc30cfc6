// Temporal divergence: values that are the same for all lanes inside a loop and
// differ outside it, because lanes leave at different trips; nested divergent
// loops and conditionals that write uniform values under masks.

kernel void divergence(global const uint *in, global uint *out, uint limit)
{
	size_t i = get_global_id(0);
	uint v = in[i];
	uint n = 0, k;
	// k is the same for all lanes that are in the loop.
	for (k = 0; k < limit; k++) {
		if ((v >> (k & 31)) % 5 == 3)
			break;
		n += k;
	}
	uint left = k;
	uint m = 0;
	for (uint a = 0; a <= left; a++) {
		uint b = 0;
		do {
			if ((a + b) % 3 == v % 3) {
				m += 7;
				if (b == 5)
					goto out_of_both;
				continue;
			}
			m ^= a * b;
		} while (++b < (v & 7));
		if (m % 13 == 1)
			break;
	}
out_of_both:;
	uint last = 0;
	if (v & 1)
		last = 1;
	else
		last = 2;
	if (v & 2) {
		for (uint t = 0; t < 3; t++)
			last = last * 10 + t;
	}
	out[i] = left * 1000003u + n * 101u + m * 7u + last;
}
