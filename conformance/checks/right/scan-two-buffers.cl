// With two buffers one barrier a step is enough: a step reads one and writes the other, and the
// next write of the first one is a barrier later.
//! run -global 16 -local 16 -arg iota:u32:16 -arg zero:u32:16
kernel void scan(global const uint *in, global uint *out)
{
	local uint s[2][16];
	uint l = get_local_id(0), from = 0;
	s[0][l] = in[l];
	for (uint d = 1; d < 16; d *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		s[1 - from][l] = s[from][l] + (l >= d ? s[from][l - d] : 0);
		from = 1 - from;
	}
	out[l] = s[from][l];
}
