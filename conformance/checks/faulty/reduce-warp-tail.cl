// The last steps of the reduction go without barriers because "a warp runs in lockstep". Neither
// volatile nor the hardware orders the accesses (API, Memory Ordering Rules: only happens-before
// does).
//! run -global 64 -local 64 -arg iota:u32:64 -arg zero:u32:1
kernel void reduce(global const uint *in, global uint *sum)
{
	local volatile uint part[64];
	uint l = get_local_id(0);
	part[l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 32)
		part[l] += part[l + 32];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < 8) {
		part[l] += part[l + 8] + part[l + 16] + part[l + 24]; // find E-RACE
		part[l] += part[l + 4]; // find E-RACE
		part[l] += part[l + 2]; // find E-RACE
		part[l] += part[l + 1]; // find E-RACE
	}
	if (l == 0)
		*sum = part[0];
}
