// A sum by shuffles: the values are in registers, and there is no memory to order.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! subgroup 16
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
kernel void sum(global const int *in, global int *out)
{
	int x = in[get_local_id(0)];
	for (uint mask = 8; mask > 0; mask /= 2)
		x += sub_group_shuffle_xor(x, mask);
	out[get_local_id(0)] = x;
}
