// The rows of a launch of 8 columns.
kernel void table(global int *out)
{
	size_t x = get_global_id(0), y = get_global_id(1);
	if (y * 8 + x < get_global_size(0) * get_global_size(1))
		out[y * 8 + x] = (x + 1) * (y + 1);
}
