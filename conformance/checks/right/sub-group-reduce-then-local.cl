// Sums of sub-groups by a sub-group function, then one sum of them behind a barrier.
//! run -global 64 -local 64 -arg iota:i32:64 -arg zero:i32:1
kernel void sum(global const int *in, global int *out)
{
	local int part[64];
	int x = sub_group_reduce_add(in[get_local_id(0)]);
	if (get_sub_group_local_id() == 0)
		part[get_sub_group_id()] = x;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		int all = 0;
		for (uint i = 0; i < get_num_sub_groups(); i++)
			all += part[i];
		*out = all;
	}
}
