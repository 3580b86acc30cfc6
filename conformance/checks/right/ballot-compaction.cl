// Places from a ballot: each work-item writes an element of its own.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! subgroup 16
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
kernel void compact(global const int *in, global int *out)
{
	int x = in[get_local_id(0)];
	uint4 set = sub_group_ballot(x % 3 == 0);
	if (x % 3 == 0)
		out[sub_group_ballot_exclusive_scan(set)] = x;
}
