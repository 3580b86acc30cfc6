// Vectors of 2, 3, 4, 8 and 16: swizzles on both sides, loads and stores of
// every width, arithmetic, comparisons and conversions.
// addressing: 32

kernel void swizzles(global const uint16 *in, global uint16 *out)
{
	size_t i = get_global_id(0);
	uint16 v = in[i];
	uint16 r;
	r.lo = v.hi;
	r.hi = v.s02468ace;
	r.even = r.odd ^ v.sfedcba98;
	r.s37 = v.s01 + (uint2)(1, 2);
	uint3 t = v.s9a3;
	t.zx = t.xy;
	r.s456 += t;
	uint4 q = r.s0123;
	q = q.wzyx;
	q.xw -= q.yz;
	r.s89ab = q.xxyy;
	r.sf = t.y;
	out[i] = r;
}

// Vectors of three take the space of four when they are elements, and three
// elements when they are loaded and stored by the functions for that.
kernel void vload_store(global const ushort *in, global ushort *out, local ushort *l)
{
	size_t i = get_global_id(0);
	uint lid = get_local_id(0);
	global const ushort *src = in + i * 40;
	global ushort *dst = out + i * 40;
	ushort2 a = vload2(1, src);
	ushort3 b = vload3(1, src + 1);
	ushort4 c = vload4(2, src);
	ushort8 d = vload8(1, src + 4);
	ushort16 e = vload16(1, src + 7);
	vstore2(a.yx, 0, dst);
	vstore3(b.zyx, 1, dst);
	vstore4(c - (ushort4)(1, 2, 3, 4), 1, dst + 2);
	vstore8(d * (ushort)3, 1, dst + 2);
	vstore16(e, 1, dst + 2);
	local ushort *mine = l + lid * 8;
	vstore3(b, 0, mine);
	vstore4(c, 0, mine + 3);
	ushort p[16];
	vstore16(e ^ (ushort16)(0x55), 0, p);
	ushort4 f = vload4(0, mine + 1);
	ushort3 g = vload3(2, p + 1);
	vstore4(f, 0, dst + 34);
	vstore2(g.zx, 0, dst + 38);
}

kernel void vector_ops(global const uint4 *in, global uint4 *out)
{
	size_t i = get_global_id(0);
	uint4 a = in[2 * i], b = in[2 * i + 1];
	int4 less = a < b;
	uint4 m = select(a, b, less);
	uint8 w = (uint8)(a, b);
	w = w << 3 | w >> 29;
	w += (uint8)(w.lo * 5u, w.hi % 7u);
	uchar4 narrow = convert_uchar4(m & 0xffu);
	ushort4 half_way = upsample(narrow, (uchar4)(1, 2, 3, 4));
	uint any_all = (uint)any(less) * 2 + (uint)all(less) + (uint)any(a == b) * 4;
	long4 wide = convert_long4(as_int4(a)) * convert_long4(as_int4(b));
	out[4 * i] = m;
	out[4 * i + 1] = w.lo ^ w.hi;
	out[4 * i + 2] = convert_uint4(half_way) + any_all;
	out[4 * i + 3] = convert_uint4(as_ulong4(wide) >> 32) ^ (uint4)(-less.x, ~less.y, !less.z, less.w & 1);
}

// shuffle and shuffle2 with masks that are data.
kernel void shuffles(global const uint4 *in, global const uint *mask, global uint4 *out)
{
	size_t i = get_global_id(0);
	uint m = mask[i];
	uint4 a = in[2 * i], b = in[2 * i + 1];
	uint4 pick = (uint4)(m, m >> 4, m >> 8, m >> 12);
	out[3 * i] = shuffle(a, pick);
	out[3 * i + 1] = shuffle2(a, b, pick);
	uint8 both = (uint8)(b, a);
	uint2 small = shuffle(both, (uint2)(m >> 16, m >> 20));
	uint8 large = shuffle2(a.xy, b.zw, (uint8)(pick, pick >> 2));
	out[3 * i + 2] = (uint4)(small, large.s6, large.s1) + large.lo;
}

// Halves as storage: loads of one and of vectors, stores in every rounding.
kernel void halves(global const half *in, global const float *f, global half *out, global float *wide, uint n)
{
	size_t i = get_global_id(0);
	if (i < n) {
		wide[i] = vload_half(i, in);
		vstore_half(f[i], i, out);
		vstore_half_rte(f[i], n + i, out);
		vstore_half_rtz(f[i], 2 * n + i, out);
		vstore_half_rtp(f[i], 3 * n + i, out);
		vstore_half_rtn(f[i], 4 * n + i, out);
	}
	if (i < n / 4) {
		float4 v = vload_half4(i, in);
		vstore4(v * 0.5f, i, wide + n);
		vstore_half4_rtz(v + vload4(i, f), i, out + 5 * n);
	}
}

kernel void selects(global const int *in, global const long *big, global int *out, global long *out64)
{
	size_t i = get_global_id(0);
	int a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
	long x = big[2 * i], y = big[2 * i + 1];
	int4 r;
	r.x = select(a, b, c);
	r.y = bitselect(a, b, c);
	int2 v = select((int2)(a, b), (int2)(b, c), (int2)(c, a));
	r.z = v.x ^ (v.y * 3u);
	char4 n = select((char4)((char)a), (char4)((char)b), as_char4(c));
	r.w = as_int(n);
	vstore4(r, i, out);
	out64[2 * i] = select(x, y, (long)c << 32);
	long2 w = select((long2)(x, y), (long2)(y, x), (ulong2)((ulong)a << 32, (ulong)b << 40));
	out64[2 * i + 1] = (long)((ulong)w.x - (ulong)w.y);
}
