// One work-item reads what all wrote, and writes what all read, each side of a barrier.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void prefix(global const int *in, global int *out)
{
	local int s[8];
	size_t l = get_local_id(0);
	s[l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0)
		for (int i = 1; i < 8; i++)
			s[i] += s[i - 1];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = s[l];
}
