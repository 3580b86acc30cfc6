// Hillis and Steele's scan in place needs a barrier between the reads and the writes of a step,
// too: here a work-item reads what its neighbour already writes in the same step.
//! run -global 32 -local 32 -arg iota:u32:32 -arg zero:u32:32
kernel void scan(global const uint *in, global uint *out)
{
	local uint s[32];
	uint l = get_local_id(0);
	s[l] = in[l];
	for (uint d = 1; d < 32; d *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l >= d)
			s[l] += s[l - d]; // find E-RACE
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = s[l];
}
