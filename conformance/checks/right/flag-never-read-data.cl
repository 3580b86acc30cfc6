// Only relaxed operations, on the flag and on the data: atomic operations do not race.
//! run -global 8 -local 2 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:8
//! varies
kernel void relaxed(global atomic_int *data, global atomic_int *flag, global int *out)
{
	size_t g = get_global_id(0);
	if (g == 0) {
		atomic_store_explicit(data, 42, memory_order_relaxed, memory_scope_device);
		atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
	} else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
		out[g] = atomic_load_explicit(data, memory_order_relaxed, memory_scope_device);
}
