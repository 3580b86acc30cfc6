// The scan in place with a barrier between the reads and the writes of a step.
//! run -global 32 -local 32 -arg iota:u32:32 -arg zero:u32:32
kernel void scan(global const uint *in, global uint *out)
{
	local uint s[32];
	uint l = get_local_id(0);
	s[l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = 1; d < 32; d *= 2) {
		uint x = l >= d ? s[l - d] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		s[l] += x;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[l] = s[l];
}
