// Writer and reader use two different flags; nothing synchronizes.
//! run -global 2 -local 1 -arg zero:i32:1 -arg buf:i32:0,1 -arg zero:i32:1
kernel void pass(global int *data, global atomic_int *flags, global int *out)
{
	size_t g = get_group_id(0);
	if (g == 0) {
		*data = 42; // find E-RACE
		atomic_store_explicit(&flags[g], 1, memory_order_release, memory_scope_device);
	} else if (atomic_load_explicit(&flags[g], memory_order_acquire, memory_scope_device))
		*out = *data; // find E-RACE
}
