// The same with fences of the scope of the device around a relaxed atomic operation.
//! run -global 32 -local 8 -arg iota:i32:32 -arg zero:i32:4 -arg zero:u32:1 -arg zero:i32:1
kernel void sum(global const int *in, global int *part, global atomic_uint *done, global int *out)
{
	int x = work_group_reduce_add(in[get_global_id(0)]);
	if (get_local_id(0) == 0) {
		part[get_group_id(0)] = x;
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
		if (atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device) == get_num_groups(0) - 1) {
			atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
			int all = 0;
			for (size_t i = 0; i < get_num_groups(0); i++)
				all += part[i];
			*out = all;
		}
	}
}
