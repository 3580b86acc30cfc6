// The number of iterations comes from memory and is the same for all.
//! run -global 8 -local 8 -arg buf:i32:3 -arg zero:i32:8
kernel void rounds(global const int *n, global int *out)
{
	local int s[8];
	size_t l = get_local_id(0);
	s[l] = (int)l;
	for (int i = 0; i < *n; i++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		int x = s[(l + 1) % 8];
		barrier(CLK_LOCAL_MEM_FENCE);
		s[l] = x;
	}
	out[l] = s[l];
}
