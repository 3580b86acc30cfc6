// Release and acquire with the scope of a work-group, between two groups: the atomic operations
// themselves race, for their scopes do not include each other (API, Overview of Atomic and Fence
// Operations).
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! varies
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 42; // find E-RACE
		atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group); // find E-RACE
	} else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group)) // find E-RACE
		*out = *data; // find E-RACE
}
