// mem_fence orders the accesses of one work-item; without atomic operations it synchronizes with
// nobody (API, Fence Operations).
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! also E-UNINIT
kernel void neighbour(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	tile[l] = in[l]; // find E-RACE
	mem_fence(CLK_LOCAL_MEM_FENCE);
	out[l] = tile[15 - l]; // find E-RACE
}
