// What the group wrote before the barrier is published by the release of one work-item behind it.
//! run -global 8 -local 4 -arg zero:i32:8 -arg zero:u32:1 -arg zero:i32:1
kernel void sum(global int *part, global atomic_uint *done, global int *out)
{
	part[get_global_id(0)] = (int)get_global_id(0);
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) == 0 && atomic_fetch_add_explicit(done, 1, memory_order_release, memory_scope_device) == 1) {
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
		int all = 0;
		for (int i = 0; i < 8; i++)
			all += part[i];
		*out = all;
	}
}
