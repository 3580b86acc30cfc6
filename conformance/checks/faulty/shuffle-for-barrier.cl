// A shuffle hands over a register. What lies in local memory is not ordered by it (API, Sub-Group
// Functions).
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! subgroup 16
//! also E-UNINIT
kernel void neighbour(global const int *in, global int *out)
{
	local int tile[16];
	uint l = get_sub_group_local_id();
	tile[l] = in[l]; // find E-RACE
	int x = sub_group_shuffle_xor(in[l], 1);
	out[l] = x + tile[l ^ 1]; // find E-RACE
}
