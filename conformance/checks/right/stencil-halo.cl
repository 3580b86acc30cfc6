// Tile and halo are loaded before one barrier.
//! run -global 32 -local 16 -arg iota:i32:34 -arg zero:i32:32
kernel void blur(global const int *in, global int *out)
{
	local int row[18];
	size_t l = get_local_id(0), g = get_global_id(0);
	row[l + 1] = in[g + 1];
	if (l == 0)
		row[0] = in[g];
	if (l == 15)
		row[17] = in[g + 2];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[g] = row[l] + row[l + 1] + row[l + 2];
}
