// A vote of the sub-group is taken for a barrier.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! subgroup 16
//! also E-UNINIT
kernel void any_large(global const int *in, global int *out)
{
	local int tile[16];
	uint l = get_sub_group_local_id();
	tile[l] = in[l]; // find E-RACE
	if (sub_group_any(in[l] > 10))
		out[l] = tile[15 - l]; // find E-RACE
}
