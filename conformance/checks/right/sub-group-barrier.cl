// Work-items of one sub-group exchange values behind a barrier of the sub-group.
//! run -global 64 -local 64 -arg iota:i32:64 -arg zero:i32:64
//! varies
kernel void neighbour(global const int *in, global int *out)
{
	local int tile[64];
	size_t l = get_local_id(0);
	uint lane = get_sub_group_local_id(), size = get_sub_group_size();
	tile[l] = in[l];
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = tile[l - lane + (lane + 1) % size];
}
