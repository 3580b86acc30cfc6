// The data is written behind the release store that should publish it.
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! some
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
		*data = 42; // find E-RACE
	} else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
		*out = *data; // find E-RACE
}
