// Conversions between all scalar types, in every rounding and with saturation,
// each result as the bits of its type extended with zeros to 64. Integers come
// from the low bits of the input, floats from 32 of its bits, doubles from all.
// addressing: 32
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define BITS_char(v) ((ulong)as_uchar(v))
#define BITS_uchar(v) ((ulong)(v))
#define BITS_short(v) ((ulong)as_ushort(v))
#define BITS_ushort(v) ((ulong)(v))
#define BITS_int(v) ((ulong)as_uint(v))
#define BITS_uint(v) ((ulong)(v))
#define BITS_long(v) as_ulong(v)
#define BITS_ulong(v) (v)
#define BITS_float(v) ((ulong)as_uint(v))
#define BITS_double(v) as_ulong(v)

#define PUT(D, F) out[at++] = BITS_##D(convert_##D##F(v))

// To an integer, from an integer: modular, and saturated in each spelling.
#define WRAP(D) PUT(D, ); PUT(D, _rte); PUT(D, _sat); PUT(D, _sat_rtz)
// To an integer, from a floating-point number: saturated, in each rounding.
#define ROUND(D) PUT(D, _sat); PUT(D, _sat_rte); PUT(D, _sat_rtz); PUT(D, _sat_rtp); PUT(D, _sat_rtn)
// To a floating-point number, in each rounding.
#define FLOAT(D) PUT(D, ); PUT(D, _rte); PUT(D, _rtz); PUT(D, _rtp); PUT(D, _rtn)

#define INTEGERS(M) M(char); M(uchar); M(short); M(ushort); M(int); M(uint); M(long); M(ulong)

#define FROM_INTEGER(S)                                            \
kernel void convert_from_##S(global const ulong *in, global ulong *out) \
{                                                                  \
	size_t i = get_global_id(0);                               \
	size_t at = i * 42;                                        \
	S v = (S)in[i];                                            \
	INTEGERS(WRAP);                                            \
	FLOAT(float);                                              \
	FLOAT(double);                                             \
}

FROM_INTEGER(char)
FROM_INTEGER(uchar)
FROM_INTEGER(short)
FROM_INTEGER(ushort)
FROM_INTEGER(int)
FROM_INTEGER(uint)
FROM_INTEGER(long)
FROM_INTEGER(ulong)

// NaN has no bits that every device must give: it is made one value.
kernel void convert_from_float(global const uint *in, global ulong *out)
{
	size_t i = get_global_id(0);
	size_t at = i * 50;
	float v = as_float(in[i]);
	INTEGERS(ROUND);
	if (isnan(v)) {
		while (at < i * 50 + 50)
			out[at++] = 0x7ff8;
		return;
	}
	FLOAT(float);
	FLOAT(double);
}

kernel void convert_from_double(global const ulong *in, global ulong *out)
{
	size_t i = get_global_id(0);
	size_t at = i * 50;
	double v = as_double(in[i]);
	INTEGERS(ROUND);
	if (isnan(v)) {
		while (at < i * 50 + 50)
			out[at++] = 0x7ff8;
		return;
	}
	FLOAT(float);
	FLOAT(double);
}

// Conversions without saturation of values that are in range, and of vectors.
kernel void convert_in_range(global const float *in, global int *out)
{
	size_t i = get_global_id(0);
	float f = in[i];
	float4 v = (float4)(f, -f, f * 0.5f, f * 0.25f);
	int4 r = convert_int4(v) + convert_int4_rtp(v) * 3 + convert_int4_rtn(v) * 5 + convert_int4_rte(v) * 7;
	short4 s = convert_short4_rtn(v);
	char4 c = convert_char4_sat_rtp(v);
	r ^= convert_int4(s) * 16 + convert_int4(c);
	r.x += (int)f + (int)(double)f + (uchar)(uint)fabs(f);
	vstore4(r, i, out);
}
