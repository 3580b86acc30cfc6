// Reverses a tile with the barrier in its place.
//! run -global 32 -local 16 -arg iota:i32:32 -arg zero:i32:32
kernel void reverse(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	tile[l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[15 - l];
}
