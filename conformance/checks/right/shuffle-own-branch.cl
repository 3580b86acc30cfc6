// A shuffle in a branch that asks lanes of the same branch only.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! subgroup 16
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
kernel void evens(global const int *in, global int *out)
{
	uint l = get_sub_group_local_id();
	if (l % 2 == 0)
		out[l] = sub_group_shuffle_xor(in[l], 2);
}
