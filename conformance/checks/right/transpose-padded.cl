// A padded tile: the padding is never written, and never read.
//! run -global 8,8 -local 8,8 -arg iota:f32:64 -arg zero:f32:64
kernel void transpose(global const float *in, global float *out)
{
	local float tile[8][9];
	size_t x = get_local_id(0), y = get_local_id(1);
	tile[y][x] = in[y * 8 + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[y * 8 + x] = tile[x][y];
}
