// A barrier of the sub-group where the work-group has two of them.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! subgroup 8
//! also E-UNINIT
kernel void reverse(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	tile[l] = in[l]; // find E-RACE
	sub_group_barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = tile[15 - l]; // find E-RACE
}
