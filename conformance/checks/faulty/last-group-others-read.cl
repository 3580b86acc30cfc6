// Work-item 0 of the last group has acquired; the others of its group read the parts behind a
// barrier that orders local memory only, so that nothing has been handed on to them.
//! run -global 16 -local 4 -arg iota:i32:16 -arg zero:i32:4 -arg zero:u32:1 -arg zero:i32:4
kernel void sum(global const int *in, global int *part, global atomic_uint *done, global int *out)
{
	local int last;
	int x = work_group_reduce_add(in[get_global_id(0)]);
	if (get_local_id(0) == 0) {
		part[get_group_id(0)] = x; // find E-RACE
		last = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == get_num_groups(0) - 1;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (last)
		out[get_local_id(0)] = part[get_local_id(0)]; // find E-RACE
}
