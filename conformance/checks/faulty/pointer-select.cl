// One of two local arrays is chosen by parity; the choice of the reader is the wrong one.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
kernel void pick(global const int *in, global int *out)
{
	local int a[16], b[16];
	size_t l = get_local_id(0);
	a[l] = 0;
	b[l] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	local int *mine = l % 2 ? a : b;
	local int *other = l % 2 ? b : a;
	mine[l] = in[l]; // find E-RACE
	out[l] = other[l ^ 1]; // find E-RACE
}
