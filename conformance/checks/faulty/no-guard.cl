// More work-items than elements, without a guard.
//! run -global 16 -local 8 -arg iota:i32:13 -arg zero:i32:16
kernel void copy(global const int *in, global int *out)
{
	out[get_global_id(0)] = in[get_global_id(0)]; // find E-OOB
}
