// Half of the local array is never set, and never read.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void half_used(global const int *in, global int *out)
{
	local int s[64];
	size_t l = get_local_id(0);
	s[2 * l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = s[14 - 2 * l];
}
