// Blelloch's scan: the last element is cleared between the two sweeps, and the first step down
// swaps it, without a barrier between.
//! run -global 8 -local 8 -arg iota:u32:16 -arg zero:u32:16
kernel void scan(global const uint *in, global uint *out)
{
	local uint s[16];
	uint l = get_local_id(0), offset = 1;
	s[2 * l] = in[2 * l];
	s[2 * l + 1] = in[2 * l + 1];
	for (uint d = 8; d > 0; d /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < d)
			s[offset * (2 * l + 2) - 1] += s[offset * (2 * l + 1) - 1]; // find E-RACE
		offset *= 2;
	}
	if (l == 7)
		s[15] = 0; // find E-RACE
	for (uint d = 1; d < 16; d *= 2) {
		offset /= 2;
		if (l < d) {
			uint a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
			uint t = s[a];
			s[a] = s[b]; // find E-RACE
			s[b] += t; // find E-RACE
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[2 * l] = s[2 * l];
	out[2 * l + 1] = s[2 * l + 1];
}
