// Group 0 publishes to group 1, and group 1 to group 2: happens-before is transitive.
//! run -global 3 -local 1 -arg zero:i32:2 -arg zero:i32:2 -arg zero:i32:1
//! varies
kernel void chain(global int *data, global atomic_int *flags, global int *out)
{
	size_t g = get_group_id(0);
	if (g == 0) {
		data[0] = 1;
		atomic_store_explicit(&flags[0], 1, memory_order_release, memory_scope_device);
	} else if (g == 1 && atomic_load_explicit(&flags[0], memory_order_acquire, memory_scope_device)) {
		data[1] = 2;
		atomic_store_explicit(&flags[1], 1, memory_order_release, memory_scope_device);
	} else if (g == 2 && atomic_load_explicit(&flags[1], memory_order_acquire, memory_scope_device))
		*out = data[0] + data[1];
}
