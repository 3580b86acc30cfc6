// Integer arithmetic and functions of one width, on edge values and random
// ones; divisors are never zero and no quotient overflows. One kernel a type,
// 28 results a work-item, each extended to 64 bits.

#define COMMON(T, U, BITS)                                              \
	r[n++] = (long)(T)((U)a + (U)b);                                \
	r[n++] = (long)(T)((U)a - (U)b);                                \
	r[n++] = (long)(T)((ulong)a * (ulong)b);                        \
	r[n++] = (long)(T)(a & b);                                      \
	r[n++] = (long)(T)(a | b);                                      \
	r[n++] = (long)(T)(a ^ b);                                      \
	r[n++] = (long)(T)~a;                                           \
	r[n++] = (long)(T)((U)a << s);                                  \
	r[n++] = (long)(T)(a >> s);                                     \
	r[n++] = (long)rotate(a, b);                                    \
	r[n++] = (long)clz(a);                                          \
	r[n++] = (long)popcount(a);                                     \
	r[n++] = (long)abs(a);                                          \
	r[n++] = (long)abs_diff(a, b);                                  \
	r[n++] = (long)add_sat(a, b);                                   \
	r[n++] = (long)sub_sat(a, b);                                   \
	r[n++] = (long)hadd(a, b);                                      \
	r[n++] = (long)rhadd(a, b);                                     \
	r[n++] = (long)mul_hi(a, b);                                    \
	r[n++] = (long)mad_hi(a, b, c);                                 \
	r[n++] = (long)mad_sat(a, b, c);                                \
	r[n++] = (long)max(a, b);                                       \
	r[n++] = (long)min(a, b);                                       \
	r[n++] = (long)clamp(c, min(a, b), max(a, b));                  \
	r[n++] = (long)((a < b) + (a <= b) * 2 + (a == b) * 4 + (a > b) * 8)

#define KERNEL(NAME, T, U, BITS, DIVISOR)                               \
kernel void NAME(global const T *x, global const T *y, global const T *z, global long *out) \
{                                                                       \
	size_t i = get_global_id(0);                                    \
	T a = x[i], b = y[i], c = z[i];                                 \
	uint s = (uint)b & (BITS - 1);                                  \
	long r[28];                                                     \
	int n = 0;                                                      \
	COMMON(T, U, BITS);                                             \
	T d = DIVISOR;                                                  \
	r[n++] = (long)(T)(a / d);                                      \
	r[n++] = (long)(T)(a % d);                                      \
	r[n++] = (long)(T)-(U)a;                                        \
	for (int k = 0; k < 28; k++)                                    \
		out[i * 28 + k] = r[k];                                 \
}

KERNEL(int_u8, uchar, uchar, 8, b == 0 ? (uchar)7 : b)
KERNEL(int_u16, ushort, ushort, 16, b == 0 ? (ushort)7 : b)
KERNEL(int_u32, uint, uint, 32, b == 0 ? 7u : b)
KERNEL(int_u64, ulong, ulong, 64, b == 0 ? 7ul : b)
KERNEL(int_i8, char, uchar, 8, b == 0 ? (char)7 : b == -1 && a == CHAR_MIN ? (char)3 : b)
KERNEL(int_i16, short, ushort, 16, b == 0 ? (short)7 : b == -1 && a == SHRT_MIN ? (short)3 : b)
KERNEL(int_i32, int, uint, 32, b == 0 ? 7 : b == -1 && a == INT_MIN ? 3 : b)
KERNEL(int_i64, long, ulong, 64, b == 0 ? 7l : b == -1 && a == LONG_MIN ? 3l : b)

// Functions of 24-bit factors, in range, and the joining of halves.
kernel void int_mixed(global const int *x, global const int *y, global const int *z, global long *out)
{
	size_t i = get_global_id(0);
	int a = x[i], b = y[i], c = z[i];
	int a24 = a >> 20, b24 = b >> 20;
	uint ua24 = (uint)a >> 20, ub24 = (uint)b >> 20;
	long r[10];
	r[0] = mul24(a24, b24);
	r[1] = mul24(ua24, ub24);
	r[2] = mad24(a24, b24, c >> 2);
	r[3] = mad24(ua24, ub24, (uint)c >> 4);
	r[4] = upsample((char)a, (uchar)b);
	r[5] = upsample((uchar)a, (uchar)b);
	r[6] = upsample((short)a, (ushort)b);
	r[7] = upsample((ushort)a, (ushort)b);
	r[8] = upsample(a, (uint)b);
	r[9] = (long)upsample((uint)a, (uint)b);
	for (int k = 0; k < 10; k++)
		out[i * 10 + k] = r[k];
}
