// The barrier orders global memory only; the tile is in local memory (API, Work-Group Functions:
// the flags choose which of the two relations the fences of a barrier make).
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! also E-UNINIT
kernel void neighbour(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	tile[l] = in[l]; // find E-RACE
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[l] = tile[(l + 1) % 16]; // find E-RACE
}
