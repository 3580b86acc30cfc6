// Even and odd work-items use different arrays, each its own.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
kernel void pick(global const int *in, global int *out)
{
	local int a[16], b[16];
	size_t l = get_local_id(0);
	local int *mine = l % 2 ? a : b;
	mine[l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	local int *theirs = l % 2 ? b : a;
	out[l] = theirs[l ^ 1];
}
