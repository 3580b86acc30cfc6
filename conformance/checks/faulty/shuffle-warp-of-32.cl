// Code for warps of 32 lanes asks for a lane that a sub-group does not have.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
//! subgroup 8
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
kernel void last_of_warp(global const int *in, global int *out)
{
	uint l = get_local_id(0);
	out[l] = sub_group_shuffle(in[l], 31); // find E-SHUFFLERANGE
}
