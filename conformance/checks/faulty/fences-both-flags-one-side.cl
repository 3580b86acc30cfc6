// The releasing fence has both flags, the acquiring one that of global memory only: local memory is
// not ordered (API, Fence Operations: both fences need both flags).
//! run -global 2 -local 2 -arg zero:i32:1 -arg zero:i32:1
//! some
kernel void pass(global atomic_int *flag, global int *out)
{
	local int data;
	if (get_local_id(0) == 0) {
		data = 42; // find E-RACE
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
		atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
	}
	if (get_local_id(0) == 1 && atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group)) {
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
		*out = data; // find E-RACE
	}
}
