// The transpose of a matrix through a tile in local memory, padded by one
// column so that columns do not fall into one bank.
// addressing: 32
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(global const uint *in, global uint *out, uint width, uint height)
{
	local uint tile[TILE][TILE + 1];
	uint lx = get_local_id(0), ly = get_local_id(1);
	uint x = get_group_id(0) * TILE + lx;
	uint y = get_group_id(1) * TILE + ly;
	if (x < width && y < height)
		tile[ly][lx] = in[y * width + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	uint ox = get_group_id(1) * TILE + lx;
	uint oy = get_group_id(0) * TILE + ly;
	if (ox < height && oy < width)
		out[oy * height + ox] = tile[lx][ly];
}
