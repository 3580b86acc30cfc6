// atomic_init is no atomic operation (C, The atomic_init Function): another work-item's operation
// at the same time races with it.
//! run -global 8 -local 8 -arg zero:i32:1
//! also E-UNINIT
//! varies
kernel void count(global int *out)
{
	local atomic_int n;
	if (get_local_id(0) == 0)
		atomic_init(&n, 0); // find E-RACE
	atomic_fetch_add_explicit(&n, 1, memory_order_relaxed, memory_scope_work_group); // find E-RACE
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		*out = atomic_load_explicit(&n, memory_order_relaxed, memory_scope_work_group);
}
