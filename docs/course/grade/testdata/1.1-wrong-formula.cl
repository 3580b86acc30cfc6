kernel void scale(global const int *x, global int *y)
{
	size_t i = get_global_id(0);
	y[i] = 3 * (x[i] + 1);
}
