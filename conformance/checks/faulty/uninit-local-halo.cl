// The halo cells of the tile are read and have never been written.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void blur(global const int *in, global int *out)
{
	local int row[10];
	size_t l = get_local_id(0);
	row[l + 1] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[l] = row[l] + row[l + 1] + row[l + 2]; // find E-UNINIT
}
