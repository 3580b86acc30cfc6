// The release store is overwritten by a relaxed store of a third group, which ends its release
// sequence (API, Memory Ordering Rules): who reads 2 has not synchronized with group 0.
//! run -global 3 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! some
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	size_t g = get_group_id(0);
	if (g == 0) {
		*data = 42; // find E-RACE
		atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
	} else if (g == 1) {
		if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1)
			atomic_store_explicit(flag, 2, memory_order_relaxed, memory_scope_device);
	} else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 2)
		*out = *data; // find E-RACE
}
