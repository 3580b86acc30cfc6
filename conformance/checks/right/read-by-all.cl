// All work-items of all groups read the same elements. Reads do not conflict.
//! run -global 32 -local 8 -arg iota:i32:4 -arg zero:i32:32
kernel void same(global const int *in, global int *out)
{
	out[get_global_id(0)] = in[0] + in[1] + in[2] * in[3];
}
