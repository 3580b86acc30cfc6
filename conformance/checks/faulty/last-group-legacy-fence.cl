// The same with mem_fence for __threadfence: its scope is the work-group (C, Fences).
//! run -global 32 -local 8 -arg iota:i32:32 -arg zero:i32:4 -arg zero:u32:1 -arg zero:i32:1
kernel void sum(global const int *in, global int *part, global uint *done, global int *out)
{
	int x = work_group_reduce_add(in[get_global_id(0)]);
	if (get_local_id(0) == 0) {
		part[get_group_id(0)] = x; // find E-RACE
		mem_fence(CLK_GLOBAL_MEM_FENCE);
		if (atomic_inc(done) == get_num_groups(0) - 1) {
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			int all = 0;
			for (size_t i = 0; i < get_num_groups(0); i++)
				all += part[i]; // find E-RACE
			*out = all;
		}
	}
}
