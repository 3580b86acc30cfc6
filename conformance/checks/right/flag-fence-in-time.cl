// The fence may stand anywhere between the load of the flag and the use of the data.
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! varies
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 42;
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
		for (int i = 0; i < 3; i++)
			atomic_store_explicit(flag, i, memory_order_relaxed, memory_scope_device);
	} else {
		int seen = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
		if (seen > 0)
			*out = *data;
	}
}
