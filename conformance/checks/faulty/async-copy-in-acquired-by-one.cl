// One work-item has acquired what another group wrote, and the barrier does not give it to the others, with any of
// whom the copy can begin.
//! run -global 16 -local 8 -arg zero:i32:8 -arg zero:i32:1 -arg zero:i32:8
//! some
//! varies
kernel void acquire(global int *data, global atomic_int *flag, global int *out)
{
	local int tile[8];
	local int there;
	size_t l = get_local_id(0);
	if (get_group_id(0) == 0) {
		data[l] = (int)l; // find E-RACE
		barrier(CLK_GLOBAL_MEM_FENCE);
		if (l == 0)
			atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
	} else {
		if (l == 0)
			there = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (there) {
			event_t e = async_work_group_copy(tile, data, 8, 0); // find E-RACE
			wait_group_events(1, &e);
			out[l] = tile[l];
		}
	}
}
