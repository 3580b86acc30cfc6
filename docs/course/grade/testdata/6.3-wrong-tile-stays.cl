// The tile is transposed, and stays where it was.
kernel void transpose(global const int *in, global int *out, int n)
{
	local int tile[16][16];
	size_t x = get_local_id(0), y = get_local_id(1);
	tile[y][x] = in[get_global_id(1) * n + get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(1) * n + get_global_id(0)] = tile[x][y];
}
