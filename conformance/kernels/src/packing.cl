// Compression: one block of bytes a work-item.

#define BLOCK 128

// Tokens with a low bit copy from what is there already; others are letters.
kernel void lz_decode(global const uchar *in, global uchar *out, int length)
{
	size_t id = get_global_id(0);
	global const uchar *src = in + id * length, *end = src + length;
	global uchar *dst = out + id * BLOCK;
	int n = 0;
	while (src + 1 < end && n < BLOCK) {
		uchar token = *src++;
		int distance = 0, count = 1;
		if ((token & 3) == 1) {
			distance = (token >> 5) + 1;
			count = (token >> 2 & 7) + 2;
		} else if ((token & 3) == 3) {
			distance = *src++ + 1;
			count = (token >> 2) + 3;
		}
		if (distance == 0 || distance > n) {
			dst[n++] = token;
			continue;
		}
		for (global uchar *from = dst + n - distance; count-- > 0 && n < BLOCK; n++)
			dst[n] = *from++;
	}
	while (n < BLOCK)
		dst[n++] = 0;
}

// Runs of equal bytes become a count and a byte.
kernel void rle_encode(global const uchar *in, global uchar *out, global int *size)
{
	int id = get_global_id(0);
	global const uchar *p = in + 64 * id, *end = p + 64;
	global uchar *q = out + 128 * id;
	while (p < end) {
		uchar c = *p++;
		int run = 1;
		while (p < end && *p == c && run < 15) {
			p++;
			run++;
		}
		*q++ = run;
		*q++ = c;
	}
	size[id] = q - (out + 128 * id);
}
