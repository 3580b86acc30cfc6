// A barrier is a release fence at its entry and an acquire fence at its exit (API, Work-Group
// Functions). What the others wrote is known to work-item 0 behind the exit only, and its relaxed
// operation there releases nothing, whatever scope the barrier has.
//! run -global 8 -local 4 -arg zero:i32:8 -arg zero:u32:1 -arg zero:i32:1
kernel void sum(global int *part, global atomic_uint *done, global int *out)
{
	part[get_global_id(0)] = (int)get_global_id(0); // find E-RACE
	work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
	if (get_local_id(0) == 0 && atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device) == 1) {
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
		int all = 0;
		for (int i = 0; i < 8; i++)
			all += part[i]; // find E-RACE
		*out = all;
	}
}
