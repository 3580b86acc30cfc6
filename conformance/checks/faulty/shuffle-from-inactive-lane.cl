// A shuffle in a branch asks lanes that are not in it.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
kernel void pairs(global const int *in, global int *out)
{
	uint l = get_sub_group_local_id();
	int x = in[l];
	if (l % 2 == 0)
		out[l] = sub_group_shuffle_xor(x, 1); // find E-SHUFFLELANE
}
