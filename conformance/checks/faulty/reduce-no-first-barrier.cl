// A tree reduction whose first step adds elements that may not have been loaded yet.
//! run -global 64 -local 32 -arg iota:u32:64 -arg zero:u32:2
//! also E-UNINIT
kernel void reduce(global const uint *in, global uint *sums)
{
	local uint part[32];
	uint l = get_local_id(0);
	part[l] = in[get_global_id(0)]; // find E-RACE
	for (uint h = 16; h > 0; h /= 2) {
		if (l < h)
			part[l] += part[l + h]; // find E-RACE
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (l == 0)
		sums[get_group_id(0)] = part[0];
}
