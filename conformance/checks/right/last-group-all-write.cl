// All work-items write parts; a barrier of global memory puts them before the release of work-item
// 0, and another one hands what it acquired on to the group.
//! run -global 32 -local 8 -arg iota:i32:32 -arg zero:i32:32 -arg zero:u32:1 -arg zero:i32:8
kernel void sum(global const int *in, global int *part, global atomic_uint *done, global int *out)
{
	local int last;
	size_t l = get_local_id(0);
	part[get_global_id(0)] = 2 * in[get_global_id(0)];
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (l == 0)
		last = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == get_num_groups(0) - 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (last) {
		int all = 0;
		for (size_t i = l; i < get_global_size(0); i += 8)
			all += part[i];
		out[l] = all;
	}
}
