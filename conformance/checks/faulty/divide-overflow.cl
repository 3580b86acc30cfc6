// The least int divided by -1.
//! run -global 2 -local 2 -arg buf:i32:8,-2147483648 -arg i32:-1 -arg zero:i32:2
kernel void scale(global const int *in, int d, global int *out)
{
	out[get_global_id(0)] = in[get_global_id(0)] / d; // find E-DIVOVF
}
