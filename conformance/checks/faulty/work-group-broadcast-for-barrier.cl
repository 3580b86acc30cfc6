// A work-group function makes all work-items meet, but it orders no memory (API, Work-Group
// Functions).
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! also E-UNINIT
kernel void neighbour(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	tile[l] = in[l]; // find E-RACE
	int first = work_group_broadcast(in[l], 0);
	out[l] = tile[(l + 1) % 16] + first; // find E-RACE
}
