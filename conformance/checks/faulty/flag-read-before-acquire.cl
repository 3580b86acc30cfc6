// The data is read before the flag is looked at, "to save time".
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! varies
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 42; // find E-RACE
		atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
	} else {
		int early = *data; // find E-RACE
		if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
			*out = early;
	}
}
