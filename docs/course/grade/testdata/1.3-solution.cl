kernel void table(global int *out)
{
	size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
	out[y * width + x] = (x + 1) * (y + 1);
}
