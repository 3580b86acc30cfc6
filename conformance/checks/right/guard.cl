// More work-items than elements, with the guard.
//! run -global 16 -local 8 -arg iota:i32:13 -arg zero:i32:13 -arg u32:13
kernel void copy(global const int *in, global int *out, uint n)
{
	if (get_global_id(0) < n)
		out[get_global_id(0)] = in[get_global_id(0)];
}
