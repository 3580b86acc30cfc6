// Double buffering whose first step reads the second buffer.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void step(global const int *in, global int *out)
{
	local int s[2][8];
	size_t l = get_local_id(0);
	s[0][l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = s[1][7 - l] + s[0][l]; // find E-UNINIT
}
