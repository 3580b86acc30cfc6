kernel void turn(global const int *in, global int *out, int n)
{
	local int tile[32][34];
	int x = get_local_id(0), y = get_local_id(1);
	int left = 32 * get_group_id(0), top = 32 * get_group_id(1);
	for (int k = y; k < 32; k += 8)
		tile[k][x] = in[(top + k) * n + left + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = y; k < 32; k += 8)
		out[(left + k) * n + top + x] = tile[x][k];
}
