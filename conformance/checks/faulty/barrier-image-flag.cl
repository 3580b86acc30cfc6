// CLK_IMAGE_MEM_FENCE orders images, not the local array.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! also E-UNINIT
kernel void neighbour(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	tile[l] = in[l]; // find E-RACE
	work_group_barrier(CLK_IMAGE_MEM_FENCE);
	out[l] = tile[l ^ 2]; // find E-RACE
}
