// The barrier stands behind the loop instead of in it: each step reads what the step before wrote
// in other work-items.
//! run -global 32 -local 32 -arg iota:u32:32 -arg zero:u32:1
kernel void reduce(global const uint *in, global uint *sum)
{
	local uint part[32];
	uint l = get_local_id(0);
	part[l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint h = 16; h > 0; h /= 2)
		if (l < h)
			part[l] += part[l + h]; // find E-RACE
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0)
		*sum = part[0];
}
