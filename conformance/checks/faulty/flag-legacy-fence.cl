// mem_fence has the scope of a work-group (C, Fences), so that it does not order what two groups
// do, though the atomic operations on the flag are fine.
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! some
kernel void pass(global int *data, global atomic_int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 42; // find E-RACE
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
	} else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) {
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		*out = *data; // find E-RACE
	}
}
