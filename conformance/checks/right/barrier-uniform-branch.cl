// A barrier in a branch that all work-items of the group take, or none.
//! run -global 16 -local 8 -arg iota:i32:16 -arg zero:i32:16
kernel void odd_groups(global const int *in, global int *out)
{
	local int s[8];
	size_t l = get_local_id(0), g = get_global_id(0);
	if (get_group_id(0) % 2) {
		s[l] = in[g];
		barrier(CLK_LOCAL_MEM_FENCE);
		out[g] = s[7 - l];
	} else
		out[g] = 1;
}
