// A group publishes what its copy writes before it has waited for the copy.
//! run -global 16 -local 8 -arg zero:i32:8 -arg zero:i32:1 -arg zero:i32:8
//! some
//! varies
kernel void publish(global int *data, global atomic_int *flag, global int *out)
{
	local int tile[8];
	local int there;
	size_t l = get_local_id(0);
	if (get_group_id(0) == 0) {
		tile[l] = (int)l;
		barrier(CLK_LOCAL_MEM_FENCE);
		event_t e = async_work_group_copy(data, tile, 8, 0); // find E-RACE
		if (l == 0)
			atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
		wait_group_events(1, &e);
	} else {
		if (l == 0)
			there = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		if (there)
			out[l] = data[l]; // find E-RACE
	}
}
