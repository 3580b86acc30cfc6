// An integer hash of nine operations, applied ROUNDS times to each element.
// addressing: 32

kernel void inthash(global const uint *in, global uint *out, uint rounds)
{
	size_t i = get_global_id(0);
	uint x = in[i];
	for (uint r = 0; r < rounds; r++) {
		x ^= x >> 16;
		x *= 0x7feb352du;
		x ^= x >> 15;
		x *= 0x846ca68bu;
		x ^= x >> 16;
		x += r;
	}
	out[i] = x;
}
