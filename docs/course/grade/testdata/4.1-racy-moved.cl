// The only barrier stands at the end.
kernel void tiles(global const int *in, global int *out, int blocks)
{
	local int tile[64];
	int place = get_local_id(0);
	for (int b = 0; b < blocks; b++) {
		tile[place] = in[64 * b + place];
		out[64 * b + place] = tile[63 - place];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
