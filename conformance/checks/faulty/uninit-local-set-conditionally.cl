// The shared value is set by work-item 0 only if its element is odd.
//! run -global 8 -local 4 -arg iota:i32:8 -arg zero:i32:8
kernel void share(global const int *in, global int *out)
{
	local int x;
	size_t l = get_local_id(0), g = get_global_id(0);
	if (l == 0 && in[g] % 2)
		x = in[g];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[g] = x; // find E-UNINIT
}
