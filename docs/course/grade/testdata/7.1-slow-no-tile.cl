// Without local memory there are no bank conflicts, and many cache lines.
kernel void turn(global const int *in, global int *out, int n)
{
	int x = get_local_id(0), y = get_local_id(1);
	int left = 32 * get_group_id(0), top = 32 * get_group_id(1);
	for (int k = y; k < 32; k += 8)
		out[(left + x) * n + top + k] = in[(top + k) * n + left + x];
}
