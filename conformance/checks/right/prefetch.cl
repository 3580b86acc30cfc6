// prefetch is a hint and reads nothing.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void hint(global const int *in, global int *out)
{
	prefetch(in, 8);
	out[get_global_id(0)] = in[get_global_id(0)];
}
