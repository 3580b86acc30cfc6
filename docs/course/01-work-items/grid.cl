// Work-item (x, y) writes 10 * y + x to its place in a picture of rows.
kernel void grid(global int *out)
{
	size_t x = get_global_id(0), y = get_global_id(1);
	size_t width = get_global_size(0);
	out[y * width + x] = 10 * y + x;
}
