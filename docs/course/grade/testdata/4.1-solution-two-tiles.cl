kernel void tiles(global const int *in, global int *out, int blocks)
{
	local int tile[2][64];
	int place = get_local_id(0);
	for (int b = 0; b < blocks; b++) {
		tile[b % 2][place] = in[64 * b + place];
		barrier(CLK_LOCAL_MEM_FENCE);
		out[64 * b + place] = tile[b % 2][63 - place];
	}
}
