// Exercise 4.1: the barrier of the next round
//
// A single work-group of 64 work-items reverses each block of 64 elements, block by block. One tile
// of local memory serves all blocks. The first block is always right.

kernel void tiles(global const int *in, global int *out, int blocks)
{
	local int tile[64];
	int place = get_local_id(0);
	for (int b = 0; b < blocks; b++) {
		tile[place] = in[64 * b + place];
		barrier(CLK_LOCAL_MEM_FENCE);
		out[64 * b + place] = tile[63 - place];
	}
}
