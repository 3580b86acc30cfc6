// restrict parameters with buffers of their own.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void copy(global const int *restrict in, global int *restrict out)
{
	out[get_global_id(0)] = in[7 - get_global_id(0)];
}
