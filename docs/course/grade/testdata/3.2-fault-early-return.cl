kernel void neighbours(global const int *in, int n, global int *out, local int *tile)
{
	int i = get_global_id(0), place = get_local_id(0) + 1, size = get_local_size(0);
	if (i >= n)
		return;
	tile[place] = in[i];
	if (place == 1)
		tile[0] = i > 0 ? in[i - 1] : 0;
	if (place == size || i == n - 1)
		tile[place + 1] = i + 1 < n ? in[i + 1] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tile[place - 1] + tile[place] + tile[place + 1];
}
