// The last group adds up the sums of all groups. The fence of the original (__threadfence) got
// lost, so that the counter counts groups and publishes nothing.
//! run -global 32 -local 8 -arg iota:i32:32 -arg zero:i32:4 -arg zero:u32:1 -arg zero:i32:1
kernel void sum(global const int *in, global int *part, global uint *done, global int *out)
{
	int x = work_group_reduce_add(in[get_global_id(0)]);
	if (get_local_id(0) == 0) {
		part[get_group_id(0)] = x; // find E-RACE
		if (atomic_inc(done) == get_num_groups(0) - 1) {
			int all = 0;
			for (size_t i = 0; i < get_num_groups(0); i++)
				all += part[i]; // find E-RACE
			*out = all;
		}
	}
}
