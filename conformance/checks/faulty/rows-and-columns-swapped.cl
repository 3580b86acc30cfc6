// The row index is multiplied by the height instead of the width.
//! run -global 4,2 -local 4,2 -arg iota:i32:8 -arg zero:i32:8 -arg i32:4 -arg i32:2
kernel void copy(global const int *in, global int *out, int width, int height)
{
	int x = get_global_id(0), y = get_global_id(1);
	out[y * width + x] = in[x * width + y]; // find E-OOB
}
