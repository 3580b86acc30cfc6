// Relational functions of floats and doubles, scalar (which give 1) and vector
// (which give all ones), on special values and random ones.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void relational(global const float *a, global const float *b, global int *out)
{
	size_t i = get_global_id(0);
	float x = a[i], y = b[i];
	int r = isequal(x, y);
	r = r * 2 + isnotequal(x, y);
	r = r * 2 + isgreater(x, y);
	r = r * 2 + isgreaterequal(x, y);
	r = r * 2 + isless(x, y);
	r = r * 2 + islessequal(x, y);
	r = r * 2 + islessgreater(x, y);
	r = r * 2 + isfinite(x);
	r = r * 2 + isinf(x);
	r = r * 2 + isnan(x);
	r = r * 2 + isnormal(x);
	r = r * 2 + isordered(x, y);
	r = r * 2 + isunordered(x, y);
	r = r * 2 + (signbit(x) != 0);
	r = r * 2 + (x == y) + (x != y) * 4 + (x < y) * 16;
	r = r * 2 + !(x >= y);
	float2 v = (float2)(x, y), w = (float2)(y, y);
	int2 m = isless(v, w) + isnan(v) * 2 + (v >= w) * 4 + signbit(v) * 8 + isinf(w) * 16;
	out[4 * i] = r;
	out[4 * i + 1] = m.x;
	out[4 * i + 2] = m.y;
	out[4 * i + 3] = as_int(select(x, y, (int)isgreater(x, y)) ) ^ as_int(bitselect(x, y, 1.5f));
}

kernel void relational64(global const double *a, global const double *b, global long *out)
{
	size_t i = get_global_id(0);
	double x = a[i], y = b[i];
	int r = isequal(x, y);
	r = r * 2 + isnotequal(x, y);
	r = r * 2 + isgreater(x, y);
	r = r * 2 + isgreaterequal(x, y);
	r = r * 2 + isless(x, y);
	r = r * 2 + islessequal(x, y);
	r = r * 2 + islessgreater(x, y);
	r = r * 2 + isfinite(x);
	r = r * 2 + isinf(x);
	r = r * 2 + isnan(x);
	r = r * 2 + isnormal(x);
	r = r * 2 + isordered(x, y);
	r = r * 2 + isunordered(x, y);
	r = r * 2 + (signbit(x) != 0);
	r = r * 2 + (x == y) + (x != y) * 4 + (x < y) * 16;
	r = r * 2 + !(x >= y);
	double2 v = (double2)(x, y), w = (double2)(y, y);
	long2 m = isless(v, w) + isnan(v) * 2 + (v >= w) * 4 + signbit(v) * 8 + isinf(w) * 16;
	out[4 * i] = r;
	out[4 * i + 1] = m.x;
	out[4 * i + 2] = m.y;
	out[4 * i + 3] = as_long(select(x, y, (long)isgreater(x, y))) ^ as_long(bitselect(x, y, 1.5));
}
