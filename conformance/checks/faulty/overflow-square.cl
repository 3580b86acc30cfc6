// The square of an index does not fit an int.
//! run -global 4 -local 4 -arg buf:i32:1,1000,46341,3 -arg zero:i32:4
kernel void squares(global const int *in, global int *out)
{
	int x = in[get_global_id(0)];
	out[get_global_id(0)] = x * x; // find E-OVERFLOW
}
