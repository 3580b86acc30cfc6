// A complex FFT of a power-of-two length, one transform a work-group, radix 2
// with bit-reversed input, in local memory; factors by cos and sin.
#pragma OPENCL FP_CONTRACT OFF

kernel void fft(global const float2 *in, global float2 *out, uint bits, local float2 *x)
{
	uint n = 1u << bits;
	uint l = get_local_id(0);
	uint base = get_group_id(0) * n;
	for (uint i = l; i < n; i += n / 2) {
		uint r = 0;
		for (uint b = 0; b < bits; b++)
			r |= ((i >> b) & 1) << (bits - 1 - b);
		x[r] = in[base + i];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint half_size = 1; half_size < n; half_size <<= 1) {
		uint k = l & (half_size - 1);
		uint i = 2 * l - k;
		float angle = -3.14159274f * (float)k / (float)half_size;
		float c = cos(angle), s = sin(angle);
		float2 a = x[i];
		float2 b = x[i + half_size];
		float2 t = (float2)(c * b.x - s * b.y, c * b.y + s * b.x);
		x[i] = a + t;
		x[i + half_size] = a - t;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint i = l; i < n; i += n / 2)
		out[base + i] = x[i];
}
