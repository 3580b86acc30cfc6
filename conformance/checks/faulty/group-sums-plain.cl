// The groups' sums are right; adding them up is not, because the groups are not ordered.
//! run -global 32 -local 8 -arg iota:i32:32 -arg zero:i32:1
kernel void sum(global const int *in, global int *total)
{
	int part = work_group_reduce_add(in[get_global_id(0)]);
	if (get_local_id(0) == 0)
		*total += part; // find E-RACE
}
