// Single precision functions of OpenCL.std, of positive and of any arguments.
#pragma OPENCL FP_CONTRACT OFF

kernel void math_any(global const float *in, global float *out)
{
	size_t i = get_global_id(0);
	float x = in[i];
	global float *r = out + i * 13;
	r[0] = sin(x);
	r[1] = cos(x);
	r[2] = tan(x);
	r[3] = atan(x);
	r[4] = sinh(x * 0.125f);
	r[5] = cosh(x * 0.125f);
	r[6] = tanh(x);
	r[7] = exp(x);
	r[8] = exp2(x);
	r[9] = expm1(x * 0.125f);
	r[10] = cbrt(x);
	float c;
	r[11] = sincos(x * 3.0f, &c);
	r[12] = c;
}

kernel void math_positive(global const float *in, global const float *other, global float *out)
{
	size_t i = get_global_id(0);
	float x = in[i], y = other[i];
	global float *r = out + i * 11;
	r[0] = log(x);
	r[1] = log2(x);
	r[2] = log10(x);
	r[3] = log1p(x);
	r[4] = sqrt(x);
	r[5] = rsqrt(x);
	r[6] = pow(x, y);
	r[7] = powr(x, y);
	r[8] = hypot(x, y);
	r[9] = atan2(y, x);
	r[10] = atan2(x, -y);
}

kernel void math_unit(global const float *in, global float *out)
{
	size_t i = get_global_id(0);
	float x = in[i];
	out[2 * i] = asin(x);
	out[2 * i + 1] = acos(x);
}

// Functions whose results every device computes exactly.
kernel void math_exact(global const float *in, global const float *other, global float *out, global int *whole)
{
	size_t i = get_global_id(0);
	float x = in[i], y = other[i];
	global float *r = out + i * 24;
	r[0] = floor(x);
	r[1] = ceil(x);
	r[2] = trunc(x);
	r[3] = rint(x);
	r[4] = round(x);
	r[5] = fabs(x);
	r[6] = fmin(x, y);
	r[7] = fmax(x, y);
	r[8] = copysign(x, y);
	r[9] = fdim(x, y);
	r[10] = fmod(x, y);
	r[11] = remainder(x, y);
	r[12] = nextafter(x, y);
	r[13] = fma(x, y, x);
	int e;
	r[14] = frexp(x, &e);
	whole[3 * i] = e;
	r[15] = ldexp(x, e & 15);
	float w;
	r[16] = modf(x, &w);
	r[17] = w;
	whole[3 * i + 1] = ilogb(x);
	r[18] = logb(x);
	int q;
	r[19] = remquo(x, y, &q);
	whole[3 * i + 2] = q & 7;
	r[20] = maxmag(x, y);
	r[21] = minmag(x, y);
	r[22] = fract(x, &w);
	r[23] = clamp(x, -1.0f, 1.0f) + step(y, x) + sign(x);
}
