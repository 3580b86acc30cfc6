// The barrier is there, with the flag of local memory, while the parts are in global memory.
//! run -global 32 -local 8 -arg iota:i32:32 -arg zero:i32:32 -arg zero:u32:1 -arg zero:i32:1
kernel void sum(global const int *in, global int *part, global atomic_uint *done, global int *out)
{
	part[get_global_id(0)] = 2 * in[get_global_id(0)]; // find E-RACE
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0 && atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == get_num_groups(0) - 1) {
		int all = 0;
		for (size_t i = 0; i < get_global_size(0); i++)
			all += part[i]; // find E-RACE
		*out = all;
	}
}
