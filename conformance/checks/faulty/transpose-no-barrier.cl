// A tile is written by rows and read by columns, without a barrier between.
//! run -global 8,8 -local 8,8 -arg iota:f32:64 -arg zero:f32:64
//! also E-UNINIT
kernel void transpose(global const float *in, global float *out)
{
	local float tile[8][9];
	size_t x = get_local_id(0), y = get_local_id(1);
	tile[y][x] = in[y * 8 + x]; // find E-RACE
	out[y * 8 + x] = tile[x][y]; // find E-RACE
}
