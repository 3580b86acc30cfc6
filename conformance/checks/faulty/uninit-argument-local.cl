// A local argument is memory without contents, not zeros.
//! run -global 8 -local 8 -arg local:32 -arg iota:i32:8 -arg zero:i32:8
kernel void prefix(local int *before, global const int *in, global int *out)
{
	size_t l = get_local_id(0);
	if (l > 0)
		before[l] = in[l - 1];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = in[l] + before[l]; // find E-UNINIT
}
