// A 3x3 blur of pictures of four bytes a pixel, in vectors of floats, with the
// edge repeated; the result is rounded and saturated.
#pragma OPENCL FP_CONTRACT OFF

kernel void blur(global const uchar4 *in, global uchar4 *out, float gain)
{
	int x = get_global_id(0), y = get_global_id(1);
	int w = get_global_size(0), h = get_global_size(1);
	const float weight[3] = {0.25f, 0.5f, 0.25f};
	float4 sum = (float4)(0.0f);
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			int sx = clamp(x + dx, 0, w - 1);
			int sy = clamp(y + dy, 0, h - 1);
			sum += convert_float4(in[sy * w + sx]) * (weight[dx + 1] * weight[dy + 1]);
		}
	out[y * w + x] = convert_uchar4_sat_rte(sum * gain - 32.0f);
}
