// The flag is loaded with the scope of the device, but the acquire fence behind it has the scope of
// a work-group, which does not include the release of another group (API, Fence Operations).
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! some
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 42; // find E-RACE
		atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
	} else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) {
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
		*out = *data; // find E-RACE
	}
}
