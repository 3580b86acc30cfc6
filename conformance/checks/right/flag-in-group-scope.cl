// The scope of a work-group is enough between work-items of one group.
//! run -global 2 -local 2 -arg zero:i32:1 -arg zero:i32:1
//! varies
kernel void pass(global int *data, global int *out)
{
	local atomic_int flag;
	local int copy;
	if (get_local_id(0) == 0)
		atomic_init(&flag, 0);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		copy = 7;
		atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
	} else if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
		*out = copy;
}
