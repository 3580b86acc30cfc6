// Pictures and video: filters on bytes, words and floats, colour conversion, scaling and the
// search for motion.
#pragma OPENCL FP_CONTRACT OFF

kernel void sobel(global const uchar *in, global uchar *out, int w, int h)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
		return;
	global const uchar *p = in + y * w + x;
	int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
	int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
	uint g = abs(gx) + abs(gy);
	out[y * w + x] = g > 255 ? 255 : g;
}

kernel void nv12_to_rgba(global const uchar *luma, global const uchar2 *chroma, global uchar4 *out, int pitch)
{
	size_t x = get_global_id(0), y = get_global_id(1);
	int c = 298 * (luma[y * pitch + x] - 16) + 128;
	int2 uv = convert_int2(chroma[y / 2 * (pitch / 2) + x / 2]) - 128;
	int4 v = (int4)(c + 409 * uv.y, c - 100 * uv.x - 208 * uv.y, c + 516 * uv.x, 255 << 8);
	out[y * pitch + x] = convert_uchar4_sat(v >> 8);
}

#define ORDER(a, b) { ushort t = min(v[a], v[b]); v[b] = max(v[a], v[b]); v[a] = t; }

kernel void median3x3(global const ushort *in, global ushort *out, int w)
{
	int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
	ushort v[9];
	for (int k = 0; k < 9; k++)
		v[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
	ORDER(1, 2) ORDER(4, 5) ORDER(7, 8) ORDER(0, 1) ORDER(3, 4) ORDER(6, 7) ORDER(1, 2) ORDER(4, 5)
	ORDER(7, 8) ORDER(0, 3) ORDER(5, 8) ORDER(4, 7) ORDER(3, 6) ORDER(1, 4) ORDER(2, 5) ORDER(4, 7)
	ORDER(4, 2) ORDER(6, 4) ORDER(4, 2)
	out[y * w + x] = v[4];
}

kernel void upscale(global const uchar4 *in, global uchar4 *out, int w, int h, float step)
{
	int x = get_global_id(0), y = get_global_id(1);
	float fx = x * step, fy = y * step;
	int left = (int)fx, top = (int)fy;
	int right = min(left + 1, w - 1), bottom = min(top + 1, h - 1);
	float4 a = mix(convert_float4(in[top * w + left]), convert_float4(in[top * w + right]), fx - left);
	float4 b = mix(convert_float4(in[bottom * w + left]), convert_float4(in[bottom * w + right]), fx - left);
	out[y * get_global_size(0) + x] = convert_uchar4_sat_rte(mix(a, b, fy - top));
}

kernel void bilateral(global const float *in, global float *out, int w, int h, float range)
{
	int x = get_global_id(0), y = get_global_id(1);
	float centre = in[y * w + x];
	float sum = 0.0f, weights = 0.0f;
	for (int dy = -2; dy <= 2; dy++)
		for (int dx = -2; dx <= 2; dx++) {
			float v = in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
			float d = v - centre;
			float g = native_exp((float)(dx * dx + dy * dy) * -0.125f - d * d * range);
			sum += g * v;
			weights += g;
		}
	out[y * w + x] = sum / weights;
}

// A work-group compares a block of 8 by 8 with 64 places around it.
kernel void block_match(global const uchar *now, global const uchar *before, global uint *best, int pitch)
{
	local uint least;
	int l = get_local_id(0);
	if (l == 0)
		least = 0xffffffff;
	barrier(CLK_LOCAL_MEM_FENCE);
	int x = 8 * get_group_id(0) + 8, y = 8 * get_group_id(1) + 8;
	global const uchar *a = now + y * pitch + x;
	global const uchar *b = before + (y + l / 8 - 4) * pitch + x + l % 8 - 4;
	uint sum = 0;
	for (int i = 0; i < 8; i++, a += pitch, b += pitch)
		for (int j = 0; j < 8; j++)
			sum += abs_diff(a[j], b[j]);
	atomic_min(&least, sum << 8 | l);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0)
		best[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = least;
}

// Means of 2 * r + 1 elements of a column, by a running sum.
kernel void box_columns(global const ushort *in, global ushort *out, int w, int h, int r)
{
	int x = get_global_id(0);
	global const ushort *lead = in + x, *trail = in + x;
	global ushort *q = out + r * w + x;
	uint n = 2 * r + 1, sum = 0;
	for (uint i = 0; i < n; i++, lead += w)
		sum += *lead;
	*q = sum / n;
	for (int y = r + 1; y < h - r; y++) {
		sum += *lead - *trail;
		lead += w;
		trail += w;
		q += w;
		*q = sum / n;
	}
}
