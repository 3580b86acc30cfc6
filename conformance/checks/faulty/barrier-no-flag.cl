// barrier(0) makes the work-items wait for each other and orders no memory at all (C,
// Synchronization Functions).
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! also E-UNINIT
kernel void neighbour(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	tile[l] = in[l] * 3; // find E-RACE
	barrier(0);
	out[l] = tile[l ^ 1]; // find E-RACE
}
