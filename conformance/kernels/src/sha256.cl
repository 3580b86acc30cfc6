// SHA-256 of one message a work-item, all of one length; padding in the kernel.

constant uint K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static void block(uint *h, const uchar *b)
{
	uint w[64];
	for (int i = 0; i < 16; i++)
		w[i] = (uint)b[4 * i] << 24 | (uint)b[4 * i + 1] << 16 | (uint)b[4 * i + 2] << 8 | b[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint s0 = rotate(w[i - 15], 25u) ^ rotate(w[i - 15], 14u) ^ (w[i - 15] >> 3);
		uint s1 = rotate(w[i - 2], 15u) ^ rotate(w[i - 2], 13u) ^ (w[i - 2] >> 10);
		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}
	uint v[8];
	for (int i = 0; i < 8; i++)
		v[i] = h[i];
	for (int i = 0; i < 64; i++) {
		uint s1 = rotate(v[4], 26u) ^ rotate(v[4], 21u) ^ rotate(v[4], 7u);
		uint t1 = v[7] + s1 + bitselect(v[6], v[5], v[4]) + K[i] + w[i];
		uint s0 = rotate(v[0], 30u) ^ rotate(v[0], 19u) ^ rotate(v[0], 10u);
		uint t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		for (int j = 7; j > 0; j--)
			v[j] = v[j - 1];
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

kernel void sha256(global const uchar *messages, uint length, global uchar *digests)
{
	size_t g = get_global_id(0);
	global const uchar *m = messages + g * length;
	uint h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	uchar b[64];
	uint blocks = (length + 8) / 64 + 1;
	for (uint k = 0; k < blocks; k++) {
		for (uint i = 0; i < 64; i++) {
			uint at = k * 64 + i;
			uchar c = 0;
			if (at < length)
				c = m[at];
			else if (at == length)
				c = 0x80;
			else if (k == blocks - 1 && i >= 56)
				c = (uchar)(((ulong)length * 8) >> (8 * (63 - i)));
			b[i] = c;
		}
		block(h, b);
	}
	for (uint i = 0; i < 32; i++)
		digests[g * 32 + i] = (uchar)(h[i / 4] >> (24 - 8 * (i % 4)));
}
