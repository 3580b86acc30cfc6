// A work-group transposes a tile of 32 by 32 elements in local memory. The rows of the second kernel's tile are one
// element longer than necessary.
kernel void conflicts(global const float *in, global float *out)
{
	local float tile[32][32];
	int x = get_local_id(0);
	for (int y = get_local_id(1); y < 32; y += get_local_size(1))
		tile[y][x] = in[y * 32 + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int y = get_local_id(1); y < 32; y += get_local_size(1))
		out[y * 32 + x] = tile[x][y];
}

kernel void padded(global const float *in, global float *out)
{
	local float tile[32][33];
	int x = get_local_id(0);
	for (int y = get_local_id(1); y < 32; y += get_local_size(1))
		tile[y][x] = in[y * 32 + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int y = get_local_id(1); y < 32; y += get_local_size(1))
		out[y * 32 + x] = tile[x][y];
}
