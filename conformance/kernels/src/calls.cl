// Deep chains of calls, many arguments, results through pointers, and calls in
// divergent control flow.
// lines: yes
// addressing: 32

static __attribute__((noinline)) int level0(int a, int b) { return a * 3 - b; }
static __attribute__((noinline)) int level1(int a, int b) { return level0(a + 1, b) ^ level0(b, a); }
static __attribute__((noinline)) int level2(int a, int b) { return a & 1 ? level1(a, b) : level0(b, a) + 7; }
static __attribute__((noinline)) int level3(int a, int b)
{
	int s = 0;
	for (int i = 0; i < (b & 3) + 1; i++)
		s += level2((a + i) & 0xff, b);
	return s & 0xfff;
}
static __attribute__((noinline)) int level4(int a, int b) { return level3(a, b) + level3(b & 0xff, a & 7); }
static __attribute__((noinline)) int level5(int a, int b) { return (level4(a, b) & 0xff) * 2 + 1; }
static __attribute__((noinline)) int level6(int a, int b) { return level5(level5(a, b), a & 15); }
static __attribute__((noinline)) int level7(int a, int b)
{
	if (a > 128)
		return -level6(a - 128, b);
	return level6(a, b);
}

static __attribute__((noinline)) void divide(int a, int b, int *quotient, int *remainder)
{
	*quotient = a / b;
	*remainder = a % b;
}

static __attribute__((noinline)) long many(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h,
                                           float i, int4 j, bool k)
{
	return a + b * 2L + c * 3L + d * 4L + e * 5L + f * 6L + g * 7L + (long)(h * 8) + (long)i + j.x - j.w + k;
}

kernel void calls(global const int *in, global int *out, global long *wide)
{
	size_t i = get_global_id(0);
	int v = in[i];
	int q, r;
	divide(v, (int)(i % 7) + 1, &q, &r);
	int s = level7(v & 0xff, r);
	if (s & 2) {
		int q2, r2;
		divide(s, q == 0 ? 1 : q, &q2, &r2);
		s = q2 * 10 + r2;
	}
	out[i] = s;
	wide[i] = many((char)v, (uchar)v, (short)v, (ushort)v, v, (uint)v, v, (ulong)(uint)v, (float)(v & 0xffff),
	               (int4)(v, r, q, v >> 1), v > 0);
}
