// AES-128 in counter mode, one block a work-item. The S-box is computed once a
// work-group in local memory; round keys are expanded in private memory.

static uchar times2(uchar a)
{
	return (uchar)(a << 1) ^ (a & 0x80 ? 0x1b : 0);
}

// The S-box by walking through the powers of 3 and their inverses.
static void make_sbox(local uchar *sbox)
{
	uchar p = 1, q = 1;
	do {
		p = p ^ times2(p);
		q ^= q << 1;
		q ^= q << 2;
		q ^= q << 4;
		if (q & 0x80)
			q ^= 0x09;
		uchar x = q ^ rotate(q, (uchar)1) ^ rotate(q, (uchar)2) ^ rotate(q, (uchar)3) ^ rotate(q, (uchar)4);
		sbox[p] = x ^ 0x63;
	} while (p != 1);
	sbox[0] = 0x63;
}

kernel void aes128_ctr(constant uchar *key, uchar16 nonce, global const uchar *in, global uchar *out)
{
	local uchar sbox[256];
	if (get_local_id(0) == 0)
		make_sbox(sbox);
	barrier(CLK_LOCAL_MEM_FENCE);

	uchar w[176];
	for (int i = 0; i < 16; i++)
		w[i] = key[i];
	uchar rcon = 1;
	for (int i = 16; i < 176; i += 4) {
		uchar4 t = vload4(0, w + i - 4);
		if (i % 16 == 0) {
			t = (uchar4)(sbox[t.y], sbox[t.z], sbox[t.w], sbox[t.x]);
			t.x ^= rcon;
			rcon = times2(rcon);
		}
		vstore4(t ^ vload4(0, w + i - 16), 0, w + i);
	}

	uint g = get_global_id(0);
	uchar s[16];
	vstore16(nonce, 0, s);
	uint carry = g;
	for (int i = 15; i >= 0; i--) {
		carry += s[i];
		s[i] = (uchar)carry;
		carry >>= 8;
	}
	for (int i = 0; i < 16; i++)
		s[i] ^= w[i];
	for (int round = 1; round <= 10; round++) {
		uchar t[16];
		for (int c = 0; c < 4; c++)
			for (int r = 0; r < 4; r++)
				t[4 * c + r] = sbox[s[4 * ((c + r) & 3) + r]];
		for (int c = 0; c < 4; c++) {
			uchar a0 = t[4 * c], a1 = t[4 * c + 1], a2 = t[4 * c + 2], a3 = t[4 * c + 3];
			if (round < 10) {
				uchar all = a0 ^ a1 ^ a2 ^ a3;
				t[4 * c] = a0 ^ all ^ times2(a0 ^ a1);
				t[4 * c + 1] = a1 ^ all ^ times2(a1 ^ a2);
				t[4 * c + 2] = a2 ^ all ^ times2(a2 ^ a3);
				t[4 * c + 3] = a3 ^ all ^ times2(a3 ^ a0);
			}
		}
		for (int i = 0; i < 16; i++)
			s[i] = t[i] ^ w[16 * round + i];
	}
	for (int i = 0; i < 16; i++)
		out[16 * g + i] = in[16 * g + i] ^ s[i];
}
