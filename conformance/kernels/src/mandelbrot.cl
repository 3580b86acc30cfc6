// Escape times of the Mandelbrot set: lanes leave the loop at different trips.
// lines: yes
// addressing: 32
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global int *out, int limit, float x0, float y0, float dx, float dy)
{
	int px = get_global_id(0);
	int py = get_global_id(1);
	float cx = x0 + dx * (float)px;
	float cy = y0 + dy * (float)py;
	float x = 0.0f;
	float y = 0.0f;
	int n = 0;
	while (n < limit) {
		float xx = x * x;
		float yy = y * y;
		if (xx + yy > 4.0f)
			break;
		y = 2.0f * x * y + cy;
		x = xx - yy + cx;
		n++;
	}
	out[py * (int)get_global_size(0) + px] = n;
}
