// A relaxed read-modify-write of another group continues the release sequence (API, Memory Ordering
// Rules), so that reading its value synchronizes with the release store.
//! run -global 3 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! varies
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	size_t g = get_group_id(0);
	if (g == 0) {
		*data = 42;
		atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
	} else if (g == 1) {
		int one = 1;
		atomic_compare_exchange_strong_explicit(flag, &one, 2, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
	} else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 2)
		*out = *data;
}
