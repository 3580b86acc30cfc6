// The group counts itself before its sum is written.
//! run -global 32 -local 8 -arg iota:i32:32 -arg zero:i32:4 -arg zero:u32:1 -arg zero:i32:1
kernel void sum(global const int *in, global int *part, global atomic_uint *done, global int *out)
{
	int x = work_group_reduce_add(in[get_global_id(0)]);
	if (get_local_id(0) == 0) {
		uint before = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device);
		part[get_group_id(0)] = x; // find E-RACE
		if (before == get_num_groups(0) - 1) {
			int all = 0;
			for (size_t i = 0; i < get_num_groups(0); i++)
				all += part[i]; // find E-RACE
			*out = all;
		}
	}
}
