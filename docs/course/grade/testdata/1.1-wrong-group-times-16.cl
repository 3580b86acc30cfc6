// Right for groups of 16 only.
kernel void scale(global const int *x, global int *y)
{
	size_t i = get_group_id(0) * 16 + get_local_id(0);
	if (i < get_global_size(0))
		y[i] = 3 * x[i] + 1;
}
