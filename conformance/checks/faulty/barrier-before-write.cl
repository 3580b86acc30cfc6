// The barrier stands before the write that it should follow.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! also E-UNINIT
kernel void rotate_left(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	int x = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	tile[l] = x; // find E-RACE
	out[l] = tile[(l + 1) % 16]; // find E-RACE
}
