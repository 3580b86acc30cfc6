// The same with a release fence of the scope of a work-group before the store.
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! some
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 42; // find E-RACE
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
		atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
	} else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
		*out = *data; // find E-RACE
}
