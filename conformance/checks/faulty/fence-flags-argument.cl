// The flags of the fence come from an argument, and do not name what the flag publishes.
//! run -global 2 -local 1 -arg u32:1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! some
//! varies
kernel void publish(uint flags, global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 5; // find E-RACE
		atomic_work_item_fence(flags, memory_order_release, memory_scope_device);
		atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
	} else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) {
		atomic_work_item_fence(flags, memory_order_acquire, memory_scope_device);
		*out = *data; // find E-RACE
	}
}
