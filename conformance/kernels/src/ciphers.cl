// Cryptography on words of 32 and 64 bits.

#define QUARTER(a, b, c, d) \
	a += b; d = rotate(d ^ a, 16u); c += d; b = rotate(b ^ c, 12u); \
	a += b; d = rotate(d ^ a, 8u); c += d; b = rotate(b ^ c, 7u);

// One block of 64 bytes a work-item.
kernel void chacha20(constant uint *key, uint4 nonce, global const uint4 *in, global uint4 *out)
{
	uint id = get_global_id(0);
	uint s[16], x[16];
	s[0] = 0x61707865;
	s[1] = 0x3320646e;
	s[2] = 0x79622d32;
	s[3] = 0x6b206574;
	for (int i = 0; i < 8; i++)
		s[4 + i] = key[i];
	s[12] = nonce.x + id;
	s[13] = nonce.y;
	s[14] = nonce.z;
	s[15] = nonce.w;
	for (int i = 0; i < 16; i++)
		x[i] = s[i];
	for (int round = 0; round < 10; round++) {
		QUARTER(x[0], x[4], x[8], x[12])
		QUARTER(x[1], x[5], x[9], x[13])
		QUARTER(x[2], x[6], x[10], x[14])
		QUARTER(x[3], x[7], x[11], x[15])
		QUARTER(x[0], x[5], x[10], x[15])
		QUARTER(x[1], x[6], x[11], x[12])
		QUARTER(x[2], x[7], x[8], x[13])
		QUARTER(x[3], x[4], x[9], x[14])
	}
	for (int i = 0; i < 4; i++) {
		uint4 k = (uint4)(x[4 * i] + s[4 * i], x[4 * i + 1] + s[4 * i + 1], x[4 * i + 2] + s[4 * i + 2], x[4 * i + 3] + s[4 * i + 3]);
		out[4 * id + i] = in[4 * id + i] ^ k;
	}
}

#define ROUND \
	v0 += v1; v1 = rotate(v1, 13ul) ^ v0; v0 = rotate(v0, 32ul); v2 += v3; v3 = rotate(v3, 16ul) ^ v2; \
	v0 += v3; v3 = rotate(v3, 21ul) ^ v0; v2 += v1; v1 = rotate(v1, 17ul) ^ v2; v2 = rotate(v2, 32ul);

// SipHash-2-4 of strings of different lengths.
kernel void siphash(global const uchar *text, global const uint *start, ulong k0, ulong k1, global ulong *hash)
{
	size_t id = get_global_id(0);
	global const uchar *p = text + start[id];
	uint length = start[id + 1] - start[id];
	ulong v0 = k0 ^ 0x736f6d6570736575ul, v1 = k1 ^ 0x646f72616e646f6dul;
	ulong v2 = k0 ^ 0x6c7967656e657261ul, v3 = k1 ^ 0x7465646279746573ul;
	uint left = length;
	for (; left >= 8; left -= 8, p += 8) {
		ulong m = 0;
		for (int i = 0; i < 8; i++)
			m |= (ulong)p[i] << 8 * i;
		v3 ^= m;
		ROUND ROUND
		v0 ^= m;
	}
	ulong last = (ulong)length << 56;
	switch (left) {
	case 7: last |= (ulong)p[6] << 48;
	case 6: last |= (ulong)p[5] << 40;
	case 5: last |= (ulong)p[4] << 32;
	case 4: last |= (ulong)p[3] << 24;
	case 3: last |= (ulong)p[2] << 16;
	case 2: last |= (ulong)p[1] << 8;
	case 1: last |= (ulong)p[0];
	}
	v3 ^= last;
	ROUND ROUND
	v0 ^= last;
	v2 ^= 0xff;
	ROUND ROUND ROUND ROUND
	hash[id] = v0 ^ v1 ^ v2 ^ v3;
}

#define LIMBS 8

// Products of Montgomery of 256 bits, each number times itself so many times. The modulus is odd and below 2^254.
kernel void montgomery(global const uint *in, constant uint *modulus, uint inverse, global uint *out, int times)
{
	int id = get_global_id(0);
	uint x[LIMBS];
	for (int i = 0; i < LIMBS; i++)
		x[i] = in[LIMBS * id + i];
	while (times-- > 0) {
		uint t[LIMBS + 2];
		for (int i = 0; i < LIMBS + 2; i++)
			t[i] = 0;
		for (int i = 0; i < LIMBS; i++) {
			ulong carry = 0;
			for (int j = 0; j < LIMBS; j++) {
				carry += (ulong)x[j] * x[i] + t[j];
				t[j] = (uint)carry;
				carry >>= 32;
			}
			carry += t[LIMBS];
			t[LIMBS] = (uint)carry;
			t[LIMBS + 1] = carry >> 32;
			uint m = t[0] * inverse;
			carry = (ulong)m * modulus[0] + t[0] >> 32;
			for (int j = 1; j < LIMBS; j++) {
				carry += (ulong)m * modulus[j] + t[j];
				t[j - 1] = (uint)carry;
				carry >>= 32;
			}
			carry += t[LIMBS];
			t[LIMBS - 1] = (uint)carry;
			t[LIMBS] = t[LIMBS + 1] + (uint)(carry >> 32);
		}
		for (int i = 0; i < LIMBS; i++)
			x[i] = t[i];
	}
	for (int i = 0; i < LIMBS; i++)
		out[LIMBS * id + i] = x[i];
}
