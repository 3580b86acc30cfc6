// A reduction of the sub-group in a branch that depends on the lane.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
kernel void low(global const int *in, global int *out)
{
	uint l = get_local_id(0);
	if (get_sub_group_local_id() < 4)
		out[l] = sub_group_reduce_add(in[l]); // find E-GROUPDIVERGED
}
