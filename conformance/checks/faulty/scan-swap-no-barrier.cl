// A scan with two buffers that are swapped in each step, without the barrier between steps.
//! run -global 16 -local 16 -arg iota:u32:16 -arg zero:u32:16
kernel void scan(global const uint *in, global uint *out)
{
	local uint s[2][16];
	uint l = get_local_id(0), from = 0;
	s[0][l] = in[l];
	s[1][l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = 1; d < 16; d *= 2) {
		uint x = s[from][l];
		if (l >= d)
			x += s[from][l - d]; // find E-RACE
		from = 1 - from;
		s[from][l] = x; // find E-RACE
	}
	out[l] = s[from][l];
}
