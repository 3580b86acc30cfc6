// The negative of the least int.
//! run -global 2 -local 2 -arg buf:i32:5,-2147483648 -arg zero:i32:2
kernel void negate(global const int *in, global int *out)
{
	out[get_global_id(0)] = -in[get_global_id(0)]; // find E-OVERFLOW
}
