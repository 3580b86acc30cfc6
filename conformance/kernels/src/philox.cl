// Philox4x32-10: counter-based random numbers, four a work-item and round.
// addressing: 32

kernel void philox(global uint4 *out, uint2 key, uint rounds_each)
{
	uint g = get_global_id(0);
	for (uint n = 0; n < rounds_each; n++) {
		uint4 c = (uint4)(g, n, 0x243f6a88, 0x85a308d3);
		uint2 k = key;
		for (int r = 0; r < 10; r++) {
			uint hi0 = mul_hi(0xd2511f53u, c.x), lo0 = 0xd2511f53u * c.x;
			uint hi1 = mul_hi(0xcd9e8d57u, c.z), lo1 = 0xcd9e8d57u * c.z;
			c = (uint4)(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
			k += (uint2)(0x9e3779b9u, 0xbb67ae85u);
		}
		out[g * rounds_each + n] = c;
	}
}
