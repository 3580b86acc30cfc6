// Passes a value from group to group by release and acquire. Whether the reader sees the flag
// depends on the schedule; it reads the data only if it does.
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! varies
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 42;
		atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
	} else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
		*out = *data;
}
