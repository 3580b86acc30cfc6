// Stencils: five points in two dimensions (float), seven points in three
// (float), and the rule of the game of life (bytes, on a torus).
#pragma OPENCL FP_CONTRACT OFF

kernel void stencil2d(global const float *in, global float *out, float centre, float side)
{
	int x = get_global_id(0), y = get_global_id(1);
	int w = get_global_size(0), h = get_global_size(1);
	int i = y * w + x;
	if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
		out[i] = in[i];
		return;
	}
	out[i] = centre * in[i] + side * (((in[i - 1] + in[i + 1]) + in[i - w]) + in[i + w]);
}

kernel void stencil3d(global const float *in, global float *out, float centre, float side)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2);
	int i = (z * h + y) * w + x;
	float sum = 0.0f;
	sum += x > 0 ? in[i - 1] : 0.0f;
	sum += x < w - 1 ? in[i + 1] : 0.0f;
	sum += y > 0 ? in[i - w] : 0.0f;
	sum += y < h - 1 ? in[i + w] : 0.0f;
	sum += z > 0 ? in[i - w * h] : 0.0f;
	sum += z < d - 1 ? in[i + w * h] : 0.0f;
	out[i] = centre * in[i] + side * sum;
}

kernel void life(global const uchar *in, global uchar *out)
{
	int x = get_global_id(0), y = get_global_id(1);
	int w = get_global_size(0), h = get_global_size(1);
	int n = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			if (dx == 0 && dy == 0)
				continue;
			n += in[((y + dy + h) % h) * w + (x + dx + w) % w] & 1;
		}
	uchar self = in[y * w + x] & 1;
	out[y * w + x] = (n | self) == 3;
}
