// Reverses a tile, but reads it before the others have written their elements.
//! run -global 32 -local 16 -arg iota:i32:32 -arg zero:i32:32
//! also E-UNINIT
kernel void reverse(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	tile[l] = in[get_global_id(0)]; // find E-RACE
	out[get_global_id(0)] = tile[15 - l]; // find E-RACE
}
