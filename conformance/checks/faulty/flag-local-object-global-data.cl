// The flag is in local memory, the data in global memory: release and acquire on a local object
// make local-synchronizes-with only.
//! run -global 2 -local 2 -arg zero:i32:1 -arg zero:i32:1
//! some
kernel void pass(global int *data, global int *out)
{
	local atomic_int flag;
	if (get_local_id(0) == 0)
		atomic_init(&flag, 0);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		*data = 42; // find E-RACE
		atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
	}
	if (get_local_id(0) == 1 && atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
		*out = *data; // find E-RACE
}
