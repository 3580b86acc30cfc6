// A tile with padding: the index runs into the padding of the row before.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void tile(global const int *in, global int *out)
{
	local int t[2][8];
	int l = get_local_id(0);
	t[0][l] = in[l];
	t[1][l] = -in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = t[1][l - 1]; // find E-INDEX
}
