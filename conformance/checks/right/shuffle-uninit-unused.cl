// A lane hands on a register that was never set, and nobody uses it.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
//! subgroup 8
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
kernel void hand_on(global const int *in, global int *out)
{
	uint l = get_sub_group_local_id();
	int x;
	if (l % 2)
		x = in[l];
	int y = sub_group_shuffle_xor(x, 1);
	if (l % 2 == 0)
		out[l] = y;
}
