// The same through global memory, with its flag.
//! run -global 32 -local 32 -arg zero:i32:32 -arg zero:i32:32
//! varies
kernel void reverse(global int *scratch, global int *out)
{
	size_t l = get_local_id(0);
	uint lane = get_sub_group_local_id(), size = get_sub_group_size();
	scratch[l] = (int)l;
	sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
	out[l] = scratch[l - lane + size - 1 - lane];
}
