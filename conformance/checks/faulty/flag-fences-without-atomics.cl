// Fences on both sides of a flag that is no atomic object: fences synchronize through atomic
// operations only (API, Fence Operations).
//! run -global 2 -local 1 -arg zero:i32:1 -arg zero:i32:1 -arg zero:i32:1
//! varies
kernel void pass(global int *data, global volatile int *flag, global int *out)
{
	if (get_group_id(0) == 0) {
		*data = 42; // find E-RACE
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
		*flag = 1; // find E-RACE
	} else if (*flag) { // find E-RACE
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
		*out = *data; // find E-RACE
	}
}
