// The Mandelbrot set as text. Work-item (x, y) writes one character; the last
// column of the picture is the ends of lines, so that the buffer is a text file.
constant char shades[] = " .,:;+*%$#@";

kernel void mandelbrot(global char *text, int limit)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	int width = get_global_size(0);
	int height = get_global_size(1);

	float cr = -2.1f + 2.9f * (float)x / (float)width;
	float ci = -1.2f + 2.4f * (float)y / (float)height;
	float zr = 0.0f;
	float zi = 0.0f;
	int n = 0;
	while (n < limit && zr * zr + zi * zi <= 4.0f) {
		float t = zr * zr - zi * zi + cr;
		zi = 2.0f * zr * zi + ci;
		zr = t;
		n++;
	}
	int shade = n == limit ? 10 : n * 10 / limit;
	text[y * width + x] = x == width - 1 ? '\n' : shades[shade];
}
