// The last work-group is smaller, and asks for its own size.
//! run -global 20 -local 8 -arg iota:i32:20 -arg zero:i32:20
kernel void reverse(global const int *in, global int *out)
{
	local int tile[8];
	size_t l = get_local_id(0), g = get_global_id(0);
	tile[l] = in[g];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[g] = tile[get_local_size(0) - 1 - l];
}
