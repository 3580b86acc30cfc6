// A tree reduction; the barrier is in the loop and outside of the branch.
//! run -global 64 -local 32 -arg iota:u32:64 -arg zero:u32:2
kernel void reduce(global const uint *in, global uint *sums)
{
	local uint part[32];
	uint l = get_local_id(0);
	part[l] = in[get_global_id(0)];
	for (uint h = 16; h > 0; h /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < h)
			part[l] += part[l + h];
	}
	if (l == 0)
		sums[get_group_id(0)] = part[0];
}
