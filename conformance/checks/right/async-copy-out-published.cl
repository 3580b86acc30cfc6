// A work-item that has waited for its group's copy publishes what that wrote; another group reads it, and copies it.
//! run -global 16 -local 8 -arg zero:i32:8 -arg zero:i32:1 -arg zero:i32:16
//! varies
kernel void publish(global int *data, global atomic_int *flag, global int *out)
{
	local int tile[8];
	local int there;
	size_t l = get_local_id(0);
	if (get_group_id(0) == 0) {
		tile[l] = (int)l;
		barrier(CLK_LOCAL_MEM_FENCE);
		event_t e = async_work_group_copy(data, tile, 8, 0);
		wait_group_events(1, &e);
		if (l == 0)
			atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
	} else {
		if (l == 0)
			there = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		if (there) {
			event_t e = async_work_group_copy(tile, data, 8, 0);
			out[l] = data[l];
			wait_group_events(1, &e);
			out[l + 8] = tile[l];
		}
	}
}
